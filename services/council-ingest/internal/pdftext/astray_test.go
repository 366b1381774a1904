package pdftext

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
)

// TestAstray changes a letter, or a number, of what leads to the text of a file, whose table stays right: text that is missing, or that stands for
// other text, is never published as whole.
func TestAstray(t *testing.T) {
	t.Parallel()
	font := func(entries string, objects ...string) func(*maker) {
		return func(m *maker) {
			m.objects[2] = strings.Replace(m.objects[2], ">>", entries+" >>", 1)
			m.objects = append(m.objects, objects...)
		}
	}
	page := func(resources, object, content string) func(*maker) {
		return func(m *maker) {
			m.add(object)
			m.page(content + at(72, 700, "F1", 10, "The meeting was adjourned."))
			last := &m.objects[len(m.objects)-1]
			*last = strings.Replace(*last, "/XObject <<", resources+"/XObject <<", 1)
		}
	}
	widths := "/FirstChar 32 /LastChar 126 /Widths [" + strings.Repeat("500 ", 95) + "]"
	letters := font("/ToUnicode 15 0 R", "<< /Length 60 >>\nstream\nbegincmap 1 beginbfchar <41> <0041> endbfchar endcmap        \nendstream")
	for name, c := range map[string]struct {
		whole    func(m *maker) // what the file has besides; its first object is 15
		old, new string         // in one of its objects
		want     council.Verdict
	}{
		"another key than that of the content":  {nil, "/Contents 9 0 R", "/CoZtents 9 0 R", council.VerdictPartial},
		"a letter for the blank behind a key":   {nil, "/Encoding /WinAnsiEncoding", "/Encodingx/WinAnsiEncoding", council.VerdictPartial},
		"content of another page":               {nil, "/Contents 9 0 R", "/Contents 11 0 R", council.VerdictRepaired},
		"content of another page, in a list":    {nil, "/Contents 9 0 R", "/Contents [11 0 R]", council.VerdictRepaired},
		"a page that is none":                   {nil, "/Kids [ 8 0 R", "/Kids [ <<>> ", council.VerdictPartial},
		"a page in place of the page tree":      {nil, "/Pages 2 0 R", "/Pages 8 0 R", council.VerdictPartial},
		"a part in place of the page tree":      {font("", "<< /Type /Pages /Parent 2 0 R /Kids [8 0 R] /Count 1 >>"), "/Pages 2 0 R", "/Pages 15 0 R", council.VerdictPartial},
		"too few widths":                        {font(widths), widths, strings.Replace(widths, "500 ", "", 40), council.VerdictRepaired},
		"two widths in one":                     {font(widths), widths, strings.ReplaceAll(widths, "500 500 ", "500500500 "), council.VerdictPartial},
		"two broken widths in one":              {font("/FirstChar 0 /Widths [.5 .5 500]"), "[.5 .5 500", "[.5500.5 500", council.VerdictPartial},
		"a dictionary for a table of letters":   {letters, "/ToUnicode 15 0 R", "/ToUnicode 2 0 R", council.VerdictPartial},
		"page content for a table of letters":   {letters, "/ToUnicode 15 0 R", "/ToUnicode 9 0 R", council.VerdictPartial},
		"a state that may hide or show":         {page("/ExtGState << /GS 15 0 R >> ", "<< /ca 1 >>", "/GS gs "), "/GS 15 0 R", "/GS 95 0 R", council.VerdictPartial},
		"an object that the page does not have": {page("", "<< /Subtype /Form /Length 1 >>\nstream\nn\nendstream", "/X15 Do "), "/X15 15 0 R", "/X16 15 0 R", council.VerdictRepaired},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := sitting(false)
			if c.whole != nil {
				c.whole(m)
			}
			w := witnessed(t, name, m.bytes())
			if got := inProcess(w.data); got.Verdict != council.VerdictWhole {
				t.Fatalf("before: %s, %v", got.Verdict, got.Notes)
			}
			changed := 0
			for i, o := range m.objects {
				if m.objects[i] = strings.Replace(o, c.old, c.new, 1); m.objects[i] != o {
					changed++
				}
			}
			if changed == 0 {
				t.Fatalf("nothing has %q", c.old)
			}
			if got := inProcess(assemble(m.objects, "")); got.Verdict != c.want || len(got.Notes) == 0 {
				t.Errorf("%s, want %s; notes %v", got.Verdict, c.want, got.Notes)
			}
		})
	}
}

// TestUpdateAstray saves a page anew, with a table that gives it another number, or has no row for it: the page as it was before is not the file.
func TestUpdateAstray(t *testing.T) {
	t.Parallel()
	m := sitting(true)
	data := m.bytes()
	object := "\n9 0 obj\n" + strings.Replace(m.objects[8], "ADOPTED", "DEFEATE", 1) + "\nendobj\n"
	for head, want := range map[string]council.Verdict{"9 1\n": council.VerdictWhole, "90 1\n": council.VerdictRepaired, "9 1\n%": council.VerdictRepaired} {
		at := len(data)
		updated := fmt.Sprintf("%s%sxref\n%s%010d 00000 n \ntrailer\n<< /Size 15 /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n",
			data, object, head, at+1, bytes.LastIndex(data, []byte("xref\n0 ")), at+len(object))
		got := inProcess([]byte(updated))
		if got.Verdict != want || !strings.Contains(got.Text, "DEFEATE") {
			t.Errorf("%q: %s, %v, want %s; the page saved last is there: %t", head, got.Verdict, got.Notes, want, strings.Contains(got.Text, "DEFEATE"))
		}
	}
}
