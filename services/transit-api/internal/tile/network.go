package tile

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/paulmach/orb"

	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/drawing"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// Bounds of a network. A point takes 8 bytes.
const (
	maxWays        = 60        // of a route: those that most trips take
	maxPoints      = 3_000_000 // of a network in its finest detail; beyond them routes come without lines
	maxCalls       = 2_000_000 // of the patterns of trips without a shape
	patternsAtOnce = 500
)

// details are the deepest zooms of the degrees of detail. In each, lines miss the feed's by half a pixel of a screen at most.
var details = [...]int64{3, 5, 7, 9, 11, MaxZoom}

// detailOf is the coarsest detail that is fine enough for a zoom.
func detailOf(zoom int64) int {
	for i, deepest := range details {
		if zoom <= deepest {
			return i
		}
	}
	return len(details) - 1
}

// pixels is how many pixels a tile's side has on a screen.
const pixels = 512

// A Network is the lines and stops of an edition. It never changes.
type Network struct {
	routes []route
	stops  []stop // by rank
}

type route struct {
	id, mode string
	trips    int
	box      box
	lines    [len(details)][]way
}

type way struct {
	points []point
	box    box
}

type stop struct {
	modes modeSet
	trips int32
}

type version struct{ VersionID replica.Version }

type waysOf struct {
	VersionID replica.Version
	Most      int
}

type wayRow struct {
	RouteID    string
	Trips      int
	Pattern    *int32
	ShapePtLat *string
	ShapePtLon *string
}

// The ways that most trips of each route take: shapes, and the patterns of trips without one.
var ways = rest.SQL[waysOf, wayRow](`
	WITH way AS (
	  SELECT route_id, shape_id, CASE WHEN shape_id IS NULL THEN pattern END AS pattern, count(*)::integer AS trips, min(ord) AS first
	  FROM transit.trip
	  WHERE version_id = @version_id
	  GROUP BY 1, 2, 3),
	main AS (SELECT route_id, shape_id, pattern, trips, row_number() OVER (PARTITION BY route_id ORDER BY trips DESC, first) AS n FROM way)
	SELECT main.route_id, main.trips, main.pattern, s.shape_pt_lat, s.shape_pt_lon
	FROM main
	LEFT JOIN transit.shape s ON s.version_id = @version_id AND s.shape_id = main.shape_id
	WHERE main.n <= @most
	ORDER BY main.route_id, main.n`)

type serviceRow struct {
	StopID string
	Types  []string
	Trips  int64
}

// Which types of routes call at each stop, and how many trips.
var serviceOfStops = rest.SQL[version, serviceRow](`
	SELECT u.stop_id, array_agg(DISTINCT coalesce(r.route_type, '')) AS types, sum(w.trips)::bigint AS trips
	FROM (SELECT pattern, route_id, count(*) AS trips FROM transit.trip WHERE version_id = @version_id AND pattern IS NOT NULL GROUP BY 1, 2) w
	JOIN transit.pattern p ON p.version_id = @version_id AND p.pattern = w.pattern
	JOIN transit.route r ON r.version_id = @version_id AND r.route_id = w.route_id
	CROSS JOIN LATERAL unnest(p.stop_id) AS u(stop_id)
	WHERE u.stop_id IS NOT NULL
	GROUP BY 1`)

// Queries returns the statements of this package.
func Queries() []rest.Statement { return rest.Queries(ways, serviceOfStops) }

// Networks keeps the networks of the editions that are served, each read once.
type Networks struct {
	Log *slog.Logger

	mu   sync.Mutex
	kept map[*edition.Edition]*kept
}

type kept struct {
	done    chan struct{} // closed after the reading
	network *Network
	err     error
	tries   int
	again   time.Time // when a reading that failed is tried again
}

// Failure returns why an edition cannot be drawn; nil if it can, or nobody has tried.
func (n *Networks) Failure(e *edition.Edition) error {
	k := n.of(e)
	if k == nil || !k.over() {
		return nil
	}
	return k.err
}

