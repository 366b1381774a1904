package signal

import (
	"regexp"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// FiledAt reads the beginning of an item at line i, in a document whose items begin with file
// numbers. It returns the item number (if there is one), the file number, and the first line of the
// title.
func (doc *Document) FiledAt(i int) (number, file, title string, ok bool) {
	text := doc.Rows[i].Text
	m, ok := doc.Rows[i].mark, doc.Rows[i].marked
	if !ok && text != "" {
		var style lexicon.Style
		m, style = lexicon.ReadStyled(text)
		ok = style != lexicon.NoStyle
	}
	if ok && m.Kind != lexicon.Bullet && m.Text != "" {
		number, text = m.Label, m.Text
	}
	file, title = lexicon.CutFiled(text)
	if file == "" && number != "" {
		if file, title = lexicon.CutFileNumber(text, ""); title != "" && title[0] >= 'a' && title[0] <= 'z' {
			file = ""
		}
	}
	if opensMoved.MatchString(title) {
		return "", "", "", false
	}
	return number, file, title, file != ""
}

// opensMoved matches a motion, whose number looks like that of a file: "144-24  MOVED by Councillor Doe that …"
var opensMoved = words.Regexp(`^(?i:{moved})(?i: {by})?:? \p{Lu}`)

// isFiled reports whether items begin with file numbers, which is if at least half of the roll calls
// follow such a number. A document with tables has none.
func (doc *Document) isFiled() bool {
	votes := 0
	below := 0
	last := -maxSentence
	filed := false
	for i := range doc.Rows {
		switch {
		case doc.Rows[i].Text == "":
		case doc.Rows[i].Result:
			return false
		case doc.opensRoll(i):
			if i-last >= maxSentence { // else it is the roll below its sentence
				votes++
				if filed {
					below++
				}
			}
			filed, last = false, i
		default:
			_, _, _, is := doc.FiledAt(i)
			filed = filed || is
		}
	}
	return below > 0 && below*2 >= votes
}

// maxSentence is the largest number of lines between the sentence that announces a roll, and the roll.
const maxSentence = 6

// rollMark matches a label, a count in parentheses, a colon and the rest of the line.
var rollMark = regexp.MustCompile(`^([A-Za-z/]+(?: [A-Za-z/]+)*) *(?:\((\d{1,2})\) *)?(:?) *(\d{0,3})(.?)`)

// isRollRow reports whether line i is a row of a roll call: "Aye:   8 - Doe, Roe", "Absent: Doe".
func (doc *Document) isRollRow(i int) bool {
	m := rollMark.FindStringSubmatch(doc.Rows[i].Text)
	if m == nil {
		return false
	}
	row, _ := doc.RowOf(m[1])
	return row.IsList() && (m[2] != "" || m[3] != "")
}

// opensRoll reports whether line i announces a roll call, or begins one with the count of its ayes.
func (doc *Document) opensRoll(i int) bool {
	text, below := doc.Rows[i].Text, ""
	if i+1 < len(doc.Rows) {
		below = doc.Rows[i+1].Text
	}
	if strings.Contains("AaYyFfIiVv", text[:1]) {
		m := rollMark.FindStringSubmatch(text)
		if m == nil {
			return false
		}
		row, _ := doc.RowOf(m[1])
		return row == lexicon.Aye && (m[2] != "" || m[4] != "") && m[2] != "0" && m[4] != "0"
	}
	return doc.StatesRoll(text, below) >= 0
}

// beginsWithDate reports whether a line belongs to the history of a file, such as "1/29/26 Metro
// Council Passed".
func beginsWithDate(text string) bool {
	n := lexicon.LeadingDigits(text, 2)
	if n == 0 || n >= len(text) || text[n] != '/' {
		return false
	}
	m := lexicon.LeadingDigits(text[n+1:], 2)
	return m > 0 && strings.HasPrefix(text[n+1+m:], "/")
}

// FiledTitle reads the title of the item at line i, whose first line is first. It returns the line
// after the title. At the top of a page, where the blank line is lost, the title ends before a
// heading.
func (doc *Document) FiledTitle(i int, first string, heading func(int) bool) (title string, end int) {
	parts := []string{first}
	end = i + 1
	if next := doc.Next(end); first == "" && next >= 0 && next <= i+maxGap {
		parts[0], end = doc.Rows[next].Text, next+1
	}
	for ; end < len(doc.Rows) && end < i+80; end++ {
		text := doc.Rows[end].Text
		if f, _ := lexicon.FoldText(text); FirmAlone.MatchString(f) {
			break
		}
		if text == "" || doc.Rows[end].Result || doc.IsFate(text) || beginsWithDate(text) || doc.IsLone(end) {
			break
		}
		if doc.Moves(end) {
			break
		}
		last := parts[len(parts)-1]
		if doc.Rows[end].NewPage && (lexicon.EndsSentence(last) || !lexicon.IsCapitals(last) || !lexicon.IsCapitals(text)) &&
			heading(end) {
			break
		}
		if doc.isRollRow(end) {
			break
		}
		if _, _, _, item := doc.FiledAt(end); item {
			break
		}
		parts = append(parts, text)
	}
	return lexicon.Join(parts), end
}

// maxGap is the largest number of blank lines between a file number and its title.
const maxGap = 3
