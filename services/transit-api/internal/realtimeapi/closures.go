package realtimeapi

import (
	"slices"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// A LineDay selects what a page shows of a line.
type LineDay struct {
	Route *edition.Route
	Stops []string
	Date  string // YYYYMMDD, or "" for any day
	Runs  func(*edition.Service) bool
	// From and Until are the times of the day in Unix seconds; alerts that close a part of it are
	// included. 0 means that only active alerts are.
	From, Until int64
}

// LineAlerts returns the active alerts about a route, its agency, its stops and its trips of a day,
// and the alerts that close calls of the day.
func (d *FeedDepartures) LineAlerts(c *rest.Call, of LineDay) ([]realtime.DepartureAlert, *Closures, error) {
	sources := d.alertSources(c)
	closures := &Closures{feed: d.Feed, date: of.Date, stops: map[string][]string{}}
	if len(sources) == 0 {
		return nil, closures, nil
	}
	filter := &realtime.AlertFilter{Until: of.Until, Routes: []*edition.Route{of.Route}, Trips: []realtime.RiddenTrip{
		{RouteID: of.Route.RouteID, Direction: "0"}, {RouteID: of.Route.RouteID, Direction: "1"}}}
	for _, id := range of.Stops {
		filter.Stops = append(filter.Stops, d.Feed.NamesUpward(id)...)
	}
	for _, t := range d.Feed.TripsOf(of.Route.Trips()) {
		named := func(s *realtime.Snapshot) bool { return len(s.AlertsAbout("trip", t.TripID)) > 0 }
		if slices.ContainsFunc(sources, named) && of.Runs(t.Service) {
			filter.Trips = append(filter.Trips, realtime.RiddenTrip{TripID: t.TripID, RouteID: of.Route.RouteID,
				Direction: t.Direction(), StartDate: of.Date})
		}
	}
	found, err := d.Matching(c, filter)
	if err != nil {
		return nil, nil, err
	}
	var all []realtime.DepartureAlert
	for i := range found {
		m := &found[i]
		closes := of.Until > 0 && m.Closes() && m.Affects(of.From, of.Until)
		if closes {
			closures.all = append(closures.all, m)
		}
		if closes || m.IsShown(filter.Now) {
			all = append(all, m.OnBoard(d.Alias))
		}
	}
	return all, closures, nil
}

// Closures knows the calls of a line on a day that alerts of effect NO_SERVICE close. A nil one knows
// of none.
type Closures struct {
	feed  *edition.Feed
	date  string
	all   []*realtime.MatchedAlert
	stops map[string][]string // names of stops
}

// Has reports whether a call of a trip at a Unix time is closed.
func (x *Closures) Has(t *edition.Trip, stop string, at int64) bool {
	if x == nil || len(x.all) == 0 {
		return false
	}
	names, met := x.stops[stop]
	if !met {
		names = x.feed.NamesUpward(stop)
		x.stops[stop] = names
	}
	filter := filterOfCall(t, names, x.date)
	return slices.ContainsFunc(x.all, func(m *realtime.MatchedAlert) bool {
		return m.Affects(at, at) && m.Concerns(filter)
	})
}

func filterOfCall(t *edition.Trip, stops []string, date string) *realtime.AlertFilter {
	return &realtime.AlertFilter{Stops: stops, Routes: []*edition.Route{t.Route}, Trips: []realtime.RiddenTrip{
		{TripID: t.TripID, RouteID: t.Route.RouteID, Direction: t.Direction(), StartDate: date,
			Start: realtime.Start{Seconds: t.Start}}}}
}

// closes reports whether an alert of effect NO_SERVICE closes a call of the timetable.
func (d *FeedDepartures) closes(c *rest.Call, call *edition.ScheduledCall) (bool, error) {
	var stops []string
	if id := call.Run.StopID[call.Call]; id != nil {
		stops = d.Feed.NamesUpward(*id)
	}
	filter := filterOfCall(call.Trip, stops, call.Day.Date())
	filter.Trips[0].Start.Seconds = call.Start()
	return d.isClosed(c, filter, call.Departure)
}

// closesRow is closes for a departure of a board.
func (d *FeedDepartures) closesRow(c *rest.Call, row *board.Departure) (bool, error) {
	return d.isClosed(c, board.AlertFilterOf(d.Feed, row), row.PredictedDepartureEpoch)
}

func (d *FeedDepartures) isClosed(c *rest.Call, filter *realtime.AlertFilter, at int64) (bool, error) {
	filter.Until = at
	found, err := d.Matching(c, filter)
	return slices.ContainsFunc(found, func(m realtime.MatchedAlert) bool {
		return m.Closes() && m.Affects(at, at)
	}), err
}
