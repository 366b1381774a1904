package pages

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"

	"github.com/go-fonts/liberation/liberationsansbold"
	"github.com/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/civic"
)

// The picture of a vote is what other sites show with a link to it: the answer, the item, and a
// square for each member with the letter of the position. It has the size that they expect.
const (
	pictureWidth  = 1200
	pictureHeight = 630
	pictureMargin = 64
	picturePath   = "/votes/{id}/picture.png"
	// mostSquares bounds the members that a picture shows.
	mostSquares = 30
)

// openFonts opens the fonts of pictures.
func (a *Pages) openFonts() (err error) {
	a.regular, err = opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		return fmt.Errorf("read regular font: %w", err)
	}
	a.bold, err = opentype.Parse(liberationsansbold.TTF)
	if err != nil {
		return fmt.Errorf("read bold font: %w", err)
	}
	return nil
}

// pictureParams name the vote and the language of a picture. The page names it, because other sites
// have no language of their own.
type pictureParams struct {
	civic.IDParams
	Lang string `query:"lang" enum:"en,es,fr" default:"en"`
}

func (a *Pages) votePicture(ctx context.Context, c *rest.Call, p pictureParams) (rest.File, error) {
	d, item, err := voteOn(ctx, c, p.IDParams)
	if err != nil {
		return rest.File{}, err
	}
	meeting, err := civic.FindMeeting(ctx, c, d.MeetingID)
	if err != nil {
		return rest.File{}, err
	}
	v := a.page(c, "", "vote")
	v.Lang = p.Lang
	v.Speaker = Speaker{Speaker: a.site.Speaker(v.Lang, a.Locale), Zone: a.Zone}
	page := votePage{vote: v.voteOf(&d.Vote, &item, len(item.Votes)), In: meeting}
	body, err := a.drawVote(page)
	return rest.File{Body: body}, err
}

func (a *Pages) drawVote(v votePage) ([]byte, error) {
	pic := picture{RGBA: image.NewRGBA(image.Rect(0, 0, pictureWidth, pictureHeight)), fonts: a}
	white, ink := color.RGBA{R: 255, G: 255, B: 255, A: 255}, color.RGBA{R: 20, G: 24, B: 28, A: 255}
	soft := color.RGBA{R: 80, G: 91, B: 102, A: 255}
	good, bad := color.RGBA{R: 10, G: 107, B: 51, A: 255}, color.RGBA{R: 179, G: 22, B: 27, A: 255}
	pic.fill(pic.Bounds(), white)
	accent, ok := site.ReadColor(a.Color)
	if !ok {
		accent, _ = site.ReadColor("0b57a4")
	}
	band := color.RGBA{R: uint8(accent[0]), G: uint8(accent[1]), B: uint8(accent[2]), A: 255}
	pic.fill(image.Rect(0, 0, pictureWidth, 24), band)
	y := 112
	pic.write(a.regular, 34, soft, y, 1, a.Town+" · "+v.In.Body)
	answer := ink
	switch v.Result {
	case council.Adopted:
		answer = good
	case council.Failed:
		answer = bad
	}
	y = pic.write(a.bold, 60, answer, y+84, 2, v.Answer())
	y = pic.write(a.regular, 42, ink, y+68, 3, v.Item)
	pic.squares(v, y+56, good, bad, soft, white)
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, pic.RGBA); err != nil {
		return nil, fmt.Errorf("encode picture of vote %d: %w", v.ID, err)
	}
	return b.Bytes(), pic.err
}

// A picture is drawn from the top. It keeps the first error.
type picture struct {
	*image.RGBA
	fonts *Pages
	err   error
}

func (p *picture) fill(in image.Rectangle, c color.Color) {
	draw.Draw(p.RGBA, in, image.NewUniform(c), image.Point{}, draw.Src)
}

func (p *picture) face(f *opentype.Font, size float64) font.Face {
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("open font: %w", err)
	}
	return face
}

// write writes a text in lines of the picture's width and returns the base of the last one. Of a
// longer text it writes the beginning.
func (p *picture) write(f *opentype.Font, size float64, c color.Color, base, lines int, text string) int {
	face := p.face(f, size)
	if face == nil {
		return base
	}
	d := font.Drawer{Dst: p.RGBA, Src: image.NewUniform(c), Face: face}
	width := fixed.I(pictureWidth - 2*pictureMargin)
	words := strings.Fields(text)
	for n := 1; ; n++ {
		line := ""
		for len(words) > 0 && (line == "" || d.MeasureString(line+" "+words[0]) <= width) {
			line = strings.TrimSpace(line + " " + words[0])
			words = words[1:]
		}
		if n == lines && len(words) > 0 {
			line += " …"
		}
		d.Dot = fixed.P(pictureMargin, base)
		d.DrawString(line)
		if n == lines || len(words) == 0 {
			return base
		}
		base += int(size * 1.2)
	}
}

// squares draws a square for each member with the letter of the position.
func (p *picture) squares(v votePage, top int, good, bad, soft, ground color.Color) {
	const side, gap = 60, 12
	face := p.face(p.fonts.bold, 34)
	if face == nil {
		return
	}
	x, n := pictureMargin, 0
	for _, position := range v.Taken() {
		edge := map[council.Position]color.Color{council.Aye: good, council.Nay: bad}[position]
		if edge == nil {
			edge = soft
		}
		letter := v.p.Text("position.letter." + string(position))
		for range v.Who(position) {
			if n++; n > mostSquares || top+side > pictureHeight-gap {
				return
			}
			box := image.Rect(x, top, x+side, top+side)
			p.fill(box, edge)
			text := ground
			if position != council.Aye {
				p.fill(box.Inset(4), ground)
				text = edge
			}
			d := font.Drawer{Dst: p.RGBA, Src: image.NewUniform(text), Face: face}
			d.Dot = fixed.Point26_6{X: fixed.I(x+side/2) - d.MeasureString(letter)/2, Y: fixed.I(top + side/2 + 12)}
			d.DrawString(letter)
			x += side + gap
			if x+side > pictureWidth-pictureMargin {
				x, top = pictureMargin, top+side+gap
			}
		}
	}
}
