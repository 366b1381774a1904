// Package rows types the lines of a document once: which begin a vote, which carry a label and its
// value, which a number or bullet. It also says how the document is printed as a whole. Nothing of
// this changes afterwards; only the roster can learn a further name.
//
// What the rows add up to is decided elsewhere: attendance, vote and outline read them, and package
// minutes walks over them.
package rows

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/layout"
	"github.com/townline/townline/services/council-ingest/internal/minutes/roster"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// Row is one line of a document, with what it can be by itself.
type Row struct {
	layout.Line
	Result bool    // a vote begins here
	Stated *Stated // of a vote that a sentence states

	label    dialect.Label // within a table
	value    string
	labelled bool
	mark     shape.Marker
	marked   bool
}

// Doc is a document whose lines are typed.
type Doc struct {
	*dialect.Dialect
	Rows    []Row
	People  *roster.People
	Flat    bool        // text without columns: indentation means nothing
	Stating bool        // sentences state its votes, with a roll below, instead of tables
	Filed   bool        // its items begin with file numbers, whatever else is numbered
	Style   shape.Style // how it numbers its items, beyond what every document may do

	width int // how long lines get
}

// Read types the lines of a document.
func Read(lines []layout.Line, d *dialect.Dialect) *Doc {
	doc := &Doc{Dialect: d, Rows: make([]Row, len(lines)), People: roster.New(d)}
	for i, ln := range lines {
		r := &doc.Rows[i]
		r.Line = ln
		r.label, r.value, r.labelled = d.Label(ln.Text, true)
		r.mark, r.marked = shape.ReadMarker(ln.Text)
	}
	doc.findResults()
	doc.width = doc.lineWidth()
	doc.findStated()
	doc.Filed = doc.Stating && doc.isFiled()
	doc.Style = doc.itemStyle()
	for i := range doc.Rows {
		r := &doc.Rows[i]
		if m, style := shape.ReadStyled(r.Text); !r.marked && style != shape.NoStyle && style == doc.Style {
			r.mark, r.marked = m, true
			r.mark.Style = style
		}
	}
	doc.Flat = doc.isFlat()
	return doc
}

// Label is the label at the beginning of line i, as within a table, and its value.
func (doc *Doc) Label(i int) (row dialect.Label, value string, ok bool) {
	r := &doc.Rows[i]
	return r.label, r.value, r.labelled
}

// BreakBefore reports whether line i can begin a paragraph.
func (doc *Doc) BreakBefore(i int) bool {
	return i == 0 || doc.Rows[i].NewPage || doc.Rows[i-1].Text == ""
}

// Next is the first line from i on that is not blank, or -1.
func (doc *Doc) Next(i int) int {
	for ; i < len(doc.Rows); i++ {
		if doc.Rows[i].Text != "" {
			return i
		}
	}
	return -1
}

// IsLone reports whether line i holds nothing but a marker.
func (doc *Doc) IsLone(i int) bool {
	m, ok := doc.MarkerAt(i)
	return ok && m.Text == ""
}

// Fits reports whether the first word of the next line would have had room at the end of line i:
// then the line was not broken by the margin.
func (doc *Doc) Fits(i int, next string) bool {
	word := next
	if k := strings.IndexByte(next, ' '); k > 0 {
		word = next[:k]
	}
	edge := doc.Rows[i].Indent + len(doc.Rows[i].Text) + 1 + len(word)
	return edge*100 <= doc.width*94
}

// Hanging reports whether the gap after a marker is that of a numbered list set in columns.
func (doc *Doc) Hanging(m shape.Marker) bool { return m.Col >= len(m.Label)+3 }

// MarkerAt is the number or bullet at the beginning of line i, if there is one. The initial of a
// member is none: "A. Doe, Roe and Poe".
func (doc *Doc) MarkerAt(i int) (shape.Marker, bool) {
	r := &doc.Rows[i]
	if m := r.mark; !r.marked || len(m.Label) == 2 && shape.IsUpper(m.Label[0]) && m.Col == 3 && m.Text != "" &&
		doc.isInitial(r.Text) {
		return shape.Marker{}, false
	}
	return r.mark, true
}

