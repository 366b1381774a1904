package pdftext

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/page"
)

// testdata has samplePDF in the forms that other programs saved: encrypted, or with object streams
// and a compressed cross-reference in two parts.
func TestSavedByOthers(t *testing.T) {
	t.Parallel()
	want := inProcess(samplePDF())
	files, err := filepath.Glob("testdata/*.pdf")
	if err != nil || len(files) < 7 {
		t.Fatalf("found %d files, %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := inProcess(data)
		if isRefused(file) {
			if got.Verdict != council.VerdictEncrypted || len(got.Notes) != 1 || got.Notes[0].Code != page.NoteEncrypted {
				t.Errorf("%s: status %s, notes %v", file, got.Verdict, got.Notes)
			}
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", file, diff)
		}
	}
}

// isRefused reports whether a file in testdata has unsupported encryption.
func isRefused(file string) bool {
	return strings.Contains(file, "password") || strings.Contains(file, "aes-256") ||
		strings.Contains(file, "locked-packed") || strings.Contains(file, "rc4-40")
}

// TestUpdated reads a file with an incremental update, whose newest objects count.
func TestUpdated(t *testing.T) {
	t.Parallel()
	m := newMaker()
	m.plain = true
	m.page(at(72, 700, "F1", 10, "RESULT: ADOPTED [5 TO 2] as first printed"))
	data := m.bytes()
	old := bytes.LastIndex(data, []byte("xref\n0 "))
	n := len(m.objects) - 1 // the object with the content
	from := len(data)
	content := at(72, 700, "F1", 10, "RESULT: ADOPTED [6 TO 1] as corrected")
	data = append(data, []byte(fmt.Sprintf("%d 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n", n, len(content),
		content))...)
	at := len(data)
	data = append(data, []byte(fmt.Sprintf("xref\n%d 1\n%010d 00000 n \ntrailer\n<< /Size %d /Root 1 0 R /Prev %d "+
		">>\nstartxref\n%d\n%%%%EOF\n", n, from, n+2, old, at))...)
	got := inProcess(data)
	if want := "RESULT: ADOPTED [6 TO 1] as corrected\n"; got.Text != want {
		t.Errorf("got %q", got.Text)
	}
}

// The OCR text of a scan is kept, and a note reports it.
func TestHiddenText(t *testing.T) {
	t.Parallel()
	m := newMaker()
	n := m.stream("/Type /XObject /Subtype /Image /Width 4 /Height 4 /BitsPerComponent 8 /ColorSpace /DeviceGray",
		"0123456789abcdef")
	m.page(fmt.Sprintf("q 612 0 0 792 0 0 cm /X%d Do Q 3 Tr ", n) + voteBlock(72, 700, sampleVote...))
	got := inProcess(m.bytes())
	if got.Verdict != council.VerdictWhole || !strings.Contains(got.Text, "ADOPTED [6 TO 1]") {
		t.Errorf("status %s, text %q", got.Verdict, got.Text)
	}
	if len(got.Notes) != 1 || got.Notes[0].Code != page.NoteHiddenText {
		t.Errorf("notes %v", got.Notes)
	}
}

// Invisible text is omitted, and a note reports it. White text on a dark area is visible.
func TestUnseenText(t *testing.T) {
	t.Parallel()
	secret := at(72, 400, "F1", 10, "RESULT: DEFEATED")
	for name, c := range map[string]struct {
		content string
		seen    bool
	}{
		"in no colour":            {"3 Tr " + secret, false},
		"clip only":               {"7 Tr " + secret, false},
		"white":                   {"1 g " + secret, false},
		"white of three":          {"1 1 1 rg " + secret, false},
		"no ink":                  {"0 0 0 0 k " + secret, false},
		"white of a named space":  {"/DeviceRGB cs 1 1 1 sc " + secret, false},
		"off the page":            {"1 0 0 1 700 0 cm " + secret, false},
		"clipped":                 {"q 0 600 612 100 re W n " + secret + "Q", false},
		"on white ground":         {"1 g 0 300 612 200 re f " + secret, false},
		"on a dark ground":        {"0.2 g 0 300 612 200 re f 1 g " + secret, true},
		"white outline":           {"1 g 1 Tr " + secret, true},
		"white until restored":    {"q 1 g Q " + secret, true},
		"clip until restored":     {"q 0 600 612 100 re W n Q " + secret, true},
		"within the clip":         {"q 0 300 612 200 re W n " + secret + "Q", true},
		"tint of an unknown ink":  {"/Spot cs 1 scn " + secret, true},
		"shown elsewhere as well": {"1 g " + at(72, 300, "F1", 10, "What the page shows"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMaker()
			m.page(at(72, 700, "F1", 10, "The first page has nothing to hide."))
			m.page(at(72, 700, "F1", 10, "What the page shows, in so many words. ") + c.content)
			got := inProcess(m.bytes())
			if got.Verdict != council.VerdictWhole {
				t.Fatalf("status %s", got.Verdict)
			}
			hidden := strings.Contains(c.content, "DEFEATED") && !strings.Contains(got.Text, "DEFEATED")
			noted := len(got.Notes) == 1 && got.Notes[0].Code == page.NoteUnseenText && got.Notes[0].Page == 2 &&
				strings.Contains(got.Notes[0].Message, "RESULT: DEFEATED")
			if hidden == c.seen || noted == c.seen || c.seen && len(got.Notes) > 0 {
				t.Errorf("notes %v, text:\n%s", got.Notes, got.Text)
			}
		})
	}
}

// TestFilledForm reads the fields of a form that was filled in.
func TestFilledForm(t *testing.T) {
	t.Parallel()
	m := newMaker()
	look := m.stream("/Type /XObject /Subtype /Form /BBox [0 0 100 20] /Resources << /Font << "+m.fonts+" >> >>",
		at(2, 5, "F1", 10, "Kenneth Rosewood"))
	field := m.add(fmt.Sprintf("<< /Type /Annot /Subtype /Widget /Rect [130 695 230 715] /AP << /N %d 0 R >> >>", look))
	hidden := m.add(fmt.Sprintf("<< /Type /Annot /Subtype /Widget /F 2 /Rect [130 595 230 615] /AP << /N %d 0 R >> >>",
		look))
	m.extra = fmt.Sprintf("/Annots [%d 0 R %d 0 R]", field, hidden)
	m.page(at(72, 700, "F2", 10, "MOVER:"))
	got := inProcess(m.bytes())
	if want := "MOVER:      Kenneth Rosewood\n"; got.Text != want {
		t.Errorf("got %q", got.Text)
	}
}

func BenchmarkRead(b *testing.B) {
	m := newMaker()
	for range 20 {
		var page strings.Builder
		for y := 60.0; y < 760; y += 90 {
			page.WriteString(voteBlock(72, y, sampleVote...))
		}
		m.page(page.String())
	}
	data := m.bytes()
	b.ReportAllocs()
	for b.Loop() {
		inProcess(data)
	}
	b.ReportMetric(float64(20*b.N)/b.Elapsed().Seconds(), "pages/s")
}
