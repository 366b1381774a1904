package clerk

import (
	"strconv"
	"strings"
)

// The printed area of a page, in points.
const (
	left   = 64.0
	top    = 730.0
	bottom = 72.0
	width  = pageWidth - 2*left
)

// press sets lines from top to bottom and begins a new page after a full one.
type press struct {
	form
	file *pdfFile
	page *pdfPage
	y    float64
	rows []Row // of the next vote block
	// words replaces placeholders in header and footer.
	words *strings.Replacer
}

func start(d document, title string) *press {
	p := &press{form: d.form, file: &pdfFile{title: title, widths: d.widths}}
	p.words = strings.NewReplacer("{board}", d.Board, "{type}", d.Type, "{date}", d.Date())
	p.turn()
	return p
}

// element sets an element of documents.txt, which documents them.
func (p *press) element(cells []string) {
	number := func(i int) float64 {
		n, _ := strconv.ParseFloat(cells[i], 64) // the texts are ours
		return n
	}
	face := func(i int) font {
		if cells[i] == "bold" {
			return p.bold
		}
		return p.body
	}
	switch cells[0] {
	case "page":
		p.turn()
	case "gap":
		p.gap(number(1))
	case "title":
		p.centred(p.bold, p.size+number(1), cells[2])
	case "centre":
		p.centred(p.body, p.size+number(1), cells[2])
	case "line":
		p.room()
		p.page.text(left+number(1), p.y, face(2), p.size, cells[3])
	case "para":
		p.numbered(number(1), 0, p.body, "", cells[2], 0.4)
	case "item":
		p.numbered(number(1), number(2), face(3), cells[4], cells[5], 0.5)
	case "cells":
		p.cells(face(1), cells[2:])
	case "row":
		p.rows = append(p.rows, Row{cells[1], cells[2]})
	case "block":
		p.block(p.rows, cells[1])
		p.rows = nil
	}
}

// leading returns the distance of two baselines.
func (p *press) leading() float64 { return p.size * 1.22 }

// turn begins a new page.
func (p *press) turn() {
	p.page = p.file.addPage()
	p.y = top
	if p.header != "" && len(p.file.pages) > 1 {
		p.page.text(left, top+24, p.body, p.size-1.5, p.set(p.words.Replace(p.header)))
	}
}

// room moves to the next line, on a new page if necessary.
func (p *press) room() {
	if p.y-p.leading() < bottom {
		p.turn()
	}
	p.y -= p.leading()
}

// gap leaves space, except at the top of a page.
func (p *press) gap(lines float64) {
	if p.y < top {
		p.y -= lines * p.leading()
	}
}

// centred sets one line in the middle of the page.
func (p *press) centred(f font, size float64, text string) {
	p.room()
	p.page.text((pageWidth-f.width(size, text))/2, p.y, f, size, text)
}

// numbered sets a text in lines after a number, which may be empty, and leaves a gap below.
func (p *press) numbered(x, indent float64, f font, number, text string, gap float64) {
	for i, l := range f.wrap(p.size, width-x-indent, text) {
		p.room()
		if i == 0 && number != "" {
			p.page.text(left+x, p.y, f, p.size, number)
		}
		p.page.text(left+x+indent, p.y, f, p.size, l)
	}
	p.gap(gap)
}

// cells sets a row of the attendance table.
func (p *press) cells(f font, texts []string) {
	columns := []float64{36, 190, 330, 410}
	p.room()
	for i, text := range texts {
		if text != "" {
			p.page.text(left+columns[i], p.y, f, p.size, text)
		}
	}
	if p.ruled {
		p.page.rule(left+columns[0]-4, p.y-p.leading()*0.25, left+width, p.y-p.leading()*0.25)
	}
}

// cell is a part of a block. The form decides the order of drawing.
type cell struct {
	x, y float64
	font font
	text string
}

// block sets a vote block. A page may end between any two lines.
func (p *press) block(rows []Row, next string) {
	var labels, values []cell
	flush := func() {
		for _, c := range append(labels, values...) {
			p.page.text(c.x, c.y, c.font, p.size, c.text)
		}
		labels, values = nil, nil
	}
	rule := func(y float64) {
		if p.ruled {
			p.page.rule(left+p.label-4, y, left+p.value+p.measure+4, y)
		}
	}
	p.gap(0.2)
	for i, r := range rows {
		lines := p.body.wrap(p.size, p.measure, r.Value)
		if i == 0 && next != "" && !p.inline {
			lines = append(lines, next)
		}
		for k, l := range lines {
			before := p.page
			if p.y-p.leading() < bottom {
				flush()
			}
			p.room()
			if p.page != before || i == 0 && k == 0 {
				rule(p.y + p.leading()*0.8)
			}
			if i == 0 && k == 0 && p.shaded {
				p.page.box(left+p.label-4, p.y-3, p.value-p.label+p.measure+8, p.leading(), 0.9)
			}
			if i == 0 && k == 0 && p.inline && next != "" {
				x := left + p.value + p.measure - p.body.width(p.size, next)
				values = append(values, cell{x, p.y, p.body, next})
			}
			if k == 0 {
				labels = append(labels, cell{left + p.label, p.y, p.bold, r.Label})
			}
			values = append(values, cell{left + p.value, p.y, p.body, l})
			if !p.labelsFirst {
				flush()
			}
		}
		rule(p.y - p.leading()*0.25)
	}
	flush()
	p.gap(0.8)
}

// finish sets the footers, which have the number of pages, and returns the file.
func (p *press) finish() ([]byte, error) {
	pages := strconv.Itoa(len(p.file.pages))
	for i, page := range p.file.pages {
		text := strings.NewReplacer("{page}", strconv.Itoa(i+1), "{pages}", pages).Replace(p.set(p.words.Replace(p.footer)))
		page.text((pageWidth-p.body.width(p.size-1.5, text))/2, 40, p.body, p.size-1.5, text)
	}
	return p.file.bytes()
}
