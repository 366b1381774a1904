package pdftext

import (
	"errors"
	"math"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

// Bounds on one page. Busy pages of real minutes have some ten thousand glyphs.
const (
	maxOps    = 3_000_000
	maxGlyphs = 400_000
	maxForms  = 12  // forms within forms
	maxStates = 512 // q without Q
)

var errPageTooBig = errors.New("page draws more than a page can hold")

// A glyph is one character where the page shows it, in the space of upright.
type glyph struct {
	text      string
	x0, y0    float64 // start of its baseline
	x1, y1    float64 // end of its advance
	size      float64 // height of the font
	track     float64 // room between all letters of its string, which parts no words
	blank     bool    // shows nothing
	shown     int     // number of its string, in the order of showing
	tied      bool    // follows the glyph before it in that string
	follows   bool    // follows the glyph before it in one show operator
	invisible bool    // drawn in no colour (the text layer of a scan)
	guessed   bool    // its width is a guess
}

// A rule is a vertical line drawn on the page: the border of a table's cell.
type rule struct{ x, top, bottom float64 }

// A canvas collects what the content of one page shows.
type canvas struct {
	file   *pdffile.File
	fonts  *fontCache
	glyphs []glyph
	rules  []rule
	images int // pictures
	shapes int // curves, of which outlined text is made
	ops    int
	shown  int               // strings so far
	forms  []*pdffile.Stream // being drawn, outermost first
	hidden int               // depth of marked content that is switched off
	off    map[pdffile.Ref]bool
	damage error // the first stream that could not be read to its end
}

// A fontCache holds the fonts of one document by their objects.
type fontCache struct {
	byRef map[pdffile.Ref]*font
}

func (c *fontCache) get(f *pdffile.File, o pdffile.Object) *font {
	ref, isRef := o.(pdffile.Ref)
	if isRef {
		if t, ok := c.byRef[ref]; ok {
			return t
		}
	}
	t := newFont(f, f.Dict(o))
	if isRef {
		c.byRef[ref] = t
	}
	return t
}

// state is the graphics state as far as text depends on it (ISO 32000-1, 9.3).
type state struct {
	ctm     matrix
	font    *font
	size    float64
	char    float64 // Tc
	word    float64 // Tw
	stretch float64 // Tz / 100
	leading float64 // TL
	rise    float64 // Ts
	mode    int     // Tr
}

// A reader runs one content stream: of the page or of a form on it.
type reader struct {
	*canvas
	resources pdffile.Dict
	state
	stack  []state
	tm     matrix // text matrix
	tlm    matrix // text line matrix
	marks  []mark
	path   []segment
	px, py float64
	fonts  map[pdffile.Name]*font
}

// A segment is a straight line of the current path.
type segment struct{ x0, y0, x1, y1 float64 }

// run interprets content under a first transformation.
func (c *canvas) run(data []byte, resources pdffile.Dict, ctm matrix, from *state) error {
	r := &reader{canvas: c, resources: resources, tm: identity, tlm: identity, fonts: map[pdffile.Name]*font{}}
	r.state = state{stretch: 1}
	if from != nil {
		r.state = *from
	}
	r.ctm = ctm
	l := pdffile.NewLexer(data)
	var args []pdffile.Object
	for {
		o, err := l.Next()
		if err != nil {
			break
		}
		op, ok := o.(pdffile.Keyword)
		if !ok {
			if len(args) < 64 {
				args = append(args, o)
			}
			continue
		}
		if c.ops++; c.ops > maxOps || len(c.glyphs) > maxGlyphs {
			return errPageTooBig
		}
		if op == "ID" {
			l.SkipInlineImage()
			c.images++
		} else if err := r.do(op, args); err != nil {
			return err
		}
		args = args[:0]
	}
	for len(r.marks) > 0 {
		r.endMark()
	}
	return nil
}

// num is operand i as a number.
func num(args []pdffile.Object, i int) float64 {
	if i < len(args) {
		switch n := args[i].(type) {
		case int:
			return float64(n)
		case float64:
			return n
		}
	}
	return 0
}

func str(args []pdffile.Object, i int) string {
	if i >= 0 && i < len(args) {
		s, _ := args[i].(pdffile.String)
		return string(s)
	}
	return ""
}

// name is the first operand, as a name.
func name(args []pdffile.Object) pdffile.Name {
	if len(args) > 0 {
		n, _ := args[0].(pdffile.Name)
		return n
	}
	return ""
}

func nums(args []pdffile.Object) []float64 {
	out := make([]float64, len(args))
	for i := range args {
		out[i] = num(args, i)
	}
	return out
}

// do carries out one operator (ISO 32000-1, annex A).
func (r *reader) do(op pdffile.Keyword, args []pdffile.Object) error {
	switch op {
	case "q":
		if len(r.stack) < maxStates {
			r.stack = append(r.stack, r.state)
		}
	case "Q":
		if n := len(r.stack); n > 0 {
			r.state, r.stack = r.stack[n-1], r.stack[:n-1]
		}
	case "cm":
		if len(args) >= 6 {
			r.ctm = matrixOf(nums(args)).then(r.ctm)
		}
	case "BT":
		r.tm, r.tlm = identity, identity
	case "Tf":
		r.font, r.size = r.fontNamed(name(args)), num(args, 1)
	case "Tc":
		r.char = num(args, 0)
	case "Tw":
		r.word = num(args, 0)
	case "Tz":
		r.stretch = num(args, 0) / 100
	case "TL":
		r.leading = num(args, 0)
	case "Ts":
		r.rise = num(args, 0)
	case "Tr":
		r.mode = int(num(args, 0))
	case "Td":
		r.nextLine(num(args, 0), num(args, 1))
	case "TD":
		r.leading = -num(args, 1)
		r.nextLine(num(args, 0), num(args, 1))
	case "Tm":
		if len(args) >= 6 {
			r.tlm = matrixOf(nums(args))
			r.tm = r.tlm
		}
	case "T*":
		r.nextLine(0, -r.leading)
	case "Tj":
		r.show(str(args, 0), false)
	case "'":
		r.nextLine(0, -r.leading)
		r.show(str(args, 0), false)
	case `"`:
		r.word, r.char = num(args, 0), num(args, 1)
		r.nextLine(0, -r.leading)
		r.show(str(args, 2), false)
	case "TJ":
		if len(args) > 0 {
			r.showArray(args[0])
		}
	case "Do":
		return r.draw(name(args))
	case "gs":
		r.setExt(r.file.Dict(r.file.Dict(r.resources["ExtGState"])[name(args)]))
	case "BMC", "BDC":
		r.beginMark(args)
	case "EMC":
		r.endMark()
	default:
		r.trace(op, args)
	}
	return nil
}

// fontNamed finds a font of this content's resources.
func (r *reader) fontNamed(n pdffile.Name) *font {
	t, ok := r.fonts[n]
	if !ok {
		t = r.canvas.fonts.get(r.file, r.file.Dict(r.resources["Font"])[n])
		r.fonts[n] = t
	}
	return t
}

// setExt takes the font of an extended graphics state; the rest is colour.
func (r *reader) setExt(d pdffile.Dict) {
	if a := r.file.Array(d["Font"]); len(a) == 2 {
		r.font = r.canvas.fonts.get(r.file, a[0])
		r.size, _ = r.file.Num(a[1])
	}
}

func (r *reader) nextLine(tx, ty float64) {
	r.tlm = matrix{a: 1, d: 1, e: tx, f: ty}.then(r.tlm)
	r.tm = r.tlm
}

func (r *reader) showArray(o pdffile.Object) {
	a, _ := o.(pdffile.Array)
	begun := false
	for _, o := range a {
		switch o := o.(type) {
		case pdffile.String:
			r.show(string(o), begun)
			begun = true
		case int:
			r.advance(-float64(o) / 1000 * r.size * r.stretch)
		case float64:
			r.advance(-o / 1000 * r.size * r.stretch)
		}
	}
}

func (r *reader) advance(tx float64) {
	r.tm = matrix{a: 1, d: 1, e: tx}.then(r.tm)
}

// show places the characters of a string. follows: an earlier string of the
// same operator was shown before it.
func (r *reader) show(s string, follows bool) {
	if r.font == nil {
		r.font = newFont(r.file, nil)
	}
	r.shown++
	tied := false
	track := 0.0 // a few letters moved apart are words; more are spread writing
	if letters := len(s); r.char > 0 && (letters >= 10 || letters >= 5 && !r.font.twoByte) {
		track = r.char * r.stretch * math.Hypot(r.ctm.a*r.tm.a+r.ctm.c*r.tm.b, r.ctm.b*r.tm.a+r.ctm.d*r.tm.b)
	}
	r.font.decode(s, func(ch char) {
		tx, extra := ch.width*r.size, r.char
		if ch.blank {
			extra += r.word
		}
		trm := r.tm.then(r.ctm)
		g := glyph{text: ch.text, shown: r.shown, tied: tied, follows: follows || tied, invisible: r.mode == 3, track: track, guessed: r.font.guess}
		g.x0, g.y0 = trm.apply(0, r.rise)
		g.blank = isBlank(ch.text)
		if g.blank { // a blank is as wide as it is stretched
			tx, extra = tx+extra, 0
		}
		g.x1, g.y1 = trm.apply(tx*r.stretch, r.rise)
		g.size = math.Hypot(trm.c, trm.d) * math.Abs(r.size) * r.font.em
		if r.hidden == 0 && len(r.glyphs) <= maxGlyphs && finite(g.x0, g.y0, g.x1, g.y1, g.size) && g.size > 0.01 {
			r.glyphs = append(r.glyphs, g)
		}
		r.advance((tx + extra) * r.stretch)
		tied = true
	})
}

func isBlank(s string) bool {
	for i := range len(s) {
		if s[i] != ' ' {
			return false
		}
	}
	return true
}

// draw shows an external object: a form is content of its own, an image counts.
func (r *reader) draw(n pdffile.Name) error {
	s := r.file.Stream(r.file.Dict(r.resources["XObject"])[n])
	if s == nil || r.hidden > 0 || r.isOff(s.Dict["OC"]) {
		return nil
	}
	if r.file.Name(s.Dict["Subtype"]) == "Image" {
		r.images++
		return nil
	}
	return r.form(s, r.resources, r.ctm, &r.state)
}

// form runs the content of a form XObject; one that contains itself is drawn once.
func (c *canvas) form(s *pdffile.Stream, resources pdffile.Dict, ctm matrix, from *state) error {
	if len(c.forms) >= maxForms {
		return nil
	}
	for _, open := range c.forms {
		if open == s {
			return nil
		}
	}
	data, err := c.file.Data(s)
	if err != nil && c.damage == nil {
		c.damage = err
	}
	if own := c.file.Dict(s.Dict["Resources"]); own != nil {
		resources = own
	}
	c.forms = append(c.forms, s)
	defer func() { c.forms = c.forms[:len(c.forms)-1] }()
	hidden := c.hidden
	defer func() { c.hidden = hidden }()
	return c.run(data, resources, matrixOf(c.file.Nums(s.Dict["Matrix"])).then(ctm), from)
}
