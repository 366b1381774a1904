package observe

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/gtfsrt/assign"
	"github.com/townline/townline/pkg/pg"
)

// maxTrips bounds the trips in memory; beyond it all are dropped and read again.
const maxTrips = 200_000

// feedTimetable reads the trips of the live version of a feed when messages first name them.
type feedTimetable struct {
	db       *pgxpool.Pool
	version  int32 // 0 if no feed was imported
	zone     Zone
	trips    map[string]*Trip // nil if the feed does not have the trip
	patterns map[int32]*Pattern
	profiles map[int32]*profile
	expected map[[2]int32][]int32 // times by pattern and profile, if the feed has distances for omitted ones
	services map[string]*Service
	codes    map[string]string     // stop_code by stop_id
	named    map[string]*namedTrip // by description; nil if it means no single trip
}

type profile struct {
	Profile    int32
	Departures []*int32
	Arrivals   []*int32

	departures, arrivals, expected []int32
	gaps                           bool // the feed omits some times
}

// Trip implements Timetable.
func (t *feedTimetable) Trip(id string) *Trip { return t.trips[id] }

// openTimetable reads the services of the live version of a feed.
func openTimetable(ctx context.Context, db *pgxpool.Pool, alias string) (*feedTimetable, error) {
	t := &feedTimetable{db: db, zone: Zone{time.UTC}}
	live, err := pg.List[struct {
		VersionID int32
		TimeZone  *string
	}](ctx, db, `
		SELECT v.version_id, v.time_zone
		FROM transit.feed f JOIN transit.feed_version v ON v.version_id = f.version_id
		WHERE f.alias = $1 AND f.removed_at IS NULL`, alias)
	if err != nil {
		return nil, fmt.Errorf("read the version of %s: %w", alias, err)
	}
	t.clear()
	if len(live) == 0 {
		return t, nil
	}
	t.version = live[0].VersionID
	if live[0].TimeZone != nil {
		if zone, err := time.LoadLocation(*live[0].TimeZone); err == nil {
			t.zone = Zone{zone}
		}
	}
	rows, err := pg.List[struct {
		ServiceID string
		Service
	}](ctx, db, `
		SELECT s.service_id, concat(s.sunday, s.monday, s.tuesday, s.wednesday, s.thursday, s.friday, s.saturday) AS weekdays,
		       coalesce(s.start_date - DATE '1970-01-01', 0) AS first, coalesce(s.end_date - DATE '1970-01-01', -1) AS last,
		       d.added, d.removed
		FROM transit.service s
		CROSS JOIN LATERAL (
		  SELECT array_agg(date - DATE '1970-01-01' ORDER BY date) FILTER (WHERE exception_type = '1') AS added,
		         array_agg(date - DATE '1970-01-01' ORDER BY date) FILTER (WHERE exception_type <> '1') AS removed
		  FROM transit.service_date WHERE version_id = $1 AND service_id = s.service_id) d
		WHERE s.version_id = $1`, t.version)
	if err != nil {
		return nil, fmt.Errorf("read the services of version %d: %w", t.version, err)
	}
	for i := range rows {
		t.services[rows[i].ServiceID] = &rows[i].Service
	}
	return t, t.readCodes(ctx)
}

func (t *feedTimetable) readCodes(ctx context.Context) error {
	stops, err := pg.List[struct{ StopID, StopCode string }](ctx, t.db, `
		SELECT stop_id, stop_code FROM transit.stop
		WHERE version_id = $1 AND stop_code IS NOT NULL AND stop_code <> stop_id`, t.version)
	if err != nil {
		return fmt.Errorf("read the stops of version %d: %w", t.version, err)
	}
	t.codes = make(map[string]string, len(stops))
	for _, s := range stops {
		t.codes[s.StopID] = s.StopCode
	}
	return nil
}

func (t *feedTimetable) clear() {
	t.trips = map[string]*Trip{}
	t.patterns = map[int32]*Pattern{}
	t.profiles = map[int32]*profile{}
	t.expected = map[[2]int32][]int32{}
	t.named = map[string]*namedTrip{}
	if t.services == nil {
		t.services = map[string]*Service{}
	}
}

// isLive reports whether the timetable is the live version of the feed.
func (t *feedTimetable) isLive(ctx context.Context, alias string) (bool, error) {
	version, err := pg.Value[int32](ctx, t.db, `
		SELECT coalesce((SELECT version_id FROM transit.feed WHERE alias = $1 AND removed_at IS NULL), 0)`, alias)
	if err != nil {
		return false, fmt.Errorf("read the version of %s: %w", alias, err)
	}
	return version == t.version, nil
}

