package edition

import (
	"context"
	"reflect"

	"github.com/townline/townline/pkg/rest"
)

// A Trip is a row of trips.txt, with the numbers of its calls and times. The order of its fields
// avoids padding.
type Trip struct {
	TripID               string `json:"trip_id"`
	RouteRef             `json:"route_id" db:"-"`
	ServiceRef           `json:"service_id" db:"-"`
	TripHeadsign         *string `json:"trip_headsign" translate:"trips.trip_headsign,TripID"`
	TripShortName        *string `json:"trip_short_name" translate:"trips.trip_short_name,TripID"`
	DirectionID          Flag    `json:"direction_id"`
	Repeated             bool    `json:"-"` // frequencies.txt has the trip
	Rank                 int32   `json:"-" db:"ord"`
	BlockID              *string `json:"block_id"`
	ShapeID              *string `json:"shape_id"`
	WheelchairAccessible Flag    `json:"wheelchair_accessible"`
	BikesAllowed         Flag    `json:"bikes_allowed"`
	Pattern              int32   `json:"-"`                 // -1 if it has no calls
	Profile              int32   `json:"-"`                 // -1 if none of its calls has a time
	Start                int32   `json:"-" db:"start_time"` // first departure in seconds of the service day
}

// HasTimes reports whether a call of the trip has a time.
func (t *Trip) HasTimes() bool { return t.Pattern >= 0 && t.Profile >= 0 }

// Direction returns the direction_id; "0" if the feed gives none.
func (t *Trip) Direction() string {
	if t.DirectionID == '1' {
		return "1"
	}
	return "0"
}

// A RouteRef is the route of a trip. Its JSON is the route_id.
type RouteRef struct {
	Route *Route `db:"-"`
}

// MarshalText returns the route_id.
func (r RouteRef) MarshalText() ([]byte, error) { return []byte(r.Route.RouteID), nil }

// SchemaType describes the route_id.
func (RouteRef) SchemaType() reflect.Type { return reflect.TypeFor[string]() }

// A ServiceRef is the service of a trip. Its JSON is the service_id.
type ServiceRef struct {
	Service *Service `db:"-"`
}

// MarshalText returns the service_id.
func (s ServiceRef) MarshalText() ([]byte, error) { return []byte(s.Service.ServiceID), nil }

// SchemaType describes the service_id.
func (ServiceRef) SchemaType() reflect.Type { return reflect.TypeFor[string]() }

type tripRow struct {
	Trip
	RouteID   string
	ServiceID string
}

var tripRows = rest.SQL[VersionKey, tripRow](`
	SELECT trip_id, ord, coalesce(pattern, -1) AS pattern,
	       CASE WHEN start_time IS NULL THEN -1 ELSE coalesce(profile, -1) END AS profile,
	         coalesce(start_time, 0) AS start_time, trip_headsign, trip_short_name,
	       coalesce(ascii(direction_id), 0) AS direction_id, block_id, shape_id,
	       coalesce(ascii(wheelchair_accessible), 0) AS wheelchair_accessible,
	       coalesce(ascii(bikes_allowed), 0) AS bikes_allowed,
	       EXISTS (SELECT FROM transit.frequency q WHERE q.version_id = @version_id AND q.trip_id = t.trip_id) AS repeated,
	       route_id, service_id
	FROM transit.trip t
	WHERE version_id = @version_id`)

func (e *Edition) readTrips(ctx context.Context, b *budget) error {
	count := 0
	for i := range e.routes {
		count += e.routes[i].TripCount
	}
	trips := make([]Trip, 0, min(count, int(b.left/tripBytes))) // append would leave spare capacity
	kept := texts{}
	err := tripRows.Each(ctx, e.db, VersionKey{e.version}, func(row tripRow) error {
		t := row.Trip
		t.Route, t.Service = e.Route(row.RouteID), e.service(row.ServiceID)
		if t.Route == nil {
			t.Route = &Route{RouteID: row.RouteID}
		}
		size := tripBytes + len(t.TripID)
		for _, cell := range []**string{&t.TripHeadsign, &t.TripShortName, &t.BlockID, &t.ShapeID} {
			size += kept.keep(cell)
		}
		trips = append(trips, t)
		return b.spend(size)
	})
	e.indexTrips(trips)
	return err
}
