package transitapi

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
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
	calls    int                       // of them

	runs runCache // of the trips on departure boards
}

// A plannedStop is a stop of the static feed as far as ids go.
type plannedStop struct {
	StopCode      *string
	ParentStation *string
}

// A plannedTrip is a trip of the static feed that a realtime feed names.
type plannedTrip struct {
	TripID       string
	RouteID      string
	TripHeadsign *string
	ServiceID    string
	Pattern      *int32
	Profile      *int32
	StartTime    *int32
	calls        *plannedPattern // nil for a trip without stop times
}

// onBoard is the trip as departure boards have it; nil for one that has no times.
func (t *plannedTrip) onBoard() *boardTrip {
	if t == nil || t.Pattern == nil || t.Profile == nil || t.StartTime == nil {
		return nil
	}
	return &boardTrip{TripID: t.TripID, RouteID: t.RouteID, ServiceID: t.ServiceID, TripHeadsign: t.TripHeadsign,
		Pattern: *t.Pattern, Profile: *t.Profile, StartTime: *t.StartTime}
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

// A plannedService is a row of calendar.txt with all rows of calendar_dates.txt. Days are counted from 1 January 1970.
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
	Added     []int32
	Removed   []int32
}

// A calendar is when a service runs.
type calendar struct {
	weekdays [7]bool // by time.Weekday
	first    int
	last     int
	added    []int32 // days, ascending, and so the removed ones
	removed  []int32
}

// runs tells whether the service runs on a day.
func (c *calendar) runs(day int) bool {
	if c == nil {
		return false
	}
	if _, ok := slices.BinarySearch(c.added, int32(day)); ok {
		return true
	}
	if _, ok := slices.BinarySearch(c.removed, int32(day)); ok {
		return false
	}
	return day >= c.first && day <= c.last && c.weekdays[((day+4)%7+7)%7] // 1 January 1970 was a Thursday
}

// Services that only calendar_dates.txt knows run on no weekday. A feed may have millions of exceptions: they come as one
// list a service, with four bytes a day, and of some services at a time, so that no statement takes long.
var plannedServices = rest.SQL[ranks, plannedService](`
	SELECT s.service_id, s.monday, s.tuesday, s.wednesday, s.thursday, s.friday, s.saturday, s.sunday,
	       coalesce(s.start_date - DATE '1970-01-01', 0) AS first_day, coalesce(s.end_date - DATE '1970-01-01', -1) AS last_day,
	       d.added, d.removed
	FROM transit.service s
	CROSS JOIN LATERAL (
	  SELECT array_agg(date - DATE '1970-01-01') FILTER (WHERE exception_type = '1') AS added,
	         array_agg(date - DATE '1970-01-01') FILTER (WHERE exception_type <> '1') AS removed
	  FROM transit.service_date
	  WHERE version_id = @version_id AND service_id = s.service_id) AS d
	WHERE s.version_id = @version_id AND s.ord >= @low AND s.ord < @high`)

// servicesAtOnce is how many services are read by one statement.
const servicesAtOnce = 500

var longestDay = rest.SQL[versionKey, int](`
	SELECT coalesce((SELECT max(start_time) FROM transit.trip WHERE version_id = @version_id), 0)
	     + coalesce((SELECT max(greatest(departures[cardinality(departures)], arrivals[cardinality(arrivals)])) FROM transit.profile WHERE version_id = @version_id), 0)
	     + coalesce((SELECT max(end_time) FROM transit.frequency WHERE version_id = @version_id), 0)`)

// timetableQueries are what opening a timetable takes.
func timetableQueries() []rest.Statement {
	return rest.Queries(plannedServices, longestDay)
}

func openTimetable(ctx context.Context, db rest.DB, version replica.Version, x *index, b *budget) (*timetable, error) {
	t := &timetable{stops: make(map[string]plannedStop, len(x.stops)), byCode: map[string][]string{}, below: map[string][]string{},
		services: map[string]*calendar{}, patterns: map[int32]*plannedPattern{}}
	for i := range x.stops {
		s := &x.stops[i].Stop
		t.stops[s.StopID] = plannedStop{s.StopCode, s.ParentStation}
		if s.StopCode != nil {
			t.byCode[*s.StopCode] = append(t.byCode[*s.StopCode], s.StopID)
		}
	}
	for i := range x.stops {
		t.put(x.stops[i].StopID)
	}
	key := versionKey{version}
	add := func(s plannedService) error {
		slices.Sort(s.Added)
		slices.Sort(s.Removed)
		t.services[s.ServiceID] = &calendar{first: s.FirstDay, last: s.LastDay, added: s.Added, removed: s.Removed,
			weekdays: [7]bool{s.Sunday == "1", s.Monday == "1", s.Tuesday == "1", s.Wednesday == "1", s.Thursday == "1", s.Friday == "1", s.Saturday == "1"}}
		return b.take(serviceBytes + len(s.ServiceID) + dayBytes*(len(s.Added)+len(s.Removed)))
	}
	for low, before := 0, -1; before < len(t.services); low += servicesAtOnce { // up to a part in which there are none
		before = len(t.services)
		if err := plannedServices.Each(ctx, db, ranks{version, low, low + servicesAtOnce}, add); err != nil {
			return nil, fmt.Errorf("read the services of version %d: %w", version, err)
		}
	}
	var err error
	t.longest, err = longestDay.One(ctx, db, key)
	if err != nil {
		return nil, fmt.Errorf("read the length of a service day of version %d: %w", version, err)
	}
	return t, nil
}

// put notes a stop below its platform and below its station, each once: a feed may say in a circle what is below what.
func (t *timetable) put(id string) {
	met := []string{id}
	for up := t.stops[id].ParentStation; up != nil && len(met) <= 3 && !slices.Contains(met, *up); up = t.stops[*up].ParentStation {
		t.below[*up] = append(t.below[*up], id)
		met = append(met, *up)
	}
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
