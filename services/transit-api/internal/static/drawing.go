package static

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/paulmach/orb"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/drawing"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/replica"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A RouteDrawing is a route for a small map: where it runs, without the points that nobody would see.
type RouteDrawing struct {
	RouteID    string           `json:"route_id"`
	BBox       *bbox            `json:"bbox" doc:"West, south, east and north of all lines and stops, in degrees; null when there are none."`
	Tolerance  float64          `json:"tolerance" doc:"Metres by which a line may miss the feed's shape at most."`
	Directions []DrawnDirection `json:"directions"`
}

type bbox [4]float64

// A DrawnDirection is a direction of a route on the map.
type DrawnDirection struct {
	DirectionID string      `json:"direction_id"`
	Direction   string      `json:"direction" doc:"Name of the direction."`
	Lines       []DrawnLine `json:"lines" doc:"Where most trips run comes first. Trips without a shape run through their stops."`
	Stops       []DrawnStop `json:"stops" doc:"In service order."`
}

// A DrawnLine is one way that trips take.
type DrawnLine struct {
	Trips       int  `json:"trips" doc:"How many trips of the feed take it."`
	Coordinates line `json:"coordinates" doc:"Positions as [longitude, latitude]."`
}

// A DrawnStop is a stop on the map.
type DrawnStop struct {
	StopID   string `json:"stop_id"`
	StopName string `json:"stop_name"`
	StopLat  string `json:"stop_lat" doc:"Latitude."`
	StopLon  string `json:"stop_lon" doc:"Longitude."`
}

// What a drawing holds: enough for a map of a thousand pixels.
const (
	maxDrawnLines     = 8    // of a direction
	maxDrawnPoints    = 400  // of a line
	maxDrawnStops     = 1000 // of a direction
	maxDrawnDirection = 2
	drawnPixels       = 1500 // the tolerance is a pixel of a map that large
)

type drawnWay struct {
	DirectionID string
	Trips       int
	wayOf
}

// The ways that most trips of each direction take: shapes, and the patterns of trips without one.
var drawnWays = rest.SQL[drawnRanks, drawnWay](`
	WITH way AS (
	  SELECT coalesce(direction_id, '0') AS direction_id, shape_id, CASE WHEN shape_id IS NULL THEN pattern END AS pattern, count(*) AS trips, min(ord) AS first
	  FROM transit.trip
	  WHERE version_id = @version_id AND ord >= @low AND ord < @high
	  GROUP BY 1, 2, 3),
	main AS (SELECT direction_id, shape_id, pattern, trips, row_number() OVER (PARTITION BY direction_id ORDER BY trips DESC, first) AS n FROM way)
	SELECT main.direction_id, main.trips, main.pattern, s.shape_pt_lat, s.shape_pt_lon
	FROM main
	LEFT JOIN transit.shape s ON s.version_id = @version_id AND s.shape_id = main.shape_id
	WHERE main.n <= @most
	ORDER BY main.direction_id, main.n`)

type drawnRanks struct {
	edition.Ranks
	Most int
}

func (a *API) drawingEndpoints() rest.Table {
	return rest.Table{
		single(a, rest.Spec{ID: "static.route_drawing", Path: RoutePath + "/drawing", Summary: "One route as a small drawing",
			Doc: "For each direction the ways that most trips take, at most 8 of at most 400 positions, and its stops in service order, at most 1,000. The GeoJSON of the route has all " +
				"shapes with all their points.",
			Queries: rest.Queries(drawnWays, directionRows.Query, serviceOrders), NotFound: "unknown feed, agency or route"}, a.DrawRoute),
		single(a, rest.Spec{ID: "static.feed_drawing", Path: FeedPath + "/drawing", Summary: "All routes of a feed as a small drawing",
			Doc: "For each route the ways that most trips take, as far as they are not the same on a small map, at most four; all together in at most 4,000 positions or so. Of more than 600 routes the first 600 are there. " +
				"The drawing of one route shows more of it.",
			Queries: rest.Queries(waysOfFeed), NotFound: "unknown feed"}, DrawFeed),
	}
}

