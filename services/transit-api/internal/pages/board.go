package pages

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/current"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/notice"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/view"
)

// Boards: the departures of stops, for a phone or for a screen. They show what /rt/departures answers; to readers who may not read that,
// the timetable alone.

type (
	stopPageParams struct {
		static.StopParams
		Minutes int64   `query:"minutes" min:"1" max:"1440" default:"180"`
		Lines   int64   `query:"lines" min:"1" max:"100" default:"15"`
		Part    *string `query:"part" enum:"rows"`
	}
	boardPageParams struct {
		Stops     []string `query:"stop" required:"true" maxitems:"20" maxlen:"300" pattern:"^[A-Za-z0-9_-]{1,64}:."`
		Routes    []string `query:"route" maxitems:"20" maxlen:"300" pattern:"^[A-Za-z0-9_-]{1,64}:."`
		Direction *string  `query:"direction" enum:"0,1"`
		Minutes   int64    `query:"minutes" min:"1" max:"1440" default:"180"`
		Variant   string   `query:"variant" enum:"lcd,eink,phone" default:"lcd"`
		Lines     *int64   `query:"lines" min:"1" max:"100"`
		Title     *string  `query:"title" maxlen:"80" pattern:"\\S"`
		Walk      int64    `query:"walk" min:"0" max:"60" default:"0"`
		Theme     *string  `query:"theme" enum:"light,dark"`
		Speak     int64    `query:"speak" min:"0" max:"60" default:"0"`
		Part      *string  `query:"part" enum:"rows"`
	}
	embedBoardParams struct {
		Stops     []string `query:"stop" required:"true" maxitems:"20" maxlen:"300" pattern:"^[A-Za-z0-9_-]{1,64}:."`
		Routes    []string `query:"route" maxitems:"20" maxlen:"300" pattern:"^[A-Za-z0-9_-]{1,64}:."`
		Direction *string  `query:"direction" enum:"0,1"`
		Minutes   int64    `query:"minutes" min:"1" max:"1440" default:"180"`
		Lines     int64    `query:"lines" min:"1" max:"100" default:"8"`
		Title     *string  `query:"title" maxlen:"80"`
		Walk      int64    `query:"walk" min:"0" max:"60" default:"0"`
		Part      *string  `query:"part" enum:"rows"`
		site.FrameParams
	}
	// A boardWish is what a board is asked to show.
	boardWish struct {
		view.BoardWish
		departures current.DepartureParams
		theme      string
		languages  []string          // in turn
		speak      time.Duration     // between two times that the departures are said; 0 is never
		build      string            // beside that of the program
		language   string            // of all that is said; "" is the reader's
		frame      *site.FrameParams // of a board that another site shows
	}
)

// boardRows is how many departures come with a board: those that it shows, and what it lives on without a network.
const boardRows = 150

func (a *Pages) boardPages() rest.Table {
	return rest.Table{
		rest.PageFrom(boardSpec(rest.Spec{ID: "page.stop", Path: "/f/{feed_alias}/stops/{stop_id}", Summary: "Departures of a stop, for a phone", NotFound: "unknown feed or stop"}),
			boardSource(a, func(p stopPageParams) []string { return []string{p.FeedAlias + ":" + p.StopID} }), a.pageStop),
		rest.PageFrom(boardSpec(rest.Spec{ID: "page.board", Path: "/board", Summary: "Departures of several stops, for a screen", NotFound: "unknown feeds", Unattended: true}),
			boardSource(a, func(p boardPageParams) []string { return p.Stops }), a.pageBoard),
		rest.PageFrom(boardSpec(rest.Spec{ID: "page.embed_board", Path: "/embed/board", Summary: "Departures in a page of another site", NotFound: "unknown feeds", Framed: "board", Header: a.Frames.Header()}),
			boardSource(a, func(p embedBoardParams) []string { return p.Stops }), a.embedBoard),
		a.site.File("site.worker", "/sw.js", "sw.js"),
	}
}

// boardSpec is a page with departures.
func boardSpec(s rest.Spec) rest.Spec {
	s.Kind = rest.Realtime
	s.Shows = []string{"static.stop", "static.stop_stop_times"}
	s.MayShow = []string{"realtime.departures", "display.annotations", stopRoutesPermission}
	return s
}

// boardSource is what the board of some stops, as FEED:STOP, is made of.
func boardSource[P any](a *Pages, stops func(P) []string) rest.Source[P, boardRef] {
	return rest.Source[P, boardRef]{Now: func(ctx context.Context, c *rest.Call, p P) (ref boardRef, gen rest.Generation, err error) {
		ids := stops(p)
		if ids == nil {
			return ref, gen, rest.NotFound("unknown screen")
		}
		ref.departures, gen, err = a.Current.DepartureView(ctx, ids, c.May("realtime.departures"))
		if err != nil {
			return ref, gen, err
		}
		ref.notices = a.Current.Notices.At(a.Current.Now())
		gen = rest.Join(gen, ref.notices.Generation)
		gen.Time = time.Time{} // by the clock
		return ref, gen, nil
	}}
}

