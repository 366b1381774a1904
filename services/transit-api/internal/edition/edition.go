// Package edition holds feed versions in memory.
//
// An [Edition] is one immutable version: routes, stops, trips and calendar, and the calls of trips,
// which are loaded when a request needs them. A [Feed] is an alias with the edition that it serves;
// the [Directory] chooses that edition by transit.feed. Memory is bounded, because feeds come from
// outside.
//
// The package writes nothing and answers no request. Resources that list stored rows query the
// tables themselves, for the version of their feed.
package edition

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// An Edition is one feed version in memory. It is immutable; some parts are loaded on first use. A
// feed that was never imported has the nil Edition, which has no stops and no trips.
type Edition struct {
	Agencies  map[string]Agency // keyed by agency_id
	Stops     []Stop            // indexed by rank
	Languages *lang.Choice      // languages of the feed and its translations; nil without translations
	Bytes     int64             // estimated memory
	// Attached has data of other packages that lives as long as the edition. Keys are of unexported
	// types.
	Attached sync.Map

	routes map[string]*Route
	// byDirection has the route of each direction. The index is the direction's rank.
	byDirection []*Route
	stopAt      map[string]int32
	byCode      map[string][]string // stop_ids, keyed by stop_code
	children    map[string][]string // a station's platforms and boarding areas; a platform's boarding areas
	trips       []Trip              // indexed by rank
	services    map[string]*Service
	calendar    bool // false if the calendar exceeds the memory budget; then there are no boards
	longest     longest
	index       *index // search index of stops

	byStart   func() []*Trip   // by route and start; sorted on first use, because few feeds need it
	byID      []*Trip          // by trip_id; a map would need half as much memory as the trips
	byPattern []*Trip          // by pattern, then rank
	byBlock   func() []*Trip   // by block and start; sorted on first use
	cells     []string         // texts of trips
	lastStops map[int32]string // stop_ids, keyed by the patterns of trips without a headsign

	db        rest.DB
	version   replica.Version
	patterns  *memo[int32, Pattern]
	profiles  *memo[int32, Profile]
	calls     *memo[string, StopCalls]
	headings  *memo[string, string]
	paths     *memo[pathKey, Path]
	texts     *memo[string, Translations]
	spellings map[string][]string // spellings in the feed, keyed by language
}

// A Span is a range of ranks: the children of one parent in a version.
type Span struct{ First, Count int }

// An Agency is a row of agency.txt with its rank and the span of its routes. An empty cell is "".
type Agency struct {
	ID         string `db:"agency_id"`
	Rank       int    `db:"ord"`
	FirstRoute int
	RouteCount int
	Name       string `db:"agency_name"`
	URL        string `db:"agency_url"`
	TimeZone   string `db:"agency_timezone"`
	Language   string `db:"agency_lang"`
	Phone      string `db:"agency_phone"`
	FareURL    string `db:"agency_fare_url"`
	Email      string `db:"agency_email"`
}

// Routes returns the agency's routes.
func (a *Agency) Routes() Span { return Span{a.FirstRoute, a.RouteCount} }

// A Route has the cells of a row of routes.txt that addresses and departures need.
type Route struct {
	ID             string `db:"route_id"`
	AgencyID       string
	Rank           int `db:"ord"`
	FirstTrip      int
	TripCount      int
	FirstDirection int
	DirectionCount int
	RouteNames
}

// Trips returns the route's trips.
func (r *Route) Trips() Span { return Span{r.FirstTrip, r.TripCount} }

// Directions returns the route's directions.
func (r *Route) Directions() Span { return Span{r.FirstDirection, r.DirectionCount} }

// RouteNames has the cells of a route that riders see. A missing Type is "".
type RouteNames struct {
	ShortName *string `db:"route_short_name"`
	LongName  *string `db:"route_long_name"`
	Desc      *string `db:"route_desc"`
	URL       *string `db:"route_url"`
	Color     *string `db:"route_color"`
	TextColor *string `db:"route_text_color"`
	Type      string  `db:"route_type"`
}

// A Trip has the cells of a row of trips.txt that timetables need.
type Trip struct {
	ID       string  `db:"trip_id"`
	Rank     int32   `db:"ord"`
	Pattern  int32   // -1 if it has no calls
	Profile  int32   // -1 if none of its calls has a time
	Start    int32   `db:"start_time"` // first departure in seconds of the service day
	Headsign *string `db:"trip_headsign"`
	// Direction is '0' or '1'; '0' if the feed gives none.
	Direction  byte
	Repeated   bool // frequencies.txt has the trip
	Wheelchair byte // wheelchair_accessible: '1' or '2'; 0 if unknown

	block, shape, short cell // placed here to avoid padding

	Route   *Route   `db:"-"`
	Service *Service `db:"-"`
}

func (t *Trip) HasTimes() bool { return t.Pattern >= 0 && t.Profile >= 0 }

