package fonts

import "math"

// Ghostscript 10.00 writes the ligatures U+FB00 to U+FB04 as U+00FB to U+00FF into ToUnicode: Jeff
// becomes Jeû. An accented letter is as wide as the letter, a ligature is not; so a font of that
// program whose "û" has not the width of its "u" lies.
var mistakenLigatures = map[string]struct {
	letter   rune
	ligature string
}{"û": {'u', "ff"}, "ü": {'u', "fi"}, "ý": {'y', "fl"}, "þ": {'p', "ffi"}, "ÿ": {'y', "ffl"}}

// mistakenOrder decodes the letters of a ligature that Ghostscript 10.00 wrote with the low byte
// first, <66006900> for "fi". As the standard has it they are two ideographs for one glyph. Of three
// letters it writes only the first; the glyph is then unknown.
func mistakenOrder(s string) (text string, ok bool) {
	if len(s) < 4 || len(s)%2 != 0 {
		return "", false
	}
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

// ligature returns what a font means by text of the given width that ToUnicode gives.
func (t *Font) ligature(text string, width float64) string {
	m, ok := mistakenLigatures[text]
	if !ok || t.Guess {
		return text
	}
	for c, w := range t.widths {
		if s, _ := t.unicode.lookup(uint32(c)); s == string(m.letter) && math.Abs(w-width) >= 0.0015 {
			return m.ligature
		}
	}
	return text
}
