// Package static answers from the timetable: feeds, what is in their files, and what is computed
// from them, such as directions, geometry and schedules. These are the endpoints below /feeds, and
// the search for stops.
//
// Each resource has one file that holds its parameters, its SQL and the struct that is both row and
// JSON; Endpoints lists them in the order of the documentation. static.go has what they share. What
// is so now is in internal/current, and pages, in internal/pages, call the functions that the
// endpoints call. Every query is for the version that internal/edition holds.
package static

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/tile"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// An API holds what the functions of the endpoints share.
type API struct {
	Feeds   *edition.Directory
	Extras  map[string]map[string]map[string]any // from transit.yaml: feed alias, route_id, key
	Alter   func(feed string, r *Route)          // nil leaves routes as they are
	Display DisplayClock
	Tiles   tile.Loader
}

// Sections of the documentation.
const (
	tagDiscovery = "Discovery"
	tagStatic    = "Static GTFS"
)

// Paths that other paths extend.
const (
	FeedPath     = "/feeds/{feed_alias}"
	AgencyPath   = FeedPath + "/agencies/{agency_id}"
	RoutePath    = AgencyPath + "/routes/{route_id}"
	TripPath     = RoutePath + "/trips/{trip_id}"
	SchedulePath = RoutePath + "/schedules/{service_id}/{direction_id}"
	ServicePath  = FeedPath + "/services/{service_id}"
	ShapePath    = FeedPath + "/shapes/{shape_id}"
	StopPath     = FeedPath + "/stops/{stop_id}"
)

// Parameters that endpoints share.
type (
	// FeedParams name a feed.
	FeedParams struct {
		FeedAlias string `path:"feed_alias" doc:"Alias of the feed, from /feeds."`
	}
	// AgencyParams name an agency of it.
	AgencyParams struct {
		FeedParams
		AgencyID string `path:"agency_id" doc:"agency_id of the feed; the feed's alias if the feed gives none."`
	}
	// RouteParams name a route of that.
	RouteParams struct {
		AgencyParams
		RouteID string `path:"route_id" doc:"route_id of the feed."`
	}
	TripParams struct {
		RouteParams
		TripID string `path:"trip_id" doc:"trip_id of the feed."`
	}
	// StopParams name a stop.
	StopParams struct {
		FeedParams
		StopID string `path:"stop_id" doc:"stop_id of the feed."`
	}
	feedPage struct {
		FeedParams
		wire.Window
	}
	agencyPage struct {
		AgencyParams
		wire.Window
	}
	routePage struct {
		RouteParams
		wire.Window
	}
	tripPage struct {
		TripParams
		wire.Window
	}
	stopPage struct {
		StopParams
		wire.Window
	}
)

// FeedChoice narrows realtime answers to one feed.
type FeedChoice struct {
	Feed *string `query:"feed" doc:"Alias of a feed: only its realtime sources are read. Default: all feeds."`
}

// Alias implements [edition.OfFeed].
func (p FeedParams) Alias() string { return p.FeedAlias }

// feed is the source of answers about the feed that the parameters name.
func feed[P edition.OfFeed](a *API) rest.Source[P, *edition.Feed] { return edition.OneFeed[P](a.Feeds) }

// Choice is the alias of the feed, "" for all.
func (p FeedChoice) Choice() string {
	if p.Feed == nil {
		return ""
	}
	return *p.Feed
}

// findAgency finds the agency that the path names.
func findAgency(f *edition.Feed, p AgencyParams) (edition.Agency, error) {
	a, ok := f.Agencies[p.AgencyID]
	if !ok {
		return a, rest.NotFound("unknown agency")
	}
	return a, nil
}

// FindRoute finds the route that the path names. With an error it returns an empty route.
func FindRoute(f *edition.Feed, p RouteParams) (*edition.Route, error) {
	r := f.Route(p.RouteID)
	if r == nil || r.AgencyID != p.AgencyID {
		return &edition.Route{}, rest.NotFound("unknown agency or route")
	}
	return r, nil
}

// FindTrip finds the trip that the path names. With an error it returns an empty trip.
func FindTrip(f *edition.Feed, p TripParams) (*edition.Trip, error) {
	r, err := FindRoute(f, p.RouteParams)
	if err != nil {
		return &edition.Trip{}, err
	}
	t := f.Trip(p.TripID)
	if t == nil || t.Route != r {
		return &edition.Trip{}, rest.NotFound("the route has no such trip")
	}
	return t, nil
}

// FindStop finds the stop that the path names.
func FindStop(f *edition.Feed, id string) (*edition.Stop, error) {
	s := f.Stop(id)
	if s == nil {
		return nil, rest.NotFound("unknown stop")
	}
	return s, nil
}

// Rows describes a list whose rows are stored by rank, and what is added to each row.
type Rows[R any] struct {
	Query  *rest.Query[edition.Ranks, R]
	finish func(*R, *rest.Call, *edition.Feed)
}

