// Package signal is the second pass: it finds what may speak of a decision, and knows nothing of
// decisions. Each of its functions reads one line, one sentence, one paragraph or one table.
//
//   - doc.go, result.go and filed.go classify lines: labels of tables, markers, file numbers of items
//   - table.go, tablecells.go and tablerows.go read the tables of RESULT, MOVER and AYES
//   - text.go and breaks.go join the other lines to paragraphs and split them into sentences; heading.go
//     finds headings by their form
//   - roll.go, pair.go and chart.go read rolls: rows of names, members with their vote, columns
//   - motion.go, movers.go, outcome.go, tally.go, named.go and romance.go read motions and outcomes
//   - elsewhere.go and telling.go find what minutes tell of votes that were not taken in the meeting
//   - member.go resolves names
package signal

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lines"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// Row is a classified line.
type Row struct {
	lines.Line
	Result bool // the table of a vote begins here

	label    lexicon.Sense // label if the line is inside a table
	value    string
	labelled bool
	mark     lexicon.Marker
	marked   bool
}

// Document is the classified text of one meeting's minutes.
type Document struct {
	*lexicon.Dialect
	lines.Text
	Rows   []Row // Lines with their classification
	People *person.People
	Flat   bool // the text has no columns, so indentation means nothing
	Filed  bool // items begin with file numbers

	style lexicon.Style
	width int // column of the right margin
}

// Read splits a text into lines and classifies them. It removes lines that begin with an entry of
// furniture. If paged is true, a text without form feeds is page 1.
func Read(text string, d *lexicon.Dialect, furniture []string, paged bool) *Document {
	t := lines.Clean(d.People().Apart(text), d, furniture, paged)
	doc := &Document{Dialect: d, Text: t, Rows: make([]Row, len(t.Lines)), People: person.NewPeople(d.People())}
	for i, ln := range t.Lines {
		r := &doc.Rows[i]
		r.Line = ln
		r.label, r.value, r.labelled = d.Label(ln.Text, true)
		r.mark, r.marked = lexicon.ReadMarker(ln.Text)
	}
	for i := range doc.Rows {
		doc.Rows[i].Result = doc.beginsVote(i)
	}
	doc.keepTables()
	doc.width = doc.lineWidth()
	doc.Filed = doc.isFiled()
	doc.style = doc.itemStyle()
	for i := range doc.Rows {
		r := &doc.Rows[i]
		if r.marked || doc.style == lexicon.NoStyle {
			continue
		}
		if m, style := lexicon.ReadStyled(r.Text); style == doc.style {
			r.mark, r.marked = m, true
			r.mark.Style = style
		}
	}
	doc.Flat = lines.IsFlat(t.Lines)
	return doc
}

// Label returns the label at the beginning of line i, by the rules inside a table, and its value.
func (doc *Document) Label(i int) (row lexicon.Sense, value string, ok bool) {
	r := &doc.Rows[i]
	return r.label, r.value, r.labelled
}

// BreakBefore reports whether a paragraph can begin at line i.
func (doc *Document) BreakBefore(i int) bool {
	return i == 0 || doc.Rows[i].NewPage || doc.Rows[i-1].Text == ""
}

// Next returns the first line that is not blank, from i on, or -1.
func (doc *Document) Next(i int) int {
	for ; i < len(doc.Rows); i++ {
		if doc.Rows[i].Text != "" {
			return i
		}
	}
	return -1
}

// IsLone reports whether line i has nothing but a marker.
func (doc *Document) IsLone(i int) bool {
	m, ok := doc.MarkerAt(i)
	return ok && m.Text == ""
}

// Fits reports whether line i had space for the first word of the next line. If so, it did not
// wrap.
func (doc *Document) Fits(i int, next string) bool {
	word := next
	if k := strings.IndexByte(next, ' '); k > 0 {
		word = next[:k]
	}
	edge := doc.Rows[i].Indent + len(doc.Rows[i].Text) + 1 + len(word)
	return edge*100 <= doc.width*94
}

// Hanging reports whether the gap after a marker is as wide as in a list with columns.
func (doc *Document) Hanging(m lexicon.Marker) bool { return m.Col >= len(m.Label)+3 }

// MarkerAt returns the number or bullet at the beginning of line i. The initial of a member is not
// a marker, as in "A. Doe, Roe and Poe".
func (doc *Document) MarkerAt(i int) (lexicon.Marker, bool) {
	r := &doc.Rows[i]
	if m := r.mark; !r.marked || len(m.Label) == 2 && lexicon.IsUpper(m.Label[0]) && m.Col == 3 && m.Text != "" &&
		doc.isInitial(r.Text) {
		return lexicon.Marker{}, false
	}
	return r.mark, true
}

// isInitial reports whether a line begins with a member's name, in a list or a sentence.
func (doc *Document) isInitial(text string) bool {
	for n, at := 0, 2; n < 4 && at < len(text); n++ {
		end := len(text)
		if i := strings.IndexByte(text[at+1:], ' '); i >= 0 {
			end = at + 1 + i
		}
		rest := strings.TrimLeft(text[end:], " ")
		comma := text[end-1] == ',' || text[end-1] == ';'
		if comma || rest == "" || rest[0] >= 'a' && rest[0] <= 'z' {
			name := strings.TrimRight(text[:end], ",;")
			if rest == "" {
				name = strings.TrimSuffix(name, ".") // full stop of the sentence: "seconded by Trustee" above "A. Abernathy."
			}
			if _, match := doc.People.Resolve(person.Name{Text: name}); match <= council.MatchGiven {
				return true
			}
		}
		if comma {
			return false
		}
		at = end
	}
	return false
}

func (doc *Document) lineWidth() int {
	var count [201]int
	total := 0
	for _, ln := range doc.Rows {
		if n := len(ln.Text); n > 20 {
			count[min(ln.Indent+n, 200)]++
			total++
		}
	}
	seen := 0
	for n := 200; n > 0; n-- {
		seen += count[n]
		if seen*30 > total {
			return n
		}
	}
	return 80
}

// itemStyle returns the style of the item numbers. Most tables follow a single marker in that
// style. A list in an item has several markers.
func (doc *Document) itemStyle() lexicon.Style {
	var own [lexicon.Styles]int
	plain, tables := 0, 0
	style, count := lexicon.NoStyle, 0 // count is -1 after a plain marker, -2 after a bullet
	for i, r := range doc.Rows {
		m, found := lexicon.ReadStyled(r.Text)
		switch {
		case r.Text == "":
		case r.Result:
			tables++
			switch count {
			case 1:
				own[style]++
			case -1:
				plain++
			}
			style, count = lexicon.NoStyle, 0
		case r.marked && r.mark.Kind == lexicon.Bullet:
			style, count = lexicon.NoStyle, -2
		// the initial of a name: "seconded by Trustee" above "A. Doe."
		case r.marked && r.mark.Kind == lexicon.Letter && !doc.BreakBefore(i):
		case r.marked:
			if r.mark.Text == "" || lexicon.IsTitle(r.mark.Text) {
				style, count = lexicon.NoStyle, -1
			}
		case count == -2: // a list under a bullet
		case found != lexicon.NoStyle && (m.Text == "" || lexicon.IsTitle(m.Text)):
			if found != style {
				style, count = found, 0
			}
			count++
		}
	}
	best := lexicon.NoStyle
	for style, n := range own {
		if n >= 2 && n*4 >= tables && n > plain && n > own[best] {
			best = lexicon.Style(style)
		}
	}
	return best
}
