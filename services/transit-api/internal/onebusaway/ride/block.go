package ride

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/kept"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// InBlock returns the trips with a block_id, of all services, by first departure. It omits trips
// without times.
func InBlock(e *edition.Edition, id string) (all []*edition.Trip) {
	if e == nil || id == "" {
		return nil
	}
	for _, t := range sharing(e, id) {
		if t.HasTimes() {
			all = append(all, t)
		}
	}
	return all
}

// BlockOn returns the trips that a vehicle runs on a service day, including trip t, in order. place
// is the index of t. A trip without a block is alone.
func BlockOn(e *edition.Edition, t *edition.Trip, day int) (all []*edition.Trip, place int) {
	if t.BlockID == nil || !t.HasTimes() {
		return []*edition.Trip{t}, 0
	}
	for _, other := range sharing(e, *t.BlockID) {
		if other == t {
			place = len(all)
		}
		if other == t || other.HasTimes() && other.Service.Runs(day) {
			all = append(all, other)
		}
	}
	return all, place
}

// sharing returns the trips of a block by start.
func sharing(e *edition.Edition, block string) []*edition.Trip {
	trips := blocks(e)
	from := sort.Search(len(trips), func(i int) bool { return *trips[i].BlockID >= block })
	n := sort.Search(len(trips)-from, func(i int) bool { return *trips[from+i].BlockID > block })
	return trips[from : from+n]
}

const tripPointerBytes = 8

// blocks returns the trips with a block, by block and start. The edition keeps them, sorted on
// first use.
func blocks(e *edition.Edition) []*edition.Trip {
	memo := kept.Memo[string, []*edition.Trip]{Cache: e.Kept(), Key: kept.ByID(kept.Blocks)}
	if found := memo.Find(""); found != nil {
		return *found
	}
	var trips []*edition.Trip
	all := e.Trips()
	for i := range all {
		if all[i].BlockID != nil {
			trips = append(trips, &all[i])
		}
	}
	slices.SortStableFunc(trips, func(a, b *edition.Trip) int {
		return cmp.Or(strings.Compare(wire.Text(a.BlockID), wire.Text(b.BlockID)), cmp.Compare(a.Start, b.Start))
	})
	memo.Keep("", &trips, tripPointerBytes*len(trips))
	return trips
}
