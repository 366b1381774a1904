package pdffile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOperators gives operators with their operands, whichever program wrote them.
func TestOperators(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"q 1 0 0 RG 1 0 0 1 72.50 .5 cm":                      "[] q|[1 0 0] RG|[1 0 0 1 72.5 0.5] cm|",
		"BT/F1 12 Tf(a\\(b\\)\\101\r\n)Tj<48 6>Tj ET":         "[] BT|[F1 12] Tf|[a(b)A\n] Tj|[H`] Tj|[] ET|",
		"[(a)-20.0(b)]TJ T* (c)' 1 2(d)\"":                    "[[a -20 b]] TJ|[] T*|[c] '|[1 2 d] \"|",
		"/Span<</MCID 0>>BDC EMC":                             "[Span map[MCID:0]] BDC|[] EMC|",
		"BI /W 1 /H 1 ID \x00(\xff EI Q 1 2 m":                "[] BI|[W 1 H 1] EI|[] Q|[1 2] m|",
		"99999999999999999999 --5 5- .. Td (x Tj":             "[1e+20 -5 5 0] Td|",
		"/A#20#2f#zz Do ) ] >> } Tj":                          "[A /#zz] Do|[] )|[] ]|[] >>|[] }|[] Tj|",
		strings.Repeat("7 ", 9) + "w":                         "[7 7 7 7 7 7] w|",
		"2 beginbfrange <01><02>[/a<0062>]endbfrange endcmap": "[2] beginbfrange|[\x01 \x02 [a \x00b]] endbfrange|[] endcmap|",
	} {
		var b strings.Builder
		Operators([]byte(given), 6, func(op Keyword, operands Operands) { fmt.Fprintf(&b, "%v %s|", operands, op) })
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("%q:\n%s", given, diff)
		}
	}
}

// TestOpen reads one file with everything in it that is not as it should be.
func TestOpen(t *testing.T) {
	t.Parallel()
	body := string(zipped("BT /F1 10 Tf (first) Tj"))
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R /OCProperties << /D << /OFF [9 0 R] >> >> /Names 99 0 R >>",
		"<< /Type /Pages /Kids [3 0 R 2 0 R] /Count 900 /MediaBox [0 792 612 0] /Resources 4 0 R /Rotate 450 >>",
		"<< /Type /Page /Parent 77 0 R /Contents [5 0 R 6 0 R] /Annots [<< /Subtype /Link >> << /Subtype /Stamp /Rect [1 2 3 4] /AP << /N 8 0 R >> >>] /Thumb 7 0 R >>",
		"<< /Font << /F1 10 0 R >> /XObject << /I 7 0 R /X 8 0 R >> /Pattern 7 0 R /Properties << /L 9 0 R >> >>",
		fmt.Sprintf("<< /Filter /FlateDecode /Length 1 >>\nstream\n%s\nendstream", body),
		"<< /Length 9 >>\nstream\nET 0 g /I Do\nendstream",
		"<< /Subtype /Image /Length 5 >>\nstream\npixel\nendstream",
		"<< /Subtype /Form /Filter /Nonsense /Resources 4 0 R /Length 1 >>\nstream\nx\nendstream",
		"<< /Type /OCG /Name (hidden) >>",
		"<< /Type /Font /Subtype /Type3 /FirstChar 65 /Widths 11 0 R /CharProcs << /A 5 0 R >> /FontDescriptor << /FontName /X /Flags 12 0 R >> >>",
		"[500 600]", "32",
	}
	var b strings.Builder
	b.WriteString("rubbish%PDF-1.4\n")
	for i, o := range objects {
		fmt.Fprintf(&b, "%d 0 obj %s endobj\n", i+1, o)
	}
	b.WriteString("trailer << /Root 1 0 R >>")
	f, err := Open([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	pages, more := f.Pages(10)
	if flaws := f.Flaws(); more || !slices.ContainsFunc(flaws, func(f Flaw) bool { return !f.Lost && strings.Contains(f.Message, "search") }) ||
		!slices.Contains(flaws, Flaw{Lost: true, Message: "the file has 1 pages and says that it has 900"}) || !f.Lost() || f.Search() != nil {
		t.Errorf("flaws %v, more %v", flaws, more)
	}
	if len(pages) != 1 {
		t.Fatalf("%d pages", len(pages))
	}
	page := pages[0]
	content, err := page.Content()
	if err != nil {
		t.Error(err)
	}
	form := page.Resources.Key("XObject").Named("X")
	_, damage := form.Data()
	font := page.Resources.Key("Font").Named("F1")
	for what, c := range map[string][2]any{
		"box":             {page.Box, [4]float64{0, 0, 612, 792}},
		"rotation":        {page.Rotate, 90},
		"content":         {string(content), "BT /F1 10 Tf (first) Tj\nET 0 g /I Do\n\n"},
		"damage":          {fmt.Sprint(damage), `unknown filter "Nonsense"`},
		"a form's own":    {form.Key("Resources").Number(), page.Resources.Number()},
		"layer":           {f.Hidden(), map[int]bool{9: true}},
		"its number":      {page.Resources.Option("Properties").Named("L").Number(), 9},
		"remarks":         {page.Option("Annots").Index(1).Key("Subtype").Name(), "Stamp"},
		"a remark's form": {page.Option("Annots").Index(1).Key("AP").Key("N").Number(), form.Number()},
		"widths":          {font.Key("Widths").Floats(), []float64{500, 600}},
		"flags":           {font.Key("FontDescriptor").Key("Flags").Int(), 32},
	} {
		if diff := cmp.Diff(c[1], c[0]); diff != "" {
			t.Errorf("%s:\n%s", what, diff)
		}
	}
}

// TestMissing notes what is referred to and missing, and keys that are those of the standard but for one letter.
func TestMissing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ask  func(Value) Value
		want string
	}{
		"a font":         {func(v Value) Value { return v.Key("Font").Named("F1") }, "object 77 is missing"},
		"widths":         {func(v Value) Value { return v.Key("Widths").Index(1) }, "object 78 is missing"},
		"a state":        {func(v Value) Value { return v.Option("ExtGState").Named("G") }, ""},
		"a key":          {func(v Value) Value { return v.Key("XObject") }, `a dictionary has a key "XNbject" that is /XObject but for one letter`},
		"another":        {func(v Value) Value { return v.Key("FontFile2") }, ""}, // though FontFile3 is there
		"a name of ours": {func(v Value) Value { return v.Named("FontFile") }, ""},
		"no dictionary":  {func(v Value) Value { return v.Index(3).Key("Font").Named("x") }, ""},
	} {
		f := &File{}
		f.reset()
		v := f.Value(Dict{"Font": Dict{"F1": Ref{Num: 77}}, "Widths": Array{1, Ref{Num: 78}}, "ExtGState": Dict{"G": Ref{Num: 79}}, "XNbject": 1, "FontFile3": 1})
		if got := c.ask(v); !got.IsNull() {
			t.Errorf("%s: %v", name, got.object)
		}
		said := ""
		for _, flaw := range f.Flaws() {
			said += flaw.Message
		}
		if said != c.want {
			t.Errorf("%s: %q, not %q", name, said, c.want)
		}
	}
}
