package tile

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
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

// details are the deepest zooms of the degrees of detail. In each, lines miss the feed's by half a
// pixel of a screen at most.
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
	bound    orb.Bound
	lines    [len(details)][]way
}

type way struct {
	points []point
	bound  orb.Bound
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
	  SELECT route_id, shape_id, CASE WHEN shape_id IS NULL THEN pattern END AS pattern, count(*)::integer AS trips,
	         min(ord) AS first
	  FROM transit.trip
	  WHERE version_id = @version_id
	  GROUP BY 1, 2, 3),
	main AS (SELECT route_id, shape_id, pattern, trips, row_number() OVER (PARTITION BY route_id ORDER BY trips DESC,
	  first) AS n FROM way)
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
	FROM (SELECT pattern, route_id, count(*) AS trips FROM transit.trip WHERE version_id = @version_id
	  AND pattern IS NOT NULL GROUP BY 1, 2) w
	JOIN transit.pattern p ON p.version_id = @version_id AND p.pattern = w.pattern
	JOIN transit.route r ON r.version_id = @version_id AND r.route_id = w.route_id
	CROSS JOIN LATERAL unnest(p.stop_id) AS u(stop_id)
	WHERE u.stop_id IS NOT NULL
	GROUP BY 1`)

// Queries returns the statements of this package.
func Queries() []rest.Statement { return rest.Queries(ways, serviceOfStops) }

// A Loader loads the network of each edition once. The network is kept with its edition, and goes
// with it.
type Loader struct{ Log *slog.Logger }

// A loading is the loading of one network, in progress or done.
type loading struct {
	mu      sync.Mutex
	done    chan struct{} // closed after it; nil before the first
	network *Network
	err     error
	tries   int
	again   time.Time // when one that failed is tried again
}

type loadingKey struct{}

func of(e *edition.Edition) *loading {
	k, _ := e.Attached.LoadOrStore(loadingKey{}, &loading{})
	return k.(*loading)
}

func (k *loading) over() bool {
	select {
	case <-k.done:
		return true
	default:
		return false
	}
}

// State reports whether the network of an edition is loaded, or why it cannot be; neither before
// somebody asked for it.
func State(e *edition.Edition) (loaded bool, failure error) {
	if e == nil {
		return false, nil
	}
	k := of(e)
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.over() {
		return false, nil
	}
	return k.err == nil, k.err
}

// loadWithin is how long a loading may take. It is apart from the time of requests: the network of
// a large feed is there for the next one.
const loadWithin = 20 * time.Second

// The wait after a loading that failed: the first, which doubles, and the longest.
const (
	firstPause = 2 * time.Second
	maxPause   = time.Hour
)

// Of is the network of a feed.
func (l Loader) Of(ctx context.Context, db rest.DB, f *edition.Feed) (*Network, error) {
	done := l.Begin(ctx, db, f)
	select {
	case <-done:
		k := of(f.Edition)
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.network, k.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Begin begins to load the network of a feed, unless it is loaded or loading. A loading that failed
// is tried again after a while: it took its time, and what it failed of is mostly the feed. The
// channel is closed after the loading.
func (l Loader) Begin(ctx context.Context, db rest.DB, f *edition.Feed) <-chan struct{} {
	k := of(f.Edition)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.done != nil && (!k.over() || k.err == nil || time.Now().Before(k.again)) {
		return k.done
	}
	done := make(chan struct{})
	k.done = done
	k.tries++
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadWithin)
		defer cancel()
		var network *Network
		err := panics.Safely(func() (err error) {
			network, err = read(ctx, db, f)
			return err
		})
		k.mu.Lock()
		defer k.mu.Unlock()
		k.network, k.err = network, err
		if err != nil {
			k.err = fmt.Errorf("read the network of %s: %w", f.Alias, err)
			k.again = time.Now().Add(min(firstPause<<min(k.tries-1, 20), maxPause))
			l.Log.Error("a feed is left out of map tiles", "feed", f.Alias, "error", k.err, "again_at", k.again)
		}
	}()
	return done
}

func read(ctx context.Context, db rest.DB, f *edition.Feed) (*Network, error) {
	n := &Network{stops: make([]stop, len(f.Stops))}
	left := maxPoints
	var current *route
	through := map[int32][]int{} // routes by the patterns that they follow without a shape
	err := ways.Each(ctx, db, waysOf{f.Version, maxWays}, func(w wayRow) error {
		if current == nil || current.id != w.RouteID {
			n.routes = append(n.routes, route{id: w.RouteID, mode: "other", bound: nowhere})
			current = &n.routes[len(n.routes)-1]
			if r := f.Route(w.RouteID); r != nil {
				current.mode = modeOf(r.Type)
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
	n.routes = slices.DeleteFunc(n.routes, func(r route) bool { return r.bound == nowhere })
	return n, serviceOfStops.Each(ctx, db, version{f.Version}, func(row serviceRow) error {
		// A station has what its platforms have; parents may form a circle in a feed.
		i, known := f.Rank(row.StopID)
		for hops := 0; known && hops < 3; hops++ {
			n.stops[i].trips = max(0, n.stops[i].trips+int32(min(row.Trips, math.MaxInt32/8)))
			for _, t := range row.Types {
				n.stops[i].modes |= 1 << weight(modeOf(t))
			}
			if f.Stops[i].ParentStation == nil {
				break
			}
			i, known = f.Rank(*f.Stops[i].ParentStation)
		}
		return nil
	})
}

// addPatterns adds lines through the stops of patterns.
func (n *Network) addPatterns(ctx context.Context, f *edition.Feed, through map[int32][]int, left *int) error {
	for some := range slices.Chunk(slices.Sorted(maps.Keys(through)), patternsAtOnce) {
		patterns, err := f.Patterns(ctx, some, maxCalls)
		if err != nil {
			return err
		}
		for _, number := range some {
			var at [][2]float64
			if p := patterns[number]; p != nil {
				at = places(f, p)
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

// places are where the stops of a pattern are, as latitude and longitude.
func places(f *edition.Feed, p *edition.Pattern) (at [][2]float64) {
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
	return at
}

// parse reads the positions of a shape, and splits it where it crosses the antimeridian. What is no
// position is left out.
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

// split makes lines of positions as latitude and longitude: one, unless it goes over the
// antimeridian.
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
		// Each detail is made of the finer one, which takes little time and misses the feed's line by
		// little more.
		keep := drawing.Reduce(line, 0.5/pixels/math.Pow(2, float64(details[i])))
		for n, k := range keep {
			line[n] = line[k]
		}
		line = line[:len(keep)]
		if len(line) < 2 || i == len(details)-1 && len(line) > *left {
			return
		}
		w := way{points: make([]point, len(line)), bound: nowhere}
		for k, at := range line {
			w.points[k] = point{uint32(min(at[0]*(1<<32), 1<<32-1)), uint32(min(at[1]*(1<<32), 1<<32-1))}
			x, y := w.points[k].world()
			w.bound = w.bound.Extend(orb.Point{x, y})
		}
		if i == len(details)-1 {
			*left -= len(line)
		}
		if slices.ContainsFunc(r.lines[i], func(other way) bool { return slices.Equal(other.points, w.points) }) {
			continue // another way looks the same from here
		}
		r.lines[i], r.bound = append(r.lines[i], w), r.bound.Union(w.bound)
	}
}
