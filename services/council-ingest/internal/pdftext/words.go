package pdftext

import (
	"math"
	"sort"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Distances, in heights of the letters. They hold for every producer tried:
// the words of a line stand 0.2 to 0.4 apart, letters of a word below 0.1.
const (
	sameLine  = 0.35 // baselines of one line
	sameWord  = 0.18 // gap within a word
	seam      = 0.06 // gap that the eye sees at all
	columnGap = 0.1  // gap between cells where other lines tell of the column
	wordGap   = 0.85 // gap between words; a wider one begins a new cell
	looseGap  = 1.3  // the same in text read by machine
	overprint = 0.1  // a letter printed again this near makes bold, not a second letter
)

// A word is letters that touch, on one baseline.
type word struct {
	text    string
	x0, x1  float64
	y       float64
	size    float64
	letters int
	seq     int     // place in the order of drawing
	track   float64 // room between its letters
	spaced  bool    // a blank was drawn between the word before it and this one
	loose   bool    // read by machine, so place and size are estimates
	fresh   bool    // it begins a show operator
}

// frame turns glyphs whose baseline runs at an angle so that it runs to the
// right, y down, and gives the frames of a page: first the one that most of
// the text is in.
func frames(glyphs []glyph) [][]glyph {
	byAngle := map[int][]glyph{}
	a := 0
	for _, g := range glyphs {
		if dx, dy := g.x1-g.x0, g.y1-g.y0; dx != 0 || dy != 0 {
			deg := math.Atan2(dy, dx) * 180 / math.Pi
			a = int(math.Round(deg/5))*5 + 360
			if r := int(math.Round(deg/90)) * 90; math.Abs(deg-float64(r)) < 8 {
				a = r + 360
			}
			a %= 360
		}
		byAngle[a] = append(byAngle[a], g)
	}
	angles := make([]int, 0, len(byAngle))
	for a := range byAngle {
		angles = append(angles, a)
	}
	sort.Slice(angles, func(i, j int) bool {
		a, b := angles[i], angles[j]
		if la, lb := len(byAngle[a]), len(byAngle[b]); la != lb {
			return la > lb
		}
		return a < b
	})
	out := make([][]glyph, len(angles))
	for i, a := range angles {
		gs := byAngle[a]
		if a != 0 {
			sin, cos := math.Sincos(-float64(a) * math.Pi / 180)
			for j := range gs {
				g := &gs[j]
				g.x0, g.y0 = g.x0*cos-g.y0*sin, g.x0*sin+g.y0*cos
				g.x1, g.y1 = g.x1*cos-g.y1*sin, g.x1*sin+g.y1*cos
			}
		}
		out[i] = gs
	}
	return out
}

// words joins the glyphs of a frame, in the order they were drawn, to words.
func words(glyphs []glyph) []word {
	glyphs = withoutOverprint(glyphs)
	var out []word
	var text strings.Builder
	var cur word
	flush := func() {
		if cur.text = text.String(); cur.text != "" {
			out = append(out, cur)
		}
		text.Reset()
		cur = word{}
	}
	blank := false // one was drawn since the last letter
	var prev glyph
	for i, g := range glyphs {
		if g.blank {
			if g.text != "" {
				if !g.follows {
					flush()
				}
				blank = true
			}
			prev = g
			continue
		}
		gap := g.x0 - cur.x1
		if g.tied {
			gap -= g.track
		}
		apart := text.Len() == 0 || blank || math.Abs(g.y0-cur.y) > 0.02*g.size+0.01 || math.Abs(g.size-cur.size) > 0.1*g.size ||
			gap > sameWord*g.size || gap < -0.3*g.size && !g.tied ||
			gap > seam*g.size && !g.follows && endsLabel(prev.text)
		if apart {
			// A blank that later moves took back shows nothing.
			spaced := blank && (g.follows || touches(prev, g)) && (gap > seam*g.size || g.guessed)
			flush()
			cur = word{x0: g.x0, x1: g.x0, y: g.y0, size: g.size, track: g.track, seq: i, spaced: spaced, loose: g.invisible, fresh: !g.follows}
		}
		text.WriteString(g.text)
		cur.x1 = max(cur.x1, g.x1, g.x0)
		cur.letters++
		blank = false
		prev = g
	}
	flush()
	return out
}

// endsLabel tells the signs after which the next cell may begin: "XII.", "MOVER:".
func endsLabel(s string) bool {
	return strings.HasSuffix(s, ".") || strings.HasSuffix(s, ":") || strings.HasSuffix(s, ")")
}

// touches tells that b begins where a ends, on the same baseline.
func touches(a, b glyph) bool {
	return math.Abs(a.y1-b.y0) < 0.1*b.size && math.Abs(b.x0-a.x1) < sameWord*b.size
}

// withoutOverprint drops letters that are printed twice nearly in place, by
// which some producers make bold or shadowed text.
func withoutOverprint(glyphs []glyph) []glyph {
	type spot struct {
		text string
		x, y int
	}
	seen := make(map[spot][]int, len(glyphs))
	out := glyphs[:0]
	for _, g := range glyphs {
		if g.blank {
			out = append(out, g)
			continue
		}
		near := max(overprint*g.size, 0.01)
		x, y := int(math.Floor(g.x0/near)), int(math.Floor(g.y0/near))
		again := false
		for dx := -1; dx <= 1; dx++ {
			for dy := -1; dy <= 1; dy++ {
				for _, i := range seen[spot{g.text, x + dx, y + dy}] {
					o := out[i]
					again = again || o.shown != g.shown && math.Abs(o.x0-g.x0) < near && math.Abs(o.y0-g.y0) < near && math.Abs(o.size-g.size) < 0.1*g.size
				}
			}
		}
		if again {
			continue
		}
		s := spot{g.text, x, y}
		seen[s] = append(seen[s], len(out))
		out = append(out, g)
	}
	return out
}

// marks are the accents that old fonts print as letters of their own, over or
// under the letter they belong to.
var marks = map[string]string{
	"´": "\u0301", "`": "\u0300", "ˆ": "\u0302", "^": "\u0302", "¨": "\u0308", "˜": "\u0303", "~": "\u0303", "¸": "\u0327",
	"ˇ": "\u030c", "˚": "\u030a", "˘": "\u0306", "¯": "\u0304", "˝": "\u030b", "˙": "\u0307",
}

// withAccents puts such accents on their letters.
func withAccents(glyphs []glyph) []glyph {
	out := glyphs[:0]
	for i := 0; i < len(glyphs); i++ {
		g := glyphs[i]
		if mark, ok := marks[g.text]; ok && i+1 < len(glyphs) && covers(g, glyphs[i+1]) {
			if c := norm.NFC.String(glyphs[i+1].text + mark); len([]rune(c)) == 1 {
				next := glyphs[i+1]
				next.text, next.tied, next.follows = c, g.tied, g.follows
				out = append(out, next)
				i++
				continue
			}
		}
		if mark, ok := marks[g.text]; ok && len(out) > 0 && covers(g, out[len(out)-1]) {
			if c := norm.NFC.String(out[len(out)-1].text + mark); len([]rune(c)) == 1 {
				out[len(out)-1].text = c
				continue
			}
		}
		out = append(out, g)
	}
	return out
}

// covers tells that the middle of an accent stands over or under a letter.
func covers(accent, letter glyph) bool {
	mid := (accent.x0 + accent.x1) / 2
	return !letter.blank && mid > letter.x0 && mid < letter.x1 && math.Abs(accent.y0-letter.y0) < 0.5*letter.size
}
