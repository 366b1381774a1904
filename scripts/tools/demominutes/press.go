package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strconv"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// The printed area of a page, in points from its upper left corner.
const (
	pageWidth  = 612.0
	pageHeight = 792.0
	left       = 64.0
	top        = 62.0
	bottom     = 720.0
	width      = pageWidth - 2*left
)

type style struct {
	family string
	size   float64
	// labelsFirst draws all labels of a vote block before all values; otherwise the block is drawn
	// row by row.
	labelsFirst bool
	// label and value are the columns of labels and values, from the left margin; measure is the
	// width of the value column.
	label, value, measure float64
	// ruled draws lines around tables, shaded a grey bar behind the result.
	ruled, shaded bool
	// curly sets apostrophes as ’ instead of '.
	curly bool
	// inline sets the date of the next hearing at the right end of the result, not on its own line.
	inline bool
	// prose is the left margin of an item's text; before precedes the sentence of a motion.
	prose  float64
	before string
	// footer has the placeholders {page} and {pages}; header is on every page except the first.
	footer, header string
}

// styles returns the clerk's styles; a meeting's Style is an index into them.
func styles() []style {
	return []style{
		{family: "Times", size: 11, label: 30, value: 120, measure: 340, prose: 36, before: "Motion: ",
			footer: "Page {page} of {pages}"},
		{family: "Helvetica", size: 9.5, labelsFirst: true, label: 24, value: 100, measure: 350, curly: true, inline: true,
			shaded: true, prose: 54, header: "{board} {type} Minutes – {date}",
			footer: "Office of the City Clerk – www.alderbay.example – Page {page}"},
		{family: "Times", size: 11.5, label: 48, value: 132, measure: 210, ruled: true, prose: 84, before: "MOTION: ",
			header: city, footer: "{board} – {date} – Page {page} of {pages}"},
	}
}

// press typesets lines from top to bottom and begins a new page after a full one.
type press struct {
	*fpdf.Fpdf
	style
	y      float64 // position of the last baseline
	encode func(string) string
}

func newPress(s style, title string) *press {
	p := &press{Fpdf: fpdf.New("P", "pt", "Letter", ""), style: s}
	p.encode = p.UnicodeTranslatorFromDescriptor("") // Windows-1252
	p.SetTitle(title, true)
	p.SetCatalogSort(true)
	p.SetCreationDate(time.Unix(0, 0).UTC())
	p.SetModificationDate(time.Unix(0, 0).UTC())
	p.SetAutoPageBreak(false, 0)
	p.AliasNbPages("{pages}")
	p.SetHeaderFunc(func() {
		if p.header != "" && p.PageNo() > 1 {
			p.SetFont(p.family, "", p.size-1.5)
			p.Text(left, top-24, p.letters(p.header))
		}
	})
	p.SetFooterFunc(func() {
		if p.footer == "" {
			return
		}
		p.SetFont(p.family, "", p.size-1.5)
		text := p.letters(strings.ReplaceAll(p.footer, "{page}", strconv.Itoa(p.PageNo())))
		p.Text((pageWidth-p.GetStringWidth(text))/2, pageHeight-40, text)
	})
	p.turn()
	return p
}

// letters returns a text in the style's typography and the file's encoding.
func (p *press) letters(text string) string {
	if p.curly {
		text = strings.ReplaceAll(text, "'", "’")
	}
	return p.encode(text)
}

// text draws a text at a distance from the left margin; face is "B" or "".
func (p *press) text(x, y float64, face, text string) {
	p.SetFont(p.family, face, p.size)
	p.Text(left+x, y, p.letters(text))
}

// leading returns the distance of two baselines.
func (p *press) leading() float64 { return p.size * 1.22 }

func (p *press) turn() {
	p.AddPage()
	p.y = top
}

// feed moves to the next line, on a new page if necessary.
func (p *press) feed() {
	if p.isFull() {
		p.turn()
	}
	p.y += p.leading()
}

func (p *press) isFull() bool { return p.y+p.leading() > bottom }

// gap leaves space, except at the top of a page.
func (p *press) gap(lines float64) {
	if p.y > top {
		p.y += lines * p.leading()
	}
}

func (p *press) line(x float64, face, text string) {
	p.feed()
	p.text(x, p.y, face, text)
}

