package judge

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/gtfsrt"
)

// Enum values of GTFS-Realtime, and bounds.
const (
	added       = 1 // schedule_relationship of trips
	unscheduled = 2
	canceled    = 3
	replacement = 5
	duplicated  = 6
	deleted     = 7
	newTrip     = 8
	skipped     = 1 // schedule_relationship of stop time updates
	noData      = 2
	detour      = 4 // effect of alerts
)

const (
	firstPOSIX = 1_104_537_600 // start of 2005
	lastPOSIX  = 1_991_620_134 // in 2033
	maxAge     = 65            // seconds
	maxAhead   = 60
	maxRefresh = 35
	maxSpeed   = 26 // metres per second
)

func isPOSIX(at uint64) bool { return at >= firstPOSIX && at <= lastPOSIX }

// ahead returns how many seconds a POSIX time is in the future.
func (p *pass) ahead(at uint64) int64 { return int64(at) - p.Now.Unix() }

type header struct {
	*pass
	*gtfsrt.Message
}

func (h *header) example() Example { return Example{} }

func (h *header) seconds() int64 { return gtfsrt.Seconds(int64(h.Timestamp)) }

func (h *header) timeText() string { return fmt.Sprintf("header.timestamp %d", h.Timestamp) }

func (h *header) isV2() bool { return !strings.HasPrefix(h.Version, "1") }

var headerRules = []rule[*header]{
	{Rule{"E001", "A time is not in seconds since 1970, or is before 2005 or after 2033.",
		"Write POSIX times in seconds. Milliseconds are the usual reason."},
		func(h *header) bool { return h.Timestamp != 0 && !isPOSIX(h.Timestamp) }, (*header).timeText},
	{Rule{"E017", "The content has changed, and the time of the message has not.",
		"Update the header’s timestamp with each change. Behind a load balancer let all servers answer the same message."},
		func(h *header) bool { return h.Timestamp != 0 && h.seconds() == h.Before }, (*header).timeText},
	{Rule{"E018", "The time of the message is earlier than that of the previous message.",
		"Synchronize the clocks of your servers. Behind a load balancer let all servers answer the same message."},
		func(h *header) bool { return h.Timestamp != 0 && h.seconds() < h.Before },
		func(h *header) string { return fmt.Sprintf("%d s before the last message", h.Before-h.seconds()) }},
	{Rule{"E038", "The version of the message is unknown.", "Write 2.0 or 1.0 as gtfs_realtime_version."},
		func(h *header) bool { return h.Version != "" && h.Version != "1.0" && h.Version != "2.0" },
		func(h *header) string { return "gtfs_realtime_version " + h.Version }},
	{Rule{"E039", "An entity of a full data set has the field is_deleted.",
		"Leave out the field. Also leave out entities that no longer exist."},
		func(h *header) bool { return !h.Differential && len(h.Marked) > 0 },
		func(h *header) string { return fmt.Sprintf("%d entities, first %s", len(h.Marked), h.Marked[0]) }},
	{Rule{"E048", "The message has no time.", "Fill in timestamp of the header."},
		func(h *header) bool { return h.Timestamp == 0 && h.isV2() }, nil},
	{Rule{"E049", "The header does not say whether the message is a full data set.",
		"Write FULL_DATASET as incrementality."},
		func(h *header) bool { return !h.HasIncrementality && h.isV2() }, nil},
	{Rule{"E050", "A time is more than a minute in the future.", "Synchronize the clocks of your servers and vehicles."},
		func(h *header) bool { return isPOSIX(h.Timestamp) && h.ahead(h.Timestamp) > maxAhead },
		func(h *header) string { return fmt.Sprintf("header.timestamp is %d s ahead", h.ahead(h.Timestamp)) }},
	{Rule{"W001", "A time is missing.", "Fill in the timestamp of the header, of trip updates and of vehicle positions."},
		func(h *header) bool { return h.Timestamp == 0 && !h.isV2() }, func(*header) string { return "header.timestamp" }},
	{Rule{"W007", "The source is updated less often than every 35 seconds.",
		"Make a new message at least every 30 seconds."},
		func(h *header) bool {
			// Messages are missed while the source is not polled: the time without polls does not
			// count.
			return h.Timestamp != 0 && h.Before != 0 && h.Unseen >= 0 &&
				h.seconds()-h.Before-int64(h.Unseen/time.Second) > maxRefresh
		}, func(h *header) string { return fmt.Sprintf("%d s after the last message", h.seconds()-h.Before) }},
	{Rule{"W008", "The message is more than 65 seconds old.",
		"Serve messages that are less than a minute old. Check the caches in front of your server."},
		func(h *header) bool { return isPOSIX(h.Timestamp) && -h.ahead(h.Timestamp) > maxAge },
		func(h *header) string { return fmt.Sprintf("%d s old", -h.ahead(h.Timestamp)) }},
}

