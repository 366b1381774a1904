package pdffile

import (
	"bytes"
	"errors"
)

var (
	// ErrNotPDF says that no PDF object could be found at all.
	ErrNotPDF = errors.New("not a pdf file")
	// ErrEncrypted says that the file wants a password, or a protection this reader does not know.
	ErrEncrypted = errors.New("pdf file is encrypted")
)

// Open reads the cross-reference of a file, or makes one where it is missing
// or wrong. It holds on to data, which must not change.
func Open(data []byte) (*File, error) {
	if i := bytes.Index(data[:min(len(data), 1<<20)], []byte("%PDF-")); i > 0 {
		data = data[i:] // offsets count from the header
	}
	f := &File{data: data}
	f.reset()
	if f.readXrefs() {
		if err := f.unlock(); err != nil {
			return nil, err
		}
		if f.whole() {
			f.checkTail()
			return f, nil
		}
	}
	return search(data)
}

// search opens a file by looking for its objects, whatever its own table says.
func search(data []byte) (*File, error) {
	f := &File{data: data}
	if !f.repair() {
		return nil, ErrNotPDF
	}
	f.mended("the table of contents is unusable; the objects were found by search")
	if err := f.unlock(); err != nil {
		return nil, err
	}
	f.checkTail()
	return f, nil
}

// Search opens the file anew by looking for its objects, for when its own table
// leads astray; nil if that was done before, or finds nothing.
func (f *File) Search() *File {
	if f.searched {
		return nil
	}
	again, err := search(f.data)
	if err != nil {
		return nil
	}
	return again
}

// checkTail finds objects behind the last end of the file. Each saving of a
// file ends with "startxref": where objects follow, the end of a saving is lost, and with it what that saving changed.
func (f *File) checkTail() {
	if i := bytes.LastIndex(f.data, []byte("startxref")); i >= 0 && bytes.Contains(f.data[i:], []byte(" obj")) {
		f.lost("the file goes on behind its last table of contents: its end is missing")
	}
}

// whole reports whether the way to the pages leads somewhere.
func (f *File) whole() bool {
	return f.Value(f.Value(f.Trailer["Root"]).Dict()["Pages"]).Dict() != nil
}
