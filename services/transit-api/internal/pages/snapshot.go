package pages

import (
	"context"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/current"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/notice"
)

// A snapshot is the data of one page.
type snapshot struct {
	feeds      *edition.Feeds
	feed       *edition.Feed
	departures *current.DeparturesView
	vehicles   *current.MappedView            // nil for readers who may not see live positions
	alerts     map[string]*current.FeedAlerts // by feed
	notices    *notice.State
	now        time.Time // local to the feed
}

// A part adds some data to a snapshot and returns its generation.
type part func(ctx context.Context, c *rest.Call, s *snapshot) (rest.Generation, error)

// source is the source of a page with these parts. Live pages change with the clock, so they have no time of change.
func source[P any](parts func(p P) []part) rest.Source[P, *snapshot] {
	return rest.Source[P, *snapshot]{Now: func(ctx context.Context, c *rest.Call, p P) (*snapshot, rest.Generation, error) {
		s := &snapshot{}
		var gens []rest.Generation
		for _, add := range parts(p) {
			gen, err := add(ctx, c, s)
			if err != nil {
				return nil, rest.Generation{}, err
			}
			gens = append(gens, gen)
		}
		gen := rest.Join(gens...)
		gen.Time = time.Time{}
		return s, gen, nil
	}}
}

// feedPart adds a feed.
func (a *Pages) feedPart(alias string) part {
	return func(_ context.Context, _ *rest.Call, s *snapshot) (gen rest.Generation, err error) {
		s.feed, err = a.Static.Feeds.Served(alias)
		if err != nil {
			return gen, err
		}
		s.now = a.Current.Now().In(s.feed.Zone)
		return s.feed.Generation, nil
	}
}

// departuresPart adds the departures at some stops, as FEED:STOP; FEED: is for any stop of the feed.
func (a *Pages) departuresPart(stops ...string) part {
	return func(ctx context.Context, c *rest.Call, s *snapshot) (gen rest.Generation, err error) {
		s.departures, gen, err = a.Current.DepartureView(ctx, stops, c.May(departuresPermission))
		return gen, err
	}
}

// vehiclesPart adds the vehicles of the feed, which age with each step.
func (a *Pages) vehiclesPart(ctx context.Context, c *rest.Call, s *snapshot) (gen rest.Generation, err error) {
	if !c.May(mapPermission) {
		return gen, nil
	}
	s.vehicles, gen, err = a.Current.MapView(ctx, s.feed.Alias)
	step := s.now.Truncate(current.BoardStep)
	return rest.Join(gen, rest.Generation{N: step.Unix(), Until: step.Add(current.BoardStep)}), err
}

// alertsPart adds the alerts of the feed.
func (a *Pages) alertsPart(ctx context.Context, _ *rest.Call, s *snapshot) (rest.Generation, error) {
	alerts, gen, err := a.Current.AlertView(ctx, s.feed)
	if s.alerts == nil {
		s.alerts = map[string]*current.FeedAlerts{}
	}
	s.alerts[s.feed.Alias] = alerts
	return gen, err
}

// noticesPart adds the annotations.
func (a *Pages) noticesPart(_ context.Context, _ *rest.Call, s *snapshot) (rest.Generation, error) {
	s.notices = a.Current.Notices.At(a.Current.Now())
	return s.notices.Generation, nil
}
