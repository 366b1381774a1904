package transitapi

import (
	"time"

	"github.com/townline/townline/services/transit-api/internal/wire"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/access"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/live"
	"github.com/townline/townline/services/transit-api/internal/notice"
	"github.com/townline/townline/services/transit-api/internal/replica"
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

// Arguments that queries share.
type (
	versionKey struct{ VersionID replica.Version }
	routeKey   struct {
		VersionID replica.Version
		AgencyID  string
		RouteID   string
	}
)

// feedOf is the feed that the answer is made of.
func feedOf(c *rest.Call) *edition.Feed { return c.Generation().Ref.(*edition.Feed) }

// findRoute finds the route of an address.
func findRoute(f *edition.Feed, p routeParams) (*edition.Route, error) {
	r := f.Route(p.RouteID)
	if r == nil || r.AgencyID != p.AgencyID {
		return nil, rest.NotFound("unknown agency or route")
	}
	return r, nil
}

// findTrip finds the trip of an address.
func findTrip(f *edition.Feed, p tripParams) (*edition.Trip, error) {
	r, err := findRoute(f, p.routeParams)
	if err != nil {
		return nil, err
	}
	t := f.Trip(p.TripID)
	if t == nil || t.Route != r {
		return nil, rest.NotFound("the route has no such trip")
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

// page is the ranks of a window among count rows, of which the first has the rank first. A page costs the same
// wherever it is.
func page(f *edition.Feed, first, count int, w wire.Window) edition.Ranks {
	from, to := cut(count, w)
	return edition.Ranks{VersionID: f.Version, Low: first + from, High: first + to}
}

// cut is the part of count items that a window shows.
func cut(count int, w wire.Window) (from, to int) {
	from = int(min(w.Offset, int64(count)))
	return from, min(from+int(w.Limit), count)
}
