package wire

// Paths on which other paths build.
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

type (
	FeedParams struct {
		FeedAlias string `path:"feed_alias" doc:"Alias of the feed, from /feeds."`
	}
	// AgencyParams name an agency of a feed.
	AgencyParams struct {
		FeedParams
		AgencyID string `path:"agency_id" doc:"agency_id of the feed; the feed's alias if the feed gives none."`
	}
	// RouteParams name a route of an agency.
	RouteParams struct {
		AgencyParams
		RouteID string `path:"route_id" doc:"route_id of the feed."`
	}
	TripParams struct {
		RouteParams
		TripID string `path:"trip_id" doc:"trip_id of the feed."`
	}
	// StopParams name a stop of a feed.
	StopParams struct {
		FeedParams
		StopID string `path:"stop_id" doc:"stop_id of the feed."`
	}
)

// FeedChoice limits an answer to one feed.
type FeedChoice struct {
	Feed *string `query:"feed" doc:"Alias of a feed: only its realtime sources are read. Default: all feeds."`
}

func (p FeedParams) Alias() string { return p.FeedAlias }

// Choice returns the alias of the feed; "" for all feeds.
func (p FeedChoice) Choice() string { return Text(p.Feed) }

// Text returns a cell; "" if it is null.
func Text(cell *string) string {
	if cell == nil {
		return ""
	}
	return *cell
}
