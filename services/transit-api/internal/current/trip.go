package current

import (
	"context"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// tripHours is how far ahead the calls of one trip may be.
const tripHours = 24

// Trip returns the calls that a trip of a service day still makes, as the departures of its stops
// have them.
func (a *API) Trip(
	ctx context.Context, d *FeedDepartures, t *edition.Trip, day int, run *edition.Run,
) ([]board.Departure, error) {
	p := &board.Place{Alias: d.Alias, Edition: d.Feed.Edition, Zone: d.Feed.Zone, VehicleOn: d.vehicleOn,
		Runs: map[edition.Way]*edition.Run{t.Way(): run}}
	for _, stop := range run.StopID {
		if stop != nil {
			p.Names = append(p.Names, d.Feed.AllNames(*stop)...)
		}
	}
	if t.Service.Runs(day) {
		p.Visits = []edition.Visit{{Trip: t, Day: edition.DayOf(day, d.Feed.Zone)}}
	}
	var err error
	only := func(_, trip string) bool { return trip == t.ID }
	p.Updates, err = d.updatesAt(ctx, nil, only, []int32{t.Pattern})
	if err != nil {
		return nil, err
	}
	date := edition.DayOf(day, d.Feed.Zone).Date()
	b := board.New(d.now, d.now.Add(tripHours*time.Hour), MaxDepartures,
		func(c *board.Departure) bool { return c.TripID == t.ID && c.StartDate == date })
	if err := b.Add(ctx, p); err != nil {
		return nil, err
	}
	calls, _ := b.Departures()
	for i := range calls {
		a.describe(&calls[i], d)
	}
	return calls, nil
}

// FeedAlerts are the alerts of a feed, and what the operator says of it.
type FeedAlerts struct {
	State   live.RealtimeState
	Notices []string
	view    *live.View
}

// AlertView finds the alerts of a feed.
func (a *API) AlertView(ctx context.Context, f *edition.Feed) (*FeedAlerts, rest.Generation, error) {
	view, err := a.Live.Read(ctx, f.Alias, conf.Alerts)
	if err != nil {
		return nil, rest.Generation{}, err
	}
	notices := a.Notices.At(a.Now())
	if notices == nil {
		return nil, rest.Generation{}, live.ErrNotRead
	}
	now := a.Now()
	v := &FeedAlerts{view: view.Fresh(now)}
	v.State, _ = view.State(now)
	messages, changed := notices.Messages(f.Alias, func(entityType, id string) bool { return knows(f, entityType, id) })
	for _, m := range messages {
		v.Notices = append(v.Notices, m.Text)
	}
	gen := rest.Join(view.Generation, f.Generation, notices.Generation,
		rest.Generation{N: changed.Unix(), Until: view.Until(now)},
		rest.Generation{N: now.Truncate(time.Minute).Unix(), Until: now.Truncate(time.Minute).Add(time.Minute)})
	gen.Time = time.Time{} // by the clock
	return v, gen, nil
}

// Alerts are those of the feed's sources.
func (v *FeedAlerts) Alerts() (all []realtime.Alert, err error) {
	for _, s := range v.view.Sources {
		some, err := s.Alerts()
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}
