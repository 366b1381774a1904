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
}

// NewPress makes the encoders.
func NewPress() (*Press, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, fmt.Errorf("zstd encoder: %w", err)
	}
	return &Press{zstd: z}, nil
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

// Coded returns the reply in another coding, or the reply itself if compression does not help.
func (r *Reply) Coded(c Coding, p *Press) *Reply {
	if len(r.Body) < CompressFrom {
		return r
	}
	body := p.squeeze(c, r.Body)
	if body == nil {
		return r
	}
	z := *r
	z.holder = &holder{} // r's own is written while r is being read
	z.Body = body
	z.Length = []string{strconv.Itoa(len(body))}
	z.Encoding = []string{c.name()}
	if r.Tag != "" {
		z.ETag = []string{`"` + r.Tag + c.suffix() + `"`}
	}
	return &z
}

// Compressible reports whether bytes of a content type compress well: text does, compressed formats do not.
func Compressible(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "xml")
}
