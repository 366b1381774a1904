package realtimeapi

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

const tripHours = 24 // how far ahead of now

// Trip returns the remaining calls of a trip on a service day, as departure boards list them.
func (a *API) Trip(
	ctx context.Context, d *FeedDepartures, t *edition.Trip, day int, run *edition.Run,
) ([]board.Departure, error) {
	p := d.newPlace()
	p.Runs = map[edition.RunKey]*edition.Run{t.RunKey(): run}
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

// FeedAlerts has the alerts and annotations of a feed.
type FeedAlerts struct {
	State   live.RealtimeState
	Notices []string
	view    *live.View
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
	messages, changed := annotations.Messages(f.Alias,
		func(entityType, id string) bool { return hasEntity(f, entityType, id) })
	for _, m := range messages {
		v.Notices = append(v.Notices, m.Text)
	}
	gen := rest.Join(view.Generation, f.Generation, annotations.Generation,
		rest.Generation{N: changed.Unix(), Until: view.Until(now)},
		rest.Generation{N: now.Truncate(time.Minute).Unix(), Until: now.Truncate(time.Minute).Add(time.Minute)})
	gen.Time = time.Time{} // the list changes with the clock
	return v, gen, nil
}

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
