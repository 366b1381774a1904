package minutes

import (
	"strings"

	"github.com/townline/townline/pkg/council"
)

// markKind is the style of a number before a heading.
type markKind int

const (
	markNone   markKind = iota
	markRoman           // XIV.
	markLetter          // C.
	markNumber          // 12.
	markDotted          // 5.3 or 5.C.
	markBullet          // •
	markFile            // a file number, in a document that numbers nothing else
)

// marker is a number or bullet at the beginning of a line.
type marker struct {
	kind  markKind
	value int    // its place in the sequence; 0 for bullets
	major int    // of 5.3: 5
	also  int    // the other reading of C, D, I, L, M, V and X: as a letter
	label string // as printed, with its full stop; empty for a bullet
	text  string // the rest of the line
	style markStyle
	col   int // columns from the marker to the text; 0 when it stands alone
}

// readMarker reads a marker at the beginning of a line.
func readMarker(text string) (marker, bool) {
	if text == "" {
		return marker{}, false
	}
	switch c := text[0]; {
	case bulletLength(text) > 0:
		return withRest(marker{kind: markBullet}, text, bulletLength(text)), true
	case c == '-' || c == '*' || c == 'o':
		if len(text) > 2 && text[1] == ' ' && (c != 'o' || text[2] == ' ') {
			return withRest(marker{kind: markBullet}, text, 1), true
		}
	case c >= '0' && c <= '9':
		return readNumber(text)
	case c >= 'A' && c <= 'Z':
		n := 0
		for n < len(text) && n < 9 && text[n] >= 'A' && text[n] <= 'Z' {
			n++
		}
		if n == len(text) || text[n] != '.' {
			return marker{}, false
		}
		if n == 1 && n+1 < len(text) && text[n+1] >= '0' && text[n+1] <= '9' {
			return readLettered(text)
		}
		// "A.AMEND SECTION" is a heading, "U.S." and "J.P. Morgan" are not.
		if n+1 < len(text) && text[n+1] != ' ' && !glued(text[n+1:]) {
			return marker{}, false
		}
		m := marker{label: text[:n+1]}
		letter := 0
		if n == 1 {
			letter = int(c-'A') + 1
		} else if n == 2 && text[0] == text[1] {
			letter = 26 + int(c-'A') + 1 // AA. after Z.
		}
		if v := romanValue(text[:n]); v > 0 {
			m.kind, m.value, m.also = markRoman, v, letter
		} else if letter > 0 {
			m.kind, m.value = markLetter, letter
		} else {
			return marker{}, false
		}
		return withRest(m, text, n+1), true
	}
	return marker{}, false
}

// bulletLength is the length of the bullet with which a line begins, 0 when it
// does not begin with one. A middle dot or a square needs a blank behind it.
func bulletLength(text string) int {
	if text[0] < 0x80 {
		return 0
	}
	for _, b := range [...]string{"•", "●", "▪", "◦", "‣", "⁃", "○", "■", "□", "➢", "►"} {
		if strings.HasPrefix(text, b) {
			return len(b)
		}
	}
	for _, b := range [...]string{"·", "∙", "–", "—"} {
		if strings.HasPrefix(text, b) && len(text) > len(b) && text[len(b)] == ' ' {
			return len(b)
		}
	}
	return 0
}

// glued reports whether a word can follow a marker without a blank:
// "XVII.Recommended", "A.AMEND", but not the "S." of "U.S.".
func glued(s string) bool {
	return len(s) >= 3 && upper(s[0]) && letter(s[1]) && letter(s[2])
}

func letter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

// readNumber reads "12.", "5.3", "5.3." and "7A.".
func readNumber(text string) (marker, bool) {
	n := leadingDigits(text, 4)
	if n == len(text) || n > 3 {
		return marker{}, false
	}
	m := marker{kind: markNumber, value: atoi(text[:n])}
	switch c := text[n]; {
	case c == '.':
		n++
		// 5.3 or 5.C: an item numbered within its section.
		k := n + leadingDigits(text[n:], 3)
		if v, length := letterValue(text[k:]); k == n && v > 0 {
			m.kind, m.value, m.major = markDotted, v, m.value
			k += length
		} else if k > n {
			m.kind, m.value, m.major = markDotted, atoi(text[n:k]), m.value
		}
		n = k
		if m.kind == markDotted && n < len(text) && text[n] == '.' {
			n++
		}
	case upper(c) && n+1 < len(text) && text[n+1] == '.':
		n += 2
	default:
		return marker{}, false
	}
	if n < len(text) && text[n] != ' ' && !(m.kind == markNumber && glued(text[n:])) {
		return marker{}, false
	}
	m.label = text[:n]
	return withRest(m, text, n), true
}

// readLettered reads "A.1" and "A.12.".
func readLettered(text string) (marker, bool) {
	n := 2 + leadingDigits(text[2:], 3)
	m := marker{kind: markDotted, value: atoi(text[2:n]), major: int(text[0]-'A') + 1}
	if n < len(text) && text[n] == '.' {
		n++
	}
	if n < len(text) && text[n] != ' ' {
		return marker{}, false
	}
	m.label = text[:n]
	return withRest(m, text, n), true
}

// letterValue reads the letter of "5.C", "5.C." or "5.AA." behind its first
// full stop, and its length; 0 when there is none.
func letterValue(s string) (value, length int) {
	for length < len(s) && length < 3 && upper(s[length]) {
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

func atoi(s string) int {
	v := 0
	for i := 0; i < len(s); i++ {
		v = v*10 + int(s[i]-'0')
	}
	return v
}

func withRest(m marker, text string, n int) marker {
	rest := strings.TrimLeft(text[n:], " ")
	if rest != "" {
		m.col = len(text) - len(rest)
		if m.kind == markBullet && n > 1 {
			m.col -= n - 1 // one column, several bytes
		}
	}
	m.text = rest
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

// markerAt reads the marker at line i, if there is one. The initial of a member
// is none: "A. Doe, Roe and Poe".
func (s *scan) markerAt(i int) (marker, bool) {
	text := s.lines[i].text
	m, ok := readMarker(text)
	if !ok && s.style != noStyle {
		var style markStyle
		if m, style = readStyled(text); style == s.style {
			m.style = style
			return m, true
		}
		return marker{}, false
	}
	if ok && len(m.label) == 2 && upper(m.label[0]) && m.col == 3 && m.text != "" && s.isInitial(text) {
		return marker{}, false
	}
	return m, ok
}

// isInitial reports whether a line begins with a member's name and goes on as a
// list of names or a sentence does.
func (s *scan) isInitial(text string) bool {
	for n, at := 0, 2; n < 4 && at < len(text); n++ {
		end := len(text)
		if i := strings.IndexByte(text[at+1:], ' '); i >= 0 {
			end = at + 1 + i
		}
		rest := strings.TrimLeft(text[end:], " ")
		comma := text[end-1] == ',' || text[end-1] == ';'
		if comma || rest == "" || rest[0] >= 'a' && rest[0] <= 'z' {
			if s.people.resolve(strings.TrimRight(text[:end], ",;")).match <= council.MatchGiven {
				return true
			}
		}
		if comma {
			return false
		}
		at = end
	}
	return false
}
