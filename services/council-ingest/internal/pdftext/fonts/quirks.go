package fonts

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What well-known programs write that no standard explains. Each entry stands
// on evidence within the file, so that no other program's font is read by it.

// TeX prints fonts that it has only as bitmaps as Type 3, with glyphs named
// after their codes: /a28 at 28. The codes are those of one of its encodings,
// of which the letters stand where ASCII has them.
var (
	texCork = map[int]string{16: "“", 17: "”", 18: "„", 21: "–", 22: "—", 27: "ff", 28: "fi", 29: "fl", 30: "ffi", 31: "ffl", 39: "’", 96: "‘", 127: "-",
		215: "Œ", 223: "SS", 247: "œ", 255: "ß"}
	texOld  = map[int]string{11: "ff", 12: "fi", 13: "fl", 14: "ffi", 15: "ffl", 34: "”", 39: "’", 92: "“", 96: "‘", 123: "–", 124: "—"}
	texText = map[int]string{39: "'", 136: "•"} // the companion of Cork, for signs
)

// texCodes adds to the encoding of a Type 3 font what TeX means by its codes:
// Cork and the old encoding have their ligatures at different places, and a
// font without any letter is one of signs.
func (e *encoding) texCodes(names map[int]string) {
	var cork, old, letters bool
	for c, name := range names {
		if name == ".notdef" {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "a")); err != nil || n != c || name[0] != 'a' {
			return
		}
		cork = cork || c >= 16 && c <= 22 || c >= 27 && c <= 31 || c >= 192
		old = old || c >= 11 && c <= 15
		letters = letters || c >= 'A' && c <= 'z'
	}
	var known map[int]string
	switch {
	case !letters:
		known = texText
	case cork && !old:
		known = texCork
	case old && !cork:
		known = texOld
	}
	for c, name := range names {
		if name == ".notdef" {
			continue
		}
		if s, ok := known[c]; ok {
			e[c] = s
		} else if letters && cork && c >= 192 {
			e[c] = string(rune(c)) // as in Latin 1
		}
	}
}

// Ghostscript 10.00 writes the ligatures U+FB00 to U+FB04 as U+00FB to U+00FF
// into ToUnicode: Jeff becomes Jeû. An accented letter is as wide as the letter, a
// ligature is not; so a font of that program whose "û" has not the width of its "u" lies.
var mistakenLigatures = map[string]struct {
	letter   rune
	ligature string
}{"û": {'u', "ff"}, "ü": {'u', "fi"}, "ý": {'y', "fl"}, "þ": {'p', "ffi"}, "ÿ": {'y', "ffl"}}

// mistakenOrder reads the letters of a ligature that Ghostscript 10.00 wrote with
// the low byte first, <66006900> for "fi". Taken as the standard says they
// would be two ideographs of those whose numbers end in 00, for one glyph. Of
// three letters it writes only the first; the glyph is then unknown.
func mistakenOrder(s string) (text string, ok bool) {
	if len(s) < 4 || len(s)%2 != 0 {
		return "", false
	}
	text = ""
	for i := 0; i < len(s); i += 2 {
		if s[i+1] != 0 || s[i] < ' ' {
			return "", false
		}
		if letter := s[i] | 0x20; letter < 'a' || letter > 'z' {
			text = NoText
		} else if text != NoText {
			text += s[i : i+1]
		}
	}
	return text, true
}

// ligature is what a font means by text of the given width that ToUnicode gives.
func (t *Font) ligature(text string, width float64) string {
	m, ok := mistakenLigatures[text]
	if !ok || t.Guess {
		return text
	}
	for c, s := range t.unicode.text {
		if s == string(m.letter) {
			return t.unlike(text, m.ligature, int(c), width)
		}
	}
	for _, r := range t.unicode.ranges {
		if len(r.text) == 1 && m.letter >= r.text[0] && m.letter-r.text[0] <= rune(r.hi-r.lo) {
			return t.unlike(text, m.ligature, int(r.lo)+int(m.letter-r.text[0]), width)
		}
	}
	return text
}

// unlike chooses the ligature if the letter at code has another width.
func (t *Font) unlike(text, ligature string, code int, width float64) string {
	if t.TwoByte && t.codes != nil {
		code = t.codes.cid(uint32(code))
	}
	w, ok := t.widths[code]
	if !ok || math.Abs(w-width) < 0.0015 || utf8.RuneCountInString(text) != 1 {
		return text
	}
	return ligature
}
