package pdftext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/council"
)

// samplePDF returns a valid file of two pages. Tests damage it.
func samplePDF() []byte {
	m := newMaker()
	m.page(voteBlock(72, 700, sampleVote...))
	m.page(attendance(72, 700))
	return m.bytes()
}

// hostile has hostile files and the expected results.
var hostile = map[string]struct {
	data   func() []byte
	limits Limits
	want   council.Verdict
	heavy  bool // with the race detector it takes half a minute
}{
	"empty": {data: func() []byte { return nil }, want: council.VerdictUnreadable},
	"a web page": {data: func() []byte {
		return []byte("<!DOCTYPE html><html>404</html>")
	}, want: council.VerdictUnreadable},
	"header only":    {data: func() []byte { return []byte("%PDF-1.7\n") }, want: council.VerdictUnreadable},
	"no pages":       {data: func() []byte { return newMaker().bytes() }, want: council.VerdictUnreadable},
	"file too large": {data: samplePDF, limits: Limits{Bytes: 100}, want: council.VerdictTooLarge},
	"page tree that holds itself": {want: council.VerdictUnreadable, data: func() []byte {
		return assemble([]string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [2 0 R 3 0 R] >>",
			"<< /Type /Pages /Count 1 /Kids [2 0 R] >>"}, "")
	}},
	"parents in a circle": {want: council.VerdictWhole, data: func() []byte {
		m := newMaker()
		m.page(at(72, 700, "F1", 10, "a page, whatever its parents are"))
		return bytes.ReplaceAll(m.bytes(), []byte("/Parent 2 0 R"), []byte("/Parent 8 0 R"))
	}},
	"references in a circle": {want: council.VerdictUnreadable, data: func() []byte {
		return assemble([]string{"<< /Type /Catalog /Pages 2 0 R >>", "3 0 R", "2 0 R"}, "")
	}},
	"two thousand million pages": {want: council.VerdictPartial, data: func() []byte {
		m := newMaker()
		m.page(attendance(72, 700))
		m.bytes()
		m.objects[1] = strings.Replace(m.objects[1], "/Count 1", "/Count 2000000000", 1)
		return assemble(m.objects, "")
	}},
	"more pages than allowed": {data: samplePDF, limits: Limits{Pages: 1}, want: council.VerdictTooLarge},
	"pages by the million": {want: council.VerdictTooLarge, data: func() []byte {
		kids := strings.Repeat("<</Type/Page>>", 10_000)
		return assemble([]string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Kids [" + kids + "] >>"}, "")
	}},
	"deep nesting": {want: council.VerdictUnreadable, data: func() []byte {
		return assemble([]string{"<< /Type /Catalog /Pages 2 0 R >>", strings.Repeat("[", 200_000)}, "")
	}},
	"deep page tree": {want: council.VerdictUnreadable, data: func() []byte {
		objects := []string{"<< /Type /Catalog /Pages 2 0 R >>"}
		for i := range 5000 {
			objects = append(objects, fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R] >>", i+3))
		}
		return assemble(objects, "")
	}},
	"table that goes back to itself": {want: council.VerdictTooLarge, limits: Limits{Time: 300 * time.Millisecond},
		data: func() []byte {
			d := samplePDF()
			at := bytes.LastIndex(d, []byte("xref\n0 "))
			return bytes.Replace(d, []byte("/Root"), fmt.Appendf(nil, "/Prev %d /Root", at), 1)
		}},
	"stream that inflates for ever": {want: council.VerdictTooLarge, heavy: true, data: func() []byte {
		m := newMaker()
		m.page(strings.Repeat(" ", 65<<20) + at(72, 700, "F1", 10, "late"))
		return m.bytes()
	}},
	"form that draws itself": {want: council.VerdictWhole, data: func() []byte {
		m := newMaker()
		n := len(m.objects) + 1
		m.stream(fmt.Sprintf("/Type /XObject /Subtype /Form /Resources << /XObject << /X %d 0 R >> /Font << %s >> >>", n,
			m.fonts), at(0, 0, "F1", 10, "drawn once, as it should be")+"/X Do /X Do")
		m.page(fmt.Sprintf("1 0 0 1 72 700 cm /X%d Do", n))
		return m.bytes()
	}},
	"forms that double": {want: council.VerdictTooLarge, data: func() []byte {
		m := newMaker()
		n := m.stream("/Type /XObject /Subtype /Form", at(0, 0, "F1", 10, "ten to the eleventh power"))
		for range 11 {
			n = m.stream(fmt.Sprintf("/Type /XObject /Subtype /Form /Resources << /XObject << /X %d 0 R >> >>", n),
				strings.Repeat("/X Do ", 10))
		}
		m.page(fmt.Sprintf("/X%d Do", n))
		return m.bytes()
	}},
	"text by the megabyte": {want: council.VerdictTooLarge, limits: Limits{Output: 1 << 10}, data: func() []byte {
		m := newMaker()
		for i := range 40 {
			m.page(at(72, 700, "F1", 1, strings.Repeat(fmt.Sprintf("word %d of many ", i), 10)))
		}
		return m.bytes()
	}},
	"numbers out of reach": {want: council.VerdictRepaired, data: func() []byte {
		m := newMaker()
		m.page("1e99 99999999999999999999999999 -.5.5 --7 cm 0 0 0 0 0 0 cm " + at(72, 700, "F1", 10, "nowhere") +
			"Q Q Q Q Tj TJ Tf Td Tm ' \" Do cm re l c " +
			"/F1 10 Tf [(a) (b) [(c)] << >> 5] TJ Q")
		m.page(at(72, 700, "F1", 10, "A page like others follows the spoilt one."))
		return m.bytes()
	}},
	"a scan": {want: council.VerdictNoText, data: func() []byte {
		m := newMaker()
		n := m.stream("/Type /XObject /Subtype /Image /Width 4 /Height 4 /BitsPerComponent 8 /ColorSpace /DeviceGray",
			"0123456789abcdef")
		for range 3 {
			m.page(fmt.Sprintf("q 612 0 0 792 0 0 cm /X%d Do Q ", n) + at(500, 20, "F1", 8, "Page 1"))
		}
		return m.bytes()
	}},
	"letters that no font names": {want: council.VerdictUnreadable, data: func() []byte {
		m := newMaker()
		n := m.twoByte("/DW 500", m.stream("", ""), "/Encoding /Identity-H")
		m.fonts += fmt.Sprintf("/T %d 0 R ", n)
		m.page("BT /T 10 Tf 72 700 Td <000100020003000400050006000700080009000a000b> Tj ET")
		return m.bytes()
	}},
	"cut in the middle of a page": {want: council.VerdictUnreadable, data: func() []byte {
		m := newMaker()
		m.page(strings.Repeat(voteBlock(72, 700, sampleVote...), 30))
		d := m.bytes()
		i := bytes.Index(d, []byte("stream\n"))
		return d[:i+150]
	}},
	"page cut short within": {want: council.VerdictPartial, data: func() []byte {
		m := newMaker()
		m.page(strings.Repeat(voteBlock(72, 700, sampleVote...), 3))
		d := m.bytes()
		i := bytes.Index(d, []byte("stream\n"))
		for k := i + 100; k < i+130; k++ {
			d[k] ^= 0x55
		}
		return d
	}},
	"no table at the end": {want: council.VerdictUnreadable, data: func() []byte {
		d := samplePDF()
		return d[:bytes.LastIndex(d, []byte("xref\n0 "))]
	}},
	"rubbish around the file": {want: council.VerdictWhole, data: func() []byte {
		return bytes.Join([][]byte{[]byte("HTTP/1.1 200 OK\r\n\r\n"), samplePDF(), make([]byte, 5000)}, nil)
	}},
	"wrong offsets": {want: council.VerdictUnreadable, data: func() []byte {
		return bytes.Replace(samplePDF(), []byte("%\xe2\xe3\xcf\xd3\n"), []byte("%\xe2\xe3\xcf\xd3\nmore than there was\n"),
			1)
	}},
	"blanks at the ends of lines": {want: council.VerdictWhole, data: func() []byte { // Pittsburgh's minutes have them
		d := bytes.Replace(samplePDF(), []byte("%PDF-1.7\n%\xe2"), []byte("%PDF-1.4 \n\xe2"), 1)
		return bytes.Replace(bytes.Replace(d, []byte("startxref\n"), []byte("startxref \n"), 1), []byte("%%EOF\n"),
			[]byte("%%EOF \n"), 1)
	}},
	"cut in an update": {want: council.VerdictUnreadable, data: func() []byte {
		return append(samplePDF(), "\n9 0 obj\n<< /Type /Pa"...)
	}},
	"objects packed in a stream with another checksum": {want: council.VerdictUnreadable, data: func() []byte {
		d, err := os.ReadFile("testdata/packed.pdf")
		if err != nil {
			return nil
		}
		i := bytes.Index(d, []byte("/ObjStm"))
		i += bytes.Index(d[i:], []byte("endstream"))
		d[i-3] ^= 0x55
		return d
	}},
	"stream longer than it says": {want: council.VerdictPartial, data: func() []byte {
		m := newMaker()
		m.plain = true
		m.page(at(72, 700, "F1", 10, "The first line is here.") + at(72, 680, "F1", 10, "The second line, too."))
		last := &m.objects[len(m.objects)-2]
		*last = regexp.MustCompile(`/Length \d+`).ReplaceAllString(*last, "/Length 20")
		return m.bytes()
	}},
	"table of objects that is off": {want: council.VerdictRepaired, data: func() []byte {
		m := newMaker()
		m.page(at(72, 700, "F1", 10, "The meeting was adjourned at nine."))
		return shiftTable(m.bytes())
	}},
	"catalogue that names no page tree": {want: council.VerdictRepaired, data: func() []byte {
		m := newMaker()
		m.page(at(72, 700, "F1", 10, "The meeting was adjourned at nine."))
		return bytes.Replace(m.bytes(), []byte("/Catalog /Pages 2 0 R"), []byte("/Catalog /Pages 9 9 R"), 1)
	}},
	"page tree without pages": {want: council.VerdictUnreadable, data: func() []byte {
		return assemble([]string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 0 /Kids [] >>"}, "")
	}},
	"object that the page does not have": {want: council.VerdictRepaired, data: func() []byte {
		m := newMaker()
		m.page("/X95 Do " + at(72, 700, "F1", 10, "The meeting was adjourned at nine."))
		return m.bytes()
	}},
	"codes by a table of the font's own": {want: council.VerdictPartial, data: func() []byte {
		m := newMaker()
		codes := m.stream("/Type /CMap", "1 begincodespacerange <00> <7f> endcodespacerange 1 begincidrange <41> <5a> 1 "+
			"endcidrange")
		uni := m.stream("", "1 beginbfrange <41> <5a> <0041> endbfrange")
		m.fonts += fmt.Sprintf("/T %d 0 R ", m.twoByte("/DW 600", uni, fmt.Sprintf("/Encoding %d 0 R", codes)))
		m.page("BT /T 10 Tf 72 700 Td (MAYOR) Tj ET ")
		return m.bytes()
	}},
	"unknown filter": {want: council.VerdictUnreadable, data: func() []byte {
		return bytes.ReplaceAll(samplePDF(), []byte("/FlateDecode"), []byte("/LZWDecode  "))
	}},
	"password wanted": {want: council.VerdictEncrypted, data: func() []byte {
		return assemble([]string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Kids [] >>"},
			"/ID [(x)(x)] /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O ("+strings.Repeat("o", 32)+") /U ("+
				strings.Repeat("u", 32)+") >>")
	}},
	"locked by a stranger's handler": {want: council.VerdictEncrypted, data: func() []byte {
		return assemble([]string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Kids [] >>"},
			"/Encrypt << /Filter /Adobe.PubSec /V 4 >>")
	}},
}

func TestHostile(t *testing.T) {
	t.Parallel()
	for name, c := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.heavy && raceBuild() {
				t.Skip("takes too long with the race detector")
			}
			began := time.Now()
			if raceBuild() {
				c.limits.Memory = 1 << 30 // the race detector uses most of it
			}
			got, err := Extract(context.Background(), c.data(), c.limits)
			if err != nil {
				t.Fatal(err)
			}
			if got.Verdict != c.want {
				t.Errorf("status %s, want %s; notes %v; text %.300q", got.Verdict, c.want, got.Notes, got.Text)
			}
			if got.Verdict != council.VerdictWhole && len(got.Notes) == 0 {
				t.Error("no note says why")
			}
			if d := time.Since(began); d > time.Minute {
				t.Errorf("Extract took %s", d)
			}
		})
	}
}

