package lines

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
)

var ligatures = strings.NewReplacer("\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl")

// clean makes different characters of one meaning equal: it replaces tabs by gaps and other blanks by
// spaces, removes invisible characters and the marks of Markdown before characters and line ends,
// expands ligatures, and puts accents and their letters together.
func clean(raw string) string {
	for i := range len(raw) {
		if raw[i] < ' ' || raw[i] >= 0x7f {
			raw = cleanRunes(raw)
			break
		}
	}
	if strings.Contains(raw, `\`) {
		raw = strings.TrimSuffix(escaped.ReplaceAllString(raw, "$1"), `\`)
	}
	if strings.Contains(raw, "  ") && !strings.Contains(strings.TrimSpace(raw), "   ") && lexicon.IsSentence(raw) {
		raw = justified.ReplaceAllString(raw, "$1 $2")
	}
	return raw
}

// escaped matches a character with a mark of Markdown, which says that it has no meaning of its own.
var escaped = regexp.MustCompile(`\\([!-/:-@\[-` + "`" + `{-~])`)

// justified matches a gap that only makes the margins of a paragraph straight.
var justified = regexp.MustCompile(`([a-z,;])  ([a-z])`)

func cleanRunes(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !norm.NFC.IsNormalString(s) {
		s = norm.NFC.String(s)
	}
	s = strings.ReplaceAll(s, "\t", "    ")
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= ' ' && r < 0x7f:
		case r == '\u2010' || r == '\u2011' || r == '\u2212':
			return '-'
		case r == '\uf0b7': // bullet of a symbol font
			return '•'
		case unicode.Is(unicode.Zs, r):
			return ' '
		case r < ' ' || r == 0x7f || unicode.Is(unicode.Cf, r): // also soft hyphens and zero-width marks
			return -1
		}
		return r
	}, s)
	if strings.Contains(s, "\xef\xac") { // first bytes of a ligature; most lines have none
		s = ligatures.Replace(s)
	}
	return s
}
