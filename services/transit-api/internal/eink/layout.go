package eink

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"

	"github.com/townline/townline/pkg/conf"
)

type sheet struct {
	p           *Printer
	ink         *image.Gray
	styles      map[styleKey]*style
	err         error // of loading a style
	w, h        int
	margin, gap int
}

func newSheet(p *Printer, panel conf.Picture) *sheet {
	w, h := panel.Width, panel.Height
	s := &sheet{p: p, ink: image.NewGray(image.Rect(0, 0, w, h)), styles: map[styleKey]*style{}, w: w, h: h,
		margin: max(4, min(w, h)/40), gap: max(6, w/80)}
	s.fill(s.ink.Rect, 255)
	return s
}

func (s *sheet) fill(r image.Rectangle, y uint8) {
	draw.Draw(s.ink, r, image.NewUniform(color.Gray{Y: y}), image.Point{}, draw.Src)
}

func line(size int) int { return size * 5 / 4 }

func (s *sheet) board(b *Board) {
	top := s.title(clean(b.Title))
	bottom := s.notice(clean(b.Notice), s.foot(b.Foot))
	rows := image.Rect(s.margin, top, s.w-s.margin, bottom)
	if len(b.Rows) > 0 {
		s.rows(b, rows)
	} else {
		s.quiet(b.Quiet, rows)
	}
}

// title draws the name of the board in one or two lines and returns their lower edge. A long name
// is drawn smaller.
func (s *sheet) title(text string) int {
	size := max(12, min(s.h*8/100, s.w*6/100))
	cell := image.Rect(s.margin, s.margin/2, s.w-s.margin, s.h)
	f := s.style(s.p.bold, size)
	for _, percent := range []int{85, 72} {
		if f.width(text) > cell.Dx() {
			f = s.style(s.p.bold, size*percent/100)
		}
	}
	y := s.lines(cell, f, s.margin, cell.Min.Y, f.wrap(text, cell.Dx(), 2))
	thick := max(2, s.h/160)
	s.fill(image.Rect(s.margin, y, s.w-s.margin, y+thick), 0)
	return y + thick
}

// foot draws the source of the times and returns its upper edge.
func (s *sheet) foot(texts []string) int {
	f := s.style(s.p.regular, max(10, min(s.h*34/1000, s.w*26/1000)))
	var lines []string
	for _, text := range texts {
		lines = append(lines, f.wrap(clean(text), s.w-2*s.margin, 2)...)
	}
	const most = 4
	lines = lines[:min(len(lines), most)]
	y := s.h - s.margin/2 - len(lines)*line(f.size)
	s.lines(image.Rect(s.margin, y, s.w-s.margin, s.h), f, s.margin, y, lines)
	return y
}

// notice draws a box above the foot and returns its upper edge.
func (s *sheet) notice(text string, bottom int) int {
	if text == "" {
		return bottom
	}
	f := s.style(s.p.bold, max(11, min(s.h*42/1000, s.w*3/100)))
	edge := max(2, s.h/200)
	pad := f.size / 2
	lines := f.wrap(text, s.w-2*s.margin-2*pad-5*edge, 2)
	box := image.Rect(s.margin, bottom-pad-len(lines)*line(f.size)-2*edge, s.w-s.margin, bottom-pad/2)
	s.fill(box, 0)
	inner := image.Rect(box.Min.X+5*edge, box.Min.Y+edge, box.Max.X-edge, box.Max.Y-edge)
	s.fill(inner, 255)
	s.lines(inner, f, inner.Min.X+pad, inner.Min.Y, lines)
	return box.Min.Y - pad/2
}

func (s *sheet) quiet(texts []string, at image.Rectangle) {
	f := s.style(s.p.bold, max(12, min(s.h*7/100, s.w*5/100)))
	y := at.Min.Y + f.size
	for _, text := range texts {
		y = s.lines(at, f, at.Min.X, y, f.wrap(clean(text), at.Dx(), 4)) + f.size/2
	}
}

const minRow = 26

