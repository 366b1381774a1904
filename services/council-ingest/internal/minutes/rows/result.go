package rows

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// findResults finds the lines at which votes begin. Where a document prints its labels in mixed case, or has another word for them, a label
// decides: several tables begin with "Result:" or "RESULTS:", and none with "RESULT:".
func (doc *Doc) findResults() {
	tables, capitals := 0, false
	for i := range doc.Rows {
		r := &doc.Rows[i]
		r.Result = doc.beginsVote(i, false)
		if r.Result {
			tables++
		}
		capitals = capitals || strings.HasPrefix(r.Text, "RESULT") && !strings.HasPrefix(r.Text, "RESULTS")
	}
	for i := range doc.Rows {
		if !capitals && tables >= 2 {
			doc.Rows[i].Result = doc.beginsVote(i, true)
		}
	}
}

// beginsVote reports whether a vote begins at line i, where labels of mixed case may count.
func (doc *Doc) beginsVote(i int, mixed bool) bool {
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
	return doc.LabelFollows(i) || doc.LooksLikeResult(value) || mixed && value != "" && shape.IsUpper(value[0]) && !shape.IsSentence(value)
}

// LabelFollows reports whether one of the next lines that are not blank begins with a label of a vote.
func (doc *Doc) LabelFollows(i int) bool {
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

// MotionAt reports whether a motion begins at line i: the column of its sentence, and who moves, empty when that is not clear.
func (doc *Doc) MotionAt(i int) (start int, who string, ok bool) {
	text := doc.Rows[i].Text
	if !strings.Contains(text, "mo") && !strings.HasSuffix(text, " made") || doc.Rows[i].Stated != nil && doc.Rows[i].Stated.Sentence == text {
		return 0, "", false
	}
	if doc.Stating {
		if at := dialect.FindPassive(text); at >= 0 {
			return min(SentenceStart(text, at), at), "", true
		}
	}
	at, mark := dialect.FindMotion(text)
	if at < 0 && i+1 < len(doc.Rows) && doc.Rows[i+1].Text != "" && shape.HasAnySuffix(text, " made", " made the", " made a", " moved") {
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
func (doc *Doc) mover(subject string) (string, bool) {
	name := doc.Dialect.StripTitle(strings.TrimSpace(subject))
	if name == "" || len(name) > 60 {
		return "", false
	}
	for _, printed := range []string{name, shape.LastWord(strings.TrimRight(name, " "))} {
		if r := doc.People.Resolve(printed); r.Match.Found() {
			return r.Name, true
		}
	}
	return "", false
}

// SentenceStart finds where the sentence with the mark at position at begins: behind a label, or behind the full stop before it.
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

// learnNames looks at all tables once, before any list is read, and learns the full names on their MOVER and SECONDER rows and in lists
// printed in full.
func (doc *Doc) learnNames() {
	d := doc.Dialect
	for i := range doc.Rows {
		if !doc.Rows[i].Result {
			continue
		}
		if t := doc.Rows[i].Stated; t != nil {
			doc.learnStated(t)
			continue
		}
		person := dialect.Unknown
		for j := i; j < len(doc.Rows) && j < i+24; j++ {
			text := doc.Rows[j].Text
			kind, value, ok := doc.Label(j)
			if !ok {
				kind, value = person, text
			}
			if ok && kind == dialect.Result && j > i {
				break
			}
			person = dialect.Unknown
			switch {
			case kind == dialect.Mover || kind == dialect.Seconder:
				if value == "" {
					person = kind
					continue
				}
				doc.learnPerson(value)
			case kind.IsList():
				_, names := shape.CutCount(value)
				doc.learnList(names, j)
			case strings.Contains(text, ", ") && d.IsPersonShaped(text):
				// The value of a row whose label stands elsewhere.
				if name, office, _ := strings.Cut(text, ", "); d.IsTitle(office) && len(strings.Fields(name)) >= 2 {
					doc.learnPerson(text)
				}
			}
		}
	}
}

// Learn takes from the attendance list the words of offices that only this town has, and learns the names that stand in votes, behind those
// of the members that are known.
func (doc *Doc) Learn(present []record.Attendee, members []string) {
	var words []string
	for _, a := range present {
		if a.Title == nil || doc.IsTitle(*a.Title) {
			continue
		}
		for w := range strings.FieldsSeq(*a.Title) {
			w = shape.Lower(strings.Trim(w, ".,:;()&"))
			isName := func(a record.Attendee) bool { return slices.Contains(strings.Fields(council.FoldName(a.Name)), w) }
			if len(w) >= 4 && !doc.IsTitleWord(w) && !doc.IsSmall(w) && !slices.ContainsFunc(present, isName) {
				words = append(words, w)
			}
		}
	}
	if len(words) > 0 {
		doc.Dialect = doc.WithOffices(words)
	}
	doc.People.Use(doc.Dialect)
	for _, name := range members {
		doc.People.Learn(name)
	}
	doc.learnNames()
}

func (doc *Doc) learnPerson(value string) {
	d := doc.Dialect
	names := d.SplitNames(value)
	if len(names) == 0 || !d.IsPersonShaped(names[0].Text) {
		return
	}
	if n := len(strings.Fields(names[0].Text)); n >= 2 && n <= 5 {
		doc.People.Learn(names[0].Text)
	}
}

func (doc *Doc) learnList(value string, j int) {
	d := doc.Dialect
	names := d.SplitNames(value)
	for i, n := range names {
		if i == len(names)-1 && !doc.rowEnds(j) {
			continue // it may go on in the next line
		}
		if k := len(strings.Fields(n.Text)); k >= 2 && k <= 5 && d.IsPersonShaped(n.Text) {
			doc.People.Learn(n.Text)
		}
	}
}

// rowEnds reports whether nothing can carry on the row at line j.
func (doc *Doc) rowEnds(j int) bool {
	if j+1 >= len(doc.Rows) || doc.Rows[j+1].Text == "" {
		return true
	}
	if doc.Rows[j+1].labelled {
		return true
	}
	_, ok := doc.MarkerAt(j + 1)
	return ok
}
