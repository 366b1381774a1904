package realtimeapi

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// maxAlerts bounds the number of alerts on a board. The most severe alerts are kept.
const maxAlerts = 50

// alertSources returns the feed's alerts and the operator's annotations, as far as a reader may see
// them.
func (d *FeedDepartures) alertSources(c *rest.Call) []*realtime.Snapshot {
	var all []*realtime.Snapshot
	if c.May("realtime.alerts") {
		all = d.alerts.Of(d.Alias)
	}
	if d.operator != nil && c.May("display.annotations") {
		all = append(all, d.operator)
	}
	return all
}

// OperatorView returns a feed with the operator's annotations only.
func (a *API) OperatorView(f *edition.Feed) (*FeedDepartures, rest.Generation, error) {
	state := a.Annotations.At(a.Now())
	if state == nil {
		return nil, rest.Generation{}, live.ErrNotRead
	}
	operator, err := operatorAlerts(state, f)
	return &FeedDepartures{Alias: f.Alias, Feed: f, now: a.Now(), alerts: &live.View{}, operator: operator},
		state.Generation, err
}

// TripAlerts returns the active alerts about a trip on a day, its stops, its route and its agency,
// and marks the calls that they close.
func (d *FeedDepartures) TripAlerts(
	c *rest.Call, t *edition.Trip, run *edition.Run, date string, calls []board.Departure,
) ([]realtime.DepartureAlert, error) {
	filter := &realtime.AlertFilter{Routes: []*edition.Route{t.Route}, Trips: []realtime.RiddenTrip{{TripID: t.TripID,
		RouteID: t.Route.RouteID, Direction: t.Direction(), StartDate: date}}}
	for _, stop := range run.StopID {
		if stop != nil {
			filter.Stops = append(filter.Stops, d.Feed.NamesUpward(*stop)...)
		}
	}
	for i := range calls {
		filter.Until = max(filter.Until, calls[i].PredictedDepartureEpoch)
	}
	return d.Alerts(c, filter, calls)
}

// HasAlerts reports whether a reader may see alerts of the feed, including inactive alerts.
func (d *FeedDepartures) HasAlerts(c *rest.Call) bool {
	return slices.ContainsFunc(d.alertSources(c), func(s *realtime.Snapshot) bool { return len(s.Message.Alerts) > 0 })
}

// Matching returns the active alerts of the feed that match a filter, at most maxAlerts per source.
func (d *FeedDepartures) Matching(c *rest.Call, filter *realtime.AlertFilter) (all []realtime.MatchedAlert, err error) {
	filter.Now = d.now.Unix()
	for _, s := range d.alertSources(c) {
		some, err := s.MatchingAlerts(filter)
		if err != nil {
			return nil, err
		}
		if len(some) > maxAlerts {
			slices.SortStableFunc(some, func(x, y realtime.MatchedAlert) int { return cmp.Compare(y.Severity, x.Severity) })
			some = some[:maxAlerts]
		}
		all = append(all, some...)
	}
	return all, nil
}

// Alerts returns the active alerts that match a filter, and those that close one of the departures.
// It marks these departures.
func (d *FeedDepartures) Alerts(
	c *rest.Call, filter *realtime.AlertFilter, departures []board.Departure,
) ([]realtime.DepartureAlert, error) {
	found, err := d.Matching(c, filter)
	if err != nil {
		return nil, err
	}
	var all []realtime.DepartureAlert
	filters := make([]*realtime.AlertFilter, len(departures))
	for i := range found {
		m := &found[i]
		shown := m.IsShown(filter.Now)
		for k := range departures {
			row := &departures[k]
			at := row.PredictedDepartureEpoch
			if !m.Closes() || row.Feed != d.Alias || !row.Runs() || !m.Affects(at, at) {
				continue
			}
			if filters[k] == nil {
				filters[k] = board.AlertFilterOf(d.Feed, row)
			}
			if m.Concerns(filters[k]) {
				row.NoService, shown = true, true
			}
		}
		if shown {
			all = append(all, m.OnBoard(d.Alias))
		}
	}
	return all, nil
}

// alerts returns the alerts that concern a board, the most severe first, and marks the departures
// that they close.
func (r *result) alerts(
	ctx context.Context, c *rest.Call, until time.Time, q *board.Query,
) ([]realtime.DepartureAlert, error) {
	all := []realtime.DepartureAlert{}
	for _, d := range r.feeds {
		var here []string
		for _, s := range r.stops {
			for _, place := range r.places[s] {
				if s.alias == d.Alias {
					here = append(here, place.Stop)
				}
			}
		}
		filter, err := board.AlertFilter(ctx, d.Feed, here, r.departures, q)
		if err != nil {
			return nil, asBusy(err)
		}
		filter.Until = until.Unix()
		some, err := d.Alerts(c, filter, r.departures)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortStableFunc(all, func(x, y realtime.DepartureAlert) int { return cmp.Compare(y.Severity, x.Severity) })
	return all[:min(len(all), maxAlerts)], nil
}

// FeedAlerts has the alerts and annotations of a feed.
type FeedAlerts struct {
	State    live.RealtimeState
	view     *live.View
	operator *realtime.Snapshot // nil if there are no annotations
}

// AlertView returns the alerts and annotations of a feed.
func (a *API) AlertView(ctx context.Context, f *edition.Feed) (*FeedAlerts, rest.Generation, error) {
	a.Live.Await(ctx, []string{f.Alias}, conf.Alerts)
	view, err := a.view(f.Alias, conf.Alerts)
	if err != nil {
		return nil, rest.Generation{}, err
	}
	annotations := a.Annotations.At(a.Now())
	if annotations == nil {
		return nil, rest.Generation{}, live.ErrNotRead
	}
	now := a.Now()
	v := &FeedAlerts{view: view.Fresh(now)}
	v.State, _ = view.State(now)
	v.operator, err = operatorAlerts(annotations, f)
	if err != nil {
		return nil, rest.Generation{}, err
	}
	gen := rest.Join(view.Generation, f.Generation, annotations.Generation, rest.Generation{Until: view.Until(now)},
		rest.Generation{N: now.Truncate(time.Minute).Unix(), Until: now.Truncate(time.Minute).Add(time.Minute)})
	gen.Time = time.Time{} // the list changes with the clock
	return v, gen, nil
}

// Alerts returns all alerts, those of the operator first.
func (v *FeedAlerts) Alerts() (all []realtime.Alert, err error) {
	sources := []*realtime.Snapshot{v.operator}
	for _, s := range v.view.Sources {
		sources = append(sources, s.Snapshot)
	}
	for _, s := range sources {
		if s == nil {
			continue
		}
		some, err := s.Alerts()
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}
