package page

import (
	"math"
	"slices"
	"strings"

	"github.com/ledongthuc/pdf"

	"github.com/townline/townline/services/council-ingest/internal/pdftext/content"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/fonts"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/layout"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

func (c *canvas) run(data []byte, resources pdf.Value, ctm matrix, from *state) {
	r := &reader{
		canvas: c, resources: resources, tm: identity, tlm: identity,
		named: map[string]*fonts.Font{}, things: map[string]pdf.Value{},
	}
	r.bounds = nowhere
	r.state = state{stretch: 1, clip: everywhere}
	if from != nil {
		r.state = *from
	}
	r.ctm = ctm
	content.Operators(data, maxOperands, func(op string, args content.Operands) {
		if c.ops++; c.ops > maxOps || len(c.glyphs) > maxGlyphs {
			c.tooBig = true
		}
		if !c.tooBig {
			r.do(op, args)
		}
	})
	for len(r.marks) > 0 {
		r.endMark()
	}
}

// do runs one operator (ISO 32000-1, annex A).
func (r *reader) do(op string, args content.Operands) {
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
			r.ctm = matrixOf(args.Nums()).then(r.ctm)
		}
	case "Do":
		r.draw(args.Name(0))
	case "EI":
		r.images++
	case "gs":
		r.setExt(r.resources.Key("ExtGState").Key(args.Name(0)))
	case "BMC", "BDC":
		r.beginMark(args)
	case "EMC":
		r.endMark()
	default:
		if !r.doText(op, args) && !r.colour(op, args) {
			r.trace(op, args)
		}
	}
}

// doText runs an operator of text. It returns false for any other operator.
func (r *reader) doText(op string, args content.Operands) bool {
	switch op {
	case "BT":
		r.tm, r.tlm = identity, identity
	case "Tf":
		r.font, r.size = r.fontNamed(args.Name(0)), args.Num(1)
	case "Tc":
		r.char = args.Num(0)
	case "Tw":
		r.word = args.Num(0)
	case "Tz":
		r.stretch = args.Num(0) / 100
	case "TL":
		r.leading = args.Num(0)
	case "Ts":
		r.rise = args.Num(0)
	case "Tr":
		r.mode = int(args.Num(0))
	case "Td":
		r.nextLine(args.Num(0), args.Num(1))
	case "TD":
		r.leading = -args.Num(1)
		r.nextLine(args.Num(0), args.Num(1))
	case "Tm":
		if len(args) >= 6 {
			r.tlm = matrixOf(args.Nums())
			r.tm = r.tlm
		}
	case "T*":
		r.nextLine(0, -r.leading)
	case "Tj":
		r.show(args.Text(0), false)
	case "'":
		r.nextLine(0, -r.leading)
		r.show(args.Text(0), false)
	case `"`:
		r.word, r.char = args.Num(0), args.Num(1)
		r.nextLine(0, -r.leading)
		r.show(args.Text(2), false)
	case "TJ":
		r.showArray(args.Array(0))
	default:
		return false
	}
	return true
}

func (r *reader) fontNamed(n string) *fonts.Font {
	t, ok := r.named[n]
	if !ok {
		t = r.File.font(r.resources.Key("Font").Key(n))
		r.named[n] = t
	}
	return t
}

func (r *reader) setExt(d pdf.Value) {
	if a := d.Key("Font"); a.Len() == 2 {
		r.font, r.size = r.File.font(a.Index(0)), a.Index(1).Float64()
	}
	if alpha := d.Key("ca"); pdffile.IsNumber(alpha) {
		r.fill.clear = alpha.Float64() < 0.01
	}
}

func (r *reader) nextLine(tx, ty float64) {
	r.tlm = matrix{a: 1, d: 1, e: tx, f: ty}.then(r.tlm)
	r.tm = r.tlm
}

func (r *reader) showArray(a content.Operands) {
	begun := false
	for i, o := range a {
		if s, is := o.(string); is {
			r.show(s, begun)
			begun = true
		} else {
			r.advance(-a.Num(i) / 1000 * r.size * r.stretch)
		}
	}
}

func (r *reader) advance(tx float64) {
	r.tm = matrix{a: 1, d: 1, e: tx}.then(r.tm)
}

