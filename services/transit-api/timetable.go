package transitapi

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/townline/townline/pkg/rest"
)

// A timetable is what realtime answers need to know of one feed version, in memory: which stops are the same place, which
// services run on a day, and the calls of the trips that realtime feeds speak of.
type timetable struct {
	stops    map[string]plannedStop
	byCode   map[string][]string // stop_code → stop_ids
	below    map[string][]string // a station's platforms and their boarding areas; a platform's boarding areas
	services map[string]*calendar
	longest  int // seconds after which nothing of a service day happens any more

	patterns map[int32]*plannedPattern // those met so far; only the goroutine that builds indexes uses it
}

// A plannedStop is a stop of the static feed as far as ids go.
type plannedStop struct {
	StopID        string
	StopCode      *string
	ParentStation *string
}

// A plannedTrip is a trip of the static feed that a realtime feed names.
type plannedTrip struct {
	TripID       string
	RouteID      string
	TripHeadsign *string
	Pattern      *int32
	calls        *plannedPattern // nil for a trip without stop times
}

// A plannedPattern is where a trip calls.
type plannedPattern struct {
	Pattern      int32
	StopSequence []int32
	StopID       []*string // in step
}

// stopAt is the stop that the trip calls at under a sequence number, "" when there is none. A nil trip has none.
func (t *plannedTrip) stopAt(sequence int64) string {
	if t == nil || t.calls == nil {
		return ""
	}
	i, ok := slices.BinarySearchFunc(t.calls.StopSequence, sequence, func(s int32, want int64) int { return int(int64(s) - want) })
	if !ok || t.calls.StopID[i] == nil {
		return ""
	}
	return *t.calls.StopID[i]
}

// Days are counted from 1 January 1970.
type plannedService struct {
	ServiceID string
	Monday    string
	Tuesday   string
	Wednesday string
	Thursday  string
	Friday    string
	Saturday  string
	Sunday    string
	FirstDay  int
	LastDay   int
}

type plannedException struct {
	ServiceID string
	Day       int
	Added     bool
}

// A calendar is when a service runs.
type calendar struct {
	weekdays   [7]bool // by time.Weekday
	first      int
	last       int
	exceptions map[int]bool // true: added
}

// runs tells whether the service runs on a day.
func (c *calendar) runs(day int) bool {
	if c == nil {
		return false
	}
	if added, ok := c.exceptions[day]; ok {
		return added
	}
	return day >= c.first && day <= c.last && c.weekdays[((day+4)%7+7)%7] // 1 January 1970 was a Thursday
}

var plannedStops = rest.SQL[versionKey, plannedStop](`
	SELECT stop_id, stop_code, parent_station
	FROM transit.stop
	WHERE version_id = @version_id
	ORDER BY ord`)

// Services that only calendar_dates.txt knows run on no weekday.
var plannedServices = rest.SQL[versionKey, plannedService](`
	SELECT service_id, monday, tuesday, wednesday, thursday, friday, saturday, sunday,
	       coalesce(start_date - DATE '1970-01-01', 0) AS first_day, coalesce(end_date - DATE '1970-01-01', -1) AS last_day
	FROM transit.service
	WHERE version_id = @version_id`)

var plannedExceptions = rest.SQL[versionKey, plannedException](`
	SELECT service_id, date - DATE '1970-01-01' AS day, exception_type = '1' AS added
	FROM transit.service_date
	WHERE version_id = @version_id`)

var longestDay = rest.SQL[versionKey, int](`
	SELECT coalesce((SELECT max(start_time) FROM transit.trip WHERE version_id = @version_id), 0)
	     + coalesce((SELECT max(greatest(departures[cardinality(departures)], arrivals[cardinality(arrivals)])) FROM transit.profile WHERE version_id = @version_id), 0)
	     + coalesce((SELECT max(end_time) FROM transit.frequency WHERE version_id = @version_id), 0)`)

