package pdftext

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
)

// FuzzFile looks for panics and hangs in files.
func FuzzFile(f *testing.F) {
	f.Add(samplePDF())
	for _, name := range slices.Sorted(maps.Keys(fontPages)) {
		m := newMaker()
		m.plain = true
		fontPages[name](m)
		f.Add(m.bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<20 {
			t.Skip("large")
		}
		if _, err := Extract(t.Context(), data, Limits{}); err != nil { // the limits apply
			t.Fatal(err)
		}
	})
}

// FuzzContent looks for panics and hangs in the content of pages.
func FuzzContent(f *testing.F) {
	f.Add(voteBlock(72, 700, sampleVote...))
	f.Add("q 0 1 -1 0 612 0 cm BT /F1 10 Tf 14 TL 72 700 Td 3 Tr (a) Tj T* [(b) -300 (c)] TJ ET Q BI /W 1 ID x EI /OC " +
		"/L BDC EMC 1 2 3 4 re f /X1 Do")
	f.Add("BT /F3 10 Tf 72 700 Td (\\264) Tj (e) ' 1 2 (x) \" 50 Tz 5 Ts 0 Tw [1 [2] <</A 1>>] TJ ET 0 0 m 0 100 l S 1 " +
		"2 3 4 5 6 c")
	f.Fuzz(func(t *testing.T, content string) {
		if len(content) > 1<<16 {
			t.Skip("large")
		}
		m := newMaker()
		m.plain = true
		m.page(content)
		mustNotFail(t, m.bytes())
	})
}

func mustNotFail(t *testing.T, data []byte) {
	t.Helper()
	got := inProcess(data)
	if !got.Verdict.Readable() && got.Verdict != council.VerdictPartial && got.Verdict != council.VerdictTooLarge &&
		got.Pages == 0 {
		t.Fatal(got.Verdict, got.Notes) // the verdict reports a panic
	}
	if strings.ContainsAny(got.Text, "\x00\r\t\v") {
		t.Fatalf("the text has control characters: %q", got.Text)
	}
}