// DrawRoute draws a route.
func (a *API) DrawRoute(ctx context.Context, c *rest.Call, f *edition.Feed, p RouteParams) (RouteDrawing, wire.Links, error) {
	made := RouteDrawing{RouteID: p.RouteID, Directions: []DrawnDirection{}}
	route, err := FindRoute(f, p)
	if err != nil {
		return made, nil, err
	}
	named, err := Directions(ctx, c, f, route)
	if err != nil {
		return made, nil, err
	}
	for _, d := range named[:min(len(named), maxDrawnDirection)] {
		drawn := DrawnDirection{DirectionID: d.DirectionID, Direction: d.Label, Lines: []DrawnLine{}, Stops: []DrawnStop{}}
		for _, id := range d.StopIDs[:min(len(d.StopIDs), maxDrawnStops)] {
			if s := f.Stop(id); s != nil {
				drawn.Stops = append(drawn.Stops, DrawnStop{s.StopID, s.StopName, s.StopLat, s.StopLon})
				made.BBox = made.BBox.with(newLine([]string{s.StopLon}, []string{s.StopLat}))
			}
		}
		made.Directions = append(made.Directions, drawn)
	}
	ways, err := drawnWays.List(ctx, c, drawnRanks{f.Ranks(route.Trips()), maxDrawnLines})
	if err != nil {
		return made, nil, err
	}
	all := make([]line, len(ways))
	for i, w := range ways {
		lines, err := linesOf(ctx, c, f, []wayOf{w.wayOf})
		if err != nil {
			return made, nil, err
		}
		if len(lines) > 0 {
			all[i] = lines[0]
			made.BBox = made.BBox.with(all[i])
		}
	}
	pixel := made.BBox.size() / drawnPixels
	for i, w := range ways {
		at := slices.IndexFunc(made.Directions, func(d DrawnDirection) bool { return d.DirectionID == w.DirectionID })
		if at < 0 || len(all[i]) == 0 {
			continue
		}
		short, used := all[i].simplified(pixel, maxDrawnPoints)
		made.Tolerance = max(made.Tolerance, math.Round(used*10)/10)
		drawn := &made.Directions[at]
		if same := slices.IndexFunc(drawn.Lines, func(l DrawnLine) bool { return slices.Equal(l.Coordinates, short) }); same >= 0 {
			drawn.Lines[same].Trips += w.Trips
		} else {
			drawn.Lines = append(drawn.Lines, DrawnLine{w.Trips, short})
		}
	}
	return made, routeLink(c, f, p), nil
}

// Points are the positions of the line as numbers.
func (l line) Points() []orb.Point {
	points := make([]orb.Point, len(l))
	for i, at := range l {
		points[i] = orb.Point{value(at[0]), value(at[1])}
	}
	return points
}

// simplified is the line without what a map does not show, and by how many metres it may miss the line.
func (l line) simplified(tolerance float64, most int) (line, float64) {
	keep, used := drawing.Simplify(l.Points(), tolerance, most)
	short := make(line, len(keep))
	for i, k := range keep {
		short[i] = l[k]
	}
	return short, used
}

func value(n json.Number) float64 {
	v, _ := strconv.ParseFloat(string(n), 64) // a number by construction
	return v
}

// with is the box of what it has and of a line.
func (b *bbox) with(l line) *bbox {
	for _, at := range l {
		lon, lat := value(at[0]), value(at[1])
		if b == nil {
			b = &bbox{lon, lat, lon, lat}
		}
		b[0], b[1], b[2], b[3] = min(b[0], lon), min(b[1], lat), max(b[2], lon), max(b[3], lat)
	}
	return b
}

// size is the longer side of the box in metres, about.
func (b *bbox) size() float64 {
	if b == nil {
		return 0
	}
	const metresPerDegree = 111_195
	across := math.Cos((b[1] + b[3]) / 2 * math.Pi / 180)
	return metresPerDegree * max((b[2]-b[0])*across, b[3]-b[1])
}

// Place is where the stop is; ok is false where the feed does not know.
func (s DrawnStop) Place() (lon, lat float64, ok bool) {
	lon, errLon := strconv.ParseFloat(s.StopLon, 64)
	lat, errLat := strconv.ParseFloat(s.StopLat, 64)
	return lon, lat, errLon == nil && errLat == nil && (lon != 0 || lat != 0)
}

// A FeedDrawing is all routes of a feed for a small map.
type FeedDrawing struct {
	BBox      *bbox        `json:"bbox" doc:"West, south, east and north of all stops, in degrees; null when there are none."`
	Tolerance float64      `json:"tolerance" doc:"Metres by which a line may miss the feed's shape at most."`
	Routes    []DrawnRoute `json:"routes" doc:"Those that run somewhere, in the order of routes.txt."`
	LeftOut   int          `json:"left_out" doc:"How many routes of the feed are not drawn, because they are too many or run nowhere."`
}

// A DrawnRoute is where a route runs.
type DrawnRoute struct {
	RouteID    string      `json:"route_id"`
	AgencyID   string      `json:"agency_id"`
	Label      string      `json:"label" doc:"route_short_name and route_long_name, whichever there are, else route_id."`
	RouteColor *string     `json:"route_color" doc:"Six hexadecimal digits."`
	Lines      []DrawnLine `json:"lines"`
}

// What the drawing of a feed holds.
const (
	MaxFeedRoutes     = 600
	maxFeedLines      = 4 // of a route
	feedApart         = 3 // pixels: lines of a route that are nearer to each other are one
	maxFeedLinePoints = 200
	maxFeedPoints     = 4000
	feedPixels        = 1000
)

type feedWay struct {
	RouteID string
	Trips   int
	wayOf
}

