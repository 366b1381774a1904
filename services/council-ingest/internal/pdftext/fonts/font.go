package fonts

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

// A Font turns the bytes of a shown string into characters with widths. It is
// built once per font dictionary. Resource names say nothing: two pages may
// call different fonts /F1.
type Font struct {
	TwoByte  bool                  // Type 0: codes through a CMap
	codes    *cmap                 // Type 0: how bytes make codes and codes CIDs; nil is two bytes, as they are
	unicode  *cmap                 // ToUnicode, may be nil
	direct   bool                  // Type 0: codes are UTF-16 themselves
	program  func() map[int]string // Type 0: text by CID from the font program, for codes that ToUnicode leaves out
	glyphs   map[int]string        // what program gave
	encoding encoding
	widths   map[int]float64 // by code, or by CID for Type 0; in ems
	first    int             // the codes of which the font says that it has widths
	last     int
	missing  float64         // width of all others
	face     face            // widths by likeness, where the font has none at all
	Guess    bool            // the widths are a guess, by face
	symbol   bool            // made of pictures
	mistakes bool            // the program that wrote the file mistakes ligatures
	Em       float64         // height of the letters for a font size of 1
	chars    map[uint32]Char // decoded before
	Damage   error           // of what its text depends on
	Short    bool            // it lacks widths that it says it has: what is shown in it may stand elsewhere
	doubt    string          // why its encoding cannot be relied on
}

// A Char is one shown code.
type Char struct {
	Text  string  // what it says; "" for nothing, U+FFFD for what the font does not name
	Width float64 // its advance, in ems
	Blank bool    // the one-byte code 32, to which word spacing applies
}

// NoText stands for a character that is drawn but that nothing names.
const NoText = string(utf8.RuneError)

// New reads a font dictionary; null gives a damaged font of plain one-byte letters. mistakes
// says that the program that wrote the file mistakes ligatures (see quirks.go).
func New(d pdffile.Value, mistakes bool) *Font {
	t := &Font{Em: 1, mistakes: mistakes, widths: map[int]float64{}, chars: map[uint32]Char{}}
	name, kind := baseName(d), d.Key("Subtype").Name()
	desc := d.Key("FontDescriptor")
	if kind == "" {
		t.lose("text is shown in a font that the file does not have")
	}
	t.unicode = t.readCMap(d.Key("ToUnicode"))
	if kind == "Type0" {
		t.TwoByte = true
		t.readType0(d)
		return t
	}
	flags := desc.Key("Flags").Int()
	t.face = faceOf(name, flags)
	t.symbol = isSymbolFont(name)
	t.readEncoding(d, desc, name, flags)
	t.readWidths(d, desc, name)
	if kind == "Type3" {
		t.readType3(d)
	}
	return t
}

// lose notes that what the font says cannot be relied on.
func (t *Font) lose(why string) {
	if t.Damage == nil {
		t.Damage = errors.New(why)
	}
}

// data is the bytes of a stream of the font, whose damage is the font's.
func (t *Font) data(v pdffile.Value) []byte {
	data, err := v.Data()
	if err != nil && t.Damage == nil {
		t.Damage = fmt.Errorf("a font is damaged: %w", err)
	}
	return data
}

// baseName is the name of a font without the tag of a subset ("ABCDEF+Arial").
func baseName(d pdffile.Value) string {
	n := d.Key("BaseFont").Name()
	if i := strings.IndexByte(n, '+'); i == 6 {
		n = n[7:]
	}
	return n
}

