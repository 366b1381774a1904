// Package edition holds feed versions in memory.
//
// An [Edition] is one immutable version: agencies, routes, stops, trips and services, each of whose
// structs is the row and its JSON, and the calls of trips, which are loaded when a request needs
// them. A [Feed] is an alias with the edition that it serves;
// the [Directory] chooses that edition by transit.feed. Memory is bounded, because feeds come from
// outside.
//
// A field with texts has the tag translate. The package writes nothing and answers no request.
package edition

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/kept"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// An Edition is one feed version in memory. It is immutable; some parts are loaded on first use. A
// feed that was never imported has the nil Edition, which has no stops and no trips.
type Edition struct {
	Agencies  []Agency     // by rank
	Services  []*Service   // by rank
	Stops     []Stop       // indexed by rank
	Languages *lang.Choice // languages of the feed and its translations; nil without translations
	Bytes     int64        // estimated memory
	// Network has the lines of the map. Package tile loads and reads it.
	Network atomic.Value

	agencyAt   map[string]int32
	routeAt    map[string]int32
	routes     []Route     // by rank
	directions []Direction // by rank
	stopAt     map[string]int32
	byCode     map[string][]string // stop_ids, keyed by stop_code
	children   map[string][]string // a station's platforms and boarding areas; a platform's boarding areas
	trips      []Trip              // indexed by rank
	services   map[string]*Service
	calendar   bool // false if the calendar exceeds the memory budget; then there are no boards
	longest    longest
	index      *index // search index of stops

	byStart   func() []int32   // trips by route and start; sorted on first use, because few feeds need it
	byID      []int32          // trips by trip_id; a map would need half as much memory as the trips
	byPattern []int32          // trips by pattern, then rank
	lastStops map[int32]string // stop_ids, keyed by the patterns of trips without a headsign

	db            rest.DB
	version       replica.Version
	kept          kept.Cache
	alter         func(*Route) // changes routes as the operator wants; may be nil
	patterns      *kept.Memo[int32, Pattern]
	profiles      *kept.Memo[int32, Profile]
	calls         *kept.Memo[string, StopCalls]
	texts         *kept.Memo[string, Translations]
	orders        *kept.Memo[int32, Order]
	patternOrders *kept.Memo[orderKey, PatternOrder]
	spellings     map[string][]string // spellings in the feed, keyed by language
}

// keptBytes bounds the rows of an edition that are read when a request needs them and stay in memory.
// It suffices for all calls of most feeds.
const keptBytes = 64 << 20

// Kept returns the cache of the edition, for rows of packages that read more of it.
func (e *Edition) Kept() kept.Cache { return e.kept }

// DB returns the database of the edition.
func (e *Edition) DB() rest.DB { return e.db }

// Key returns the argument of queries about the edition alone.
func (e *Edition) Key() VersionKey { return VersionKey{e.version} }

// A Span is a range of ranks: the children of one parent in a version.
type Span struct{ First, Count int }

// New returns an edition with stops and trips, without a database.
func New(stops []Stop, trips []Trip) *Edition {
	e := &Edition{services: map[string]*Service{}, calendar: true}
	e.kept = kept.NewCache(keptBytes)
	e.patterns = &kept.Memo[int32, Pattern]{Cache: e.kept, Key: kept.ByNumber(kept.Patterns), Read: e.readPatterns}
	e.profiles = &kept.Memo[int32, Profile]{Cache: e.kept, Key: kept.ByNumber(kept.Profiles), Read: e.readProfiles}
	e.calls = &kept.Memo[string, StopCalls]{Cache: e.kept, Key: kept.ByID(kept.StopCalls), Read: e.readStopCalls}
	e.texts = &kept.Memo[string, Translations]{Cache: e.kept, Key: kept.ByID(kept.Texts), Read: e.readTexts}
	e.orders = &kept.Memo[int32, Order]{Cache: e.kept, Key: kept.ByNumber(kept.Orders), Read: e.readOrders}
	e.patternOrders = &kept.Memo[orderKey, PatternOrder]{Cache: e.kept, Key: orderKey.row, Read: e.readPatternOrders}
	e.indexStops(stops)
	e.indexTrips(trips)
	return e
}

type budget struct{ left int64 }

// ErrTooLarge means that data exceeds its memory budget.
var ErrTooLarge = errors.New("exceeds its memory budget")

// spend subtracts bytes from the budget. It returns [ErrTooLarge] if fewer are left.
func (b *budget) spend(bytes int) error {
	b.left -= int64(bytes)
	if b.left < 0 {
		return ErrTooLarge
	}
	return nil
}

