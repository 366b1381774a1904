package transitapi

import (
	"slices"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// description introduces the API in its OpenAPI document.
const description = `Transit schedules as resources: the GTFS files of each feed, and what follows from them.

Ask for JSON by _format=json or by an Accept header that names application/json. Every answer is an envelope of
meta (counts, paging, links) and data. Values are the feed's own cells, as strings; an empty cell is null.

links name related resources by their relation. next and previous are false where there is no further page.
Answers about a feed change only with its imports: revalidate with If-None-Match; Last-Modified is when the feed last changed.`

// Sections of the documentation.
const (
	tagDiscovery = "Discovery"
	tagStatic    = "Static GTFS"
)

// endpoints is the whole API. The root listing, the OpenAPI description, access
// and tests are all made of it. An endpoint's ID is also the permission that reading it
// takes; the word before the dot is the permission's group.
func (a *api) endpoints() rest.Table {
	t := slices.Concat(
		a.discoveryEndpoints(),
		a.agencyEndpoints(),
		a.routeEndpoints(),
		a.geometryEndpoints(),
		a.directionEndpoints(),
		a.tripEndpoints(),
		a.stopTimeEndpoints(),
		a.scheduleEndpoints(),
		a.serviceEndpoints(),
		a.shapeEndpoints(),
		a.stopEndpoints(),
		a.stopCallEndpoints(),
		a.realtimeEndpoints(),
		a.predictionEndpoints(),
		a.displayEndpoints(),
	)
	for i := range t {
		t[i].Permission = t[i].ID
	}
	return t
}

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
	// ranks is a page of a list: the rows of a version whose rank is in [Low, High).
	ranks struct {
		VersionID replica.Version
		Low       int
		High      int
	}
	agencyKey struct {
		VersionID replica.Version
		AgencyID  string
	}
	routeKey struct {
		VersionID replica.Version
		AgencyID  string
		RouteID   string
	}
	stopKey struct {
		VersionID replica.Version
		StopID    string
	}
)

// page finds the ranks of a window among count rows, of which the first has the
// rank first. A page costs the same wherever it is.
func (f *liveFeed) page(first, count int, w wire.Window) ranks {
	from, to := cut(count, w)
	return ranks{f.version, first + from, first + to}
}

// cut is the part of count items that a window shows.
func cut(count int, w wire.Window) (from, to int) {
	from = int(min(w.Offset, int64(count)))
	return from, min(from+int(w.Limit), count)
}

func (f *liveFeed) routeKey(p routeParams) routeKey {
	return routeKey{f.version, p.AgencyID, p.RouteID}
}
