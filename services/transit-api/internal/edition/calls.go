package edition

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/pkg/gtfsrt/assign"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/kept"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// Cells is a column of a pattern: nil if all cells are empty, one element if all are equal.
type Cells []*string

func (c Cells) At(i int) *string {
	switch len(c) {
	case 0:
		return nil
	case 1:
		return c[0]
	}
	return c[i]
}

// CallColumns are the columns of stop_times.txt besides stops and times.
type CallColumns[C any] struct {
	LocationGroupID          C `json:"location_group_id"`
	StopHeadsign             C `json:"stop_headsign"`
	StartPickupDropOffWindow C `json:"start_pickup_drop_off_window"`
	EndPickupDropOffWindow   C `json:"end_pickup_drop_off_window"`
	PickupType               C `json:"pickup_type"`
	DropOffType              C `json:"drop_off_type"`
	ContinuousPickup         C `json:"continuous_pickup"`
	ContinuousDropOff        C `json:"continuous_drop_off"`
	ShapeDistTraveled        C `json:"shape_dist_traveled"`
	Timepoint                C `json:"timepoint"`
	PickupBookingRuleID      C `json:"pickup_booking_rule_id"`
	DropOffBookingRuleID     C `json:"drop_off_booking_rule_id"`
	LocationID               C `json:"location_id,omitempty" doc:"The zone of locations.geojson, where it is one that riders are collected in."`
}

// Columns returns the columns in this order.
func (c *CallColumns[C]) Columns() [cellsPerCall]*C {
	return [...]*C{&c.LocationGroupID, &c.StopHeadsign, &c.StartPickupDropOffWindow, &c.EndPickupDropOffWindow,
		&c.PickupType, &c.DropOffType, &c.ContinuousPickup, &c.ContinuousDropOff, &c.ShapeDistTraveled, &c.Timepoint,
		&c.PickupBookingRuleID, &c.DropOffBookingRuleID, &c.LocationID}
}

// A Pattern holds the calls of trips without times. Lists have one element per call.
type Pattern struct {
	Number       int32 `db:"pattern"`
	StopSequence []int32
	StopID       []*string
	CallColumns[Cells]
}

type numbers struct {
	VersionID replica.Version
	Numbers   []int32
}

const patternColumns = `
	pattern, stop_sequence, stop_id, location_group_id, stop_headsign,
	start_pickup_drop_off_window, end_pickup_drop_off_window, pickup_type, drop_off_type,
	continuous_pickup, continuous_drop_off, shape_dist_traveled, timepoint,
	pickup_booking_rule_id, drop_off_booking_rule_id, location_id`

var patternsByNumber = rest.SQL[numbers, Pattern](`
	SELECT ` + patternColumns + `
	FROM transit.pattern
	WHERE version_id = @version_id AND pattern = ANY (@numbers::integer[])`)

// A Profile has the times of trips in seconds from their start.
type Profile struct {
	Number     int32 `db:"profile"`
	Departures []pgtype.Int4
	Arrivals   []pgtype.Int4 // nil if equal to the departures

	expected []int32 // arrivals; missing ones are interpolated
	gaps     bool    // the feed omits some times
}

var profilesByNumber = rest.SQL[numbers, Profile](`
	SELECT profile, departures, arrivals
	FROM transit.profile
	WHERE version_id = @version_id AND profile = ANY (@numbers::integer[])`)

var tripCalls = rest.SQL[tripCallsKey, tripCallsRow](`
	SELECT ` + patternColumns + `, profile, departures, arrivals
	FROM transit.pattern JOIN transit.profile USING (version_id)
	WHERE version_id = @version_id AND pattern = @pattern AND profile = @profile`)

type tripCallsKey struct {
	VersionID        replica.Version
	Pattern, Profile int32
}

type tripCallsRow struct {
	Pattern
	Profile
}

const (
	patternCellBytes = 8
	profileCallBytes = 20
)

func (e *Edition) readPatterns(ctx context.Context, which []int32, each func(int32, *Pattern, int) error) error {
	return patternsByNumber.Each(ctx, e.db, numbers{e.version, which}, func(p Pattern) error {
		return each(p.Number, &p, e.finish(&p))
	})
}

// finish makes equal stop_ids share one string, and returns the pattern's memory.
func (e *Edition) finish(p *Pattern) (bytes int) {
	for i, id := range p.StopID {
		if id == nil {
			continue
		}
		if s := e.Stop(*id); s != nil {
			p.StopID[i] = &s.StopID
		}
	}
	cells := len(p.StopSequence)
	for _, c := range p.Columns() {
		cells += len(*c)
	}
	return patternCellBytes * cells
}

func (e *Edition) readProfiles(ctx context.Context, which []int32, each func(int32, *Profile, int) error) error {
	return profilesByNumber.Each(ctx, e.db, numbers{e.version, which}, func(p Profile) error {
		return each(p.Number, &p, p.finish())
	})
}

