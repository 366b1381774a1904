package reply

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A permanent file is compressed better than an answer, and decompresses to the same bytes.
func TestKeptForGoodIsSmaller(t *testing.T) {
	t.Parallel()
	quickly, err := newZstd(zstd.SpeedDefault)
	if err != nil {
		t.Fatal(err)
	}
	compressor := &compressor{zstd: quickly}
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "function f%d(a, b) { return a.%x + b[%d] }\n", i, i*i*2654435761, i%17)
	}
	file := func() *File {
		f := &File{Body: []byte(text.String())}
		f.Finish([]string{"text/javascript"})
		return f
	}
	plain := file()
	open := map[Coding]func([]byte) (io.Reader, error){
		gzipped: func(b []byte) (io.Reader, error) { return gzip.NewReader(bytes.NewReader(b)) },
		zstded:  func(b []byte) (io.Reader, error) { return zstd.NewReader(bytes.NewReader(b)) },
	}
	for coding, reader := range open {
		quick, _ := compressor.coded(file(), coding, false)
		small, _ := compressor.coded(file(), coding, true)
		if len(small.Body) >= len(quick.Body) {
			t.Errorf("%s: a permanent file has %d bytes, an answer %d", coding.name(), len(small.Body), len(quick.Body))
		}
		r, err := reader(small.Body)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := io.ReadAll(r); err != nil || !bytes.Equal(back, plain.Body) {
			t.Errorf("%s: %d bytes after decompression: %v", coding.name(), len(back), err)
		}
		if small.Header.Get("Content-Encoding") != coding.name() ||
			small.Header.Get("Content-Length") != fmt.Sprint(len(small.Body)) {
			t.Errorf("%s: %v %v", coding.name(), small.Header, len(small.Body))
		}
	}
}
