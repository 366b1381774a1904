package gtfs_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/gtfstest"
)

func TestSyntheticFeedsAreReadable(t *testing.T) {
	t.Parallel()
	plain := write(t, func(w io.Writer) error { return gtfstest.Write(w, 500) })
	again := write(t, func(w io.Writer) error { return gtfstest.Write(w, 500) })
	if a, b := read(t, plain), read(t, again); !bytes.Equal(a, b) {
		t.Error("the same size gives different bytes")
	}
	changed := write(t, func(w io.Writer) error { return gtfstest.Changed(w, plain) })
	want := gtfstestRows(t, plain)
	if want["trips.txt"] != 500 || want["stop_times.txt"] != 125*2*(36+18) || want["stops.txt"] != 3*36 {
		t.Errorf("rows %v", want)
	}
	got := gtfstestRows(t, changed)
	if n := got["trips.txt"]; n >= 490 || n < 450 {
		t.Errorf("%d of 500 trips remain", n)
	}
	if got["stops.txt"] != want["stops.txt"] {
		t.Errorf("%d stops remain", got["stops.txt"])
	}
}

func write(t *testing.T, write func(w io.Writer) error) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "feed.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := write(f); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func gtfstestRows(t *testing.T, file string) map[string]int {
	t.Helper()
	feed, err := open(read(t, file), gtfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for _, table := range gtfs.Tables() {
		if !feed.Has(table.File) {
			continue
		}
		r, err := feed.Open(table.File)
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
			n[table.File]++
		}
		if err := r.Err(); err != nil {
			t.Error(err)
		}
		_ = r.Close()
	}
	return n
}
