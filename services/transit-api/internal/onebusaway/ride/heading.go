package ride

import (
	"context"
	"math"

	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/kept"
)

const (
	headingReach = 15  // metres before and after a stop between which its heading is measured
	headingAgree = 0.7 // approximate share of the trips that must go in the same direction
	headingBytes = 16
	lastCall     = 1e-3 // weight of a trip's last call, because riders board only the other trips
)

// Headings returns the compass direction (N, NE, E …) of trips at stops: along their shapes or,
// without shapes, to the next stop. A stop where trips go in different directions, such as a
// station, has no heading.
func Headings(ctx context.Context, e *edition.Edition, stops []string) (map[string]*string, error) {
	memo := kept.Memo[string, string]{Cache: e.Kept(), Key: kept.ByID(kept.Headings), Read: reader{e}.headings}
	return memo.Get(ctx, stops, edition.All)
}

// A bearing is a sum of directions, weighted by their trips.
type bearing struct{ east, north, weight float64 }

func (b *bearing) add(lat, lon, toLat, toLon, weight float64) {
	east, north := (toLon-lon)*math.Cos(lat*math.Pi/180), toLat-lat
	if length := math.Hypot(east, north); length > 0 {
		b.east += weight * east / length
		b.north += weight * north / length
		b.weight += weight
	}
}

// compass returns "" if the directions disagree.
func (b *bearing) compass() string {
	if b.weight == 0 || math.Hypot(b.east, b.north) < headingAgree*b.weight {
		return ""
	}
	eighth := int(math.Round(math.Atan2(b.east, b.north)/(math.Pi/4))+8) % 8
	return [...]string{"N", "NE", "E", "SE", "S", "SW", "W", "NW"}[eighth]
}

func (e reader) headings(ctx context.Context, which []string, each func(string, *string, int) error) error {
	found, err := e.CallsByStop(ctx, which)
	if err != nil {
		return err
	}
	var trips []*edition.Trip
	first := map[int32]int{} // by pattern: index of the first trip
	for _, at := range found {
		for _, pattern := range at.Patterns {
			following := e.Following(pattern)
			if _, met := first[pattern]; !met && len(following) > 0 {
				first[pattern] = len(trips)
				trips = append(trips, following[0])
			}
		}
	}
	paths, err := Paths(ctx, e.Edition, trips)
	if err != nil {
		return err
	}
	for _, id := range which {
		sum := &bearing{}
		if at := found[id]; at != nil {
			for i, pattern := range at.Patterns {
				if n, ok := first[pattern]; ok && paths[n] != nil {
					sum.addCall(paths[n], int(at.Positions[i])-1, trips[n].ShapeID != nil, float64(at.Trips[i]))
				}
			}
		}
		heading := sum.compass()
		if err := each(id, &heading, headingBytes); err != nil {
			return err
		}
	}
	return nil
}

func (b *bearing) addCall(p *Path, call int, shaped bool, trips float64) {
	last := len(p.Calls) - 1
	if call > last || last < 1 {
		return
	}
	from, to := p.Calls[min(call, last-1)], p.Calls[min(call, last-1)+1]
	if shaped {
		from, to = p.Calls[call]-headingReach, p.Calls[call]+headingReach
	}
	if call == last {
		trips *= lastCall
	}
	lat, lon, _, ok := p.At(from)
	toLat, toLon, _, _ := p.At(to)
	if ok {
		b.add(lat, lon, toLat, toLon, trips)
	}
}
