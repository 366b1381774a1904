package pdffile

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ledongthuc/pdf"
	"pgregory.net/rapid"
)

// TestTokens holds what content comes out as: what does not bear on text is
// gone, and what is left any reader can read.
func TestTokens(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"q 1 0 0 RG 2 w 1 0 0 1 72.50 .5 cm":                     "q\n1 0 0 1 72.5 0.5 cm\n",
		"BT/F1 12 Tf(a\\(b\\)\\101\r\n)Tj<48 6>Tj ET":            "BT\n/F1 12 Tf\n(a\\(b\\)A\n) Tj\n(H`) Tj\nET\n",
		"[(a)-20.0(b)]TJ T* (c)' 1 2(d)\"":                       "[(a) -20.0 (b)] TJ\nT*\n(c) '\n1 2 (d) \"\n",
		"/Span<</MCID 0/ActualText<feff>>>BDC EMC":               "/Span <</ActualText (\xfe\xff)/MCID 0>> BDC\nEMC\n",
		"BI /W 1 /H 1 ID \x00(\xff EI Q 1 2 m":                   "EI\nQ\n1 2 m\n",
		"1e5 dict begin 99999999999999999999 --5 5- .. Td (x Tj": "100000000000000000000.0 -5 5 0.0 Td\n",
		"/A#20#2f#zz Do ) ] >> } Tj":                             "/A#20#2F#23zz Do\nTj\n",
	} {
		if diff := cmp.Diff(want, string(first(contentTokens([]byte(given))))); diff != "" {
			t.Errorf("%q:\n%s", given, diff)
		}
	}
	given := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00><ff> endcodespacerange 1 beginbfrange <01><02>[/a<0062>]endbfrange end"
	if diff := cmp.Diff("(\x00) (\xff) endcodespacerange\n(\x01) (\x02) [/a (\x00b)] endbfrange\n", string(codeTokens([]byte(given)))); diff != "" {
		t.Error(diff)
	}
}

// TestWritten proves that every object comes back from another reader as it was written.
func TestWritten(t *testing.T) {
	t.Parallel()
	var object *rapid.Generator[Object]
	leaf := rapid.OneOf(
		rapid.Just[Object](nil), rapid.Map(rapid.Bool(), box[bool]), rapid.Map(rapid.Int(), box[int]),
		rapid.Map(rapid.Float64Range(-math.MaxFloat32, math.MaxFloat32), box[float64]),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) Object { return String(b) }),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) Object { return Name(b) }),
	)
	name := rapid.Map(rapid.StringN(0, 10, -1), func(s string) Name { return Name(s) })
	object = leaf
	for range 3 {
		object = rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(object, 0, 4), func(a []Object) Object { return Array(a) }),
			rapid.Map(rapid.MapOfN(name, object, 0, 4), func(m map[Name]Object) Object { return Dict(m) }))
	}
	rapid.Check(t, func(t *rapid.T) {
		want := object.Draw(t, "object")
		var w writer
		w.begin()
		n := w.next()
		w.put(n, Dict{"It": want})
		w.stream(w.next(), Dict{}, []byte("content"))
		data := w.end()
		r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		got := r.Trailer().Key("Root").Key("It")
		if diff := cmp.Diff(shown(want), theirs(got)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func first(out []byte, _, _ int) []byte { return out }

func box[T any](v T) Object { return v }

// shown and theirs write an object of ours and of another reader in one form.
func shown(o Object) any {
	switch o := o.(type) {
	case int:
		return int64(o)
	case Name:
		return "/" + string(o)
	case String:
		return string(o)
	case Array:
		out := []any{}
		for _, e := range o {
			out = append(out, shown(e))
		}
		return out
	case Dict:
		out := map[string]any{}
		for k, v := range o {
			if v != nil { // the same as no entry
				out[string(k)] = shown(v)
			}
		}
		return out
	}
	return o
}

func theirs(v pdf.Value) any {
	switch v.Kind() {
	case pdf.Bool:
		return v.Bool()
	case pdf.Integer:
		return v.Int64()
	case pdf.Real:
		return v.Float64()
	case pdf.String:
		return v.RawString()
	case pdf.Name:
		return "/" + v.Name()
	case pdf.Array:
		out := []any{}
		for i := range v.Len() {
			out = append(out, theirs(v.Index(i)))
		}
		return out
	case pdf.Dict:
		out := map[string]any{}
		for _, k := range v.Keys() {
			if e := v.Key(k); !e.IsNull() {
				out[k] = theirs(e)
			}
		}
		return out
	}
	return nil
}

// TestClean looks at what becomes of one file with everything in it that a plain one has not.
func TestClean(t *testing.T) {
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
	p, err := Clean([]byte(b.String()), 10)
	if err != nil {
		t.Fatal(err)
	}
	if p.More || !slices.ContainsFunc(p.Flaws, func(f Flaw) bool { return !f.Lost && strings.Contains(f.Message, "search") }) ||
		!slices.Contains(p.Flaws, Flaw{Lost: true, Message: "the file has 1 pages and says that it has 900"}) {
		t.Errorf("flaws %v, more %v", p.Flaws, p.More)
	}
	r, err := pdf.NewReader(bytes.NewReader(p.PDF), int64(len(p.PDF)))
	if err != nil {
		t.Fatal(err)
	}
	page := r.Page(1)
	if n := r.NumPage(); n != 1 || !r.Page(2).V.IsNull() {
		t.Errorf("%d pages", n)
	}
	read := func(v pdf.Value) string {
		data, err := io.ReadAll(v.Reader())
		if err != nil {
			t.Error(err)
		}
		return string(data)
	}
	form := page.Resources().Key("XObject").Key("X")
	for what, c := range map[string][2]any{
		"box":             {theirs(page.V.Key("MediaBox")), []any{0.0, 0.0, 612.0, 792.0}},
		"rotation":        {page.V.Key("Rotate").Int64(), int64(90)},
		"content":         {read(page.V.Key("Contents")), "BT\n/F1 10 Tf\n(first) Tj\nET\n0 g\n/I Do\n"},
		"image":           {read(page.Resources().Key("XObject").Key("I")), ""},
		"damage":          {form.Key(KeyDamage).RawString(), `unknown filter "Nonsense"`},
		"a form's own":    {form.Key("Resources").Keys(), page.Resources().Keys()},
		"left out":        {page.Resources().Keys(), []string{"Font", "Properties", "XObject"}},
		"layer":           {page.Resources().Key("Properties").Key("L").Key(KeyIsOff).Bool(), true},
		"remarks":         {page.V.Key("Annots").Len(), 1},
		"a remark's form": {page.V.Key("Annots").Index(0).Key("AP").Key("N").Key(KeyNumber).Int64(), form.Key(KeyNumber).Int64()},
		"widths":          {page.Font("F1").Width(66), 0.0}, // no LastChar, which is not kept
		"flags":           {page.Font("F1").V.Key("FontDescriptor").Key("Flags").Int64(), int64(32)},
		"font's keys":     {strings.Join(page.Font("F1").V.Keys(), " "), "FirstChar FontDescriptor Subtype " + KeyNumber + " Widths"},
	} {
		if diff := cmp.Diff(c[1], c[0]); diff != "" {
			t.Errorf("%s:\n%s", what, diff)
		}
	}
}
