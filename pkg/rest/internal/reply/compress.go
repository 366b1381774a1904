package reply

import (
	"bytes"
	"fmt"
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

// compress returns a body in a coding, or nil if the result is not smaller. If forGood is true, it
// uses the best level, which takes several times as long. It is for bodies that clients may keep
// for a year.
func (p *compressor) compress(c Coding, plain []byte, forGood bool) []byte {
	if forGood {
		p.slow.Lock()
		defer p.slow.Unlock()
	}
	var out []byte
	switch c {
	case gzipped:
		var b bytes.Buffer
		w, pooled := p.gzip.Get().(*gzip.Writer)
		if !pooled {
			w = gzip.NewWriter(nil)
		}
		defer p.gzip.Put(w)
		if forGood {
			w, _ = gzip.NewWriterLevel(nil, gzip.BestCompression) // fails only for an invalid level
		}
		w.Reset(&b)
		if _, err := w.Write(plain); err != nil || w.Close() != nil {
			return nil // writing to a buffer does not fail
		}
		out = b.Bytes()
	case zstded:
		z := p.zstd
		if forGood {
			best, err := newZstd(zstd.SpeedBestCompression, zstd.WithEncoderConcurrency(1))
			if err != nil {
				return nil
			}
			defer best.Close() //nolint:errcheck // nothing was written to it
			z = best
		}
		out = z.EncodeAll(plain, nil)
	}
	if len(out) == 0 || len(out) >= len(plain) {
		return nil
	}
	return bytes.Clone(out) // drop the buffer's spare capacity
}

// Compressible reports whether bytes of a content type compress well: text and protobuf messages
// do, compressed formats do not.
func Compressible(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "xml") ||
		strings.HasSuffix(media, "protobuf") || strings.HasSuffix(media, "vector-tile")
}
