package pages

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
	"github.com/townline/townline/services/transit-api/internal/static"
)

type drawnRoute struct {
	RouteLine
	row     *edition.Route
	drawing static.RouteDrawing
	chart   Chart
}

// chartPoints is the maximum number of positions on the page of a route.
const chartPoints = 2500

func (l localized) drawRoute(ctx context.Context, c *rest.Call, p static.RouteParams) (d drawnRoute, err error) {
	route, err := static.FindRoute(l.feed, p)
	if err != nil {
		return d, err
	}
	d.row = l.names(route)
	d.drawing, _, err = l.Static.DrawRoute(ctx, c, l.feed, p)
	if err != nil {
		return d, err
	}
	l.texts.Translate(&d.drawing)
	d.RouteLine = l.line(l.feed.Route(p.RouteID))
	if d.drawing.BBox == nil {
		return d, nil
	}
	d.chart = Chart{Frame: newFrame(*d.drawing.BBox), Alt: l.say.Text("route.chartonly", d.Line)}
	color, left := shade(d.row.RouteColor), chartPoints
	var stops [][2]float64
	met := map[string]bool{}
	for i, side := range d.drawing.Directions {
		for _, way := range side.Lines {
			left -= len(way.Coordinates)
			if left >= 0 {
				d.chart.Ways = append(d.chart.Ways, Way{Color: color, Path: d.chart.Path(way.Coordinates)})
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
			d.chart.Alt = l.say.Text("route.chart", d.Line, side.Stops[0].StopName, side.Stops[n-1].StopName)
		}
	}
	d.chart.Stops = d.chart.Dots(stops)
	return d, nil
}

// links returns links to pages about a route. pairs has the key of the text and the path of each
// page.
func (l localized) links(r *edition.Route, pairs ...string) (all []site.Link) {
	ids := []string{l.feed.Alias, r.AgencyID, r.RouteID}
	for pair := range slices.Chunk(pairs, 2) {
		to := l.head.To(pair[1], ids[:strings.Count(pair[1], "{")]...)
		all = append(all, site.Link{Text: l.say.Text(pair[0]), Address: to})
	}
	return all
}

type routePage struct {
	site.Head
	RouteLine
	Text       string // route_desc
	Links      []site.Link
	Days       []site.Link // timetables of the next days
	Notices    []Notice
	Chart      Chart
	Directions []routeSide
	Status     Status
}

type routeSide struct {
	static.DrawnDirection
	Next  []Row
	Stops []Stop
}

func (a *Pages) pageRoute(ctx context.Context, c *rest.Call, p static.RouteParams, s *snapshot) ([]byte, error) {
	v := &routePage{Head: a.head(c)}
	in, err := a.in(ctx, &v.Head, s.departures.Feeds[0].Feed)
	if err != nil {
		return nil, err
	}
	d, err := in.drawRoute(ctx, c, p)
	if err != nil {
		return nil, err
	}
	v.RouteLine, v.Chart, v.Styles = d.RouteLine, d.chart, []string{"map.css"}
	keepCurrent(&v.Head)
	a.title(&v.Head, "route", d.row.Label)
	if about := plain(cell(d.row.RouteDesc)); about != d.Name {
		v.Text = about
	}
	json := c.URL(static.RoutePath, p.FeedAlias, p.AgencyID, p.RouteID)
	v.Others = append(v.Others, asJSON(in.say.Text("route.json"), json),
		asJSON(in.say.Text("map.drawing"), json+"/drawing"))
	route := in.feed.Route(p.RouteID)
	v.Links = in.links(route, "route.map", routePagePath+"/map", "route.feedmap", feedPagePath+"/map")
	day := edition.DayNumber(s.now, in.feed.Zone)
	v.Days = in.days(route, day)
	if a.Observed.IsObserved(p.FeedAlias) && c.May(ranPermission) {
		v.Links = append(v.Links, site.Link{Text: in.say.Text("ran.link"),
			Address: v.To(ranPagePath, p.FeedAlias) + "?" + url.Values{"route_id": {p.RouteID}}.Encode()})
	}
	first, all, err := v.addSides(ctx, in, route, d.drawing.Directions)
	if err != nil {
		return nil, err
	}
	data, _, err := a.lineData(ctx, c, s.departures, route, first, routeNext)
	if err != nil {
		return nil, err
	}
	v.Notices, _, err = in.lineNotices(c, s.departures.Feeds[0], realtimeapi.LineDay{Route: route, Stops: all,
		Date: edition.DayOf(day, in.feed.Zone).Date(), Runs: func(s *edition.Service) bool { return s.Runs(day) }})
	if err != nil {
		return nil, err
	}
	s.departures.Translate(ctx, v.Lang, data.Departures.Departures, nil)
	b := newBoard(v.Head, in.say, boardQuery{Variant: "phone"}, data)
	b.status()
	v.Status = b.Status
	b.next(v.Directions)
	return a.site.Render("route.html", v)
}

// addSides adds the paths of the trips of a route. It returns their first stops, and all stops.
func (v *routePage) addSides(
	ctx context.Context, in localized, route *edition.Route, drawn []static.DrawnDirection,
) (first, all []string, err error) {
	sides := drawn
	for _, side := range drawn {
		paths, err := static.Paths(ctx, in.feed, in.texts, route, side)
		if err != nil {
			return nil, nil, err
		}
		for _, path := range paths {
			shown := routeSide{DrawnDirection: path}
			shown.Direction = withoutLine(path.Direction, route.RouteShortName)
			for _, s := range path.Stops {
				shown.Stops = append(shown.Stops, in.stop(s.StopID))
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

const (
	// lineMinutes is how many minutes ahead the pages of a line show departures.
	lineMinutes = 180
	// The page of a line requests routeNext departures and shows nextRows per direction.
	routeNext = 40
	nextRows  = 3
)

// next gives each departure to the side whose stops it serves. Branches begin with the same stops,
// and a trip that ends early belongs to the first of the branches that have its stops.
func (v *Board) next(sides []routeSide) {
	for i := range v.Departures.Departures {
		d := &v.Departures.Departures[i]
		best, most := -1, 0
		for k := range sides {
			if n := sides[k].shared(d); n > most {
				best, most = k, n
			}
		}
		if best >= 0 && len(sides[best].Next) < nextRows {
			sides[best].Next = append(sides[best].Next, v.row(d))
		}
	}
}

// shared returns how many stops of a departure's trip are stops of the side; 0 if the departure is
// not from the side's first stop.
func (s *routeSide) shared(d *board.Departure) (n int) {
	stops := s.DrawnDirection.Stops
	if len(stops) == 0 || stops[0].StopID != d.StopID || d.DirectionID != "" && d.DirectionID != s.DirectionID {
		return 0
	}
	if d.Run == nil {
		return 1
	}
	for _, id := range d.Run.StopID {
		if id != nil && slices.ContainsFunc(stops, func(at static.DrawnStop) bool { return at.StopID == *id }) {
			n++
		}
	}
	return n
}

// days returns links to the timetables of today, tomorrow, and the next Saturday and Sunday.
func (l localized) days(route *edition.Route, today int) (all []site.Link) {
	ids := []string{l.feed.Alias, route.AgencyID, route.RouteID}
	add := func(text string, day int) {
		to := l.head.ToQuery(url.Values{"date": {iso(day)}}, timetablePath, ids...)
		all = append(all, site.Link{Text: text, Address: to})
	}
	all = append(all, site.Link{Text: l.say.Text("route.today"), Address: l.head.To(timetablePath, ids...)})
	add(l.say.Text("route.tomorrow"), today+1)
	for _, weekday := range []time.Weekday{time.Saturday, time.Sunday} {
		day := today + (int(weekday)-edition.Weekday(today)+7)%7
		if day > today+1 {
			add(l.say.weekday(int(weekday)), day)
		}
	}
	return all
}

// lineData returns the departures at some stops of a line. answered is false if the feed has no
// boards.
func (a *Pages) lineData(
	ctx context.Context, c *rest.Call, v *realtimeapi.DeparturesView, route *edition.Route, at []string, limit int64,
) (data *boardData, answered bool, err error) {
	d := v.Feeds[0]
	data = &boardData{Closed: !c.May(departuresPermission), NoTrips: !c.May(tripPermission)}
	data.Time, data.Feeds = v.Now.Unix(), []realtimeapi.DepartureFeed{d.Status(v.Now)}
	if at == nil || d.Feed.BoardsUnavailable() != nil {
		return data, false, nil
	}
	query := realtimeapi.DepartureParams{RouteIDs: []string{d.Alias + ":" + route.RouteID}, Minutes: lineMinutes,
		Limit: limit}
	for _, id := range at {
		query.StopIDs = append(query.StopIDs, d.Alias+":"+id)
	}
	e, err := a.Current.Departures(ctx, c, v, query)
	if err == nil {
		data.Departures.Departures = e.Data.Departures
	} else if ctx.Err() == nil && realtimeapi.CanOmit(err) {
		return data, false, nil
	}
	return data, err == nil, err
}

// lineNotices returns the notices about a line on a day, and which calls they close.
func (l localized) lineNotices(
	c *rest.Call, d *realtimeapi.FeedDepartures, of realtimeapi.LineDay,
) ([]Notice, *realtimeapi.Closures, error) {
	alerts, closures, err := d.LineAlerts(c, of)
	return noticesOf(l.head.Lang, alerts, l.aboutTrips), closures, err
}

// aboutTrips returns which trips an alert is about, in words; "" if it is about no single trips.
func (l localized) aboutTrips(a *realtime.DepartureAlert) string {
	var names []string
	for _, id := range a.TripIDs {
		if t := l.feed.Trip(id); t != nil {
			names = append(names, joinNonempty(" ", l.tripClock(t), l.towards(t)))
		}
	}
	return l.say.Name(names)
}

// tripClock returns when a trip starts; "" if it has no times of its own.
func (l localized) tripClock(t *edition.Trip) string {
	if !t.HasTimes() || t.Repeated {
		return ""
	}
	return l.say.Clock(dayTime(0).Add(time.Duration(t.Start) * time.Second))
}
