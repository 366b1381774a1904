package fonts

import (
	"bytes"
	"unicode/utf8"
)

// An sfnt is a TrueType or OpenType program, of which the tables "cmap" (from
// characters to glyphs) and "post" (names of glyphs) are read.
type sfnt struct {
	byRune map[rune]int // Unicode to glyph
	byCode map[int]int  // code of a one-byte font to glyph
	names  map[int]string
}

func isSFNT(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\x00\x01\x00\x00")) || bytes.HasPrefix(data, []byte("true")) || bytes.HasPrefix(data, []byte("OTTO"))
}

func readSFNT(data []byte) sfnt {
	s := sfnt{byRune: map[rune]int{}, byCode: map[int]int{}, names: map[int]string{}}
	for i := range min(u16(data, 4), 64) {
		head := 12 + 16*i
		if head+16 > len(data) {
			break
		}
		at, size := u32(data, head+8), u32(data, head+12)
		if at >= len(data) {
			continue
		}
		table := data[at:min(len(data), at+size)]
		switch string(data[head : head+4]) {
		case "cmap":
			s.readMaps(table)
		case "post":
			s.readNames(table)
		}
	}
	return s
}

// readMaps reads the sub-tables of "cmap".
func (s *sfnt) readMaps(t []byte) {
	for i := range min(u16(t, 2), 32) {
		platform, kind, at := u16(t, 4+8*i), u16(t, 6+8*i), u32(t, 8+8*i)
		if at >= len(t) {
			continue
		}
		unicode := platform == 0 || platform == 3 && (kind == 1 || kind == 10)
		eachMapping(t[at:], func(c, glyph int) {
			switch {
			case glyph == 0:
			case unicode && c <= utf8.MaxRune:
				s.byRune[rune(c)] = glyph
			case platform == 3 && kind == 0: // symbols, in F000 to F0FF
				s.byCode[c&255] = glyph
			case platform == 1 && c < 256:
				if _, ok := s.byCode[c]; !ok {
					s.byCode[c] = glyph
				}
			}
		})
	}
}

// eachMapping goes through one sub-table of "cmap" in the formats 0, 4, 6 and 12.
func eachMapping(t []byte, each func(c, glyph int)) {
	switch u16(t, 0) {
	case 0:
		for c := range 256 {
			if 6+c < len(t) {
				each(c, int(t[6+c]))
			}
		}
	case 4:
		n := u16(t, 6) / 2
		for i := range n {
			end, start := u16(t, 14+2*i), u16(t, 16+2*n+2*i)
			delta, offAt := u16(t, 16+4*n+2*i), 16+6*n+2*i
			off := u16(t, offAt)
			for c := start; c <= end && c < 0xffff && offAt < len(t); c++ {
				g := c
				if off != 0 {
					if g = u16(t, offAt+off+2*(c-start)); g == 0 {
						continue
					}
				}
				each(c, (g+delta)&0xffff)
			}
		}
	case 6:
		first := u16(t, 6)
		for i := range u16(t, 8) {
			each(first+i, u16(t, 10+2*i))
		}
	case 12:
		for i := range min(u32(t, 12), len(t)/12) {
			start, end, g := u32(t, 16+12*i), u32(t, 20+12*i), u32(t, 24+12*i)
			for c := start; c <= end && c-start < 0x10000; c++ {
				each(c, g+c-start)
			}
		}
	}
}

// readNames reads the glyph names of "post" in format 2, as far as they are
// the font's own; the 258 standard ones come by their character.
func (s *sfnt) readNames(t []byte) {
	if u32(t, 0) != 0x00020000 {
		return
	}
	n := u16(t, 32)
	at := 34 + 2*n
	var own []string
	for at < len(t) {
		size := int(t[at])
		if at+1+size > len(t) {
			break
		}
		own = append(own, string(t[at+1:at+1+size]))
		at += 1 + size
	}
	for g := range n {
		switch i := u16(t, 34+2*g); {
		case i >= 258 && i-258 < len(own):
			s.names[g] = own[i-258]
		case i >= 3 && i <= 97: // the printing characters of ASCII, in their order
			s.names[g] = string(rune(i - 3 + ' '))
		}
	}
}

// glyphs is the map from glyph to text; of several characters of one glyph
// the lowest is taken, which prefers "A" to its look-alikes.
func (s sfnt) glyphs() map[int]string {
	out := map[int]string{}
	for g, name := range s.names {
		if t := glyphText(name); t != "" {
			out[g] = t
		} else if utf8.RuneCountInString(name) == 1 {
			out[g] = name
		}
	}
	best := map[int]rune{}
	for r, g := range s.byRune {
		if old, ok := best[g]; (!ok || r < old) && (r < 0xe000 || r > 0xf8ff) && r >= ' ' {
			best[g] = r
		}
	}
	for g, r := range best {
		out[g] = string(r)
	}
	return out
}

// encoding is the map from code to text of a one-byte font.
func (s sfnt) encoding() (e encoding, ok bool) {
	glyphs := s.glyphs()
	if len(glyphs) == 0 && s.speaksASCII() {
		for c := range s.byCode {
			e[c] = NoText
			if c >= ' ' && c <= '~' {
				e[c] = string(rune(c))
			}
		}
		return e, true
	}
	for c, g := range s.byCode {
		if t := glyphs[g]; t != "" {
			e[c], ok = t, true
		}
	}
	return e, ok
}

// speaksASCII reports whether the codes of a font without names are the letters
// themselves. Producers that number the glyphs of a subset anew use one code
// after the other; one that keeps ASCII leaves out what the text does not
// need, but not the letters that English cannot do without.
func (s sfnt) speaksASCII() bool {
	for _, c := range " etaoinrs" {
		if s.byCode[int(c)] == 0 {
			return false
		}
	}
	unused := 0
	for c := '!'; c <= '~'; c++ {
		if s.byCode[int(c)] == 0 {
			unused++
		}
	}
	return unused >= 8 || unused == 0
}
