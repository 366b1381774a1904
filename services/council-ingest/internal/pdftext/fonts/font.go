// Package fonts decodes the codes of a page to characters with widths.
//
// The text of a code comes from the font's ToUnicode or from its encoding. Otherwise it is U+FFFD,
// because font programs are not read. Widths come from the file, or from a similar standard font.
// The library only provides the names of glyphs, because it supports few encodings.
//
// encoding.go reads ToUnicode and encodings, metrics.go has the widths.
package fonts

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

// Font decodes strings in the font of one font dictionary. The name of a resource does not identify
// a font: two pages may use /F1 for different fonts.
type Font struct {
	file     *pdffile.File
	TwoByte  bool // a Type 0 font
	unicode  *cmap
	encoding encoding
	widths   map[int]float64 // in ems, by code, or by CID for Type 0
	missing  float64         // width of codes that are not in widths
	face     face            // most similar standard font
	Guess    bool            // the widths are estimates, taken from face
	symbol   bool            // it is a symbol font
	Em       float64         // height of the letters at font size 1
	chars    map[uint32]Char // cache of decoded codes
	Damage   error
}

// Char is one code that is shown.
type Char struct {
	Text  string  // "" if it shows nothing, U+FFFD if its meaning is unknown
	Width float64 // advance in ems
	Blank bool    // it is the one-byte code 32, which word spacing widens
}

// NoText is the text of a character whose meaning is unknown.
const NoText = string(utf8.RuneError)

// New reads a font dictionary. A null dictionary gives a damaged font with one-byte codes.
func New(f *pdffile.File, d pdf.Value) *Font {
	t := &Font{file: f, Em: 1, widths: map[int]float64{}, chars: map[uint32]Char{}}
	name, kind := baseName(d), d.Key("Subtype").Name()
	desc := d.Key("FontDescriptor")
	if kind == "" {
		t.Damage = errors.New("text is shown in a font that the file does not have")
	}
	t.unicode = t.readCMap(d.Key("ToUnicode"))
	if kind == "Type0" {
		t.TwoByte = true
		t.readType0(d)
		return t
	}
	flags := pdffile.Int(desc.Key("Flags"))
	t.face = faceOf(name, flags)
	t.symbol = isSymbolFont(name)
	t.readEncoding(d, desc, name, flags)
	t.readWidths(d, desc)
	if kind == "Type3" {
		t.readType3(d)
	}
	return t
}

func (t *Font) data(v pdf.Value) []byte {
	data, err := t.file.Data(v)
	if err != nil && t.Damage == nil {
		t.Damage = fmt.Errorf("a font is damaged: %w", err)
	}
	return data
}

// baseName returns the name of a font without the prefix of a subset ("ABCDEF+Arial").
func baseName(d pdf.Value) string {
	n := d.Key("BaseFont").Name()
	if i := strings.IndexByte(n, '+'); i == 6 {
		n = n[7:]
	}
	return n
}

func (t *Font) readWidths(d, desc pdf.Value) {
	scale := 0.001
	if d.Key("Subtype").Name() == "Type3" {
		if m := pdffile.Floats(d.Key("FontMatrix")); len(m) == 6 {
			scale = math.Hypot(m[0], m[1])
		}
	}
	first := pdffile.Int(d.Key("FirstChar"))
	stated := false
	for i, w := range pdffile.Floats(d.Key("Widths")) {
		if i > 255 {
			break
		}
		t.widths[first+i] = w * scale
		stated = stated || w != 0
	}
	if w := desc.Key("MissingWidth").Float64(); w != 0 {
		t.missing, stated = w*scale, true
	}
	t.Guess = !stated
}

// readType3 reads the height of a font whose glyphs are drawn by procedures. The size 1 has no
// fixed meaning for such a font.
func (t *Font) readType3(d pdf.Value) {
	m := pdffile.Floats(d.Key("FontMatrix"))
	if len(m) != 6 {
		return
	}
	height := 1000.0
	if b, ok := pdffile.Rect(d.Key("FontBBox")); ok {
		height = b[3] - b[1]
	}
	if em := height * math.Hypot(m[2], m[3]); em > 0 && em < math.MaxFloat32 {
		t.Em = em
	}
}

