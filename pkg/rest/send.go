package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Values of headers.
var (
	exposedHeaders = []string{"Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Last-Modified, " +
		"Link, " +
		"RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, WWW-Authenticate, X-Request-Id"}
	nosniff      = []string{"nosniff"}
	htmlType     = []string{"text/html; charset=utf-8"}
	anyOrigin    = []string{"*"}
	noStore      = []string{"no-store"}
	closing      = []string{"close"}
	privately    = []string{"private, no-cache"}
	acceptRanges = []string{"bytes"}
)

// partSize is the number of bytes that a client must read in the time of a pacedWriter.
const partSize = 64 << 10

// A pacedWriter sets a deadline for each part of an answer, and keeps errors of http.ServeContent
// from the client.
type pacedWriter struct {
	http.ResponseWriter
	conn    *http.ResponseController
	pace    time.Duration      // longest time for a client to read partSize bytes
	slow    prometheus.Counter // clients that read too slowly
	refused int                // status of an error that the dialect writes instead
	failed  error              // of ReadFrom
}

func newPacedWriter(w http.ResponseWriter, pace time.Duration, slow prometheus.Counter) *pacedWriter {
	return &pacedWriter{ResponseWriter: w, conn: http.NewResponseController(w), pace: pace, slow: slow}
}

func (w *pacedWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.refused = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes b in parts of partSize.
func (w *pacedWriter) Write(b []byte) (int, error) {
	if w.refused != 0 {
		return len(b), nil
	}
	written := 0
	for len(b) > 0 {
		_ = w.conn.SetWriteDeadline(time.Now().Add(w.pace)) // a writer without deadlines, as in tests, returns an error
		n, err := w.ResponseWriter.Write(b[:min(partSize, len(b))])
		written += n
		if err != nil {
			return written, w.counted(err)
		}
		b = b[n:]
	}
	return written, nil
}

// counted counts clients that read too slowly.
func (w *pacedWriter) counted(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.slow.Inc()
	}
	return err
}

// send writes parts, and what is buffered of them.
func (w *pacedWriter) send(parts ...[]byte) error {
	for _, b := range parts {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return w.counted(w.conn.Flush())
}

// ReadFrom writes content slice by slice.
func (w *pacedWriter) ReadFrom(content io.Reader) (written int64, err error) {
	written, w.failed = io.CopyBuffer(struct{ io.Writer }{w}, content, make([]byte, sliceSize))
	return written, w.failed
}

const (
	// streamCost is the memory of an open stream: a slice and bytes read ahead.
	streamCost = 2 * sliceSize
	// sliceSize is how much of a stored value is read at a time.
	sliceSize = 128 << 10
	// sliceTimeout bounds the read of one slice. The whole value has no bound.
	sliceTimeout = 10 * time.Second
)

type sliced struct {
	ctx  context.Context
	size int64
	read func(ctx context.Context, from, length int64) ([]byte, error)
}

// Slices returns the Content of a [File] in a database or an object store. Hundreds of slow clients
// at a time hold one slice each in memory. read returns 1 to length bytes.
func Slices(ctx context.Context, size int64, read func(ctx context.Context, from, length int64) ([]byte, error)) io.
	ReadSeeker {
	return io.NewSectionReader(&sliced{ctx, size, read}, 0, size)
}

// ReadAt implements io.ReaderAt.
func (s *sliced) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		from := at + int64(n)
		if from >= s.size {
			return n, io.EOF
		}
		ctx, cancel := context.WithTimeout(s.ctx, sliceTimeout)
		slice, err := s.read(ctx, from, min(sliceSize, s.size-from, int64(len(p)-n)))
		cancel()
		if err == nil && len(slice) == 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return n, fmt.Errorf("read stored bytes from %d of %d: %w", from, s.size, err)
		}
		n += copy(p[n:], slice)
	}
	return n, nil
}