// TestTime runs a child process that never ends.
func TestTime(t *testing.T) {
	t.Parallel()
	m := newMaker()
	m.page(strings.Repeat(at(72, 700, "F1", 10, "x"), 100_000))
	for range 1000 {
		m.pages = append(m.pages, m.add(m.objects[m.pages[0]-1]))
	}
	began := time.Now()
	got, err := Extract(context.Background(), m.bytes(), Limits{Time: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if got.Verdict != council.VerdictTooLarge || time.Since(began) > time.Minute {
		t.Errorf("status %s after %s, %v", got.Verdict, time.Since(began), got.Notes)
	}
}

// If a child needs too much memory, the result says so.
func TestMemory(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || raceBuild() {
		t.Skip("this system or the race detector has no such limit")
	}
	m := newMaker()
	m.page(strings.Repeat(" ", 60<<20) + at(72, 700, "F1", 10, "late"))
	got, err := Extract(context.Background(), m.bytes(), Limits{Memory: 1 << 20, Time: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if got.Verdict != council.VerdictTooLarge || !strings.Contains(fmt.Sprint(got.Notes), "memory") {
		t.Errorf("status %s, notes %v", got.Verdict, got.Notes)
	}
}

// Reading the largest packet of pictures fits the limits of deploy. The service uses less than 640
// MiB, so a pod of 1 GiB has enough memory left for the child.
func TestMemoryFitsThePod(t *testing.T) {
	t.Parallel()
	if got := (Limits{}).or(0).Memory; got > 300<<20-32<<20 {
		t.Errorf("a child may use %d MiB; the limits of deploy allow 300 for the child process", got>>20)
	}
	if runtime.GOOS != "linux" || raceBuild() {
		t.Skip("this system or the race detector has no such limit")
	}
	m := newMaker()
	m.plain = true
	m.stream("/Type /XObject /Subtype /Image /Width 1 /Height 1", strings.Repeat("no real picture ", 100<<16))
	m.plain = false
	m.page(voteBlock(72, 700, sampleVote...))
	got, err := Extract(context.Background(), m.bytes(), Limits{Time: 20 * time.Second})
	if err != nil || got.Verdict != council.VerdictWhole {
		t.Errorf("%s, %v, %v", got.Verdict, got.Notes, err)
	}
}

// raceBuild reports whether the race detector is on. It needs more memory.
func raceBuild() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Extract(ctx, samplePDF(), Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// If a binary lacks RunChild, there is an error, and the binary does not start itself again.
func TestStrangeMain(t *testing.T) {
	t.Parallel()
	if os.Getenv(childEnv) != "" {
		t.Fatal("this test binary is a child")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestCancel$")
	cmd.Env = append(os.Environ(), childEnv+"=1,1,1,1") // a process without our argument is not a child
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), ErrNoChild.Error()) {
		t.Errorf("the child started a child: %v\n%s", err, out)
	}
}

// TestDamage damages the content of a page in a few thousand ways. None of them may cause a panic
// or a hang.
func TestDamage(t *testing.T) {
	t.Parallel()
	plain := []byte(voteBlock(72, 700, sampleVote...) + "BI /W 1 ID x EI [(a) -20 <62>] TJ /Span << /ActualText (x) >> " +
		"BDC EMC")
	r := rand.New(rand.NewPCG(1, 2))
	n := 2000
	if testing.Short() {
		n = 300
	}
	for range n {
		d := bytes.Clone(plain)
		for range 1 + r.IntN(8) {
			switch k := r.IntN(len(d)); r.IntN(3) {
			case 0:
				d[k] = byte(r.Uint32())
			case 1:
				d = append(d[:k], d[min(len(d), k+1+r.IntN(20)):]...)
			default:
				at := r.IntN(len(d))
				d = append(d[:k:k], append(bytes.Clone(d[at:min(len(d), at+r.IntN(40))]), d[k:]...)...)
			}
		}
		m := newMaker()
		m.page(string(d))
		mustNotFail(t, m.bytes())
	}
}

// shiftTable moves the offset of the page tree in the cross-reference table by some bytes.
func shiftTable(data []byte) []byte {
	tree := bytes.Index(data, []byte("2 0 obj"))
	return bytes.Replace(data, fmt.Appendf(nil, "%010d 00000 n", tree), fmt.Appendf(nil, "%010d 00000 n", tree+5), 1)
}

// A catalogue that names a branch of the page tree hides no page.
func TestBranchOfThePageTree(t *testing.T) {
	t.Parallel()
	m := newMaker()
	for _, text := range []string{"The first page.", "The second page."} {
		m.page(at(72, 700, "F1", 10, text+" It has some more words."))
	}
	branch := m.add(fmt.Sprintf("<< /Type /Pages /Parent 2 0 R /Count 1 /Kids [ %d 0 R ] >>", m.pages[1]))
	m.pages[1] = branch
	data := bytes.Replace(m.bytes(), []byte("/Catalog /Pages 2 0 R"), fmt.Appendf(nil, "/Catalog /Pages %d 0 R", branch),
		1)
	doc := read(data, Limits{}.or(int64(len(data))))
	if doc.Pages != 2 || !strings.Contains(doc.Text, "The first page.") {
		t.Errorf("%d pages, %s: %q", doc.Pages, doc.Verdict, doc.Text)
	}
}
