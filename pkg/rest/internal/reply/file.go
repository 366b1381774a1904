// Package reply holds encoded answers: their codings and validators, and the cache that keeps them.
// It is independent of endpoints and dialects, and never writes to a client.
package reply

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"mime"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// A File is an answer: the bytes that a handler makes, and the header values that the server adds
// once.
type File struct {
	Body       []byte        // kept in the cache, and compressed if its type allows
	Content    io.ReadSeeker // with Spec.Stream: read for one answer, then closed if it is an io.Closer
	Media      string        // content type; "" means the endpoint's
	Name       string        // suggested file name; without one there is no Content-Disposition
	Attachment bool          // the browser saves the file instead of showing it
	// validator of the content, such as its SHA-256, without quotes; if "", generation and request are
	// the validator
	Tag      string
	Modified time.Time     // time of the content's last change; zero means the generation's time
	Refresh  time.Duration // value of the Refresh header, for clients that sleep between requests; 0 means no header

	// The server sets the fields below.
	Gen    int64
	Brief  bool   // realtime data: outdated within seconds
	Sum    uint64 // hash of Body, for endpoints that push
	Header http.Header

	coded *codings
}

// codings has a file in its other codings, which are made when the first client asks for them.
type codings struct {
	making sync.Mutex // held while one is made, so that each is made once
	files  [zstded + 1]atomic.Pointer[File]
}

// Hash sets the validator of a file to the hash of its bytes, unless it already has one.
func (f *File) Hash() {
	if sum := sha256.Sum256(f.Body); f.Tag == "" {
		f.Tag = hex.EncodeToString(sum[:12])
	}
}

// Finish sets the header values. media is the content type of a file that names none.
func (f *File) Finish(media []string) {
	f.coded = &codings{}
	f.Header = http.Header{"Content-Type": media}
	if f.Media != "" {
		f.Header["Content-Type"] = []string{f.Media}
	}
	if !f.Modified.IsZero() {
		f.Modified = f.Modified.UTC().Truncate(time.Second)
		f.Header["Last-Modified"] = []string{f.Modified.Format(http.TimeFormat)}
	}
	if f.Refresh > 0 {
		f.Header["Refresh"] = []string{strconv.Itoa(int(f.Refresh.Seconds()))}
	}
	if f.Name != "" {
		how := "inline"
		if f.Attachment {
			how = "attachment"
		}
		f.Header["Content-Disposition"] = []string{mime.FormatMediaType(how, map[string]string{"filename": f.Name})}
	}
	if f.Content == nil {
		f.Header["Content-Length"] = []string{strconv.Itoa(len(f.Body))}
	}
	f.Header["Etag"] = []string{`"` + f.Tag + `"`}
}

// Close ends the content of a streamed answer.
func (f *File) Close() {
	if closer, ok := f.Content.(io.Closer); ok {
		_ = closer.Close() // errors do not matter after reading
	}
}
