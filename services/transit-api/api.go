package transitapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/access"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/notice"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// An api is what the functions of the endpoints share.
type api struct {
	dir     *edition.Directory
	live    *live.Live
	news    *live.News
	notices *notice.Notices
	access  *access.Control
	keys    *access.Keyring
	table   rest.Table
	site    *site.Site                           // nil when pages are off
	public  string                               // absolute address of basePath
	extras  map[string]map[string]map[string]any // of transit.yaml: feed alias, route_id, key
	alter   func(feed string, r *Route)
	display displayClock
	now     func() time.Time
}

// Sections of the documentation.
const (
	tagDiscovery = "Discovery"
	tagStatic    = "Static GTFS"
	tagRealtime  = "Realtime"
	tagDisplay   = "Display"
)

// Addresses that others hang on.
const (
	feedPath     = "/feeds/{feed_alias}"
	agencyPath   = feedPath + "/agencies/{agency_id}"
	routePath    = agencyPath + "/routes/{route_id}"
	tripPath     = routePath + "/trips/{trip_id}"
	schedulePath = routePath + "/schedules/{service_id}/{direction_id}"
	servicePath  = feedPath + "/services/{service_id}"
	shapePath    = feedPath + "/shapes/{shape_id}"
	stopPath     = feedPath + "/stops/{stop_id}"
)

// Parameters that endpoints share.
type (
	feedParams struct {
		FeedAlias string `path:"feed_alias" doc:"Alias of the feed, from /feeds."`
	}
	agencyParams struct {
		feedParams
		AgencyID string `path:"agency_id" doc:"agency_id of the feed; the alias where the feed gives none."`
	}
	routeParams struct {
		agencyParams
		RouteID string `path:"route_id" doc:"route_id of the feed."`
	}
	tripParams struct {
		routeParams
		TripID string `path:"trip_id" doc:"trip_id of the feed."`
	}
	stopParams struct {
		feedParams
		StopID string `path:"stop_id" doc:"stop_id of the feed."`
	}
	feedPage struct {
		feedParams
		wire.Window
	}
	agencyPage struct {
		agencyParams
		wire.Window
	}
	routePage struct {
		routeParams
		wire.Window
	}
	tripPage struct {
		tripParams
		wire.Window
	}
	stopPage struct {
		stopParams
		wire.Window
	}
)

// feedChoice narrows realtime answers to one feed.
type feedChoice struct {
	Feed *string `query:"feed" doc:"Alias of a feed, for its sources alone; all feeds when absent."`
}

// feedOf is the feed that the answer is made of.
func feedOf(c *rest.Call) *edition.Feed { return c.Generation().Ref.(*edition.Feed) }

// findAgency finds the agency of an address.
func findAgency(f *edition.Feed, p agencyParams) (edition.Agency, error) {
	a, ok := f.Agencies[p.AgencyID]
	if !ok {
		return a, rest.NotFound("unknown agency")
	}
	return a, nil
}

// findRoute finds the route of an address; with an error, it is an empty one.
func findRoute(f *edition.Feed, p routeParams) (*edition.Route, error) {
	r := f.Route(p.RouteID)
	if r == nil || r.AgencyID != p.AgencyID {
		return &edition.Route{}, rest.NotFound("unknown agency or route")
	}
	return r, nil
}

// findTrip finds the trip of an address; with an error, it is an empty one.
func findTrip(f *edition.Feed, p tripParams) (*edition.Trip, error) {
	r, err := findRoute(f, p.routeParams)
	if err != nil {
		return &edition.Trip{}, err
	}
	t := f.Trip(p.TripID)
	if t == nil || t.Route != r {
		return &edition.Trip{}, rest.NotFound("the route has no such trip")
	}
	return t, nil
}

// findStop finds a stop.
func findStop(f *edition.Feed, id string) (*edition.Stop, error) {
	s := f.Stop(id)
	if s == nil {
		return nil, rest.NotFound("unknown stop")
	}
	return s, nil
}

// rowsOf are the rows of a list that stands in a table by rank, and what is added to each.
type rowsOf[R any] struct {
	query  *rest.Query[edition.Ranks, R]
	finish func(*R, *rest.Call, *edition.Feed)
}

