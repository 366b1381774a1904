package pdffile

import (
	"errors"
	"fmt"
	"slices"
)

var (
	// ErrNotPDF says that no PDF object could be found at all.
	ErrNotPDF = errors.New("not a pdf file")
	// ErrEncrypted says that the file wants a password, or a protection this reader does not know.
	ErrEncrypted = errors.New("pdf file is encrypted")
)

// A Flaw is something that is wrong with a file.
type Flaw struct {
	Page    int    // from 1; 0 is the whole file
	Lost    bool   // something is missing, or may be; else all that was wrong could be made good
	Message string // what it is
}

// maxFlaws bounds the flaws of one file.
const maxFlaws = 50

// lost notes something that is missing.
func (f *File) lost(format string, args ...any) { f.Flaw(true, format, args...) }

// mended notes something that was wrong and could be made good.
func (f *File) mended(format string, args ...any) { f.Flaw(false, format, args...) }

// Flaw notes something that is wrong with the page being read; lost, that something of it is missing or may be.
func (f *File) Flaw(lost bool, format string, args ...any) {
	found := Flaw{Page: f.page, Lost: lost, Message: fmt.Sprintf(format, args...)}
	if slices.Contains(f.flaws, found) {
		return
	}
	if len(f.flaws) < maxFlaws {
		f.flaws = append(f.flaws, found)
	} else if lost { // a loss must be reported in any case
		f.flaws[maxFlaws-1] = found
	}
}

// Flaws are what was found wrong with the file so far.
func (f *File) Flaws() []Flaw { return f.flaws }

// Lost reports whether something is missing, or may be.
func (f *File) Lost() bool {
	return slices.ContainsFunc(f.flaws, func(f Flaw) bool { return f.Lost })
}
