// Package reply holds encoded answers: their codings and validators, the cache that keeps them, and
// a budget for the answers that are being sent. It is independent of endpoints and dialects, and
// never writes to a client.
package reply

import (
	"io"
	"net/http"
	"strconv"
	"time"
)

// A Reply is an answer that is ready to be written: bytes and header values, made once.
type Reply struct {
	Gen     int64
	Brief   bool // realtime data: outdated within seconds
	Body    []byte
	Content io.ReadSeeker // set for a streamed answer; Body is nil then
	Tag     string        // opaque part of the ETag without the coding's suffix
	ModTime time.Time
	Sum     uint64 // hash of Body, for endpoints that push

	Header          http.Header
	Length, Refresh []string // header values; nil if the header is absent

	readers *int // number of clients to which the reply is being written; Load.mu guards it
}

// finish sets the header values that depend on the coding of the body.
func (r *Reply) finish(coding Coding) {
	r.readers = new(int)
	r.Length = []string{strconv.Itoa(len(r.Body))}
	if coding != Identity {
		r.Header["Content-Encoding"] = []string{coding.name()}
	}
	r.Header["Etag"] = []string{`"` + r.Tag + coding.suffix() + `"`}
}

func (r *Reply) Finish() {
	r.finish(Identity)
	if !r.ModTime.IsZero() {
		r.ModTime = r.ModTime.UTC().Truncate(time.Second)
		r.Header["Last-Modified"] = []string{r.ModTime.Format(http.TimeFormat)}
	}
}

// Close ends the stream of a streamed answer.
func (r *Reply) Close() {
	if closer, ok := r.Content.(io.Closer); ok {
		_ = closer.Close() // errors do not matter after reading
	}
}
