package rest

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/townline/townline/pkg/rest/internal/reply"
)

// unchanged writes a 304 with the client's validator.
func (s *Server) unchanged(c *Call, etag []string) {
	h := c.w.Header()
	h["Etag"] = etag
	h["Cache-Control"] = c.cacheControl()
	c.w.WriteHeader(http.StatusNotModified)
}

// pace is how many bytes a client must read within each Config.Pace.
const pace = 64 << 10

// send writes the body of a reply. A large one is written in parts, each with its own deadline; a small one has
// the deadline of the whole request (Serve). All connections share the bytes of the reply.
func (s *Server) send(c *Call, r *reply.Reply) {
	if len(r.Body) <= reply.LargeWrite {
		c.endLarge()
		_, _ = c.w.Write(r.Body) // a client that left is no error
		return
	}
	if err := s.hold(c, r); err != nil {
		s.fail(c, err)
		return
	}
	defer s.load.End(r)
	_, _ = s.paced(c).Write(r.Body)
}

// hold counts a reply as held by a client, which frees its place for building.
func (s *Server) hold(c *Call, r *reply.Reply) error {
	err := s.load.Begin(r)
	c.endLarge()
	return err
}

// A pacedWriter sets a deadline for each part of an answer.
type pacedWriter struct {
	to       io.Writer
	deadline func(time.Time) error // of writing to it
	s        *Server
}

func (s *Server) paced(c *Call) *pacedWriter {
	return &pacedWriter{c.w, http.NewResponseController(c.w).SetWriteDeadline, s}
}

// Write writes b in parts.
func (w *pacedWriter) Write(b []byte) (int, error) {
	written := 0
	for len(b) > 0 {
		_ = w.deadline(time.Now().Add(w.s.cfg.Pace)) // an error means that the writer has no deadlines, as in tests
		n, err := w.to.Write(b[:min(pace, len(b))])
		written += n
		if err != nil {
			return written, w.failed(err)
		}
		b = b[n:]
	}
	return written, nil
}

// failed counts a client that was too slow.
func (w *pacedWriter) failed(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.s.metrics.slow.Inc()
	}
	return err
}