// load reads the trips that a message names and that are not in memory.
func (t *feedTimetable) load(ctx context.Context, m *gtfsrt.Message) error {
	if len(t.trips) > maxTrips {
		t.clear()
	}
	var ids []string
	want := func(id string) {
		if _, met := t.trips[id]; !met && id != "" && len(id) <= maxID && plain(id) {
			t.trips[id] = nil
			ids = append(ids, id)
		}
	}
	for i := range m.TripUpdates {
		want(string(m.TripUpdates[i].TripID))
	}
	for i := range m.Vehicles {
		want(string(m.Vehicles[i].TripID))
	}
	return t.read(ctx, ids)
}

const tripColumns = `t.trip_id, t.route_id, coalesce(t.direction_id, '') AS direction_id, t.service_id, t.pattern,
	coalesce(t.profile, -1) AS profile, coalesce(t.start_time, 0) AS start_time`

type tripRow struct {
	TripID, RouteID, DirectionID, ServiceID string
	Pattern, Profile, StartTime             int32
}

// read reads trips with calls by their ids.
func (t *feedTimetable) read(ctx context.Context, ids []string) error {
	if len(ids) == 0 || t.version == 0 {
		return nil
	}
	rows, err := pg.List[tripRow](ctx, t.db, `SELECT `+tripColumns+` FROM transit.trip t
		WHERE t.version_id = $1 AND t.trip_id = ANY($2) AND t.pattern IS NOT NULL`, t.version, ids)
	if err != nil {
		return fmt.Errorf("read trips of version %d: %w", t.version, err)
	}
	_, err = t.keep(ctx, rows)
	return err
}

// keep reads what belongs to trips: their calls, times and headways.
func (t *feedTimetable) keep(ctx context.Context, rows []tripRow) ([]*Trip, error) {
	if err := t.readCalls(ctx, rows); err != nil {
		return nil, err
	}
	var all []*Trip
	var ids []string
	for _, row := range rows {
		if known := t.trips[row.TripID]; known != nil {
			all = append(all, known)
			continue
		}
		pattern := t.patterns[row.Pattern]
		if pattern == nil || len(pattern.Sequences) == 0 {
			continue
		}
		trip := &Trip{ID: row.TripID, Route: row.RouteID, Direction: row.DirectionID, Service: t.services[row.ServiceID],
			Start: row.StartTime, Pattern: pattern}
		if p := t.profiles[row.Profile]; p != nil && len(p.departures) == len(pattern.Sequences) {
			trip.Arrivals = p.arrivals
			trip.Departures = p.departures
			trip.Expected = p.expected
			if p.gaps && pattern.distances != nil {
				of := [2]int32{row.Pattern, row.Profile}
				if t.expected[of] == nil {
					t.expected[of] = expected(p.arrivals, p.departures, pattern.distances)
				}
				trip.Expected = t.expected[of]
			}
		} else {
			trip.Arrivals = slicesOf(None, len(pattern.Sequences))
			trip.Departures, trip.Expected = trip.Arrivals, make([]int32, len(pattern.Sequences))
		}
		t.trips[row.TripID] = trip
		all, ids = append(all, trip), append(ids, row.TripID)
	}
	if len(ids) == 0 {
		return all, nil
	}
	headways, err := pg.List[struct {
		TripID                          string
		StartTime, EndTime, HeadwaySecs int32
		Exact                           bool
	}](ctx, t.db, `
		SELECT trip_id, start_time, end_time, headway_secs, coalesce(exact_times, '0') = '1' AS exact
		FROM transit.frequency WHERE version_id = $1 AND trip_id = ANY($2)`, t.version, ids)
	if err != nil {
		return nil, fmt.Errorf("read headways of version %d: %w", t.version, err)
	}
	for _, h := range headways {
		trip := t.trips[h.TripID]
		trip.Headways = append(trip.Headways, Headway{From: h.StartTime, To: h.EndTime, Every: h.HeadwaySecs, Exact: h.Exact})
	}
	return all, nil
}

func slicesOf(value int32, n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = value
	}
	return all
}

