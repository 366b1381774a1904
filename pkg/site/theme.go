package site

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ThemeParams are the colours and sizes that another site may set. Colours are six hexadecimal
// digits.
type ThemeParams struct {
	Theme      *string `query:"theme" enum:"auto,light,dark"`
	Accent     *string `query:"accent" pattern:"^#?[0-9A-Fa-f]{6}$"`
	Background *string `query:"background" pattern:"^#?[0-9A-Fa-f]{6}$"`
	Text       *string `query:"text" pattern:"^#?[0-9A-Fa-f]{6}$"`
	Size       int64   `query:"size" min:"75" max:"200" default:"100"` // percentage of the reader's text size
}

// A Color is red, green and blue, from 0 to 255.
type Color [3]float64

var white, black = Color{255, 255, 255}, Color{}

// ReadColor reads six hexadecimal digits, with or without a leading hash.
func ReadColor(text string) (Color, bool) {
	digits := strings.TrimPrefix(text, "#")
	n, err := strconv.ParseUint(digits, 16, 24)
	return rgb(n), err == nil && len(digits) == 6
}

// colorOr returns the colour that text names, or the other colour if text is nil.
func colorOr(text *string, otherwise Color) Color {
	if text != nil {
		if c, ok := ReadColor(*text); ok {
			return c
		}
	}
	return otherwise
}

func rgb(n uint64) Color {
	return Color{float64(n >> 16 & 255), float64(n >> 8 & 255), float64(n & 255)}
}

func (c Color) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(math.Round(c[0])), int(math.Round(c[1])), int(math.Round(c[2])))
}

// linear converts a channel of sRGB to linear light, from 0 to 1.
func linear(channel float64) float64 {
	v := math.Round(channel) / 255
	if v <= .04045 {
		return v / 12.92
	}
	return math.Pow((v+.055)/1.055, 2.4)
}

func channel(light float64) float64 {
	v := 12.92 * light
	if v > .04045 {
		v = 1.055*math.Pow(light, 1/2.4) - .055
	}
	return math.Max(0, math.Min(1, v)) * 255
}

// Luminance returns the relative luminance of WCAG 2.2.
func (c Color) Luminance() float64 {
	return .2126*linear(c[0]) + .7152*linear(c[1]) + .0722*linear(c[2])
}

// Between darkens or lightens the colour until its luminance is between dark and light.
func (c Color) Between(dark, light float64) Color {
	l := c.Luminance()
	for i := range c {
		v := linear(c[i])
		switch {
		case l > light:
			c[i] = channel(v * light / l)
		case l < dark:
			c[i] = channel(v + (1-v)*(dark-l)/(1-l))
		}
	}
	return c
}

// contrast returns the contrast ratio of WCAG 2.2, from 1 to 21.
func (c Color) contrast(other Color) float64 {
	x, y := c.Luminance(), other.Luminance()
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// mix adds a share (part, from 0 to 1) of another colour.
func (c Color) mix(other Color, part float64) Color {
	for i := range c {
		c[i] += (other[i] - c[i]) * part
	}
	return c
}

// against moves the colour towards pole until its contrast with each background is at least least.
func (c Color) against(least float64, pole Color, backgrounds ...Color) Color {
	for step := range 51 {
		tried, good := c.mix(pole, float64(step)/50), true
		for _, g := range backgrounds {
			good = good && tried.contrast(g) >= least
		}
		if good {
			return tried
		}
	}
	return pole
}

type scheme struct {
	name                                     string
	background, ink, accent, good, warn, bad Color
}

var (
	lightScheme = scheme{name: "light", background: rgb(0xffffff), ink: rgb(0x14181c), accent: rgb(0x0b57a4),
		good: rgb(0x0a6b33), warn: rgb(0x8a4b00), bad: rgb(0xb3161b)}
	darkScheme = scheme{name: "dark", background: rgb(0x11151a), ink: rgb(0xf0f3f6), accent: rgb(0x86bdf5),
		good: rgb(0x5fd38d), warn: rgb(0xf2b45c), bad: rgb(0xff8f8a)}
)

// Contrast ratios of WCAG 2.2: 1.4.3 for text, 1.4.11 for fields.
const (
	textContrast  = 4.5
	fieldContrast = 3
)

// css returns the style sheet of a theme. Unreadable colours are moved towards black or white.
func (p ThemeParams) css() []byte {
	light, dark := lightScheme, darkScheme
	if p.Background != nil && *p.Background != "" {
		background := colorOr(p.Background, white)
		if pole(background) == white {
			light = darkScheme
		}
		light.background = background
		dark = light
	}
	var b strings.Builder
	if p.Background != nil || p.Text != nil || p.Accent != nil {
		fmt.Fprintf(&b, ":root:root { %s }\n", light.tokens(p))
		fmt.Fprintf(&b, "@media (prefers-color-scheme: dark) { :root:root:not(.light) { %s } }\n", dark.tokens(p))
		fmt.Fprintf(&b, ":root:root.dark { %s }\n", dark.tokens(p))
	}
	if p.Size != 100 {
		fmt.Fprintf(&b, "html { font-size: %d%% }\n", p.Size)
	}
	return []byte(b.String())
}

// pole returns black or white, whichever is more readable on a background.
func pole(background Color) Color {
	if white.contrast(background) > black.contrast(background) {
		return white
	}
	return black
}

func (s scheme) tokens(p ThemeParams) string {
	to := pole(s.background)
	tint := s.background.mix(to, .05)
	if to.contrast(tint) < textContrast+1 { // a background of middle brightness leaves little contrast
		tint = s.background
	}
	read := func(c Color) Color { return c.against(textContrast, to, s.background, tint) }
	ink := read(colorOr(p.Text, s.ink))
	var b strings.Builder
	for _, t := range []struct {
		name  string
		value Color
	}{
		{"ground", s.background}, {"ink", ink}, {"soft", read(ink.mix(s.background, .3))},
		{"line", s.background.mix(ink, .22)},
		{"field", s.background.mix(ink, .5).against(fieldContrast, to, s.background)},
		{"tint", tint}, {"link", read(colorOr(p.Accent, s.accent))}, {"good", read(s.good)}, {"warn", read(s.warn)},
		{"bad", read(s.bad)},
	} {
		fmt.Fprintf(&b, "--%s: %s; ", t.name, t.value)
	}
	return b.String() + "color-scheme: " + s.name
}
