package gtfs_test

import (
	"compress/flate"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/gtfs"
)

// bomb panics once a megabyte has been read.
type bomb struct {
	io.ReadCloser
	read int
}

func (b *bomb) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += n
	if b.read > 1<<20 {
		panic("hostile bytes")
	}
	return n, err
}

// What panics in the goroutine that inflates a large file is an error to its reader, and the process lives.
func TestInflatingPanics(t *testing.T) {
	t.Parallel()
	text := strings.Builder{}
	text.WriteString("stop_id,stop_name\n")
	name := strings.Repeat("n", 300)
	for i := 0; text.Len() < 6<<20; i++ {
		fmt.Fprintf(&text, "%d,%s\n", i, name)
	}
	data := pack(t, "stops.txt", text.String())
	feed, err := open(data, gtfs.Options{Inflate: func(r io.Reader) io.ReadCloser { return &bomb{ReadCloser: flate.NewReader(r)} }})
	if err != nil {
		t.Fatal(err)
	}
	r, err := feed.Open("stops.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for r.Next() {
		n++
	}
	if err := r.Err(); err == nil || !strings.Contains(err.Error(), "hostile bytes") || n == 0 {
		t.Errorf("%d rows, %v; want some, and the panic as an error", n, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