func (s *sheet) rows(b *Board, at image.Rectangle) {
	head := s.style(s.p.regular, max(10, min(s.h*32/1000, s.w*24/1000)))
	top := at.Min.Y + line(head.size)
	n := max(1, min(max(b.Lines, len(b.Rows)), (at.Max.Y-top)/minRow))
	height := min((at.Max.Y-top)/n, s.h*16/100)
	if height < minRow/2 {
		return // there is no space for a single row
	}
	f := rowStyles{
		large: s.style(s.p.bold, min(height*46/100, s.w*46/1000)),
		small: s.style(s.p.regular, min(height*31/100, s.w*32/1000)),
	}
	shown := make([]Row, 0, n)
	for _, r := range b.Rows[:min(len(b.Rows), n)] {
		shown = append(shown, Row{
			Line:     clean(r.Line),
			To:       clean(r.To),
			Under:    clean(r.Under),
			Platform: clean(r.Platform),
			Clock:    clean(r.Clock),
			WasClock: clean(r.WasClock),
			Origin:   clean(r.Origin),
			Gone:     r.Gone,
		})
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
	if len(shown) < n { // some of the stops have no departures
		rest := at
		rest.Min.Y = top + len(shown)*height
		for i, text := range b.Quiet {
			s.write(rest, f.small, rest.Min.X, rest.Min.Y+(i+1)*line(f.small.size), f.small.fit(clean(text), rest.Dx()),
				image.Black)
		}
	}
}

type rowStyles struct{ large, small *style }

// columns has the left edges of the columns, and the right edge of the last column.
type columns struct{ line, to, platform, clock, end int }

// columns fits each column to its cells, within bounds. The destination gets the remaining width.
func (s *sheet) columns(rows []Row, f rowStyles, at image.Rectangle) columns {
	lines := s.w * 7 / 100
	platforms := 0
	clocks := s.w * 12 / 100
	for i := range rows {
		r := &rows[i]
		lines = max(lines, f.large.width(r.Line)+f.large.size*7/10)
		if r.Platform != "" {
			platforms = max(platforms, f.large.width(r.Platform)+s.gap, s.w*9/100)
		}
		clocks = max(clocks, f.large.width(r.Clock), f.small.width(under(r)))
	}
	c := columns{line: at.Min.X, end: at.Max.X}
	c.to = c.line + min(lines, s.w*18/100) + s.gap
	c.clock = c.end - min(clocks, s.w*32/100)
	c.platform = c.clock
	if platforms > 0 {
		c.platform -= min(platforms, s.w*14/100) + s.gap
	}
	return c
}

func under(r *Row) string {
	if r.Gone || r.WasClock == "" {
		return r.Origin
	}
	return r.WasClock + "  " + r.Origin
}

func (s *sheet) heads(h Row, f *style, c columns, y int) {
	for _, head := range []struct {
		text     string
		from, to int
	}{{h.Line, c.line, c.to - s.gap}, {h.To, c.to, c.platform - s.gap}, {h.Platform, c.platform, c.clock - s.gap}} {
		s.write(image.Rect(head.from, y, head.to, y+line(f.size)), f, head.from, y+f.size,
			f.fit(clean(head.text), head.to-head.from), image.Black)
	}
	s.right(image.Rect(c.clock, y, c.end, y+line(f.size)), f, y+f.size, clean(h.Clock), false)
}

func (s *sheet) row(r *Row, f rowStyles, c columns, at image.Rectangle) {
	both := line(f.large.size) + line(f.small.size)
	first := at.Min.Y + max(0, (at.Dy()-both)/2) + f.large.size
	second := first + line(f.small.size)

	badge := image.Rect(c.line, first-f.large.size, c.to-s.gap, first+f.large.size*3/10).Intersect(at)
	s.fill(badge, 0)
	name := f.large
	if name.width(r.Line) > badge.Dx() {
		name = s.style(s.p.bold, f.large.size*2/3)
	}
	text := name.fit(r.Line, badge.Dx()-4)
	s.write(badge, name, badge.Min.X+max(2, (badge.Dx()-name.width(text))/2), first-(f.large.size-name.size)/3, text,
		image.White)

	to := image.Rect(c.to, at.Min.Y, c.platform-s.gap, at.Max.Y)
	large := f.large
	dest := []string{r.To}
	baseline := first
	if large.width(r.To) > to.Dx() { // use smaller letters, and two lines if they fit
		large = s.style(s.p.bold, f.large.size*78/100)
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
	s.write(to, f.small, to.Min.X, max(second, baseline+(len(dest)-1)*line(large.size)+line(f.small.size)),
		f.small.fit(r.Under, to.Dx()), image.Black)

	platform := image.Rect(c.platform, at.Min.Y, c.clock-s.gap, at.Max.Y)
	s.write(platform, f.large, platform.Min.X, first, f.large.fit(r.Platform, platform.Dx()), image.Black)

	clock := image.Rect(c.clock, at.Min.Y, c.end, at.Max.Y)
	s.right(clock, f.large, first, r.Clock, r.Gone)
	from := s.right(clock, f.small, second, under(r), false)
	if r.WasClock != "" && !r.Gone {
		s.strike(from, from+f.small.width(r.WasClock), second, f.small)
	}
}

func (s *sheet) right(cell image.Rectangle, f *style, baseline int, text string, gone bool) int {
	text = f.fit(text, cell.Dx())
	from := cell.Max.X - f.width(text)
	s.write(cell, f, from, baseline, text, image.Black)
	if gone {
		s.strike(from, cell.Max.X, baseline, f)
	}
	return from
}

func (s *sheet) strike(from, to, baseline int, f *style) {
	y, thick := baseline-f.size*3/10, max(1, f.size/12)
	s.fill(image.Rect(from, y, to, y+thick), 0)
}

const maxRunes = 400

// clean drops control and combining characters, and joins lines. It cuts long text: the rest would
// be invisible and cost time.
func clean(text string) string {
	const most = 8 * maxRunes
	var b strings.Builder
	n, blank := 0, false
	for _, r := range norm.NFC.String(strings.ToValidUTF8(text[:min(len(text), most)], "")) {
		switch {
		case unicode.IsSpace(r):
			blank = b.Len() > 0
			continue
		case unicode.In(r, unicode.C, unicode.Mn, unicode.Me) || r == unicode.ReplacementChar:
			continue
		}
		if n++; n > maxRunes {
			break
		}
		if blank {
			b.WriteByte(' ')
			blank = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

type style struct {
	font.Face
	size int // in pixels
}

type styleKey struct {
	font *sfnt.Font
	size int
}

func (s *sheet) style(f *sfnt.Font, size int) *style {
	key := styleKey{f, max(size, 6)}
	if s.styles[key] == nil {
		face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(key.size), DPI: 72, Hinting: font.HintingNone})
		s.err = errors.Join(s.err, err)
		s.styles[key] = &style{spaced{face}, key.size}
	}
	return s.styles[key]
}

// spaced turns off kerning next to a space, because small spaces would disappear.
type spaced struct{ font.Face }

// Kern implements [font.Face].
func (s spaced) Kern(a, b rune) fixed.Int26_6 {
	if a == ' ' || b == ' ' {
		return 0
	}
	return s.Face.Kern(a, b)
}

func (s *style) width(text string) int { return font.MeasureString(s.Face, text).Ceil() }

const ellipsis = "…"

func (s *style) fit(text string, width int) string {
	if s.width(text) <= width {
		return text
	}
	width -= s.width(ellipsis)
	var used fixed.Int26_6
	end, before := 0, rune(-1)
	for i, r := range text {
		if before >= 0 {
			used += s.Kern(before, r)
		}
		advance, _ := s.GlyphAdvance(r)
		used += advance
		if used.Ceil() > width {
			break
		}
		end, before = i+len(string(r)), r
	}
	if end == 0 {
		return ""
	}
	return strings.TrimRight(text[:end], " ") + ellipsis
}

// wrap breaks a text into at most most lines; the last line is shortened.
func (s *style) wrap(text string, width, most int) []string {
	var lines []string
	for len(lines) < most-1 && s.width(text) > width {
		end := 0
		for i, r := range text {
			if r != ' ' {
				continue
			}
			if s.width(text[:i]) > width {
				break
			}
			end = i
		}
		if end == 0 {
			break
		}
		lines, text = append(lines, text[:end]), text[end+1:]
	}
	if text == "" {
		return lines
	}
	return append(lines, s.fit(text, width))
}

// lines writes lines of text into a cell and returns their lower edge.
func (s *sheet) lines(cell image.Rectangle, f *style, x, y int, texts []string) int {
	for _, text := range texts {
		s.write(cell, f, x, y+f.size, text, image.Black)
		y += line(f.size)
	}
	return y
}

// write draws a text at x and baseline, clipped to a cell.
func (s *sheet) write(cell image.Rectangle, f *style, x, baseline int, text string, ink image.Image) {
	clip, ok := s.ink.SubImage(cell.Intersect(s.ink.Rect)).(*image.Gray)
	if !ok || clip.Rect.Empty() {
		return
	}
	d := font.Drawer{Dst: clip, Src: ink, Face: f.Face, Dot: fixed.P(x, baseline)}
	d.DrawString(text)
}
