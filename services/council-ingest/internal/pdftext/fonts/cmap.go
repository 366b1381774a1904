package fonts

import (
	"sort"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

// maxCMap bounds the entries of one CMap; a two-byte font has 65,536 codes.
const maxCMap = 200_000

// noCMap is what is wrong with a font whose table of letters is no CMap.
const noCMap = "the table of letters of a font is something else"

// A cmap maps the codes of a font: to text (ToUnicode) or to glyph numbers,
// called CIDs (the Encoding of a two-byte font). ISO 32000-1, 9.7.5 and 9.10.3.
type cmap struct {
	spaces []codespace
	text   map[uint32]string
	cids   map[uint32]int
	ranges []cmapRange
}

type codespace struct {
	size   int
	lo, hi uint32
}

type cmapRange struct {
	lo, hi uint32
	text   []rune // text of lo; the last rune counts up
	cid    int    // CID of lo, where text is nil
}

// cmapOperators are those by which a CMap is known.
var cmapOperators = map[pdffile.Keyword]bool{"begincmap": true, "endcmap": true, "usecmap": true, "endcodespacerange": true, "endbfchar": true, "endbfrange": true,
	"endcidchar": true, "endcidrange": true}

// readCMap reads a CMap of the font; nil for one that has a name only, as those that every reader knows.
func (t *Font) readCMap(v pdffile.Value) *cmap {
	if !v.IsStream() {
		if !v.IsNull() && v.Name() == "" {
			t.lose(noCMap)
		}
		return nil
	}
	m := &cmap{text: map[uint32]string{}, cids: map[uint32]int{}}
	entries := 0
	data := t.data(v)
	known := len(data) == 0
	pdffile.Operators(data, maxCMap, func(op pdffile.Keyword, args pdffile.Operands) {
		if entries > maxCMap {
			return
		}
		entries += len(args)
		known = known || cmapOperators[op]
		switch op {
		case "endcodespacerange":
			for a := args; len(a) >= 2; a = a[2:] {
				lo, hi := a.Text(0), a.Text(1)
				if len(lo) >= 1 && len(lo) <= 4 && len(hi) == len(lo) {
					m.spaces = append(m.spaces, codespace{len(lo), code(lo), code(hi)})
				}
			}
		case "endbfchar":
			for a := args; len(a) >= 2; a = a[2:] {
				m.text[code(a.Text(0))] = textOf(a[1])
			}
		case "endbfrange":
			for a := args; len(a) >= 3; a = a[3:] {
				m.addRange(code(a.Text(0)), code(a.Text(1)), a[2])
			}
		case "endcidchar":
			for a := args; len(a) >= 2; a = a[2:] {
				m.cids[code(a.Text(0))] = int(a.Num(1))
			}
		case "endcidrange":
			for a := args; len(a) >= 3; a = a[3:] {
				m.ranges = append(m.ranges, cmapRange{lo: code(a.Text(0)), hi: code(a.Text(1)), cid: int(a.Num(2))})
			}
		}
	})
	if !known {
		t.lose(noCMap)
	}
	sort.SliceStable(m.ranges, func(i, j int) bool { return m.ranges[i].lo < m.ranges[j].lo })
	return m
}

func (m *cmap) addRange(lo, hi uint32, to pdffile.Object) {
	if list, is := to.(pdffile.Array); is {
		for i, o := range list {
			m.text[lo+uint32(i)] = textOf(o)
		}
	} else if t := []rune(textOf(to)); len(t) > 0 {
		m.ranges = append(m.ranges, cmapRange{lo: lo, hi: hi, text: t})
	}
}

// lookup is the text of a code.
func (m *cmap) lookup(c uint32) (string, bool) {
	if t, ok := m.text[c]; ok {
		return t, true
	}
	for i := m.before(c); i >= 0 && i >= m.before(c)-8; i-- { // ranges may overlap a little
		if r := m.ranges[i]; c <= r.hi && r.text != nil {
			t := append([]rune(nil), r.text...)
			t[len(t)-1] += rune(c - r.lo)
			return string(t), true
		}
	}
	return "", false
}

// cid is the glyph number of a code.
func (m *cmap) cid(c uint32) int {
	if cid, ok := m.cids[c]; ok {
		return cid
	}
	if i := m.before(c); i >= 0 && c <= m.ranges[i].hi {
		return m.ranges[i].cid + int(c-m.ranges[i].lo)
	}
	return 0
}

// before is the last range that starts at or before c, -1 if there is none.
func (m *cmap) before(c uint32) int {
	return sort.Search(len(m.ranges), func(i int) bool { return m.ranges[i].lo > c }) - 1
}

// size is how many bytes the next code of s takes.
func (m *cmap) size(s string) int {
	for n := 1; n <= 4 && n <= len(s); n++ {
		c := code(s[:n])
		for _, sp := range m.spaces {
			if sp.size == n && sp.contains(c) {
				return n
			}
		}
	}
	if len(m.spaces) > 0 {
		n := m.spaces[0].size
		for _, sp := range m.spaces {
			n = min(n, sp.size)
		}
		return min(n, len(s))
	}
	return min(2, len(s))
}

// contains compares byte by byte, as a codespace is a box and not a line.
func (s codespace) contains(c uint32) bool {
	for shift := 0; shift < 8*s.size; shift += 8 {
		b := c >> shift & 255
		if b < s.lo>>shift&255 || b > s.hi>>shift&255 {
			return false
		}
	}
	return true
}

func code(s string) uint32 {
	var c uint32
	for i := 0; i < len(s) && i < 4; i++ {
		c = c<<8 | uint32(s[i])
	}
	return c
}

// textOf is the text a CMap gives a code: UTF-16 with the high byte first, or a glyph name.
func textOf(o pdffile.Object) string {
	if n, is := o.(pdffile.Name); is {
		return glyphText(string(n))
	}
	raw, _ := o.(pdffile.String)
	s := string(raw)
	if swapped, ok := mistakenOrder(s); ok {
		return swapped
	}
	return utf16Text(s)
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

// TextString reads a text string of the document level (ISO 32000-1, 7.9.2.2).
func TextString(s string) string {
	switch {
	case strings.HasPrefix(s, "\xfe\xff"):
		if len(s) == 2 {
			return ""
		}
		return clean(utf16Text(s[2:]), false)
	case strings.HasPrefix(s, "\xef\xbb\xbf"):
		return clean(strings.ToValidUTF8(s[3:], ""), false)
	}
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(charmap.Windows1252.DecodeByte(s[i]))
	}
	return clean(b.String(), false)
}
