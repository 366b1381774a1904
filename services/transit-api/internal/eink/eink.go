// Package eink draws a departure board as a PNG with few greys, for displays that sleep between two
// requests.
//
// A picture depends only on the board and the size: the same board gives the same bytes. The
// package reads no clock, no feed and no request; package pages passes it a board of texts. A text
// from a feed stays in its cell, however long it is. The font is Liberation Sans: it has Latin,
// Greek and Cyrillic letters; other letters are drawn as boxes.
//
// layout.go arranges the parts and fits text.
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

	"github.com/townline/townline/pkg/conf"
)

// A Board is a departure board in words.
type Board struct {
	Title  string
	Heads  Row   // column headings: Line, To, Platform, Clock
	Rows   []Row // departures to draw
	Lines  int   // number of rows for which the board has space
	Notice string
	Quiet  []string // reasons for no departures
	Foot   []string
}

// A Row is one departure.
type Row struct {
	Line, To, Under, Platform string
	Clock                     string
	WasClock                  string // planned time, if it differs from Clock
	Origin                    string
	Gone                      bool // the departure is cancelled
}

// A Printer draws boards. It is safe for concurrent use.
type Printer struct{ regular, bold *sfnt.Font }

// Open returns a Printer with its fonts.
func Open() (*Printer, error) {
	regular, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		return nil, fmt.Errorf("read regular font: %w", err)
	}
	bold, err := opentype.Parse(liberationsansbold.TTF)
	if err != nil {
		return nil, fmt.Errorf("read bold font: %w", err)
	}
	return &Printer{regular, bold}, nil
}

// Draw returns the board as a PNG of a size that [conf.Picture.Check] accepts.
func (p *Printer) Draw(b *Board, panel conf.Picture) ([]byte, error) {
	s := newSheet(p, panel)
	s.board(b)
	if s.err != nil {
		return nil, fmt.Errorf("draw board: %w", s.err)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, quantize(s.ink, panel.Bits)); err != nil {
		return nil, fmt.Errorf("encode picture of board: %w", err)
	}
	return out.Bytes(), nil
}

// blackBelow is the grey level below which a pixel becomes black on a display without greys. It is
// light, so that thin strokes are not broken.
const blackBelow = 160

func quantize(from *image.Gray, bits int) *image.Paletted {
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
