// Package lines is the first pass: it splits the text of minutes into lines and takes out headers and
// footers of pages, watermarks, the numbers of lines, and the left margin.
package lines

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
)

// Line is one printed line.
type Line struct {
	Text    string // without surrounding blanks; "" for a blank line
	Indent  int    // number of blanks before Text
	Page    int
	NewPage bool   // first remaining line of its page
	No      int    // number of the line in the text, from 1
	Why     string // why the line was removed
}

// Limits for hostile texts, which are cut at the limit. Real minutes with all attachments have less
// than one megabyte and 25,000 lines.
const (
	maxText  = 32 << 20
	MaxLines = 200_000
	maxLine  = 4_000 // bytes; a longer line is cut into sentences
	// minSentence is the number of bytes before a full stop that can end a sentence, and no abbreviation
	minSentence = 60
)

// Clean splits a text into lines and takes out what does not belong to the minutes: headers and footers
// of pages, the numbers of the lines, the left margin. Lines that begin with an entry of own are taken out,
// too. whole is false if the text exceeds a limit.
func Clean(text string, d *lexicon.Dialect, own []string, paged bool) (kept, dropped []Line, whole bool) {
	all, whole := Split(text, paged)
	cutNumbers(all)
	kept, dropped = dropFurniture(all, d, own)
	cutMargin(kept)
	return kept, dropped, whole
}

// Split splits a text into lines. A form feed begins a page. whole is false if the text exceeds a
// limit.
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
	first, no := true, 1
	for len(text) > 0 && len(lines) < MaxLines {
		var raw string
		i := strings.IndexAny(text, "\n\f")
		feed := false
		if i < 0 {
			raw, text = text, ""
		} else {
			raw = text[:i]
			feed = text[i] == '\f'
			text = text[i+1:]
		}
		if raw != "" || !feed {
			for long := len(raw) > maxLine || isExport(raw); ; {
				part := raw
				if long {
					part = raw[:endOfSentence(raw)]
				}
				raw = raw[len(part):]
				ln := newLine(part)
				ln.Page = page
				ln.NewPage = first
				ln.No = no
				lines = append(lines, ln)
				if head := " " + strings.TrimLeft(raw, " "); long && (numberedHead.MatchString(head) ||
					strings.HasPrefix(head, " AGENDA ITEM:")) {
					lines = append(lines, Line{Page: page, No: no}) // an item begins
				}
				if first = false; raw == "" || len(lines) == MaxLines {
					whole = whole && raw == ""
					break
				}
			}
			no++
		}
		if feed {
			page++
			first = true
		}
	}
	return lines, whole && text == ""
}

// endOfSentence returns where the first sentence ends, in a line that is too long to be one: a text without line
// breaks is read by sentences, all of which have the number of the line.
func endOfSentence(raw string) int {
	head := raw[:min(len(raw), maxLine)]
	for i := 1; i+2 < len(head); i++ {
		if i >= minSentence && head[i+1] == ' ' && strings.IndexByte(".!?", head[i]) >= 0 ||
			head[i] == ' ' && (numberedHead.MatchString(head[i:min(len(head), i+40)]) ||
				exportLabel.MatchString(head[i:min(len(head), i+40)])) {
			return i + 1
		}
	}
	if len(head) == len(raw) {
		return len(raw)
	}
	if i := strings.LastIndexByte(head, ' '); i > 0 {
		return i + 1
	}
	end := maxLine
	for end > maxLine-utf8.UTFMax && !utf8.RuneStart(raw[end]) {
		end--
	}
	return end
}

// exportLabel matches the label of a field in minutes that a program wrote into one line:
// "… AGENDA ITEM: Budget ACTION: …"
var exportLabel = regexp.MustCompile(`^ (?:AGENDA ITEM|ACTION|NOTES|MOTION|RESULT|VOTE): `)

// isExport reports whether a line has the fields of several items.
func isExport(raw string) bool {
	return strings.Count(raw, " AGENDA ITEM: ") > 1 || strings.Count(raw, " ACTION: ") > 1
}

// numberedHead matches the number of a resolution, which begins its item.
var numberedHead = regexp.MustCompile(`^ (?:(?:Délibération|DÉLIBÉRATION|Résolution|RÉSOLUTION) (?:[Nn][°oº]|` +
	`numéro|NUMÉRO)|(?:Resolution|RESOLUTION|Ordinance|ORDINANCE|Motion|MOTION) (?:No|NO|Number|NUMBER|#)\b) ?[.:]? ?\S`)

// newLine replaces tabs and other blanks by spaces, removes invisible characters and expands
// ligatures.
func newLine(raw string) Line {
	for i := range len(raw) {
		if raw[i] < ' ' || raw[i] >= 0x7f {
			raw = clean(raw)
			break
		}
	}
	text := strings.TrimLeft(raw, " ")
	return Line{Text: strings.TrimRight(text, " "), Indent: len(raw) - len(text)}
}

var ligatures = strings.NewReplacer("\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl")

func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= ' ' && r < 0x7f:
		case r == '\u2010' || r == '\u2011':
			return '-'
		case r == '\uf0b7': // bullet of a symbol font
			return '•'
		case r == '\t' || unicode.Is(unicode.Zs, r):
			return ' '
		case r < ' ' || r == 0x7f || unicode.Is(unicode.Cf, r): // also soft hyphens and zero-width marks
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if strings.Contains(s, "\xef\xac") { // first bytes of a ligature; most lines have none
		s = ligatures.Replace(s)
	}
	return s
}

// cutMargin removes the left margin: the columns that are blank in at least 19 of 20 lines.
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

// cutNumbers removes the numbers of the lines, as in pleadings: at least nine of ten lines begin with
// the number after that of the line above, or with 1.
func cutNumbers(lines []Line) {
	numbered := 0
	total := 0
	last := 0
	for _, ln := range lines {
		if ln.Text == "" {
			continue
		}
		total++
		if n := lineNumber(ln.Text); n == last+1 || n == 1 {
			numbered++
			last = n
		}
	}
	if total < 10 || numbered*10 < total*9 {
		return
	}
	for i, ln := range lines {
		if n := lineNumber(ln.Text); n > 0 {
			digits := strings.IndexFunc(ln.Text, func(r rune) bool { return r < '0' || r > '9' })
			if digits < 0 {
				digits = len(ln.Text)
			}
			rest := strings.TrimLeft(ln.Text[digits:], " ")
			lines[i].Indent += len(ln.Text) - len(rest)
			lines[i].Text = rest
		}
	}
}

// lineNumber returns the number that begins a line and stands apart from its text, or 0.
func lineNumber(text string) int {
	n := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			if i > 0 && i < 4 && strings.HasPrefix(text[i:], "  ") {
				return n
			}
			return 0
		}
		if n = n*10 + int(text[i]-'0'); n > 999 {
			return 0
		}
	}
	return n
}

// IsFlat reports whether a text lost its columns: hardly any line is indented or has gaps.
func IsFlat(all []Line) bool {
	text, indented := 0, 0
	for _, ln := range all {
		if ln.Text != "" {
			text++
			if ln.Indent > 1 || strings.Contains(ln.Text, "   ") {
				indented++
			}
		}
	}
	return indented*20 < text
}

// LanguageOf returns the language in which most of the first lines are written, and whether that is plain
// English.
func LanguageOf(all []Line) (best lexicon.Language, plain bool) {
	var g lexicon.Guess
	for _, ln := range all[:min(len(all), 400)] {
		g.Add(ln.Text)
	}
	return g.Language()
}
