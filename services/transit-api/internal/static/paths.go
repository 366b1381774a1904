package static

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/kept"
)

const (
	maxPaths        = 4
	maxPathPatterns = 300
	maxPathCalls    = 100_000
)

// A path is the list of stops of trips from end to end.
type path struct {
	stops     []string
	trips     int
	headsigns map[string]int // number of trips by headsign
}

// Paths splits a direction into the paths of its trips; the path with most trips comes first.
// If a route has branches, or the feed has no direction_id, a list of all stops would be a path
// that no bus uses. A trip that starts late, ends early or skips stops belongs to the longer path.
// Paths with few trips are omitted.
func Paths(ctx context.Context, f *edition.Feed, texts *edition.Translations, route *edition.Route,
	d OrderedDirection) ([]OrderedDirection, error) {
	byPattern := map[int32]*path{}
	var numbers []int32
	all := 0
	for _, t := range f.TripsOf(route.Trips()) {
		if t.Pattern < 0 || t.Direction() != d.DirectionID {
			continue
		}
		p := byPattern[t.Pattern]
		if p == nil {
			p = &path{headsigns: map[string]int{}}
			byPattern[t.Pattern], numbers = p, append(numbers, t.Pattern)
		}
		p.trips++
		all++
		if head := texts.Headsign(t.TripID, t.TripHeadsign); head != nil {
			p.headsigns[*head]++
		}
	}
	if len(numbers) > maxPathPatterns {
		return []OrderedDirection{d}, nil
	}
	patterns, err := f.Patterns(ctx, numbers, maxPathCalls)
	if errors.Is(err, kept.ErrTooMuch) {
		return []OrderedDirection{d}, nil
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
	some = join(some)
	some = slices.DeleteFunc(some, func(p *path) bool { return p != some[0] && 10*p.trips < all })
	if len(some) < 2 {
		return []OrderedDirection{d}, nil
	}
	return nameDirections(f, texts, some[:min(len(some), maxPaths)], d), nil
}

// join merges each path into a longer path that contains it. The path with most trips comes first.
func join(all []*path) (merged []*path) {
	slices.SortStableFunc(all, func(a, b *path) int {
		return cmp.Or(cmp.Compare(len(b.stops), len(a.stops)), cmp.Compare(b.trips, a.trips))
	})
	for _, p := range all {
		at := slices.IndexFunc(merged, func(w *path) bool { return isPart(p.stops, w.stops) })
		if at < 0 {
			merged = append(merged, p)
			continue
		}
		merged[at].trips += p.trips
		for head, n := range p.headsigns {
			merged[at].headsigns[head] += n
		}
	}
	slices.SortStableFunc(merged, func(a, b *path) int { return cmp.Compare(b.trips, a.trips) })
	return merged
}

func isPart(stops, longer []string) bool {
	for _, id := range longer {
		if len(stops) > 0 && stops[0] == id {
			stops = stops[1:]
		}
	}
	return len(stops) == 0
}

// nameDirections converts paths to directions. The name of a direction is its most frequent
// headsign, or its two ends if several directions have that headsign.
func nameDirections(f *edition.Feed, texts *edition.Translations, paths []*path,
	d OrderedDirection) []OrderedDirection {
	made := make([]OrderedDirection, len(paths))
	names := map[string]int{}
	for i, p := range paths {
		made[i] = OrderedDirection{Direction: d.Direction}
		made[i].Name = ""
		for _, id := range p.stops {
			if f.Stop(id) != nil {
				made[i].StopIDs = append(made[i].StopIDs, id)
			}
		}
		for head, n := range p.headsigns {
			if most := p.headsigns[made[i].Name]; n > most || n == most && head < made[i].Name {
				made[i].Name = head
			}
		}
		names[made[i].Name]++
	}
	for i := range made {
		if d := &made[i]; len(d.StopIDs) > 0 && (d.Name == "" || names[d.Name] > 1) {
			d.Name = label(f, texts, d.StopIDs[0]) + " – " + label(f, texts, d.StopIDs[len(d.StopIDs)-1])
		}
	}
	return made
}

func label(f *edition.Feed, texts *edition.Translations, id string) string {
	own := *f.Stop(id)
	texts.Translate(&own)
	return cmp.Or(own.StopName, own.Label)
}
