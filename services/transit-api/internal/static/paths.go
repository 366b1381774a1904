package static

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

// Bounds of the paths of a direction.
const (
	maxPaths        = 4
	maxPathPatterns = 300
	maxPathCalls    = 100_000
)

// A path is a way that trips take from end to end.
type path struct {
	stops     []string
	trips     int
	headsigns map[string]int // trips by headsign
}

// Paths splits a drawn direction into the ways that its trips take from end to end, the one of most
// trips first. One list of all stops would be a way that no bus runs, if the route has branches or
// the feed does not tell its directions apart. A trip that begins late, ends early or leaves out
// stops is on the way of the others. Ways of few trips are left out.
func Paths(ctx context.Context, f *edition.Feed, texts *edition.Texts, route *edition.Route,
	d DrawnDirection) ([]DrawnDirection, error) {
	byPattern := map[int32]*path{}
	var numbers []int32
	all := 0
	for _, t := range f.TripsOf(route.Trips()) {
		if t.Pattern < 0 || string(t.Direction) != d.DirectionID {
			continue
		}
		p := byPattern[t.Pattern]
		if p == nil {
			p = &path{headsigns: map[string]int{}}
			byPattern[t.Pattern], numbers = p, append(numbers, t.Pattern)
		}
		p.trips++
		all++
		if head := texts.Headsign(t.ID, t.Headsign); head != nil {
			p.headsigns[*head]++
		}
	}
	if len(numbers) > maxPathPatterns {
		return []DrawnDirection{d}, nil
	}
	patterns, err := f.Patterns(ctx, numbers, maxPathCalls)
	if errors.Is(err, edition.ErrTooMuch) {
		return []DrawnDirection{d}, nil
	}
	if err != nil {
		return nil, err
	}
	var some []*path
	for _, n := range numbers {
		for _, id := range patterns[n].StopID {
			if id != nil {
				byPattern[n].stops = append(byPattern[n].stops, *id)
			}
		}
		some = append(some, byPattern[n])
	}
	some = joined(some)
	some = slices.DeleteFunc(some, func(p *path) bool { return p != some[0] && 10*p.trips < all })
	if len(some) < 2 {
		return []DrawnDirection{d}, nil
	}
	return named(f, some[:min(len(some), maxPaths)], d), nil
}

// joined are the paths that are no part of another, that of most trips first.
func joined(all []*path) (ways []*path) {
	slices.SortStableFunc(all, func(a, b *path) int {
		return cmp.Or(cmp.Compare(len(b.stops), len(a.stops)), cmp.Compare(b.trips, a.trips))
	})
	for _, p := range all {
		at := slices.IndexFunc(ways, func(w *path) bool { return isPart(p.stops, w.stops) })
		if at < 0 {
			ways = append(ways, p)
			continue
		}
		ways[at].trips += p.trips
		for head, n := range p.headsigns {
			ways[at].headsigns[head] += n
		}
	}
	slices.SortStableFunc(ways, func(a, b *path) int { return cmp.Compare(b.trips, a.trips) })
	return ways
}

// isPart reports whether the stops of a trip are those of a longer one, in its order.
func isPart(stops, of []string) bool {
	for _, id := range of {
		if len(stops) > 0 && stops[0] == id {
			stops = stops[1:]
		}
	}
	return len(stops) == 0
}

// named are the paths as directions: by their most frequent headsign, or by both ends if several
// have the same.
func named(f *edition.Feed, paths []*path, d DrawnDirection) []DrawnDirection {
	stops := map[string]DrawnStop{}
	for _, s := range d.Stops {
		stops[s.StopID] = s
	}
	made := make([]DrawnDirection, len(paths))
	names := map[string]int{}
	for i, p := range paths {
		made[i] = DrawnDirection{DirectionID: d.DirectionID, Lines: d.Lines}
		for _, id := range p.stops {
			if s, ok := stops[id]; ok {
				made[i].Stops = append(made[i].Stops, s)
			}
		}
		for head, n := range p.headsigns {
			if most := p.headsigns[made[i].Direction]; n > most || n == most && head < made[i].Direction {
				made[i].Direction = head
			}
		}
		names[made[i].Direction]++
	}
	for i := range made {
		if way := &made[i]; len(way.Stops) > 0 && (way.Direction == "" || names[way.Direction] > 1) {
			way.Direction = label(f, way.Stops[0]) + " – " + label(f, way.Stops[len(way.Stops)-1])
		}
	}
	return made
}

// label is the name of a stop, else what riders call it.
func label(f *edition.Feed, s DrawnStop) string {
	if at := f.Stop(s.StopID); s.StopName == "" && at != nil {
		return at.Label
	}
	return s.StopName
}
