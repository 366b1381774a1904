package eink

import (
	"image"
	"strings"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"
)

// maxRunes is how many characters of a text are looked at.
const maxRunes = 400

// clean is a text that can be drawn: without what turns or stacks letters, in one line.
func clean(text string) string {
	var b strings.Builder
	n, blank := 0, false
	for _, r := range norm.NFC.String(head(text)) {
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

// head is the beginning of a text: what follows could not be seen, and would cost time.
func head(text string) string {
	const most = 8 * maxRunes
	text = strings.ToValidUTF8(text[:min(len(text), most)], "")
	return text
}

// A style is a font in one size, for one drawing.
type style struct {
	font.Face
	size int // pixels
}

// styles makes the faces of a drawing, each once.
type styles struct {
	made map[styleKey]*style
	err  error
}

type styleKey struct {
	font *sfnt.Font
	size int
}

func (s *styles) of(f *sfnt.Font, size int) *style {
	key := styleKey{f, max(size, 6)}
	if s.made[key] == nil {
		face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(key.size), DPI: 72, Hinting: font.HintingNone})
		if err != nil && s.err == nil {
			s.err = err
		}
		s.made[key] = &style{spaced{face}, key.size}
	}
	return s.made[key]
}

// spaced letters do not come nearer to a blank: in small letters it would be gone.
type spaced struct{ font.Face }

// Kern is how much nearer two letters stand.
func (s spaced) Kern(a, b rune) fixed.Int26_6 {
	if a == ' ' || b == ' ' {
		return 0
	}
	return s.Face.Kern(a, b)
}

func (s *style) width(text string) int { return font.MeasureString(s.Face, text).Ceil() }

const ellipsis = "…"

// fit cuts a text to a width.
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

// wrap breaks a text into at most so many lines of a width. The last is cut.
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

// write draws a text into a cell and nowhere else; x and baseline are where it begins.
func (s *sheet) write(cell image.Rectangle, f *style, x, baseline int, text string, ink image.Image) {
	clip, ok := s.ink.SubImage(cell.Intersect(s.ink.Rect)).(*image.Gray)
	if !ok || clip.Rect.Empty() {
		return
	}
	d := font.Drawer{Dst: clip, Src: ink, Face: f.Face, Dot: fixed.P(x, baseline)}
	d.DrawString(text)
}
