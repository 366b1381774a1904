package minutes

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// line is one printed line.
type line struct {
	text    string // without blanks at its ends; empty for a blank line
	indent  int    // columns of blanks before it
	page    int    // 1-based; 0 when the text has no pages
	newPage bool   // the first line that is left of its page
}

// What a hostile text may cost: minutes with all attachments have stayed under
// one megabyte and 25,000 lines; a larger text is read up to here.
const (
	maxText  = 32 << 20
	maxLines = 200_000
	maxLine  = 4_000 // bytes
	// The longest real minutes print 180 results, attachments included, and say
	// the same thing of 90 votes.
	maxVotes     = 2_000
	maxRoll      = 500   // names on one roll
	maxAlike     = 500   // anomalies of one code on one page; more are summed up
	maxAnomalies = 4_000 // after which they are summed up without regard to pages
)

// Refuses says why a text is not read as minutes, empty when it is: it prints
// more results than a meeting can have.
func Refuses(text string) string {
	d := newDialect()
	lines, _ := splitLines(text, false)
	results := 0
	for _, ln := range lines {
		if kind, _, ok := d.label(ln.text, false); ok && kind == rowResult {
			results++
		}
	}
	if results <= maxVotes {
		return ""
	}
	return fmt.Sprintf("the document prints %d results of votes, more than the %d that the minutes of a meeting may have", results, maxVotes)
}

// splitLines cuts the text into lines. A form feed starts a page. It reports
// whether all of the text was read.
func splitLines(text string, paged bool) (lines []line, whole bool) {
	whole = len(text) <= maxText
	if !whole {
		text = text[:maxText]
	}
	page := 0
	if paged || strings.IndexByte(text, '\f') >= 0 {
		page = 1
	}
	lines = make([]line, 0, min(strings.Count(text, "\n")+1, maxLines))
	first := true
	for len(text) > 0 && len(lines) < maxLines {
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
			ln.page, ln.newPage = page, first
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

// cutMargin takes the left margin off all lines: the columns that at least 19
// lines in 20 leave blank, but none in which numbered headings stand: those are
// few beside the lines of many items.
func cutMargin(lines []line) {
	const widest = 60
	var count [widest + 1]int
	total := 0
	for _, ln := range lines {
		if ln.text != "" {
			count[min(ln.indent, widest)]++
			total++
		}
	}
	margin, left := 0, 0
	for ; margin < widest; margin++ {
		if left += count[margin]; left*20 > total {
			break
		}
	}
	margin = min(margin, headingIndent(lines, margin))
	if margin == 0 {
		return
	}
	for i := range lines {
		lines[i].indent = max(lines[i].indent-margin, 0)
	}
}

// headingIndent is where numbered headings stand left of the margin: at least
// three that follow each other; the margin where there are none.
func headingIndent(lines []line, margin int) int {
	last, length, indent := map[markKind]int{}, map[markKind]int{}, map[markKind]int{}
	for _, ln := range lines {
		if ln.text == "" || ln.indent >= margin {
			continue
		}
		m, ok := readMarker(ln.text)
		if !ok || m.kind >= markDotted || m.text == "" || !isTitleShaped(m.text) {
			continue
		}
		if m.value != last[m.kind]+1 || length[m.kind] == 0 && m.value != 1 {
			continue
		}
		if length[m.kind] == 0 {
			indent[m.kind] = ln.indent
		}
		last[m.kind], indent[m.kind] = m.value, min(indent[m.kind], ln.indent)
		if length[m.kind]++; length[m.kind] >= 3 {
			return indent[m.kind]
		}
	}
	return margin
}

// newLine normalises one raw line: tabs and foreign blanks become blanks,
// invisible characters go, typographic ligatures are spelt out.
func newLine(raw string) line {
	if len(raw) > maxLine {
		raw = raw[:maxLine]
	}
	if needsCleaning(raw) || !utf8.ValidString(raw) {
		raw = clean(raw)
	}
	text := strings.TrimLeft(raw, " ")
	return line{text: strings.TrimRight(text, " "), indent: len(raw) - len(text)}
}

func needsCleaning(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == 0x7f || c == 0xc2 || c == 0xe2 || c == 0xef || c == 0xe3 {
			return true
		}
	}
	return false
}

// privateBullet is the code point under which bullets of symbol fonts come out
// of text extraction.
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

// fold turns every run of blanks into one and trims the ends.
func fold(s string) string {
	if !strings.Contains(s, "  ") {
		return strings.TrimSpace(s)
	}
	return strings.Join(strings.Fields(s), " ")
}

// joinLines puts wrapped lines together with one blank between them; a hyphen
// at a line end stays, and so does the blank after it.
func joinLines(parts []string) string { return fold(strings.Join(parts, " ")) }
