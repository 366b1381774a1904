// Package page reads what one page of a PDF draws, and makes its text: the glyphs that can be seen,
// set into lines, with notes on what is not.
//
// It opens no file and judges no document: package pdffile hands it objects, package pdftext joins
// the pages. Start with File.Read, in page.go. canvas.go is what a page collects and the state of
// its drawing; content.go runs the operators, with marks.go for marked content, paths.go for lines
// and areas, unseen.go for what cannot be seen; geometry.go has matrices and boxes.
package page

import (
	"errors"

	"github.com/ledongthuc/pdf"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/fonts"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/layout"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

// Bounds on one page. Busy pages of real minutes have some ten thousand glyphs.
const (
	maxOps      = 3_000_000
	maxOperands = 64 // of one operator; none in use has more than a dozen
	maxGlyphs   = 400_000
	maxForms    = 12  // forms within forms
	maxStates   = 512 // q without Q
)

const errPageTooBig = "page draws more than a page can hold"

// A canvas collects what the content of one page shows.
type canvas struct {
	*File
	glyphs  []layout.Glyph
	left    []layout.Glyph // of layers that are switched off
	rules   []layout.Rule
	grounds []box // areas painted in a colour
	looks   int   // at these areas
	images  int   // pictures
	shapes  int   // curves, of which outlined text is made
	ops     int
	shown   int      // strings so far
	drawing []string // forms, outermost first
	hidden  int      // depth of marked content that is switched off
	tooBig  bool     // a bound was met, and the rest left out
	missing bool     // an object is drawn that the page does not have
	damage  *damage  // of the first form or font that could not be read to its end
}

// A File is what the pages of a file share.
type File struct {
	file  *pdffile.File
	fonts map[string]*fonts.Font // by their IDs, like forms and layers
	forms map[string]form
	off   map[string]bool // layers that are not shown
}

// New returns the pages of a file.
func New(f *pdffile.File) *File {
	return &File{
		file: f, fonts: map[string]*fonts.Font{}, forms: map[string]form{}, off: f.Hidden(),
	}
}

// A form is the content of a form, and what is wrong with it.
type form struct {
	content []byte
	damage  *damage
}

func (d *File) font(v pdf.Value) *fonts.Font {
	id := pdffile.ID(v)
	t, ok := d.fonts[id]
	if !ok {
		t = fonts.New(d.file, v)
		d.fonts[id] = t
	}
	return t
}

// isOff finds optional content that is not shown by default (ISO 32000-1, 8.11).
func (d *File) isOff(v pdf.Value) bool {
	if len(d.off) == 0 {
		return false
	}
	if d.off[pdffile.ID(v)] {
		return true
	}
	groups := v.Key("OCGs")
	if groups.Kind() != pdf.Array {
		return d.off[pdffile.ID(groups)]
	}
	for i := range groups.Len() {
		if !d.off[pdffile.ID(groups.Index(i))] {
			return false
		}
	}
	return groups.Len() > 0
}

// state is the graphics state as far as text depends on it (ISO 32000-1, 9.3).
type state struct {
	ctm     matrix
	font    *fonts.Font
	size    float64
	char    float64 // Tc
	word    float64 // Tw
	stretch float64 // Tz / 100
	leading float64 // TL
	rise    float64 // Ts
	mode    int     // Tr
	fill    paint
	clip    box
}

// A paint is what the fill colour of a page does to letters.
type paint struct {
	parts int  // numbers of a colour in the space that is set: 1, 3 or 4; 0 when their meaning is not known
	white bool // the colour of paper
	clear bool // wholly transparent
}

// A reader runs one content stream: of the page or of a form on it.
type reader struct {
	*canvas
	resources pdf.Value
	state
	stack    []state
	tm       matrix // text matrix
	tlm      matrix // text line matrix
	marks    []mark
	path     []segment
	px, py   float64
	bounds   box                    // of the current path
	clipping bool                   // the path will clip what follows
	named    map[string]*fonts.Font // fonts by their names here
	things   map[string]pdf.Value   // external objects
}

// A mark is an open marked content sequence.
type mark struct {
	start  int // first glyph in it
	text   string
	hidden bool
}

// A segment is a straight line of the current path.
type segment struct{ x0, y0, x1, y1 float64 }

// damage is what could not be read of a page or of a form on it.
type damage struct {
	message string
	tooBig  bool // it met a bound
}

// damageOf is what the error of a stream that is not whole means; nil for none.
func damageOf(err error) *damage {
	if err == nil {
		return nil
	}
	return &damage{err.Error(), errors.Is(err, pdffile.ErrTooLarge)}
}

func isBlank(s string) bool {
	for i := range len(s) {
		if s[i] != ' ' {
			return false
		}
	}
	return true
}
