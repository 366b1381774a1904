// Package observed serves what really ran: the figures, visits and TIDES files of feeds that
// rt-poller observes. It reads the tables of pkg/schema/transit.
package observed

import (
	"context"
	"fmt"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/kept"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// An API has the data of the endpoints.
type API struct {
	Feeds  *edition.Directory
	OnTime map[string]conf.OnTime // of observed feeds, by alias

	months kept.Cache
}

// New returns an API without feeds to observe.
func New(feeds *edition.Directory) *API {
	return &API{Feeds: feeds, OnTime: map[string]conf.OnTime{}, months: kept.NewCache(monthsBytes)}
}

// IsObserved reports whether transit.yaml says that a feed is observed.
func (a *API) IsObserved(alias string) bool {
	_, ok := a.OnTime[alias]
	return ok
}

const tag = "What really ran"

// Path is the path of the figures of a feed.
const Path = wire.FeedPath + "/performance"

// VisitsPath is the path of the visits of a feed, TIDESPath that of the files of a day.
const (
	VisitsPath = Path + "/visits"
	TIDESPath  = Path + "/tides/{date}.zip"
)

// Endpoints returns the endpoints of this package in the order of the documentation.
func (a *API) Endpoints() rest.Table {
	const notFound = "unknown feed, or the feed is not observed"
	const noVisits = notFound + ", or no visits of the day are stored"
	return rest.Table{
		rest.From(rest.Spec{ID: "realtime.performance", Path: Path, Summary: "What really ran",
			Doc: "Trips that ran, punctuality, headways of frequent service, and the accuracy of predictions, " +
				"as vehicles were " +
				"seen, for feeds with observe: true. Coverage comes first: trips that were not seen while there were messages " +
				"are unseen, those without messages are unknown; neither is counted as not run. Times are as exact as the polls.",
			Tag: tag, NotFound: notFound, Queries: figureQueries()}, Source[params](a), a.answer),
		rest.From(rest.Spec{ID: "realtime.performance_visits", Path: VisitsPath,
			Summary: "When vehicles were at the stops of their trips",
			Doc: "The stops of the trips of a service day, by trip, with what was seen of each. " +
				"Stops of trips that are not over " +
				"are listed once they are visited.",
			Tag: tag, NotFound: noVisits, Queries: rest.Queries(visitRows, visitCount, hasVisits, stateOf)},
			Source[visitParams](a), a.visits),
		rest.From(rest.Spec{ID: "realtime.performance_tides", Path: TIDESPath,
			Summary: "What really ran on a day, as TIDES 1.0 files",
			Doc: "A zip with stop_visits.csv, trips_performed.csv (trips with a known vehicle) and datapackage.json of the " +
				"Transit ITS Data Exchange Specification.",
			Tag: tag, NotFound: noVisits, Queries: rest.Queries(dayRows, hasVisits, stateOf), Media: "application/zip"},
			Source[tidesParams](a), a.tides),
	}
}

// A State is how far the observer of a feed is.
type State struct {
	Since      *time.Time // nil before a poller has begun
	MessageAt  *time.Time
	ReceivedAt *time.Time
	Vehicles   int
	Placed     int
	Visits     int64
	FirstDay   *rest.Date
	LastDay    *rest.Date
	Changed    *time.Time
	Mark       int64 // another number after each write of the observer
}

type ofFeed struct{ Alias string }

var stateOf = rest.SQL[ofFeed, State](`
	SELECT o.since, o.message_at, o.received_at, o.vehicles, o.placed, o.visits, d.first_day, d.last_day, d.changed,
	  hashtextextended(concat_ws(' ', extract(epoch FROM o.renewed_at), o.messages, extract(epoch FROM d.changed)),
	    0) AS mark
	FROM transit.observer o
	CROSS JOIN LATERAL (SELECT min(service_date) AS first_day, max(service_date) AS last_day,
	    max(greatest(written_at, added_up_at)) AS changed FROM transit.observed_day WHERE alias = o.alias) d
	WHERE o.alias = @alias`)

// A View is a feed and what was observed of it.
type View struct {
	Feed  *edition.Feed
	State State
}

// ReadView returns the view of a feed and its generation.
func (a *API) ReadView(ctx context.Context, db rest.DB, alias string) (*View, rest.Generation, error) {
	f, err := a.Feeds.Served(alias)
	if err != nil {
		return nil, rest.Generation{}, err
	}
	states, err := stateOf.List(ctx, db, ofFeed{alias})
	if err != nil {
		return nil, rest.Generation{}, fmt.Errorf("read the observer of %s: %w", alias, err)
	}
	switch {
	case len(states) == 0 && a.IsObserved(alias):
		states = append(states, State{})
	case len(states) == 0:
		return nil, rest.Generation{}, rest.NotFound("the feed is not observed")
	}
	written := rest.Generation{N: states[0].Mark}
	for _, at := range []*time.Time{states[0].Changed, states[0].ReceivedAt} {
		if at != nil && at.After(written.Time) {
			written.Time = *at
		}
	}
	return &View{f, states[0]}, rest.Join(f.Generation, written), nil
}

// Source returns the source of answers about an observed feed.
func Source[P edition.OfFeed](a *API) rest.Source[P, *View] {
	return rest.Source[P, *View]{Snapshot: true, Now: func(ctx context.Context, c *rest.Call, p P) (*View,
		rest.Generation, error) {
		return a.ReadView(ctx, c, p.Alias())
	}}
}

// start returns the Unix time from which seconds of a service day are counted.
func start(day rest.Date, zone *time.Location) int64 {
	return edition.DayOf(int(day.Unix()/86400), zone).Start
}

// clock returns a second of a service day as RFC 3339; nil if it is unknown.
func clock(begin int64, second *int32, zone *time.Location) *string {
	if second == nil {
		return nil
	}
	text := time.Unix(begin+int64(*second), 0).In(zone).Format("2006-01-02T15:04:05-07:00")
	return &text
}
