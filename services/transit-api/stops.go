package transitapi

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/wire"
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
	Links              wire.Links `json:"links" db:"-" doc:"self, routes, directions, trips, stop_times; parent_station where there is one."`
}

const stopColumns = `
	coalesce(s.stop_name, s.stop_id) AS label, s.stop_id, s.stop_code, coalesce(s.stop_name, '') AS stop_name, s.stop_desc,
	coalesce(s.stop_lat, '') AS stop_lat, coalesce(s.stop_lon, '') AS stop_lon, s.zone_id, s.stop_url, s.location_type,
	s.parent_station, s.stop_timezone, s.wheelchair_boarding, s.platform_code, s.tts_stop_name, s.level_id`

// Stops are read once for each version, see index.go.
var stopRows = rest.SQL[versionKey, indexedStop](`
	SELECT ` + stopColumns + `, s.num
	FROM transit.stop s
	WHERE s.version_id = @version_id
	ORDER BY s.ord`)

func (a *api) stopEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "static.stops", Path: "/feeds/{feed_alias}/stops", Summary: "Stops",
			Tag: tagStatic, NotFound: "unknown feed"}, a.listStops),
		rest.Func(rest.Spec{ID: "static.stop", Path: "/feeds/{feed_alias}/stops/{stop_id}", Summary: "One stop",
			Tag: tagStatic, NotFound: "unknown feed or stop"}, a.oneStop),
	}
}

func (a *api) listStops(_ context.Context, c *rest.Call, p feedPage) (wire.Envelope[[]Stop], error) {
	f := feedOf(c)
	from, to := cut(len(f.stops), p.Window)
	rows := make([]Stop, 0, to-from)
	for i := from; i < to; i++ {
		rows = append(rows, f.stops[i].shown(c, f))
	}
	return wire.Slice(c, p.Window, rows, len(f.stops), nil), nil
}

func (a *api) oneStop(_ context.Context, c *rest.Call, p stopParams) (wire.Envelope[Stop], error) {
	f := feedOf(c)
	s, err := f.stop(p.StopID)
	if err != nil {
		return wire.Envelope[Stop]{}, err
	}
	return wire.Item(c, s.shown(c, f), nil), nil
}

// stopsOf is a page of a list of stop ids as stops.
func stopsOf(c *rest.Call, f *liveFeed, ids []string, w wire.Window) (wire.Envelope[[]Stop], error) {
	from, to := cut(len(ids), w)
	rows := make([]Stop, 0, to-from)
	for _, id := range ids[from:to] {
		s, err := f.stop(id)
		if err != nil {
			return wire.Envelope[[]Stop]{}, err
		}
		rows = append(rows, s.shown(c, f))
	}
	return wire.Slice(c, w, rows, len(ids), nil), nil
}

// shown is a copy of the stop with its links.
func (s *indexedStop) shown(c *rest.Call, f *liveFeed) Stop {
	row := s.Stop
	row.link(c, f)
	return row
}

// textBytes is what the cells of the stop take in memory.
func (s *Stop) textBytes() int {
	n := len(s.Label) + len(s.StopID) + len(s.StopName) + len(s.StopLat) + len(s.StopLon)
	for _, cell := range []*string{s.StopCode, s.StopDesc, s.ZoneID, s.StopURL, s.LocationType, s.ParentStation, s.StopTimezone,
		s.WheelchairBoarding, s.PlatformCode, s.TTSStopName, s.LevelID} {
		if cell != nil {
			n += 32 + len(*cell)
		}
	}
	return n
}

func (s *Stop) link(c *rest.Call, f *liveFeed) {
	self := c.URL("/feeds/{feed_alias}/stops/{stop_id}", f.alias, s.StopID)
	s.Links = make(wire.Links, 0, 6)
	s.Links = append(s.Links,
		wire.Link{Rel: "self", Href: self},
		wire.Link{Rel: "routes", Href: self + "/routes"},
		wire.Link{Rel: "directions", Href: self + "/directions"},
		wire.Link{Rel: "trips", Href: self + "/trips"},
		wire.Link{Rel: "stop_times", Href: self + "/stop_times"})
	if s.ParentStation != nil {
		s.Links.Add("parent_station", c.URL("/feeds/{feed_alias}/stops/{stop_id}", f.alias, *s.ParentStation))
	}
}
