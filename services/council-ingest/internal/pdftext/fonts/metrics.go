package fonts

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// The widths of the standard fonts, which files may omit (ISO 32000-1, 9.6.2.2), from blank to
// tilde, in thousandths of the font size. They also replace missing widths of similar fonts, so
// that words stay separate. Source: the public font metrics.
var (
	helvetica = [95]uint16{
		278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556,
		556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500,
		667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333,
		556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500,
		722, 500, 500, 500, 334, 260, 334, 584,
	}
	helveticaBold = [95]uint16{
		278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556,
		556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722,
		611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556, 333, 556,
		611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778,
		556, 556, 500, 389, 280, 389, 584,
	}
	times = [95]uint16{
		250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500, 500, 500, 500,
		500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722,
		611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500, 333, 444,
		500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722,
		500, 500, 444, 480, 200, 480, 541,
	}
	timesBold = [95]uint16{
		250, 333, 555, 500, 500, 1000, 833, 278, 333, 333, 500, 570, 250, 333, 250, 278, 500, 500, 500, 500, 500,
		500, 500, 500, 500, 500, 333, 333, 570, 570, 570, 500, 930, 722, 667, 722, 722, 667, 611, 778, 778, 389, 500,
		778, 667, 944, 722, 778, 611, 778, 722, 556, 667, 722, 722, 1000, 722, 722, 667, 333, 278, 333, 581, 500,
		333, 500, 556, 444, 556, 444, 333, 500, 556, 278, 333, 556, 278, 833, 556, 500, 556, 556, 444, 389, 333, 556,
		500, 722, 500, 500, 444, 394, 220, 394, 520,
	}
)

type face struct {
	ascii *[95]uint16 // nil if every character is 600 wide, as in Courier
	quote uint16      // width of a single curly quote
	twin  uint16      // width of a double curly quote
}

// faceOf returns the standard font that is most similar to a font. It compares the name and the
// flags of the font descriptor (ISO 32000-1, table 123).
func faceOf(name string, flags int) face {
	n := strings.ToLower(name)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(n, w) {
				return true
			}
		}
		return false
	}
	bold := has("bold", "black", "heavy", "-bd", "demi") || flags&(1<<18) != 0
	fixed := has("courier", "mono", "consol", "typewriter", "fixed") || flags&1 != 0
	serif := has("times", "serif", "roman", "georgia", "garamond", "palatino", "bookman", "cambria", "century",
		"minion") && !has("sans")
	sans := has("helvetica", "arial", "sans", "calibri", "verdana", "tahoma", "segoe")
	if !serif && !sans {
		serif = flags&2 != 0
	}
	switch {
	case fixed:
		return face{}
	case serif && bold:
		return face{&timesBold, 333, 500}
	case serif:
		return face{&times, 333, 444}
	case bold:
		return face{&helveticaBold, 278, 500}
	}
	return face{&helvetica, 222, 333}
}

// width returns the width of a character in thousandths of the font size. Accents do not add to it.
func (f face) width(r rune) float64 {
	if f.ascii == nil {
		return 600
	}
	if r > '~' {
		switch r {
		case '‘', '’', '‚':
			return float64(f.quote)
		case '“', '”', '„':
			return float64(f.twin)
		case '—', '…', '™':
			return 1000
		case '–', '§', '¶', '€', '£', '¢':
			return 556
		case '•', '°', '·':
			return 350
		case '\u00a0':
			return float64(f.ascii[0])
		case '\u00ad', '\u2010', '\u2011':
			return float64(f.ascii['-'-' '])
		case 'Æ', 'Œ':
			return 944
		case 'æ', 'œ':
			return 800
		}
		for _, base := range norm.NFD.String(string(r)) {
			r = base
			break
		}
	}
	if r < ' ' || r > '~' {
		return 556
	}
	return float64(f.ascii[r-' '])
}
