package shape

import (
	"strings"
	"unicode/utf8"
)

// Kind is the style of a number before a heading.
type Kind int

const (
	NoMark Kind = iota
	Roman       // XIV.
	Letter      // C.
	Number      // 12.
	Dotted      // 5.3 or 5.C.
	Bullet      // •
	File        // a file number, in a document that numbers nothing else
)

func (k Kind) String() string {
	return [...]string{"line", "Roman numeral", "letter", "number", "number of two parts", "bullet", "file number"}[k]
}

// Marker is a number or bullet at the beginning of a line.
type Marker struct {
	Kind  Kind
	Value int    // its place in the sequence; 0 for bullets
	Major int    // of 5.3: 5
	Also  int    // the other reading of C, D, I, L, M, V and X: as a letter
	Label string // as printed, with its full stop; empty for a bullet
	Text  string // the rest of the line
	Style Style
	Col   int // columns from the marker to the text; 0 when it stands alone
}

// ReadMarker reads a marker at the beginning of a line.
func ReadMarker(text string) (Marker, bool) {
	if text == "" {
		return Marker{}, false
	}
	switch c := text[0]; {
	case bulletLength(text) > 0:
		return withRest(Marker{Kind: Bullet}, text, bulletLength(text)), true
	case c == '-' || c == '*' || c == 'o':
		if len(text) > 2 && text[1] == ' ' && (c != 'o' || text[2] == ' ') {
			return withRest(Marker{Kind: Bullet}, text, 1), true
		}
	case c >= '0' && c <= '9':
		return readNumber(text)
	case c >= 'A' && c <= 'Z':
		n := 0
		for n < len(text) && n < 9 && text[n] >= 'A' && text[n] <= 'Z' {
			n++
		}
		if n == len(text) || text[n] != '.' {
			return Marker{}, false
		}
		if n == 1 && n+1 < len(text) && text[n+1] >= '0' && text[n+1] <= '9' {
			return readLettered(text)
		}
		// "A.AMEND SECTION" is a heading, "U.S." and "J.P. Morgan" are not.
		if n+1 < len(text) && text[n+1] != ' ' && !glued(text[n+1:]) {
			return Marker{}, false
		}
		m := Marker{Label: text[:n+1]}
		letter := 0
		if n == 1 {
			letter = int(c-'A') + 1
		} else if n == 2 && text[0] == text[1] {
			letter = 26 + int(c-'A') + 1 // AA. after Z.
		}
		if v := romanValue(text[:n]); v > 0 {
			m.Kind, m.Value, m.Also = Roman, v, letter
		} else if letter > 0 {
			m.Kind, m.Value = Letter, letter
		}
		return withRest(m, text, n+1), m.Kind != NoMark
	}
	return Marker{}, false
}

// bulletLength is the length of the bullet with which a line begins, 0 when it
// does not begin with one. A middle dot or a square needs a blank behind it.
func bulletLength(text string) int {
	r, n := utf8.DecodeRuneInString(text)
	if n > 1 && (strings.ContainsRune("•●▪◦‣⁃○■□➢►", r) || strings.ContainsRune("·∙–—", r) && len(text) > n && text[n] == ' ') {
		return n
	}
	return 0
}

// glued reports whether a word can follow a marker without a blank:
// "XVII.Recommended", "A.AMEND", but not the "S." of "U.S.".
func glued(s string) bool {
	return len(s) >= 3 && IsUpper(s[0]) && IsLetter(s[1]) && IsLetter(s[2])
}

// readNumber reads "12.", "5.3", "5.3." and "7A.".
func readNumber(text string) (Marker, bool) {
	n := LeadingDigits(text, 4)
	if n == len(text) || n > 3 {
		return Marker{}, false
	}
	m := Marker{Kind: Number, Value: Atoi(text[:n])}
	switch c := text[n]; {
	case c == '.':
		n++
		// 5.3 or 5.C: an item numbered within its section.
		k := n + LeadingDigits(text[n:], 3)
		if v, length := letterValue(text[k:]); k == n && v > 0 {
			m.Kind, m.Value, m.Major = Dotted, v, m.Value
			k += length
		} else if k > n {
			m.Kind, m.Value, m.Major = Dotted, Atoi(text[n:k]), m.Value
		}
		n = k
		if m.Kind == Dotted && n < len(text) && text[n] == '.' {
			n++
		}
	case IsUpper(c) && n+1 < len(text) && text[n+1] == '.':
		n += 2
	default:
		return Marker{}, false
	}
	if n < len(text) && text[n] != ' ' && !(m.Kind == Number && glued(text[n:])) {
		return Marker{}, false
	}
	m.Label = text[:n]
	return withRest(m, text, n), true
}

// readLettered reads "A.1" and "A.12.".
func readLettered(text string) (Marker, bool) {
	n := 2 + LeadingDigits(text[2:], 3)
	m := Marker{Kind: Dotted, Value: Atoi(text[2:n]), Major: int(text[0]-'A') + 1}
	if n < len(text) && text[n] == '.' {
		n++
	}
	m.Label = text[:n]
	return withRest(m, text, n), n == len(text) || text[n] == ' '
}

// letterValue reads the letter of "5.C", "5.C." or "5.AA." behind its first
// full stop, and its length; 0 when there is none.
func letterValue(s string) (value, length int) {
	for length < len(s) && length < 3 && IsUpper(s[length]) {
		length++
	}
	if length == 0 || length > 2 || length == len(s) || s[length] != '.' && s[length] != ' ' {
		return 0, 0
	}
	value = int(s[0]-'A') + 1
	switch {
	case length == 2 && s[0] == s[1]:
		value += 26 // AA after Z
	case length == 2:
		value = 26*value + int(s[1]-'A') + 1
	}
	return value, length
}

func withRest(m Marker, text string, n int) Marker {
	rest := strings.TrimLeft(text[n:], " ")
	if rest != "" {
		m.Col = len(text) - len(rest)
		if m.Kind == Bullet && n > 1 {
			m.Col -= n - 1 // one column, several bytes
		}
	}
	m.Text = rest
	return m
}

// romanValue reads an upper-case Roman numeral in its regular form; 0 when it
// is none.
func romanValue(s string) int {
	total, rest := 0, s
	for _, d := range []struct {
		sign  string
		value int
	}{{"C", 100}, {"XC", 90}, {"L", 50}, {"XL", 40}, {"X", 10}, {"IX", 9}, {"V", 5}, {"IV", 4}, {"I", 1}} {
		for n := 0; strings.HasPrefix(rest, d.sign); n++ {
			if n == 3 || n == 1 && len(d.sign) == 2 || n == 1 && (d.sign == "V" || d.sign == "L") {
				return 0
			}
			total += d.value
			rest = rest[len(d.sign):]
		}
	}
	if rest != "" {
		return 0
	}
	return total
}