type feedWaysOf struct {
	VersionID replica.Version
	Most      int
	Routes    int
}

// The ways that most trips of each route take.
var waysOfFeed = rest.SQL[feedWaysOf, feedWay](`
	WITH way AS (
	  SELECT route_id, shape_id, CASE WHEN shape_id IS NULL THEN pattern END AS pattern, count(*) AS trips, min(ord) AS first
	  FROM transit.trip
	  WHERE version_id = @version_id
	  GROUP BY 1, 2, 3),
	main AS (SELECT route_id, shape_id, pattern, trips, row_number() OVER (PARTITION BY route_id ORDER BY trips DESC, first) AS n FROM way)
	SELECT main.route_id, main.trips, main.pattern, s.shape_pt_lat, s.shape_pt_lon
	FROM main
	JOIN transit.route r ON r.version_id = @version_id AND r.route_id = main.route_id
	LEFT JOIN transit.shape s ON s.version_id = @version_id AND s.shape_id = main.shape_id
	WHERE main.n <= @most AND r.ord < @routes
	ORDER BY r.ord, main.n`)

// DrawFeed draws the routes of a feed.
func DrawFeed(ctx context.Context, c *rest.Call, f *edition.Feed, _ FeedParams) (FeedDrawing, wire.Links, error) {
	made := FeedDrawing{Routes: []DrawnRoute{}}
	links := wire.Links{{Rel: "feed", Href: c.URL(FeedPath, f.Alias)}}
	box, ok := f.Box()
	if !ok {
		made.LeftOut = f.Counts["route"]
		return made, links, nil
	}
	made.BBox = (*bbox)(&box)
	pixel := made.BBox.size() / feedPixels
	var through []feedWay // trips without a shape: their stops are read after the rows
	ways := map[string][]feedWay{}
	lines := map[string][]line{}
	var order []string
	keep := func(w feedWay, l line) {
		short, used := l.simplified(pixel, maxFeedLinePoints)
		made.Tolerance = max(made.Tolerance, used)
		var before [][]orb.Point
		for _, other := range lines[w.RouteID] {
			before = append(before, other.Points())
		}
		w.wayOf = (wayOf{})
		if !drawing.Covered(short.Points(), before, feedApart*pixel) {
			ways[w.RouteID], lines[w.RouteID] = append(ways[w.RouteID], w), append(lines[w.RouteID], short.rounded())
		}
	}
	err := waysOfFeed.Each(ctx, c, feedWaysOf{f.Version, maxFeedLines, MaxFeedRoutes}, func(w feedWay) error {
		if len(order) == 0 || order[len(order)-1] != w.RouteID {
			order = append(order, w.RouteID)
		}
		if w.Pattern != nil {
			through = append(through, w)
			return nil
		}
		drawn, err := linesOf(ctx, c, f, []wayOf{w.wayOf})
		if err != nil || len(drawn) == 0 {
			return err
		}
		keep(w, drawn[0])
		return nil
	})
	if err != nil {
		return made, nil, err
	}
	for _, w := range through {
		drawn, err := linesOf(ctx, c, f, []wayOf{w.wayOf})
		if err != nil {
			return made, nil, err
		}
		if len(drawn) > 0 {
			keep(w, drawn[0])
		}
	}
	for total := positions(lines); total > maxFeedPoints; { // until nothing gets shorter, at two positions a line
		pixel *= 2
		for id := range lines {
			for i := range lines[id] {
				short, used := lines[id][i].simplified(pixel, maxFeedLinePoints)
				lines[id][i] = short
				made.Tolerance = max(made.Tolerance, used)
			}
		}
		n := positions(lines)
		if n == total && pixel > 2*made.BBox.size() {
			break
		}
		total = n
	}
	made.Tolerance = math.Round(made.Tolerance)
	for _, id := range order {
		r := f.Route(id)
		if r == nil || len(lines[id]) == 0 {
			continue
		}
		drawn := DrawnRoute{RouteID: id, AgencyID: r.AgencyID, Label: r.Label(), RouteColor: r.Color, Lines: []DrawnLine{}}
		for i, l := range lines[id] {
			drawn.Lines = append(drawn.Lines, DrawnLine{ways[id][i].Trips, l})
		}
		made.Routes = append(made.Routes, drawn)
	}
	made.LeftOut = f.Counts["route"] - len(made.Routes)
	return made, links, nil
}

// positions is how many positions lines have.
func positions(lines map[string][]line) (n int) {
	for _, some := range lines {
		for _, l := range some {
			n += len(l)
		}
	}
	return n
}

// rounded is the line to about a metre. It shares no memory with the cells that it is made of, which are large.
func (l line) rounded() line {
	short := make(line, len(l))
	for i, at := range l {
		for k := range at {
			short[i][k] = json.Number(strconv.FormatFloat(value(at[k]), 'f', 5, 64))
		}
	}
	return short
}