// New returns an edition with stops and trips, without a database.
func New(stops []Stop, trips []Trip) *Edition {
	e := &Edition{Agencies: map[string]Agency{}, routes: map[string]*Route{}, services: map[string]*Service{},
		calendar: true, cells: []string{""}}
	e.patterns = newMemo(patternCallsKept, e.readPatterns)
	e.profiles = newMemo(profileCallsKept, e.readProfiles)
	e.calls = newMemo(stopCallsKept, e.readStopCalls)
	e.paths = newMemo(pathPointsKept, e.readPaths)
	e.headings = newMemo(headingsKept, e.readHeadings)
	e.texts = newMemo(textBytesKept, e.readTexts)
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
	stopBytes    = 900
	routeBytes   = 300
	tripBytes    = 120
	serviceBytes = 300
	dayBytes     = 8
)

// A VersionKey is the argument of queries about one version.
type VersionKey struct{ VersionID replica.Version }

var agencyRows = rest.SQL[VersionKey, Agency](`
	SELECT agency_id, ord, first_route, route_count, coalesce(agency_name, '') AS agency_name,
	       coalesce(agency_url, '') AS agency_url, coalesce(agency_timezone, '') AS agency_timezone,
	       coalesce(agency_lang, '') AS agency_lang, coalesce(agency_phone, '') AS agency_phone,
	       coalesce(agency_fare_url, '') AS agency_fare_url, coalesce(agency_email, '') AS agency_email
	FROM transit.agency
	WHERE version_id = @version_id`)

var routeRows = rest.SQL[VersionKey, Route](`
	SELECT route_id, ord, agency_id, first_trip, trip_count, first_direction, direction_count,
	       route_short_name, route_long_name, route_desc, route_url, route_color, route_text_color,
	         coalesce(route_type, '') AS route_type
	FROM transit.route
	WHERE version_id = @version_id`)

type tripRow struct {
	Trip
	RouteID   string
	ServiceID string
	BlockID   string
	ShapeID   string
	ShortName string `db:"trip_short_name"`
}

var tripRows = rest.SQL[VersionKey, tripRow](`
	SELECT trip_id, ord, coalesce(pattern, -1) AS pattern,
	       CASE WHEN start_time IS NULL THEN -1 ELSE coalesce(profile, -1) END AS profile,
	         coalesce(start_time, 0) AS start_time,
	       trip_headsign, CASE coalesce(direction_id, '0') WHEN '0' THEN 48 WHEN '1' THEN 49 ELSE 0 END AS direction,
	       EXISTS (SELECT FROM transit.frequency q WHERE q.version_id = @version_id AND q.trip_id = t.trip_id) AS repeated,
	       CASE wheelchair_accessible WHEN '1' THEN 49 WHEN '2' THEN 50 ELSE 0 END AS wheelchair, route_id, service_id,
	       coalesce(block_id, '') AS block_id, coalesce(shape_id, '') AS shape_id,
	       coalesce(trip_short_name, '') AS trip_short_name
	FROM transit.trip t
	WHERE version_id = @version_id`)

// read loads a version into at most limit bytes. If only the calendar does not fit, the edition has
// no calendar; if more does not fit, the error is [ErrTooLarge].
func read(ctx context.Context, db rest.DB, v replica.Version, limit int64) (*Edition, error) {
	b := &budget{limit}
	e := New(nil, nil)
	e.db, e.version = db, v
	for _, part := range []struct {
		name string
		read func(context.Context, *budget) error
	}{{"routes", e.readRoutes}, {"stops", e.readStops}, {"trips", e.readTrips}, {"last stops", e.readLastStops},
		{"languages", e.readLanguages}} {
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
			*s = Service{ID: s.ID}
		}
	case err != nil:
		return nil, fmt.Errorf("read services of version %d: %w", v, err)
	default:
		e.Bytes = limit - b.left
	}
	return e, nil
}

func (e *Edition) readRoutes(ctx context.Context, b *budget) error {
	err := agencyRows.Each(ctx, e.db, VersionKey{e.version}, func(a Agency) error {
		e.Agencies[a.ID] = a
		return b.spend(routeBytes + len(a.ID) + len(a.Name) + len(a.URL) + len(a.FareURL) + len(a.Email))
	})
	if err != nil {
		return err
	}
	return routeRows.Each(ctx, e.db, VersionKey{e.version}, func(r Route) error {
		r.AgencyID = e.Agencies[r.AgencyID].ID // all routes of an agency share one string
		e.routes[r.ID] = &r
		for last := r.FirstDirection + r.DirectionCount; len(e.byDirection) < last; {
			e.byDirection = append(e.byDirection, nil)
		}
		for rank := r.FirstDirection; rank < r.FirstDirection+r.DirectionCount; rank++ {
			e.byDirection[rank] = &r
		}
		text := len(r.ID) + len(r.Type)
		for _, cell := range []*string{r.ShortName, r.LongName, r.Desc, r.URL, r.Color, r.TextColor} {
			if cell != nil {
				text += 32 + len(*cell)
			}
		}
		return b.spend(routeBytes + text)
	})
}

