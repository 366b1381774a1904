package realtime

import (
	"math"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"

	"github.com/townline/townline/services/transit-api/internal/edition"
)

// A Located is a vehicle on a map, with the static feed's route, trip and stop.
type Located struct {
	ID             string   `json:"id" doc:"By which the vehicle is known again in the next answer: its id, else its label, else that of its trip or of the entity."`
	Label          *string  `json:"label,omitempty" doc:"What riders read on the vehicle."`
	TripID         string   `json:"trip_id,omitempty"`
	RouteID        string   `json:"route_id,omitempty"`
	AgencyID       string   `json:"agency_id,omitempty"`
	DirectionID    string   `json:"direction_id,omitempty"`
	RouteShortName *string  `json:"route_short_name,omitempty" translate:"routes.route_short_name,RouteID"`
	RouteLongName  *string  `json:"route_long_name,omitempty" translate:"routes.route_long_name,RouteID"`
	RouteColor     *string  `json:"route_color,omitempty" doc:"Six hexadecimal digits."`
	RouteType      string   `json:"route_type,omitempty"`
	Headsign       *string  `json:"headsign,omitempty" doc:"trip_headsign, else the name of the trip's last stop."`
	Lat            float64  `json:"lat" doc:"Latitude."`
	Lon            float64  `json:"lon" doc:"Longitude."`
	Bearing        *float64 `json:"bearing,omitempty" doc:"Degrees clockwise from north."`
	Timestamp      int64    `json:"timestamp" doc:"Unix time of the position; of the message or of the poll where the feed does not say."`
	Status         string   `json:"status" enum:"INCOMING_AT,STOPPED_AT,IN_TRANSIT_TO,NEAR" doc:"How the vehicle stands to the stop; NEAR: the feed names no stop, and this is the nearest one of its trip, or of all stops within a kilometre."`
	StopID         string   `json:"stop_id,omitempty" doc:"Of the static feed where it has the stop."`
	StopName       *string  `json:"stop_name,omitempty" translate:"stops.stop_name,StopID"`
	Occupancy

	Sign edition.Sign `json:"-" translate:"Headsign"`
}

// GoneAfter is the age in seconds of a position after which riders no longer see the vehicle. The
// script of maps has the same value.
const GoneAfter = 300

// Locate returns vehicle i for a map; ok is false if it has no position. fetched is the Unix time
// of the poll.
func (s *Snapshot) Locate(i int32, fetched int64) (l Located, ok bool) {
	v := &s.Message.Vehicles[i]
	m := &rt.VehiclePosition{}
	if decode(v.Body, m) != nil || m.Position == nil {
		return l, false
	}
	l.Lat, l.Lon, ok = latLon(m.Position)
	if !ok {
		return l, false
	}
	if b := finite(m.Position.Bearing); b != nil {
		bearing := math.Round(math.Mod(math.Mod(float64(*b), 360)+360, 360))
		l.Bearing = &bearing
	}
	for _, at := range []int64{int64(min(m.GetTimestamp(), math.MaxInt64)), int64(min(s.Message.Timestamp, math.MaxInt64)),
		fetched} {
		if l.Timestamp == 0 && at > 0 {
			l.Timestamp = at
		}
	}
	if m.OccupancyStatus != nil || m.OccupancyPercentage != nil {
		l.Occupancy = Occupancy{enumName(m.OccupancyStatus), m.OccupancyPercentage}
	}
	trip := s.Trip(v.Trip)
	l.RouteID, l.TripID = s.RouteOf(v.Trip)
	route := s.edition.Route(l.RouteID)
	if trip != nil {
		l.Sign, l.DirectionID = s.edition.Sign(trip), trip.Direction()
		l.Headsign = l.Sign.Text
		if route == nil {
			route = trip.Route
		}
	}
	if route != nil {
		l.RouteID, l.AgencyID = route.RouteID, route.AgencyID
		l.RouteShortName, l.RouteLongName = route.RouteShortName, route.RouteLongName
		l.RouteColor, l.RouteType = route.RouteColor, route.RouteType
	}
	if label := m.Vehicle.GetLabel(); label != "" {
		l.Label = &label
	}
	for _, id := range []string{string(v.VehicleID), m.Vehicle.GetLabel(), l.TripID, string(v.ID)} {
		if l.ID == "" {
			l.ID = id
		}
	}
	s.addStop(&l, m, v.At.Sequence, trip)
	return l, true
}

// latLon returns a position; ok is false if it is invalid or 0, 0, which feeds send for unknown
// positions.
func latLon(p *rt.Position) (lat, lon float64, ok bool) {
	lat, lon = float64(p.GetLatitude()), float64(p.GetLongitude())
	if math.IsNaN(lat) || math.IsNaN(lon) || math.Abs(lat) > 90 || math.Abs(lon) > 180 || lat == 0 && lon == 0 {
		return 0, 0, false
	}
	const digits = 1e5 // steps of about a metre
	return math.Round(lat*digits) / digits, math.Round(lon*digits) / digits, true
}

// maxNear is the maximum distance in metres at which a vehicle is NEAR a stop.
const maxNear = 1000

// addStop adds the published stop of the vehicle or, if missing, the nearest stop of its trip or of
// the feed.
func (s *Snapshot) addStop(l *Located, m *rt.VehiclePosition, sequence int64, trip *edition.Trip) {
	published := m.GetStopId()
	if published == "" && sequence >= 0 {
		published = s.stopAt(trip, sequence)
	}
	var stop *edition.Stop
	if published != "" {
		l.Status, l.StopID = m.GetCurrentStatus().String(), published
		ids := s.edition.Identities(published)
		stop = s.edition.Stop(ids[len(ids)-1])
	} else {
		l.Status = "NEAR"
		var among []string
		if calls := s.calls(trip); calls != nil {
			for _, id := range calls.StopID {
				if id != nil {
					among = append(among, *id)
				}
			}
		}
		stop = s.edition.Nearest(l.Lat, l.Lon, maxNear, among)
	}
	if stop != nil {
		l.StopID, l.StopName = stop.StopID, &stop.Label
	}
}
