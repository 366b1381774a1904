package fonts

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding/charmap"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/content"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

type encoding [256]string

// winAnsi is WinAnsiEncoding (ISO 32000-1, annex D).
func winAnsi() encoding {
	e := fromCharmap(charmap.Windows1252)
	for _, c := range []int{0x7f, 0x81, 0x8d, 0x8f, 0x90, 0x9d} {
		e[c] = "•"
	}
	e[0xa0], e[0xad] = " ", "-"
	return e
}

func macRoman() encoding {
	e := fromCharmap(charmap.Macintosh)
	e[0xca] = " "
	return e
}

func fromCharmap(cm *charmap.Charmap) (e encoding) {
	for c := 0x20; c < 256; c++ {
		if r := cm.DecodeByte(byte(c)); r != utf8.RuneError {
			e[c] = string(r)
		}
	}
	return e
}

// standard returns the characters of StandardEncoding that minutes use.
func standard() (e encoding) {
	for c := 0x20; c < 256; c++ {
		e[c] = NoText
		if c < 0x7f {
			e[c] = string(rune(c))
		}
	}
	for c, s := range map[int]string{
		0x27: "’", 0x60: "‘", 0xa9: "'", 0xaa: "“", 0xba: "”", 0xae: "fi", 0xaf: "fl", 0xb1: "–", 0xb7: "•", 0xd0: "—",
	} {
		e[c] = s
	}
	return e
}

func unknown() (e encoding) {
	for c := range e {
		e[c] = NoText
	}
	return e
}

// symbols is the encoding of a symbol font. It has the marks that minutes use, and bullets for all
// other codes.
func symbols(name string) (e encoding) {
	for c := 0x21; c < 256; c++ {
		e[c] = "•"
	}
	e[' '], e[0xa0] = " ", " "
	marks := map[byte]string{}
	n := strings.ToLower(name)
	switch {
	case strings.Contains(n, "wingdings"):
		marks = map[byte]string{
			0xa8: "☐", 0x6f: "☐", 0xfb: "✗", 0xfc: "✓", 0xfd: "☒", 0xfe: "☑", 0xe0: "→", 0x76: "❖", 0xd8: "➢",
		}
	case strings.Contains(n, "dingbats"):
		marks = map[byte]string{0x33: "✓", 0x34: "✔", 0x35: "✕", 0x37: "✗", 0x38: "✘", 0x6f: "❏", 0x71: "❑"}
	}
	for c, s := range marks {
		e[c] = s
	}
	return e
}

func isSymbolFont(name string) bool {
	n := strings.ToLower(name)
	return strings.Contains(n, "wingdings") || strings.Contains(n, "dingbats") || strings.Contains(n, "webdings") ||
		strings.HasPrefix(n, "symbol")
}

// readEncoding reads the encoding of a one-byte font. An embedded font without an encoding uses
// private codes, whose meaning is unknown.
func (t *Font) readEncoding(d, desc pdf.Value, name string, flags int) {
	enc := d.Key("Encoding")
	base := enc.Name() + enc.Key("BaseEncoding").Name() // only one of the two is set
	embedded := !desc.Key("FontFile").IsNull() || !desc.Key("FontFile2").IsNull() || !desc.Key("FontFile3").IsNull()
	symbolic := flags&4 != 0 && flags&32 == 0
	switch {
	case t.symbol:
		t.encoding = symbols(name)
	case base == "WinAnsiEncoding":
		t.encoding = winAnsi()
	case base == "MacRomanEncoding":
		t.encoding = macRoman()
	case base == "StandardEncoding":
		t.encoding = standard()
	case d.Key("Subtype").Name() == "Type3": // glyphs without a name are not drawn
	case embedded && (symbolic || base != ""):
		t.encoding = unknown()
	case d.Key("Subtype").Name() == "TrueType":
		t.encoding = winAnsi()
	default:
		t.encoding = standard()
	}
	names := (&pdf.Font{V: d}).Encoder()
	c := 0
	differences := enc.Key("Differences")
	for i := range differences.Len() {
		v := differences.Index(i)
		if pdffile.IsNumber(v) {
			c = pdffile.Int(v)
			continue
		}
		if c >= 0 && c < 256 {
			t.encoding[c] = t.glyphText(v.Name(), c, names.Decode(string([]byte{byte(c)})))
		}
		c++
	}
}

