package pages

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
)

// A board shows the departures of stops, for a phone or a screen. It has the data of
// /rt/departures, or only the timetable if the reader may not read that.

type (
	boardParams struct {
		Stops     []string `query:"stop" required:"true" maxitems:"20" maxlen:"300" pattern:"^[A-Za-z0-9_-]{1,64}:."`
		Routes    []string `query:"route" maxitems:"20" maxlen:"300" pattern:"^[A-Za-z0-9_-]{1,64}:."`
		Direction *string  `query:"direction" enum:"0,1"`
		Minutes   int64    `query:"minutes" min:"1" max:"1440" default:"180"`
		Walk      int64    `query:"walk" min:"0" max:"60" default:"0"`
		Part      *string  `query:"part" enum:"rows"`
	}
	boardPageParams struct {
		boardParams
		Variant string  `query:"variant" enum:"lcd,eink,phone" default:"lcd"`
		Lines   *int64  `query:"lines" min:"1" max:"100"`
		Title   *string `query:"title" maxlen:"80" pattern:"\\S"`
		Theme   *string `query:"theme" enum:"light,dark"`
		Speak   int64   `query:"speak" min:"0" max:"60" default:"0"`
	}
	embedBoardParams struct {
		boardParams
		Lines int64   `query:"lines" min:"1" max:"100" default:"8"`
		Title *string `query:"title" maxlen:"80"`
		site.FrameParams
	}
)

// A boardQuery selects the departures of a board and how to show them. It comes from an address,
// from transit.yaml or from a picture.
type boardQuery struct {
	realtimeapi.DepartureParams
	Variant string // "phone", "lcd" or "eink"
	Name    string // default: names of the stops
	Shown   int    // number of rows shown at once, or of each group
	OfStop  bool   // the page of a stop, whose script arranges and filters the rows
	ByLine  bool   // group the rows by line and destination
	Walk    int64  // seconds to walk to the stop
	// Part omits everything that changes only with the clock and that the script adds, so that
	// unchanged data gives unchanged rows. Still also omits the time of the board, for a picture
	// that stays on a display.
	Part, Still bool
	Theme       string
	Languages   string            // shown in turn, separated by spaces; "" means the language of the page
	Speak       int64             // seconds between announcements; 0 means never
	Build       string            // build of the screen
	Language    string            // "" means the reader's language
	Embed       *site.FrameParams // set for a board in a frame
}

func (p *boardParams) query(variant string, shown int, name *string) boardQuery {
	return boardQuery{Variant: variant, Shown: shown, Name: strings.TrimSpace(cell(name)), Walk: p.Walk * 60,
		Part: p.Part != nil,
		DepartureParams: realtimeapi.DepartureParams{StopIDs: p.Stops, RouteIDs: p.Routes, DirectionID: p.Direction,
			Minutes: p.Minutes}}
}

// boardRows is the number of departures in a board: those that are shown, and those that it shows
// later if the network fails.
const boardRows = 150

// boardSource returns the source of a board for stops of the form FEED:STOP.
func boardSource[P any](a *Pages, stops func(P) []string) rest.Source[P, *snapshot] {
	return source(func(p P) []part { return []part{a.departuresPart(stops(p)...)} })
}

func (a *Pages) pageBoard(ctx context.Context, c *rest.Call, p boardPageParams, s *snapshot) ([]byte, error) {
	q := p.query(p.Variant, linesShown[p.Variant], p.Title)
	if p.Lines != nil {
		q.Shown = int(*p.Lines)
	}
	q.Theme, q.Speak = cell(p.Theme), p.Speak*60
	return a.renderBoard(a.newPageBoard(ctx, c, s, q))
}

// linesShown is the default number of departures that a variant shows.
var linesShown = map[string]int{"lcd": 8, "eink": 7, "phone": 15}

func (a *Pages) embedBoard(ctx context.Context, c *rest.Call, p embedBoardParams, s *snapshot) ([]byte, error) {
	q := p.query("phone", int(p.Lines), p.Title)
	q.Embed = &p.FrameParams
	return a.renderBoard(a.newPageBoard(ctx, c, s, q))
}

// renderBoard returns a board as HTML, or only its rows for the script.
func (a *Pages) renderBoard(v *Board, err error) ([]byte, error) {
	if err == nil && v.Part {
		return a.site.RenderBlock("board.html", "rows", v)
	}
	return a.render("board.html", v, err)
}

func (a *Pages) newPageBoard(ctx context.Context, c *rest.Call, s *snapshot, q boardQuery) (*Board, error) {
	q.Limit = boardRows
	e, err := a.Current.Departures(ctx, c, s.departures, q.DepartureParams)
	if err != nil {
		return nil, err
	}
	data := &e.Data
	if q.Variant == "phone" && len(data.Stops) == 1 && !data.Stops[0].Known && len(data.Departures) == 0 {
		return nil, rest.NotFound("unknown stop")
	}
	h := a.boardHead(c, q)
	s.departures.Translate(ctx, a.writing(h.Lang), data.Departures, data.Stops)
	q.Build = a.site.Digest() + q.Build
	v := newBoard(h, a.speaker(h.Lang), q, data)
	v.Missing = e.Meta.Missing
	v.restrict(c)
	v.Again, v.Refresh = v.Keep(c.SelfQuery()), c.SelfWith("part", "rows")
	if v.Languages == "" {
		v.Refresh = v.Keep(v.Refresh)
	}
	v.fill()
	if !v.Bare && q.Shown < 100 && v.HasMore() {
		v.Later = v.Keep(c.SelfWith("lines", "100"))
		if q.ByLine {
			v.Later = v.Keep(c.Self() + "?by=time&lines=100")
		}
	}
	if v.Frame != nil {
		v.Whole = v.ToQuery(url.Values{"stop": q.StopIDs, "route": q.RouteIDs, "variant": {"phone"}}, "/board")
		v.Frame.State = v.State()
	}
	return v, nil
}

func (a *Pages) boardHead(c *rest.Call, q boardQuery) site.Head {
	h := a.head(c)
	query := url.Values{"stop_id": q.StopIDs, "_format": {"json"}}
	h.Others = append(h.Others, asJSON(a.site.Words(h.Lang).Text("board.json"), c.URL("/rt/departures")+"?"+
		query.Encode()))
	h.Styles = []string{"board.css"}
	h.Scripts = []string{"board.js"}
	h.Class = q.Theme
	h.Bare = q.Variant != "phone"
	if h.Bare {
		h.Reload, h.Unlisted = 60, true
		h.Class = cmp.Or(h.Class, map[string]string{"lcd": "dark", "eink": "light"}[q.Variant])
	}
	if q.Embed != nil {
		a.site.Framed(&h, "board", *q.Embed)
	}
	h.Lang = cmp.Or(q.Language, h.Lang)
	return h
}