// Measured memory per row without its texts, including map entries and spare capacity of slices.
const (
	stopBytes      = 900
	agencyBytes    = 250
	routeBytes     = 350
	directionBytes = 120
	extraBytes     = 100 // of a further key of a route
	tripBytes      = 120
	serviceBytes   = 300
	dayBytes       = 8
)

// A VersionKey is the argument of queries about one version.
type VersionKey struct{ VersionID replica.Version }

// read loads a version into at most limit bytes. If only the calendar does not fit, the edition has
// no calendar; if more does not fit, the error is [ErrTooLarge].
func read(
	ctx context.Context, db rest.DB, v replica.Version, alter func(*Route), limit int64,
) (*Edition, error) {
	b := &budget{limit}
	e := New(nil, nil)
	e.db = db
	e.version = v
	e.alter = alter
	for _, part := range []struct {
		name string
		read func(context.Context, *budget) error
	}{{"agencies", e.readAgencies}, {"routes", e.readRoutes}, {"directions", e.readDirections},
		{"stops", e.readStops}, {"services", e.readServices},
		{"trips", e.readTrips}, {"last stops", e.readLastStops}, {"languages", e.readLanguages}} {
		if err := part.read(ctx, b); err != nil {
			return nil, fmt.Errorf("read %s of version %d: %w", part.name, v, err)
		}
	}
	e.Bytes = limit - b.left
	err := e.readCalendar(ctx, b)
	switch {
	case errors.Is(err, ErrTooLarge):
		e.calendar = false
		for _, s := range e.services {
			s.Added, s.Removed = nil, nil
		}
	case err != nil:
		return nil, fmt.Errorf("read services of version %d: %w", v, err)
	default:
		e.Bytes = limit - b.left
	}
	return e, nil
}

func (e *Edition) service(id string) *Service {
	s := e.services[id]
	if s == nil {
		s = &Service{ServiceID: id}
		e.services[id] = s
	}
	return s
}

func (e *Edition) indexTrips(trips []Trip) {
	slices.SortFunc(trips, func(a, b Trip) int { return int(a.Rank - b.Rank) })
	e.trips = trips
	e.byID = e.sortedBy(func(a, b *Trip) int { return strings.Compare(a.TripID, b.TripID) })
	e.byStart = sync.OnceValue(func() []int32 {
		return e.sortedBy(func(a, b *Trip) int { return compareStarts(a, b.Route.RouteID, b.Start) })
	})
	e.byPattern = e.sortedBy(func(a, b *Trip) int { return cmp.Compare(a.Pattern, b.Pattern) })
}

// Trip returns the trip with a trip_id; nil if there is none.
func (e *Edition) Trip(id string) *Trip {
	if e == nil {
		return nil
	}
	found := e.equal(e.byID, func(t *Trip) int { return strings.Compare(t.TripID, id) })
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

func compareStarts(t *Trip, route string, start int32) int {
	return cmp.Or(strings.Compare(t.Route.RouteID, route), cmp.Compare(t.Start, start))
}

// sortedBy returns the indexes of the trips, sorted by compare, then by rank.
func (e *Edition) sortedBy(compare func(a, b *Trip) int) []int32 {
	all := make([]int32, len(e.trips))
	for i := range all {
		all[i] = int32(i)
	}
	slices.SortStableFunc(all, func(a, b int32) int { return compare(&e.trips[a], &e.trips[b]) })
	return all
}

// equal returns the trips for which compare returns 0, from indexes sorted by compare.
func (e *Edition) equal(all []int32, compare func(*Trip) int) []*Trip {
	from := sort.Search(len(all), func(i int) bool { return compare(&e.trips[all[i]]) >= 0 })
	n := sort.Search(len(all)-from, func(i int) bool { return compare(&e.trips[all[from+i]]) > 0 })
	if n == 0 {
		return nil
	}
	found := make([]*Trip, n)
	for i := range found {
		found[i] = &e.trips[all[from+i]]
	}
	return found
}

// Starting returns the trips of a route whose first departure is at start, in seconds of the
// service day.
func (e *Edition) Starting(route string, start int32) []*Trip {
	if e == nil {
		return nil
	}
	return e.equal(e.byStart(), func(t *Trip) int { return compareStarts(t, route, start) })
}

// Following returns the trips of a pattern by rank.
func (e *Edition) Following(pattern int32) []*Trip {
	return e.equal(e.byPattern, func(t *Trip) int { return cmp.Compare(t.Pattern, pattern) })
}
