package static

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/paulmach/orb"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/drawing"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/lines"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A RouteDrawing is a route for a small map, without invisible details.
type RouteDrawing struct {
	RouteID    string           `json:"route_id"`
	BBox       *bbox            `json:"bbox" doc:"West, south, east and north of all lines and stops, in degrees; null when there are none."`
	Tolerance  float64          `json:"tolerance" doc:"Metres by which a line may miss the feed's shape at most."`
	Directions []DrawnDirection `json:"directions"`
}

type bbox [4]float64

// A DrawnDirection is a direction of a route on a map.
type DrawnDirection struct {
	DirectionID string      `json:"direction_id"`
	Direction   string      `json:"direction" doc:"Name of the direction."`
	Lines       []DrawnLine `json:"lines" doc:"Where most trips run comes first. Trips without a shape run through their stops."`
	Stops       []DrawnStop `json:"stops" doc:"In service order."`
}

// A DrawnLine is a line that trips follow.
type DrawnLine struct {
	Trips       int  `json:"trips" doc:"How many trips of the feed take it."`
	Coordinates line `json:"coordinates" doc:"Positions as [longitude, latitude]."`
}

// A DrawnStop is a stop on a map.
type DrawnStop struct {
	StopID   string `json:"stop_id"`
	StopName string `json:"stop_name" translate:"stops.stop_name,StopID"`
	StopLat  string `json:"stop_lat" doc:"Latitude."`
	StopLon  string `json:"stop_lon" doc:"Longitude."`
}

// Bounds of a route's drawing: enough for a map of 1,000 pixels.
const (
	maxDrawnLines     = 8    // per direction
	maxDrawnPoints    = 400  // per line
	maxDrawnStops     = 1000 // per direction
	maxDrawnDirection = 2
	drawnPixels       = 1500 // width of a map on which the tolerance is one pixel
)

func (a *API) drawingEndpoints() rest.Table {
	return rest.Table{
		single(a, rest.Spec{ID: "static.route_drawing", Path: RoutePath + "/drawing", Summary: "One route as a small drawing",
			Doc: "For each direction the ways that most trips take, at most 8 of at most 400 positions, and its stops in " +
				"service order, at most 1,000. The GeoJSON of the route has all " +
				"shapes with all their points.",
			Queries: rest.Queries(lines.Shapes), NotFound: "unknown feed, agency or route"}, a.DrawRoute),
		single(a, rest.Spec{ID: "static.feed_drawing", Path: FeedPath + "/drawing",
			Summary: "All routes of a feed as a small drawing",
			Doc: "For each route the ways that most trips take, as far as they are not the same on a small map, at most four; " +
				"all together in at most 4,000 positions or so. Of more than 600 routes the first 600 are there. " +
				"The drawing of one route shows more of it.",
			Queries: rest.Queries(lines.Shapes), NotFound: "unknown feed"}, DrawFeed),
	}
}

func (a *API) DrawRoute(ctx context.Context, c *rest.Call, f *edition.Feed,
	p RouteParams) (RouteDrawing, wire.Links, error) {
	made := RouteDrawing{RouteID: p.RouteID, Directions: []DrawnDirection{}}
	route, err := FindRoute(f, p)
	if err != nil {
		return made, nil, err
	}
	named, err := Directions(ctx, f, route)
	if err != nil {
		return made, nil, err
	}
	for _, d := range named[:min(len(named), maxDrawnDirection)] {
		drawn := DrawnDirection{DirectionID: d.DirectionID, Direction: d.Label, Lines: []DrawnLine{}, Stops: []DrawnStop{}}
		for _, id := range d.StopIDs[:min(len(d.StopIDs), maxDrawnStops)] {
			if s := f.Stop(id); s != nil {
				drawn.Stops = append(drawn.Stops, DrawnStop{s.StopID, s.StopName, s.StopLat, s.StopLon})
				made.BBox = made.BBox.extend(lines.Points([]string{s.StopLon}, []string{s.StopLat}))
			}
		}
		made.Directions = append(made.Directions, drawn)
	}
	args := lines.Args{Trips: route.Trips(), Directions: true, Most: maxDrawnLines, Routes: route.Rank + 1}
	var all []lines.Line
	var found []line
	err = lines.Each(ctx, c, f, args, func(w lines.Line) error {
		l, _, err := lineOf(ctx, c, f, w)
		all, found = append(all, w), append(found, l)
		made.BBox = made.BBox.extend(l)
		return err
	})
	if err != nil {
		return made, nil, err
	}
	for i, w := range all {
		made.add(w, found[i], made.BBox.size()/drawnPixels)
	}
	return made, routeLink(c, f, p), nil
}

