package lexicon

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// MarkerStyle is the numbering style of headings or items.
type MarkerStyle int

const (
	NoMark MarkerStyle = iota
	Roman              // as in "XIV."
	Letter             // as in "C."
	Number             // as in "12."
	Dotted             // as in "5.3" or "5.C."
	Bullet             // as in "•"
	File               // as in "2026-0592", if items begin with file numbers
)

func (k MarkerStyle) String() string {
	return [...]string{"line", "Roman numeral", "letter", "number", "number of two parts", "bullet", "file number"}[k]
}

// Marker is the number or bullet that begins a line.
type Marker struct {
	Kind  MarkerStyle
	Value int    // position in the sequence; 0 for bullets
	Major int    // for Dotted: the 5 of "5.3"
	Also  int    // for C, D, I, L, M, V and X: Value as a letter
	Label string // as printed, with its full stop; "" for a bullet
	Text  string
	Style Style
	Col   int // columns from the marker to the text; 0 if there is no text
}

// A word may follow without a blank, as in "XVII.Recommended" and "A.AMEND". But "U.S." and "J.P.
// Morgan" have no marker.
var (
	numberMark = regexp.MustCompile(`^(\d{1,3})[A-Z]?\.(?: |$|[A-Z][A-Za-z]{2})`)             // 12. and 7A.
	letterMark = regexp.MustCompile(`^([A-Z]{1,9})\.(?: |$|[A-Z][A-Za-z]{2})`)                // C. and XIV.
	dottedMark = regexp.MustCompile(`^(\d{1,3}|[A-Z])\.(\d{1,3})\.?(?: |$)`)                  // 5.3 and A.12.
	mixedMark  = regexp.MustCompile(`^(\d{1,3})\.([A-Z]{1,2})(?:\.(?: |$)| )`)                // 5.C.
	styledMark = regexp.MustCompile(`^(\(?)(?:(\d{1,3})|([A-Za-z])([A-Za-z])?)([.)])(?: |$)`) // 1) (1) a) A) a.
	itemMark   = words.Regexp(`^(?i:{item} )(?:(?i:{numero})\. )?#?(\d{1,3})[:.](?: |$)`)     // Item 5: and Item No. 5.
)

func ReadMarker(text string) (Marker, bool) {
	if text == "" {
		return Marker{}, false
	}
	c := text[0]
	switch {
	case bulletLength(text) > 0:
		return withRest(Marker{Kind: Bullet}, text, bulletLength(text)), true
	case !IsUpper(c) && (c < '0' || c > '9') || strings.IndexByte(text[:min(len(text), 10)], '.') < 0:
	default:
		if m := dottedMark.FindStringSubmatch(text); m != nil {
			return withLabel(Marker{Kind: Dotted, Value: Atoi(m[2]), Major: placeOf(m[1])}, text, m[0]), true
		}
		if m := mixedMark.FindStringSubmatch(text); m != nil {
			return withLabel(Marker{Kind: Dotted, Value: lettersValue(m[2]), Major: Atoi(m[1])}, text, m[0]), true
		}
		if m := numberMark.FindStringSubmatch(text); m != nil {
			return withLabel(Marker{Kind: Number, Value: Atoi(m[1])}, text, m[0]), true
		}
		if m := letterMark.FindStringSubmatch(text); m != nil {
			return letterMarker(m[1], text)
		}
	}
	return Marker{}, false
}

// letterMarker reads capitals as a Roman numeral or as a letter. AA follows Z.
func letterMarker(letters, text string) (Marker, bool) {
	m, place := Marker{Kind: Roman, Value: romanValue(letters)}, 0
	if len(letters) == 1 || len(letters) == 2 && letters[0] == letters[1] {
		place = lettersValue(letters)
	}
	m.Also = place
	if m.Value == 0 {
		m = Marker{Kind: Letter, Value: place}
	}
	return withLabel(m, text, letters+"."), m.Value > 0
}

