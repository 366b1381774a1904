package pdffile

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

const poem = "the quick brown fox jumps over the lazy dog, the quick brown fox jumps again; "

func zipped(s string) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.Bytes()
}

func TestFilters(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(poem, 300)
	var a85 bytes.Buffer
	enc := ascii85.NewEncoder(&a85)
	_, _ = enc.Write([]byte(poem + "\x00\x00\x00\x00"))
	_ = enc.Close()
	png := "\x02abc\x02\x01\x01\x01\x01d\x01\x01\x00xyz\x03\x02\x02\x02\x04\x01\x01\x01"
	for name, c := range map[string]struct {
		dict Dict
		raw  []byte
		want string
	}{
		"none":                {Dict{}, []byte(poem), poem},
		"flate":               {Dict{"Filter": Name("FlateDecode")}, zipped(long), long},
		"flate, other header": {Dict{"Filter": Name("Fl")}, append([]byte("\x7a\x9c"), zipped(poem)[2:]...), poem},
		"flate, more behind":  {Dict{"Filter": Name("Fl")}, append(zipped(poem), "\r\n"...), poem},
		"hex":                 {Dict{"Filter": Array{Name("ASCIIHexDecode")}}, []byte(hex.EncodeToString([]byte(poem)) + ">"), poem},
		"ascii85":             {Dict{"Filter": Name("A85")}, []byte("<~" + a85.String() + "~>"), poem + "\x00\x00\x00\x00"},
		"two filters":         {Dict{"Filter": Array{Name("AHx"), Name("Fl")}, "DecodeParms": Array{nil, Dict{}}}, []byte(hex.EncodeToString(zipped(poem))), poem},
		"png predictor": {Dict{"Filter": Name("FlateDecode"), "DecodeParms": Dict{"Predictor": 15, "Columns": 3}}, zipped(png),
			"abc" + "bcd" + "def" + "xyz" + ">]m" + "?^n"},
	} {
		f := &File{}
		f.reset()
		got, err := f.Value(&Stream{Dict: c.dict, raw: c.raw}).Data()
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %.80q, %v", name, got, err)
		}
	}
}

// flipped is data with one bit of a byte turned over.
func flipped(data []byte, at int) []byte {
	out := bytes.Clone(data)
	out[at] ^= 1
	return out
}

func TestDamagedStreams(t *testing.T) {
	t.Parallel()
	long := zipped(strings.Repeat(poem, 300) + "end")
	for name, s := range map[string]*Stream{
		"cut":        {Dict: Dict{"Filter": Name("FlateDecode")}, raw: long[:len(long)/2]},
		"unknown":    {Dict: Dict{"Filter": Name("Nonsense")}, raw: long},
		"one bit":    {Dict: Dict{"Filter": Name("FlateDecode")}, raw: flipped(long, len(long)/2)},
		"the sum":    {Dict: Dict{"Filter": Name("FlateDecode")}, raw: flipped(long, len(long)-1)},
		"no sum":     {Dict: Dict{"Filter": Name("FlateDecode")}, raw: long[:len(long)-4]},
		"no header":  {Dict: Dict{"Filter": Name("FlateDecode")}, raw: long[2 : len(long)-4]},
		"no end":     {Dict: Dict{}, raw: []byte(poem), state: streamCut},
		"run length": {Dict: Dict{"Filter": Name("RL")}, raw: []byte("\x02ab")},
		"image":      {Dict: Dict{"Filter": Name("DCTDecode")}, raw: long},
		"lzw":        {Dict: Dict{"Filter": Name("LZWDecode")}, raw: bytes.Repeat([]byte{0xff}, 20)},
		"tiff":       {Dict: Dict{"Filter": Name("FlateDecode"), "DecodeParms": Dict{"Predictor": 2}}, raw: zipped(poem)},
		"filters":    {Dict: Dict{"Filter": Array{Name("Fl"), Name("Fl"), Name("Fl"), Name("Fl"), Name("Fl"), Name("Fl"), Name("Fl"), Name("Fl"), Name("Fl")}}, raw: long},
	} {
		f := &File{}
		f.reset()
		got, err := f.Value(s).Data()
		if err == nil {
			t.Errorf("%s: no error, %d bytes", name, len(got))
		}
		if name == "cut" && !strings.HasPrefix(string(got), poem) {
			t.Errorf("what stood before the damage is lost: %.40q", got)
		}
	}
}

func TestBomb(t *testing.T) {
	t.Parallel()
	f := &File{}
	f.reset()
	f.inflated = maxInflate - 100 // a file that has used up nearly all it may
	got, err := f.Value(&Stream{Dict: Dict{"Filter": Name("FlateDecode")}, raw: zipped(strings.Repeat("x", 1000))}).Data()
	if !errors.Is(err, ErrTooLarge) || len(got) > 100 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