// tripped is an entity or an alert's selector that names a trip.
type tripped struct {
	*pass
	*gtfsrt.Trip
	entityID  []byte
	fact      *trip // nil if the trip is not in the feed
	vehicleID []byte
	timestamp uint64
}

func (t *tripped) example() Example {
	return Example{EntityID: string(t.entityID), TripID: string(t.TripID), VehicleID: string(t.vehicleID)}
}

// isOwn reports whether the trip need not be in the timetable.
func (t *tripped) isOwn() bool {
	return t.Relationship == added || t.Relationship == replacement || t.Relationship == duplicated ||
		t.Relationship == newTrip
}

func (t *tripped) hasRoute() bool { return t.Facts.routes[string(t.RouteID)] }

// isHeadway reports whether the trip is in frequencies.txt with these exact_times.
func (t *tripped) isHeadway(exact bool) bool {
	return t.fact != nil && len(t.fact.headways) > 0 && t.fact.headways[0].Exact == exact
}

// startSeconds returns the start_time in seconds of the service day; ok is false if it is invalid.
func (t *tripped) startSeconds() (seconds int32, ok bool) {
	parts := strings.Split(string(t.StartTime), ":")
	if len(parts) != 3 || len(parts[0]) < 1 || len(parts[0]) > 2 || len(parts[1]) != 2 || len(parts[2]) != 2 {
		return 0, false
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 8)
		if err != nil || i > 0 && n > 59 {
			return 0, false
		}
		seconds = seconds*60 + int32(n)
	}
	return seconds, true
}

func (t *tripped) departsAt(start int32) bool {
	for _, h := range t.fact.headways {
		if start >= h.StartTime && start < h.EndTime && (start-h.StartTime)%h.HeadwaySecs == 0 {
			return true
		}
	}
	return false
}

func (t *tripped) startText() string { return "start_time " + string(t.StartTime) }

