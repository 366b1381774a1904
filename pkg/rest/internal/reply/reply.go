// Package reply holds encoded answers: their codings and validators, the cache that keeps them, and
// a budget for those that clients hold. It is independent of endpoints and dialects, and writes
// nothing to a client.
package reply

import (
	"io"
	"net/http"
	"strconv"
	"time"
)

// A Reply is an answer ready to be written: bytes and header values, made once.
type Reply struct {
	Gen     int64
	Brief   bool // outdated within seconds: of realtime data
	Body    []byte
	Content io.ReadSeeker // of an answer that is streamed; Body is nil then
	Tag     string        // opaque part of the ETag without the coding's suffix
	ModTime time.Time
	Sum     uint64 // of Body, of endpoints that push

	Header          http.Header // of a 200
	Length, Refresh []string    // header values; nil leaves them out

	readers *int // clients that the reply is being written to; Load.mu guards it
}

// finish computes the header values that depend on the coding of the body.
func (r *Reply) finish(coding Coding) {
	r.readers = new(int)
	r.Length = []string{strconv.Itoa(len(r.Body))}
	if coding != Identity {
		r.Header["Content-Encoding"] = []string{coding.name()}
	}
	r.Header["Etag"] = []string{`"` + r.Tag + coding.suffix() + `"`}
}

// Finish computes the header values.
func (r *Reply) Finish() {
	r.finish(Identity)
	if !r.ModTime.IsZero() {
		r.ModTime = r.ModTime.UTC().Truncate(time.Second)
		r.Header["Last-Modified"] = []string{r.ModTime.Format(http.TimeFormat)}
	}
}

// Close ends a stream that was opened for one answer.
func (r *Reply) Close() {
	if closer, ok := r.Content.(io.Closer); ok {
		_ = closer.Close() // it was only read
	}
}