// readEncoding makes the table from code to text of a one-byte font.
func (t *Font) readEncoding(d, desc pdffile.Value, name string, flags int) {
	symbolic := flags&4 != 0 && flags&32 == 0
	enc := d.Key("Encoding")
	base := enc.Name()
	if b := enc.Key("BaseEncoding").Name(); b != "" {
		base = b
	}
	switch {
	case base == "WinAnsiEncoding":
		t.encoding = winAnsi()
	case base == "MacRomanEncoding" || base == "MacExpertEncoding":
		t.encoding = macRoman()
	case t.symbol:
		t.encoding = symbols(name)
	case base == "StandardEncoding":
		t.encoding = standard()
	default:
		kind, embedded := t.embedded(desc)
		if own, ok := programEncoding(kind, embedded); ok {
			t.encoding = own
		} else if d.Key("Subtype").Name() != "TrueType" && kind != "FontFile3" {
			t.encoding = standard()
		} else if kind != "FontFile3" && (!symbolic || embedded == nil) {
			t.encoding = winAnsi()
		} else { // codes of its own making: a guess would be wrong letters
			for c := range t.encoding {
				t.encoding[c] = NoText
			}
		}
	}
	if t.symbol && (base == "WinAnsiEncoding" || base == "MacRomanEncoding") {
		t.encoding = symbols(name) // the encoding is a lie, its letters are pictures
	}
	switch base {
	case "", "WinAnsiEncoding", "MacRomanEncoding", "MacExpertEncoding", "StandardEncoding", "PDFDocEncoding":
	default:
		t.doubt = fmt.Sprintf("a font has an encoding that nobody knows: %q", base)
	}
	c, names := 0, map[int]string{}
	differences := enc.Key("Differences")
	for i := range differences.Len() {
		v := differences.Index(i)
		if v.IsNumber() {
			c = v.Int()
			continue
		}
		if c >= 0 && c < 256 {
			t.encoding[c] = t.nameText(v.Name(), c)
			names[c] = v.Name()
		}
		c++
	}
	if d.Key("Subtype").Name() == "Type3" {
		t.encoding.texCodes(names)
	}
}

// nameText is the text of a glyph name in place c of a font. Names that only
// number the glyphs ("a65", "g33") mean the code where they agree with it.
func (t *Font) nameText(name string, c int) string {
	if s := glyphText(name); s != "" {
		return s
	}
	if t.symbol {
		return "•"
	}
	if name == ".notdef" {
		return ""
	}
	if digits := strings.TrimLeft(name, "aAcCgGiIndexhr_"); digits != name {
		if n, err := strconv.Atoi(digits); err == nil && n == c && c > 32 && c < 127 {
			return string(rune(c))
		}
	}
	return NoText
}

// readWidths reads the widths of a one-byte font.
func (t *Font) readWidths(d, desc pdffile.Value, name string) {
	scale := 0.001
	if d.Key("Subtype").Name() == "Type3" {
		if m := d.Key("FontMatrix").Floats(); len(m) == 6 {
			scale = math.Hypot(m[0], m[1])
		}
	}
	first := d.Key("FirstChar").Int()
	stated := false
	for i, w := range d.Key("Widths").Floats() {
		if i > 255 {
			break
		}
		t.widths[first+i] = w * scale
		stated = stated || w != 0
	}
	if stated {
		t.first, t.last = first, d.Key("LastChar").Int()
	}
	if w := desc.Key("MissingWidth").Float(); w != 0 {
		t.missing, stated = w*scale, true
	}
	t.Guess = !stated
	if builtIn(name) && len(t.widths) == 0 {
		t.Guess = true
	}
}

// readType3 finds the height of the letters of a font drawn by procedures:
// its size of 1 may be anything.
func (t *Font) readType3(d pdffile.Value) {
	m := d.Key("FontMatrix").Floats()
	if len(m) != 6 {
		return
	}
	scale := math.Hypot(m[2], m[3])
	t.Em = 1000 * scale
	if b, ok := d.Key("FontBBox").Rect(); ok {
		t.Em = (b[3] - b[1]) * scale
	}
	if t.Em <= 0 || math.IsNaN(t.Em) || math.IsInf(t.Em, 0) {
		t.Em = 1
	}
}

// readType0 reads a font of two-byte (or mixed) codes and its descendant.
func (t *Font) readType0(d pdffile.Value) {
	below := d.Key("DescendantFonts")
	if below.IsArray() {
		below = below.Index(0)
	}
	desc := below.Key("FontDescriptor")
	t.face = faceOf(baseName(d), desc.Key("Flags").Int())
	t.symbol = isSymbolFont(baseName(d))
	t.codes = t.readCMap(d.Key("Encoding"))
	if n := d.Key("Encoding").Name(); strings.Contains(n, "UCS2") || strings.Contains(n, "UTF16") {
		t.direct = true
	}
	t.missing = 1
	if w := below.Key("DW"); w.IsNumber() {
		t.missing = w.Float() / 1000
	}
	stated := t.missing != 0
	w := below.Key("W")
	for i := 0; i+1 < w.Len() && len(t.widths) < 70_000; {
		first := w.Index(i).Int()
		if list := w.Index(i + 1); list.IsArray() {
			for j, x := range list.Floats() {
				t.widths[first+j] = x / 1000
				stated = stated || x != 0
			}
			i += 2
			continue
		}
		if i+2 >= w.Len() {
			break
		}
		last, x := w.Index(i+1).Int(), w.Index(i+2).Float()
		for cid := first; cid <= last && cid-first < 70_000; cid++ {
			t.widths[cid] = x / 1000
		}
		stated = stated || x != 0
		i += 3
	}
	t.Guess = !stated
	t.program = func() map[int]string { return t.programUnicode(below, desc) }
}

