package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// unchanged writes a 304 with the client's validator.
func (s *Server) unchanged(c *Call, etag []string) {
	h := c.w.Header()
	h["Etag"] = etag
	h["Cache-Control"] = c.cacheControl()
	c.w.WriteHeader(http.StatusNotModified)
}

// partSize is how many bytes a client must read within each Server.pace.
const partSize = 64 << 10

// A pacedWriter sets a deadline for each part of an answer.
type pacedWriter struct {
	to   io.Writer
	conn *http.ResponseController
	s    *Server
}

func (s *Server) paced(w http.ResponseWriter) *pacedWriter {
	return &pacedWriter{w, http.NewResponseController(w), s}
}

// Write writes b in parts.
func (w *pacedWriter) Write(b []byte) (int, error) {
	written := 0
	for len(b) > 0 {
		_ = w.conn.SetWriteDeadline(time.Now().Add(w.s.pace)) // a writer without deadlines, as in tests, returns an error
		n, err := w.to.Write(b[:min(partSize, len(b))])
		written += n
		if err != nil {
			return written, w.failed(err)
		}
		b = b[n:]
	}
	return written, nil
}

// failed counts clients that read too slowly.
func (w *pacedWriter) failed(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.s.metrics.slow.Inc()
	}
	return err
}

const (
	// sliceSize is how much of a stored value is read ahead: less than reply counts for a stream.
	sliceSize = 128 << 10
	// sliceTimeout bounds the read of one slice; the whole value has no bound.
	sliceTimeout = 10 * time.Second
)

// sliced reads a large stored value slice by slice.
type sliced struct {
	ctx  context.Context
	size int64
	read func(ctx context.Context, from, length int64) ([]byte, error)

	from int64 // of buf in the value
	buf  []byte
}

// Slices returns the Content of a [File] in a database or an object store. It holds one slice in
// memory, for hundreds of slow clients at a time. read returns 1 to length bytes.
func Slices(ctx context.Context, size int64, read func(ctx context.Context, from, length int64) ([]byte, error)) io.
	ReadSeeker {
	return io.NewSectionReader(&sliced{ctx: ctx, size: size, read: read}, 0, size)
}

// ReadAt implements io.ReaderAt, for one reader at a time.
func (s *sliced) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		next := at + int64(n)
		if next >= s.size {
			return n, io.EOF
		}
		if next < s.from || next >= s.from+int64(len(s.buf)) {
			if err := s.load(next); err != nil {
				return n, err
			}
		}
		n += copy(p[n:], s.buf[next-s.from:])
	}
	return n, nil
}

func (s *sliced) load(from int64) error {
	ctx, cancel := context.WithTimeout(s.ctx, sliceTimeout)
	defer cancel()
	b, err := s.read(ctx, from, min(sliceSize, s.size-from))
	if err != nil {
		return fmt.Errorf("read stored bytes from %d: %w", from, err)
	}
	if len(b) == 0 {
		return fmt.Errorf("read stored bytes from %d of %d: %w", from, s.size, io.ErrUnexpectedEOF)
	}
	s.from, s.buf = from, b
	return nil
}
