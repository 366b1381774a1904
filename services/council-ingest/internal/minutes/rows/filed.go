package rows

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// FiledAt reads line i as the beginning of an item in a document whose items begin with file numbers: the number before it on the same line,
// if there is one, the file number, and the first line of the title.
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

// isFiled reports whether the items of a document begin with file numbers: one of them stands above at least half of its votes.
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

// beginsWithDate reports whether a line begins with a day in figures, as the lines of a history do: "1/29/26 Metro Council  Passed".
func beginsWithDate(text string) bool {
	n := shape.LeadingDigits(text, 2)
	if n == 0 || n >= len(text) || text[n] != '/' {
		return false
	}
	m := shape.LeadingDigits(text[n+1:], 2)
	return m > 0 && strings.HasPrefix(text[n+1+m:], "/")
}

// FiledTitle reads the title of the item that begins at line i, of which first is the first line, and returns the line after it. heading
// reports whether a line can be a heading, for those whose blank line above is lost at the edge of a page.
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
		if doc.Rows[end].NewPage && (shape.EndsSentence(last) || !shape.IsCapitals(last) || !shape.IsCapitals(text)) && heading(end) {
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