// Decode cuts a shown string into characters.
func (t *Font) Decode(s string, each func(Char)) {
	for len(s) > 0 {
		n := 1
		if t.TwoByte {
			n = min(2, len(s))
			if t.codes != nil {
				n = max(1, t.codes.size(s))
			}
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
	index := int(c)
	if t.TwoByte && t.codes != nil {
		index = t.codes.cid(c)
	}
	ch.Text = t.text(c, index)
	switch w, ok := t.widths[index]; {
	case t.Guess:
		r, _ := utf8.DecodeRuneInString(ch.Text)
		ch.Width = t.face.width(r) / 1000
	case ok:
		ch.Width = w
	case index <= t.last && index >= t.first:
		t.Short = true
		ch.Width = t.missing
	default:
		ch.Width = t.missing
	}
	if t.mistakes && t.unicode != nil {
		ch.Text = t.ligature(ch.Text, ch.Width)
	}
	if math.IsNaN(ch.Width) || math.Abs(ch.Width) > 100 {
		t.lose("a font has a letter that is wider than a page")
		ch.Width = 0
	}
	return ch
}

// text is what a code says: by ToUnicode, by the font's encoding or program,
// else nothing known.
func (t *Font) text(c uint32, cid int) string {
	if t.unicode != nil {
		s, ok := t.unicode.lookup(c)
		if ok && meaningful(s) {
			return clean(s, t.symbol)
		}
		if ok && strings.Contains(s, NoText) && !t.TwoByte && c < 256 && t.encoding[c] == "" {
			return NoText // drawn, and said to be unknown
		}
	}
	switch {
	case t.direct:
		return clean(string(rune(c)), t.symbol)
	case t.TwoByte:
		return t.programText(c, cid)
	case c < 256:
		if t.doubt != "" && c > ' ' {
			t.lose(t.doubt)
		}
		return clean(t.encoding[c], t.symbol)
	}
	return NoText
}

// programText is what the font program says of a code that nothing else explains.
func (t *Font) programText(c uint32, cid int) string {
	if c == 0 {
		return ""
	}
	if t.glyphs == nil {
		if t.glyphs = t.program(); t.glyphs == nil {
			t.glyphs = map[int]string{}
		}
	}
	if s, ok := t.glyphs[cid]; ok {
		return clean(s, t.symbol)
	}
	return NoText
}

// meaningful parts text from the fillers that broken ToUnicode maps carry.
func meaningful(s string) bool {
	for _, r := range s {
		if r != utf8.RuneError && (r >= ' ' || r == '\t' || r == '\n' || r == '\r') {
			return true
		}
	}
	return false
}

// clean brings the text of a character into the one form that the archive
// knows: blanks are U+0020, ligatures letters, hyphens "-"; what has no
// width, no letter and no meaning goes. A soft hyphen that a page draws is a
// hyphen: fonts map one glyph to both, and a name like Rivera-Monteiro must keep it.
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
		case r == '\u00a0' || r == '\u202f' || r == '\u3000' || r == '\t' || r == '\n' || r == '\r' || r >= '\u2000' && r <= '\u200a':
			b.WriteByte(' ')
		case r >= 'ﬀ' && r <= 'ﬆ':
			b.WriteString([]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}[r-'ﬀ'])
		case r == '\u200b' || r == '\u200c' || r == '\u200d' || r == '\u2060' || r == '\ufeff' || r == '\u00ac' && symbol,
			r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\u200e', r == '\u200f':
		case r < ' ' || r >= 0x7f && r < 0xa0:
		case r >= '\uf021' && r <= '\uf07e' && !symbol:
			b.WriteRune(r - 0xf000) // the letters of a "symbolic" subset
		case r >= '\ue000' && r <= '\uf8ff':
			b.WriteString("•")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
