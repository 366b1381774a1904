package pdffile

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestPackedOutOfReach opens object streams and tables that point outside of what they hold: that is damage, and no panic.
func TestPackedOutOfReach(t *testing.T) {
	t.Parallel()
	const inside = "5 0 6 9 <</A 1>> <</B 2>>"
	for name, c := range map[string]struct {
		dict  string
		index int
	}{
		"begins before":       {"/N 2 /First -9", 0},
		"begins far before":   {"/N 2 /First -9223372036854775807", 0},
		"begins behind":       {"/N 2 /First 999999", 0},
		"begins far behind":   {"/N 2 /First 9223372036854775807", 0},
		"less than nothing":   {"/N -1 /First 8", 0},
		"more than there are": {"/N 9999999 /First 8", 5},
		"index before":        {"/N 2 /First 8", -1},
		"index behind":        {"/N 2 /First 8", 99},
	} {
		f := &File{data: fmt.Appendf(nil, "4 0 obj <</Type/ObjStm %s /Length %d>>\nstream\n%s\nendstream endobj", c.dict, len(inside), inside)}
		f.reset()
		f.xref[4] = entry{}
		f.xref[6] = entry{in: 4, index: c.index}
		f.xref[7] = entry{in: 4, index: c.index}
		o := f.Value(Ref{Num: 6})
		if within := strings.Contains(c.dict, "/First 8"); within != (o.Key("B").Int() == 2) && c.dict[3] != '-' {
			t.Errorf("%s: object 6 is %v", name, o)
		}
		if !f.Value(Ref{Num: 7}).IsNull() || len(f.flaws) == 0 || !f.flaws[0].Lost {
			t.Errorf("%s: an object that is not there is no loss: %v", name, f.flaws)
		}
	}
}

// TestAnyBytesMakeNoPanic opens a file with every byte of it changed in turn.
func TestAnyBytesMakeNoPanic(t *testing.T) {
	t.Parallel()
	packed := "5 0 6 40 <</Type/Pages/Count 1/Kids[6 0 R]>>     <</Type/Page/Contents 7 0 R>>"
	var b bytes.Buffer
	b.WriteString("%PDF-1.5\n")
	at := map[int]int{}
	for n, o := range map[int]string{
		1: "<</Type/Catalog/Pages 5 0 R>>",
		4: fmt.Sprintf("<</Type/ObjStm/N 2/First 9/Length %d>>\nstream\n%s\nendstream", len(packed), packed),
		7: "<</Length 20>>\nstream\nBT (a) Tj (b) Tj ET \nendstream",
	} {
		at[n] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj %s endobj\n", n, o)
	}
	start := b.Len()
	var table []byte
	for n := range 9 {
		switch n {
		case 5, 6:
			table = append(table, 2, 0, 4, byte(n-5))
		default:
			table = append(table, 1, byte(at[n]>>8), byte(at[n]), 0)
		}
	}
	fmt.Fprintf(&b, "8 0 obj <</Type/XRef/Root 1 0 R/W[1 2 1]/Size 9/Length %d>>\nstream\n%s\nendstream endobj\nstartxref\n%d\n%%%%EOF", len(table), table, start)
	whole := b.Bytes()
	read := func(data []byte) ([]Flaw, error) {
		f, err := Open(data)
		if err != nil {
			return nil, err
		}
		pages, _ := f.Pages(10)
		for _, p := range pages {
			_, _ = p.Content() // what comes of it is not the question here
		}
		return f.Flaws(), nil
	}
	if flaws, err := read(whole); err != nil || len(flaws) > 0 {
		t.Fatalf("%v, %v", flaws, err)
	}
	for i := range whole {
		for _, c := range []byte{0, '-', '9', 0xff, whole[i] ^ 1, whole[i] ^ 0x80} {
			d := bytes.Clone(whole)
			d[i] = c
			_, _ = read(d) // likewise
		}
	}
}
