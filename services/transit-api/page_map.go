package transitapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	view "github.com/townline/townline/services/transit-api/internal/pages"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// Lines and maps: a route with its stops, and where vehicles are now. A map is what /rt/map answers, drawn and in words, over the drawing of
// a route or of all routes of a feed.

const (
	feedPagePath  = "/f/{feed_alias}"
	routePagePath = feedPagePath + "/routes/{agency_id}/{route_id}"
	// mapPermission is that of the vehicles on maps.
	mapPermission = "realtime.map"
)

func (a *api) mapPages() rest.Table {
	header := site.Policy{Connect: a.base.hosts, Images: append([]string{"blob:"}, a.base.hosts...)}.Header()
	picture := http.Header{"Content-Security-Policy": {"default-src 'none'"}}
	const unknown = "unknown feed, agency or route"
	drawn := rest.Queries(routesByRank, drawnWays, directionRows.query, serviceOrders)
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.route", Path: routePagePath, Summary: "A line: stops, alerts, next departures", NotFound: unknown, Kind: rest.Realtime, Queries: drawn,
			Source: a.routePageSource(), Shows: []string{"static.route", "static.route_drawing", "static.stop_stop_times"}, MayShow: []string{"realtime.departures", "realtime.alerts"}}, a.pageRoute),
		rest.Page(rest.Spec{ID: "page.route_map", Path: routePagePath + "/map", Summary: "Where the vehicles of a line are", NotFound: unknown, Kind: rest.Realtime, Queries: drawn,
			Source: a.mapPageSource(), Shows: []string{"static.route", "static.route_drawing"}, MayShow: []string{mapPermission}, Header: header}, a.pageRouteMap),
		rest.Page(rest.Spec{ID: "page.feed_map", Path: feedPagePath + "/map", Summary: "Where the vehicles of a feed are", NotFound: "unknown feed", Kind: rest.Realtime,
			Source: a.mapPageSource(), Shows: []string{"static.feed_drawing"}, MayShow: []string{mapPermission}, Header: header}, a.pageFeedMap),
		rest.Bytes(rest.Spec{ID: "page.feed_picture", Path: feedPagePath + "/map.svg", Summary: "The lines of a feed as a picture", NotFound: "unknown feed",
			Queries: rest.Queries(waysOfFeed), Source: a.dir.FeedSource(), Shows: []string{"static.feed_drawing"}, Header: picture}, "image/svg+xml", a.feedPicture),
	}
}

// baseMap is what lies below the lines of maps that can be moved.
type baseMap struct {
	view.BaseMap
	hosts []string // that browsers may ask for it
}

// mapRef is what the page of a map is made of.
type mapRef struct {
	feed   *edition.Feed
	now    time.Time
	mapped *mappedView // nil for readers who may not see live positions
}

func (a *api) mapPageSource() *rest.Source {
	feeds := a.dir.FeedSource()
	return &rest.Source{Now: func(ctx context.Context, c *rest.Call) (rest.Generation, error) {
		feed, err := feeds.Now(ctx, c)
		if err != nil {
			return feed, err
		}
		ref := &mapRef{feed: feed.Ref.(*edition.Feed), now: a.now().Truncate(boardStep)}
		gens := []rest.Generation{feed}
		if c.May(mapPermission) {
			gen, err := a.mapView(ctx, ref.feed.Alias)
			if err != nil {
				return gen, err
			}
			ref.mapped = gen.Ref.(*mappedView)
			gens = append(gens, gen, rest.Generation{N: ref.now.Unix(), Until: ref.now.Add(boardStep)})
		}
		gen := joined(ref, gens...)
		gen.Time = time.Time{} // by the clock
		return gen, nil
	}}
}

// speaker writes times for a page.
func (a *api) speaker(lang string) view.Speaker {
	return view.Speaker{Words: a.site.Words(lang), Twelve: a.display.twelve && lang == "en"}
}

// onHost is an address of the API without scheme and host: pages may ask their own host alone.
func onHost(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.RequestURI()
}

