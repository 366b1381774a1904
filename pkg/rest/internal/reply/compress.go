package reply

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// CompressFrom is the size in bytes from which a body is compressed; below it the headers cost more than is saved.
const CompressFrom = 512

// A Press holds the encoders, which are expensive to make and cheap to reuse.
type Press struct {
	gzip sync.Pool // *gzip.Writer
	zstd *zstd.Encoder
	slow sync.Mutex // one small body at a time: the encoder takes tens of megabytes
}

// NewPress makes the encoders.
func NewPress() (*Press, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, fmt.Errorf("zstd encoder: %w", err)
	}
	return &Press{zstd: z}, nil
}

// smallest compresses a body as far as the encoders can, for files that are compressed once and sent for a year. It takes several times
// as long as squeeze; the encoders are not kept.
func (p *Press) smallest(c Coding, plain []byte) []byte {
	p.slow.Lock()
	defer p.slow.Unlock()
	var out []byte
	switch c {
	case gzipped:
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			return nil
		}
		if _, err := w.Write(plain); err != nil || w.Close() != nil {
			return nil // a buffer does not fail
		}
		out = b.Bytes()
	case zstded:
		z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
		if err != nil {
			return nil
		}
		defer z.Close() //nolint:errcheck // nothing was written to it
		out = z.EncodeAll(plain, nil)
	}
	if len(out) == 0 || len(out) >= len(plain) {
		return nil
	}
	return bytes.Clone(out)
}

// squeeze compresses a body, or returns nil if that does not make it smaller.
func (p *Press) squeeze(c Coding, plain []byte) []byte {
	var out []byte
	switch c {
	case gzipped:
		w, ok := p.gzip.Get().(*gzip.Writer)
		if !ok {
			w = gzip.NewWriter(nil)
		}
		defer p.gzip.Put(w)
		var b bytes.Buffer
		w.Reset(&b)
		if _, err := w.Write(plain); err != nil || w.Close() != nil {
			return nil // a buffer does not fail
		}
		out = b.Bytes()
	case zstded:
		out = p.zstd.EncodeAll(plain, nil)
	}
	if len(out) == 0 || len(out) >= len(plain) {
		return nil
	}
	return bytes.Clone(out) // without the buffer's spare room
}

// Coded returns the reply in another coding, or the reply itself if compression does not help. One that is kept for good is made as
// small as can be.
func (r *Reply) Coded(c Coding, p *Press, forGood bool) *Reply {
	if len(r.Body) < CompressFrom {
		return r
	}
	squeeze := p.squeeze
	if forGood {
		squeeze = p.smallest
	}
	body := squeeze(c, r.Body)
	if body == nil {
		return r
	}
	z := *r
	z.readers = new(int)
	z.Body = body
	z.Length = []string{strconv.Itoa(len(body))}
	z.Encoding = []string{c.name()}
	if r.Tag != "" {
		z.ETag = []string{`"` + r.Tag + c.suffix() + `"`}
	}
	return &z
}

// Compressible reports whether bytes of a content type compress well: text and protobuf messages do, compressed formats do not.
func Compressible(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "xml") || strings.HasSuffix(media, "protobuf") || strings.HasSuffix(media, "vector-tile")
}
