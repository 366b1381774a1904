package pages

import (
	"context"
	"slices"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/current"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// Lines: what is drawn of a route, and the page of it.

const unknownRoute = "unknown feed, agency or route"

func (a *Pages) routePages() rest.Table {
	return rest.Table{
		rest.PageFrom(rest.Spec{ID: "page.routes", Path: feedPagePath + "/routes", Summary: "Lines of a feed", NotFound: "unknown feed",
			Shows: []string{"static.agencies", "static.routes"}, MayShow: []string{reportPermission, "static.route_drawing"}},
			edition.OneFeed[static.FeedParams](a.Static.Feeds), a.pageRoutes),
		rest.PageFrom(rest.Spec{ID: "page.route", Path: routePagePath, Summary: "A line: stops, alerts, next departures", NotFound: unknownRoute,
			Kind:    rest.Realtime,
			Shows:   []string{"static.route", "static.route_drawing", "static.stop_stop_times"},
			MayShow: []string{departuresPermission, "realtime.alerts"}},
			source(func(p static.RouteParams) []part {
				return []part{a.feedPart(p.FeedAlias), a.departuresPart(p.FeedAlias)}
			}), a.pageRoute),
	}
}

// A drawnRoute is the route of an address, with its lines and stops as a chart.
type drawnRoute struct {
	RouteLine
	row     static.Route
	drawing static.RouteDrawing
	chart   Chart
}

// chartPoints is how many positions the lines of a route have on a page.
const chartPoints = 2500

func (a *Pages) drawRoute(ctx context.Context, c *rest.Call, h *site.Head, f *edition.Feed, p static.RouteParams) (d drawnRoute, err error) {
	d.row, err = a.Static.OneRoute(ctx, c, f, p)
	if err != nil {
		return d, err
	}
	d.drawing, _, err = a.Static.DrawRoute(ctx, c, f, p)
	if err != nil {
		return d, err
	}
	texts, err := f.Texts(ctx, h.Lang)
	if err != nil {
		return d, err
	}
	d.row.Translate(texts)
	d.drawing.Translate(texts)
	d.RouteLine = a.line(h, f, texts, f.Route(p.RouteID))
	if d.drawing.BBox == nil {
		return d, nil
	}
	say := a.site.Words(h.Lang)
	d.chart = Chart{Frame: newFrame(*d.drawing.BBox), Alt: say.Text("route.chartonly", d.Line)}
	color, left := shade(d.row.RouteColor), chartPoints
	var stops [][2]float64
	met := map[string]bool{}
	for i, side := range d.drawing.Directions {
		for _, l := range side.Lines {
			left -= len(l.Coordinates)
			if left >= 0 {
				d.chart.Ways = append(d.chart.Ways, Way{Color: color, Path: d.chart.Path(l.Coordinates.Points())})
			}
		}
		n := len(side.Stops)
		for k, s := range side.Stops {
			lon, lat, ok := s.Place()
			if !ok {
				continue
			}
			stops = append(stops, [2]float64{lon, lat})
			x, y, in := d.chart.At(lon, lat)
			if in && (k == 0 || k == n-1) && !met[s.StopName] {
				met[s.StopName] = true
				d.chart.Names = append(d.chart.Names, Name{X: x, Y: y, Text: s.StopName, Left: x > d.chart.Width/2})
			}
		}
		if i == 0 && n > 1 {
			d.chart.Alt = say.Text("route.chart", d.Line, side.Stops[0].StopName, side.Stops[n-1].StopName)
		}
	}
	d.chart.Stops = d.chart.Dots(stops)
	return d, nil
}

// routeLinks are pages beside that of a route: words and their addresses.
func (a *Pages) routeLinks(h *site.Head, p static.RouteParams, pairs ...string) []site.Link {
	var all []site.Link
	for i := 0; i+1 < len(pairs); i += 2 {
		ids := []string{p.FeedAlias, p.AgencyID, p.RouteID}
		if pairs[i+1] == feedPagePath+"/map" {
			ids = ids[:1]
		}
		all = append(all, site.Link{Text: a.site.Words(h.Lang).Text(pairs[i]), Address: h.To(pairs[i+1], ids...)})
	}
	return all
}

// A routePage is a line: where it runs, its stops, and its next departures.
type routePage struct {
	site.Head
	RouteLine
	Text       string // route_desc
	Links      []site.Link
	Notices    []Notice
	Chart      Chart
	Directions []routeSide
	Status     Status
}

// A routeSide is a direction of a line.
type routeSide struct {
	static.DrawnDirection
	Next  []Row
	Stops []Stop
}

func (a *Pages) pageRoute(ctx context.Context, c *rest.Call, p static.RouteParams, s *snapshot) ([]byte, error) {
	ref := s.departures
	f := ref.Feeds[0].Feed
	v := &routePage{Head: a.head(c)}
	d, err := a.drawRoute(ctx, c, &v.Head, f, p)
	if err != nil {
		return nil, err
	}
	say := a.site.Words(v.Lang)
	v.RouteLine, v.Chart, v.Styles = d.RouteLine, d.chart, []string{"map.css"}
	v.Title, v.About = say.Text("route.title", d.row.Label), say.Text("route.about", d.row.Label)
	if about := plain(cell(d.row.RouteDesc)); about != d.Name {
		v.Text = about
	}
	v.Others = append(v.Others, asJSON(say.Text("route.json"), c.URL(static.RoutePath, p.FeedAlias, p.AgencyID, p.RouteID)),
		asJSON(say.Text("map.drawing"), c.URL(static.RoutePath+"/drawing", p.FeedAlias, p.AgencyID, p.RouteID)))
	v.Links = a.routeLinks(&v.Head, p, "route.table", routePagePath+"/timetable", "route.map", routePagePath+"/map", "route.feedmap", feedPagePath+"/map")
	route := f.Route(p.RouteID)
	first, all, err := a.addSides(ctx, v, f, route, d.drawing.Directions)
	if err != nil {
		return nil, err
	}
	data, _, err := a.lineData(ctx, c, ref, route, first, all, routeNext)
	if err != nil {
		return nil, err
	}
	ref.Translate(ctx, v.Lang, data.Departures.Departures, nil)
	b := newBoard(v.Head, a.speaker(v.Lang), boardQuery{Variant: "phone"}, data)
	b.status()
	b.notices()
	v.Status, v.Notices = b.Status, b.Notices
	for i := range v.Directions {
		v.Directions[i].Next = b.next(v.Directions[i].DrawnDirection)
	}
	return a.site.Render("route.html", v)
}

// addSides adds the ways that the trips of a route take. It returns the stops where they begin, and all stops.
func (a *Pages) addSides(
	ctx context.Context, v *routePage, f *edition.Feed, route *edition.Route, drawn []static.DrawnDirection,
) (first, all []string, err error) {
	texts, err := f.Texts(ctx, v.Lang)
	if err != nil {
		return nil, nil, err
	}
	sides := drawn
	for _, side := range drawn {
		paths, err := static.Paths(ctx, f, texts, route, side)
		if err != nil {
			return nil, nil, err
		}
		for _, path := range paths {
			shown := routeSide{DrawnDirection: path}
			shown.Direction = withoutLine(path.Direction, route.ShortName)
			for _, s := range path.Stops {
				shown.Stops = append(shown.Stops, a.stop(&v.Head, f, texts, s.StopID))
			}
			v.Directions = append(v.Directions, shown)
		}
		sides = append(sides, paths...)
	}
	for _, side := range sides {
		for i, s := range side.Stops {
			if i == 0 && !slices.Contains(first, s.StopID) {
				first = append(first, s.StopID)
			}
			all = append(all, s.StopID)
		}
	}
	return first, all, nil
}

// nextRows is how many departures a direction shows.
const nextRows = 3

// next are the next departures where a direction begins.
func (v *Board) next(side static.DrawnDirection) (rows []Row) {
	for i := range v.data.Departures.Departures {
		d := &v.data.Departures.Departures[i]
		if len(side.Stops) > 0 && d.StopID == side.Stops[0].StopID && (d.DirectionID == "" || d.DirectionID == side.DirectionID) && len(rows) < nextRows {
			rows = append(rows, v.row(d))
		}
	}
	return rows
}

const (
	// lineMinutes is how far the departures of a line's pages reach.
	lineMinutes = 180
	// routeNext is how many departures the page of a line looks at.
	routeNext = 40
)

// lineData is what leaves at some stops of a line, and the alerts about the line and all its stops. Without boards of the feed, answered
// is false.
func (a *Pages) lineData(
	ctx context.Context, c *rest.Call, v *current.DeparturesView, route *edition.Route, at, all []string, limit int64,
) (data *boardData, answered bool, err error) {
	d := v.Feeds[0]
	data = &boardData{Closed: !c.May(departuresPermission)}
	data.Time, data.Feeds = v.Now.Unix(), []current.DepartureFeed{d.Status(v.Now)}
	query := current.DepartureParams{RouteIDs: []string{d.Alias + ":" + route.ID}, Minutes: lineMinutes, Limit: limit}
	for _, id := range at {
		query.StopIDs = append(query.StopIDs, d.Alias+":"+id)
	}
	if at != nil && d.Feed.Boards() == nil {
		e, err := a.Current.Departures(ctx, c, v, query)
		switch {
		case err == nil:
			data.Departures.Departures, answered = e.Data.Departures, true
		case ctx.Err() != nil || !current.Missable(err):
			return nil, false, err
		}
	}
	if c.May("realtime.alerts") {
		concern := &realtime.Concern{Now: v.Now.Unix(), Routes: []*edition.Route{route}}
		for _, id := range all {
			concern.Stops = append(concern.Stops, namesOf(d.Feed, id)...)
		}
		data.Alerts, err = d.About(concern)
	}
	return data, answered, err
}

// namesOf are the ids by which an alert may name a stop.
func namesOf(f *edition.Feed, id string) []string {
	names := []string{id}
	if s := f.Stop(id); s != nil {
		names = append(names, cell(s.StopCode), cell(s.ParentStation))
	}
	return slices.DeleteFunc(names, func(id string) bool { return id == "" })
}
