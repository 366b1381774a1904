package pages

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/current"
	"github.com/townline/townline/services/transit-api/internal/eink"
	"github.com/townline/townline/services/transit-api/internal/view"
)

// Screens: boards that transit.yaml describes under a name, as pages and, for displays that sleep, as pictures.
// A metric says when each last asked.

type (
	screenPageParams struct {
		Name string  `path:"name" maxlen:"64"`
		Part *string `query:"part" enum:"rows"`
	}
	pictureParams struct {
		Name   string  `path:"name" maxlen:"64"`
		Width  *int64  `query:"width" min:"100" max:"3000"`
		Height *int64  `query:"height" min:"100" max:"3000"`
		Bits   *string `query:"bits" enum:"1,2,4"`
	}
)

func (a *Pages) screenPages() rest.Table {
	spec := func(id, path, summary string) rest.Spec {
		return boardSpec(rest.Spec{ID: id, Path: path, Summary: summary, NotFound: "unknown screen", Unattended: true})
	}
	return rest.Table{
		rest.PageFrom(spec("page.screen", "/screens/{name}", "A board that transit.yaml describes"),
			boardSource(a, func(p screenPageParams) []string { return a.seen(p.Name) }), a.pageScreen),
		rest.PageFile(spec("page.screen_picture", "/screens/{name}.png", "The same as a picture"), "image/png",
			boardSource(a, func(p pictureParams) []string { return a.seen(p.Name) }), a.pagePicture),
	}
}

// seen are the stops of a screen, which has just asked; nil if there is no such screen.
func (a *Pages) seen(name string) []string {
	s := a.Screens[name]
	if s == nil {
		return nil
	}
	a.Seen.WithLabelValues(s.Name).Set(float64(a.Current.Now().Unix()))
	return s.Stops
}

// buildOf identifies what a screen is to show.
func buildOf(s *conf.Screen) string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%+v", *s)
	return strconv.FormatUint(h.Sum64(), 16)
}

// screenWish is what a screen shows.
func screenWish(s *conf.Screen) boardWish {
	w := boardWish{theme: s.Theme, languages: s.Languages, speak: s.Speak, build: buildOf(s),
		BoardWish:  view.BoardWish{Variant: s.Variant, Title: s.Title, Walk: int64(s.Walk / time.Minute), Lines: cmp.Or(s.Lines, linesShown(s.Variant))},
		departures: current.DepartureParams{StopIDs: s.Stops, RouteIDs: s.Routes, Minutes: 180}}
	if s.Direction != "" {
		w.departures.DirectionID = &s.Direction
	}
	return w
}

func (a *Pages) pageScreen(ctx context.Context, c *rest.Call, p screenPageParams, ref boardRef) ([]byte, error) {
	w := screenWish(a.Screens[p.Name])
	w.Part = p.Part != nil
	return a.board(ctx, c, ref, w)
}

// bytesOfPixel is what a picture takes while it is drawn.
const bytesOfPixel = 3

func (a *Pages) pagePicture(ctx context.Context, c *rest.Call, p pictureParams, ref boardRef) (rest.File, error) {
	s := a.Screens[p.Name]
	panel := eink.Panel{Width: s.Picture.Width, Height: s.Picture.Height, Bits: s.Picture.Bits}
	if p.Width != nil {
		panel.Width = int(*p.Width)
	}
	if p.Height != nil {
		panel.Height = int(*p.Height)
	}
	if p.Bits != nil {
		panel.Bits, _ = strconv.Atoi(*p.Bits) // one of three words
	}
	if err := panel.Check(); err != nil {
		return rest.File{}, rest.BadRequest(rest.Fault{Path: "width", Message: err.Error()})
	}
	if err := c.Take(ctx, bytesOfPixel*panel.Pixels()); err != nil {
		return rest.File{}, err
	}
	w := screenWish(s)
	w.Variant, w.Still, w.Part, w.Lines = "eink", true, true, cmp.Or(s.Lines, linesShown("eink"))
	if _, asked := c.Language(); !asked && len(s.Languages) > 0 {
		w.language = s.Languages[0]
	}
	v, err := a.boardView(ctx, c, ref, w)
	if err != nil {
		return rest.File{}, err
	}
	body, err := a.printer.Draw(v.Picture(a.speaker(v.Lang)), panel)
	return rest.File{Body: body, Refresh: v.Wake()}, err
}
