package check

import (
	"fmt"
	"math"

	"github.com/townline/townline/pkg/gtfs"
)

// None stands for a missing time or distance.
const None = -1 << 31

// RefColumns are the columns of stop_times.txt that name rows of small files.
var RefColumns = [...]string{"location_id", "location_group_id", "pickup_booking_rule_id", "drop_off_booking_rule_id"}

// A Call is one stop time.
type Call struct {
	Stop                   int32 // -1 for a zone or a location group
	Arrival, Departure     int32 // seconds, or None
	Distance               float64
	Timepoint              bool
	Places                 int // how many of stop, group and zone the row names
	Refs                   [len(RefColumns)][]byte
	Pickup, DropOff        byte  // the digit; '0' for an empty cell, 0 for an invalid one
	WindowStart, WindowEnd int32 // seconds, or None
}

// A TimedPattern has the calls of all trips with the same pattern, profile and speed limit.
type TimedPattern struct {
	Route  int32
	Trips  int
	TripID []byte // of the first trip
	Line   int    // line of its first call; 0 if its calls are not on consecutive lines
	Calls  []Call
	// BadTime is set if a time of the trip was invalid and has been removed.
	BadTime bool
}

// TimedPattern checks the calls. Each finding counts once per trip.
func (c *Checker) TimedPattern(t *TimedPattern) {
	report := func(code gtfs.Code, i int, field, more string) {
		line := t.Line
		if line > 0 {
			line += i
		}
		c.note(gtfs.Finding{Code: code, File: "stop_times.txt", Line: line, Field: field,
			Value: []byte(string(t.TripID) + more), RowID: t.TripID, Count: t.Trips})
	}
	var distance float64 = None
	before := int32(None) // previous time
	for i := range t.Calls {
		k := &t.Calls[i]
		window := k.WindowStart != None || k.WindowEnd != None
		if k.Stop >= 0 && int(k.Stop) < len(c.stops.kind) && c.stops.kind[k.Stop] != platform {
			report("location_with_unexpected_stop_time", i, "stop_id", "")
		}
		if k.Places > 1 {
			report("forbidden_geography_id", i, "stop_id", "")
		}
		c.times(t, i, report)
		for n, value := range k.Refs {
			if len(value) > 0 && c.isDangling(place{"stop_times.txt", RefColumns[n]}, value) {
				report("foreign_key_violation", i, RefColumns[n], ": "+string(value))
			}
		}
		if k.Arrival != None && before != None && k.Arrival < before {
			report("stop_time_with_arrival_before_previous_departure_time", i, "arrival_time",
				fmt.Sprintf(": %s, %s", clock(before), clock(k.Arrival)))
		}
		if k.Departure != None {
			before = k.Departure
		}
		if k.Distance != None {
			switch {
			case k.Stop < 0:
				report("forbidden_shape_dist_traveled", i, "shape_dist_traveled", "")
			case distance != None && k.Distance <= distance && t.Calls[i-1].Stop != k.Stop: // where a vehicle waits
				report("decreasing_or_equal_stop_time_distance", i, "shape_dist_traveled",
					fmt.Sprintf(": %g, %g", distance, k.Distance))
			}
			distance = k.Distance
		}
		if window {
			c.window(t, i, report)
		}
	}
	c.speed(t, report)
}

// times checks each call's times without comparing it with other calls.
func (c *Checker) times(t *TimedPattern, i int, report func(gtfs.Code, int, string, string)) {
	k := &t.Calls[i]
	a, d := k.Arrival != None, k.Departure != None
	from, to := k.WindowStart != None, k.WindowEnd != None
	if a && d && k.Departure < k.Arrival {
		report("start_and_end_range_out_of_order", i, "departure_time", "")
	}
	if (from || to) && (a || d) {
		report("forbidden_arrival_or_departure_time", i, "arrival_time", "")
	}
	if from && to && k.WindowEnd <= k.WindowStart {
		report("invalid_pickup_drop_off_window", i, "end_pickup_drop_off_window", "")
	}
	if t.BadTime {
		return
	}
	if from != to {
		report("missing_pickup_or_drop_off_window", i, "start_pickup_drop_off_window", "")
	}
	if a != d {
		report("stop_time_with_only_arrival_or_departure_time", i, "arrival_time", "")
	}
	if isEdge := i == 0 || i == len(t.Calls)-1; isEdge && !(a && d) && !from && !to {
		report("missing_trip_edge", i, "arrival_time", "")
	}
	if k.Timepoint && !(a && d) && !from && !to {
		report("stop_time_timepoint_without_times", i, "timepoint", "")
	}
}

