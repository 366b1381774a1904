package tile

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/paulmach/orb"

	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/drawing"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/lines"
)

// Bounds of a network. A point uses 8 bytes.
const (
	maxPaths       = 60        // per route; those with the most trips are kept
	maxPoints      = 3_000_000 // per network in its finest detail; other routes have no lines
	maxCalls       = 2_000_000 // in the patterns of trips without a shape
	patternsAtOnce = 500
)

// details lists the deepest zoom of each detail. At that zoom lines are at most half a screen pixel
// off.
var details = [...]int64{3, 5, 7, 9, 11, MaxZoom}

// detailOf returns the coarsest detail that is fine enough for a zoom.
func detailOf(zoom int64) int {
	for i, deepest := range details {
		if zoom <= deepest {
			return i
		}
	}
	return len(details) - 1
}

const pixels = 512

// A Network has the lines and stops of an edition. It is immutable.
type Network struct {
	routes []route
	stops  []stop // indexed by rank
}

type route struct {
	id, mode string
	trips    int
	bound    orb.Bound
	lines    [len(details)][]line
}

type line struct {
	points []point
	bound  orb.Bound
}

type stop struct {
	modes modeSet
	trips int32
}

type serviceRow struct {
	StopID string
	Types  []string
	Trips  int64
}

// serviceOfStops returns for each stop the types of routes that call there, and the number of
// trips.
var serviceOfStops = rest.SQL[edition.VersionKey, serviceRow](`
	SELECT u.stop_id, array_agg(DISTINCT coalesce(r.route_type, '')) AS types, sum(w.trips)::bigint AS trips
	FROM (SELECT pattern, route_id, count(*) AS trips FROM transit.trip WHERE version_id = @version_id
	  AND pattern IS NOT NULL GROUP BY 1, 2) w
	JOIN transit.pattern p ON p.version_id = @version_id AND p.pattern = w.pattern
	JOIN transit.route r ON r.version_id = @version_id AND r.route_id = w.route_id
	CROSS JOIN LATERAL unnest(p.stop_id) AS u(stop_id)
	WHERE u.stop_id IS NOT NULL
	GROUP BY 1`)

// Queries returns the SQL statements of this package.
func Queries() []rest.Statement { return rest.Queries(lines.Shapes, serviceOfStops) }

// A Loader loads the network of each edition once. The network lives as long as its edition.
type Loader struct{ Log *slog.Logger }

type loading struct {
	mu      sync.Mutex
	done    chan struct{} // closed after the last attempt; nil before the first
	network *Network
	err     error
	tries   int
	retryAt time.Time // set after an error
}

func loadingOf(e *edition.Edition) *loading {
	if e.Network.Load() == nil {
		e.Network.CompareAndSwap(nil, &loading{})
	}
	return e.Network.Load().(*loading)
}

func (k *loading) isDone() bool {
	select {
	case <-k.done:
		return true
	default:
		return false
	}
}

// State reports whether the network of an edition is loaded, and the error of the last attempt.
func State(e *edition.Edition) (loaded bool, failure error) {
	if e == nil {
		return false, nil
	}
	k := loadingOf(e)
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.isDone() {
		return false, nil
	}
	return k.err == nil, k.err
}

// Durations of loading, which continues after the request has ended. The pause after an error
// doubles.
const (
	loadTimeout = 20 * time.Second
	firstPause  = 2 * time.Second
	maxPause    = time.Hour
)

func (l Loader) Network(ctx context.Context, db rest.DB, f *edition.Feed) (*Network, error) {
	select {
	case <-l.Begin(ctx, db, f):
		k := loadingOf(f.Edition)
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.network, k.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Begin starts to load the network of a feed unless it is loaded or loading. After an error it
// waits before it retries: loading takes long, and the feed causes most errors. The channel is
// closed after loading.
func (l Loader) Begin(ctx context.Context, db rest.DB, f *edition.Feed) <-chan struct{} {
	k := loadingOf(f.Edition)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.done != nil && (!k.isDone() || k.err == nil || time.Now().Before(k.retryAt)) {
		return k.done
	}
	done := make(chan struct{})
	k.done = done
	k.tries++
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadTimeout)
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
			k.retryAt = time.Now().Add(min(firstPause<<min(k.tries-1, 20), maxPause))
			l.Log.Error("a feed is left out of map tiles", "feed", f.Alias, "error", k.err, "again_at", k.retryAt)
		}
	}()
	return done
}

