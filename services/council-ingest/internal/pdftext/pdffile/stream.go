package pdffile

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ledongthuc/pdf"
)

// ErrTooLarge means that a stream, or all streams of a file together, inflate beyond their limit.
var ErrTooLarge = errors.New("stream inflates beyond its limit")

const (
	maxStream  = 64 << 20  // bytes one stream may inflate to
	maxInflate = 512 << 20 // bytes all streams of a file may inflate to
)

// Data returns the decoded data of a stream, nil for another value. If the stream is damaged it
// returns what comes before the damage, and the error.
func (f *File) Data(v pdf.Value) ([]byte, error) {
	if v.Kind() != pdf.Stream {
		return nil, nil
	}
	if !f.isClosed(v) {
		return nil, errors.New("a stream has another length than it says")
	}
	limit := min(maxStream, maxInflate-f.inflated)
	var out bytes.Buffer
	n, err := out.ReadFrom(io.LimitReader(v.Reader(), int64(limit)+1)) // to the checksum
	f.inflated += int(n)
	switch {
	case n > int64(limit):
		return out.Bytes()[:limit], ErrTooLarge
	case err != nil:
		return out.Bytes(), fmt.Errorf("read stream after %d bytes: %w", n, err)
	}
	return out.Bytes(), nil
}

// Content returns the content of a page. White space between its streams separates operators.
func (f *File) Content(p Page) (out []byte, first error) {
	parts := p.Key("Contents")
	if parts.Kind() == pdf.Stream {
		return f.Data(parts)
	}
	for i := range parts.Len() {
		part := parts.Index(i)
		if part.Kind() != pdf.Stream {
			return out, errors.New("a part of the page's content is missing")
		}
		data, err := f.Data(part)
		if first == nil {
			first = err
		}
		out = append(append(out, data...), '\n')
	}
	return out, first
}

// isClosed reports whether a stream ends where its dictionary says, which the library believes.
func (f *File) isClosed(v pdf.Value) bool {
	s := v.String()
	at, err := strconv.Atoi(s[strings.LastIndexByte(s, '@')+1:])
	end := at + Int(v.Key("Length"))
	if err != nil || at < 0 || end < at || end > len(f.data) {
		return false
	}
	tail := bytes.TrimLeft(f.data[end:min(len(f.data), end+32)], "\r\n \t\x00")
	return bytes.HasPrefix(tail, []byte("endstream")) || bytes.HasPrefix(tail, []byte("endobj"))
}

// checkPacked verifies the checksums of the streams that hold objects or say where objects are:
// the library does not read these to their ends.
func (f *File) checkPacked() error {
	for _, kind := range []string{"/ObjStm", "/XRef"} {
		if kind == "/ObjStm" && !f.reader.Trailer().Key("Encrypt").IsNull() {
			continue
		}
		for i := 0; ; {
			k := bytes.Index(f.data[i:], []byte(kind))
			if k < 0 {
				break
			}
			i += k + len(kind)
			head, body, _ := bytes.Cut(f.data[i:], []byte("stream"))
			if len(head) > 1000 || !bytes.Contains(head, []byte(">>")) {
				continue // no dictionary of a stream
			}
			zr, err := zlib.NewReader(bytes.NewReader(bytes.TrimLeft(body, "\r\n")))
			if err != nil {
				continue // not compressed
			}
			if n, err := io.Copy(io.Discard, io.LimitReader(zr, maxStream)); err != nil {
				return fmt.Errorf("%w: stream of objects after %d bytes: %w", ErrMalformed, n, err)
			}
		}
	}
	return nil
}