// Read reads the rows in a span.
func (q Rows[R]) Read(ctx context.Context, c *rest.Call, f *edition.Feed, s edition.Span) ([]R, error) {
	all, err := q.Query.List(ctx, c, f.Ranks(s))
	for i := range all {
		q.finish(&all[i], c, f)
	}
	return all, err
}

// One reads the row with the given rank.
func (q Rows[R]) One(ctx context.Context, c *rest.Call, f *edition.Feed, rank int) (R, error) {
	all, err := q.Read(ctx, c, f, edition.Span{First: rank, Count: 1})
	if err == nil && len(all) == 0 {
		err = pgx.ErrNoRows
	}
	if err != nil {
		var none R
		return none, err
	}
	return all[0], nil
}

// single makes an endpoint that returns one resource of a feed.
func single[P edition.OfFeed, R any](a *API, s rest.Spec, read func(context.Context, *rest.Call, *edition.Feed,
	P) (R, wire.Links, error)) rest.Endpoint {
	s.Tag, s.Translated = tagStatic, speaks[R]()
	return rest.FuncFrom(s, feed[P](a), func(ctx context.Context, c *rest.Call, p P,
		f *edition.Feed) (wire.Envelope[R], error) {
		row, links, err := read(ctx, c, f, p)
		if one := []R{row}; err == nil {
			err = translated(ctx, c, f, one)
			row = one[0]
		}
		return wire.Item(c, row, links), err
	})
}

// oneRanked makes an endpoint that returns one row, found by its rank.
func oneRanked[P edition.OfFeed, R any](a *API, s rest.Spec, q Rows[R], rank func(*edition.Feed, P) (int, error)) rest.
	Endpoint {
	s.Queries = rest.Queries(q.Query)
	return single(a, s, func(ctx context.Context, c *rest.Call, f *edition.Feed, p P) (r R, _ wire.Links, err error) {
		n, err := rank(f, p)
		if err == nil {
			r, err = q.One(ctx, c, f, n)
		}
		return r, nil, err
	})
}

// pageParams are parameters of a list of a feed.
type pageParams interface {
	edition.OfFeed
	Paging() wire.Window
}

// pages makes an endpoint that lists items of a feed. read returns one page.
func pages[P pageParams, R any](a *API, s rest.Spec, read func(context.Context, *rest.Call, *edition.Feed,
	P) (page []R, count int, err error)) rest.Endpoint {
	s.Tag, s.Translated = tagStatic, speaks[R]()
	return rest.FuncFrom(s, feed[P](a), func(ctx context.Context, c *rest.Call, p P,
		f *edition.Feed) (wire.Envelope[[]R], error) {
		page, count, err := read(ctx, c, f, p)
		if err == nil {
			err = translated(ctx, c, f, page)
		}
		return wire.Slice(c, p.Paging(), page, count, nil), err
	})
}

// ranked makes an endpoint that lists the rows in a span. Every page costs the same.
func ranked[P pageParams, R any](a *API, s rest.Spec, q Rows[R],
	span func(*edition.Feed, P) (edition.Span, error)) rest.Endpoint {
	s.Queries = rest.Queries(q.Query)
	return pages(a, s, func(ctx context.Context, c *rest.Call, f *edition.Feed, p P) (page []R, count int, err error) {
		of, err := span(f, p)
		if err == nil {
			from, to := p.Paging().Part(of.Count)
			page, err = q.Read(ctx, c, f, edition.Span{First: of.First + from, Count: to - from})
		}
		return page, of.Count, err
	})
}

// tooMuch is the error for a request whose answer would take more memory than one answer may.
func tooMuch(format string, args ...any) error {
	return &rest.Error{Status: http.StatusUnprocessableEntity, Detail: fmt.Sprintf(format, args...)}
}

// A DisplayClock formats times of the service day for display.
type DisplayClock struct{ Twelve bool }

// format writes "6:05 am", or "06:05" on a 24 hour clock. Times past midnight
// start again at 0. Times may be negative: some feeds have trips that go back in time.
func (d DisplayClock) format(seconds int32) string {
	layout := "15:04"
	if d.Twelve {
		layout = "3:04 pm"
	}
	return time.Unix(int64(seconds), 0).UTC().Format(layout)
}

// Endpoints are those of the timetable, in the order of the documentation.
func (a *API) Endpoints() rest.Table {
	return slices.Concat(
		a.feedEndpoints(),
		a.reportEndpoints(),
		a.agencyEndpoints(),
		a.routeEndpoints(),
		a.drawingEndpoints(),
		a.tripGeometryEndpoints(),
		a.directionEndpoints(),
		a.tripEndpoints(),
		a.stopTimeEndpoints(),
		a.scheduleEndpoints(),
		a.serviceEndpoints(),
		a.shapeEndpoints(),
		a.stopEndpoints(),
		a.stopSearchEndpoints(),
		a.stopCallEndpoints(),
		a.fileEndpoints(),
		a.exportEndpoints(),
		a.tileEndpoints(),
	)
}
