package page

import (
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/fonts"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/layout"
	"github.com/townline/townline/services/council-ingest/internal/pdftext/pdffile"
)

// Sheet is the text of one page.
type Sheet struct {
	Page    int
	Text    string
	Letters int // number of letters, without blanks
	Unknown int // number of Letters that their fonts do not identify
	Images  int
	Shapes  int
	Notes   []Note
	Lost    bool // part of the page is unreadable
	TooBig  bool
}

func (d *File) Read(p pdffile.Page, number int) (out Sheet) {
	out.Page = number
	lost := func(d damage) {
		code := NoteDamaged
		if d.tooBig {
			code, out.TooBig = NoteTooBig, true
		}
		out.Lost = true
		out.Notes = append(out.Notes, Note{Page: number, Code: code, Message: d.message})
	}
	c := &canvas{File: d}
	content, err := d.file.Content(p)
	if err != nil {
		lost(*damageOf(err))
	}
	base := upright(p.Box, p.Rotate)
	c.run(content, p.Resources, base, nil)
	c.annotations(p, base)
	if c.tooBig {
		lost(damage{errPageTooBig, true})
	}
	if c.damage != nil {
		lost(*c.damage)
	}
	if c.missing {
		out.Notes = append(out.Notes, Note{number, NoteRepaired, "an object is drawn that the page does not have; it was " +
			"left out"})
	}
	out.Images, out.Shapes = c.images, c.shapes
	out.set(c.glyphs, c.left, c.rules, p)
	return out
}

func (out *Sheet) set(glyphs, off []layout.Glyph, rules []layout.Rule, p pdffile.Page) {
	glyphs, left, ocr := visible(glyphs, p)
	if ocr {
		out.Notes = append(out.Notes, Note{out.Page, NoteHiddenText, "the page is an image with an invisible text layer"})
	}
	for _, g := range glyphs {
		if !g.Blank {
			out.Letters++
		}
		if strings.Contains(g.Text, fonts.NoText) {
			out.Unknown++
		}
	}
	if out.Unknown > 0 {
		out.Notes = append(out.Notes, Note{Page: out.Page, Code: NoteUnknownGlyphs,
			Message: fmt.Sprintf("%d of %d characters have no text in their fonts", out.Unknown, out.Letters)})
	}
	out.Text = layout.Text(glyphs, rules)
	if n, ok := unseenNote(out.Page, append(left, off...), out.Text); ok {
		out.Notes = append(out.Notes, n)
	}
}

// visible separates the visible glyphs from the others. Invisible text counts as visible if nearly
// all text of the page is invisible, as in a scan with OCR.
func visible(glyphs []layout.Glyph, p pdffile.Page) (out, left []layout.Glyph, ocr bool) {
	w, h := p.Box[2]-p.Box[0], p.Box[3]-p.Box[1]
	if p.Rotate == 90 || p.Rotate == 270 {
		w, h = h, w
	}
	shown, hidden := 0, 0
	for _, g := range glyphs {
		if g.Blank {
			continue
		}
		if g.Invisible {
			hidden++
		} else {
			shown++
		}
	}
	ocr = hidden > 0 && shown*10 < hidden
	out = glyphs[:0]
	for _, g := range glyphs {
		slack := g.Size
		if g.Invisible && !ocr || g.Unseen || g.X1 < -slack || g.X0 > w+slack || g.Y0 < -slack || g.Y0 > h+slack {
			left = append(left, g)
			continue
		}
		out = append(out, g)
	}
	return out, left, ocr
}

// annotations draws form fields, free text and stamps, because a clerk may have filled in a form
// (ISO 32000-1, 12.5.5).
func (c *canvas) annotations(p pdffile.Page, base matrix) {
	remarks := p.Key("Annots")
	read := 0
	for i := range remarks.Len() {
		a := remarks.Index(i)
		switch a.Key("Subtype").Name() {
		case "Widget", "FreeText", "Stamp":
		default:
			continue
		}
		if read++; read > maxRemarks {
			c.tooBig = true
			return
		}
		const hidden, noView = 1 << 1, 1 << 5
		if pdffile.Int(a.Key("F"))&(hidden|noView) != 0 {
			continue
		}
		look := a.Key("AP").Key("N")
		if look.Kind() != pdf.Stream { // the state of the field selects an appearance
			look = look.Key(a.Key("AS").Name())
		}
		if r, ok := pdffile.Rect(a.Key("Rect")); ok && look.Kind() == pdf.Stream {
			c.drawForm(look, p.Resources, fit(look, r).then(base), nil)
		}
	}
}

const maxRemarks = 2000

// fit returns the matrix that maps the box of an annotation's appearance to its place on the page.
func fit(form pdf.Value, to [4]float64) matrix {
	box, ok := pdffile.Rect(form.Key("BBox"))
	if !ok {
		return identity
	}
	m := matrixOf(pdffile.Floats(form.Key("Matrix")))
	x0, y0 := m.apply(box[0], box[1])
	x1, y1 := x0, y0
	for _, c := range [][2]float64{{box[0], box[3]}, {box[2], box[1]}, {box[2], box[3]}} {
		x, y := m.apply(c[0], c[1])
		x0 = min(x0, x)
		y0 = min(y0, y)
		x1 = max(x1, x)
		y1 = max(y1, y)
	}
	if x1-x0 <= 0 || y1-y0 <= 0 {
		return identity
	}
	sx, sy := (to[2]-to[0])/(x1-x0), (to[3]-to[1])/(y1-y0)
	return matrix{a: sx, d: sy, e: to[0] - x0*sx, f: to[1] - y0*sy}
}

// NoteCode is the kind of a note.
type NoteCode string

const (
	// NoteDamaged means that a page, or the file (page 0), is damaged. Message says where.
	NoteDamaged NoteCode = "damaged"
	// NoteRepaired means that a problem of a page, or of the file (page 0), was repaired. Nothing is
	// missing.
	NoteRepaired NoteCode = "repaired"
	// NoteTooBig means that a limit was reached.
	NoteTooBig NoteCode = "too_big"
	// NoteHiddenText means that the page is an image with an invisible layer of OCR text.
	NoteHiddenText NoteCode = "hidden_text"
	// NoteUnseenText means that invisible text of the page was omitted.
	NoteUnseenText NoteCode = "unseen_text"
	// NoteUnknownGlyphs means that characters are U+FFFD, because their fonts do not identify them.
	NoteUnknownGlyphs NoteCode = "unknown_glyphs"
	// NoteImagePage means that the page shows a picture or drawing but no text.
	NoteImagePage NoteCode = "image_page"
	// NoteEncrypted means that the file cannot be opened. Message says why.
	NoteEncrypted NoteCode = "encrypted"
)

// Note is a problem of one page or of the file.
type Note struct {
	Page    int      `json:"page"` // from 1; 0 for the whole file
	Code    NoteCode `json:"code"`
	Message string   `json:"message"`
}

// Anomaly returns the anomaly that a note gives in readable minutes, because the page may show
// other votes than its text. ok is false if there is none.
func (n Note) Anomaly() (code council.AnomalyCode, ok bool) {
	switch n.Code {
	case NoteUnseenText:
		code = council.CodeTextHidden
	case NoteHiddenText:
		code = council.CodePageMachineRead
	case NoteImagePage:
		code = council.CodePagePicture
	case NoteUnknownGlyphs:
		code = council.CodeTextUnknown
	case NoteRepaired:
		code = council.CodeRepaired
	}
	return code, code != ""
}
