package judge

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/lang"
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
	{code: "E001", broken: func(h *header) bool { return h.Timestamp != 0 && !isPOSIX(h.Timestamp) },
		value: (*header).timeText},
	{code: "E017", broken: func(h *header) bool { return h.Timestamp != 0 && h.seconds() == h.Before },
		value: (*header).timeText},
	{code: "E018", broken: func(h *header) bool { return h.Timestamp != 0 && h.seconds() < h.Before },
		fields: func(h *header) lang.Fields { return inSeconds(h.Before - h.seconds()) }},
	{code: "E038",
		broken: func(h *header) bool { return h.Version != "" && h.Version != "1.0" && h.Version != "2.0" },
		value:  func(h *header) string { return "gtfs_realtime_version " + h.Version }},
	{code: "E039", broken: func(h *header) bool { return !h.Differential && len(h.Marked) > 0 },
		fields: func(h *header) lang.Fields {
			return lang.Fields{"count": strconv.Itoa(len(h.Marked)), "entity": string(h.Marked[0])}
		}},
	{code: "E048", broken: func(h *header) bool { return h.Timestamp == 0 && h.isV2() }},
	{code: "E049", broken: func(h *header) bool { return !h.HasIncrementality && h.isV2() }},
	{code: "E050", broken: func(h *header) bool { return isPOSIX(h.Timestamp) && h.ahead(h.Timestamp) > maxAhead },
		fields: func(h *header) lang.Fields { return inSeconds(h.ahead(h.Timestamp)) }},
	{code: "W001", broken: func(h *header) bool { return h.Timestamp == 0 && !h.isV2() },
		value: func(*header) string { return "header.timestamp" }},
	{code: "W007", broken: func(h *header) bool {
		// Messages are missed while the source is not polled: the time without polls does not
		// count.
		return h.Timestamp != 0 && h.Before != 0 && h.Unseen >= 0 &&
			h.seconds()-h.Before-int64(h.Unseen/time.Second) > maxRefresh
	},
		fields: func(h *header) lang.Fields { return inSeconds(h.seconds() - h.Before) }},
	{code: "W008", broken: func(h *header) bool { return isPOSIX(h.Timestamp) && -h.ahead(h.Timestamp) > maxAge },
		fields: func(h *header) lang.Fields { return inSeconds(-h.ahead(h.Timestamp)) }},
}

// inSeconds returns the fields of a value that is a number of seconds.
func inSeconds(n int64) lang.Fields { return lang.Fields{"seconds": strconv.FormatInt(n, 10)} }

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
	{code: "E003",
		broken: func(t *tripped) bool { return len(t.TripID) > 0 && t.fact == nil && !t.isOwn() && t.Facts.version != 0 }},
	{code: "E004",
		broken: func(t *tripped) bool { return len(t.RouteID) > 0 && !t.hasRoute() && t.Facts.version != 0 },
		value:  func(t *tripped) string { return "route_id " + string(t.RouteID) }},
	{code: "E016", broken: func(t *tripped) bool { return t.Relationship == added && t.fact != nil }},
	{code: "E020", broken: func(t *tripped) bool {
		_, ok := t.startSeconds()
		return t.StartTime != nil && !ok
	},
		value: (*tripped).startText},
	{code: "E021", broken: func(t *tripped) bool {
		_, err := time.Parse("20060102", string(t.StartDate))
		return t.StartDate != nil && err != nil
	},
		value: func(t *tripped) string { return "start_date " + string(t.StartDate) }},
	{code: "E035", broken: func(t *tripped) bool {
		return t.fact != nil && t.hasRoute() && t.fact.RouteID != string(t.RouteID)
	},
		fields: func(t *tripped) lang.Fields {
			return lang.Fields{"route": string(t.RouteID), "expected": t.fact.RouteID}
		}},
	{code: "W006", broken: func(t *tripped) bool { return t.TripID == nil }},
	{code: "W009", broken: func(t *tripped) bool { return !t.HasRelationship }},
}

