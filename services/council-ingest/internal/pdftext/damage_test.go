package pdftext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/townline/townline/pkg/sample"
	"github.com/townline/townline/services/council-ingest/internal/minutes"
)

// cuts are the lengths of truncated files, in thousandths of the whole.
var cuts = []int{100, 300, 500, 700, 900, 980, 998}

// outcome is the result of reading a damaged file.
type outcome string

const (
	refused outcome = "refused"
	noted   outcome = "noted" // votes are parsed, and an anomaly reports a problem
	same    outcome = "same"
	wrong   outcome = "wrong" // the votes are different, and there is no anomaly
)

// witness is a file, with the votes of its intact form.
type witness struct {
	data      []byte
	text      string
	votes     string
	anomalies map[string]int
}

var paged = minutes.NewParser(minutes.Options{Paged: true})

func witnessed(t *testing.T, name string, data []byte) witness {
	t.Helper()
	got := inProcess(data)
	if !got.Verdict.Readable() {
		t.Fatalf("%s is %s: %v", name, got.Verdict, got.Notes)
	}
	w := witness{data: data, text: got.Text}
	w.votes, w.anomalies = read1(t, got)
	return w
}

// read1 returns the votes of a document, and the number of its anomalies by code.
func read1(t *testing.T, d Extraction) (votes string, anomalies map[string]int) {
	t.Helper()
	rec := paged.Parse(d.Text)
	for _, n := range d.Notes {
		if code, is := n.Anomaly(); is {
			rec.Note(code, n.Page, n.Message)
		}
	}
	anomalies = map[string]int{}
	for _, a := range rec.Anomalies {
		anomalies[string(a.Code)]++
	}
	all := []any{}
	for _, it := range rec.Items {
		for _, v := range it.Votes {
			all = append(all, it.Title, it.ItemNumber, v)
		}
	}
	out, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), anomalies
}

// damaged compares a damaged form of the file with the intact one.
func (w witness) damaged(t *testing.T, data []byte) (outcome, Extraction) {
	t.Helper()
	got := inProcess(data)
	if !got.Verdict.Readable() {
		return refused, got
	}
	votes, anomalies := w.votes, w.anomalies
	if got.Text != w.text {
		votes, anomalies = read1(t, got)
	}
	if votes == w.votes {
		return same, got
	}
	for code, n := range anomalies {
		if n > w.anomalies[code] {
			return noted, got
		}
	}
	return wrong, got
}

// session returns minutes of a few pages. The file is compressed unless plain is true.
func session(plain bool) []byte { return sitting(plain).bytes() }

// sitting returns a maker of the minutes of session.
func sitting(plain bool) *maker {
	m := newMaker()
	m.plain = plain
	m.page(at(200, 740, "F2", 12, "Town of Halvard City Council Minutes") +
		at(200, 720, "F1", 10, "Tuesday, March 3, 2026") + attendance(72, 690))
	for p := range 3 {
		content := ""
		for i := range 3 {
			y := 740 - float64(i)*220
			content += at(72, y, "F1", 10, fmt.Sprintf("%d.%d", p+2, i+1)) +
				at(110, y, "F1", 10, fmt.Sprintf("2026-%d Resolution about the bridge of ward %d", 100+10*p+i, 3*p+i))
			content += voteBlock(90, y-30, sampleVote...)
		}
		m.page(content)
	}
	return m
}

// TestCutOff truncates files every few bytes. A file with missing parts must not be reported as
// complete.
func TestCutOff(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{"compressed": session(false), "plain": session(true)}
	saved, err := filepath.Glob("testdata/*.pdf")
	if err != nil || len(saved) < 7 {
		t.Fatalf("found %d files, %v", len(saved), err)
	}
	for _, file := range saved {
		if isRefused(file) {
			continue
		}
		files[file], err = os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
	}
	counts := map[outcome]int{}
	for name, data := range files {
		w := witnessed(t, name, data)
		for n := len(data) - 1; n > 0; n -= max(1, len(data)/60) {
			got, doc := w.damaged(t, data[:n])
			counts[got]++
			if got == wrong || got == noted || doc.Verdict.Readable() && doc.Text != w.text {
				t.Errorf("%s cut at %d of %d: %s, %s, notes %v", name, n, len(data), got, doc.Verdict, doc.Notes)
			}
		}
	}
	if counts[refused] < 200 || counts[same] == 0 {
		t.Errorf("unexpected outcomes %v", counts)
	}
}

