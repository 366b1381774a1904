package agenda

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
)

// openFiled opens the heading or item at line i in a document whose items begin with file numbers
// ("2026-0592 Resolution …"). It returns the line after that, or i if there is none. Item numbers
// may come before the file number: on its line, on separate lines, or several above several titles.
// Other markers do not open anything, and headings have no numbers.
func (s *Reader) openFiled(i int) int {
	if number, file, title, ok := s.FiledAt(i); ok {
		if title == "" && s.item != nil && s.item.File == file {
			s.freshFrom = i + 1
			return i + 1 // the top of a page repeats it
		}
		return s.openFiledItem(i, number, file, title)
	}
	if m, ok := s.MarkerAt(i); ok {
		if m.Kind == lex.Number && m.Text == "" && m.Style == lex.NoStyle {
			s.numbers = append(s.numbers, m.Label)
			s.freshFrom = i + 1
			s.item = nil
			return i + 1
		}
		if end := s.numberedHeading(i, m); end > i {
			return end
		}
		if m.Kind != lex.Letter && m.Kind != lex.Roman { // these are initials
			return i
		}
	}
	end := s.filedHeading(i)
	if end == i {
		return i
	}
	parts := make([]string, 0, end-i)
	for _, r := range s.Rows[i:end] {
		parts = append(parts, r.Text)
	}
	if title := strings.TrimSuffix(lex.Join(parts), ":"); s.item == nil || s.sec.Title != title {
		s.openFiledHeading(i, end, "", title)
	}
	s.freshFrom = end
	return end
}

func (s *Reader) openFiledItem(i int, number, file, title string) int {
	if s.sec == nil {
		s.enter(i, i, &Section{}, "")
	}
	isCase := title == ""
	if number == "" && len(s.numbers) > 0 && !isCase {
		number, s.numbers = s.numbers[0], s.numbers[1:]
	}
	title, end := s.FiledTitle(i, title, func(j int) bool { return s.filedHeading(j) > j })
	if label, _, form := strings.Cut(title, ":"); isCase && form && len(strings.Fields(label)) <= 2 {
		title, end = s.Rows[i].Text, i+1 // a form with labels and values on separate lines
	}
	return s.enterItem(i, end, &Item{Number: number, File: file, Title: title, Kind: lex.File})
}

func (s *Reader) openFiledHeading(i, end int, number, title string) int {
	sec := &Section{Number: number}
	if s.IsPart(title) && s.sec != nil {
		sec.Parent = s.sec
		if s.sec.Parent != nil {
			sec.Parent = s.sec.Parent
		}
	}
	s.numbers = nil
	return s.enter(i, end, sec, title)
}

// numberedHeading opens a heading with a number if an item follows. It returns the line after the
// heading, or i if there is none.
func (s *Reader) numberedHeading(i int, m lex.Marker) int {
	if m.Text == "" || !s.breakBefore(i) || !s.canHead(m.Text) || s.LowerWords(m.Text) > 0 {
		return i
	}
	next := s.Next(i + 1)
	if next < 0 {
		return i
	}
	if _, _, _, item := s.FiledAt(next); !item && !s.IsLone(next) {
		return i
	}
	return s.openFiledHeading(i, i+1, m.Label, strings.TrimSuffix(m.Text, ":"))
}

const maxHeadingLines = 3

// filedHeading returns the end of the heading at line i, or i if there is none. A heading has lines
// in capitals, or is a title above an item, a motion or another heading.
func (s *Reader) filedHeading(i int) int {
	text := s.Rows[i].Text
	if !s.canHead(text) {
		return i
	}
	if lex.IsCapitals(text) && strings.Contains(text, " ") {
		end := i + 1
		for end < i+maxHeadingLines && end < len(s.Rows) && s.Rows[end].Text != "" &&
			!strings.HasSuffix(s.Rows[end-1].Text, ":") &&
			lex.IsCapitals(s.Rows[end].Text) && s.canHead(s.Rows[end].Text) {
			end++
		}
		return end
	}
	if !s.breakBefore(i) || i+1 < len(s.Rows) && s.Rows[i+1].Text != "" && !s.isPartEnd(i) {
		return i
	}
	if s.isBareAdjourn(i) || s.IsHeading(text) || dialect.IsConsent(text) && len(text) < 40 {
		return i + 1
	}
	end := i + 1
	for end < len(s.Rows) && s.Rows[end].Text != "" && end < i+maxHeadingLines {
		end++
	}
	next := s.Next(end)
	if next < 0 || !s.IsPart(text) && s.LowerWords(text) > 0 {
		return i
	}
	if _, _, _, item := s.FiledAt(next); item || s.IsLone(next) || s.movesAt(next) {
		return end
	}
	if s.IsPart(text) || s.LowerWords(text) == 0 && s.IsPart(s.Rows[next].Text) {
		return end
	}
	return i
}

func (s *Reader) isPartEnd(i int) bool {
	return s.IsPart(s.Rows[i].Text) && lex.IsCapitals(s.Rows[i+1].Text) && (i+2 >= len(s.Rows) || s.Rows[i+2].Text == "")
}

func (s *Reader) canHead(text string) bool {
	if len(text) < 4 || len(text) > 100 || !lex.IsUpper(text[0]) && text[0] != '&' ||
		strings.ContainsAny(text[len(text)-1:], ".;!?\"”") {
		return false
	}
	return !strings.ContainsAny(text, "0123456789$") && !s.IsFate(text) && !s.IsDateLine(text) &&
		(!strings.Contains(text, ":") || strings.HasSuffix(text, ":"))
}
