package pages

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/paulmach/orb"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/tile"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type drawnRoute struct {
	RouteLine
	row   *edition.Route
	sides []static.OrderedDirection
	stops [][]Stop // of each side, with their positions
	chart Chart
}

// maxSideStops bounds the stops of a direction on a page.
const maxSideStops = 1000

func (l localized) drawRoute(ctx context.Context, c *rest.Call, p wire.RouteParams) (d drawnRoute, err error) {
	route, err := static.FindRoute(l.feed, p)
	if err != nil {
		return d, err
	}
	d.row, d.RouteLine = l.names(route), l.line(route)
	d.sides, err = static.Directions(ctx, l.feed, route)
	if err != nil {
		return d, err
	}
	drawn, err := tile.RouteLines(ctx, c, l.feed, route)
	if err != nil {
		return d, err
	}
	var ways []orb.LineString
	var points orb.MultiPoint
	for i := range d.sides {
		side := &d.sides[i]
		side.StopIDs = side.StopIDs[:min(len(side.StopIDs), maxSideStops)]
		l.texts.Translate(side)
		ways = append(ways, drawn[side.DirectionID]...)
		stops := l.placed(side.StopIDs)
		d.stops = append(d.stops, stops)
		for _, s := range stops {
			points = append(points, s.At)
		}
	}
	for _, w := range ways {
		points = append(points, w...)
	}
	if points == nil {
		return d, nil
	}
	b := points.Bound()
	d.chart = Chart{Frame: newFrame([4]float64{b.Left(), b.Bottom(), b.Right(), b.Top()}),
		Alt: l.say.Text("route.chartonly", d.Line)}
	if first := d.stops[0]; len(first) > 1 {
		d.chart.Alt = l.say.Text("route.chart", d.Line, first[0].Name, first[len(first)-1].Name)
	}
	d.chart.addWays(shade(d.row.RouteColor), ways, routeDetail())
	d.chart.addStops(d.stops)
	return d, nil
}

// placed returns the stops that have a position.
func (l localized) placed(ids []string) (all []Stop) {
	for _, id := range ids {
		s := l.feed.Stop(id)
		if s == nil {
			continue
		}
		if lat, lon, ok := l.placeOf(s); ok && (lat != 0 || lon != 0) {
			stop := l.stop(id)
			stop.At = orb.Point{lon, lat}
			all = append(all, stop)
		}
	}
	return all
}

// addStops draws the stops of a line. It names the ends of each direction, which sides has.
func (c *Chart) addStops(sides [][]Stop) {
	var dots []orb.Point
	met := map[string]bool{}
	for _, side := range sides {
		for k, s := range side {
			dots = append(dots, s.At)
			x, y, in := c.At(s.At[0], s.At[1])
			if in && (k == 0 || k == len(side)-1) && !met[s.Name] {
				met[s.Name] = true
				c.Names = append(c.Names, Name{X: x, Y: y, Text: s.Name, Left: x > c.Width/2})
			}
		}
	}
	c.Stops = c.Dots(dots)
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
	Notices    notices
	Chart      Chart
	Directions []routeSide
	Status     Status
}

type routeSide struct {
	static.OrderedDirection
	Next  []Row
	Stops []Stop
}

func (a *Pages) pageRoute(ctx context.Context, c *rest.Call, p wire.RouteParams, s *snapshot) ([]byte, error) {
	v := &routePage{Head: a.head(c)}
	in, err := a.in(ctx, &v.Head, s.departures.Feeds[0].Feed)
	if err != nil {
		return nil, err
	}
	d, err := in.drawRoute(ctx, c, p)
	if err != nil {
		return nil, err
	}
	v.RouteLine = d.RouteLine
	v.Chart = d.chart
	v.Styles = []string{"map.css"}
	keepCurrent(&v.Head)
	v.AccessedOn = in.say.Date(s.now)
	a.title(&v.Head, "route", d.row.Label)
	if about := plain(cell(d.row.RouteDesc)); about != d.Name {
		v.Text = about
	}
	json := c.URL(wire.RoutePath, p.FeedAlias, p.AgencyID, p.RouteID)
	v.Others = append(v.Others, asJSON(in.say.Text("route.json"), json))
	route := in.feed.Route(p.RouteID)
	v.Links = in.links(route, "route.map", routePagePath+"/map", "route.feedmap", feedPagePath+"/map")
	day := edition.DayNumber(s.now, in.feed.Zone)
	v.Days = in.days(route, day)
	if a.Observed.IsObserved(p.FeedAlias) && c.May(ranPermission) {
		v.Links = append(v.Links, site.Link{Text: in.say.Text("ran.link"),
			Address: v.ToQuery(url.Values{"route_id": {p.RouteID}}, ranPagePath, p.FeedAlias)})
	}
	first, all, err := v.addSides(ctx, in, route, d.sides)
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
	s.departures.Translate(ctx, in.writing(v.Lang), data.Departures, nil)
	b := newStatusBoard(c, v.Head, in.say, data)
	v.Status = b.Status
	b.next(v.Directions)
	return a.site.Render("route.html", v)
}

// addSides adds the paths of the trips of a route. It returns their first stops, and all stops.
func (v *routePage) addSides(
	ctx context.Context, in localized, route *edition.Route, directions []static.OrderedDirection,
) (first, all []string, err error) {
	sides := directions
	for _, side := range directions {
		paths, err := static.Paths(ctx, in.feed, in.texts, route, side)
		if err != nil {
			return nil, nil, err
		}
		for _, path := range paths {
			shown := routeSide{OrderedDirection: path}
			shown.Name = withoutLine(path.Name, route.RouteShortName)
			for _, id := range path.StopIDs {
				shown.Stops = append(shown.Stops, in.stop(id))
			}
			v.Directions = append(v.Directions, shown)
		}
		sides = append(sides, paths...)
	}
	for _, side := range sides {
		if len(side.StopIDs) > 0 && !slices.Contains(first, side.StopIDs[0]) {
			first = append(first, side.StopIDs[0])
		}
		all = append(all, side.StopIDs...)
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
	stops := s.StopIDs
	if len(stops) == 0 || stops[0] != d.StopID || d.DirectionID != "" && d.DirectionID != s.DirectionID {
		return 0
	}
	if d.Run == nil {
		return 1
	}
	for _, id := range d.Run.StopID {
		if id != nil && slices.Contains(stops, *id) {
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
) (data *realtimeapi.Departures, answered bool, err error) {
	d := v.Feeds[0]
	data = &realtimeapi.Departures{Time: v.Now.Unix(), Feeds: []realtimeapi.DepartureFeed{d.Status(v.Now)}}
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
		data.Departures = e.Data.Departures
	} else if ctx.Err() == nil && realtimeapi.CanOmit(err) {
		return data, false, nil
	}
	return data, err == nil, err
}

// lineNotices returns the notices about a line on a day, and which calls they close.
func (l localized) lineNotices(
	c *rest.Call, d *realtimeapi.FeedDepartures, of realtimeapi.LineDay,
) (notices, *realtimeapi.Closures, error) {
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