func (t *feedTimetable) readCalls(ctx context.Context, rows []tripRow) error {
	var patterns, profiles []int32
	for _, row := range rows {
		if _, met := t.patterns[row.Pattern]; !met {
			t.patterns[row.Pattern] = nil
			patterns = append(patterns, row.Pattern)
		}
		if _, met := t.profiles[row.Profile]; !met && row.Profile >= 0 {
			t.profiles[row.Profile] = nil
			profiles = append(profiles, row.Profile)
		}
	}
	if len(patterns) > 0 {
		all, err := pg.List[struct {
			Pattern      int32
			StopSequence []int32
			StopID       []*string
			Timepoint    []*string

			ShapeDistTraveled []*string
		}](ctx, t.db, `SELECT pattern, stop_sequence, stop_id, timepoint, shape_dist_traveled FROM transit.pattern
			WHERE version_id = $1 AND pattern = ANY($2)`, t.version, patterns)
		if err != nil {
			return fmt.Errorf("read calls of version %d: %w", t.version, err)
		}
		for _, row := range all {
			p := newPattern(row.StopSequence, row.StopID, row.Timepoint)
			p.Codes = t.codes
			p.distances = assign.Distances(row.ShapeDistTraveled, len(row.StopSequence))
			t.patterns[row.Pattern] = p
		}
	}
	if len(profiles) == 0 {
		return nil
	}
	all, err := pg.List[profile](ctx, t.db, `SELECT profile, departures, arrivals FROM transit.profile
		WHERE version_id = $1 AND profile = ANY($2)`, t.version, profiles)
	if err != nil {
		return fmt.Errorf("read times of version %d: %w", t.version, err)
	}
	for i := range all {
		all[i].decode()
		t.profiles[all[i].Profile] = &all[i]
	}
	return nil
}

// newPattern converts the columns of a pattern. A timepoint is not exact if its cell is 0.
func newPattern(sequences []int32, stops, timepoints []*string) *Pattern {
	p := &Pattern{Sequences: sequences, Stops: make([]string, len(sequences)), StopIDs: stops}
	for i, id := range stops {
		if id != nil && i < len(p.Stops) {
			p.Stops[i] = *id
		}
	}
	if len(timepoints) > 0 {
		p.Timepoints = make([]bool, len(sequences))
		for i := range p.Timepoints {
			cell := timepoints[min(i, len(timepoints)-1)]
			p.Timepoints[i] = cell == nil || *cell != "0"
		}
	}
	return p
}

// decode fills in times of the profile that equal others.
func (p *profile) decode() {
	p.departures, p.arrivals = cells(p.Departures), cells(p.Arrivals)
	if p.Arrivals == nil {
		p.arrivals = p.departures
	}
	p.expected = expected(p.arrivals, p.departures, nil)
	p.gaps = slices.Contains(p.departures, None)
	p.Departures, p.Arrivals = nil, nil
}

// expected returns the arrivals, with values for calls without a time.
func expected(arrivals, departures []int32, distances []float64) []int32 {
	return assign.Expected(len(arrivals), func(i int) (arrival, departure int32, ok bool) {
		arrival, departure = arrivals[i], departures[i]
		if arrival == None {
			arrival = departure
		}
		if departure == None {
			departure = arrival
		}
		return arrival, departure, arrival != None
	}, distances)
}

func cells(from []*int32) []int32 {
	all := slicesOf(None, len(from))
	for i, at := range from {
		if at != nil {
			all[i] = *at
		}
	}
	return all
}

// planned returns the runs of a day that end after one second of the day and until another.
func (t *feedTimetable) planned(ctx context.Context, day, after, until int32) ([]Planned, error) {
	var services []string
	for id, s := range t.services {
		if s.Runs(day) {
			services = append(services, id)
		}
	}
	if len(services) == 0 || t.version == 0 {
		return nil, nil
	}
	rows, err := pg.List[tripRow](ctx, t.db, `SELECT `+tripColumns+`
		FROM transit.trip t JOIN transit.profile p ON p.version_id = t.version_id AND p.profile = t.profile
		CROSS JOIN LATERAL (SELECT t.start_time + greatest(p.departures[cardinality(p.departures)],
		  p.arrivals[cardinality(p.arrivals)], 0) AS at) AS over
		WHERE t.version_id = $1 AND t.service_id = ANY($2) AND t.pattern IS NOT NULL
		  AND (over.at > $3 AND over.at <= $4
		       OR EXISTS (SELECT FROM transit.frequency f WHERE f.version_id = $1 AND f.trip_id = t.trip_id))`,
		t.version, services, after, until)
	if err != nil {
		return nil, fmt.Errorf("read the trips of a day of version %d: %w", t.version, err)
	}
	trips, err := t.keep(ctx, rows)
	if err != nil {
		return nil, err
	}
	var all []Planned
	add := func(p Planned) {
		if end := p.End(); end > after && end <= until {
			all = append(all, p)
		}
	}
	for _, trip := range trips {
		if len(trip.Headways) == 0 {
			add(Planned{Trip: trip, Start: None})
		}
		for _, h := range trip.Headways {
			for start := h.From; h.Every > 0 && start < h.To; start += h.Every {
				p := Planned{Trip: trip, Start: start}
				if !h.Exact {
					p.Every = h.Every
				}
				add(p)
			}
		}
	}
	return all, nil
}