func (t *Font) readType0(d pdf.Value) {
	below := d.Key("DescendantFonts")
	if below.Kind() == pdf.Array {
		below = below.Index(0)
	}
	desc := below.Key("FontDescriptor")
	t.face = faceOf(baseName(d), pdffile.Int(desc.Key("Flags")))
	t.symbol = isSymbolFont(baseName(d))
	if n := d.Key("Encoding").Name(); n != "Identity-H" && n != "Identity-V" && t.Damage == nil {
		t.Damage = fmt.Errorf("a font has an unsupported encoding: %q", n)
	}
	t.missing = 1
	if w := below.Key("DW"); pdffile.IsNumber(w) {
		t.missing = w.Float64() / 1000
	}
	stated := t.missing != 0
	w := below.Key("W")
	for i := 0; i+1 < w.Len() && len(t.widths) < 70_000; {
		first := pdffile.Int(w.Index(i))
		if list := w.Index(i + 1); list.Kind() == pdf.Array {
			for j, x := range pdffile.Floats(list) {
				t.widths[first+j] = x / 1000
				stated = stated || x != 0
			}
			i += 2
			continue
		}
		if i+2 >= w.Len() {
			break
		}
		last, x := pdffile.Int(w.Index(i+1)), w.Index(i+2).Float64()
		for cid := first; cid <= last && cid-first < 70_000; cid++ {
			t.widths[cid] = x / 1000
		}
		stated = stated || x != 0
		i += 3
	}
	t.Guess = !stated
}

// Decode splits a shown string into characters.
func (t *Font) Decode(s string, each func(Char)) {
	for len(s) > 0 {
		n := 1
		if t.TwoByte {
			n = min(2, len(s))
		}
		c := code(s[:n])
		key := c | uint32(n-1)<<28
		ch, ok := t.chars[key]
		if !ok {
			ch = t.char(c, n)
			t.chars[key] = ch
		}
		each(ch)
		s = s[n:]
	}
}

func (t *Font) char(c uint32, size int) Char {
	ch := Char{Blank: size == 1 && c == ' '}
	ch.Text = t.text(c)
	w, ok := t.widths[int(c)]
	switch {
	case t.Guess:
		r, _ := utf8.DecodeRuneInString(ch.Text)
		ch.Width = t.face.width(r) / 1000
	case ok:
		ch.Width = w
	default:
		ch.Width = t.missing
	}
	if math.IsNaN(ch.Width) || math.Abs(ch.Width) > 100 {
		ch.Width = 0
	}
	return ch
}

func (t *Font) text(c uint32) string {
	if t.unicode != nil {
		s, ok := t.unicode.lookup(c)
		if ok && meaningful(s) {
			return clean(s, t.symbol)
		}
		if ok && strings.Contains(s, NoText) && !t.TwoByte && c < 256 && t.encoding[c] == "" {
			return NoText
		}
	}
	switch {
	case !t.TwoByte:
		return clean(t.encoding[c], t.symbol)
	case c == 0:
		return ""
	}
	return NoText
}

// meaningful reports whether s has more than the filler characters of broken ToUnicode maps.
func meaningful(s string) bool {
	for _, r := range s {
		if r != utf8.RuneError && (r >= ' ' || r == '\t' || r == '\n' || r == '\r') {
			return true
		}
	}
	return false
}

// clean normalises the text of a character: blanks become U+0020, ligatures become letters, hyphens
// become "-", and invisible characters are removed. A soft hyphen becomes a hyphen, because fonts
// map one glyph to both, and a name like Rivera-Monteiro must keep its hyphen.
func clean(s string, symbol bool) string {
	simple := len(s) == 1 && s[0] >= ' ' && s[0] < 0x7f
	if simple {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\u00ad' || r == '\u2010' || r == '\u2011':
			b.WriteByte('-')
		case r == '\u00a0' || r == '\u202f' || r == '\u3000' || r == '\t' || r == '\n' || r == '\r' || r >= '\u2000' &&
			r <= '\u200a':
			b.WriteByte(' ')
		case r >= 'ﬀ' && r <= 'ﬆ':
			b.WriteString([]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}[r-'ﬀ'])
		case r == '\u200b' || r == '\u200c' || r == '\u200d' || r == '\u2060' || r == '\ufeff' || r == '\u00ac' && symbol,
			r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\u200e', r == '\u200f':
		case r < ' ' || r >= 0x7f && r < 0xa0:
		case r >= '\uf021' && r <= '\uf07e' && !symbol:
			b.WriteRune(r - 0xf000) // letters of a "symbolic" subset
		case r >= '\ue000' && r <= '\uf8ff':
			b.WriteString("•")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
