package minutes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/sample"
)

// BenchmarkParse parses every real text document. The goal is 200 documents per second on one core.
func BenchmarkParse(b *testing.B) {
	dir := sample.Folder(b, "council")
	var texts []string
	size := 0
	for _, pattern := range []string{"rtd-denver/*/minutes.txt", "riverhead-ny/*.txt"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			b.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				b.Fatal(err)
			}
			texts = append(texts, string(data))
			size += len(data)
		}
	}
	p := NewParser(Options{})
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, t := range texts {
			p.Parse(t)
		}
	}
	b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "docs/s")
}

// BenchmarkFiveHundredPages parses long documents: votes in tables, and votes in sentences and rolls.
func BenchmarkFiveHundredPages(b *testing.B) {
	for name, pattern := range map[string]string{"tables": "council/riverhead-ny/*.txt",
		"sentences": "council/dialects/*/*.txt"} {
		b.Run(name, func(b *testing.B) {
			text := pagesOf(b, sample.Glob(b, pattern), 500)
			p := NewParser(Options{Paged: true})
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				p.Parse(text)
			}
		})
	}
}

// pagesOf joins documents, again and again, to one of a number of pages with 45 lines.
func pagesOf(tb testing.TB, files []string, pages int) string {
	tb.Helper()
	var out strings.Builder
	for n := 0; n < pages; {
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				tb.Fatal(err)
			}
			lines := strings.Split(strings.ReplaceAll(string(data), "\f", "\n"), "\n")
			for from := 0; from < len(lines) && n < pages; from, n = from+45, n+1 {
				out.WriteString(strings.Join(lines[from:min(from+45, len(lines))], "\n") + "\n\f")
			}
		}
	}
	return out.String()
}
