package pdffile

import (
	"fmt"
	"math/bits"
	"slices"
)

// A Flaw is something that is wrong with a file.
type Flaw struct {
	Page    int    // from 1; 0 is the whole file
	Lost    bool   // something is missing, or may be; else all that was wrong could be made good
	Message string // what it is
}

// maxFlaws bounds what is told of one file.
const maxFlaws = 50

// lost tells of something that is missing.
func (f *File) lost(format string, args ...any) { f.flaw(true, format, args...) }

// mended tells of something that was wrong and could be made good.
func (f *File) mended(format string, args ...any) { f.flaw(false, format, args...) }

func (f *File) flaw(lost bool, format string, args ...any) {
	told := Flaw{Page: f.page, Lost: lost, Message: fmt.Sprintf(format, args...)}
	if slices.Contains(f.flaws, told) {
		return
	}
	if len(f.flaws) < maxFlaws {
		f.flaws = append(f.flaws, told)
	} else if lost { // this above all must not go untold
		f.flaws[maxFlaws-1] = told
	}
}

// pageKeys are what is read of pages, and of what is above them.
var pageKeys = map[Name]bool{"Type": true, "Kids": true, "Count": true, "Contents": true, "Annots": true,
	"Resources": true, "MediaBox": true, "CropBox": true, "Rotate": true}

// streamKeys are what is read of all streams.
var streamKeys = map[Name]bool{"Filter": true, "DecodeParms": true}

// misspelt is the missing key that a strange one was before one of its bits changed.
func misspelt[V any](strange Name, d Dict, keys map[Name]V) (Name, bool) {
	for k := range keys {
		if _, there := d[k]; !there && len(k) > 1 && oneBit(string(k), string(strange)) {
			return k, true
		}
	}
	return "", false
}

// oneBit tells whether b was a before one of its bits changed, or that of the blank behind it.
func oneBit(a, b string) bool {
	if len(a)+1 == len(b) {
		a += " "
	}
	if len(a) != len(b) {
		return false
	}
	different := 0
	for i := range len(a) {
		different += bits.OnesCount8(a[i] ^ b[i])
	}
	return different == 1
}
