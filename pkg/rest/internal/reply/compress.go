package reply

import (
	"bytes"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// compressFrom is the size in bytes from which compression saves more than its headers cost.
const compressFrom = 512

// A compressor holds the encoders, which are expensive to make and cheap to reuse.
type compressor struct {
	gzip sync.Pool // *gzip.Writer
	zstd *zstd.Encoder
	slow sync.Mutex // held while a body is compressed at the best level, whose encoder takes tens of megabytes
}

func newZstd(level zstd.EncoderLevel, more ...zstd.EOption) (*zstd.Encoder, error) {
	options := append(more, zstd.WithEncoderLevel(level), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
	z, err := zstd.NewWriter(nil, options...)
	if err != nil {
		return nil, fmt.Errorf("zstd encoder: %w", err)
	}
	return z, nil
}

// coded returns a file in a coding, or the file itself if compression does not help. made reports
// that it was not made before. forGood is for bodies that clients may keep for a year.
func (p *compressor) coded(f *File, c Coding, forGood bool) (coded *File, made bool) {
	f.coded.making.Lock()
	defer f.coded.making.Unlock()
	if z := f.coded.files[c].Load(); z != nil {
		return z, false
	}
	var body []byte
	switch {
	case forGood:
		body = p.best(c, f.Body)
	case c == gzipped:
		var b bytes.Buffer
		w, pooled := p.gzip.Get().(*gzip.Writer)
		if !pooled {
			w = gzip.NewWriter(nil)
		}
		w.Reset(&b)
		_, _ = w.Write(f.Body) // writing to a buffer does not fail
		_ = w.Close()
		p.gzip.Put(w)
		body = b.Bytes()
	case c == zstded:
		body = p.zstd.EncodeAll(f.Body, nil)
	}
	z := f
	if len(body) > 0 && len(body) < len(f.Body) {
		other := *f
		z = &other
		z.Body, z.Header = bytes.Clone(body), maps.Clone(f.Header) // without the buffer's spare capacity
		z.Header["Content-Length"] = []string{strconv.Itoa(len(body))}
		name := [...]string{gzipped: "gzip", zstded: "zstd"}[c]
		z.Header["Content-Encoding"] = []string{name}
		z.Header["Etag"] = []string{`"` + f.Tag + "-" + name + `"`}
	}
	f.coded.files[c].Store(z)
	return z, true
}

// best compresses at the best level, which takes several times as long.
func (p *compressor) best(c Coding, plain []byte) []byte {
	p.slow.Lock()
	defer p.slow.Unlock()
	if c == zstded {
		z, err := newZstd(zstd.SpeedBestCompression, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil
		}
		defer z.Close() //nolint:errcheck // nothing was written to it
		return z.EncodeAll(plain, nil)
	}
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // fails only for an invalid level
	_, _ = w.Write(plain)                                 // writing to a buffer does not fail
	_ = w.Close()
	return b.Bytes()
}

// Compressible reports whether bytes of a content type compress well: text and protobuf messages
// do, compressed formats do not.
func Compressible(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "xml") ||
		strings.HasSuffix(media, "protobuf") || strings.HasSuffix(media, "vector-tile")
}
