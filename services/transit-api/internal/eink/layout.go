package eink

import (
	"image"
	"image/color"
	"image/draw"
)

// A sheet is a picture while it is drawn.
type sheet struct {
	p      *Printer
	ink    *image.Gray
	styles styles
	w, h   int
	margin int
}

func newSheet(p *Printer, panel Panel) *sheet {
	s := &sheet{p: p, ink: image.NewGray(image.Rect(0, 0, panel.Width, panel.Height)), styles: styles{made: map[styleKey]*style{}},
		w: panel.Width, h: panel.Height, margin: max(4, min(panel.Width, panel.Height)/40)}
	for i := range s.ink.Pix {
		s.ink.Pix[i] = 255
	}
	return s
}

func grey(y uint8) image.Image { return image.NewUniform(color.Gray{Y: y}) }

func (s *sheet) fill(r image.Rectangle, y uint8) {
	draw.Draw(s.ink, r, grey(y), image.Point{}, draw.Src)
}

// line is how high a line of text is.
func line(size int) int { return size * 5 / 4 }

// board draws everything, from the top and from the bottom to the middle.
func (s *sheet) board(b *Board) error {
	top := s.title(clean(b.Title))
	bottom := s.foot(b.Foot)
	bottom = s.notice(clean(b.Notice), bottom)
	rows := image.Rect(s.margin, top, s.w-s.margin, bottom)
	if len(b.Rows) > 0 {
		s.rows(b, rows, len(b.Quiet) > 0)
	} else {
		s.quiet(b.Quiet, rows)
	}
	return s.styles.err
}

// title draws the name of the board in one or two lines and returns where it ends. A long name is smaller.
func (s *sheet) title(text string) int {
	size := max(12, min(s.h*8/100, s.w*6/100))
	room := s.w - 2*s.margin
	f := s.styles.of(s.p.bold, size)
	for _, percent := range []int{85, 72} {
		if f.width(text) > room {
			f = s.styles.of(s.p.bold, size*percent/100)
		}
	}
	y := s.margin / 2
	for _, part := range f.wrap(text, room, 2) {
		s.write(image.Rect(s.margin, y, s.w-s.margin, y+line(f.size)), f, s.margin, y+f.size, part, image.Black)
		y += line(f.size)
	}
	thick := max(2, s.h/160)
	s.fill(image.Rect(s.margin, y, s.w-s.margin, y+thick), 0)
	return y + thick
}

// foot draws where the times come from and returns where it begins.
func (s *sheet) foot(texts []string) int {
	f := s.styles.of(s.p.regular, max(10, min(s.h*34/1000, s.w*26/1000)))
	var lines []string
	for _, text := range texts {
		text = clean(text)
		if text != "" {
			lines = append(lines, f.wrap(text, s.w-2*s.margin, 2)...)
		}
	}
	const most = 4
	lines = lines[:min(len(lines), most)]
	y := s.h - s.margin/2 - len(lines)*line(f.size)
	for i, part := range lines {
		at := y + i*line(f.size)
		s.write(image.Rect(s.margin, at, s.w-s.margin, at+line(f.size)), f, s.margin, at+f.size, part, image.Black)
	}
	return y
}

// notice draws a box above the foot and returns where it begins.
func (s *sheet) notice(text string, bottom int) int {
	if text == "" {
		return bottom
	}
	f := s.styles.of(s.p.bold, max(11, min(s.h*42/1000, s.w*3/100)))
	edge := max(2, s.h/200)
	pad := f.size / 2
	lines := f.wrap(text, s.w-2*s.margin-2*pad-5*edge, 2)
	box := image.Rect(s.margin, bottom-pad-len(lines)*line(f.size)-2*edge, s.w-s.margin, bottom-pad/2)
	s.fill(box, 0)
	inner := image.Rect(box.Min.X+5*edge, box.Min.Y+edge, box.Max.X-edge, box.Max.Y-edge)
	s.fill(inner, 255)
	for i, part := range lines {
		s.write(inner, f, inner.Min.X+pad, inner.Min.Y+i*line(f.size)+f.size, part, image.Black)
	}
	return box.Min.Y - pad/2
}

