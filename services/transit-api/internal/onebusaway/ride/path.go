// Package ride follows trips along their lines, as only the OneBusAway apps show them: the path of a
// trip, the progress of a vehicle along it, the block of trips that a vehicle runs, and where trips
// go at a stop. Editions keep what it reads.
package ride

import (
	"context"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/paulmach/orb"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/drawing"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/kept"
	"github.com/townline/townline/services/transit-api/internal/replica"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Path is the line of trips with the same calls and the same shape. Without a shape it goes
// straight from stop to stop. Distances are metres along the path from the first call.
type Path struct {
	Calls []float64 // distance of each call, ascending
	line  []waypoint
}

type waypoint struct {
	lon, lat int32   // millionths of a degree
	along    float32 // metres from the first call; negative before it
}

type pathKey struct {
	pattern int32
	shape   string // shape_id; "" for none
}

func (k pathKey) row() kept.Key { return kept.Key{Kind: kept.Paths, Number: k.pattern, ID: k.shape} }

const (
	pathTolerance = 2     // maximum distance of a path from its shape, in metres
	pathPoints    = 5_000 // maximum points per path
	waypointBytes = 12
	pathMatches   = 4 << 20 // maximum of calls × points per path
)

type shapeList struct {
	VersionID replica.Version
	ShapeIDs  []string `arg:"shape_ids"`
}

type shapeRow struct {
	ShapeID           string
	ShapePtLat        string
	ShapePtLon        string
	ShapeDistTraveled *string
}

var shapesByID = rest.SQL[shapeList, shapeRow](`
	SELECT shape_id, shape_pt_lat, shape_pt_lon, shape_dist_traveled
	FROM transit.shape
	WHERE version_id = @version_id AND shape_id = ANY (@shape_ids::text[])`)

// Paths returns the path of each trip; nil for a trip without calls.
func Paths(ctx context.Context, e *edition.Edition, trips []*edition.Trip) ([]*Path, error) {
	keys := make([]pathKey, len(trips))
	for i, t := range trips {
		keys[i] = pathKey{t.Pattern, wire.Text(t.ShapeID)}
	}
	distinct := make(map[pathKey]bool, len(keys))
	var which []pathKey
	for _, k := range keys {
		if k.pattern >= 0 && !distinct[k] {
			distinct[k] = true
			which = append(which, k)
		}
	}
	memo := kept.Memo[pathKey, Path]{Cache: e.Kept(), Key: pathKey.row, Read: reader{e}.paths}
	found, err := memo.Get(ctx, which, edition.All)
	if err != nil {
		return nil, err
	}
	paths := make([]*Path, len(trips))
	for i, k := range keys {
		paths[i] = found[k]
	}
	return paths, nil
}

// A reader reads rows that an edition keeps.
type reader struct{ *edition.Edition }

func (e reader) paths(ctx context.Context, which []pathKey, each func(pathKey, *Path, int) error) error {
	var numbers []int32
	var shapes []string
	following := map[string][]pathKey{}
	for _, k := range which {
		if following[k.shape] == nil && k.shape != "" {
			shapes = append(shapes, k.shape)
		}
		following[k.shape] = append(following[k.shape], k)
		numbers = append(numbers, k.pattern)
	}
	patterns, err := e.Patterns(ctx, numbers, edition.All)
	if err != nil {
		return err
	}
	add := func(s *shapeRow) error {
		for _, k := range following[s.ShapeID] {
			p := patterns[k.pattern]
			if p == nil {
				continue
			}
			path := newPath(s.line(), positions(e.Edition, p), p.ShapeDistTraveled)
			if err := each(k, path, waypointBytes*len(path.line)+8*len(path.Calls)); err != nil {
				return err
			}
		}
		delete(following, s.ShapeID)
		return ctx.Err()
	}
	if len(shapes) > 0 {
		err := shapesByID.Each(ctx, e.DB(), shapeList{e.Key().VersionID, shapes}, func(s shapeRow) error { return add(&s) })
		if err != nil {
			return err
		}
	}
	for id := range following { // trips without a shape
		if err := add(&shapeRow{ShapeID: id}); err != nil {
			return err
		}
	}
	return nil
}

// positions returns the longitude and latitude of each call; NaN if unknown.
func positions(e *edition.Edition, p *edition.Pattern) []orb.Point {
	all := make([]orb.Point, len(p.StopID))
	for i, id := range p.StopID {
		all[i] = orb.Point{math.NaN(), math.NaN()}
		if id == nil {
			continue
		}
		if rank, ok := e.Rank(*id); ok {
			lat, lon := e.LatLon(rank)
			all[i] = orb.Point{lon, lat}
		}
	}
	return all
}

// A shapeLine is a shape with the feed's distances; they are nil if any is missing.
type shapeLine struct {
	points []orb.Point
	dist   []float64
}

func (s *shapeRow) line() shapeLine {
	lat, lon := strings.Split(s.ShapePtLat, ","), strings.Split(s.ShapePtLon, ",")
	var dist []string
	if s.ShapeDistTraveled != nil {
		dist = strings.Split(*s.ShapeDistTraveled, ",")
	}
	var l shapeLine
	for i := range min(len(lat), len(lon)) {
		y, err := strconv.ParseFloat(lat[i], 64)
		x, wrong := strconv.ParseFloat(lon[i], 64)
		if err != nil || wrong != nil || !(math.Abs(y) <= 90) || !(math.Abs(x) <= 180) {
			dist = nil
			continue
		}
		l.points = append(l.points, orb.Point{x, y})
		if i < len(dist) {
			d, err := strconv.ParseFloat(dist[i], 64)
			if err != nil || math.IsNaN(d) || len(l.dist) > 0 && d < l.dist[len(l.dist)-1] {
				dist = nil
			}
			l.dist = append(l.dist, d)
		}
	}
	if dist == nil || len(l.dist) != len(l.points) {
		l.dist = nil
	}
	return l
}

// newPath locates calls on a shape: by the distances of the feed, or at the nearest points of the
// line that are in order. Without a shape, the line goes from stop to stop.
func newPath(s shapeLine, calls []orb.Point, dist edition.Cells) *Path {
	if len(s.points) < 2 {
		isUnknown := func(p orb.Point) bool { return math.IsNaN(p[0]) }
		s = shapeLine{points: slices.DeleteFunc(slices.Clone(calls), isUnknown)}
	}
	along := make([]float64, len(s.points))
	for i := 1; i < len(along); i++ {
		along[i] = along[i-1] + edition.Distance(s.points[i-1][1], s.points[i-1][0], s.points[i][1], s.points[i][0])
	}
	keep, _ := drawing.Simplify(s.points, pathTolerance, max(2, min(pathPoints, pathMatches/max(len(calls), 1))))
	p := &Path{line: make([]waypoint, len(keep))}
	for i, k := range keep {
		p.line[i] = waypoint{millionths(s.points[k][0]), millionths(s.points[k][1]), float32(along[k])}
	}
	p.Calls = s.measured(along, dist, len(calls))
	if p.Calls == nil {
		p.Calls = p.match(calls)
	}
	if len(p.Calls) > 0 {
		first := p.Calls[0]
		for i := range p.Calls {
			p.Calls[i] -= first
		}
		for i := range p.line {
			p.line[i].along -= float32(first)
		}
	}
	return p
}

func millionths(degrees float64) int32 { return int32(math.Round(degrees * 1e6)) }

// measured converts the feed's distances of calls to metres along the line; nil if the shape or the
// calls have no distances.
func (s *shapeLine) measured(along []float64, dist edition.Cells, calls int) []float64 {
	if s.dist == nil || len(dist) != calls || calls == 0 {
		return nil
	}
	all := make([]float64, calls)
	for i, c := range dist {
		if c == nil {
			return nil
		}
		d, err := strconv.ParseFloat(*c, 64)
		last := len(s.dist) - 1
		if err != nil || !(d >= s.dist[0]) || d > s.dist[last]+(s.dist[last]-s.dist[0])/100 {
			return nil // the distances are not along this shape
		}
		k := min(sort.SearchFloat64s(s.dist, d), last)
		all[i] = along[k]
		if k > 0 && d < s.dist[k] {
			all[i] -= (along[k] - along[k-1]) * (s.dist[k] - d) / (s.dist[k] - s.dist[k-1])
		}
		if i > 0 && all[i] < all[i-1] {
			return nil
		}
	}
	if all[calls-1] == all[0] {
		return nil
	}
	return all
}

// match returns distances of the calls that are in order and have the least sum of squared
// distances from the line.
func (p *Path) match(calls []orb.Point) []float64 {
	n := max(len(p.line)-1, 0)
	found := make([]float64, len(calls))
	if n == 0 {
		return found
	}
	sums, before := make([]float64, n), make([]int32, n*len(calls))
	feet := make([]float32, n*len(calls))
	for i, at := range calls {
		row := i * n
		least := math.Inf(1)
		best := int32(0)
		for k := range n {
			if sums[k] < least { // best sum for the previous calls, up to this segment
				least, best = sums[k], int32(k)
			}
			off, foot := p.foot(k, at)
			if math.IsNaN(off) {
				off = 0
			}
			before[row+k], feet[row+k] = best, float32(foot)
			sums[k] = least + off*off
		}
	}
	k := int32(0)
	for j := range sums {
		if sums[j] < sums[k] {
			k = int32(j)
		}
	}
	for i := len(calls) - 1; i >= 0; i-- {
		found[i] = float64(feet[i*n+int(k)])
		k = before[i*n+int(k)]
	}
	last := float64(p.line[0].along)
	for i := range found { // keep the order on one segment, and give calls without a position one
		if !(found[i] >= last) {
			found[i] = last
		}
		last = found[i]
	}
	return found
}

// foot returns the distance of a point from segment k in metres, and the distance along the path of
// the nearest point of the segment. Both are NaN if the position is unknown.
func (p *Path) foot(k int, at orb.Point) (off, along float64) {
	a, b := p.line[k], p.line[k+1]
	across := drawing.MetresPerDegree * math.Cos(at[1]*math.Pi/180)
	dx, dy := float64(b.lon-a.lon)/1e6*across, float64(b.lat-a.lat)/1e6*drawing.MetresPerDegree
	ex, ey := (at[0]-float64(a.lon)/1e6)*across, (at[1]-float64(a.lat)/1e6)*drawing.MetresPerDegree
	part := 0.0
	if square := dx*dx + dy*dy; square > 0 {
		part = max(0, min(1, (ex*dx+ey*dy)/square))
	}
	return math.Hypot(ex-part*dx, ey-part*dy), float64(a.along) + part*float64(b.along-a.along)
}

// Length returns the distance of the last call.
func (p *Path) Length() float64 {
	if len(p.Calls) == 0 {
		return 0
	}
	return p.Calls[len(p.Calls)-1]
}

// nearlyBest bounds how much further than the nearest place another place on the path may be from a
// point, in metres. If a path uses a street twice, the two lines can differ slightly.
const nearlyBest = 25

// Nearest returns the distance along the path of the place nearest to a point, and the distance
// between that place and the point. If the path passes the place several times, it returns the pass
// nearest to expected.
func (p *Path) Nearest(lat, lon, expected float64) (along, off float64) {
	n := len(p.line) - 1
	if n < 1 {
		return 0, math.Inf(1)
	}
	offs := make([]float64, n)
	feet := make([]float64, n)
	least := math.Inf(1)
	for k := range n {
		offs[k], feet[k] = p.foot(k, orb.Point{lon, lat})
		least = min(least, offs[k])
	}
	off = math.Inf(1)
	for k := range n {
		local := (k == 0 || offs[k] <= offs[k-1]) && (k == n-1 || offs[k] <= offs[k+1])
		if !local || offs[k] > least+nearlyBest {
			continue
		}
		if math.IsInf(off, 1) || math.Abs(feet[k]-expected) < math.Abs(along-expected) {
			along, off = feet[k], offs[k]
		}
	}
	return max(0, min(along, p.Length())), off
}

// At returns the position at a distance along the path, and the bearing there in degrees clockwise
// from north; ok is false if the path has no position.
func (p *Path) At(along float64) (lat, lon, bearing float64, ok bool) {
	switch len(p.line) {
	case 0:
		return 0, 0, 0, false
	case 1:
		return float64(p.line[0].lat) / 1e6, float64(p.line[0].lon) / 1e6, 0, true
	}
	k := sort.Search(len(p.line), func(i int) bool { return float64(p.line[i].along) > along })
	k = max(1, min(k, len(p.line)-1))
	a, b := p.line[k-1], p.line[k]
	part := 0.0
	if b.along > a.along {
		part = max(0, min(1, (along-float64(a.along))/float64(b.along-a.along)))
	}
	lat, lon = float64(a.lat)+part*float64(b.lat-a.lat), float64(a.lon)+part*float64(b.lon-a.lon)
	east := float64(b.lon-a.lon) * math.Cos(lat/1e6*math.Pi/180)
	bearing = math.Mod(math.Atan2(east, float64(b.lat-a.lat))*180/math.Pi+360, 360)
	return lat / 1e6, lon / 1e6, bearing, true
}

// alongAt returns the scheduled distance of a trip along its path, a number of seconds after its
// start.
func (p *Path) alongAt(r *edition.Run, seconds int64) float64 {
	next := nextAt(r, seconds)
	if next == 0 || next >= len(p.Calls) {
		return p.Calls[max(0, min(next, len(p.Calls)-1))]
	}
	left, arrives := r.Leaves(next-1), int64(r.Expected[next])
	if seconds <= left || arrives <= left {
		return p.Calls[next-1]
	}
	part := min(1, float64(seconds-left)/float64(arrives-left))
	return p.Calls[next-1] + part*(p.Calls[next]-p.Calls[next-1])
}

// nextAt returns the index of the call at which the trip is scheduled to arrive or leave next, a
// number of seconds after its start. After the last call it returns the number of calls.
func nextAt(r *edition.Run, seconds int64) int {
	for i := range r.Expected {
		if r.Leaves(i) >= seconds {
			return i
		}
	}
	return len(r.Expected)
}

// secondsAt returns the scheduled seconds from the start of a trip to a distance along its path.
func (p *Path) secondsAt(r *edition.Run, along float64) int64 {
	next := sort.SearchFloat64s(p.Calls, along)
	switch {
	case next == 0:
		return int64(r.Expected[0])
	case next == len(p.Calls):
		return int64(r.Expected[next-1])
	}
	left := r.Leaves(next - 1)
	part := (along - p.Calls[next-1]) / (p.Calls[next] - p.Calls[next-1])
	return left + int64(math.Round(part*float64(int64(r.Expected[next])-left)))
}