// add adds a line to its direction. If another line looks the same, add only adds the trips to that
// line.
func (r *RouteDrawing) add(w lines.Line, l line, pixel float64) {
	at := slices.IndexFunc(r.Directions, func(d DrawnDirection) bool { return d.DirectionID == w.Direction })
	if at < 0 || len(l) == 0 {
		return
	}
	short, used := l.simplify(pixel, maxDrawnPoints)
	r.Tolerance = max(r.Tolerance, math.Round(used*10)/10)
	drawn := &r.Directions[at]
	same := slices.IndexFunc(drawn.Lines, func(l DrawnLine) bool { return slices.Equal(l.Coordinates, short) })
	if same >= 0 {
		drawn.Lines[same].Trips += w.Trips
		return
	}
	drawn.Lines = append(drawn.Lines, DrawnLine{w.Trips, short})
}

// simplify drops points that a map does not show. It also returns the maximum deviation in metres.
func (l line) simplify(tolerance float64, most int) (line, float64) {
	keep, used := drawing.Simplify(l, tolerance, most)
	short := make(line, len(keep))
	for i, k := range keep {
		short[i] = l[k]
	}
	return short, used
}

// extend returns the box extended to contain l. b may be nil.
func (b *bbox) extend(l line) *bbox {
	for _, at := range l {
		lon, lat := at.Lon(), at.Lat()
		if b == nil {
			b = &bbox{lon, lat, lon, lat}
		}
		b[0] = min(b[0], lon)
		b[1] = min(b[1], lat)
		b[2] = max(b[2], lon)
		b[3] = max(b[3], lat)
	}
	return b
}

func (b *bbox) size() float64 {
	if b == nil {
		return 0
	}
	across := math.Cos((b[1] + b[3]) / 2 * math.Pi / 180)
	return drawing.MetresPerDegree * max((b[2]-b[0])*across, b[3]-b[1])
}

// Place returns the position of the stop; ok is false if unknown.
func (s DrawnStop) Place() (lon, lat float64, ok bool) {
	lon, errLon := strconv.ParseFloat(s.StopLon, 64)
	lat, errLat := strconv.ParseFloat(s.StopLat, 64)
	return lon, lat, errLon == nil && errLat == nil && (lon != 0 || lat != 0)
}

// A FeedDrawing has all routes of a feed for a small map.
type FeedDrawing struct {
	BBox      *bbox        `json:"bbox" doc:"West, south, east and north of all stops, in degrees; null when there are none."`
	Tolerance float64      `json:"tolerance" doc:"Metres by which a line may miss the feed's shape at most."`
	Routes    []DrawnRoute `json:"routes" doc:"Those that run somewhere, in the order of routes.txt."`
	LeftOut   int          `json:"left_out" doc:"How many routes of the feed are not drawn, because they are too many or run nowhere."`
}

// A DrawnRoute is a route of a FeedDrawing.
type DrawnRoute struct {
	RouteID    string      `json:"route_id"`
	AgencyID   string      `json:"agency_id"`
	Label      string      `json:"label" doc:"route_short_name and route_long_name, whichever there are, else route_id."`
	RouteColor *string     `json:"route_color" doc:"Six hexadecimal digits."`
	Lines      []DrawnLine `json:"lines"`
}

