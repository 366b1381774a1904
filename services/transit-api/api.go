package transitapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/access"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/notice"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// An api holds what the endpoint functions share.
type api struct {
	dir     *edition.Directory
	live    *live.Live
	news    *live.News
	notices *notice.Notices
	access  *access.Control
	keys    *access.Keyring
	table   rest.Table
	site    *site.Site                           // nil when pages are off
	screens map[string]*conf.Screen              // of transit.yaml, by name
	frames  site.Policy                          // of pages that other sites may show
	public  string                               // absolute address of basePath
	extras  map[string]map[string]map[string]any // from transit.yaml: feed alias, route_id, key
	alter   func(feed string, r *Route)
	display displayClock
	base    baseMap // of maps
	now     func() time.Time
}

// Sections of the documentation.
const (
	tagDiscovery = "Discovery"
	tagStatic    = "Static GTFS"
	tagRealtime  = "Realtime"
	tagDisplay   = "Display"
)

// Paths that other paths extend.
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
		AgencyID string `path:"agency_id" doc:"agency_id of the feed; the feed's alias if the feed gives none."`
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
	Feed *string `query:"feed" doc:"Alias of a feed: only its realtime sources are read. Default: all feeds."`
}

// feedOf returns the feed that the answer describes.
func feedOf(c *rest.Call) *edition.Feed { return c.Generation().Ref.(*edition.Feed) }

// findAgency finds the agency that the path names.
func findAgency(f *edition.Feed, p agencyParams) (edition.Agency, error) {
	a, ok := f.Agencies[p.AgencyID]
	if !ok {
		return a, rest.NotFound("unknown agency")
	}
	return a, nil
}

// findRoute finds the route that the path names. With an error it returns an empty route.
func findRoute(f *edition.Feed, p routeParams) (*edition.Route, error) {
	r := f.Route(p.RouteID)
	if r == nil || r.AgencyID != p.AgencyID {
		return &edition.Route{}, rest.NotFound("unknown agency or route")
	}
	return r, nil
}

// findTrip finds the trip that the path names. With an error it returns an empty trip.
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

// findStop finds the stop that the path names.
func findStop(f *edition.Feed, id string) (*edition.Stop, error) {
	s := f.Stop(id)
	if s == nil {
		return nil, rest.NotFound("unknown stop")
	}
	return s, nil
}

// rowsOf describes a list whose rows are stored by rank, and what is added to each row.
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

// one reads the row with the given rank.
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

// single makes an endpoint that returns one resource of a feed.
func single[P, R any](s rest.Spec, read func(context.Context, *rest.Call, *edition.Feed, P) (R, wire.Links, error)) rest.Endpoint {
	s.Tag = tagStatic
	return rest.Func(s, func(ctx context.Context, c *rest.Call, p P) (wire.Envelope[R], error) {
		row, links, err := read(ctx, c, feedOf(c), p)
		return wire.Item(c, row, links), err
	})
}

// oneRanked makes an endpoint that returns one row, found by its rank.
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

// pages makes an endpoint that lists items of a feed. read returns one page.
func pages[P interface{ Paging() wire.Window }, R any](s rest.Spec, read func(context.Context, *rest.Call, *edition.Feed, P) (page []R, count int, err error)) rest.Endpoint {
	s.Tag = tagStatic
	return rest.Func(s, func(ctx context.Context, c *rest.Call, p P) (wire.Envelope[[]R], error) {
		page, count, err := read(ctx, c, feedOf(c), p)
		return wire.Slice(c, p.Paging(), page, count, nil), err
	})
}

// ranked makes an endpoint that lists the rows in a span. Every page costs the same.
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

// tooMuch is the error for a request whose answer would take more memory than one answer may.
func tooMuch(format string, args ...any) error {
	return &rest.Error{Status: http.StatusUnprocessableEntity, Detail: fmt.Sprintf(format, args...)}
}

// changing is a source of realtime answers. Event streams follow it.
func (a *api) changing(now func(context.Context, *rest.Call) (rest.Generation, error)) *rest.Source {
	return &rest.Source{Now: now, Changed: a.news.Changed}
}

// joined combines the generations of an answer's sources into one, with its Ref.
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

// A displayClock formats times of the service day for display.
type displayClock struct{ twelve bool }

// format writes "6:05 am", or "06:05" on a 24 hour clock. Times past midnight
// start again at 0. Times may be negative: some feeds have trips that go back in time.
func (d displayClock) format(seconds int32) string {
	layout := "15:04"
	if d.twelve {
		layout = "3:04 pm"
	}
	return time.Unix(int64(seconds), 0).UTC().Format(layout)
}