// A boardRef is what a board is made of.
type boardRef struct {
	departures *current.DeparturesView
	notices    *notice.State
}

func (a *Pages) pageStop(ctx context.Context, c *rest.Call, p stopPageParams, ref boardRef) ([]byte, error) {
	w := boardWish{
		BoardWish:  view.BoardWish{Variant: "phone", Lines: int(p.Lines), Part: p.Part != nil},
		departures: current.DepartureParams{StopIDs: []string{p.FeedAlias + ":" + p.StopID}, Minutes: p.Minutes}}
	if w.Part {
		return a.board(ctx, c, ref, w)
	}
	v, err := a.boardView(ctx, c, ref, w)
	if err == nil {
		v.Here, err = a.here(ctx, c, ref.departures.Feeds[0].Feed, v, p.StopID)
	}
	if err != nil {
		return nil, err
	}
	return a.site.Render("board.html", v)
}

// here is what else there is at a stop: its lines, the other stops of its station, and its map.
// It is nil for a stop that only live data knows.
func (a *Pages) here(ctx context.Context, c *rest.Call, f *edition.Feed, v *view.Board, id string) (*view.Here, error) {
	ids := f.Identities(id)
	s := f.Stop(ids[len(ids)-1])
	if s == nil {
		return nil, nil
	}
	texts, err := f.Texts(ctx, v.Lang)
	if err != nil {
		return nil, err
	}
	h := &view.Here{}
	h.Lines, v.Towards, err = a.calling(ctx, c, &v.Head, f, texts, s)
	if err != nil {
		return nil, err
	}
	station := s.StopID
	if s.ParentStation != nil {
		station = *s.ParentStation
	}
	for _, other := range f.StopIDs(station) {
		if p := f.Stop(other); p != nil && p.StopID != s.StopID && p.Public() {
			stop := view.Stop{Name: stopIn(texts, p).Label, Code: cell(p.StopCode), Address: v.To(stopPagePath, f.Alias, p.StopID)}
			if at := cell(p.PlatformCode); at != "" {
				stop.Platform = a.site.Words(v.Lang).Text("board.at", at)
			}
			h.Platforms = append(h.Platforms, stop)
		}
	}
	if _, placed := f.Rank(s.StopID); placed && c.May("static.feed_drawing") {
		h.Map = v.ToQuery(url.Values{"stop": {s.StopID}}, feedPagePath+"/map", f.Alias)
	}
	return h, nil
}

// calling are the lines that call at a stop, and in words where they go: by these riders tell
// stops of one name apart.
func (a *Pages) calling(
	ctx context.Context, c *rest.Call, h *site.Head, f *edition.Feed, texts *edition.Texts, s *edition.Stop,
) (lines []view.RouteLine, towards string, err error) {
	if !c.May(stopRoutesPermission) {
		return nil, "", nil
	}
	routes, err := f.RoutesAt(ctx, []string{s.StopID})
	if err != nil {
		return nil, "", err
	}
	for _, r := range routes {
		lines = append(lines, a.line(h, f, texts, r))
	}
	view.SortLines(lines)
	trips, err := f.Towards(ctx, s.StopID)
	if err != nil {
		return nil, "", err
	}
	const most = 3
	var names []string
	for _, t := range trips {
		if to := cell(texts.Headsign(t.ID, t.Headsign)); to != "" && to != s.StopName && len(names) < most {
			names = append(names, to)
		}
	}
	if names != nil {
		towards = a.site.Words(h.Lang).Text("stop.towards", strings.Join(names, ", "))
	}
	return lines, towards, nil
}

// stopRoutesPermission is that of the lines of a stop.
const stopRoutesPermission = "static.stop_routes"

func (a *Pages) pageBoard(ctx context.Context, c *rest.Call, p boardPageParams, ref boardRef) ([]byte, error) {
	w := boardWish{
		BoardWish:  view.BoardWish{Variant: p.Variant, Walk: p.Walk, Part: p.Part != nil, Lines: linesShown(p.Variant)},
		departures: current.DepartureParams{StopIDs: p.Stops, RouteIDs: p.Routes, DirectionID: p.Direction, Minutes: p.Minutes}}
	if p.Lines != nil {
		w.Lines = int(*p.Lines)
	}
	if p.Title != nil {
		w.Title = *p.Title
	}
	if p.Theme != nil {
		w.theme = *p.Theme
	}
	w.speak = time.Duration(p.Speak) * time.Minute
	return a.board(ctx, c, ref, w)
}

