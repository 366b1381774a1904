// Package lines is the first pass: it splits the text of minutes into lines and takes out headers and
// footers of pages, watermarks, the numbers of lines, and the left margin.
package lines

import (
	"strings"
	"unicode/utf8"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
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

// Text is a text whose lines were split.
type Text struct {
	Lines   []Line
	Dropped []Line   // headers and footers of pages
	Damages []Damage // pages that cannot be read with certainty
	Whole   bool     // false if the text exceeds a limit
}

// Clean splits a text into lines and takes out what does not belong to the minutes: headers and footers
// of pages, the numbers of the lines, the left margin. Lines that begin with an entry of own are taken out,
// too. Columns of text follow each other.
func Clean(text string, d *lexicon.Dialect, own []string, paged bool) Text {
	all, whole := Split(text, paged)
	cutQuotes(all)
	cutNumbers(all)
	all = single(all)
	all = cutTimes(all)
	alignPipes(all)
	kept, dropped := dropFurniture(all, d, own)
	cutMargin(kept)
	kept, damages := readColumns(readHeaded(kept))
	return Text{Lines: kept, Dropped: dropped, Damages: append(damages, misread(kept)...), Whole: whole}
}

// Split splits a text into lines. A form feed begins a page. whole is false if the text exceeds a
// limit.
func Split(text string, paged bool) (lines []Line, whole bool) {
	whole = len(text) <= maxText
	if !whole {
		text = text[:maxText]
	}
	text = narrowLines(narrowGaps(alignTabs(text)))
	text = markedPages(text)
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
		raw = clean(raw)
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
				if head := " " + strings.TrimLeft(raw, " "); long && (numberedHead.MatchString(head) || exportItem.Begins(head)) {
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

// pageMark matches the line that a converter writes between pages: "--- PAGE 7 ---", "<!-- Page 7 -->".
var pageMark = words.Regexp(`(?:^|\n)[ \t]*(?:-{2,}|={2,}|<!--|\[)[ \t]*(?i:{page})[ \t]+(\d{1,4})` +
	`(?: {of} \d{1,4})?[ \t]*(?:-{2,}|={2,}|-->|\])[ \t]*(?:\n|$)`)

// shortHead bounds the text above the mark of page 1, if the mark stands at the head of its page and not at its foot.
const shortHead = 1_000

// markedPages puts form feeds in place of the marks of pages, so that each line keeps its number.
func markedPages(text string) string {
	marks := pageMark.FindAllStringSubmatchIndex(text, -1)
	if len(marks) < 2 || strings.IndexByte(text, '\f') >= 0 {
		return text
	}
	var b strings.Builder
	last := 0
	for i, m := range marks {
		b.WriteString(text[last:m[0]])
		if m[0] > 0 {
			b.WriteByte('\n')
		}
		if i > 0 || text[m[2]:m[3]] != "1" || m[0] > shortHead {
			b.WriteByte('\f')
		}
		b.WriteByte('\n')
		last = m[1]
	}
	b.WriteString(text[last:])
	return b.String()
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
var (
	exportLabel  = words.Regexp(`^ {EXPORT LABEL}: `)
	exportItem   = words.Plain("EXPORT ITEM")
	exportAction = words.Plain("EXPORT ACTION")
)

// isExport reports whether a line has the fields of several items.
func isExport(raw string) bool {
	return exportItem.Count(raw) > 1 || exportAction.Count(raw) > 1
}

// numberedHead matches the number of a resolution, which begins its item.
var numberedHead = words.Regexp(`^ (?i:{numbered head} (?:{numero}|{number word}|#))(?:[ .:]|\d)`)

// newLine returns a line without the blanks around its text.
func newLine(raw string) Line {
	text := strings.TrimLeft(raw, " ")
	return Line{Text: strings.TrimRight(text, " "), Indent: len(raw) - len(text)}
}

// single takes out every second blank line of a text that has one below each of its lines, also below
// the blank ones. In a text with a single blank line everywhere, each line can be a paragraph.
func single(lines []Line) []Line {
	text, adjacent := 0, 0
	two, more := 0, 0
	blanks := -1
	for _, ln := range lines {
		switch {
		case ln.Text == "":
			if blanks >= 0 {
				blanks++
			}
			continue
		case blanks == 0 && !ln.NewPage:
			adjacent++
		case blanks == 2:
			two++
		case blanks > 2:
			more++
		}
		text++
		blanks = 0
	}
	if text < 8 || adjacent*12 > text || two*4 > more || more*20 < text {
		return lines
	}
	out := make([]Line, 0, len(lines)/2+1)
	for _, ln := range lines {
		if ln.Text != "" || blanks%2 != 0 || ln.NewPage {
			out = append(out, ln)
		}
		if blanks++; ln.Text != "" {
			blanks = 0
		}
	}
	return out
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

// cutQuotes removes the marks of a quotation in Markdown, if at least nine of ten lines have one.
func cutQuotes(lines []Line) {
	quoted, total := 0, 0
	for _, ln := range lines {
		if ln.Text != "" {
			total++
		}
		if strings.HasPrefix(ln.Text, ">") {
			quoted++
		}
	}
	if quoted == 0 || quoted*10 < total*9 {
		return
	}
	for i, ln := range lines {
		if text, found := strings.CutPrefix(ln.Text, ">"); found {
			lines[i].Text = strings.TrimLeft(strings.TrimPrefix(text, " "), " ")
			lines[i].Indent += len(ln.Text) - len(lines[i].Text)
		}
	}
}

// cutNumbers removes the numbers of the lines, as in pleadings: at least nine of ten lines begin with
// the number after that of the line above, or with 1. Numbers that stand next to the text, as those
// of items can, begin again on each page.
func cutNumbers(lines []Line) {
	tight := false
	numbered, total := 0, 0
	last, pages := 0, 0
	for _, ln := range lines {
		if ln.Text == "" {
			continue
		}
		total++
		if n, length := lineNumber(ln.Text); n == last+1 || n == 1 {
			if n == 1 && last >= minNumbered {
				pages++
			}
			numbered++
			last = n
			tight = tight || length < len(ln.Text) && !strings.HasPrefix(ln.Text[length:], "  ")
		}
	}
	if total < 10 || numbered*10 < total*9 || tight && pages == 0 {
		return
	}
	for i, ln := range lines {
		if n, length := lineNumber(ln.Text); n > 0 {
			rest := strings.TrimLeft(ln.Text[length:], " ")
			lines[i].Indent += len(ln.Text) - len(rest)
			lines[i].Text = rest
		}
	}
}

// minNumbered is the number of lines that a page with numbered lines has at least.
const minNumbered = 15

// lineNumber returns the number that begins a line and stands apart from its text, or 0, and its length.
func lineNumber(text string) (n, length int) {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			if i > 0 && i < 4 && text[i] == ' ' {
				return n, i
			}
			return 0, 0
		}
		if n = n*10 + int(text[i]-'0'); n > 999 {
			return 0, 0
		}
	}
	return n, len(text)
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
