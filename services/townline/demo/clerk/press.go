package clerk

import (
	"strconv"
	"strings"

	"github.com/townline/townline/services/townline/demo/town"
	"github.com/townline/townline/services/townline/demo/typeset"
)

// The printed area of a page, in points.
const (
	left   = 64.0
	top    = 730.0
	bottom = 72.0
	width  = typeset.PageWidth - 2*left
)

// press sets lines from top to bottom and begins a new page when one is full.
type press struct {
	template
	doc  *typeset.Doc
	page *typeset.Page
	y    float64
	// words are what header and footer know of the meeting.
	words *strings.Replacer
}

// start opens a document about a meeting.
func start(m *town.Meeting, title string) *press {
	p := &press{template: of(m)}
	p.doc = &typeset.Doc{Title: title, Widths: p.widths}
	p.words = strings.NewReplacer("{board}", m.Board, "{type}", m.Type, "{date}", m.Starts.Format("January 2, 2006"))
	p.turn()
	return p
}

// number is the page that the next line goes on, counted from 1.
func (p *press) number() int { return len(p.doc.Pages()) }

// leading is the distance of two baselines.
func (p *press) leading() float64 { return p.size * 1.22 }

// turn begins a new page.
func (p *press) turn() {
	p.page = p.doc.AddPage()
	p.y = top
	if p.header != "" && p.number() > 1 {
		p.page.Text(left, top+24, p.body, p.size-1.5, p.set(p.words.Replace(p.header)))
	}
}

// room makes sure that one more line fits on the page, and moves down to it.
func (p *press) room() {
	if p.y-p.leading() < bottom {
		p.turn()
	}
	p.y -= p.leading()
}

// gap leaves some space, unless the page has just begun.
func (p *press) gap(lines float64) {
	if p.y < top {
		p.y -= lines * p.leading()
	}
}

// line sets one line at a distance from the left margin.
func (p *press) line(x float64, f typeset.Font, text string) {
	p.room()
	p.page.Text(left+x, p.y, f, p.size, p.set(text))
}

// centred sets one line in the middle of the page.
func (p *press) centred(f typeset.Font, size float64, text string) {
	p.room()
	text = p.set(text)
	p.page.Text((typeset.PageWidth-typeset.Width(f, size, text))/2, p.y, f, size, text)
}

// paragraph sets a text in lines, and leaves some space after it.
func (p *press) paragraph(x float64, text string) {
	for _, l := range typeset.Wrap(p.body, p.size, width-x, p.set(text)) {
		p.line(x, p.body, l)
	}
	p.gap(0.4)
}

// numbered sets a number and beside it a text in lines.
func (p *press) numbered(x, indent float64, f typeset.Font, number, text string) {
	for i, l := range typeset.Wrap(f, p.size, width-x-indent, p.set(text)) {
		p.room()
		if i == 0 {
			p.page.Text(left+x, p.y, f, p.size, number)
		}
		p.page.Text(left+x+indent, p.y, f, p.size, l)
	}
	p.gap(0.5)
}

// finish sets the footers, now that the number of pages is known, and returns the file.
func (p *press) finish() ([]byte, error) {
	pages := p.doc.Pages()
	for i, page := range pages {
		text := strings.NewReplacer("{page}", strconv.Itoa(i+1), "{pages}", strconv.Itoa(len(pages))).Replace(p.set(p.words.Replace(p.footer)))
		page.Text((typeset.PageWidth-typeset.Width(p.body, p.size-1.5, text))/2, 40, p.body, p.size-1.5, text)
	}
	return p.doc.Bytes()
}

// Roman is a number in Roman numerals, up to 39.
func Roman(n int) string {
	return strings.Repeat("X", n/10) + []string{"", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"}[n%10]
}
