package rest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

var acceptRanges = []string{"bytes"}

// serveFile leaves ranges and If-Range to net/http, but not its error bodies.
func (s *Server) serveFile(c *Call, r *reply) {
	defer r.file.close()
	content := r.file.Content
	if content == nil {
		content = bytes.NewReader(r.body)
	}
	if err := s.hold(c, r); err != nil {
		s.fail(c, err)
		return
	}
	defer s.load.end(r)
	w := &fileWriter{ResponseWriter: c.w, paced: s.paced(c)}
	req, nothing := ranged(c.r)
	if nothing {
		w.refused = http.StatusRequestedRangeNotSatisfiable
	} else {
		http.ServeContent(w, req, "", r.modTime, noted{content, c})
	}
	switch w.refused {
	case 0:
	case http.StatusRequestedRangeNotSatisfiable:
		if size, err := content.Seek(0, io.SeekEnd); err == nil {
			c.w.Header()["Content-Range"] = []string{"bytes */" + strconv.FormatInt(size, 10)}
		}
		s.fail(c, &Error{Status: w.refused, Detail: "the range lies outside the file"})
	case http.StatusPreconditionFailed:
		s.fail(c, &Error{Status: w.refused, Detail: "the file has changed"})
	default:
		s.fail(c, &Error{Status: http.StatusInternalServerError, Detail: "internal error", cause: fmt.Errorf("file of %s: status %d", c.e.ID, w.refused)})
	}
}

// ranged is the request with the range that is to be answered. A range has no meaning but with GET, and a unit that we do not know is to be
// ignored (RFC 9110, 14.2), where net/http refuses it. The last nought bytes are nothing (14.1.2), where net/http sends them.
func ranged(r *http.Request) (req *http.Request, nothing bool) {
	asked := r.Header["Range"]
	if asked == nil {
		return r, false
	}
	unit, set, _ := strings.Cut(strings.TrimSpace(asked[0]), "=")
	if r.Method == http.MethodGet && strings.EqualFold(unit, "bytes") {
		if strings.Trim(set, " \t") == "-0" && r.Header["If-Range"] == nil {
			return r, true
		}
		if unit == "bytes" {
			return r, false
		}
	}
	req = r.Clone(r.Context())
	if r.Method == http.MethodGet && strings.EqualFold(unit, "bytes") {
		req.Header["Range"] = []string{"bytes=" + set}
	} else {
		delete(req.Header, "Range")
	}
	return req, false
}

// fileWriter holds back the errors of http.ServeContent, so that they are told in the dialect.
type fileWriter struct {
	http.ResponseWriter
	paced   *pacedWriter
	refused int
}

func (w *fileWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.refused = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *fileWriter) Write(b []byte) (int, error) {
	if w.refused != 0 {
		return len(b), nil
	}
	return w.paced.Write(b)
}

// close ends a stream that was opened for one answer.
func (f *File) close() {
	if f == nil || f.Content == nil {
		return
	}
	if closer, ok := f.Content.(io.Closer); ok {
		_ = closer.Close() // it was only read
	}
}

// noted remembers why a stream broke off, which the client sees only as too few bytes.
type noted struct {
	io.ReadSeeker
	c *Call
}

func (n noted) Read(b []byte) (int, error) {
	read, err := n.ReadSeeker.Read(b)
	if err != nil && !errors.Is(err, io.EOF) && n.c.r.Context().Err() == nil {
		n.c.cause = fmt.Errorf("stream: %w", err)
	}
	return read, err
}