// centred draws one line in the middle of the page, larger than the text by more.
func (p *press) centred(face string, more float64, text string) {
	p.feed()
	p.SetFont(p.family, face, p.size+more)
	text = p.letters(text)
	p.Text((pageWidth-p.GetStringWidth(text))/2, p.y, text)
}

// numbered typesets a text after a number, which may be "", and leaves a gap below.
func (p *press) numbered(x, indent float64, face, number, text string, gap float64) {
	for i, l := range p.wrap(face, width-x-indent, text) {
		p.feed()
		if i == 0 && number != "" {
			p.text(x, p.y, face, number)
		}
		p.text(x+indent, p.y, face, l)
	}
	p.gap(gap)
}

// wrap breaks a text into lines at spaces.
func (p *press) wrap(face string, measure float64, text string) []string {
	p.SetFont(p.family, face, p.size)
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		longer := strings.TrimLeft(line+" "+word, " ")
		if line != "" && p.GetStringWidth(p.letters(longer)) > measure {
			lines, longer = append(lines, line), word
		}
		line = longer
	}
	return append(lines, line)
}

func (p *press) cells(face string, texts []string) {
	columns := []float64{36, 190, 330, 410}
	p.feed()
	for i, text := range texts {
		p.text(columns[i], p.y, face, text)
	}
	if p.ruled {
		p.rule(columns[0]-4, width, p.y+p.leading()*0.25)
	}
}

// rule draws a line between two distances from the left margin.
func (p *press) rule(from, to, y float64) {
	p.SetLineWidth(0.5)
	p.Line(left+from, y, left+to, y)
}

// block draws a vote block. A page may end between any two lines.
func (p *press) block(m motion) {
	var labels, values []func()
	flush := func() {
		for _, draw := range append(labels, values...) {
			draw()
		}
		labels, values = nil, nil
	}
	cell := func(x float64, face, text string) func() {
		y := p.y
		return func() { p.text(x, y, face, text) }
	}
	rule := func(y float64) {
		if p.ruled {
			p.rule(p.label-4, p.value+p.measure+4, y)
		}
	}
	p.gap(0.2)
	for i, row := range m.Rows {
		lines := p.wrap("", p.measure, row[1])
		if i == 0 && m.Next != "" && !p.inline {
			lines = append(lines, m.Next)
		}
		for k, l := range lines {
			turns := p.isFull()
			if turns {
				flush()
			}
			p.feed()
			begins := i == 0 && k == 0
			if turns || begins {
				rule(p.y - p.leading()*0.8)
			}
			if begins && p.shaded {
				p.SetFillColor(230, 230, 230)
				p.Rect(left+p.label-4, p.y+3-p.leading(), p.value-p.label+p.measure+8, p.leading(), "F")
			}
			if begins && p.inline && m.Next != "" {
				p.SetFont(p.family, "", p.size)
				values = append(values, cell(p.value+p.measure-p.GetStringWidth(p.letters(m.Next)), "", m.Next))
			}
			if k == 0 {
				labels = append(labels, cell(p.label, "B", row[0]))
			}
			values = append(values, cell(p.value, "", l))
			if !p.labelsFirst {
				flush()
			}
		}
		rule(p.y + p.leading()*0.25)
	}
	flush()
	p.gap(0.8)
}

// scan covers three pages with pictures of lines, without text, as in photocopied minutes.
func (p *press) scan(seed int) {
	const rows = 825 // 75 dots per inch
	for number := range 3 {
		columns := 638 + number // fpdf orders pictures by width; pictures of equal width would change places from run to run
		page := image.NewGray(image.Rect(0, 0, columns, rows))
		for i := range page.Pix {
			x, y := i%columns, i/columns
			page.Pix[i] = 250
			// Words are dark strokes, on lines of different lengths.
			length := columns - 70 - (y/14*seed+number)%90
			if y%14 < 6 && y > 70 && y < rows-80 && x > 66 && x < length && (x+y/14*37)%47 > 6 {
				page.SetGray(x, y, color.Gray{Y: byte(40 + i%60)})
			}
		}
		var picture bytes.Buffer
		if err := png.Encode(&picture, page); err != nil {
			p.SetError(err)
			return
		}
		if number > 0 {
			p.turn()
		}
		name := strconv.Itoa(number)
		p.RegisterImageOptionsReader(name, fpdf.ImageOptions{ImageType: "PNG"}, &picture)
		p.ImageOptions(name, 0, 0, pageWidth, pageHeight, false, fpdf.ImageOptions{}, 0, "")
	}
}
