package static

import (
	"cmp"
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/lines"
	"github.com/townline/townline/services/transit-api/internal/replica"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Trip is a row of trips.txt.
type Trip struct {
	Label                string     `json:"label" doc:"trip_headsign, else trip_short_name, else trip_id."`
	TripID               string     `json:"trip_id"`
	RouteID              string     `json:"route_id"`
	ServiceID            string     `json:"service_id"`
	TripHeadsign         *string    `json:"trip_headsign"`
	TripShortName        *string    `json:"trip_short_name"`
	DirectionID          *string    `json:"direction_id"`
	BlockID              *string    `json:"block_id"`
	ShapeID              *string    `json:"shape_id"`
	WheelchairAccessible *string    `json:"wheelchair_accessible"`
	BikesAllowed         *string    `json:"bikes_allowed"`
	Links                wire.Links `json:"links" db:"-" doc:"self, route, service, schedule, stop_times, stops, geojson; shape if there is one."`
}

const tripColumns = `
	coalesce(t.trip_headsign, t.trip_short_name, t.trip_id) AS label, t.trip_id, t.route_id, t.service_id, t.trip_headsign,
	t.trip_short_name, t.direction_id, t.block_id, t.shape_id, t.wheelchair_accessible, t.bikes_allowed`

var tripRows = Rows[Trip]{rest.SQL[edition.Ranks, Trip](`
	SELECT ` + tripColumns + `
	FROM transit.trip t
	WHERE t.version_id = @version_id AND t.ord >= @low AND t.ord < @high
	ORDER BY t.ord`), (*Trip).link}

type tripList struct {
	VersionID replica.Version
	Ranks     []int32
}

var tripsByRank = rest.SQL[tripList, Trip](`
	SELECT ` + tripColumns + `
	FROM transit.trip t
	WHERE t.version_id = @version_id AND t.ord = ANY (@ranks::integer[])`)

func (a *API) tripEndpoints() rest.Table {
	return rest.Table{
		ranked(a, rest.Spec{ID: "static.trips", Path: RoutePath + "/trips", Summary: "Trips of a route",
			NotFound: "unknown feed, agency or route"}, tripRows,
			func(f *edition.Feed, p routePage) (edition.Span, error) {
				route, err := FindRoute(f, p.RouteParams)
				return route.Trips(), err
			}),
		oneRanked(a, rest.Spec{ID: "static.trip", Path: TripPath, Summary: "One trip",
			NotFound: "unknown feed, agency, route or trip"}, tripRows,
			func(f *edition.Feed, p TripParams) (int, error) {
				trip, err := FindTrip(f, p)
				return int(trip.Rank), err
			}),
		list(a, rest.Spec{ID: "static.trip_stops", Path: TripPath + "/stops",
			Summary: "Stops of a trip in order of stop_sequence",
			Doc:     "A stop is listed twice if the trip calls there twice.", NotFound: "unknown feed, agency, route or trip"},
			listTripStops),
	}
}

func (a *API) tripGeometryEndpoints() rest.Table {
	return rest.Table{
		single(a, rest.Spec{ID: "static.trip_geojson", Path: TripPath + "/geojson", Summary: "One trip as GeoJSON",
			Queries: rest.Queries(tripRows.Query, shapeByID), NotFound: "unknown feed, agency, route or trip"}, oneTripGeoJSON),
	}
}

func listTripStops(ctx context.Context, c *rest.Call, f *edition.Feed, p tripPage) ([]edition.Stop, int, error) {
	trip, err := FindTrip(f, p.TripParams)
	if err != nil {
		return nil, 0, err
	}
	calls, err := f.Calls(ctx, trip.RunKey())
	if err != nil {
		return nil, 0, err
	}
	ids := make([]string, 0, len(calls.StopID))
	for _, id := range calls.StopID {
		if id != nil { // a call at a zone or a location group has no stop
			ids = append(ids, *id)
		}
	}
	return stopsOf(c, f, ids, p.Window)
}

func (t *Trip) link(c *rest.Call, f *edition.Feed) {
	agencyID := f.Route(t.RouteID).AgencyID
	route := c.URL(RoutePath, f.Alias, agencyID, t.RouteID)
	self := c.URL(TripPath, f.Alias, agencyID, t.RouteID, t.TripID)
	direction := cmp.Or(Text(t.DirectionID), "0")
	t.Links = make(wire.Links, 0, 8)
	t.Links = append(t.Links,
		wire.Link{Rel: "self", Href: self},
		wire.Link{Rel: "route", Href: route},
		wire.Link{Rel: "service", Href: c.URL(ServicePath, f.Alias, t.ServiceID)},
		wire.Link{Rel: "schedule", Href: c.URL(SchedulePath, f.Alias, agencyID, t.RouteID, t.ServiceID, direction)},
		wire.Link{Rel: "stop_times", Href: self + "/stop_times"},
		wire.Link{Rel: "stops", Href: self + "/stops"},
		wire.Link{Rel: "geojson", Href: self + "/geojson"})
	if t.ShapeID != nil {
		t.Links.Add("shape", c.URL(ShapePath, f.Alias, *t.ShapeID))
	}
}

// A TripFeature is a trip as GeoJSON.
type TripFeature struct {
	Type       string         `json:"type" enum:"Feature"`
	Properties TripProperties `json:"properties"`
	Geometry   LineString     `json:"geometry" doc:"The trip's shape, else the line through its stops."`
}

// TripProperties describes the trip of a TripFeature.
type TripProperties struct {
	TripID       string  `json:"trip_id"`
	RouteID      string  `json:"route_id"`
	ServiceID    string  `json:"service_id"`
	TripHeadsign *string `json:"trip_headsign"`
	BlockID      *string `json:"block_id"`
}

func oneTripGeoJSON(ctx context.Context, c *rest.Call, f *edition.Feed, p TripParams) (TripFeature, wire.Links, error) {
	t, err := FindTrip(f, p)
	if err != nil {
		return TripFeature{}, nil, err
	}
	trip, err := tripRows.One(ctx, c, f, int(t.Rank))
	if err != nil {
		return TripFeature{}, nil, err
	}
	w := lines.Line{Pattern: &t.Pattern}
	if trip.ShapeID != nil {
		w, err = readShape(ctx, c, f, *trip.ShapeID)
		if err != nil {
			return TripFeature{}, nil, err
		}
		w.Pattern = &t.Pattern
	}
	l, _, err := lineOf(ctx, c, f, w)
	if err != nil {
		return TripFeature{}, nil, err
	}
	return TripFeature{"Feature", TripProperties{trip.TripID, trip.RouteID, trip.ServiceID, trip.TripHeadsign,
			trip.BlockID}, LineString{"LineString", l}},
		wire.Links{{Rel: "trip", Href: c.URL(TripPath, f.Alias, p.AgencyID, p.RouteID, p.TripID)}}, nil
}
