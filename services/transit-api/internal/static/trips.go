package static

import (
	"cmp"
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/lines"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A Trip is a trip in answers.
type Trip struct {
	Label string `json:"label" doc:"trip_headsign, else trip_short_name, else trip_id."`
	edition.Trip
	Links wire.Links `json:"links" doc:"self, route, service, schedule, stop_times, stops, geojson; shape if there is one."`
}

func (a *API) tripEndpoints() rest.Table {
	return rest.Table{
		list(a, rest.Spec{ID: "static.trips", Path: wire.RoutePath + "/trips", Summary: "Trips of a route",
			NotFound: "unknown feed, agency or route"},
			func(_ context.Context, c *rest.Call, f *edition.Feed, p routePage) ([]Trip, int, error) {
				route, err := FindRoute(f, p.RouteParams)
				all := f.TripsOf(route.Trips())
				part := window(all, p.Window)
				page := make([]Trip, len(part))
				for i := range part {
					page[i] = linkedTrip(&part[i], c, f)
				}
				return page, len(all), err
			}),
		single(a, rest.Spec{ID: "static.trip", Path: wire.TripPath, Summary: "One trip",
			NotFound: "unknown feed, agency, route or trip"},
			func(_ context.Context, c *rest.Call, f *edition.Feed, p wire.TripParams) (Trip, wire.Links, error) {
				trip, err := FindTrip(f, p)
				if err != nil {
					return Trip{}, nil, err
				}
				return linkedTrip(trip, c, f), nil, nil
			}),
		list(a, rest.Spec{ID: "static.trip_stops", Path: wire.TripPath + "/stops",
			Summary: "Stops of a trip in order of stop_sequence",
			Doc:     "A stop is listed twice if the trip calls there twice.", NotFound: "unknown feed, agency, route or trip"},
			listTripStops),
	}
}

func (a *API) tripGeometryEndpoints() rest.Table {
	return rest.Table{
		single(a, rest.Spec{ID: "static.trip_geojson", Path: wire.TripPath + "/geojson", Summary: "One trip as GeoJSON",
			Queries: rest.Queries(shapeByID), NotFound: "unknown feed, agency, route or trip"}, oneTripGeoJSON),
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

func linkedTrip(t *edition.Trip, c *rest.Call, f *edition.Feed) Trip {
	agencyID, routeID := t.Route.AgencyID, t.Route.RouteID
	route := c.URL(wire.RoutePath, f.Alias, agencyID, routeID)
	self := c.URL(wire.TripPath, f.Alias, agencyID, routeID, t.TripID)
	service := t.Service.ServiceID
	own := Trip{Label: tripLabel(t), Trip: *t, Links: make(wire.Links, 0, 8)}
	own.Links = append(own.Links,
		wire.Link{Rel: "self", Href: self},
		wire.Link{Rel: "route", Href: route},
		wire.Link{Rel: "service", Href: c.URL(wire.ServicePath, f.Alias, service)},
		wire.Link{Rel: "schedule", Href: c.URL(wire.SchedulePath, f.Alias, agencyID, routeID, service, t.Direction())},
		wire.Link{Rel: "stop_times", Href: self + "/stop_times"},
		wire.Link{Rel: "stops", Href: self + "/stops"},
		wire.Link{Rel: "geojson", Href: self + "/geojson"})
	if t.ShapeID != nil {
		own.Links.Add("shape", c.URL(wire.ShapePath, f.Alias, *t.ShapeID))
	}
	return own
}

func tripLabel(t *edition.Trip) string {
	return cmp.Or(wire.Text(t.TripHeadsign), wire.Text(t.TripShortName), t.TripID)
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
	TripHeadsign *string `json:"trip_headsign" translate:"trips.trip_headsign,TripID"`
	BlockID      *string `json:"block_id"`
}

func oneTripGeoJSON(ctx context.Context, c *rest.Call, f *edition.Feed, p wire.TripParams) (TripFeature, wire.Links,
	error) {
	t, err := FindTrip(f, p)
	if err != nil {
		return TripFeature{}, nil, err
	}
	w := lines.Line{Pattern: &t.Pattern}
	if t.ShapeID != nil {
		w, err = readShape(ctx, c, f, *t.ShapeID)
		if err != nil {
			return TripFeature{}, nil, err
		}
		w.Pattern = &t.Pattern
	}
	l, _, err := lineOf(ctx, c, f, w)
	if err != nil {
		return TripFeature{}, nil, err
	}
	return TripFeature{"Feature", TripProperties{TripID: t.TripID, RouteID: t.Route.RouteID,
			ServiceID: t.Service.ServiceID, TripHeadsign: t.TripHeadsign, BlockID: t.BlockID}, LineString{"LineString", l}},
		wire.Links{{Rel: "trip", Href: c.URL(wire.TripPath, f.Alias, p.AgencyID, p.RouteID, p.TripID)}}, nil
}
