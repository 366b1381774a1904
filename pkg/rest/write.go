package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/rest/internal/reply"
)

// write sends a file, a part of it, or a 304, as the preconditions of the request demand.
func (s *Server) write(c *Call, r *File) {
	h, in := c.w.Header(), c.r.Header
	if again := r.Header["Refresh"]; again != nil {
		h["Refresh"] = again
	}
	if match := in["If-None-Match"]; match != nil {
		quoted, ok := reply.MatchTag(match, r.Tag)
		if !ok && reply.AnyTag(match) {
			quoted, ok = r.Header.Get("Etag"), true
		}
		if ok {
			r.Close()
			s.unchanged(c, []string{quoted})
			return
		}
	} else if since := in["If-Modified-Since"]; since != nil && !r.Modified.IsZero() {
		if t, err := http.ParseTime(since[0]); err == nil && !r.Modified.After(t) {
			r.Close()
			s.unchanged(c, r.Header["Etag"])
			return
		}
	}
	if !c.e.in.site {
		h["Access-Control-Expose-Headers"] = exposedHeaders
	}
	maps.Copy(h, c.e.header)
	maps.Copy(h, r.Header)
	h["Cache-Control"] = c.lasting
	if c.lang != "" && !c.e.page {
		h["Content-Language"] = []string{c.lang}
	}
	if c.e.body == nil && !c.e.page { // the endpoint serves a file
		h["Accept-Ranges"] = acceptRanges
		if r.Content != nil || in["Range"] != nil {
			s.serveFile(c, r)
			return
		}
	}
	if c.r.Method == http.MethodHead {
		c.w.WriteHeader(http.StatusOK)
		return
	}
	if len(r.Body) <= largeFrom { // a small body keeps the deadline of the request, see Serve
		_, _ = c.w.Write(r.Body) // an error means that the client has left
		return
	}
	if err := c.hold(c.r.Context(), len(r.Body), false); err != nil {
		s.fail(c, err)
		return
	}
	_, _ = s.paced(c.w).Write(r.Body)
}

// serveFile lets net/http handle ranges and If-Range, but writes errors in the dialect.
func (s *Server) serveFile(c *Call, r *File) {
	defer r.Close()
	content, held := r.Content, streamCost
	if content == nil {
		content, held = bytes.NewReader(r.Body), len(r.Body)
	}
	if err := c.hold(c.r.Context(), held, false); err != nil {
		s.fail(c, err)
		return
	}
	w := s.paced(c.w)
	req, satisfiable := ranged(c.r)
	if satisfiable {
		http.ServeContent(w, req, "", r.Modified, content)
	} else {
		w.refused = http.StatusRequestedRangeNotSatisfiable
	}
	if w.failed != nil && c.r.Context().Err() == nil { // the client sees too few bytes
		c.cause = fmt.Errorf("stream: %w", w.failed)
	}
	switch w.refused {
	case 0:
	case http.StatusRequestedRangeNotSatisfiable:
		if size, err := content.Seek(0, io.SeekEnd); err == nil {
			c.w.Header()["Content-Range"] = []string{"bytes */" + strconv.FormatInt(size, 10)}
		}
		s.fail(c, &Error{Status: w.refused, Detail: "the range is outside the file"})
	case http.StatusPreconditionFailed:
		s.fail(c, &Error{Status: w.refused, Detail: "the file has changed"})
	default:
		s.fail(c, &Error{Status: http.StatusInternalServerError, Detail: "internal error",
			cause: fmt.Errorf("file of %s: status %d", c.e.ID, w.refused)})
	}
}

// ranged corrects a request's range where net/http deviates from RFC 9110: ranges without GET and
// with unknown units are ignored (14.2), and one of the last 0 bytes is not satisfiable (14.1.2).
func ranged(r *http.Request) (req *http.Request, satisfiable bool) {
	req = r.Clone(r.Context())
	unit, set, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Range")), "=")
	if r.Method != http.MethodGet || !strings.EqualFold(unit, "bytes") {
		req.Header.Del("Range")
		return req, true
	}
	req.Header.Set("Range", "bytes="+set)
	return req, strings.Trim(set, " \t") != "-0" || r.Header["If-Range"] != nil
}

func (s *Server) unchanged(c *Call, etag []string) {
	h := c.w.Header()
	h["Etag"] = etag
	h["Cache-Control"] = c.lasting
	c.w.WriteHeader(http.StatusNotModified)
}

// partSize is the number of bytes that a client must read within each Server.pace.
const partSize = 64 << 10

// A pacedWriter sets a deadline for each part of an answer, and keeps errors of http.ServeContent
// from the client.
type pacedWriter struct {
	http.ResponseWriter
	conn    *http.ResponseController
	s       *Server
	refused int   // status of an error that the dialect writes instead
	failed  error // of ReadFrom
}

func (s *Server) paced(w http.ResponseWriter) *pacedWriter {
	return &pacedWriter{ResponseWriter: w, conn: http.NewResponseController(w), s: s}
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
		_ = w.conn.SetWriteDeadline(time.Now().Add(w.s.pace)) // a writer without deadlines, as in tests, returns an error
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
		w.s.metrics.slow.Inc()
	}
	return err
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
