package pdftext

// A cff is a Compact Font Format program (Adobe technical note 5176), of
// which the names of the glyphs and the encoding are read.
type cff struct {
	named    bool // has names; a CID-keyed font has numbers only
	glyphs   map[int]string
	encoding encoding
}

// cffStandard are the texts of the standard strings 1 to 228.
const cffStandard = " !\"#$%&’()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_‘abcdefghijklmnopqrstuvwxyz{|}~" +
	"¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ–†‡·¶•‚„”»…‰¿`´ˆ˜¯˘˙¨˚¸˝˛ˇ—ÆªŁØŒºæıłøœß" +
	"¹¬µ™Ð½±Þ¼÷¦°þ¾²®−ð×³©ÁÂÄÀÅÃÇÉÊËÈÍÎÏÌÑÓÔÖÒÕŠÚÛÜÙÝŸŽáâäàåãçéêëèíîïìñóôöòõšúûüùýÿž"

// readCFF reads the first font of a program.
func readCFF(data []byte) (c cff, ok bool) {
	if len(data) < 4 || data[0] != 1 {
		return c, false
	}
	_, at := cffIndex(data, int(data[2])) // names of fonts
	tops, at := cffIndex(data, at)
	strings, _ := cffIndex(data, at)
	if len(tops) == 0 {
		return c, false
	}
	top := cffDict(tops[0])
	if _, keyed := top[0x0c1e]; keyed {
		return c, true
	}
	charStrings, _ := cffIndex(data, top[17])
	n := len(charStrings)
	texts := []rune(cffStandard)
	text := func(sid int) string {
		switch {
		case sid >= 1 && sid <= len(texts):
			return string(texts[sid-1])
		case sid >= 391 && sid-391 < len(strings):
			return glyphOr(string(strings[sid-391]))
		}
		return ""
	}
	c.named = true
	c.glyphs = map[int]string{}
	sids := cffCharset(data, top[15], n)
	for g, sid := range sids {
		if t := text(sid); t != "" {
			c.glyphs[g] = t
		}
	}
	switch enc := top[16]; {
	case enc <= 1: // standard; the expert one is for fonts of fractions
		c.encoding = standard()
	default:
		c.readEncoding(data, enc, text)
	}
	return c, true
}

// cffCharset lists the string number of each glyph.
func cffCharset(data []byte, at, n int) []int {
	sids := make([]int, 1, max(n, 1))
	if at <= 2 { // predefined: the first is the order of the standard strings
		for g := 1; g < n; g++ {
			sids = append(sids, g)
		}
		return sids
	}
	if at >= len(data) {
		return sids
	}
	format := data[at]
	at++
	for len(sids) < n && at+2 <= len(data) {
		first := u16(data, at)
		at += 2
		left := 0
		switch format {
		case 1:
			if at < len(data) {
				left = int(data[at])
			}
			at++
		case 2:
			left = u16(data, at)
			at += 2
		}
		for i := 0; i <= left && len(sids) < n; i++ {
			sids = append(sids, first+i)
		}
	}
	return sids
}

// readEncoding reads a custom encoding.
func (c *cff) readEncoding(data []byte, at int, text func(int) string) {
	if at < 0 || at+2 > len(data) {
		return
	}
	set := func(code, glyph int) {
		if code < 256 {
			c.encoding[code] = c.glyphs[glyph]
		}
	}
	format, count := data[at], int(data[at+1])
	at += 2
	glyph := 1
	for range count {
		if at+2 > len(data) {
			return
		}
		if format&0x7f == 0 {
			set(int(data[at]), glyph)
			glyph++
			at++
			continue
		}
		for i := 0; i <= int(data[at+1]); i++ {
			set(int(data[at])+i, glyph)
			glyph++
		}
		at += 2
	}
	if format&0x80 != 0 && at < len(data) { // glyphs with a second code
		more := int(data[at])
		for i := range more {
			if at+1+3*i < len(data) {
				c.encoding[data[at+1+3*i]] = text(u16(data, at+2+3*i))
			}
		}
	}
}

// cffIndex reads an INDEX and where it ends.
func cffIndex(data []byte, at int) (items [][]byte, end int) {
	n := u16(data, at)
	if at < 0 || at+3 > len(data) || n == 0 {
		return nil, at + 2
	}
	size := int(data[at+2])
	if size < 1 || size > 4 {
		return nil, at + 2
	}
	offset := func(i int) int {
		v := 0
		for k := range size {
			p := at + 3 + i*size + k
			if p >= len(data) {
				return -1
			}
			v = v<<8 | int(data[p])
		}
		return v
	}
	base := at + 3 + (n+1)*size - 1
	for i := range n {
		lo, hi := base+offset(i), base+offset(i+1)
		if lo < base || hi < lo || hi > len(data) {
			return items, len(data)
		}
		items = append(items, data[lo:hi])
	}
	return items, base + offset(n)
}

// cffDict reads the integer operands of a DICT: the last one of each operator.
func cffDict(b []byte) map[int]int {
	out := map[int]int{}
	last := 0
	for i := 0; i < len(b); {
		v := int(b[i])
		i++
		switch {
		case v <= 21:
			if v == 12 && i < len(b) {
				v = 0x0c00 | int(b[i])
				i++
			}
			out[v] = last
			last = 0
		case v == 28:
			last = int(int16(u16(b, i)))
			i += 2
		case v == 29:
			last = int(int32(u32(b, i)))
			i += 4
		case v == 30: // a real number, in half bytes up to f
			for i < len(b) && b[i]&0x0f != 0x0f && b[i]>>4 != 0x0f {
				i++
			}
			i++
		case v >= 32 && v <= 246:
			last = v - 139
		case v >= 247 && v <= 250 && i < len(b):
			last = (v-247)*256 + int(b[i]) + 108
			i++
		case v >= 251 && v <= 254 && i < len(b):
			last = -(v-251)*256 - int(b[i]) - 108
			i++
		}
	}
	return out
}