// timetableQueries are what opening a timetable takes.
func timetableQueries() []rest.Statement {
	return rest.Queries(plannedStops, plannedServices, plannedExceptions, longestDay)
}

func openTimetable(ctx context.Context, db rest.DB, version versionID) (*timetable, error) {
	t := &timetable{stops: map[string]plannedStop{}, byCode: map[string][]string{}, below: map[string][]string{},
		services: map[string]*calendar{}, patterns: map[int32]*plannedPattern{}}
	key := versionKey{version}
	stops, err := plannedStops.List(ctx, db, key)
	if err != nil {
		return nil, fmt.Errorf("read the stops of version %d: %w", version, err)
	}
	for _, s := range stops {
		t.stops[s.StopID] = s
		if s.StopCode != nil {
			t.byCode[*s.StopCode] = append(t.byCode[*s.StopCode], s.StopID)
		}
	}
	for _, s := range stops {
		// A boarding area is below its platform and below its station; a feed may say so in a circle.
		for up, depth := s.ParentStation, 0; up != nil && *up != s.StopID && depth < 3; depth++ {
			t.below[*up] = append(t.below[*up], s.StopID)
			up = t.stops[*up].ParentStation
		}
	}
	services, err := plannedServices.List(ctx, db, key)
	if err != nil {
		return nil, fmt.Errorf("read the services of version %d: %w", version, err)
	}
	for _, s := range services {
		t.services[s.ServiceID] = &calendar{first: s.FirstDay, last: s.LastDay, exceptions: map[int]bool{},
			weekdays: [7]bool{s.Sunday == "1", s.Monday == "1", s.Tuesday == "1", s.Wednesday == "1", s.Thursday == "1", s.Friday == "1", s.Saturday == "1"}}
	}
	exceptions, err := plannedExceptions.List(ctx, db, key)
	if err != nil {
		return nil, fmt.Errorf("read the service dates of version %d: %w", version, err)
	}
	for _, e := range exceptions {
		if c := t.services[e.ServiceID]; c != nil {
			c.exceptions[e.Day] = e.Added
		}
	}
	t.longest, err = longestDay.One(ctx, db, key)
	if err != nil {
		return nil, fmt.Errorf("read the length of a service day of version %d: %w", version, err)
	}
	return t, nil
}

// timetables keeps those of the live versions.
type timetables struct {
	mu    sync.Mutex
	known map[versionID]*timetable
}

// of is the timetable of a version, read at its first use. Those of versions that are not live are forgotten then.
func (ts *timetables) of(ctx context.Context, db rest.DB, version versionID, live *feeds) (*timetable, error) {
	ts.mu.Lock()
	t := ts.known[version]
	ts.mu.Unlock()
	if t != nil {
		return t, nil
	}
	t, err := openTimetable(ctx, db, version)
	if err != nil {
		return nil, err
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if other := ts.known[version]; other != nil {
		return other, nil
	}
	next := map[versionID]*timetable{version: t}
	for _, f := range live.sorted {
		if old := ts.known[f.version]; old != nil {
			next[f.version] = old
		}
	}
	ts.known = next
	return t, nil
}

// serviceDay is a day of service: its number, and the instant that its times count from.
type serviceDay struct {
	day   int
	start int64 // noon less twelve hours, Unix seconds
}

// dayOf is the service day with a number. GTFS counts from noon less twelve hours, which is not midnight on the
// two days when the clock changes.
func dayOf(day int, zone *time.Location) serviceDay {
	d := time.Unix(int64(day)*86400, 0).UTC()
	noon := time.Date(d.Year(), d.Month(), d.Day(), 12, 0, 0, 0, zone)
	return serviceDay{day, noon.Unix() - 12*3600}
}

// dayNumber is the local day of an instant.
func dayNumber(at time.Time, zone *time.Location) int {
	y, m, d := at.In(zone).Date()
	return int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}