// show places the characters of a string. follows says that another string of the same operator
// comes before it.
func (r *reader) show(s string, follows bool) {
	if r.font == nil {
		r.font = fonts.New(nil, pdf.Value{})
	}
	r.shown++
	tied := false
	track := 0.0 // letter spacing; in short strings, gaps between words
	if letters := len(s); r.char > 0 && (letters >= 10 || letters >= 5 && !r.font.TwoByte) {
		track = r.char * r.stretch * math.Hypot(r.ctm.a*r.tm.a+r.ctm.c*r.tm.b, r.ctm.b*r.tm.a+r.ctm.d*r.tm.b)
	}
	r.font.Decode(s, func(ch fonts.Char) {
		tx, extra := ch.Width*r.size, r.char
		if ch.Blank {
			extra += r.word
		}
		trm := r.tm.then(r.ctm)
		g := layout.Glyph{
			Text: ch.Text, Shown: r.shown, Tied: tied, Follows: follows || tied, Invisible: r.mode == 3, Track: track,
			Guessed: r.font.Guess,
		}
		g.X0, g.Y0 = trm.apply(0, r.rise)
		g.Blank = strings.Trim(ch.Text, " ") == ""
		if g.Blank { // word spacing is already included
			tx, extra = tx+extra, 0
		}
		g.X1, g.Y1 = trm.apply(tx*r.stretch, r.rise)
		g.Size = math.Hypot(trm.c, trm.d) * math.Abs(r.size) * r.font.Em
		if finite(g.X0, g.Y0, g.X1, g.Y1, g.Size) && g.Size > 0.01 {
			switch {
			case r.hidden > 0 && len(r.left) <= maxGlyphs:
				r.left = append(r.left, g)
			case r.hidden == 0 && len(r.glyphs) <= maxGlyphs:
				g.Unseen = !g.Invisible && !r.sees(g)
				r.glyphs = append(r.glyphs, g)
			}
		}
		r.advance((tx + extra) * r.stretch)
		tied = true
	})
	if r.damage == nil && tied {
		r.damage = damageOf(r.font.Damage)
	}
}

func (r *reader) draw(n string) {
	v, ok := r.things[n]
	if !ok {
		v = r.resources.Key("XObject").Key(n)
		r.things[n] = v
	}
	switch {
	case v.IsNull():
		r.missing = true
	case v.Kind() != pdf.Stream || r.hidden > 0 || r.isOff(v.Key("OC")):
	case v.Key("Subtype").Name() == "Image":
		r.images++
		unit := nowhere
		for _, corner := range [][2]float64{{0, 0}, {0, 1}, {1, 0}, {1, 1}} {
			unit = unit.with(r.ctm.apply(corner[0], corner[1]))
		}
		r.addFilled(unit)
	default:
		r.drawForm(v, r.resources, r.ctm, &r.state)
	}
}

// drawForm runs the content of a form XObject. It ignores a form that is inside itself.
func (c *canvas) drawForm(v, resources pdf.Value, ctm matrix, from *state) {
	id := pdffile.ID(v)
	if slices.Contains(c.drawing, id) {
		return
	}
	if len(c.drawing) >= maxForms {
		c.tooBig = true
		return
	}
	f, ok := c.forms[id]
	if !ok {
		data, err := c.file.Data(v)
		f = form{data, damageOf(err)}
		c.forms[id] = f
	}
	if c.damage == nil {
		c.damage = f.damage
	}
	if own := v.Key("Resources"); !own.IsNull() {
		resources = own
	}
	c.drawing = append(c.drawing, id)
	hidden := c.hidden
	c.run(f.content, resources, matrixOf(pdffile.Floats(v.Key("Matrix"))).then(ctm), from)
	c.drawing, c.hidden = c.drawing[:len(c.drawing)-1], hidden
}

func (r *reader) beginMark(args content.Operands) {
	off := args.Name(0) == "OC" && r.isOff(r.resources.Key("Properties").Key(args.Name(1)))
	if off {
		r.hidden++
	}
	if len(r.marks) < 10_000 {
		r.marks = append(r.marks, off)
	}
}

func (r *reader) endMark() {
	last := len(r.marks) - 1
	if last < 0 {
		return
	}
	if r.marks[last] {
		r.hidden--
	}
	r.marks = r.marks[:last]
}