func placeOf(s string) int {
	if IsUpper(s[0]) {
		return lettersValue(s)
	}
	return Atoi(s)
}

// lettersValue returns the position of one or two capitals in a sequence. Both "AA" and "BA" can
// follow Z.
func lettersValue(s string) int {
	v := int(s[0]-'A') + 1
	switch {
	case len(s) == 2 && s[0] == s[1]:
		v += 26
	case len(s) == 2:
		v = 26*v + int(s[1]-'A') + 1
	}
	return v
}

// bulletLength returns the length of the bullet at the beginning of a line, or 0. After a dash or a
// dot there must be a blank.
func bulletLength(text string) int {
	if text[0] == '-' || text[0] == '*' || text[0] == 'o' {
		if len(text) > 2 && text[1] == ' ' && (text[0] != 'o' || text[2] == ' ') {
			return 1
		}
		return 0
	}
	r, n := utf8.DecodeRuneInString(text)
	if n > 1 && (strings.ContainsRune("•●▪◦‣⁃○■□➢►", r) || strings.ContainsRune("·∙–—", r) && len(text) > n &&
		text[n] == ' ') {
		return n
	}
	return 0
}

func withLabel(m Marker, text, matched string) Marker {
	if m.Kind != Dotted {
		return withLabelAt(m, text, strings.IndexByte(matched, '.')+1)
	}
	return withLabelAt(m, text, len(strings.TrimRight(matched, " ")))
}

func withLabelAt(m Marker, text string, n int) Marker {
	m.Label = text[:n]
	return withRest(m, text, n)
}

func withRest(m Marker, text string, n int) Marker {
	m.Text = strings.TrimLeft(text[n:], " ")
	if m.Text != "" {
		m.Col = utf8.RuneCountInString(text[:n]) + len(text) - n - len(m.Text)
	}
	return m
}

// romanValue returns the value of a regular Roman numeral, or 0 for other text.
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

// Style is a style of item numbers that lists in prose also have. It counts only in documents whose
// items have this style.
type Style int

const (
	NoStyle     Style = iota
	figureParen       // as in "1)"
	figureBoth        // as in "(1)"
	letterParen       // as in "a)"
	letterBoth        // as in "(a)"
	upperParen        // as in "A)"
	upperBoth         // as in "(A)"
	lowerDotted       // as in "a."
	itemWord          // as in "Item 5:" or "Item No. 5."
	Styles
)

// ReadStyled reads a marker of one of these styles.
func ReadStyled(text string) (Marker, Style) {
	if !strings.ContainsAny(text[:min(len(text), 16)], ".):") {
		return Marker{}, NoStyle
	}
	if m := itemMark.FindStringSubmatch(text); m != nil {
		return withLabelAt(Marker{Kind: Number, Value: Atoi(m[1])}, text, len(strings.TrimRight(m[0], " "))), itemWord
	}
	m := styledMark.FindStringSubmatch(text)
	if m == nil || m[4] != "" && m[4] != m[3] || m[5] == "." && (m[1] != "" || m[3] == "" || IsUpper(m[3][0])) {
		return Marker{}, NoStyle
	}
	mark, style := Marker{Kind: Number, Value: Atoi(m[2])}, figureParen
	if m[3] != "" {
		mark, style = Marker{Kind: Letter, Value: lettersValue(strings.ToUpper(m[3] + m[4]))}, letterParen
		if IsUpper(m[3][0]) {
			style = upperParen
		}
	}
	if m[1] != "" {
		style++
	} else if m[5] == "." {
		style = lowerDotted
	}
	return withLabelAt(mark, text, len(strings.TrimRight(m[0], " "))), style
}