// fillMap adds the vehicles of a feed, or of one route, to a map.
func (a *api) fillMap(ctx context.Context, c *rest.Call, v *view.Map, ref *mapRef, route *string) error {
	v.Styles, v.Modules, v.Base, v.Here = []string{"map.css"}, []string{"map.js"}, a.base.BaseMap, v.Keep(c.SelfQuery())
	v.Feed = ref.feed.Alias
	data := &view.MapData{Now: a.now().Unix(), Closed: ref.mapped == nil}
	if ref.mapped != nil {
		query := url.Values{"feed": {ref.feed.Alias}}
		if route != nil {
			query.Set("route_id", *route)
		}
		address := c.URL("/rt/map") + "?" + query.Encode()
		v.API = onHost(address)
		v.Others = append(v.Others, asJSON(a.site.Words(v.Lang).Text("map.json"), address+"&_format=json"))
		made, whole, err := a.located(ctx, c, ref.mapped, route)
		if err != nil {
			return err
		}
		data.State, data.Vehicles, data.Whole, data.Fetched = made.Realtime, made.Vehicles, whole, ref.mapped.vehicles.LastFetched
	}
	v.Fill(a.speaker(v.Lang), data)
	return nil
}

func (a *api) pageFeedMap(ctx context.Context, c *rest.Call, p feedParams) ([]byte, error) {
	ref := c.Generation().Ref.(*mapRef)
	f := ref.feed
	v := &view.Map{Head: a.head(c), Name: f.Name, Lines: true}
	say := a.site.Words(v.Lang)
	v.Title, v.About = say.Text("map.title", f.Name), say.Text("map.about", f.Name)
	box, _ := f.Box()
	v.Chart = view.Chart{Frame: view.NewFrame(box), Alt: say.Text("map.chart", f.Name), Picture: c.Path(feedPagePath+"/map.svg", f.Alias)}
	drawing := c.URL(feedPath+"/drawing", f.Alias)
	v.Drawing, v.Others = onHost(drawing), append(v.Others, asJSON(say.Text("map.drawing"), drawing))
	if more := f.Counts.Route - maxFeedRoutes; more > 0 {
		v.Left = append(v.Left, say.Text("map.left", more, maxFeedRoutes))
	}
	if err := a.fillMap(ctx, c, v, ref, nil); err != nil {
		return nil, err
	}
	return a.site.Render("map.html", v)
}

// feedPicture is the lines of a feed as a picture, in the frame of its map.
func (a *api) feedPicture(ctx context.Context, c *rest.Call, p feedParams) (rest.File, error) {
	f := feedOf(c)
	drawn, _, err := oneFeedDrawing(ctx, c, f, p)
	if err != nil {
		return rest.File{}, err
	}
	box, _ := f.Box()
	v := &view.Picture{Head: site.Head{Lang: site.Languages()[0]}, Chart: view.Chart{Frame: view.NewFrame(box)}}
	for _, r := range drawn.Routes {
		for _, l := range r.Lines {
			v.Ways = append(v.Ways, view.Way{Color: view.Shade(a.namesOf(f, f.Route(r.RouteID)).Color), Path: v.Path(places(l.Coordinates))})
		}
	}
	body, err := a.site.RenderBlock("picture.html", "picture", v)
	return rest.File{Body: body}, err
}

// places are the positions of a line as numbers.
func places(l line) [][2]float64 {
	all := make([][2]float64, len(l))
	for i, at := range l {
		all[i] = [2]float64{value(at[0]), value(at[1])}
	}
	return all
}

// A drawnRoute is a route of an address as pages show it.
type drawnRoute struct {
	row     Route
	drawing RouteDrawing
	badge   view.Badge
	line    string // what riders call it in short
	name    string // what they call it beside
	chart   view.Chart
}

// chartPoints is how many positions the lines of a route have on a page.
const chartPoints = 2500

