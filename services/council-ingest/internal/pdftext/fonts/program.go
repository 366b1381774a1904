package fonts

import (
	"bytes"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

// Embedded font programs. A file should say with ToUnicode or Encoding what
// its codes mean; where it does not, the font program often does. Nothing is
// drawn here: only names and character maps are read.

// maxProgram bounds the font programs that are looked into.
const maxProgram = 16 << 20

// embedded finds the embedded font program of a descriptor, which is looked into
// only where the file does not say what its codes mean.
func (t *Font) embedded(desc pdffile.Value) (kind string, data []byte) {
	for _, key := range []pdffile.Name{"FontFile", "FontFile2", "FontFile3"} {
		v := desc.Key(key)
		if !v.IsStream() {
			continue
		}
		if data = t.data(v); len(data) > maxProgram {
			return "", nil
		}
		return string(key), data
	}
	return "", nil
}

// programEncoding reads the encoding that is built into the font program of a
// one-byte font.
func programEncoding(kind string, data []byte) (e encoding, ok bool) {
	switch {
	case data == nil:
		return e, false
	case kind == "FontFile":
		return type1Encoding(data)
	case isSFNT(data):
		return readSFNT(data).encoding()
	}
	return e, false
}

// programUnicode makes the map from CID to text of a two-byte font that came
// without ToUnicode, from its font program.
func (t *Font) programUnicode(below, desc pdffile.Value) map[int]string {
	_, data := t.embedded(desc)
	if data == nil {
		return nil
	}
	var glyphs map[int]string
	if isSFNT(data) {
		glyphs = readSFNT(data).glyphs()
	}
	toGlyph := t.data(below.Key("CIDToGIDMap"))
	if toGlyph == nil || len(glyphs) == 0 {
		return glyphs
	}
	out := map[int]string{}
	for cid := 0; 2*cid+1 < len(toGlyph); cid++ {
		if t, ok := glyphs[u16(toGlyph, 2*cid)]; ok {
			out[cid] = t
		}
	}
	return out
}

// type1Encoding reads the clear part of a Type 1 program: "dup 65 /A put", or
// the word StandardEncoding.
func type1Encoding(data []byte) (e encoding, ok bool) {
	at := bytes.Index(data, []byte("/Encoding"))
	if at < 0 {
		return e, false
	}
	l := pdffile.NewLexer(data[at+len("/Encoding") : min(len(data), at+20_000)])
	var args []pdffile.Object
	for {
		o, err := l.Next()
		if err != nil {
			return e, ok
		}
		switch o {
		case pdffile.Keyword("StandardEncoding"):
			return standard(), true
		case pdffile.Keyword("put"):
			if len(args) >= 2 {
				c, isCode := args[len(args)-2].(int)
				n, isName := args[len(args)-1].(pdffile.Name)
				if isCode && isName && c >= 0 && c < 256 {
					e[c], ok = glyphOr(string(n)), true
				}
			}
			args = nil
		case pdffile.Keyword("def"), pdffile.Keyword("readonly"):
			if ok {
				return e, true
			}
		default:
			args = append(args, o)
		}
	}
}

// glyphOr is the text of a glyph name of a font program.
func glyphOr(name string) string {
	if name == ".notdef" {
		return ""
	}
	if t := glyphText(name); t != "" {
		return t
	}
	return NoText
}

func u16(b []byte, at int) int {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return int(b[at])<<8 | int(b[at+1])
}

func u32(b []byte, at int) int {
	return u16(b, at)<<16 | u16(b, at+2)
}