func (e *Edition) readTrips(ctx context.Context, b *budget) error {
	count := 0
	for _, r := range e.routes {
		count += r.TripCount
	}
	trips := make([]Trip, 0, min(count, int(b.left/tripBytes))) // append would leave spare capacity
	headsigns := map[string]*string{}
	cells := &interned{all: []string{""}, at: map[string]cell{"": 0}}
	err := tripRows.Each(ctx, e.db, VersionKey{e.version}, func(row tripRow) error {
		t := row.Trip
		t.Route, t.Service = e.routes[row.RouteID], e.service(row.ServiceID)
		if t.Route == nil {
			t.Route = &Route{ID: row.RouteID}
		}
		text := 0
		if to := t.Headsign; to != nil {
			if headsigns[*to] == nil {
				headsigns[*to], text = to, 2*len(*to)
			}
			t.Headsign = headsigns[*to]
		}
		var block, shape, short int
		t.block, block = cells.add(row.BlockID)
		t.shape, shape = cells.add(row.ShapeID)
		t.short, short = cells.add(row.ShortName)
		trips = append(trips, t)
		return b.spend(tripBytes + len(t.ID) + text + block + shape + short)
	})
	e.cells = slices.Clip(cells.all)
	e.indexTrips(trips)
	return err
}

func (e *Edition) service(id string) *Service {
	s := e.services[id]
	if s == nil {
		s = &Service{ID: id}
		e.services[id] = s
	}
	return s
}

func (e *Edition) indexTrips(trips []Trip) {
	slices.SortFunc(trips, func(a, b Trip) int { return int(a.Rank - b.Rank) })
	e.trips = trips
	e.byID = e.sortedBy(func(a, b *Trip) int { return strings.Compare(a.ID, b.ID) })
	e.byStart = sync.OnceValue(func() []*Trip {
		return e.sortedBy(func(a, b *Trip) int { return compareStarts(a, b.Route.ID, b.Start) })
	})
	e.byPattern = e.sortedBy(func(a, b *Trip) int { return cmp.Compare(a.Pattern, b.Pattern) })
	e.byBlock = sync.OnceValue(func() []*Trip {
		return e.sortedBy(func(a, b *Trip) int {
			return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.Start, b.Start))
		})
	})
}

// Label returns the name of the route for riders: short and long name, or one of them, or the id.
func (r *Route) Label() string {
	switch {
	case r.ShortName != nil && r.LongName != nil:
		return *r.ShortName + " " + *r.LongName
	case r.ShortName != nil:
		return *r.ShortName
	case r.LongName != nil:
		return *r.LongName
	}
	return r.ID
}

func (e *Edition) Routes() []*Route {
	return slices.SortedFunc(maps.Values(e.routes), func(a, b *Route) int { return a.Rank - b.Rank })
}

// Route returns the route with a route_id; nil if there is none.
func (e *Edition) Route(id string) *Route {
	if e == nil {
		return nil
	}
	return e.routes[id]
}

// Trip returns the trip with a trip_id; nil if there is none.
func (e *Edition) Trip(id string) *Trip {
	if e == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(e.byID, id, func(t *Trip, id string) int { return strings.Compare(t.ID, id) })
	if !ok {
		return nil
	}
	return e.byID[i]
}

func compareStarts(t *Trip, route string, start int32) int {
	return cmp.Or(strings.Compare(t.Route.ID, route), cmp.Compare(t.Start, start))
}

// sortedBy sorts the trips by compare, then by rank.
func (e *Edition) sortedBy(compare func(a, b *Trip) int) []*Trip {
	all := make([]*Trip, len(e.trips))
	for i := range all {
		all[i] = &e.trips[i]
	}
	slices.SortStableFunc(all, compare)
	return all
}

// equal returns the trips for which compare returns 0, from a list sorted by compare.
func equal(all []*Trip, compare func(*Trip) int) []*Trip {
	from := sort.Search(len(all), func(i int) bool { return compare(all[i]) >= 0 })
	n := sort.Search(len(all)-from, func(i int) bool { return compare(all[from+i]) > 0 })
	return all[from : from+n]
}

// Starting returns the trips of a route whose first departure is at start, in seconds of the
// service day.
func (e *Edition) Starting(route string, start int32) []*Trip {
	if e == nil {
		return nil
	}
	return equal(e.byStart(), func(t *Trip) int { return compareStarts(t, route, start) })
}

// Following returns the trips of a pattern by rank.
func (e *Edition) Following(pattern int32) []*Trip {
	return equal(e.byPattern, func(t *Trip) int { return cmp.Compare(t.Pattern, pattern) })
}
