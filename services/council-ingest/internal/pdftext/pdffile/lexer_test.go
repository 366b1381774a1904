package pdffile

import (
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLexer(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]Object{
		"1 -2 +3 4.5 -.5 6. --7 8-9 .":                  {1, -2, 3, 4.5, -0.5, 6.0, -7, 8, 0.0},
		"99999999999999999999 1.2.3 0x":                 {float64(99999999999999999999), 1.2, 0, Keyword("x")},
		"/Name /A#20B /# /":                             {Name("Name"), Name("A B"), Name("#"), Name("")},
		`(a(b)c) (\(\)\\\n\101\1018) (x\` + "\n" + `y)`: {String("a(b)c"), String("()\\\nAA8"), String("xy")},
		"(a\r\nb) (\\q) (open":                          {String("a\nb"), String("q"), String("open")},
		"<48 65 6C6c6F> <4> <4x8>":                      {String("Hello"), String("@"), String("H")},
		"[1 [2] (c) null true]":                         {Array{1, Array{2}, String("c"), nil, true}},
		"<< /A 1 /B << /C /D >> /E null /F /G >>":       {Dict{"A": 1, "B": Dict{"C": Name("D")}, "E": nil, "F": Name("G")}},
		"<< /A 1":                  {Dict{"A": 1}},
		"[1 2":                     {Array{1, 2}},
		"% remark\n1%x\r2":         {1, 2},
		"BT /F1 10 Tf(x)Tj T* 'ET": {Keyword("BT"), Name("F1"), 10, Keyword("Tf"), String("x"), Keyword("Tj"), Keyword("T*"), Keyword("'ET")},
		"] >> ) } true false":      {Keyword("]"), Keyword(">>"), Keyword(")"), Keyword("}"), true, false},
		"[1 0 R 2]":                {Array{1, 0, 2}}, // no references in content
	} {
		l := NewLexer([]byte(in))
		var got []Object
		for {
			o, err := l.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			got = append(got, o)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q:\n%s", in, diff)
		}
	}
}

func TestSkipInlineImage(t *testing.T) {
	t.Parallel()
	l := NewLexer([]byte("ID \x00 EI\x80\x81 EI \xff EI Q"))
	_, _ = l.Next() // ID
	l.SkipInlineImage()
	if o, _ := l.Next(); o != Keyword("Q") {
		t.Errorf("after the image: %v", o)
	}
}
