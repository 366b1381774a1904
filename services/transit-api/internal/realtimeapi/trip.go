package realtimeapi

import (
	"context"
	"time"

	"github.com/townline/townline/services/transit-api/internal/board"
	"github.com/townline/townline/services/transit-api/internal/edition"
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
	for _, m := range d.detoursOf(t.TripID) {
		for _, c := range m.Changes {
			for _, r := range c.Replacements {
				p.Names = append(p.Names, d.Feed.AllNames(string(r.StopID))...)
			}
		}
	}
	if t.Service.Runs(day) {
		p.Visits = []edition.Visit{{Trip: t, Day: edition.DayOf(day, d.Feed.Zone)}}
	}
	var err error
	only := func(_, trip string) bool { return trip == t.TripID }
	p.Updates, err = d.updatesAt(ctx, nil, only, []int32{t.Pattern})
	if err != nil {
		return nil, err
	}
	date := edition.DayOf(day, d.Feed.Zone).Date()
	b := board.New(d.now, d.now.Add(tripHours*time.Hour), MaxDepartures,
		func(c *board.Departure) bool { return c.TripID == t.TripID && c.StartDate == date })
	if err := b.Add(ctx, p); err != nil {
		return nil, err
	}
	calls, _ := b.Departures()
	for i := range calls {
		a.describe(&calls[i], d)
	}
	return calls, nil
}