// runningRules apply to updates and vehicles.
var runningRules = []rule[*tripped]{
	{code: "E001", broken: func(t *tripped) bool { return t.timestamp != 0 && !isPOSIX(t.timestamp) },
		value: (*tripped).timeText},
	{code: "E006",
		broken: func(t *tripped) bool { return t.isHeadway(false) && (t.StartTime == nil || t.StartDate == nil) }},
	{code: "E012",
		broken: func(t *tripped) bool { return t.Message.Timestamp != 0 && t.timestamp > t.Message.Timestamp },
		value:  (*tripped).timeText},
	{code: "E013",
		broken: func(t *tripped) bool { return t.isHeadway(false) && t.HasRelationship && t.Relationship != unscheduled }},
	{code: "E019", broken: func(t *tripped) bool {
		if !t.isHeadway(true) {
			return false
		}
		start, ok := t.startSeconds()
		return !ok || !t.departsAt(start)
	},
		value: (*tripped).startText},
	{code: "E023", broken: func(t *tripped) bool {
		if t.fact == nil || t.fact.FirstTime == nil || len(t.fact.headways) > 0 || t.StartTime == nil {
			return false
		}
		start, ok := t.startSeconds()
		return ok && start != *t.fact.FirstTime
	},
		value: (*tripped).startText},
	{code: "E024", broken: func(t *tripped) bool {
		return t.fact != nil && t.Direction != "" && t.Direction != t.fact.DirectionID
	},
		fields: func(t *tripped) lang.Fields {
			return lang.Fields{"direction": t.Direction, "expected": t.fact.DirectionID}
		}},
	{code: "E050",
		broken: func(t *tripped) bool { return isPOSIX(t.timestamp) && t.ahead(t.timestamp) > maxAhead },
		value:  (*tripped).timeText},
	{code: "W002", broken: func(t *tripped) bool { return len(t.vehicleID) == 0 }},
	{code: "W005", broken: func(t *tripped) bool { return t.isHeadway(false) && len(t.vehicleID) == 0 }},
}

// timeRules apply to updates and vehicles, deleted ones included.
var timeRules = []rule[*tripped]{
	{code: "W001", broken: func(t *tripped) bool { return t.timestamp == 0 }},
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
	{code: "E026", broken: func(v *vehicle) bool {
		_, _, ok := v.place()
		return v.located && !ok
	},
		value: (*vehicle).placeText},
	{code: "E027", broken: func(v *vehicle) bool { return v.position.Bearing < 0 || v.position.Bearing > 360 },
		value: func(v *vehicle) string { return fmt.Sprintf("bearing %g", v.position.Bearing) }},
	{code: "E028", broken: func(v *vehicle) bool { return !v.isInArea() }, value: (*vehicle).placeText},
	{code: "E029", broken: func(v *vehicle) bool {
		lat, lon, ok := v.place()
		return ok && v.fact != nil && v.fact.shape != nil && len(v.fact.shape.points) > 0 && v.isInArea() &&
			!v.fact.shape.isNear(lat, lon, shapeMargin) && !v.isOnDetour()
	},
		value: (*vehicle).placeText},
	{code: "E052", broken: func(v *vehicle) bool {
		_, twice := v.seen[string(v.vehicleID)]
		return twice && len(v.vehicleID) > 0
	}},
	{code: "W003", broken: func(v *vehicle) bool {
		return v.twoKinds && len(v.TripID) > 0 && !v.anyPairs(func(o *Pairs) bool { return o.updates.has(v.TripID) })
	}},
	{code: "E047", broken: func(v *vehicle) bool {
		return len(v.vehicleID) > 0 && v.anyPairs(func(o *Pairs) bool {
			return o.updates.contradicts(v.TripID, v.vehicleID)
		})
	}},
	{code: "W004", broken: func(v *vehicle) bool { return v.position.Speed < 0 || v.position.Speed > maxSpeed },
		value: func(v *vehicle) string { return fmt.Sprintf("speed %g", v.position.Speed) }},
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
	{code: "E001", broken: func(a *alert) bool { return a.badTime() != 0 },
		value: func(a *alert) string { return fmt.Sprintf("active_period %d", a.badTime()) }},
	{code: "E032", broken: func(a *alert) bool { return len(a.Informed) == 0 }},
}

type informed struct {
	tripped
	of *gtfsrt.Informed
}

var informedRules = []rule[*informed]{
	{code: "E004", broken: func(in *informed) bool {
		return len(in.of.Route) > 0 && !in.Facts.routes[string(in.of.Route)] && in.Facts.version != 0
	},
		value: (*informed).routeText},
	{code: "E011", broken: func(in *informed) bool {
		s := in.Facts.stops[string(in.of.StopID)]
		return s != nil && !s.Found
	},
		value: func(in *informed) string { return "stop_id " + string(in.of.StopID) }},
	{code: "E030", broken: func(in *informed) bool {
		return len(in.of.Route) > 0 && in.fact != nil && in.fact.RouteID != string(in.of.Route)
	},
		value: (*informed).routeText},
	{code: "E031", broken: func(in *informed) bool {
		return in.of.Route != nil && in.RouteID != nil && string(in.of.Route) != string(in.RouteID)
	},
		value: (*informed).routeText},
	{code: "E033", broken: func(in *informed) bool {
		return in.of.AgencyID == nil && in.of.Route == nil && !in.of.HasRouteType && in.of.StopID == nil &&
			in.TripID == nil && in.RouteID == nil
	}},
	{code: "E034", broken: func(in *informed) bool {
		return len(in.of.AgencyID) > 0 && !in.Facts.agencies[string(in.of.AgencyID)] && in.Facts.version != 0
	},
		value: func(in *informed) string { return "agency_id " + string(in.of.AgencyID) }},
}

func (in *informed) routeText() string { return "route_id " + string(in.of.Route) }
