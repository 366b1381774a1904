package layout

import (
	"math"
	"sort"
	"strings"
)

// Distances in font heights. For all tested producers, gaps between words are 0.2 to 0.4, and gaps
// between letters are below 0.1.
const (
	sameLine  = 0.35 // between baselines that belong to one line
	sameWord  = 0.18 // largest gap within a word
	seam      = 0.06 // smallest visible gap
	columnGap = 0.1  // gap between cells, if other lines have the column
	wordGap   = 0.85 // largest gap between words; a wider gap begins a new cell
	looseGap  = 1.3  // largest gap between words in OCR text
	overprint = 0.1  // largest distance between copies of a letter that is printed twice to look bold
)

// word is a sequence of touching letters on one baseline.
type word struct {
	text   string
	x0, x1 float64
	y      float64
	size   float64
	seq    int // position in drawing order
	track  float64
	spaced bool // a blank was drawn before the word
	loose  bool // OCR text, whose position and size are estimates
	fresh  bool // first word of a show operator
}

// frames groups glyphs by the angle of their baselines, the largest group first. It rotates them so
// that x grows along the baseline.
func frames(glyphs []Glyph) [][]Glyph {
	byAngle := map[int][]Glyph{}
	a := 0
	for _, g := range glyphs {
		if dx, dy := g.X1-g.X0, g.Y1-g.Y0; dx != 0 || dy != 0 {
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
	out := make([][]Glyph, len(angles))
	for i, a := range angles {
		gs := byAngle[a]
		if a != 0 {
			sin, cos := math.Sincos(-float64(a) * math.Pi / 180)
			for j := range gs {
				g := &gs[j]
				g.X0, g.Y0 = g.X0*cos-g.Y0*sin, g.X0*sin+g.Y0*cos
				g.X1, g.Y1 = g.X1*cos-g.Y1*sin, g.X1*sin+g.Y1*cos
			}
		}
		out[i] = gs
	}
	return out
}

func words(glyphs []Glyph) []word {
	glyphs = withoutOverprint(glyphs)
	var out []word
	var text strings.Builder
	var cur word
	flush := func() {
		cur.text = text.String()
		if cur.text != "" {
			out = append(out, cur)
		}
		text.Reset()
		cur = word{}
	}
	blank := false // a blank was drawn since the last letter
	var prev Glyph
	for i, g := range glyphs {
		if g.Blank {
			if g.Text != "" {
				if !g.Follows {
					flush()
				}
				blank = true
			}
			prev = g
			continue
		}
		gap := g.X0 - cur.x1
		if g.Tied {
			gap -= g.Track
		}
		apart := text.Len() == 0 || blank || math.Abs(g.Y0-cur.y) > 0.02*g.Size+0.01 ||
			math.Abs(g.Size-cur.size) > 0.1*g.Size ||
			gap > sameWord*g.Size || gap < -0.3*g.Size && !g.Tied ||
			gap > seam*g.Size && !g.Follows && endsLabel(prev.Text)
		if apart {
			// A blank without a gap is not visible.
			spaced := blank && (g.Follows || touches(prev, g)) && (gap > seam*g.Size || g.Guessed)
			flush()
			cur = word{x0: g.X0, x1: g.X0, y: g.Y0, size: g.Size, track: g.Track, seq: i, spaced: spaced, loose: g.Invisible,
				fresh: !g.Follows}
		}
		text.WriteString(g.Text)
		cur.x1 = max(cur.x1, g.X1, g.X0)
		blank = false
		prev = g
	}
	flush()
	return out
}

// endsLabel reports whether a cell may end after s, as after "XII." and "MOVER:".
func endsLabel(s string) bool {
	return strings.HasSuffix(s, ".") || strings.HasSuffix(s, ":") || strings.HasSuffix(s, ")")
}

func touches(a, b Glyph) bool {
	return math.Abs(a.Y1-b.Y0) < 0.1*b.Size && math.Abs(b.X0-a.X1) < sameWord*b.Size
}

// withoutOverprint removes the copies of letters that are printed twice to look bold or shadowed.
func withoutOverprint(glyphs []Glyph) []Glyph {
	type spot struct {
		text string
		x, y int
	}
	seen := make(map[spot][]int, len(glyphs))
	out := glyphs[:0]
	for _, g := range glyphs {
		if g.Blank {
			out = append(out, g)
			continue
		}
		near := max(overprint*g.Size, 0.01)
		x, y := int(math.Floor(g.X0/near)), int(math.Floor(g.Y0/near))
		again := false
		for dx := -1; dx <= 1; dx++ {
			for dy := -1; dy <= 1; dy++ {
				for _, i := range seen[spot{g.Text, x + dx, y + dy}] {
					o := out[i]
					again = again || o.Shown != g.Shown && math.Abs(o.X0-g.X0) < near && math.Abs(o.Y0-g.Y0) < near &&
						math.Abs(o.Size-g.Size) < 0.1*g.Size
				}
			}
		}
		if again {
			continue
		}
		s := spot{g.Text, x, y}
		seen[s] = append(seen[s], len(out))
		out = append(out, g)
	}
	return out
}