func (a *api) drawRoute(ctx context.Context, c *rest.Call, f *edition.Feed, p routeParams, lang string) (d drawnRoute, err error) {
	route, err := findRoute(f, p)
	if err != nil {
		return d, err
	}
	if d.row, err = a.routeRows().one(ctx, c, f, route.Rank); err != nil {
		return d, err
	}
	if d.drawing, _, err = a.oneDrawing(ctx, c, f, p); err != nil {
		return d, err
	}
	short, long := cell(d.row.RouteShortName), cell(d.row.RouteLongName)
	d.badge, d.line, d.name = view.NewBadge(d.row.RouteColor, d.row.RouteTextColor), short, long
	if short == "" {
		d.line, d.name = d.row.Label, ""
	}
	if d.drawing.BBox == nil {
		return d, nil
	}
	say := a.site.Words(lang)
	d.chart = view.Chart{Frame: view.NewFrame(*d.drawing.BBox), Alt: say.Text("route.chartonly", d.line)}
	color, left := view.Shade(d.row.RouteColor), chartPoints
	var stops [][2]float64
	met := map[string]bool{}
	for i, side := range d.drawing.Directions {
		for _, l := range side.Lines {
			if left -= len(l.Coordinates); left >= 0 {
				d.chart.Ways = append(d.chart.Ways, view.Way{Color: color, Path: d.chart.Path(places(l.Coordinates))})
			}
		}
		n := len(side.Stops)
		for k, s := range side.Stops {
			lon, lat, ok := s.place()
			if !ok {
				continue
			}
			stops = append(stops, [2]float64{lon, lat})
			x, y, in := d.chart.At(lon, lat)
			if in && (k == 0 || k == n-1) && !met[s.StopName] {
				met[s.StopName] = true
				d.chart.Names = append(d.chart.Names, view.Name{X: x, Y: y, Text: s.StopName, Left: x > d.chart.Width/2})
			}
		}
		if i == 0 && n > 1 {
			d.chart.Alt = say.Text("route.chart", d.line, side.Stops[0].StopName, side.Stops[n-1].StopName)
		}
	}
	d.chart.Stops = d.chart.Dots(stops)
	return d, nil
}

// place is where the stop is; ok is false where the feed does not know.
func (s DrawnStop) place() (lon, lat float64, ok bool) {
	lon, errLon := strconv.ParseFloat(s.StopLon, 64)
	lat, errLat := strconv.ParseFloat(s.StopLat, 64)
	return lon, lat, errLon == nil && errLat == nil && (lon != 0 || lat != 0)
}