// quiet says why nothing departs, in large letters.
func (s *sheet) quiet(texts []string, at image.Rectangle) {
	f := s.styles.of(s.p.bold, max(12, min(s.h*7/100, s.w*5/100)))
	y := at.Min.Y + f.size
	for _, text := range texts {
		for _, part := range f.wrap(clean(text), at.Dx(), 4) {
			s.write(at, f, at.Min.X, y+f.size, part, image.Black)
			y += line(f.size)
		}
		y += f.size / 2
	}
}

// minRow is the height of the lowest row that can be read.
const minRow = 26

// rows draws the departures: as many as there is room for.
func (s *sheet) rows(b *Board, at image.Rectangle, quiet bool) {
	head := s.styles.of(s.p.regular, max(10, min(s.h*32/1000, s.w*24/1000)))
	top := at.Min.Y + line(head.size)
	n := max(1, min(max(b.Lines, len(b.Rows)), (at.Max.Y-top)/minRow))
	height := min((at.Max.Y-top)/n, s.h*16/100)
	if height < minRow/2 {
		return // there is no room at all
	}
	f := rowStyles{
		large: s.styles.of(s.p.bold, min(height*46/100, s.w*46/1000)),
		small: s.styles.of(s.p.regular, min(height*31/100, s.w*32/1000)),
	}
	shown := make([]Row, 0, n)
	for _, r := range b.Rows[:min(len(b.Rows), n)] {
		shown = append(shown, Row{clean(r.Line), clean(r.To), clean(r.Under), clean(r.Platform), clean(r.Clock), clean(r.WasClock), clean(r.Origin), r.Gone})
	}
	c := s.columns(shown, f, at)
	s.heads(b.Heads, head, c, at.Min.Y)
	for i := range shown {
		y := top + i*height
		if i > 0 {
			s.fill(image.Rect(at.Min.X, y, at.Max.X, y+1), 0x90)
		}
		s.row(&shown[i], f, c, image.Rect(at.Min.X, y+1, at.Max.X, y+height))
	}
	if quiet && len(shown) < n { // of some of the stops
		rest := at
		rest.Min.Y = top + len(shown)*height
		for i, text := range b.Quiet {
			s.write(rest, f.small, rest.Min.X, rest.Min.Y+(i+1)*line(f.small.size), f.small.fit(clean(text), rest.Dx()), image.Black)
		}
	}
}

// rowStyles are the letters of a row.
type rowStyles struct{ large, small *style }

// columns are where each column begins, and where the last ends.
type columns struct{ line, to, platform, clock, end int }

// columns gives each column what its cells need, within bounds, and the rest to the destination.
func (s *sheet) columns(rows []Row, f rowStyles, at image.Rectangle) columns {
	gap := max(6, s.w/80)
	lines, platforms, clocks := s.w*7/100, 0, s.w*12/100
	for i := range rows {
		r := &rows[i]
		lines = max(lines, f.large.width(r.Line)+f.large.size*7/10)
		if r.Platform != "" {
			platforms = max(platforms, f.large.width(r.Platform)+gap, s.w*9/100)
		}
		clocks = max(clocks, f.large.width(r.Clock), f.small.width(under(r)))
	}
	c := columns{line: at.Min.X, end: at.Max.X}
	c.to = c.line + min(lines, s.w*18/100) + gap
	c.clock = c.end - min(clocks, s.w*32/100)
	c.platform = c.clock
	if platforms > 0 {
		c.platform -= min(platforms, s.w*14/100) + gap
	}
	return c
}

// under is what stands below a time.
func under(r *Row) string {
	if r.Gone || r.WasClock == "" {
		return r.Origin
	}
	return r.WasClock + "  " + r.Origin
}

