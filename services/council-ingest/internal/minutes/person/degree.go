package person

import (
	"strings"
	"unicode"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// degree matches the degrees behind a name: "Doe, MD", "Doe, M.D., Ph.D.", "Doe CPA".
var degree = words.Regexp(`(\p{Lu}[\p{L}'’-]*(?: [JS]r)?\.?\)?)((?:,? ?\b(?i:{degree})\b\.?)+)`)

// sureDegree has the degrees of two letters that stand behind names without a comma.
var sureDegree = words.Plain("SURE DEGREE")

// WithoutDegrees removes the degrees behind the names of a text. A degree is neither a part of a name nor a person.
func WithoutDegrees(text string) string {
	if !mayHaveDegree(text) {
		return text
	}
	found := degree.FindAllStringSubmatchIndex(text, -1)
	if found == nil {
		return text
	}
	var b strings.Builder
	from := 0
	for _, m := range found {
		if isDegrees(text[m[4]:m[5]], text[m[5]:]) {
			b.WriteString(text[from:m[3]])
			from = m[5]
		}
	}
	b.WriteString(text[from:])
	return b.String()
}

// mayHaveDegree reports whether a text has what stands before a degree or in one: a capital behind a comma, or a
// capital or a full stop within a word. Most lines of minutes have neither, and the search for degrees is slow.
func mayHaveDegree(text string) bool {
	upper := func(i int) bool { return i < len(text) && text[i] >= 'A' && text[i] <= 'Z' }
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == ',' && (upper(i+1) || upper(i+2)), c != ' ' && upper(i+1), c == '.' && i+1 < len(text) && text[i+1] != ' ':
			return true
		}
	}
	return false
}

// isDegrees reports whether words behind a name are degrees: no name such as "Do", no state before its zip code, and
// without a comma no initials.
func isDegrees(text, rest string) bool {
	rest = strings.TrimLeft(rest, " ")
	if rest != "" && unicode.IsDigit(rune(rest[0])) {
		return false
	}
	for part := range strings.SplitSeq(text, ",") {
		letters := strings.NewReplacer(".", "", " ", "", "-", "").Replace(part)
		short := len(letters) == 2 && !strings.Contains(part, ".")
		if short && (letters != strings.ToUpper(letters) || !strings.HasPrefix(text, ",") && !sureDegree.Is(letters)) ||
			letters != "" && !unicode.IsUpper(rune(letters[0])) {
			return false
		}
	}
	return true
}
