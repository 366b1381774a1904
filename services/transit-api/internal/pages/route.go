package pages

import (
	"context"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/current"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/view"
)

// Lines: what is drawn of a route, and the page of it.

const unknownRoute = "unknown feed, agency or route"

func (a *Pages) routePages() rest.Table {
	return rest.Table{
		rest.PageFrom(rest.Spec{ID: "page.route", Path: routePagePath, Summary: "A line: stops, alerts, next departures", NotFound: unknownRoute, Kind: rest.Realtime,
			Shows: []string{"static.route", "static.route_drawing", "static.stop_stop_times"}, MayShow: []string{"realtime.departures", "realtime.alerts"}},
			rest.Source[static.RouteParams, *current.DeparturesView]{Now: a.findRoute}, a.pageRoute),
	}
}

// A drawnRoute is a route of an address as pages show it.
type drawnRoute struct {
	row     static.Route
	drawing static.RouteDrawing
	badge   view.Badge
	line    string // what riders call it in short
	name    string // what they call it beside
	chart   view.Chart
}

// chartPoints is how many positions the lines of a route have on a page.
const chartPoints = 2500

func (a *Pages) drawRoute(ctx context.Context, c *rest.Call, f *edition.Feed, p static.RouteParams, lang string) (d drawnRoute, err error) {
	d.row, err = a.Static.OneRoute(ctx, c, f, p)
	if err != nil {
		return d, err
	}
	d.drawing, _, err = a.Static.DrawRoute(ctx, c, f, p)
	if err != nil {
		return d, err
	}
	texts, err := f.Texts(ctx, lang)
	if err != nil {
		return d, err
	}
	d.row.Translate(texts)
	d.drawing.Translate(texts)
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
			left -= len(l.Coordinates)
			if left >= 0 {
				d.chart.Ways = append(d.chart.Ways, view.Way{Color: color, Path: d.chart.Path(l.Coordinates.Points())})
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

// routeLinks are pages beside that of a route: words and their addresses.
func (a *Pages) routeLinks(h *site.Head, p static.RouteParams, pairs ...string) []view.Link {
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

func (a *Pages) findRoute(ctx context.Context, c *rest.Call, p static.RouteParams) (*current.DeparturesView, rest.Generation, error) {
	if _, err := a.Static.Feeds.Served(p.FeedAlias); err != nil {
		return nil, rest.Generation{}, err
	}
	return a.Current.DepartureView(ctx, []string{p.FeedAlias}, c.May("realtime.departures"))
}

func (a *Pages) pageRoute(ctx context.Context, c *rest.Call, p static.RouteParams, ref *current.DeparturesView) ([]byte, error) {
	f := ref.Feeds[0].Feed
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
	v.Others = append(v.Others, asJSON(say.Text("route.json"), c.URL(static.RoutePath, p.FeedAlias, p.AgencyID, p.RouteID)),
		asJSON(say.Text("map.drawing"), c.URL(static.RoutePath+"/drawing", p.FeedAlias, p.AgencyID, p.RouteID)))
	v.Links = a.routeLinks(&v.Head, p, "route.table", routePagePath+"/timetable", "route.map", routePagePath+"/map", "route.feedmap", feedPagePath+"/map")
	texts, err := f.Texts(ctx, v.Lang)
	if err != nil {
		return nil, err
	}
	sides := d.drawing.Directions
	for _, side := range d.drawing.Directions {
		paths, err := static.Paths(ctx, f, texts, f.Route(p.RouteID), side)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			v.Directions = append(v.Directions, a.side(v, f, path))
		}
		sides = append(sides, paths...)
	}
	data, err := a.routeData(ctx, c, ref, p, sides)
	if err != nil {
		return nil, err
	}
	ref.Translate(ctx, v.Lang, data.Departures, nil)
	v.Fill(a.speaker(v.Lang), data)
	return a.site.Render("route.html", v)
}

// side is a direction of a route with its stops.
func (a *Pages) side(v *view.RoutePage, f *edition.Feed, d static.DrawnDirection) view.Side {
	side := view.Side{ID: d.DirectionID, Name: d.Direction}
	for i, s := range d.Stops {
		stop := view.Stop{Name: s.StopName, Address: v.To(feedPagePath+"/stops/{stop_id}", f.Alias, s.StopID)}
		if at := f.Stop(s.StopID); at != nil {
			if stop.Name == "" {
				stop.Name = at.Label
			}
			if code := cell(at.StopCode); !strings.Contains(at.Label, code) { // some agencies write it into the name
				stop.Code = code
			}
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
func (a *Pages) routeData(ctx context.Context, c *rest.Call, ref *current.DeparturesView, p static.RouteParams, sides []static.DrawnDirection) (*view.BoardData, error) {
	d := ref.Feeds[0]
	state, stamp := d.Polled.State(ref.Now)
	data := &view.BoardData{Now: ref.Now, Closed: !c.May("realtime.departures"),
		Feeds: []view.BoardFeed{{Alias: d.Alias, Name: d.Feed.Name, Zone: d.Feed.Zone, State: state, Fetched: d.Polled.LastFetched, Stamp: stamp}}}
	wish := current.DepartureParams{RouteIDs: []string{d.Alias + ":" + p.RouteID}, Minutes: routeMinutes, Limit: routeNext}
	concern := &realtime.Concern{Now: ref.Now.Unix(), Routes: []*edition.Route{d.Feed.Route(p.RouteID)}}
	for _, side := range sides {
		for i, s := range side.Stops {
			if at := d.Alias + ":" + s.StopID; i == 0 && !slices.Contains(wish.StopIDs, at) {
				wish.StopIDs = append(wish.StopIDs, at)
			}
			concern.Stops = append(concern.Stops, namesOf(d.Feed, s.StopID)...)
		}
	}
	if wish.StopIDs != nil && d.Feed.Boards() == nil {
		e, err := a.Current.Departures(ctx, c, ref, wish)
		switch {
		case err == nil:
			data.Departures = e.Data.Departures
		case ctx.Err() != nil || !current.Missable(err):
			return nil, err
		}
	}
	if c.May("realtime.alerts") {
		var err error
		data.Alerts, err = d.About(concern)
		if err != nil {
			return nil, err
		}
	}
	return data, nil
}

// namesOf are the ids by which an alert may name a stop.
func namesOf(f *edition.Feed, id string) []string {
	names := []string{id}
	if s := f.Stop(id); s != nil {
		names = append(names, cell(s.StopCode), cell(s.ParentStation))
	}
	return slices.DeleteFunc(names, func(id string) bool { return id == "" })
}