// bodies returns the positions of the bytes of streams.
func bodies(data []byte) (out []int) {
	for i := 0; ; {
		start := bytes.Index(data[i:], []byte("stream\n"))
		if start < 0 {
			start = bytes.Index(data[i:], []byte("stream\r\n"))
		}
		if start < 0 {
			return out
		}
		i += start + len("stream\r\n")
		length := bytes.Index(data[i:], []byte("endstream"))
		for range max(0, length-2) {
			out = append(out, i)
			i++
		}
		i += len("endstream\r\n")
		if i > len(data) {
			return out
		}
	}
}

// TestOneBit flips single bits in streams with checksums. No vote may change without an anomaly.
func TestOneBit(t *testing.T) {
	t.Parallel()
	data := session(false)
	w := witnessed(t, "compressed", data)
	r := rand.New(rand.NewPCG(11, 19))
	counts := map[outcome]int{}
	tries := 120
	if os.Getenv("TOWNLINE_EVERYTHING") != "" {
		tries = 5000
	}
	within := bodies(data)
	for range tries {
		bit := 8*within[r.IntN(len(within))] + r.IntN(8)
		spoilt := bytes.Clone(data)
		spoilt[bit/8] ^= 1 << (bit % 8)
		got, doc := w.damaged(t, spoilt)
		counts[got]++
		if got == wrong {
			t.Errorf("bit %d of byte %d, in %q: %s, notes %v", bit%8, bit/8, data[max(0, bit/8-20):min(len(data), bit/8+20)],
				doc.Verdict, doc.Notes)
		}
	}
	if counts[refused] == 0 {
		t.Errorf("unexpected outcomes %v", counts)
	}
}

// TestEveryRealFileDamaged truncates a few small real documents and flips bits in them, or in all
// if TOWNLINE_EVERYTHING is set.
func TestEveryRealFileDamaged(t *testing.T) {
	t.Parallel()
	var files []string
	for _, depth := range []string{"*", "*/*", "*/*/*"} {
		more, err := filepath.Glob(filepath.Join(sample.Folder(t, "council"), depth, "*.pdf"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	if len(files) == 0 {
		t.Skip("no PDFs in the shared folder")
	}
	everything := os.Getenv("TOWNLINE_EVERYTHING") != ""
	cut, bits := map[outcome]int{}, map[outcome]int{}
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		flips := 25
		if !everything {
			flips = 3
			if i%10 != 0 || len(data) > 60<<10 {
				continue
			}
		}
		name := filepath.Base(file)
		w := witnessed(t, name, data)
		for _, n := range cuts {
			got, doc := w.damaged(t, data[:len(data)*n/1000])
			cut[got]++
			if got == wrong || got == noted {
				t.Errorf("%s cut at %d of 1000: %s, %s, notes %v", name, n, got, doc.Verdict, doc.Notes)
			}
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(name))
		r := rand.New(rand.NewPCG(h.Sum64(), 1))
		within := bodies(data)
		for range flips {
			bit := 8*within[r.IntN(len(within))] + r.IntN(8)
			data[bit/8] ^= 1 << (bit % 8)
			got, doc := w.damaged(t, data)
			data[bit/8] ^= 1 << (bit % 8)
			bits[got]++
			if got == wrong {
				t.Errorf("%s bit %d of byte %d, in %q: %s, notes %v", name, bit%8, bit/8,
					data[max(0, bit/8-20):min(len(data), bit/8+20)], doc.Verdict, doc.Notes)
			}
		}
	}
	t.Logf("%d files; cut: %v; one bit: %v", len(files), cut, bits)
}
