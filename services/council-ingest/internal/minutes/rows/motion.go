package rows

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// MotionAt reports whether a motion begins at line i: the column of its sentence,
// and who moves, empty when that is not clear.
func (doc *Doc) MotionAt(i int) (start int, who string, ok bool) {
	text := doc.Rows[i].Text
	if !strings.Contains(text, "mo") && !strings.HasSuffix(text, " made") {
		return 0, "", false
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

// SentenceStart finds where the sentence with the mark at position at begins:
// behind a label, or behind the full stop before it.
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
