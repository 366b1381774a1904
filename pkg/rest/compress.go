package rest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// compressFrom is the size in bytes from which a body is compressed; below it the headers eat the gain.
const compressFrom = 512

// press holds the encoders, which are dear to make and cheap to use again.
type press struct {
	gzip sync.Pool // *gzip.Writer
	zstd *zstd.Encoder
}

func newPress() (*press, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, fmt.Errorf("zstd encoder: %w", err)
	}
	return &press{zstd: z}, nil
}

// squeeze compresses a body, or returns nil when that does not make it smaller.
func (p *press) squeeze(c coding, plain []byte) []byte {
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

// coded is the reply in another coding, or itself when it is too small to gain.
func (r *reply) coded(c coding, p *press) *reply {
	if len(r.body) < compressFrom {
		return r
	}
	body := p.squeeze(c, r.body)
	if body == nil {
		return r
	}
	z := *r
	z.holder = &holder{} // r's own is written while r is being read
	z.body = body
	z.length = []string{strconv.Itoa(len(body))}
	z.encoding = []string{c.name()}
	if r.tag != "" {
		z.etag = []string{`"` + r.tag + c.suffix() + `"`}
	}
	return &z
}

// compressible says whether bytes of a content type get smaller: text does, what is packed already does not.
func compressible(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") || strings.HasSuffix(media, "xml")
}