// glyphText returns the text of a glyph by its name. known is the library's text for code c. It
// equals c if the library does not know the name.
func (t *Font) glyphText(name string, c int, known string) string {
	name, _, _ = strings.Cut(name, ".") // as in "a.sc"
	switch {
	case name == "": // as in ".notdef"
		return ""
	case t.symbol:
		return "•"
	case len(name) == 1:
		return name
	case known != string(rune(c)) || isNamed(c, name):
		return known
	case strings.HasPrefix(name, "uni") && len(name) == len("uni0000"):
		if r, err := strconv.ParseUint(name[len("uni"):], 16, 16); err == nil {
			return string(rune(r))
		}
	case strings.Contains(name, "_"): // as in "f_i"
		if letters := strings.ReplaceAll(name, "_", ""); 2*len(letters)-1 == len(name) {
			return letters
		}
	}
	return NoText
}

func isNamed(c int, name string) bool {
	switch {
	case c > ' ' && c < 0x7f && strings.TrimLeft(name, "aAcCgGiIndexhr_") == strconv.Itoa(c):
		return true
	case c >= '0' && c <= '9':
		return name == []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}[c-'0']
	case c < ' ', c|0x20 >= 'a' && c|0x20 <= 'z', c >= 0x7f && c < 0xa0:
		return false
	}
	return !strings.ContainsAny(name, "0123456789")
}

// maxCMap bounds the entries of one CMap. A two-byte font has 65,536 codes.
const maxCMap = 200_000

// cmap maps the codes of a font to text (ToUnicode; ISO 32000-1, 9.10.3). The library supports
// ToUnicode only for some encodings, and searches the entries one by one for each code.
type cmap struct {
	text   map[uint32]string
	ranges []cmapRange
}

type cmapRange struct {
	lo, hi uint32
	text   []rune // text of lo; for higher codes the last rune increases
}

func (t *Font) readCMap(v pdf.Value) *cmap {
	if v.Kind() != pdf.Stream {
		return nil
	}
	m := &cmap{text: map[uint32]string{}}
	entries := 0
	content.Operators(t.data(v), maxCMap, func(op string, args content.Operands) {
		entries += len(args)
		if entries > maxCMap {
			return
		}
		switch op {
		case "endbfchar":
			for a := args; len(a) >= 2; a = a[2:] {
				m.text[code(a.Text(0))] = utf16Text(a.Text(1))
			}
		case "endbfrange":
			for a := args; len(a) >= 3; a = a[3:] {
				m.addRange(code(a.Text(0)), code(a.Text(1)), a)
			}
		}
	})
	sort.SliceStable(m.ranges, func(i, j int) bool { return m.ranges[i].lo < m.ranges[j].lo })
	return m
}

// addRange adds an entry. Its third operand is the text of lo, or a list of texts.
func (m *cmap) addRange(lo, hi uint32, a content.Operands) {
	for i := range a.Array(2) {
		m.text[lo+uint32(i)] = utf16Text(a.Array(2).Text(i))
	}
	if t := []rune(utf16Text(a.Text(2))); len(t) > 0 {
		m.ranges = append(m.ranges, cmapRange{lo, hi, t})
	}
}

func (m *cmap) lookup(c uint32) (string, bool) {
	if t, ok := m.text[c]; ok {
		return t, true
	}
	last := sort.Search(len(m.ranges), func(i int) bool { return m.ranges[i].lo > c }) - 1
	for i := last; i >= 0 && i >= last-8; i-- { // looks at several ranges, which may overlap a little
		if r := m.ranges[i]; c <= r.hi {
			t := append([]rune(nil), r.text...)
			t[len(t)-1] += rune(c - r.lo)
			return string(t), true
		}
	}
	return "", false
}

func code(s string) uint32 {
	var c uint32
	for i := 0; i < len(s) && i < 4; i++ {
		c = c<<8 | uint32(s[i])
	}
	return c
}

func utf16Text(s string) string {
	if len(s) == 1 {
		return string(rune(s[0]))
	}
	u := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s) && i < 1000; i += 2 {
		u = append(u, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return string(utf16.Decode(u))
}