// Drawn reports whether an edition's network was read.
func (n *Networks) Drawn(e *edition.Edition) bool {
	k := n.of(e)
	return k != nil && k.over() && k.err == nil
}

func (n *Networks) of(e *edition.Edition) *kept {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.kept[e]
}

// readFor is how long one reading may take. It is apart from the time of requests: the network of a large feed is there for the next one.
const readFor = 20 * time.Second

// The wait after a reading that failed: the first, which doubles, and the longest.
const (
	firstPause = 2 * time.Second
	maxPause   = time.Hour
)

// Of is the network of a feed. live are the feeds that are served now: networks of others are let go.
func (n *Networks) Of(ctx context.Context, db rest.DB, f *edition.Feed, live []*edition.Feed) (*Network, error) {
	k := n.begin(ctx, db, f, live)
	select {
	case <-k.done:
		return k.network, k.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Begin begins to read the network of a feed, unless it was read or is being read, and does not wait for it. A reading that
// failed is tried again after a while: it took its time, and what it failed of is mostly the feed.
func (n *Networks) Begin(ctx context.Context, db rest.DB, f *edition.Feed, live []*edition.Feed) {
	n.begin(ctx, db, f, live)
}

func (n *Networks) begin(ctx context.Context, db rest.DB, f *edition.Feed, live []*edition.Feed) *kept {
	n.mu.Lock()
	defer n.mu.Unlock()
	tries := 0
	if k := n.kept[f.Edition]; k != nil {
		if !k.over() || k.err == nil || time.Now().Before(k.again) {
			return k
		}
		tries = k.tries
	}
	k := &kept{done: make(chan struct{}), tries: tries + 1}
	next := map[*edition.Edition]*kept{f.Edition: k}
	for _, other := range live {
		if k := n.kept[other.Edition]; k != nil && other.Edition != f.Edition {
			next[other.Edition] = k
		}
	}
	n.kept = next
	go func() {
		defer close(k.done)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readFor)
		defer cancel()
		k.err = panics.Safely(func() (err error) {
			k.network, err = read(ctx, db, f)
			return err
		})
		if k.err != nil {
			k.err = fmt.Errorf("read the network of %s: %w", f.Alias, k.err)
			k.again = time.Now().Add(min(firstPause<<min(k.tries-1, 20), maxPause))
			n.Log.Error("a feed is left out of map tiles", "feed", f.Alias, "error", k.err, "again_at", k.again)
		}
	}()
	return k
}

// over reports whether the reading has ended.
func (k *kept) over() bool {
	select {
	case <-k.done:
		return true
	default:
		return false
	}
}

func read(ctx context.Context, db rest.DB, f *edition.Feed) (*Network, error) {
	n := &Network{stops: make([]stop, len(f.Stops))}
	left := maxPoints
	var current *route
	through := map[int32][]int{} // routes by the patterns that they follow without a shape
	err := ways.Each(ctx, db, waysOf{f.Version, maxWays}, func(w wayRow) error {
		if current == nil || current.id != w.RouteID {
			n.routes = append(n.routes, route{id: w.RouteID, mode: "other", box: nowhere})
			current = &n.routes[len(n.routes)-1]
			if r := f.Route(w.RouteID); r != nil {
				current.mode = Mode(r.Type)
			}
		}
		current.trips += w.Trips
		switch {
		case left <= 0:
		case w.ShapePtLat != nil && w.ShapePtLon != nil:
			for _, l := range parse(*w.ShapePtLat, *w.ShapePtLon) {
				current.add(l, &left)
			}
		case w.Pattern != nil:
			through[*w.Pattern] = append(through[*w.Pattern], len(n.routes)-1)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	if err := n.addPatterns(ctx, f, through, &left); err != nil {
		return nil, err
	}
	n.routes = slices.DeleteFunc(n.routes, func(r route) bool { return r.box == nowhere })
	at := make(map[string]int, len(f.Stops))
	for i := range f.Stops {
		at[f.Stops[i].StopID] = i
	}
	return n, serviceOfStops.Each(ctx, db, version{f.Version}, func(row serviceRow) error {
		// A station has what its platforms have; parents may form a circle in a feed.
		i, known := at[row.StopID]
		for hops := 0; known && hops < 3; hops++ {
			n.stops[i].trips += int32(min(row.Trips, math.MaxInt32/8))
			n.stops[i].trips = max(0, n.stops[i].trips)
			for _, t := range row.Types {
				n.stops[i].modes.add(Mode(t))
			}
			if f.Stops[i].ParentStation == nil {
				break
			}
			i, known = at[*f.Stops[i].ParentStation]
		}
		return nil
	})
}

// addPatterns adds lines through the stops of patterns.
func (n *Network) addPatterns(ctx context.Context, f *edition.Feed, through map[int32][]int, left *int) error {
	numbers := make([]int32, 0, len(through))
	for number := range through {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	for some := range slices.Chunk(numbers, patternsAtOnce) {
		patterns, err := f.Patterns(ctx, some, maxCalls)
		if err != nil {
			return err
		}
		for _, number := range some {
			p := patterns[number]
			if p == nil {
				continue
			}
			var at [][2]float64
			for _, id := range p.StopID {
				if id == nil {
					continue
				}
				if rank, ok := f.Rank(*id); ok {
					if lat, lon := f.Place(rank); !math.IsNaN(lat) && !math.IsNaN(lon) {
						at = append(at, [2]float64{lat, lon})
					}
				}
			}
			for _, l := range split(at) {
				if err := ctx.Err(); err != nil {
					return err
				}
				for _, r := range through[number] {
					n.routes[r].add(slices.Clone(l), left)
				}
			}
		}
	}
	return nil
}

// parse reads the positions of a shape, and splits it where it crosses the antimeridian. What is no position is left out.
func parse(lats, lons string) []orb.LineString {
	at := make([][2]float64, 0, strings.Count(lats, ",")+1)
	for lats != "" || lons != "" {
		var lat, lon string
		lat, lats, _ = strings.Cut(lats, ",")
		lon, lons, _ = strings.Cut(lons, ",")
		y, errY := strconv.ParseFloat(lat, 64)
		x, errX := strconv.ParseFloat(lon, 64)
		if errY == nil && errX == nil && math.Abs(y) <= 90 && math.Abs(x) <= 180 { // not if one is NaN
			at = append(at, [2]float64{y, x})
		}
	}
	return split(at)
}

// split makes lines of positions as latitude and longitude: one, unless it goes over the antimeridian.
func split(at [][2]float64) (lines []orb.LineString) {
	var line orb.LineString
	for i, p := range at {
		if i > 0 && math.Abs(p[1]-at[i-1][1]) > 180 {
			lines, line = append(lines, line), nil
		}
		x, y := mercator(p[0], p[1])
		line = append(line, orb.Point{x, y})
	}
	lines = append(lines, line)
	return slices.DeleteFunc(lines, func(l orb.LineString) bool { return len(l) < 2 })
}

// add adds a line in each detail. It changes the line.
func (r *route) add(line orb.LineString, left *int) {
	for i := len(details) - 1; i >= 0; i-- {
		// Each detail is made of the finer one, which takes little time and misses the feed's line by little more.
		keep := drawing.Reduce(line, 0.5/pixels/math.Pow(2, float64(details[i])))
		for n, k := range keep {
			line[n] = line[k]
		}
		line = line[:len(keep)]
		if len(line) < 2 || i == len(details)-1 && len(line) > *left {
			return
		}
		w := way{points: make([]point, len(line)), box: nowhere}
		for k, at := range line {
			w.points[k] = point{uint32(min(at[0]*(1<<32), 1<<32-1)), uint32(min(at[1]*(1<<32), 1<<32-1))}
			w.box = w.box.with(w.points[k])
		}
		if i == len(details)-1 {
			*left -= len(line)
		}
		if slices.ContainsFunc(r.lines[i], func(other way) bool { return slices.Equal(other.points, w.points) }) {
			continue // another way looks the same from here
		}
		r.lines[i], r.box = append(r.lines[i], w), r.box.joined(w.box)
	}
}
