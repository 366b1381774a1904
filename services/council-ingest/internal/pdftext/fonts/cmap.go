package fonts

import (
	"sort"
	"strings"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding/charmap"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/content"
)

// maxCMap bounds the entries of one CMap; a two-byte font has 65,536 codes.
const maxCMap = 200_000

// A cmap maps the codes of a font to text (ToUnicode; ISO 32000-1, 9.10.3). That of the library is
// used for some encodings only, and is searched from the beginning for each code.
type cmap struct {
	text   map[uint32]string
	ranges []cmapRange
}

type cmapRange struct {
	lo, hi uint32
	text   []rune // text of lo; the last rune counts up
}

// readCMap reads the ToUnicode of a font, nil if it has none.
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

// addRange adds the entry whose third operand is the text of lo, or a list of texts.
func (m *cmap) addRange(lo, hi uint32, a content.Operands) {
	for i := range a.Array(2) {
		m.text[lo+uint32(i)] = utf16Text(a.Array(2).Text(i))
	}
	if t := []rune(utf16Text(a.Text(2))); len(t) > 0 {
		m.ranges = append(m.ranges, cmapRange{lo, hi, t})
	}
}

// lookup returns the text of a code.
func (m *cmap) lookup(c uint32) (string, bool) {
	if t, ok := m.text[c]; ok {
		return t, true
	}
	last := sort.Search(len(m.ranges), func(i int) bool { return m.ranges[i].lo > c }) - 1
	for i := last; i >= 0 && i >= last-8; i-- { // ranges may overlap a little
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

// utf16Text decodes UTF-16 with the high byte first.
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

// TextString decodes a text string of the document level (ISO 32000-1, 7.9.2.2).
func TextString(s string) string {
	if utf16, is := strings.CutPrefix(s, "\xfe\xff"); is {
		return clean(utf16Text(utf16), false)
	}
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(charmap.Windows1252.DecodeByte(s[i]))
	}
	return clean(b.String(), false)
}
