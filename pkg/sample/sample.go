// Package sample finds real documents, feeds and recordings for tests in ../shared, next to the
// repository. Tests that need them are skipped if they are absent. Each of those tests has a
// counterpart with made-up documents.
package sample

import (
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"
)

// Absent is the message of tests that are skipped without real documents.
const Absent = "the real documents in ../shared are not there"

// Everything reports whether long tests run completely, as in `make test-everything`.
func Everything() bool { return os.Getenv("TOWNLINE_EVERYTHING") != "" }

// OneOf skips all tests but one in n, selected by name, unless Everything is true.
func OneOf(t testing.TB, n uint32) {
	t.Helper()
	h := fnv.New32a()
	_, _ = h.Write([]byte(t.Name()))
	if h.Sum32()%n != 0 {
		Long(t)
	}
}

// Long skips a test unless Everything is true.
func Long(t testing.TB) {
	t.Helper()
	if !Everything() {
		t.Skip("long test: set TOWNLINE_EVERYTHING")
	}
}

// Glob returns the files of shared/data whose names match a pattern. There is at least one.
func Glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), "data", filepath.FromSlash(pattern)))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Log("no " + pattern)
		t.Skip(Absent)
	}
	return files
}

// Folder returns a folder or file of shared/data. TOWNLINE_SHARED overrides the location of shared.
func Folder(t testing.TB, name string) string {
	t.Helper()
	path := Find(t, name)
	if path == "" {
		t.Log("no " + name)
		t.Skip(Absent)
	}
	return path
}

// Find is like Folder, for tests that also work without real documents. It returns "" if there are
// none.
func Find(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(root(t), "data", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

func Read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(Folder(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func root(t testing.TB) string {
	t.Helper()
	if shared := os.Getenv("TOWNLINE_SHARED"); shared != "" {
		return shared
	}
	at, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(at, "go.work")); err == nil || at == filepath.Dir(at) {
			return filepath.Join(filepath.Dir(at), "shared")
		}
		at = filepath.Dir(at)
	}
}
