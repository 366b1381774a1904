package minutes

import (
	"os"
	"path/filepath"
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
