package demo_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/ledongthuc/pdf"

	"github.com/townline/townline/services/townline/demo/typeset"
)

// sample is a document of two pages with every font, marks, brackets and a picture.
func sample(t *testing.T, widths bool) []byte {
	t.Helper()
	d := &typeset.Doc{Title: "Minutes (draft) of O\\Neil", Widths: widths}
	p := d.AddPage()
	for f := typeset.Times; f <= typeset.HelveticaBold; f++ {
		p.Text(72, 700-20*float64(f), f, 11, "Señor O’Rourke (RESULT:) 50% – “yes” \\ no")
	}
	p.Rule(72, 500, 300, 500)
	p.Box(72, 400, 50, 20, 0.9)
	second := d.AddPage()
	second.Picture(2, 2, []byte{0, 128, 255, 64})
	second.Text(72, 72, typeset.Times, 9, "Page 2 of 2")
	out, err := d.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestReadersSeeTheText(t *testing.T) {
	t.Parallel()
	for _, widths := range []bool{false, true} {
		file := sample(t, widths)
		r, err := pdf.NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		if r.NumPage() != 2 {
			t.Fatalf("%d pages", r.NumPage())
		}
		text, err := r.Page(1).GetPlainText(nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text, "Señor O’Rourke (RESULT:) 50% – “yes” \\ no"); n != int(typeset.HelveticaBold)+1 {
			t.Errorf("widths %v: the line is there %d times in %q", widths, n, text)
		}
		for _, g := range r.Page(1).Content().Text {
			want := 0.0
			if widths {
				want = typeset.Width(typeset.Font(0), 1, g.S)
			}
			if g.Font == "Times-Roman" && math.Abs(g.W-want*g.FontSize) > 0.02 && g.S != "\n" {
				t.Errorf("widths %v: %q is %v wide", widths, g.S, g.W)
			}
		}
	}
}

func TestSameCallsSameBytes(t *testing.T) {
	t.Parallel()
	if !bytes.Equal(sample(t, true), sample(t, true)) {
		t.Error("two files differ")
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("council of the city ", 20)
	for _, measure := range []float64{1, 60, 144, 400} {
		lines := typeset.Wrap(typeset.Helvetica, 10, measure, text)
		for _, l := range lines {
			if strings.Contains(l, " ") && typeset.Width(typeset.Helvetica, 10, l) > measure+1e-9 {
				t.Errorf("%q is wider than %v", l, measure)
			}
		}
		if strings.Join(lines, " ") != strings.TrimSpace(text) {
			t.Errorf("words were lost at %v", measure)
		}
	}
	// Adobe's metrics: T 611, h 500, e 444.
	if w := typeset.Width(typeset.Times, 10, "The"); math.Abs(w-15.55) > 1e-9 {
		t.Errorf("The is %v wide", w)
	}
	if typeset.Width(typeset.Times, 10, "é") != typeset.Width(typeset.Times, 10, "e") {
		t.Error("an accent changed the width")
	}
}