func read(ctx context.Context, db rest.DB, f *edition.Feed) (*Network, error) {
	n := &Network{stops: make([]stop, len(f.Stops))}
	left := maxPoints
	var current *route
	through := map[int32][]int{} // routes by their patterns without a shape
	every := lines.Args{Trips: edition.Span{Count: f.Counts["trip"]}, Most: maxPaths, Routes: f.Counts["route"]}
	err := lines.Each(ctx, db, f, every, func(w lines.Line) error {
		if current == nil || current.id != w.Route.RouteID {
			n.routes = append(n.routes, route{id: w.Route.RouteID, mode: modeOf(w.Route.RouteType), bound: nowhere})
			current = &n.routes[len(n.routes)-1]
		}
		current.trips += w.Trips
		switch {
		case left <= 0:
		case w.ShapePtLat != nil && w.ShapePtLon != nil:
			for _, l := range split(w.Shape()) {
				current.add(project(l), &left)
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
	slices.SortFunc(n.routes, func(x, y route) int { return cmp.Compare(x.id, y.id) })
	n.routes = slices.DeleteFunc(n.routes, func(r route) bool { return r.bound == nowhere })
	return n, serviceOfStops.Each(ctx, db, f.Key(), func(row serviceRow) error {
		// A station includes its platforms; a feed's parents may form a cycle.
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

func (n *Network) addPatterns(ctx context.Context, f *edition.Feed, through map[int32][]int, left *int) error {
	for some := range slices.Chunk(slices.Sorted(maps.Keys(through)), patternsAtOnce) {
		patterns, err := f.Patterns(ctx, some, maxCalls)
		if err != nil {
			return err
		}
		for _, number := range some {
			var at []orb.Point
			if p := patterns[number]; p != nil {
				at = positions(f, p)
			}
			for _, l := range split(at) {
				if err := ctx.Err(); err != nil {
					return err
				}
				for _, r := range through[number] {
					n.routes[r].add(project(l), left)
				}
			}
		}
	}
	return nil
}

func positions(f *edition.Feed, p *edition.Pattern) (at []orb.Point) {
	for _, id := range p.StopID {
		if id == nil {
			continue
		}
		if rank, ok := f.Rank(*id); ok {
			lat, lon := f.LatLon(rank)
			at = append(at, orb.Point{lon, lat})
		}
	}
	return at
}

// split returns the valid positions of a line: as one line, or as several if the line crosses the
// antimeridian.
func split(at []orb.Point) (all []orb.LineString) {
	var points orb.LineString
	last := math.NaN()
	for _, p := range at {
		if !(math.Abs(p.Lat()) <= 90 && math.Abs(p.Lon()) <= 180) { // true if one is NaN
			continue
		}
		if math.Abs(p.Lon()-last) > 180 {
			all, points = append(all, points), nil
		}
		last = p.Lon()
		points = append(points, p)
	}
	all = append(all, points)
	return slices.DeleteFunc(all, func(l orb.LineString) bool { return len(l) < 2 })
}

// project converts a line to the Mercator projection.
func project(degrees orb.LineString) orb.LineString {
	points := make(orb.LineString, len(degrees))
	for i, p := range degrees {
		x, y := mercator(p.Lat(), p.Lon())
		points[i] = orb.Point{x, y}
	}
	return points
}

// tolerance is half a screen pixel at a zoom.
func tolerance(zoom int64) float64 { return 0.5 / pixels / math.Pow(2, float64(zoom)) }

// add adds a line in each detail. It overwrites points.
func (r *route) add(points orb.LineString, left *int) {
	for i := len(details) - 1; i >= 0; i-- {
		// Each detail simplifies the finer detail, which is fast and almost as exact.
		keep := drawing.Reduce(points, tolerance(details[i]))
		for n, k := range keep {
			points[n] = points[k]
		}
		points = points[:len(keep)]
		if len(points) < 2 || i == len(details)-1 && len(points) > *left {
			return
		}
		w := line{points: make([]point, len(points)), bound: nowhere}
		for k, at := range points {
			w.points[k] = point{uint32(min(at[0]*(1<<32), 1<<32-1)), uint32(min(at[1]*(1<<32), 1<<32-1))}
			x, y := w.points[k].world()
			w.bound = w.bound.Extend(orb.Point{x, y})
		}
		if i == len(details)-1 {
			*left -= len(points)
		}
		if slices.ContainsFunc(r.lines[i], func(other line) bool { return slices.Equal(other.points, w.points) }) {
			continue // it looks the same in this detail
		}
		r.lines[i], r.bound = append(r.lines[i], w), r.bound.Union(w.bound)
	}
}