// cell is the text of a cell, "" when it is empty.
func cell(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (a *api) pageRouteMap(ctx context.Context, c *rest.Call, p routeParams) ([]byte, error) {
	ref := c.Generation().Ref.(*mapRef)
	v := &view.Map{Head: a.head(c)}
	d, err := a.drawRoute(ctx, c, ref.feed, p, v.Lang)
	if err != nil {
		return nil, err
	}
	say := a.site.Words(v.Lang)
	v.Name, v.Line, v.Badge, v.Color, v.Chart = d.name, d.line, d.badge, cell(d.row.RouteColor), d.chart
	v.Title, v.About = say.Text("map.title", d.row.Label), say.Text("map.about", d.row.Label)
	drawing := c.URL(routePath+"/drawing", p.FeedAlias, p.AgencyID, p.RouteID)
	v.Drawing, v.Others = onHost(drawing), append(v.Others, asJSON(say.Text("map.drawing"), drawing))
	v.Links = a.routeLinks(&v.Head, p, "map.route", routePagePath, "route.feedmap", feedPagePath+"/map")
	if err := a.fillMap(ctx, c, v, ref, &p.RouteID); err != nil {
		return nil, err
	}
	return a.site.Render("map.html", v)
}

// routeLinks are pages beside that of a route: words and their addresses.
func (a *api) routeLinks(h *site.Head, p routeParams, pairs ...string) []view.Link {
	var all []view.Link
	for i := 0; i+1 < len(pairs); i += 2 {
		ids := []string{p.FeedAlias, p.AgencyID, p.RouteID}
		if pairs[i+1] == feedPagePath+"/map" {
			ids = ids[:1]
		}
		all = append(all, view.Link{Text: a.site.Words(h.Lang).Text(pairs[i]), Address: h.To(pairs[i+1], ids...)})
	}
	return all
}

func (a *api) routePageSource() *rest.Source {
	return &rest.Source{Now: func(ctx context.Context, c *rest.Call) (rest.Generation, error) {
		if _, err := a.dir.FeedSource().Now(ctx, c); err != nil {
			return rest.Generation{}, err
		}
		return a.departureView(ctx, []feedID{{alias: c.Param("feed_alias")}}, c.May("realtime.departures"))
	}}
}

func (a *api) pageRoute(ctx context.Context, c *rest.Call, p routeParams) ([]byte, error) {
	ref := c.Generation().Ref.(*departuresView)
	f := ref.feeds[0].feed
	v := &view.RoutePage{Head: a.head(c)}
	d, err := a.drawRoute(ctx, c, f, p, v.Lang)
	if err != nil {
		return nil, err
	}
	say := a.site.Words(v.Lang)
	v.Name, v.Line, v.Badge, v.Chart, v.Styles = d.name, d.line, d.badge, d.chart, []string{"map.css"}
	v.Title, v.About = say.Text("route.title", d.row.Label), say.Text("route.about", d.row.Label)
	if about := view.Plain(cell(d.row.RouteDesc)); about != "" && about != d.name {
		v.Texts = append(v.Texts, about)
	}
	v.Others = append(v.Others, asJSON(say.Text("route.json"), c.URL(routePath, p.FeedAlias, p.AgencyID, p.RouteID)),
		asJSON(say.Text("map.drawing"), c.URL(routePath+"/drawing", p.FeedAlias, p.AgencyID, p.RouteID)))
	v.Links = a.routeLinks(&v.Head, p, "route.table", routePagePath+"/timetable", "route.map", routePagePath+"/map", "route.feedmap", feedPagePath+"/map")
	data, err := a.routeData(ctx, c, ref, p, d.drawing.Directions)
	if err != nil {
		return nil, err
	}
	for _, side := range d.drawing.Directions {
		v.Directions = append(v.Directions, a.side(v, f, side))
	}
	v.Fill(a.speaker(v.Lang), data)
	return a.site.Render("route.html", v)
}

// side is a direction of a route with its stops.
func (a *api) side(v *view.RoutePage, f *edition.Feed, d DrawnDirection) view.Side {
	side := view.Side{ID: d.DirectionID, Name: d.Direction}
	for i, s := range d.Stops {
		stop := view.Stop{Name: s.StopName, Address: v.To(feedPagePath+"/stops/{stop_id}", f.Alias, s.StopID)}
		if at := f.Stop(s.StopID); at != nil {
			stop.Name, stop.Code = at.Label, cell(at.StopCode)
			if platform := cell(at.PlatformCode); platform != "" {
				stop.Platform = a.site.Words(v.Lang).Text("board.at", platform)
			}
		}
		if i == 0 {
			side.StopID = s.StopID
		}
		side.Stops = append(side.Stops, stop)
	}
	return side
}

// Of a route page.
const (
	routeMinutes = 180 // that its departures reach
	routeNext    = 40  // departures that are looked at
)

// routeData is what leaves where the directions of a route begin, and the alerts about the route and its stops.
func (a *api) routeData(ctx context.Context, c *rest.Call, ref *departuresView, p routeParams, sides []DrawnDirection) (*view.BoardData, error) {
	d := ref.feeds[0]
	state, stamp := d.polled.State(ref.now)
	data := &view.BoardData{Now: ref.now, Closed: !c.May("realtime.departures"),
		Feeds: []view.BoardFeed{{Alias: d.alias, Name: d.feed.Name, Zone: d.feed.Zone, State: state, Fetched: d.polled.LastFetched, Stamp: stamp}}}
	wish := departureParams{RouteIDs: []string{d.alias + ":" + p.RouteID}, Minutes: routeMinutes, Limit: routeNext}
	concern := &realtime.Concern{Now: ref.now.Unix(), Routes: []*edition.Route{d.feed.Route(p.RouteID)}}
	for _, side := range sides {
		for i, s := range side.Stops {
			if at := d.alias + ":" + s.StopID; i == 0 && !slices.Contains(wish.StopIDs, at) {
				wish.StopIDs = append(wish.StopIDs, at)
			}
			concern.Stops = append(concern.Stops, s.StopID)
			if stop := d.feed.Stop(s.StopID); stop != nil {
				concern.Stops = append(concern.Stops, cell(stop.StopCode), cell(stop.ParentStation))
			}
		}
	}
	concern.Stops = slices.DeleteFunc(concern.Stops, func(id string) bool { return id == "" })
	if wish.StopIDs != nil && d.feed.Boards() == nil {
		e, err := a.departures(ctx, c, ref, wish)
		switch {
		case err == nil:
			data.Departures = e.Data.Departures
		case ctx.Err() != nil || !missable(err):
			return nil, err
		}
	}
	if !c.May("realtime.alerts") {
		return data, nil
	}
	for _, s := range d.alerts.Of(d.alias) {
		about, err := s.Concerning(concern)
		if err != nil {
			return nil, err
		}
		for _, x := range about[:min(len(about), maxDepartureAlerts)] {
			data.Alerts = append(data.Alerts, board.DepartureAlert{Feed: d.alias, ID: x.ID, SeverityLevel: x.SeverityLevel, Cause: x.Cause, Effect: x.Effect, HeaderText: x.HeaderText,
				DescriptionText: x.DescriptionText, URL: x.URL, StopIDs: x.Stops, RouteIDs: x.Routes})
		}
	}
	return data, nil
}
