package minutes

import (
	"os"
	"path/filepath"
	"testing"
)

// shared finds the folder of real documents beside the repository; tests that
// use them are skipped where it is absent.
func shared(tb testing.TB) string {
	tb.Helper()
	dir := sharedFolder(tb)
	if dir == "" {
		tb.Skip("the shared folder of real documents is not present")
	}
	return dir
}

// sharedFolder is the same for tests that read texts of our own besides; empty
// where it is absent.
func sharedFolder(tb testing.TB) string {
	tb.Helper()
	if dir := os.Getenv("TOWNLINE_SHARED"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		if info, err := os.Stat(filepath.Join(dir, "shared", "data", "council")); err == nil && info.IsDir() {
			return filepath.Join(dir, "shared")
		}
	}
	return ""
}

// BenchmarkParse reads every real text document; the goal is 200 of them a
// second on one core.
func BenchmarkParse(b *testing.B) {
	dir := filepath.Join(shared(b), "data", "council")
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
