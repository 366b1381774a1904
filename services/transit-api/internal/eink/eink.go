// Package eink draws a departure board as a PNG of few greys, for displays that sleep between two
// looks at it.
//
// A picture follows from the board and the size alone: the same facts give the same bytes. It has
// no clock. What a feed writes stays in its cell, however long it is and whatever it holds. The
// letters are those of Liberation Sans: Latin, Greek and Cyrillic; others are drawn as boxes.
//
// The package knows no feed and no request: package pages has the facts in words, and the page of a
// screen puts both together. layout.go says what stands where and makes text fit.
package eink

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"

	"github.com/go-fonts/liberation/liberationsansbold"
	"github.com/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
)

// Bounds of a picture.
const (
	MinSide   = 100
	MaxSide   = 3000
	maxPixels = 4 << 20
)

// A Panel is what a picture is drawn for.
type Panel struct {
	Width, Height int
	Bits          int // of a pixel: 1, 2 or 4
}

// Pixels is how many the picture has.
func (p Panel) Pixels() int { return p.Width * p.Height }

// Check returns an error for a panel that is too large, too small or of another kind.
func (p Panel) Check() error {
	switch {
	case p.Width < MinSide || p.Height < MinSide || p.Width > MaxSide || p.Height > MaxSide:
		return fmt.Errorf("a side must be %d to %d pixels", MinSide, MaxSide)
	case p.Pixels() > maxPixels:
		return fmt.Errorf("%d × %d are more than %d pixels", p.Width, p.Height, maxPixels)
	case p.Bits != 1 && p.Bits != 2 && p.Bits != 4:
		return fmt.Errorf("a pixel of %d bits is none of 1, 2 and 4", p.Bits)
	}
	return nil
}

// A Board is what is drawn, in words.
type Board struct {
	Title  string
	Heads  Row   // of the columns: Line, To, Platform, Clock
	Rows   []Row // that are shown at once
	Lines  int   // rows that there is room for
	Notice string
	Quiet  []string // why nothing departs
	Foot   []string
}

// A Row is one departure.
type Row struct {
	Line, To, Under, Platform string
	Clock                     string
	WasClock                  string // where Clock is another time
	Origin                    string
	Gone                      bool // cancelled
}

// A Printer draws boards. It is for any number of goroutines.
type Printer struct{ regular, bold *sfnt.Font }

// Open reads the fonts.
func Open() (*Printer, error) {
	regular, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		return nil, fmt.Errorf("read a font of pictures: %w", err)
	}
	bold, err := opentype.Parse(liberationsansbold.TTF)
	if err != nil {
		return nil, fmt.Errorf("read a font of pictures: %w", err)
	}
	return &Printer{regular, bold}, nil
}

// Draw returns the board as a PNG. The panel is one that [Panel.Check] accepts.
func (p *Printer) Draw(b *Board, panel Panel) ([]byte, error) {
	s := newSheet(p, panel)
	s.board(b)
	if s.err != nil {
		return nil, fmt.Errorf("draw a board: %w", s.err)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, reduced(s.ink, panel.Bits)); err != nil {
		return nil, fmt.Errorf("encode the picture of a board: %w", err)
	}
	return out.Bytes(), nil
}

// blackBelow is the grey below which a pixel of a display without greys is black. It is light, so
// that thin strokes stay whole.
const blackBelow = 160

func reduced(from *image.Gray, bits int) *image.Paletted {
	most := 1<<bits - 1
	greys := make(color.Palette, most+1)
	for i := range greys {
		greys[i] = color.Gray{Y: uint8(i * 255 / most)}
	}
	var index [256]uint8
	for y := range index {
		index[y] = uint8((y*most + 127) / 255)
		if bits == 1 {
			index[y] = uint8(y / blackBelow)
		}
	}
	to := image.NewPaletted(from.Rect, greys)
	for i, y := range from.Pix {
		to.Pix[i] = index[y]
	}
	return to
}
