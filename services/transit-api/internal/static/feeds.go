package static

import (
	"context"
	"slices"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Feed is one GTFS feed of the deployment.
type Feed struct {
	Name  string `json:"name" doc:"Name given at import."`
	Alias string `json:"alias" doc:"Alias used in paths."`
	Link  string `json:"link" format:"uri" doc:"The feed's own resource."`
}

// FeedDetails is a feed with a summary of its contents.
type FeedDetails struct {
	Feed
	SHA256    string     `json:"sha256" doc:"SHA-256 of the zip that is served, in hexadecimal. It identifies the version."`
	TimeZone  string     `json:"time_zone" doc:"Time zone of the feed's dates: agency_timezone of its first agency."`
	FirstDay  *rest.Date `json:"first_day" doc:"First day of service; null if the feed has no service."`
	LastDay   *rest.Date `json:"last_day" doc:"Last day of service; null if the feed has no service."`
	FeedInfo  *FeedInfo  `json:"feed_info" translate:"into" doc:"The row of feed_info.txt; null if the feed has none."`
	Agencies  int        `json:"agencies" doc:"Number of agencies."`
	Routes    int        `json:"routes" doc:"Number of routes."`
	Stops     int        `json:"stops" doc:"Number of stops."`
	Services  int        `json:"services" doc:"Number of services, from calendar.txt and calendar_dates.txt."`
	Trips     int        `json:"trips" doc:"Number of trips."`
	StopTimes int        `json:"stop_times" doc:"Number of stop times."`
	Shapes    int        `json:"shapes" doc:"Number of shapes."`
}

// FeedInfo is the row of feed_info.txt.
type FeedInfo struct {
	FeedPublisherName *string    `json:"feed_publisher_name" translate:"feed_info.feed_publisher_name"`
	FeedPublisherURL  *string    `json:"feed_publisher_url" translate:"feed_info.feed_publisher_url"`
	FeedLang          *string    `json:"feed_lang"`
	DefaultLang       *string    `json:"default_lang"`
	FeedStartDate     *rest.Date `json:"feed_start_date"`
	FeedEndDate       *rest.Date `json:"feed_end_date"`
	FeedVersion       *string    `json:"feed_version"`
	FeedContactEmail  *string    `json:"feed_contact_email" translate:"feed_info.feed_contact_email"`
	FeedContactURL    *string    `json:"feed_contact_url" translate:"feed_info.feed_contact_url"`
}

var feedInfo = rest.SQL[edition.VersionKey, FeedInfo](`
	SELECT feed_publisher_name, feed_publisher_url, feed_lang, default_lang, feed_start_date, feed_end_date,
	       feed_version, feed_contact_email, feed_contact_url
	FROM transit.feed_info
	WHERE version_id = @version_id
	ORDER BY ord LIMIT 1`)

func (a *API) feedEndpoints() rest.Table {
	return rest.Table{
		rest.From(rest.Spec{ID: "discovery.feeds", Path: "/feeds", Summary: "Feeds", Tag: tagDiscovery},
			edition.AllFeeds[feedsPage](a.Feeds), listFeeds),
		rest.From(rest.Spec{ID: "discovery.feed", Path: wire.FeedPath, Summary: "One feed",
			Doc: "Metadata of the feed; meta.links lead to its collections and, if the feed is observed, to what really ran.",
			Tag: tagDiscovery, Translated: true, Queries: rest.Queries(feedInfo), NotFound: "unknown feed"},
			feed[wire.FeedParams](a),
			a.oneFeed),
	}
}

type feedsPage struct{ wire.Window }

func listFeeds(_ context.Context, c *rest.Call, p feedsPage, feeds *edition.Feeds) (wire.Envelope[[]Feed], error) {
	from, to := p.Part(len(feeds.Sorted))
	var page []Feed
	for _, f := range feeds.Sorted[from:to] {
		page = append(page, summary(c, f))
	}
	return wire.Slice(c, p.Window, page, len(feeds.Sorted), nil), nil
}

func summary(c *rest.Call, f *edition.Feed) Feed {
	return Feed{f.Name, f.Alias, c.URL(wire.FeedPath, f.Alias)}
}

func (a *API) oneFeed(
	ctx context.Context, c *rest.Call, _ wire.FeedParams, f *edition.Feed,
) (wire.Envelope[FeedDetails], error) {
	infos, err := feedInfo.List(ctx, c, f.Key())
	if err != nil {
		return wire.Envelope[FeedDetails]{}, err
	}
	n := f.Counts
	d := FeedDetails{Feed: summary(c, f), SHA256: f.SHA256, TimeZone: f.Zone.String(), FirstDay: f.FirstDay,
		LastDay:  f.LastDay,
		Agencies: n["agency"], Routes: n["route"], Stops: n["stop"], Services: n["service"], Trips: n["trip"],
		StopTimes: n["stop_time"], Shapes: n["shape"]}
	if len(infos) > 0 {
		d.FeedInfo = &infos[0]
	}
	one := []FeedDetails{d}
	if err := translate(ctx, c, f, one); err != nil {
		return wire.Envelope[FeedDetails]{}, err
	}
	var links wire.Links
	for _, name := range []string{"agencies", "files", "report", "services", "shapes", "stops"} {
		links.Add(name, c.URL(wire.FeedPath+"/"+name, f.Alias))
	}
	if a.IsObserved(f.Alias) {
		links.Add("performance", c.URL(wire.FeedPath+"/performance", f.Alias))
	}
	return wire.Item(c, one[0], links), nil
}

func (a *API) agencyEndpoints() rest.Table {
	return rest.Table{
		list(a, rest.Spec{ID: "static.agencies", Path: wire.FeedPath + "/agencies", Summary: "Agencies",
			NotFound: "unknown feed"},
			func(_ context.Context, c *rest.Call, f *edition.Feed, p feedPage) ([]edition.Agency, int, error) {
				page := slices.Clone(window(f.Agencies, p.Window))
				for i := range page {
					linkAgency(&page[i], c, f)
				}
				return page, len(f.Agencies), nil
			}),
		single(a, rest.Spec{ID: "static.agency", Path: wire.AgencyPath, Summary: "One agency",
			NotFound: "unknown feed or agency"},
			func(_ context.Context, c *rest.Call, f *edition.Feed, p wire.AgencyParams) (edition.Agency, wire.Links, error) {
				found, err := FindAgency(f, p)
				if err != nil {
					return edition.Agency{}, nil, err
				}
				agency := *found
				linkAgency(&agency, c, f)
				return agency, nil, nil
			}),
	}
}

func linkAgency(a *edition.Agency, c *rest.Call, f *edition.Feed) {
	a.Links = wire.Below(c.URL(wire.AgencyPath, f.Alias, a.AgencyID), "routes")
}
