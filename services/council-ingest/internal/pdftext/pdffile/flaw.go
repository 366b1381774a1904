package pdffile

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
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
func (f *File) lost(format string, args ...any) { f.Flaw(true, format, args...) }

// mended tells of something that was wrong and could be made good.
func (f *File) mended(format string, args ...any) { f.Flaw(false, format, args...) }

// Flaw notes something that is wrong with the page being read; lost, that something of it is missing or may be.
func (f *File) Flaw(lost bool, format string, args ...any) {
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

// keys are those of the standard that are asked for; one of them in place of another is no slip.
var keys = func() map[Name]bool {
	out := map[Name]bool{}
	for _, k := range strings.Fields(`Type Subtype Kids Count Contents Annots Resources MediaBox CropBox Rotate Filter DecodeParms Font XObject ExtGState
		ColorSpace Properties BaseFont Encoding BaseEncoding Differences ToUnicode DescendantFonts FontDescriptor FirstChar Widths DW CIDToGIDMap FontMatrix
		FontBBox Flags MissingWidth FontFile FontFile2 FontFile3 ca OCGs ActualText Rect AS AP BBox Matrix OC OCProperties OFF Pages Predictor Colors Columns
		BitsPerComponent`) {
		out[Name(k)] = true
	}
	return out
}()

// misspelt looks, where a key is missing, for one that was it before one of its bits changed.
func (v Value) misspelt(d Dict, key Name) {
	if len(key) < 2 {
		return
	}
	for k := range d {
		if !keys[k] && oneBit(string(key), string(k)) {
			v.file.lost("a dictionary has a key %q that is /%s but for one bit", k, key)
		}
	}
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
