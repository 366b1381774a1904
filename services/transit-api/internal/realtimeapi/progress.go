package realtimeapi

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// Moment returns the data of one feed at a time; the zero time means now. If realtime data is
// unavailable, the view has only the timetable. Without withPositions it has no vehicle positions.
func (a *API) Moment(
	ctx context.Context, f *edition.Feed, at time.Time, withRealtime, withPositions bool,
) (v *DeparturesView, gen rest.Generation, err error) {
	v, gens, err := a.newBoardView()
	if err != nil {
		return nil, gen, err
	}
	if !at.IsZero() {
		v.Now = at
	}
	if withRealtime {
		a.Live.Await(ctx, []string{f.Alias}, allKinds...)
	}
	d, some, err := a.feedDepartures(f.Alias, v, withRealtime)
	if err != nil {
		return nil, gen, err
	}
	if !at.IsZero() {
		d.updates = d.updates.PolledBy(at)
		d.vehicles = d.vehicles.PolledBy(at)
		d.alerts = d.alerts.PolledBy(at)
	}
	d.Feed, d.unplaced = f, !withPositions
	v.Feeds = []*FeedDepartures{d}
	return v, boardGeneration(append(gens, some...)), nil
}

// Around returns the wanted calls at stops of the feed between two instants, in the order of
// departure. It includes past, cancelled and skipped calls. The bool is true if the calls are
// complete.
func (v *DeparturesView) Around(
	ctx context.Context, stops []string, from, until time.Time, limit int, wanted func(*board.Departure) bool,
) ([]board.Departure, bool, error) {
	var ids []feedID
	d := *v.Feeds[0]
	for _, stop := range stops {
		ids = append(ids, feedID{d.Alias, stop})
	}
	d.now = from
	of := *v
	of.Feeds = []*FeedDepartures{&d}
	b := board.New(v.Now, until, limit, wanted).Since(from)
	r, err := of.search(ctx, b, ids, until)
	if err == nil {
		err = r.err
	}
	if err != nil {
		return nil, false, err
	}
	return r.departures, r.whole, nil
}

const (
	maxLate    = time.Hour        // maximum delay of a trip in the search
	maxNext    = 24 * time.Hour   // maximum time until the next call of a trip
	setOff     = 10 * time.Minute // how long before its departure a vehicle may be on its trip
	maxOverdue = time.Hour        // how long after its last call a vehicle may be on its trip
)

// Memory of a ride while an answer is made.
const (
	rideBytes     = 1000
	rideCallBytes = 50
)

// Rides returns one call for each journey of the trips that is under way, or begins within the
// duration ahead: its next call, or its last call if that should be over. It counts the memory of
// the journeys with take before it computes them.
func (d *FeedDepartures) Rides(
	ctx context.Context, trips []*edition.Trip, ahead time.Duration, take func(ctx context.Context, bytes int) error,
) ([]board.Departure, error) {
	p := d.newPlace()
	var err error
	p.Visits, err = d.Feed.Running(ctx, trips, d.now.Add(-maxLate), d.now.Add(ahead), d.Feed.Zone,
		func(calls int) error { return take(ctx, rideBytes+calls*rideCallBytes) })
	if err != nil {
		return nil, asBusy(err)
	}
	patterns, wanted := map[int32]bool{}, map[string]bool{}
	for _, t := range trips {
		if t.HasTimes() {
			patterns[t.Pattern], wanted[t.TripID] = true, true
		}
	}
	allows := func(_, trip string) bool { return wanted[trip] }
	err = d.complete(ctx, p, nil, allows, slices.Collect(maps.Keys(patterns)), edition.MaxRunningCalls)
	if err != nil {
		return nil, asBusy(err)
	}
	stops := map[string]bool{}
	for _, r := range p.Runs {
		for _, id := range r.StopID {
			if id != nil {
				stops[*id] = true
			}
		}
	}
	p.Names = slices.Collect(maps.Keys(stops))
	at := map[board.Journey]int{}
	var rides []board.Departure
	b := board.New(d.now, d.now.Add(maxNext), 1, func(c *board.Departure) bool {
		if c.Trip == nil {
			return false
		}
		j := c.Journey()
		i, met := at[j]
		switch {
		case !met:
			at[j] = len(rides)
			rides = append(rides, *c)
		case rides[i].PredictedDepartureEpoch < d.now.Unix():
			rides[i] = *c
		}
		return false
	}).Since(d.now.Add(-maxLate))
	return rides, b.Add(ctx, p)
}

// VehicleOf returns the vehicle on the trip of a call; nil if it has no position, or has been silent
// for too long. A vehicle without
// a date is on the journey that has predictions or is under way.
func (d *FeedDepartures) VehicleOf(c *board.Departure) *realtime.Located {
	if c.ScheduleRelationship == board.Canceled || d.unplaced {
		return nil
	}
	begins := time.Unix(c.Begins, 0)
	ends := begins.Add(time.Duration(c.Run.Expected[len(c.Run.Expected)-1]) * time.Second)
	undated := c.Late != nil || d.now.After(begins.Add(-setOff)) && d.now.Before(ends.Add(maxOverdue))
	for _, s := range d.vehicles.Sources {
		if s.Alias != d.Alias {
			continue
		}
		l, ok := s.LocatedOn(c.TripID, c.StartDate, c.VehicleID, c.Start, undated, s.FetchedAt.Unix())
		if ok && d.now.Unix()-l.Timestamp <= realtime.GoneAfter {
			return &l
		}
	}
	return nil
}

// VehicleTrips returns the scheduled trips on which vehicles are, by rank. If id is not "", only
// trips of that vehicle count.
func (d *FeedDepartures) VehicleTrips(id string) []*edition.Trip {
	found := map[*edition.Trip]bool{}
	for _, s := range d.vehicles.Of(d.Alias) {
		for i := range s.Message.Vehicles {
			v := &s.Message.Vehicles[i]
			if t := s.Trip(v.Trip); t != nil && (id == "" || len(v.VehicleID) == 0 || string(v.VehicleID) == id) {
				found[t] = true
			}
		}
	}
	for _, s := range d.updates.Of(d.Alias) {
		for i := range s.Message.TripUpdates {
			u := &s.Message.TripUpdates[i]
			if t := s.Trip(u.Trip); t != nil && len(u.VehicleID) > 0 && (id == "" || string(u.VehicleID) == id) {
				found[t] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(x, y *edition.Trip) int { return int(x.Rank - y.Rank) })
}

// AlertByID returns an alert of the feed, active or not; nil if there is none with this id.
func (d *FeedDepartures) AlertByID(c *rest.Call, id string) (*realtime.MatchedAlert, error) {
	for _, s := range d.alertSources(c) {
		if found, err := s.AlertByID(id); found != nil || err != nil {
			return found, err
		}
	}
	return nil, nil
}

// UpdatedAt returns the Unix time of the trip updates: the message's timestamp or, if missing, the
// time of the poll; 0 if there are none.
func (d *FeedDepartures) UpdatedAt() int64 {
	if len(d.updates.Sources) == 0 {
		return 0
	}
	if _, at := d.Polled.State(d.now); at != 0 {
		return at
	}
	return d.updates.LastFetched
}

// LastMessage returns the Unix time of the trip updates or the vehicles, whichever are newer; 0 if
// there are none.
func (d *FeedDepartures) LastMessage() int64 {
	at := d.UpdatedAt()
	if len(d.vehicles.Sources) > 0 {
		_, seen := d.vehicles.State(d.now)
		at = max(at, cmp.Or(seen, d.vehicles.LastFetched))
	}
	return at
}
