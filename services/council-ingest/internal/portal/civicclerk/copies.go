package civicclerk

import (
	"cmp"
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/portal/reading"
)

// Names that the product gives where a clerk gave none.
const (
	noCategory = "General"
	noName     = "One Time Event"
)

// Body is the board: the category, or what the name begins with where the category is the one that everything is in at first.
func (e Event) Body() string {
	body := reading.BodyOf(e.Name)
	switch {
	case e.Category != "" && !strings.EqualFold(e.Category, noCategory):
		return e.Category
	case body != "" && !strings.EqualFold(body, noName):
		return body
	}
	return e.Category
}

// Type is what the name says beside the board: "Worksession".
func (e Event) Type() string {
	if strings.EqualFold(e.Name, noName) {
		return ""
	}
	return reading.TypeOf(e.Name, e.Body())
}

// Title is the name, or the board where a clerk gave no name.
func (e Event) Title() string {
	if e.Name == "" || strings.EqualFold(e.Name, noName) {
		return e.Body()
	}
	return e.Name
}

// meetingWord is a type that says nothing.
const meetingWord = "meeting"

// Fold puts the copies of a meeting together, which the templates of a series leave behind: events of one board and type at
// one hour, of which those without files say nothing. The meeting keeps the lowest id of its copies for ever, and is described by the
// copy that has the files, or an agenda. Two events with files are two meetings. The order is that of time, then of ids.
func Fold(events []Event) []Event {
	type group struct {
		body, kind, starts string
		off                bool
	}
	byGroup := map[group][]Event{}
	seen := map[int64]bool{}
	for _, e := range events {
		if seen[e.ID] {
			continue // pages shift while they are read
		}
		seen[e.ID] = true
		kind := strings.ToLower(e.Type())
		if kind == meetingWord {
			kind = ""
		}
		g := group{strings.ToLower(e.Body()), kind, e.Starts.Format("2006-01-02T15:04:05"), e.State.Off()}
		byGroup[g] = append(byGroup[g], e)
	}
	var out []Event
	for _, copies := range byGroup {
		slices.SortFunc(copies, func(a, b Event) int { return cmp.Compare(a.ID, b.ID) })
		first := len(out)
		out = append(out, copies[0])
		for _, e := range copies[1:] {
			whole := &out[first]
			switch {
			case len(e.Files) > 0 && len(whole.Files) > 0:
				out = append(out, e)
			case len(e.Files) > 0, len(whole.Files) == 0 && whole.AgendaID == 0 && e.AgendaID > 0:
				e.ID, e.Copies = whole.ID, append(whole.Copies, e.ID)
				*whole = e
			default:
				whole.Copies = append(whole.Copies, e.ID)
			}
		}
	}
	slices.SortFunc(out, func(a, b Event) int { return cmp.Or(a.Starts.Compare(b.Starts), cmp.Compare(a.ID, b.ID)) })
	return out
}
