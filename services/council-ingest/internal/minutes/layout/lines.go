// Package layout turns the text of a document into the lines that somebody reads on paper: pages, without their headers, footers and page
// numbers, and without the left margin.
//
// It reads nothing but lines and knows no vote. What it leaves out it returns with the reason. The way goes on in package rows.
package layout

import (
	"strings"
	"unicode/utf8"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
)

// Line is one printed line.
type Line struct {
	Text    string // without blanks at its ends; empty for a blank line
	Indent  int    // columns of blanks before it
	Page    int    // 1-based; 0 when the text has no pages
	NewPage bool   // the first line that is left of its page
	No      int    // 1-based, of the text
	Why     string // why it was left out
}

// What a hostile text may cost: minutes with all attachments have stayed under one megabyte and 25,000 lines; a larger text is read up to
// here.
const (
	maxText  = 32 << 20
	MaxLines = 200_000
	maxLine  = 4_000 // bytes
)

// Sheet is a document in reading order.
type Sheet struct {
	Lines   []Line
	Dropped []Line // headers, footers and page numbers
	Whole   bool   // all of the text was read
}

// reader reads one document.
type reader struct {
	*dialect.Dialect
	furniture []string
}

// Read lays out a text. Furniture are beginnings of lines that are printed on pages and belong to no item; paged says that a text without a
// form feed has a first page, too.
func Read(text string, d *dialect.Dialect, furniture []string, paged bool) Sheet {
	r := reader{d, furniture}
	lines, whole := Split(text, paged)
	sheet := Sheet{Whole: whole}
	sheet.Lines, sheet.Dropped = r.dropFurniture(lines)
	cutMargin(sheet.Lines)
	return sheet
}

// Split cuts the text into lines. A form feed starts a page. It reports whether all of the text was read.
func Split(text string, paged bool) (lines []Line, whole bool) {
	whole = len(text) <= maxText
	if !whole {
		text = text[:maxText]
	}
	page := 0
	if paged || strings.IndexByte(text, '\f') >= 0 {
		page = 1
	}
	lines = make([]Line, 0, min(strings.Count(text, "\n")+1, MaxLines))
	first := true
	for len(text) > 0 && len(lines) < MaxLines {
		var raw string
		i := strings.IndexAny(text, "\n\f")
		feed := false
		if i < 0 {
			raw, text = text, ""
		} else {
			raw, feed, text = text[:i], text[i] == '\f', text[i+1:]
		}
		if raw != "" || !feed {
			ln := newLine(raw)
			ln.Page, ln.NewPage, ln.No = page, first, len(lines)+1
			lines = append(lines, ln)
			first = false
		}
		if feed {
			page++
			first = true
		}
	}
	return lines, whole && text == ""
}

// newLine normalises one raw line: tabs and foreign blanks become blanks, invisible characters go, typographic ligatures are spelt out.
func newLine(raw string) Line {
	if len(raw) > maxLine {
		raw = raw[:maxLine]
	}
	if needsCleaning(raw) || !utf8.ValidString(raw) {
		raw = clean(raw)
	}
	text := strings.TrimLeft(raw, " ")
	return Line{Text: strings.TrimRight(text, " "), Indent: len(raw) - len(text)}
}

func needsCleaning(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == 0x7f || c == 0xc2 || c == 0xe2 || c == 0xef || c == 0xe3 {
			return true
		}
	}
	return false
}

// privateBullet is the code point under which bullets of symbol fonts come out of text extraction.
const privateBullet = '\uf0b7'

func clean(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r == '\t':
			b.WriteByte(' ')
		case r < ' ' || r == 0x7f,
			r == '\u00ad', r == '\ufeff', r >= '\u200b' && r <= '\u200f', r >= '\u202a' && r <= '\u202e', r == '\u2060':
			// Control characters, soft hyphens and zero-width marks.
		case r == '\u00a0', r >= '\u2000' && r <= '\u200a', r == '\u202f', r == '\u205f', r == '\u3000':
			b.WriteByte(' ')
		case r == '\u2010' || r == '\u2011':
			b.WriteByte('-')
		case r == '\ufb00':
			b.WriteString("ff")
		case r == '\ufb01':
			b.WriteString("fi")
		case r == '\ufb02':
			b.WriteString("fl")
		case r == '\ufb03':
			b.WriteString("ffi")
		case r == '\ufb04':
			b.WriteString("ffl")
		case r == privateBullet:
			b.WriteRune('•')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// cutMargin takes the left margin off all lines: the columns that at least 19 lines in 20 leave blank.
func cutMargin(lines []Line) {
	const widest = 60
	var count [widest + 1]int
	total := 0
	for _, ln := range lines {
		if ln.Text != "" {
			count[min(ln.Indent, widest)]++
			total++
		}
	}
	margin, left := 0, 0
	for ; margin < widest; margin++ {
		left += count[margin]
		if left*20 > total {
			break
		}
	}
	if margin == 0 {
		return
	}
	for i := range lines {
		lines[i].Indent = max(lines[i].Indent-margin, 0)
	}
}