func (s *sheet) heads(h Row, f *style, c columns, y int) {
	gap := max(6, s.w/80)
	for _, head := range []struct {
		text     string
		from, to int
	}{{h.Line, c.line, c.to - gap}, {h.To, c.to, c.platform - gap}, {h.Platform, c.platform, c.clock - gap}} {
		s.write(image.Rect(head.from, y, head.to, y+line(f.size)), f, head.from, y+f.size, f.fit(clean(head.text), head.to-head.from), image.Black)
	}
	s.right(image.Rect(c.clock, y, c.end, y+line(f.size)), f, y+f.size, clean(h.Clock), false)
}

// row draws one departure into its place.
func (s *sheet) row(r *Row, f rowStyles, c columns, at image.Rectangle) {
	gap := max(6, s.w/80)
	both := line(f.large.size) + line(f.small.size)
	first := at.Min.Y + max(0, (at.Dy()-both)/2) + f.large.size
	second := first + line(f.small.size)

	badge := image.Rect(c.line, first-f.large.size, c.to-gap, first+f.large.size*3/10).Intersect(at)
	s.fill(badge, 0)
	name := f.large
	if name.width(r.Line) > badge.Dx() {
		name = s.styles.of(s.p.bold, f.large.size*2/3)
	}
	text := name.fit(r.Line, badge.Dx()-4)
	s.write(badge, name, badge.Min.X+max(2, (badge.Dx()-name.width(text))/2), first-(f.large.size-name.size)/3, text, image.White)

	to := image.Rect(c.to, at.Min.Y, c.platform-gap, at.Max.Y)
	large, dest, baseline := f.large, []string{r.To}, first
	if large.width(r.To) > to.Dx() { // in smaller letters, and in two lines where there is room
		large = s.styles.of(s.p.bold, f.large.size*78/100)
		two := 2*line(large.size) + line(f.small.size)
		if at.Dy() >= two && large.width(r.To) > to.Dx() {
			dest, baseline = large.wrap(r.To, to.Dx(), 2), at.Min.Y+(at.Dy()-two)/2+large.size
		} else {
			dest = []string{large.fit(r.To, to.Dx())}
		}
	}
	for i, part := range dest {
		y := baseline + i*line(large.size)
		s.write(to, large, to.Min.X, y, part, image.Black)
		if r.Gone {
			s.strike(to.Min.X, to.Min.X+large.width(part), y, large)
		}
	}
	s.write(to, f.small, to.Min.X, max(second, baseline+(len(dest)-1)*line(large.size)+line(f.small.size)), f.small.fit(r.Under, to.Dx()), image.Black)

	platform := image.Rect(c.platform, at.Min.Y, c.clock-gap, at.Max.Y)
	s.write(platform, f.large, platform.Min.X, first, f.large.fit(r.Platform, platform.Dx()), image.Black)

	clock := image.Rect(c.clock, at.Min.Y, c.end, at.Max.Y)
	s.right(clock, f.large, first, r.Clock, r.Gone)
	from := s.right(clock, f.small, second, under(r), false)
	if r.WasClock != "" && !r.Gone {
		s.strike(from, from+f.small.width(r.WasClock), second, f.small)
	}
}

// right writes a text at the right side of a cell and returns where it begins.
func (s *sheet) right(cell image.Rectangle, f *style, baseline int, text string, gone bool) int {
	text = f.fit(text, cell.Dx())
	from := cell.Max.X - f.width(text)
	s.write(cell, f, from, baseline, text, image.Black)
	if gone {
		s.strike(from, cell.Max.X, baseline, f)
	}
	return from
}

// strike draws a line through a text.
func (s *sheet) strike(from, to, baseline int, f *style) {
	y, thick := baseline-f.size*3/10, max(1, f.size/12)
	s.fill(image.Rect(from, y, to, y+thick), 0)
}