// linesShown is how many departures a variant shows at once unless a parameter says otherwise.
func linesShown(variant string) int { return map[string]int{"lcd": 8, "eink": 7, "phone": 15}[variant] }

func (a *Pages) embedBoard(ctx context.Context, c *rest.Call, p embedBoardParams, ref boardRef) ([]byte, error) {
	w := boardWish{frame: &p.FrameParams,
		BoardWish:  view.BoardWish{Variant: "phone", Walk: p.Walk, Part: p.Part != nil, Lines: int(p.Lines)},
		departures: current.DepartureParams{StopIDs: p.Stops, RouteIDs: p.Routes, DirectionID: p.Direction, Minutes: p.Minutes}}
	if p.Title != nil {
		w.Title = strings.TrimSpace(*p.Title)
	}
	return a.board(ctx, c, ref, w)
}

// board is the page of a board, or its rows.
func (a *Pages) board(ctx context.Context, c *rest.Call, ref boardRef, w boardWish) ([]byte, error) {
	v, err := a.boardView(ctx, c, ref, w)
	if err != nil {
		return nil, err
	}
	if w.Part {
		return a.site.RenderBlock("board.html", "rows", v)
	}
	return a.site.Render("board.html", v)
}

// boardView is a board in words.
func (a *Pages) boardView(ctx context.Context, c *rest.Call, ref boardRef, w boardWish) (*view.Board, error) {
	w.departures.Limit = boardRows
	w.Minutes, w.Routes = w.departures.Minutes, len(w.departures.RouteIDs) > 0
	e, err := a.Current.Departures(ctx, c, ref.departures, w.departures)
	if err != nil {
		return nil, err
	}
	d := &e.Data
	if w.Variant == "phone" && len(d.Stops) == 1 && !d.Stops[0].Known && len(d.Departures) == 0 {
		return nil, rest.NotFound("unknown stop")
	}
	data := &view.BoardData{Now: time.Unix(d.Time, 0), Departures: d.Departures, Stops: d.Stops, Alerts: d.Alerts, Missing: e.Meta.Missing, Closed: !c.May("realtime.departures")}
	for _, f := range d.Feeds {
		zone, err := time.LoadLocation(f.TimeZone)
		if err != nil {
			zone = time.UTC
		}
		data.Feeds = append(data.Feeds, view.BoardFeed{Alias: f.Feed, Name: f.Name, Zone: zone, State: f.Realtime, Fetched: f.LastFetched, Stamp: f.FeedTimestamp})
	}
	for i := range d.Stops {
		if s := &d.Stops[i]; c.May("display.annotations") {
			for _, note := range ref.notices.About("stops", s.StopID, &s.Feed) {
				if note.AnnotationType == "comment" {
					data.Notes = append(data.Notes, note.Body)
				}
			}
		}
	}
	v := a.boardHead(c, w)
	if w.language != "" {
		v.Lang = w.language
	}
	ref.departures.Translate(ctx, v.Lang, data.Departures, data.Stops)
	v.Fill(a.speaker(v.Lang), w.BoardWish, data)
	if v.Later != "" && len(v.Rows) <= v.Shown {
		v.Later = ""
	}
	if v.Frame != nil {
		v.Frame.State = v.State()
	}
	return v, nil
}

// boardHead is a board with what follows from its address.
func (a *Pages) boardHead(c *rest.Call, w boardWish) *view.Board {
	v := &view.Board{Head: a.head(c), Build: a.site.Digest() + w.build, Languages: strings.Join(w.languages, " "), Speak: int(w.speak / time.Second)}
	query := url.Values{"stop_id": w.departures.StopIDs, "_format": {"json"}}
	v.Others = append(v.Others, asJSON(a.site.Words(v.Lang).Text("board.json"), c.URL("/rt/departures")+"?"+query.Encode()))
	v.Styles, v.Scripts, v.Class = []string{"board.css"}, []string{"board.js"}, w.theme
	v.Bare = w.Variant != "phone"
	if v.Bare {
		v.Reload, v.Unlisted = 60, true
		if v.Class == "" {
			v.Class = map[string]string{"lcd": "dark", "eink": "light"}[w.Variant]
		}
	}
	if w.frame != nil {
		a.site.Framed(&v.Head, "board", *w.frame)
		v.Whole = v.ToQuery(url.Values{"stop": w.departures.StopIDs, "route": w.departures.RouteIDs, "variant": {"phone"}}, "/board")
	}
	v.Again = v.Keep(c.SelfQuery())
	v.Refresh = c.SelfWith("part", "rows")
	if v.Languages == "" {
		v.Refresh = v.Keep(v.Refresh)
	}
	if !v.Bare && w.Lines < 100 {
		v.Later = v.Keep(c.SelfWith("lines", "100"))
	}
	return v
}