// tripRules apply to the trips of updates, vehicles and alerts.
var tripRules = []rule[*tripped]{
	{Rule{"E003", "The timetable has no trip of this trip_id, and the trip is not marked as added.",
		"Publish the timetable that has these trip_ids, or mark additional trips as NEW or ADDED."},
		func(t *tripped) bool { return len(t.TripID) > 0 && t.fact == nil && !t.isOwn() && t.Facts.version != 0 }, nil},
	{Rule{"E004", "The timetable has no route of this route_id.",
		"Use the route_ids of routes.txt, and publish both feeds from the same data."},
		func(t *tripped) bool { return len(t.RouteID) > 0 && !t.hasRoute() && t.Facts.version != 0 },
		func(t *tripped) string { return "route_id " + string(t.RouteID) }},
	{Rule{"E016", "A trip that is marked as ADDED is in the timetable.",
		"Write SCHEDULED for trips of the timetable, and give added trips unique ids."},
		func(t *tripped) bool { return t.Relationship == added && t.fact != nil }, nil},
	{Rule{"E020", "A start_time is not written as a time.",
		"Write HH:MM:SS, such as 25:15:35 for a quarter past one in the night after the service day."},
		func(t *tripped) bool {
			_, ok := t.startSeconds()
			return t.StartTime != nil && !ok
		}, (*tripped).startText},
	{Rule{"E021", "A start_date is not a date.", "Write YYYYMMDD, such as 20260131."},
		func(t *tripped) bool {
			_, err := time.Parse("20060102", string(t.StartDate))
			return t.StartDate != nil && err != nil
		}, func(t *tripped) string { return "start_date " + string(t.StartDate) }},
	{Rule{"E035", "A trip has the route_id of another route.",
		"Write the route_id that the trip has in trips.txt, or leave it out."},
		func(t *tripped) bool {
			return t.fact != nil && t.hasRoute() && t.fact.RouteID != string(t.RouteID)
		}, func(t *tripped) string { return fmt.Sprintf("route_id %s, not %s", t.RouteID, t.fact.RouteID) }},
	{Rule{"W006", "A trip has no trip_id.", "Fill in trip_id."},
		func(t *tripped) bool { return t.TripID == nil }, nil},
	{Rule{"W009", "A schedule_relationship is missing.",
		"Write SCHEDULED if the trip or stop runs as planned. Some programs treat a missing value as unknown."},
		func(t *tripped) bool { return !t.HasRelationship }, nil},
}

// runningRules apply to updates and vehicles.
var runningRules = []rule[*tripped]{
	{Rule{Code: "E001"}, func(t *tripped) bool { return t.timestamp != 0 && !isPOSIX(t.timestamp) }, (*tripped).timeText},
	{Rule{"E006", "A trip of a headway service lacks its start_time or start_date.",
		"Fill in trip_id, start_time and start_date of trips that run by frequencies.txt without exact times."},
		func(t *tripped) bool { return t.isHeadway(false) && (t.StartTime == nil || t.StartDate == nil) }, nil},
	{Rule{"E012", "The time of an entity is after the time of the message.",
		"Set the header’s timestamp when the message is complete."},
		func(t *tripped) bool { return t.Message.Timestamp != 0 && t.timestamp > t.Message.Timestamp }, (*tripped).timeText},
	{Rule{"E013", "A trip of a headway service has a schedule_relationship other than UNSCHEDULED.",
		"Write UNSCHEDULED for trips that run by frequencies.txt without exact times."},
		func(t *tripped) bool { return t.isHeadway(false) && t.HasRelationship && t.Relationship != unscheduled }, nil},
	{Rule{"E019", "The start_time of a headway trip is not one of its departures.",
		"Write a start_time that is a multiple of headway_secs after the start_time of frequencies.txt."},
		func(t *tripped) bool {
			if !t.isHeadway(true) {
				return false
			}
			start, ok := t.startSeconds()
			return !ok || !t.departsAt(start)
		}, (*tripped).startText},
	{Rule{"E023", "The start_time of a trip is not the first arrival time of the timetable.",
		"Write the scheduled time at the first stop, not the expected one."},
		func(t *tripped) bool {
			if t.fact == nil || t.fact.FirstTime == nil || len(t.fact.headways) > 0 || t.StartTime == nil {
				return false
			}
			start, ok := t.startSeconds()
			return ok && start != *t.fact.FirstTime
		}, (*tripped).startText},
	{Rule{"E024", "The direction_id of a trip is not that of the timetable.",
		"Write the direction_id of trips.txt, or leave it out."},
		func(t *tripped) bool {
			return t.fact != nil && t.Direction != "" && t.Direction != t.fact.DirectionID
		}, func(t *tripped) string {
			return fmt.Sprintf("direction_id %s, not %q", t.Direction, t.fact.DirectionID)
		}},
	{Rule{Code: "E050"}, func(t *tripped) bool { return isPOSIX(t.timestamp) && t.ahead(t.timestamp) > maxAhead },
		(*tripped).timeText},
	{Rule{"W002", "The id of a vehicle is missing.",
		"Fill in vehicle.id, so that riders can follow a vehicle and its predictions."},
		func(t *tripped) bool { return len(t.vehicleID) == 0 }, nil},
	{Rule{"W005", "A trip of a headway service has no vehicle.",
		"Fill in vehicle.id: several vehicles may run the same trip at the same time."},
		func(t *tripped) bool { return t.isHeadway(false) && len(t.vehicleID) == 0 }, nil},
}