// window checks a call with a pickup and drop-off window.
func (c *Checker) window(t *TimedPattern, i int, report func(gtfs.Code, int, string, string)) {
	k := &t.Calls[i]
	if k.Pickup == '0' || k.Pickup == '3' {
		report("forbidden_pickup_type", i, "pickup_type", "")
	}
	if k.DropOff == '0' {
		report("forbidden_drop_off_type", i, "drop_off_type", "")
	}
	if c.routes.continuous.Has(int(t.Route)) {
		report("forbidden_continuous_pickup_drop_off", i, "start_pickup_drop_off_window", "")
	}
	if len(t.Calls) == 1 && k.WindowStart != None && k.WindowEnd != None && k.Pickup == '2' && k.DropOff == '2' {
		report("missing_stop_times_record", i, "", "")
	}
	for j := range i {
		o := &t.Calls[j]
		alike := k.Pickup != 0 && k.DropOff != 0 && o.Pickup != 0 && o.DropOff != 0 &&
			(k.Pickup == o.Pickup || k.DropOff == o.DropOff)
		windows := k.WindowStart != None && k.WindowEnd != None && o.WindowStart != None && o.WindowEnd != None &&
			k.WindowStart < o.WindowEnd && o.WindowStart < k.WindowEnd
		zone, other := k.Refs[0], o.Refs[0]
		if alike && windows && len(zone) > 0 && len(other) > 0 && c.overlap(zone, other) {
			report("overlapping_zone_and_pickup_drop_off_window", i, "location_id", fmt.Sprintf(": %s, %s", other, zone))
		}
	}
}

func clock(seconds int32) string {
	if seconds < 0 {
		return fmt.Sprint(seconds)
	}
	return string(gtfs.AppendTime(nil, int(seconds)))
}

// farApart is the distance in metres beyond which rounding of times cannot explain a high speed.
const farApart = 10_000

// speed checks the speed of a trip between consecutive stops, and between stops that are farApart.
func (c *Checker) speed(t *TimedPattern, report func(gtfs.Code, int, string, string)) {
	if int(t.Route) >= len(c.routes.speed) || len(t.Calls) > maxCalls {
		return
	}
	limit := float64(c.routes.speed[t.Route])
	c.legs = c.legs[:0] // by call: metres from the previous call, NaN if unknown
	for i := range t.Calls {
		leg := math.NaN()
		if i > 0 {
			a, ok := c.position(t.Calls[i-1].Stop)
			b, ok2 := c.position(t.Calls[i].Stop)
			if ok && ok2 {
				leg = metres(a, b, scaleAt(b[0]))
			}
		}
		c.legs = append(c.legs, leg)
	}
	far := false
	for i := 1; i < len(t.Calls); i++ {
		to := &t.Calls[i]
		distance := 0.0
		if to.Arrival == None {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			from := &t.Calls[j]
			distance += c.legs[j+1]
			if math.IsNaN(distance) {
				break
			}
			if from.Departure == None || j < i-1 && distance <= farApart {
				continue
			}
			kmh := distance * 3.6 / float64(maxDuration(from.Departure, to.Arrival))
			figures := func() string {
				return fmt.Sprintf(": %.1f km, %d s, %.0f km/h", distance/1000, to.Arrival-from.Departure, kmh)
			}
			if kmh > limit && j == i-1 {
				report("fast_travel_between_consecutive_stops", i, "arrival_time", figures())
			}
			if kmh > limit && distance > farApart && !far {
				far = true
				report("fast_travel_between_far_stops", i, "arrival_time", figures())
			}
			if distance > farApart || far {
				break
			}
		}
	}
}

const maxCalls = 2000

// maxDuration returns the longest possible duration in seconds. Times in whole minutes may have
// been rounded.
func maxDuration(departure, arrival int32) int32 {
	d := arrival - departure
	switch {
	case d <= 0:
		return 60
	case departure%60 == 0 && arrival%60 == 0:
		return d + 60
	default:
		return d
	}
}

func (c *Checker) position(stop int32) (at [2]int32, ok bool) {
	if stop < 0 || int(stop) >= len(c.stops.at) {
		return at, false
	}
	at = c.stops.at[stop]
	return at, at[0] != nowhere
}

// RouteClass returns the same number for routes whose trips have the same checks: equal top speed,
// and both with or both without continuous pickup and drop-off.
func (c *Checker) RouteClass(route int32) int {
	if int(route) >= len(c.routes.speed) {
		return 0
	}
	class := int(c.routes.speed[route])
	if c.routes.continuous.Has(int(route)) {
		class = -class
	}
	return class
}

func (c *Checker) routeType(route int32) int16 {
	if int(route) >= len(c.routes.kind) {
		return 0
	}
	return c.routes.kind[route]
}

// A Trip is a row of trips.txt, with its calls.
type Trip struct {
	Line     int
	ID       []byte
	Calls    int
	Zones    bool // it calls at zones or location groups, where one call is enough
	Headsign bool
}

// Trip checks a row of trips.txt and the number of its calls.
func (c *Checker) Trip(t Trip) {
	report := func(code gtfs.Code) {
		c.noteID(code, "trips.txt", int32(t.Line), "trip_id", t.ID)
	}
	switch {
	case t.Calls == 0:
		report("unused_trip")
	case t.Calls == 1 && !t.Zones:
		report("unusable_trip")
	case !t.Headsign:
		report("trip_without_headsign")
	}
}
