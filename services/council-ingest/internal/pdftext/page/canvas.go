// Package page runs the content of one page of a PDF. It returns the visible text, and notes about
// everything else.
//
// Start with File.Read in page.go. content.go runs the operators. unseen.go follows lines, areas
// and colours, and decides which text is visible. canvas.go has the graphics state, matrices and
// boxes.
package page

import (
	"errors"
	"math"

	"github.com/ledongthuc/pdf"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/fonts"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/layout"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

// Limits of one page. Busy pages of minutes have about ten thousand glyphs.
const (
	maxOps      = 3_000_000
	maxOperands = 64 // operands of one operator; known operators have at most a dozen
	maxGlyphs   = 400_000
	maxForms    = 12  // depth of forms within forms
	maxStates   = 512 // number of q without Q
)

const errPageTooBig = "page draws more than a page can hold"

type canvas struct {
	*File
	glyphs  []layout.Glyph
	left    []layout.Glyph // text of hidden layers
	rules   []layout.Rule
	filled  []box // areas that were painted in a colour
	looks   int   // number of comparisons with filled
	images  int
	shapes  int // number of curves, because text may be drawn as outlines
	ops     int
	shown   int      // number of strings so far
	drawing []string // forms that are being drawn, outermost first
	hidden  int      // depth of hidden marked content
	tooBig  bool     // a limit was reached, and the rest was skipped
	missing bool
	damage  *damage // damage of the first damaged form or font
}

// File has the data that all pages of a file share.
type File struct {
	file  *pdffile.File
	fonts map[string]*fonts.Font // by object ID, like forms and layers
	forms map[string]form
	off   map[string]bool // layers that are not shown
}

// New returns the pages of a file.
func New(f *pdffile.File) *File {
	return &File{
		file: f, fonts: map[string]*fonts.Font{}, forms: map[string]form{}, off: f.Hidden(),
	}
}

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

// isOff reports whether optional content is hidden by default (ISO 32000-1, 8.11).
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

// state is the part of the graphics state that affects text (ISO 32000-1, 9.3).
type state struct {
	ctm     matrix
	font    *fonts.Font
	size    float64
	char    float64 // operator Tc
	word    float64 // operator Tw
	stretch float64 // operator Tz, divided by 100
	leading float64 // operator TL
	rise    float64 // Ts
	mode    int     // Tr
	fill    paint
	clip    box
}

type paint struct {
	parts int  // number of components of the colour space: 1, 3 or 4; 0 if unknown
	white bool // the colour is white, like paper
	clear bool // the colour is fully transparent
}

// reader runs one content stream, which belongs to the page or to a form on it.
type reader struct {
	*canvas
	resources pdf.Value
	state
	stack    []state
	tm       matrix // text matrix
	tlm      matrix // text line matrix
	marks    []bool // for each open marked content: whether it is hidden
	path     []segment
	px, py   float64
	bounds   box                    // bounds of the current path
	clipping bool                   // the current path will become a clip
	named    map[string]*fonts.Font // fonts by their names in the stream's resources
	things   map[string]pdf.Value   // external objects
}

type segment struct{ x0, y0, x1, y1 float64 }

type damage struct {
	message string
	tooBig  bool // the reader reached a limit
}

func damageOf(err error) *damage {
	if err == nil {
		return nil
	}
	return &damage{err.Error(), errors.Is(err, pdffile.ErrTooLarge)}
}

// matrix maps (x, y) to (a·x + c·y + e, b·x + d·y + f).
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// then returns the matrix that applies first m and then n.
func (m matrix) then(n matrix) matrix {
	return matrix{
		a: m.a*n.a + m.b*n.c, b: m.a*n.b + m.b*n.d,
		c: m.c*n.a + m.d*n.c, d: m.c*n.b + m.d*n.d,
		e: m.e*n.a + m.f*n.c + n.e, f: m.e*n.b + m.f*n.d + n.f,
	}
}

func (m matrix) apply(x, y float64) (float64, float64) {
	return m.a*x + m.c*y + m.e, m.b*x + m.d*y + m.f
}

func matrixOf(n []float64) matrix {
	if len(n) < 6 {
		return identity
	}
	return matrix{a: n[0], b: n[1], c: n[2], d: n[3], e: n[4], f: n[5]}
}

// upright maps the user space of a page to coordinates in which x grows to the right and y down,
// from the upper left corner of the visible part.
func upright(box [4]float64, rotate int) matrix {
	switch rotate {
	case 90:
		return matrix{b: 1, c: 1, e: -box[1], f: -box[0]}
	case 180:
		return matrix{a: -1, d: 1, e: box[2], f: -box[1]}
	case 270:
		return matrix{b: -1, c: -1, e: box[3], f: box[2]}
	}
	return matrix{a: 1, d: -1, e: -box[0], f: box[3]}
}

func finite(xs ...float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || math.Abs(x) > 1e7 {
			return false
		}
	}
	return true
}

type box struct{ x0, y0, x1, y1 float64 }

func (b box) empty() bool { return b.x1 < b.x0 || b.y1 < b.y0 }

func (b box) with(x, y float64) box {
	return box{min(b.x0, x), min(b.y0, y), max(b.x1, x), max(b.y1, y)}
}

func (b box) within(c box) box {
	return box{max(b.x0, c.x0), max(b.y0, c.y0), min(b.x1, c.x1), min(b.y1, c.y1)}
}

func (b box) holds(x, y float64) bool { return x >= b.x0 && x <= b.x1 && y >= b.y0 && y <= b.y1 }

// everywhere is the initial clip of a page. nowhere is the initial bounds of a path.
var (
	everywhere = box{-1e9, -1e9, 1e9, 1e9}
	nowhere    = box{1e9, 1e9, -1e9, -1e9}
)