func (q rowsOf[R]) read(ctx context.Context, c *rest.Call, f *edition.Feed, s edition.Span) ([]R, error) {
	all, err := q.query.List(ctx, c, f.Ranks(s))
	for i := range all {
		q.finish(&all[i], c, f)
	}
	return all, err
}

// one reads the row with a rank.
func (q rowsOf[R]) one(ctx context.Context, c *rest.Call, f *edition.Feed, rank int) (R, error) {
	all, err := q.read(ctx, c, f, edition.Span{First: rank, Count: 1})
	if err == nil && len(all) == 0 {
		err = pgx.ErrNoRows
	}
	if err != nil {
		var none R
		return none, err
	}
	return all[0], nil
}

// single is an endpoint with one resource of a feed.
func single[P, R any](s rest.Spec, read func(context.Context, *rest.Call, *edition.Feed, P) (R, wire.Links, error)) rest.Endpoint {
	s.Tag = tagStatic
	return rest.Func(s, func(ctx context.Context, c *rest.Call, p P) (wire.Envelope[R], error) {
		row, links, err := read(ctx, c, feedOf(c), p)
		return wire.Item(c, row, links), err
	})
}

// oneRanked is the endpoint of a row, which is found by its rank.
func oneRanked[P, R any](s rest.Spec, q rowsOf[R], rank func(*edition.Feed, P) (int, error)) rest.Endpoint {
	s.Queries = rest.Queries(q.query)
	return single(s, func(ctx context.Context, c *rest.Call, f *edition.Feed, p P) (r R, _ wire.Links, err error) {
		n, err := rank(f, p)
		if err == nil {
			r, err = q.one(ctx, c, f, n)
		}
		return r, nil, err
	})
}

// pages is an endpoint with a list of a feed; read returns the page of all items.
func pages[P interface{ Paging() wire.Window }, R any](s rest.Spec, read func(context.Context, *rest.Call, *edition.Feed, P) (page []R, count int, err error)) rest.Endpoint {
	s.Tag = tagStatic
	return rest.Func(s, func(ctx context.Context, c *rest.Call, p P) (wire.Envelope[[]R], error) {
		page, count, err := read(ctx, c, feedOf(c), p)
		return wire.Slice(c, p.Paging(), page, count, nil), err
	})
}

// ranked is a list of the rows in a span. A page costs the same wherever it is.
func ranked[P interface{ Paging() wire.Window }, R any](s rest.Spec, q rowsOf[R], span func(*edition.Feed, P) (edition.Span, error)) rest.Endpoint {
	s.Queries = rest.Queries(q.query)
	return pages(s, func(ctx context.Context, c *rest.Call, f *edition.Feed, p P) (page []R, count int, err error) {
		of, err := span(f, p)
		if err == nil {
			from, to := p.Paging().Part(of.Count)
			page, err = q.read(ctx, c, f, edition.Span{First: of.First + from, Count: to - from})
		}
		return page, of.Count, err
	})
}

// tooMuch is the answer to a request for more than one answer may take of the memory that all share.
func tooMuch(format string, args ...any) error {
	return &rest.Error{Status: http.StatusUnprocessableEntity, Detail: fmt.Sprintf(format, args...)}
}

// changing is a source of realtime answers, which streams follow.
func (a *api) changing(now func(context.Context, *rest.Call) (rest.Generation, error)) *rest.Source {
	return &rest.Source{Now: now, Changed: a.news.Changed}
}

// joined is the generation of an answer that is made of several, with its Ref.
func joined(ref any, all ...rest.Generation) rest.Generation {
	g := all[0]
	for _, b := range all[1:] {
		g.N = g.N*31 + b.N
		if b.Time.After(g.Time) {
			g.Time = b.Time
		}
		if g.Until.IsZero() || !b.Until.IsZero() && b.Until.Before(g.Until) {
			g.Until = b.Until
		}
	}
	g.Ref = ref
	return g
}

// A displayClock writes times of the service day for people.
type displayClock struct{ twelve bool }

// format writes "6:05 am", or "06:05" on a 24 hour clock; times past midnight
// begin again at 0, and a feed whose trips go back in time may come before it.
func (d displayClock) format(seconds int32) string {
	layout := "15:04"
	if d.twelve {
		layout = "3:04 pm"
	}
	return time.Unix(int64(seconds), 0).UTC().Format(layout)
}
