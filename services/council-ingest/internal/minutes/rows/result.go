package rows

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
)

// findResults finds the lines at which votes begin.
func (doc *Document) findResults() {
	for i := range doc.Rows {
		doc.Rows[i].Result = doc.beginsVote(i)
	}
}

// beginsVote reports whether a vote begins at line i.
func (doc *Document) beginsVote(i int) bool {
	text := doc.Rows[i].Text
	row, value, ok := doc.Dialect.Label(text, false)
	switch {
	case !ok && (strings.HasPrefix(text, "RESULT  ") || text == "RESULT"): // without its colon
		return doc.LabelFollows(i)
	case !ok || row != dialect.Result:
		return false
	case strings.HasPrefix(text, "RESULT") && text[len("RESULT")] != 'S', strings.HasPrefix(text, "VOTE RESULT"):
		return true
	}
	// "Result:" can be a word of a sentence; a table goes on with a label, or says what a table says.
	return doc.LabelFollows(i) || doc.LooksLikeResult(value)
}

// LabelFollows reports whether one of the next lines that are not blank begins with a label of a
// vote.
func (doc *Document) LabelFollows(i int) bool {
	for j, left := i+1, 3; j < len(doc.Rows) && left > 0; j++ {
		if doc.Rows[j].Text == "" {
			continue
		}
		if kind, _, ok := doc.Label(j); ok && kind > dialect.Next {
			return true
		}
		left--
	}
	return false
}

// MotionAt reports whether a motion begins at line i: the column of its sentence, and who moves,
// empty when that is not clear.
func (doc *Document) MotionAt(i int) (start int, who string, ok bool) {
	text := doc.Rows[i].Text
	if !strings.Contains(text, "mo") && !strings.HasSuffix(text, " made") || doc.Rows[i].Stated != nil &&
		doc.Rows[i].Stated.Sentence == text {
		return 0, "", false
	}
	if doc.Stating {
		if at := dialect.FindPassive(text); at >= 0 {
			return min(SentenceStart(text, at), at), "", true
		}
	}
	at, mark := dialect.FindMotion(text)
	if at < 0 && i+1 < len(doc.Rows) && doc.Rows[i+1].Text != "" && lex.HasAnySuffix(text, " made", " made the",
		" made a", " moved") {
		at, mark = dialect.FindMotion(text + " " + doc.Rows[i+1].Text) // the line ends within the words
	}
	if at < 0 || at >= len(text) {
		return 0, "", false
	}
	start = SentenceStart(text, at)
	who, sure := doc.mover(text[start:at])
	return start, who, sure || strings.Contains(mark, " made ") // "the item moved to the consent list"
}

// mover finds who moves in the words before the mark.
func (doc *Document) mover(subject string) (string, bool) {
	name := doc.Dialect.StripTitle(strings.TrimSpace(subject))
	if name == "" || len(name) > 60 {
		return "", false
	}
	for _, printed := range []string{name, lex.LastWord(strings.TrimRight(name, " "))} {
		if r := doc.People.Resolve(printed); r.Match.Found() {
			return r.Name, true
		}
	}
	return "", false
}

// SentenceStart finds where the sentence with the mark at position at begins: behind a label, or
// behind the full stop before it.
func SentenceStart(text string, at int) int {
	start := 0
	if i := strings.Index(text[:at], ": "); i >= 0 {
		start = i + 2
	}
	for i := start; i+2 < at; i++ {
		if text[i] != '.' && text[i] != '?' && text[i] != '!' {
			continue
		}
		rest := strings.TrimPrefix(strings.TrimPrefix(text[i+1:at], "”"), "\"")
		if strings.HasPrefix(rest, " ") && !IsAbbreviation(text[start:i]) {
			start = at - len(rest) + 1
			i = start - 1
		}
	}
	for start < at && text[start] == ' ' {
		start++
	}
	return start
}

// IsAbbreviation reports whether the full stop after s ends no sentence.
func IsAbbreviation(s string) bool {
	if i := strings.LastIndexAny(s, " ."); i >= 0 {
		s = s[i+1:]
	}
	switch s {
	case "Mr", "Mrs", "Ms", "Dr", "Rev", "Hon", "Jr", "Sr", "No", "St", "Inc", "Ave", "Ch", "Sec":
		return true
	}
	return len(s) == 1
}

// learnNames looks at all tables once, before any list is read, and learns the full names on their
// MOVER and SECONDER rows and in lists printed in full.
func (doc *Document) learnNames() {
	for i := range doc.Rows {
		if !doc.Rows[i].Result || doc.Rows[i].Stated != nil {
			continue
		}
		person := dialect.Unknown
		for j := i; j < min(len(doc.Rows), i+24); j++ {
			text := doc.Rows[j].Text
			row, value, ok := doc.Label(j)
			if ok && row == dialect.Result && j > i {
				break
			}
			if !ok {
				row, value = person, text
			}
			person = dialect.Unknown
			name, office, _ := strings.Cut(text, ", ")
			switch {
			case (row == dialect.Mover || row == dialect.Seconder) && value == "":
				person = row
			case row == dialect.Mover || row == dialect.Seconder:
				doc.learn(value, 1, true)
			case row.IsList():
				_, names := lex.CutCount(value)
				doc.learn(names, maxRow, doc.rowEnds(j))
			case doc.IsTitle(office) && strings.Contains(name, " "):
				doc.learn(text, 1, true) // the value of a row whose label stands elsewhere
			}
		}
	}
}

// maxRow is how many names of a row are learnt.
const maxRow = 100

// learn learns the first full names of a list; the last one only if the list is whole.
func (doc *Document) learn(list string, most int, whole bool) {
	names := doc.SplitNames(list)
	for i, n := range names[:min(len(names), most)] {
		if doc.isFullName(n.Text) && (whole || i < len(names)-1) {
			doc.People.Learn(n.Text)
		}
	}
}

// isFullName reports whether a name on a list can be the full one of a member.
func (doc *Document) isFullName(name string) bool {
	words := len(strings.Fields(name))
	return words >= 2 && words <= 5 && doc.IsPersonShaped(name)
}

// Learn learns the members that are known, and behind them the names that stand in votes.
func (doc *Document) Learn(members []string) {
	doc.People.Forget()
	for _, name := range members {
		doc.People.Learn(name)
	}
	doc.learnNames()
}

// rowEnds reports whether nothing can carry on the row at line j.
func (doc *Document) rowEnds(j int) bool {
	if j+1 >= len(doc.Rows) || doc.Rows[j+1].Text == "" || doc.Rows[j+1].labelled {
		return true
	}
	_, ok := doc.MarkerAt(j + 1)
	return ok
}
