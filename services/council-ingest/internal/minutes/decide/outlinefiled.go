package decide

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
)

// openFiled opens the heading or item at line i in a document whose items begin with file numbers
// ("2026-0592 Resolution …"). It returns the line after that, or i if there is none. Item numbers
// may come before the file number: on its line, on separate lines, or several above several titles.
// Other markers do not open anything, and headings have no numbers.
func (o *outline) openFiled(i int) int {
	if number, file, title, ok := o.FiledAt(i); ok {
		if title == "" && o.item != nil && o.item.file == file {
			o.freshFrom = i + 1
			return i + 1 // the top of a page repeats it
		}
		return o.openFiledItem(i, number, file, title)
	}
	if m, ok := o.MarkerAt(i); ok {
		if m.Kind == lex.Number && m.Text == "" && m.Style == lex.NoStyle {
			o.numbers = append(o.numbers, m.Label)
			o.freshFrom = i + 1
			o.item = nil
			return i + 1
		}
		if end := o.numberedHeading(i, m); end > i {
			return end
		}
		if m.Kind != lex.Letter && m.Kind != lex.Roman { // these are initials
			return i
		}
	}
	end := o.filedHeading(i)
	if end == i {
		return i
	}
	parts := make([]string, 0, end-i)
	for _, r := range o.Rows[i:end] {
		parts = append(parts, r.Text)
	}
	if title := strings.TrimSuffix(lex.Join(parts), ":"); o.item == nil || o.sec.title != title {
		o.openFiledHeading(i, end, "", title)
	}
	o.freshFrom = end
	return end
}

func (o *outline) openFiledItem(i int, number, file, title string) int {
	if o.sec == nil {
		o.enter(i, i, &section{}, "")
	}
	isCase := title == ""
	if number == "" && len(o.numbers) > 0 && !isCase {
		number, o.numbers = o.numbers[0], o.numbers[1:]
	}
	title, end := o.FiledTitle(i, title, func(j int) bool { return o.filedHeading(j) > j })
	if label, _, form := strings.Cut(title, ":"); isCase && form && len(strings.Fields(label)) <= 2 {
		title, end = o.Rows[i].Text, i+1 // a form with labels and values on separate lines
	}
	return o.enterItem(i, end, &item{number: number, file: file, title: title, kind: lex.File})
}

func (o *outline) openFiledHeading(i, end int, number, title string) int {
	sec := &section{number: number}
	if o.IsPart(title) && o.sec != nil {
		sec.parent = o.sec
		if o.sec.parent != nil {
			sec.parent = o.sec.parent
		}
	}
	o.numbers = nil
	return o.enter(i, end, sec, title)
}

// numberedHeading opens a heading with a number if an item follows. It returns the line after the
// heading, or i if there is none.
func (o *outline) numberedHeading(i int, m lex.Marker) int {
	if m.Text == "" || !o.breakBefore(i) || !o.canHead(m.Text) || o.LowerWords(m.Text) > 0 {
		return i
	}
	next := o.Next(i + 1)
	if next < 0 {
		return i
	}
	if _, _, _, item := o.FiledAt(next); !item && !o.IsLone(next) {
		return i
	}
	return o.openFiledHeading(i, i+1, m.Label, strings.TrimSuffix(m.Text, ":"))
}

const maxHeadingLines = 3

// filedHeading returns the end of the heading at line i, or i if there is none. A heading has lines
// in capitals, or is a title above an item, a motion or another heading.
func (o *outline) filedHeading(i int) int {
	text := o.Rows[i].Text
	if !o.canHead(text) {
		return i
	}
	if lex.IsCapitals(text) && strings.Contains(text, " ") {
		end := i + 1
		for end < i+maxHeadingLines && end < len(o.Rows) && o.Rows[end].Text != "" &&
			!strings.HasSuffix(o.Rows[end-1].Text, ":") &&
			lex.IsCapitals(o.Rows[end].Text) && o.canHead(o.Rows[end].Text) {
			end++
		}
		return end
	}
	if !o.breakBefore(i) || i+1 < len(o.Rows) && o.Rows[i+1].Text != "" && !o.isPartEnd(i) {
		return i
	}
	if o.isBareAdjourn(i) || o.IsHeading(text) || dialect.IsConsent(text) && len(text) < 40 {
		return i + 1
	}
	end := i + 1
	for end < len(o.Rows) && o.Rows[end].Text != "" && end < i+maxHeadingLines {
		end++
	}
	next := o.Next(end)
	if next < 0 || !o.IsPart(text) && o.LowerWords(text) > 0 {
		return i
	}
	if _, _, _, item := o.FiledAt(next); item || o.IsLone(next) || o.Moves(next) {
		return end
	}
	if o.IsPart(text) || o.LowerWords(text) == 0 && o.IsPart(o.Rows[next].Text) {
		return end
	}
	return i
}

func (o *outline) isPartEnd(i int) bool {
	return o.IsPart(o.Rows[i].Text) && lex.IsCapitals(o.Rows[i+1].Text) && (i+2 >= len(o.Rows) || o.Rows[i+2].Text == "")
}

func (o *outline) canHead(text string) bool {
	if len(text) < 4 || len(text) > 100 || !lex.IsUpper(text[0]) && text[0] != '&' ||
		strings.ContainsAny(text[len(text)-1:], ".;!?\"”") {
		return false
	}
	return !strings.ContainsAny(text, "0123456789$") && !o.IsFate(text) && !o.IsDateLine(text) &&
		(!strings.Contains(text, ":") || strings.HasSuffix(text, ":"))
}