// timeRules apply to updates and vehicles, deleted ones included.
var timeRules = []rule[*tripped]{
	{Rule{Code: "W001"}, func(t *tripped) bool { return t.timestamp == 0 }, nil},
}

func (t *tripped) timeText() string { return fmt.Sprintf("timestamp %d", t.timestamp) }

type vehicle struct {
	tripped
	position gtfsrt.Position
	located  bool // it has a position
}

// place returns the position; ok is false if it is missing or invalid.
func (v *vehicle) place() (lat, lon float64, ok bool) {
	lat, lon = v.position.Lat, v.position.Lon
	return lat, lon, v.located && math.Abs(lat) <= 90 && math.Abs(lon) <= 180
}

func (v *vehicle) isInArea() bool {
	lat, lon, ok := v.place()
	area := v.Facts.area
	return !ok || area == nil || area.South > area.North || area.isNear(lat, lon, areaMargin)
}

func (v *vehicle) isOnDetour() bool {
	for _, o := range v.all {
		for _, key := range []string{string(v.TripID), " " + string(v.RouteID), " " + v.fact.RouteID} {
			if _, found := o.detours[key]; found {
				return true
			}
		}
	}
	return false
}

func (v *vehicle) placeText() string {
	return fmt.Sprintf("latitude %.5f, longitude %.5f", v.position.Lat, v.position.Lon)
}

var vehicleRules = []rule[*vehicle]{
	{Rule{"E026", "The position of a vehicle lacks a coordinate or is not on Earth.",
		"Write degrees of WGS 84, or leave out the position if it is unknown."},
		func(v *vehicle) bool {
			_, _, ok := v.place()
			return v.located && !ok
		}, (*vehicle).placeText},
	{Rule{"E027", "The bearing of a vehicle is not between 0 and 360 degrees.",
		"Write degrees clockwise from north, or leave out the bearing if it is unknown."},
		func(v *vehicle) bool { return v.position.Bearing < 0 || v.position.Bearing > 360 },
		func(v *vehicle) string { return fmt.Sprintf("bearing %g", v.position.Bearing) }},
	{Rule{"E028", "A vehicle is more than 1.6 km outside of the area of the timetable.",
		"Leave out vehicles that are not in service, and positions that the receiver has lost."},
		func(v *vehicle) bool { return !v.isInArea() }, (*vehicle).placeText},
	{Rule{"E029", "A vehicle is more than 200 m from the shape of its trip, and no alert names a detour.",
		"Check which trip the vehicle is on, and the shape. Publish an alert with the effect DETOUR for detours."},
		func(v *vehicle) bool {
			lat, lon, ok := v.place()
			return ok && v.fact != nil && v.fact.shape != nil && len(v.fact.shape.points) > 0 && v.isInArea() &&
				!v.fact.shape.isNear(lat, lon, shapeMargin) && !v.isOnDetour()
		}, (*vehicle).placeText},
	{Rule{"E052", "Two vehicles have the same id.", "Give each vehicle a unique id, and publish it once."},
		func(v *vehicle) bool {
			_, twice := v.seen[string(v.vehicleID)]
			return twice && len(v.vehicleID) > 0
		}, nil},
	{Rule{"W003", "A trip or vehicle is in one of trip updates and vehicle positions only.",
		"Publish predictions for each vehicle that is on a trip, and the position of each vehicle with predictions."},
		func(v *vehicle) bool {
			return v.twoKinds && len(v.TripID) > 0 && !v.anyPairs(func(o *Pairs) bool { return o.updates.has(v.TripID) })
		}, nil},
	{Rule{"E047", "Trip updates and vehicle positions name different vehicles for a trip.",
		"Use the same assignment of vehicles to trips for both."},
		func(v *vehicle) bool {
			return len(v.vehicleID) > 0 && v.anyPairs(func(o *Pairs) bool {
				return o.updates.contradicts(v.TripID, v.vehicleID)
			})
		}, nil},
	{Rule{"W004", "A vehicle is faster than 26 m/s, or its speed is negative.",
		"Write metres per second. A train may be this fast."},
		func(v *vehicle) bool { return v.position.Speed < 0 || v.position.Speed > maxSpeed },
		func(v *vehicle) string { return fmt.Sprintf("speed %g", v.position.Speed) }},
}

