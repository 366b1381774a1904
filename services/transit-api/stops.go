package transitapi

import (
	"context"

	"github.com/townline/townline/pkg/rest"
)

// A Stop is a row of stops.txt.
type Stop struct {
	Label              string     `json:"label" doc:"stop_name, else stop_id."`
	StopID             string     `json:"stop_id"`
	StopCode           *string    `json:"stop_code" doc:"What riders know the stop by."`
	StopName           string     `json:"stop_name"`
	StopDesc           *string    `json:"stop_desc"`
	StopLat            string     `json:"stop_lat" doc:"Latitude."`
	StopLon            string     `json:"stop_lon" doc:"Longitude."`
	ZoneID             *string    `json:"zone_id"`
	StopURL            *string    `json:"stop_url"`
	LocationType       *string    `json:"location_type"`
	ParentStation      *string    `json:"parent_station"`
	StopTimezone       *string    `json:"stop_timezone"`
	WheelchairBoarding *string    `json:"wheelchair_boarding"`
	PlatformCode       *string    `json:"platform_code"`
	TTSStopName        *string    `json:"tts_stop_name" doc:"How to pronounce the name."`
	LevelID            *string    `json:"level_id"`
	Links              rest.Links `json:"links" db:"-" doc:"self, routes, directions, trips, stop_times; parent_station where there is one."`
}

const stopColumns = `
	coalesce(s.stop_name, s.stop_id) AS label, s.stop_id, s.stop_code, coalesce(s.stop_name, '') AS stop_name, s.stop_desc,
	coalesce(s.stop_lat, '') AS stop_lat, coalesce(s.stop_lon, '') AS stop_lon, s.zone_id, s.stop_url, s.location_type,
	s.parent_station, s.stop_timezone, s.wheelchair_boarding, s.platform_code, s.tts_stop_name, s.level_id`

var stopPageRows = rest.SQL[ranks, Stop](`
	SELECT ` + stopColumns + `
	FROM transit.stop s
	WHERE s.version_id = @version_id AND s.ord >= @low AND s.ord < @high
	ORDER BY s.ord`)

var stopByID = rest.SQL[stopKey, Stop](`
	SELECT ` + stopColumns + `
	FROM transit.stop s
	WHERE s.version_id = @version_id AND s.stop_id = @stop_id`)

type stopList struct {
	VersionID versionID
	StopIDs   []string `arg:"stop_ids"`
}

// Stops in the order of the given ids, which may repeat themselves.
var stopsInOrder = rest.SQL[stopList, Stop](`
	SELECT ` + stopColumns + `
	FROM unnest(@stop_ids::text[]) WITH ORDINALITY AS u (stop_id, n)
	JOIN transit.stop s ON s.version_id = @version_id AND s.stop_id = u.stop_id
	ORDER BY u.n`)

func (a *api) stopEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "static.stops", Path: "/feeds/{feed_alias}/stops", Summary: "Stops",
			Tag: tagStatic, Queries: rest.Queries(stopPageRows), NotFound: "unknown feed"}, a.listStops),
		rest.Func(rest.Spec{ID: "static.stop", Path: "/feeds/{feed_alias}/stops/{stop_id}", Summary: "One stop",
			Tag: tagStatic, Queries: rest.Queries(stopByID), NotFound: "unknown feed or stop"}, a.oneStop),
	}
}

func (a *api) listStops(ctx context.Context, c *rest.Call, p feedPage) (rest.Envelope[[]Stop], error) {
	f := feedOf(c)
	total := f.row.Counts.Stop
	rows, err := stopPageRows.List(ctx, c, f.page(0, total, p.Window))
	linkStops(c, f, rows)
	return rest.Slice(c, p.Window, rows, total, nil), err
}

func (a *api) oneStop(ctx context.Context, c *rest.Call, p stopParams) (rest.Envelope[Stop], error) {
	f := feedOf(c)
	row, err := stopByID.One(ctx, c, stopKey{f.version, p.StopID})
	row.link(c, f)
	return rest.Item(c, row, nil), err
}

func linkStops(c *rest.Call, f *liveFeed, rows []Stop) {
	for i := range rows {
		rows[i].link(c, f)
	}
}

func (s *Stop) link(c *rest.Call, f *liveFeed) {
	self := c.URL("/feeds/{feed_alias}/stops/{stop_id}", f.alias, s.StopID)
	s.Links = make(rest.Links, 0, 6)
	s.Links = append(s.Links,
		rest.Link{Rel: "self", Href: self},
		rest.Link{Rel: "routes", Href: self + "/routes"},
		rest.Link{Rel: "directions", Href: self + "/directions"},
		rest.Link{Rel: "trips", Href: self + "/trips"},
		rest.Link{Rel: "stop_times", Href: self + "/stop_times"})
	if s.ParentStation != nil {
		s.Links.Add("parent_station", c.URL("/feeds/{feed_alias}/stops/{stop_id}", f.alias, *s.ParentStation))
	}
}
