// Package pdffile opens PDF files with github.com/ledongthuc/pdf and decides what they are worth:
// what has no header, no end or no table of its objects is refused; what lacks pages, or a stream
// of which has another checksum than was stored with it, is partial.
//
// The library reads objects, cross-reference tables, streams and encryption. It believes what a
// file says, does not report what is missing, and panics on malformed objects, for which package
// pdftext has a recover at the edge of its child process. So the header and the end are checked
// before it reads (open.go), pages are counted (pages.go), and streams are read to their
// checksums within limits (stream.go).
package pdffile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
)

var (
	// ErrMalformed means that the file is no PDF, or not all of one.
	ErrMalformed = errors.New("malformed pdf")
	// ErrEncrypted means that the file needs a password, or is protected in an unsupported way.
	ErrEncrypted = errors.New("pdf file is encrypted")
)

// A File is an open PDF. It is not safe for concurrent use.
type File struct {
	reader   *pdf.Reader
	data     []byte // from header to end
	inflated int    // bytes, against maxInflate
}

// Open opens a file, which must not change afterwards. The library accepts no blank at the end of
// the first line and of the line "startxref", as Crystal Reports writes (Pittsburgh's minutes), and
// no version 2: Open corrects both lines in data.
func Open(data []byte) (*File, error) {
	start := bytes.Index(data[:min(len(data), 1<<20)], []byte("%PDF-"))
	last := bytes.LastIndex(data, []byte("%%EOF"))
	switch {
	case start < 0:
		return nil, fmt.Errorf("%w: no header", ErrMalformed)
	case last < start, bytes.Contains(data[last:], []byte(" obj")): // of an update
		return nil, fmt.Errorf("%w: the end of the file is missing", ErrMalformed)
	}
	f := &File{data: data[start : last+len("%%EOF")]} // offsets count from the header
	copy(f.data, "%PDF-1.7\n")
	if table := bytes.LastIndex(f.data, []byte("startxref ")); table > 0 {
		f.data[table+len("startxref")] = '\n'
	}
	var err error
	f.reader, err = pdf.NewReader(bytes.NewReader(f.data), int64(len(f.data)))
	if err != nil {
		if strings.Contains(err.Error(), "encrypt") {
			return nil, fmt.Errorf("%w: %w", ErrEncrypted, err)
		}
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	// The library decrypts with 16 bytes of key whatever the length of the key.
	if lock := f.reader.Trailer().Key("Encrypt"); !lock.IsNull() && lock.Key("Length").Int64() < 128 {
		return nil, fmt.Errorf("%w: key of less than 128 bits", ErrEncrypted)
	}
	return f, f.checkPacked()
}

// Hidden returns the layers that are not shown (ISO 32000-1, 8.11.4.3), by their [ID].
func (f *File) Hidden() map[string]bool {
	out := map[string]bool{}
	off := f.root().Key("OCProperties").Key("D").Key("OFF")
	for i := range off.Len() {
		if layer := off.Index(i); !layer.IsNull() {
			out[ID(layer)] = true
		}
	}
	return out
}

func (f *File) root() pdf.Value { return f.reader.Trailer().Key("Root") }

// ID identifies an object: two with the same ID have the same entries, and a stream the same data.
func ID(v pdf.Value) string { return v.String() }