func (p *pass) anyPairs(holds func(*Pairs) bool) bool { return slices.ContainsFunc(p.current, holds) }

type alert struct {
	*pass
	*gtfsrt.Alert
}

func (a *alert) example() Example { return Example{EntityID: string(a.ID)} }

// badTime returns the first time that is not in seconds; 0 if all are.
func (a *alert) badTime() uint64 {
	for _, at := range a.Times() {
		if !isPOSIX(at) {
			return max(at, 1)
		}
	}
	return 0
}

var alertRules = []rule[*alert]{
	{Rule{Code: "E001"}, func(a *alert) bool { return a.badTime() != 0 },
		func(a *alert) string { return fmt.Sprintf("active_period %d", a.badTime()) }},
	{Rule{"E032", "An alert does not say what it is about.",
		"Add an informed_entity: a stop, a route, a trip or the agency."},
		func(a *alert) bool { return len(a.Informed) == 0 }, nil},
}

type informed struct {
	tripped
	of *gtfsrt.Informed
}

var informedRules = []rule[*informed]{
	{Rule{Code: "E004"}, func(in *informed) bool {
		return len(in.of.Route) > 0 && !in.Facts.routes[string(in.of.Route)] && in.Facts.version != 0
	}, (*informed).routeText},
	{Rule{Code: "E011"}, func(in *informed) bool {
		s := in.Facts.stops[string(in.of.StopID)]
		return s != nil && !s.Found
	}, func(in *informed) string { return "stop_id " + string(in.of.StopID) }},
	{Rule{"E030", "An alert names a route and a trip of another route.", "Name the route of the trip, or the trip alone."},
		func(in *informed) bool {
			return len(in.of.Route) > 0 && in.fact != nil && in.fact.RouteID != string(in.of.Route)
		}, (*informed).routeText},
	{Rule{"E031", "An alert names two routes in one selector.",
		"Write the same route_id in the selector and in its trip, or leave out one of the two."},
		func(in *informed) bool {
			return in.of.Route != nil && in.RouteID != nil && string(in.of.Route) != string(in.RouteID)
		}, (*informed).routeText},
	{Rule{"E033", "An informed_entity of an alert is empty.", "Fill in agency_id, route_id, route_type, trip or stop_id."},
		func(in *informed) bool {
			return in.of.AgencyID == nil && in.of.Route == nil && !in.of.HasRouteType && in.of.StopID == nil &&
				in.TripID == nil && in.RouteID == nil
		}, nil},
	{Rule{"E034", "The timetable has no agency of this agency_id.", "Use the agency_ids of agency.txt."},
		func(in *informed) bool {
			return len(in.of.AgencyID) > 0 && !in.Facts.agencies[string(in.of.AgencyID)] && in.Facts.version != 0
		}, func(in *informed) string { return "agency_id " + string(in.of.AgencyID) }},
}

func (in *informed) routeText() string { return "route_id " + string(in.of.Route) }