// isInitial reports whether a line begins with a member's name and goes on as a list of names or a
// sentence does.
func (doc *Doc) isInitial(text string) bool {
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
				name = strings.TrimSuffix(name, ".") // of the sentence: "seconded by Trustee" and "A. Abernathy."
			}
			if doc.People.Resolve(name).Match <= council.MatchGiven {
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

// isFlat reports whether hardly any line is indented or has gaps, as in text extracted without
// regard to columns.
func (doc *Doc) isFlat() bool {
	text, indented := 0, 0
	for _, ln := range doc.Rows {
		if ln.Text != "" {
			text++
			if ln.Indent > 1 || strings.Contains(ln.Text, "   ") {
				indented++
			}
		}
	}
	return indented*20 < text
}

// lineWidth is the column of the right margin: one that only few lines pass.
func (doc *Doc) lineWidth() int {
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

// itemStyle is the style by which a document numbers what it votes on, apart from those that every
// document may use: a single marker of it, and no other behind it, stands before most tables. A
// list within an item has several.
func (doc *Doc) itemStyle() shape.Style {
	var own [shape.Styles]int
	plain, tables := 0, 0
	style, count := shape.NoStyle, 0 // -1 behind a plain marker, -2 behind a bullet
	for i, r := range doc.Rows {
		m, found := shape.ReadStyled(r.Text)
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
			style, count = shape.NoStyle, 0
		case r.marked && r.mark.Kind == shape.Bullet:
			style, count = shape.NoStyle, -2
		// the initial of a name: "seconded by Trustee" and "A. Doe."
		case r.marked && r.mark.Kind == shape.Letter && !doc.BreakBefore(i):
		case r.marked:
			if r.mark.Text == "" || shape.IsTitle(r.mark.Text) {
				style, count = shape.NoStyle, -1
			}
		case count == -2: // a list under a bullet
		case found != shape.NoStyle && (m.Text == "" || shape.IsTitle(m.Text)):
			if found != style {
				style, count = found, 0
			}
			count++
		}
	}
	best := shape.NoStyle
	for style, n := range own {
		if n >= 2 && n*4 >= tables && n > plain && n > own[best] {
			best = shape.Style(style)
		}
	}
	return best
}

// FiledAt reads line i as the beginning of an item in a document whose items begin with file
// numbers: the number before it on the same line, if there is one, the file number, and the first
// line of the title.
func (doc *Doc) FiledAt(i int) (number, file, title string, ok bool) {
	text := doc.Rows[i].Text
	m, ok := doc.Rows[i].mark, doc.Rows[i].marked
	if !ok && text != "" {
		var style shape.Style
		m, style = shape.ReadStyled(text)
		ok = style != shape.NoStyle
	}
	if ok && m.Kind != shape.Bullet && m.Text != "" {
		number, text = m.Label, m.Text
	}
	file, title = shape.CutFiled(text)
	if file == "" && number != "" {
		file, title = shape.CutFileNumber(text, "")
	}
	return number, file, title, file != ""
}

// isFiled reports whether the items of a document begin with file numbers: one of them stands above
// at least half of its votes.
func (doc *Doc) isFiled() bool {
	votes, below := 0, 0
	filed := false
	for i := range doc.Rows {
		switch {
		case doc.Rows[i].Text == "":
		case doc.Rows[i].Stated != nil:
			votes++
			if filed {
				below++
			}
			filed = false
		default:
			_, _, _, is := doc.FiledAt(i)
			filed = filed || is
		}
	}
	return below > 0 && below*2 >= votes
}

// beginsWithDate reports whether a line begins with a day in figures, as the lines of a history do:
// "1/29/26 Metro Council Passed".
func beginsWithDate(text string) bool {
	n := shape.LeadingDigits(text, 2)
	if n == 0 || n >= len(text) || text[n] != '/' {
		return false
	}
	m := shape.LeadingDigits(text[n+1:], 2)
	return m > 0 && strings.HasPrefix(text[n+1+m:], "/")
}

// FiledTitle reads the title of the item that begins at line i, of which first is the first line,
// and returns the line after it. heading reports whether a line can be a heading, for those whose
// blank line above is lost at the edge of a page.
func (doc *Doc) FiledTitle(i int, first string, heading func(int) bool) (title string, end int) {
	parts := []string{first}
	end = i + 1
	if next := doc.Next(end); first == "" && next >= 0 && next <= i+maxGap {
		parts[0], end = doc.Rows[next].Text, next+1
	}
	for ; end < len(doc.Rows) && end < i+80; end++ {
		text := doc.Rows[end].Text
		if text == "" || doc.Rows[end].Result || doc.IsFate(text) || beginsWithDate(text) || doc.IsLone(end) {
			break
		}
		if _, _, moves := doc.MotionAt(end); moves {
			break
		}
		last := parts[len(parts)-1]
		if doc.Rows[end].NewPage && (shape.EndsSentence(last) || !shape.IsCapitals(last) || !shape.IsCapitals(text)) &&
			heading(end) {
			break
		}
		if _, row := doc.rollLabel(end); row {
			break
		}
		if _, _, _, item := doc.FiledAt(end); item {
			break
		}
		parts = append(parts, text)
	}
	return shape.Join(parts), end
}