const (
	MaxFeedRoutes     = 600
	maxFeedLines      = 4 // per route
	feedApart         = 3 // pixels; lines of a route that are nearer to each other are drawn as one
	maxFeedLinePoints = 200
	maxFeedPoints     = 4000
	feedPixels        = 1000
)

// DrawFeed draws the routes of a feed.
func DrawFeed(ctx context.Context, c *rest.Call, f *edition.Feed, _ FeedParams) (FeedDrawing, wire.Links, error) {
	made := FeedDrawing{Routes: []DrawnRoute{}, LeftOut: f.Counts["route"]}
	links := wire.Links{{Rel: "feed", Href: c.URL(FeedPath, f.Alias)}}
	box, ok := f.Box()
	if !ok {
		return made, links, nil
	}
	made.BBox = (*bbox)(&box)
	pixel := made.BBox.size() / feedPixels
	add := func(r *DrawnRoute, w lines.Line) error {
		l, _, err := lineOf(ctx, c, f, w)
		if len(l) > 0 {
			made.Tolerance = max(made.Tolerance, r.add(l, w.Trips, pixel))
		}
		return err
	}
	type later struct {
		route int
		lines.Line
	}
	var patterns []later // patterns whose stops are read after the rows
	every := lines.Args{Trips: edition.Span{Count: f.Counts["trip"]}, Most: maxFeedLines, Routes: MaxFeedRoutes}
	err := lines.Each(ctx, c, f, every, func(w lines.Line) error {
		n := len(made.Routes) - 1
		if r := w.Route; n < 0 || made.Routes[n].RouteID != r.RouteID {
			made.Routes = append(made.Routes, DrawnRoute{RouteID: r.RouteID, AgencyID: r.AgencyID, Label: r.Label,
				RouteColor: r.RouteColor})
			n++
		}
		if w.Pattern != nil {
			patterns = append(patterns, later{n, w})
			return nil
		}
		return add(&made.Routes[n], w)
	})
	if err != nil {
		return made, nil, err
	}
	for _, p := range patterns {
		if err := add(&made.Routes[p.route], p.Line); err != nil {
			return made, nil, err
		}
	}
	made.shorten(pixel)
	made.Tolerance = math.Round(made.Tolerance)
	made.Routes = slices.DeleteFunc(made.Routes, func(r DrawnRoute) bool { return r.Lines == nil })
	made.LeftOut -= len(made.Routes)
	return made, links, nil
}

// add adds a line, unless it looks like the others, and returns the tolerance used.
func (r *DrawnRoute) add(l line, trips int, pixel float64) (used float64) {
	short, used := l.simplify(pixel, maxFeedLinePoints)
	var others [][]orb.Point
	for _, other := range r.Lines {
		others = append(others, other.Coordinates)
	}
	if !drawing.IsCovered(short, others, feedApart*pixel) {
		r.Lines = append(r.Lines, DrawnLine{trips, short.round()})
	}
	return used
}

// shorten drops points until the drawing is small enough or no line gets shorter.
func (d *FeedDrawing) shorten(pixel float64) {
	for before := d.positions(); before > maxFeedPoints; {
		pixel *= 2
		for _, r := range d.Routes {
			for i := range r.Lines {
				l := &r.Lines[i]
				short, used := l.Coordinates.simplify(pixel, maxFeedLinePoints)
				l.Coordinates = short
				d.Tolerance = max(d.Tolerance, used)
			}
		}
		n := d.positions()
		if n == before && pixel > 2*d.BBox.size() {
			return
		}
		before = n
	}
}

func (d *FeedDrawing) positions() (n int) {
	for _, r := range d.Routes {
		for _, l := range r.Lines {
			n += len(l.Coordinates)
		}
	}
	return n
}

// round rounds to five decimals, about a metre.
func (l line) round() line {
	for i := range l {
		for k, v := range l[i] {
			l[i][k], _ = strconv.ParseFloat(strconv.FormatFloat(v, 'f', 5, 64), 64) // always a number
		}
	}
	return l
}