// finish interpolates missing times, and returns the profile's memory.
func (p *Profile) finish() (bytes int) {
	p.expected = p.arrivals(nil)
	p.gaps = slices.ContainsFunc(p.Departures, func(at pgtype.Int4) bool { return !at.Valid })
	return profileCallBytes * len(p.Departures)
}

// cellsPerCall is the maximum number of cells per call in a pattern.
const cellsPerCall = 13

// Patterns returns patterns by number, or [kept.ErrTooMuch] if they have more than maxCalls calls in
// total.
func (e *Edition) Patterns(ctx context.Context, which []int32, maxCalls int) (map[int32]*Pattern, error) {
	return e.patterns.Get(ctx, which, patternCellBytes*cellsPerCall*maxCalls)
}

// A Run is a pattern with a profile. Trips share runs.
type Run struct {
	*Pattern
	*Profile
	Expected []int32 // arrivals; missing ones are interpolated
}

// A RunKey identifies a run by its pattern and profile; -1 means none.
type RunKey [2]int32

// RunKey returns the key of the trip's run.
func (t *Trip) RunKey() RunKey { return RunKey{t.Pattern, t.Profile} }

// NewRun combines a pattern with a profile.
func NewRun(p *Pattern, profile *Profile) *Run {
	r := &Run{p, profile, profile.expected}
	if r.Expected == nil || profile.gaps && len(p.ShapeDistTraveled) == len(profile.Departures) {
		r.Expected = profile.arrivals(p.ShapeDistTraveled)
	}
	return r
}

// All is a limit that no feed reaches.
const All = 1 << 40

// Runs returns runs by key, or [kept.ErrTooMuch] if they have more than maxCalls calls in total. Runs
// without a pattern are omitted.
func (e *Edition) Runs(ctx context.Context, keys []RunKey, maxCalls int) (map[RunKey]*Run, error) {
	runs := make(map[RunKey]*Run, len(keys))
	var patterns, profiles []int32
	for _, k := range keys {
		if _, seen := runs[k]; seen {
			continue
		}
		runs[k] = nil
		patterns = append(patterns, k[0])
		if k[1] >= 0 {
			profiles = append(profiles, k[1])
		}
	}
	byPattern, err := e.Patterns(ctx, patterns, maxCalls)
	if err != nil {
		return nil, err
	}
	byProfile, err := e.profiles.Get(ctx, profiles, profileCallBytes*maxCalls)
	if err != nil {
		return nil, err
	}
	calls := 0
	for k := range runs {
		p, profile := byPattern[k[0]], byProfile[k[1]]
		if k[1] < 0 {
			profile = &Profile{}
		}
		if p == nil || profile == nil {
			delete(runs, k)
			continue
		}
		calls += len(p.StopID)
		if calls > maxCalls {
			return nil, kept.ErrTooMuch
		}
		runs[k] = NewRun(p, profile)
	}
	return runs, nil
}

// Calls returns the calls of a trip. There are none without a pattern, and they have no times
// without a profile.
func (e *Edition) Calls(ctx context.Context, k RunKey) (*Run, error) {
	if k[0] < 0 {
		return &Run{Pattern: &Pattern{}, Profile: &Profile{}}, nil
	}
	if k[1] >= 0 && e.patterns.Find(k[0]) == nil && e.profiles.Find(k[1]) == nil {
		row, err := tripCalls.One(ctx, e.db, tripCallsKey{e.version, k[0], k[1]})
		if err != nil {
			return nil, err
		}
		e.patterns.Keep(k[0], &row.Pattern, e.finish(&row.Pattern))
		e.profiles.Keep(k[1], &row.Profile, row.Profile.finish())
		return NewRun(&row.Pattern, &row.Profile), nil
	}
	runs, err := e.Runs(ctx, []RunKey{k}, All)
	if err == nil && runs[k] == nil {
		err = pgx.ErrNoRows
	}
	return runs[k], err
}

// arrivals returns the arrival at each call. dist has the distances of its pattern, or nil.
func (p *Profile) arrivals(dist Cells) []int32 {
	return assign.Expected(len(p.Departures), func(i int) (arrival, departure int32, ok bool) {
		arrival, ok = p.arrival(i)
		if ok {
			departure = p.departure(i)
		}
		return arrival, departure, ok
	}, assign.Distances(dist, len(p.Departures)))
}

// arrival returns the arrival at call i or, if missing, the departure.
func (p *Profile) arrival(i int) (int32, bool) {
	if p.Arrivals != nil && p.Arrivals[i].Valid {
		return p.Arrivals[i].Int32, true
	}
	return p.Departures[i].Int32, p.Departures[i].Valid
}

func (p *Profile) departure(i int) int32 {
	if p.Departures[i].Valid {
		return p.Departures[i].Int32
	}
	return p.Arrivals[i].Int32
}
