package walk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/layout"
	"github.com/townline/townline/services/council-ingest/internal/minutes/unread"
)

// orphanLines is how many lines a roll can have that was reported where it begins.
const orphanLines = 12

// reportUnread reports what is printed like votes and was not read: any of it where no vote was read at all, else when it is more than a
// slip beside what was read.
func (s *Walk) reportUnread(sheet layout.Sheet) {
	// Beside votes that were read, what was decided without a roll is reported in its place.
	f := unread.Look(sheet.Lines, sheet.Dropped, s.votes == 0, s.wasRead())
	if s.votes > 0 && !clearlyFewer(f) || len(f.Rolls)+len(f.Spoken) == 0 {
		return
	}
	var parts []string
	if n := len(f.Rolls); n > 0 {
		parts = append(parts, fmt.Sprintf("%s printed like a roll call or a result (%s)", council.Count(n, "place"), whereabouts(f.Rolls)))
	}
	if n := len(f.Spoken); n > 0 {
		parts = append(parts, fmt.Sprintf("%s about the outcome of a motion (%s)", council.Count(n, "sentence"), whereabouts(f.Spoken)))
	}
	first := slices.Concat(f.Rolls, f.Spoken)[0]
	s.Report(council.CodeVotesUnread, -1, nil, first.Page, fmt.Sprintf("%s not read as votes; %s read from the document",
		strings.Join(parts, " and "), council.Count(s.votes, "table")))
}

// clearlyFewer reports whether so much of what is printed like votes was not read that it is no slip.
func clearlyFewer(f unread.Found) bool { return len(f.Rolls) > 0 }

// wasRead reports whether the line of the text with a number belongs to a table that was read, or to a roll that was reported.
func (s *Walk) wasRead() func(no int) bool {
	last := 0
	if n := len(s.Rows); n > 0 {
		last = s.Rows[n-1].No
	}
	read := make([]bool, last+1) // by the line's number
	for i, t := range s.Types {
		switch t.Kind {
		case "label", "value":
			read[s.Rows[i].No] = true
		}
	}
	for _, from := range s.reported {
		for i := from; i < min(from+orphanLines, len(s.Rows)); i++ {
			read[s.Rows[i].No] = true
		}
	}
	return func(no int) bool { return no <= last && read[no] }
}

// maxPlaces is how many places a message names.
const maxPlaces = 6

// whereabouts names the pages of some places, which are in order, or their lines in a text without pages, and how many lines they take.
func whereabouts(prints []unread.Print) string {
	word, lines := "page", 0
	var at []string
	for _, p := range prints {
		lines += p.Lines
		place := fmt.Sprint(p.Page)
		if p.Page == 0 {
			word, place = "line", fmt.Sprint(p.Line)
		}
		if len(at) == 0 || at[len(at)-1] != place {
			at = append(at, place)
		}
	}
	if len(at) > 1 {
		word += "s"
	}
	if more := len(at) - maxPlaces; more > 0 {
		at = append(at[:maxPlaces], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s on %s %s", council.Count(lines, "line"), word, strings.Join(at, ", "))
}