var (
	fileWord   = words.Regexp(`^(?i:{file word}) *`)
	fileNumber = words.Regexp(`^(?:\({ID} # \d+\)|(?:[A-Z]{1,6}[ -]?)?\d{2,4}(?:-|–)\d{1,5}[A-Z]?)$`)
	titleFile  = regexp.MustCompile(`^((?:[A-Z]{2,6} )?(\d{2,4})(-|–)(\d{1,5})[A-Z]?)(?:[ :]|$)`)
)

// IsFileNumber reports whether a line is only a file number, such as "CMA 2026-34" or "RES 26-04A".
func IsFileNumber(text string) bool {
	return len(text) > 3 && len(text) <= 30 &&
		(fileNumber.MatchString(text) || fileNumber.MatchString(fileWord.ReplaceAllString(text, "")))
}

// FileNumber returns the file number of a line that has nothing else.
func FileNumber(text string) string { return strings.Trim(fileWord.ReplaceAllString(text, ""), "()") }

// CutFileNumber separates the file number from a title: "2024-925 Awards Re-Bid". A range of years
// ("2025-26 Budget") counts only if the file number before it is of the same year.
func CutFileNumber(text, before string) (file, rest string) {
	m := titleFile.FindStringSubmatch(text)
	if m == nil {
		return "", text
	}
	from, to := Atoi(m[2]), Atoi(m[4])
	if m[1] == m[2]+"-"+m[4] && len(m[2]) == 4 && !strings.HasPrefix(before, m[2]+"-") &&
		(len(m[4]) == 4 && to > from && to <= from+30 || len(m[4]) == 2 && to == from%100+1) {
		return "", text
	}
	rest = strings.TrimLeft(text[len(m[1]):], " :")
	rest = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(rest, "- "), "– "), " ")
	if rest == "" {
		return "", text
	}
	return m[1], rest
}

// A gap separates the file number from the title: "2026-0592     Resolution", "O-003-26  AN
// ORDINANCE", "ID 26-0030  Addresses", "250123  [Lease]".
var filedTitle = regexp.MustCompile(`^((?:[A-Z]{1,6}[ -]?)?\d{1,6}(?:-\d{1,6}){0,2}[A-Z]{0,4}) {2,}(\S)`)

var caseNumber = words.Regexp(`^(?i:{case number}):? *([A-Z0-9]+(?:-[A-Z0-9]+){1,4})$`)

// CutFiled cuts a line at the gap between file number and title. file is "" if there is none. A
// case number may have no title.
func CutFiled(text string) (file, title string) {
	if c := caseNumber.FindStringSubmatch(text); c != nil {
		return c[1], ""
	}
	m := filedTitle.FindStringSubmatch(text)
	if m == nil || len(m[1]) < 5 {
		return "", text
	}
	if c := m[2][0]; !IsUpper(c) && c < 0x80 && c != '[' && c != '"' && c != '(' && c != '$' {
		return "", text
	}
	return m[1], strings.TrimLeft(text[len(m[1]):], " ")
}

// WantsNumber reports whether a number must follow a line, as after "… and Town Board Resolution".
func WantsNumber(text string) bool {
	last := strings.ToLower(strings.TrimRight(LastWord(text), "."))
	return beforeNumber.Is(last) || last == "#"
}

var (
	beforeNumber  = words.Plain("before number")
	numberedPaper = words.Plain("numbered paper")
)

// ResolutionNumber reads a line that only names a resolution, ordinance or order, such as "TB
// Resolution 2026-12".
func ResolutionNumber(text string) (file string, ok bool) {
	i := strings.LastIndexByte(text, ' ')
	if i < 0 || len(text) > 60 {
		return "", false
	}
	head := strings.ToLower(text[:i])
	if !numberedPaper.In(head) {
		return "", false
	}
	return text[i+1:], IsFileNumber(text[i+1:])
}

// NamesFile reports whether a line is only a file number or the name of a resolution, as at the top
// of an attachment's pages.
func NamesFile(text string) bool {
	_, resolution := ResolutionNumber(text)
	return resolution || IsFileNumber(text)
}
