package typeset

import (
	"strings"

	"golang.org/x/text/encoding/charmap"
)

// Font is one of the faces that every PDF reader brings along.
type Font int

// The faces of the demo town's documents.
const (
	Times Font = iota
	TimesBold
	Helvetica
	HelveticaBold
)

// face is what the writer knows of a font: its PostScript name and how wide its characters are, in thousandths of the font size.
type face struct {
	name string
	// ascii holds the characters 32 to 126, marks the dashes, quotes and signs beyond them.
	ascii [95]int
	marks map[rune]int
}

// faces are the metrics of the base fonts, as Adobe published them.
var faces = [...]face{
	Times: {"Times-Roman", [95]int{
		250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500,
		500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611,
		556, 722, 722, 333, 389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722,
		722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500,
		278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
	}, map[rune]int{'‘': 333, '’': 333, '“': 444, '”': 444, '–': 500, '—': 1000, '•': 350, '…': 1000, '§': 500, '°': 400, '·': 250, '\u00a0': 250}},
	TimesBold: {"Times-Bold", [95]int{
		250, 333, 555, 500, 500, 1000, 833, 278, 333, 333, 500, 570, 250, 333, 250, 278, 500, 500, 500,
		500, 500, 500, 500, 500, 500, 500, 333, 333, 570, 570, 570, 500, 930, 722, 667, 722, 722, 667,
		611, 778, 778, 389, 500, 778, 667, 944, 722, 778, 611, 778, 722, 556, 667, 722, 722, 1000, 722,
		722, 667, 333, 278, 333, 581, 500, 333, 500, 556, 444, 556, 444, 333, 500, 556, 278, 333, 556,
		278, 833, 556, 500, 556, 556, 444, 389, 333, 556, 500, 722, 500, 500, 444, 394, 220, 394, 520,
	}, map[rune]int{'‘': 333, '’': 333, '“': 500, '”': 500, '–': 500, '—': 1000, '•': 350, '…': 1000, '§': 500, '°': 400, '·': 250, '\u00a0': 250}},
	Helvetica: {"Helvetica", [95]int{
		278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
		556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
		611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
		667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
		222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
	}, map[rune]int{'‘': 222, '’': 222, '“': 333, '”': 333, '–': 556, '—': 1000, '•': 350, '…': 1000, '§': 556, '°': 400, '·': 278, '\u00a0': 278}},
	HelveticaBold: {"Helvetica-Bold", [95]int{
		278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
		556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667,
		611, 778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
		667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556,
		278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
	}, map[rune]int{'‘': 278, '’': 278, '“': 500, '”': 500, '–': 556, '—': 1000, '•': 350, '…': 1000, '§': 556, '°': 400, '·': 278, '\u00a0': 278}},
}

// plain finds the letter under an accent, which is as wide.
var plain = strings.NewReplacer(
	"á", "a", "à", "a", "ä", "a", "â", "a", "é", "e", "è", "e", "ë", "e", "í", "i", "ï", "i", "ó", "o", "ö", "o", "ô", "o", "ú", "u", "ü", "u", "ñ", "n", "ç", "c",
	"Á", "A", "Ä", "A", "É", "E", "Í", "I", "Ó", "O", "Ö", "O", "Ú", "U", "Ü", "U", "Ñ", "N", "Ç", "C",
)

// Width is how wide a text is when set in a font at a size, in points.
func Width(f Font, size float64, text string) float64 {
	m, total := &faces[f], 0
	for _, r := range plain.Replace(text) {
		if w, ok := m.marks[r]; ok {
			total += w
		} else if r >= 32 && r < 127 {
			total += m.ascii[r-32]
		} else {
			total += m.ascii['?'-32]
		}
	}
	return float64(total) * size / 1000
}

// encode turns a text into the bytes of WinAnsiEncoding; what it lacks becomes a question mark.
func encode(text string) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		b, ok := charmap.Windows1252.EncodeRune(r)
		if !ok {
			b = '?'
		}
		out = append(out, b)
	}
	return out
}

// Wrap breaks a text into lines no wider than a measure, at blanks; a word that is wider than a line stands alone.
func Wrap(f Font, size, measure float64, text string) []string {
	var lines []string
	line, width, blank := "", 0.0, Width(f, size, " ")
	for _, word := range strings.Fields(text) {
		w := Width(f, size, word)
		switch {
		case line == "":
			line, width = word, w
		case width+blank+w > measure:
			lines = append(lines, line)
			line, width = word, w
		default:
			line, width = line+" "+word, width+blank+w
		}
	}
	return append(lines, line)
}
