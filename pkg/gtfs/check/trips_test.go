package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
)

// line checks six stops in a line to the north, a kilometre apart, a station, and three routes:
// bus, train and ferry.
func line(c *check.Checker) {
	rows := []string{"stop_id,stop_name,stop_lat,stop_lon,location_type"}
	for i := range 6 {
		rows = append(rows, fmt.Sprintf("S%d,s,%.6f,8,0", i, 47+float64(i)*0.008993))
	}
	checkRows(c, "stops.txt", append(rows, "T,t,47,8,1", "F,far,48,8,0")...)
	checkRows(c, "routes.txt", "route_id,route_short_name,route_type", "B,1,3", "R,2,2", "F,3,4")
}

// at returns a call at a stop, some minutes after eight.
func at(stop int32, minutes float64) check.Call {
	s := int32(8*3600 + minutes*60)
	return check.Call{Stop: stop, Arrival: s, Departure: s, Distance: none, WindowStart: none, WindowEnd: none, Places: 1}
}

func TestTimedPatterns(t *testing.T) {
	t.Parallel()
	with := func(c check.Call, change func(*check.Call)) check.Call { change(&c); return c }
	zone := check.Call{Stop: -1, Arrival: none, Departure: none, Distance: none, WindowStart: 100, WindowEnd: 200,
		Places: 1}
	dist := func(d float64) func(*check.Call) { return func(c *check.Call) { c.Distance = d } }
	for _, c := range []struct {
		name  string
		route int32
		calls []check.Call
		want  []string
	}{
		{"as it should be", 0, []check.Call{at(0, 0), at(1, 1), with(at(2, 2), func(c *check.Call) {
			c.Arrival, c.Departure = none, none
		}), at(3, 3)}, nil},
		{"after midnight, waiting, a loop", 0, []check.Call{at(0, 0), with(at(1, 1), func(c *check.Call) {
			c.Departure += 900
		}), at(1, 17), at(0, 20)}, nil},
		{"zones", 0, []check.Call{zone, zone}, nil},
		{"no time at the end", 0, []check.Call{at(0, 0), with(at(1, 1), func(c *check.Call) {
			c.Arrival, c.Departure = none, none
		})}, []string{"missing_trip_edge stop_times:11 arrival_time T"}},
		{"one time", 0, []check.Call{at(0, 0), with(at(1, 1), func(c *check.Call) {
			c.Departure = none
		}), at(2, 3)}, []string{"stop_time_with_only_arrival_or_departure_time stop_times:11 arrival_time T"}},
		{"a timepoint without time", 0, []check.Call{at(0, 0), with(at(1, 0), func(c *check.Call) {
			c.Arrival, c.Departure = none, none
			c.Timepoint = true
		}), at(2, 3)},
			[]string{"stop_time_timepoint_without_times stop_times:11 timepoint T"}},
		{"back in time", 0, []check.Call{at(0, 9), at(1, 5), at(2, 10)},
			[]string{"stop_time_with_arrival_before_previous_departure_time stop_times:11 arrival_time T: 08:09:00, 08:05:00"}},
		{"leaves before it arrives", 0, []check.Call{at(0, 0), with(at(1, 3), func(c *check.Call) {
			c.Departure -= 60
		}), at(2, 9)}, []string{"start_and_end_range_out_of_order stop_times:11 departure_time T"}},
		{"a station", 0, []check.Call{at(0, 0), at(6, 3)},
			[]string{"location_with_unexpected_stop_time stop_times:11 stop_id T"}},
		{"too fast for a bus", 0, []check.Call{at(0, 0.5), at(1, 0.75), at(2, 3)},
			[]string{"fast_travel_between_consecutive_stops stop_times:11 arrival_time T: 1.0 km, 15 s, 240 km/h"}},
		{"not for a train", 1, []check.Call{at(0, 0.5), at(1, 0.75), at(2, 3)}, nil},
		{"nor with rounded times", 0, []check.Call{at(0, 0), at(1, 0), at(2, 1)}, nil},
		{"too fast and far", 2, []check.Call{at(0, 0), at(1, 5), at(7, 30)},
			[]string{"fast_travel_between_consecutive_stops stop_times:12 arrival_time T: 110.2 km, 1500 s, 254 km/h",
				"fast_travel_between_far_stops stop_times:12 arrival_time T: 110.2 km, 1500 s, 254 km/h"}},
		{"distances", 0, []check.Call{with(at(0, 0), dist(0)), with(at(1, 1), dist(2)), with(at(1, 2), dist(2)),
			with(at(2, 3), dist(1))},
			[]string{"decreasing_or_equal_stop_time_distance stop_times:13 shape_dist_traveled T: 2, 1"}},
		{"windows", 0, []check.Call{with(zone, func(c *check.Call) {
			c.WindowEnd = 50
		}), with(zone, func(c *check.Call) { c.WindowEnd = none }), with(zone, func(c *check.Call) { c.Arrival = 100 }),
			with(zone, dist(1)), with(zone, func(c *check.Call) {
				c.Places = 2
			})}, []string{"invalid_pickup_drop_off_window stop_times:10 end_pickup_drop_off_window T",
			"missing_pickup_or_drop_off_window stop_times:11 start_pickup_drop_off_window T",
			"forbidden_arrival_or_departure_time stop_times:12 arrival_time T",
			"stop_time_with_only_arrival_or_departure_time stop_times:12 arrival_time T",
			"forbidden_shape_dist_traveled stop_times:13 shape_dist_traveled T", "forbidden_geography_id stop_times:14 " +
				"stop_id T"}},
	} {
		got := findingsOf(func(k *check.Checker) {
			line(k)
			k.TimedPattern(&check.TimedPattern{Route: c.route, Trips: 3, TripID: []byte("T"), Line: 10, Calls: c.calls})
		})
		if diff := cmp.Diff(append([]string{}, c.want...), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	// The trip is too fast over several stops, but not between any two consecutive stops.
	got := findingsOf(func(k *check.Checker) {
		rows := []string{"stop_id,stop_name,stop_lat,stop_lon"}
		var calls []check.Call
		for i := range int32(30) {
			rows = append(rows, fmt.Sprintf("S%d,s,%.6f,8", i, 47+float64(i)*0.008993))
			calls = append(calls, at(i, float64(i/5)))
		}
		checkRows(k, "stops.txt", rows...)
		checkRows(k, "routes.txt", "route_id,route_short_name,route_type", "B,1,3")
		k.TimedPattern(&check.TimedPattern{Trips: 1, TripID: []byte("T"), Calls: calls})
	})
	if len(got) != 1 || !strings.HasPrefix(got[0], "fast_travel_between_far_stops stop_times:0 arrival_time T: 1") {
		t.Errorf("%q, want one finding about far stops", got)
	}
}

func TestTrips(t *testing.T) {
	t.Parallel()
	got := findingsOf(func(c *check.Checker) {
		c.Trip(check.Trip{Line: 2, ID: []byte("A"), Calls: 2, Headsign: true})
		c.Trip(check.Trip{Line: 3, ID: []byte("B"), Calls: 1, Zones: true, Headsign: true})
		c.Trip(check.Trip{Line: 4, ID: []byte("C")})
		c.Trip(check.Trip{Line: 5, ID: []byte("D"), Calls: 1, Headsign: true})
		c.Trip(check.Trip{Line: 6, ID: []byte("E"), Calls: 2})
	})
	want := []string{"unused_trip trips:4 trip_id C", "unusable_trip trips:5 trip_id D",
		"trip_without_headsign trips:6 trip_id E"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// points converts two lists of cells.
func points(lats, lons string) (all []check.Point) {
	lon := strings.Split(lons, ",")
	for i, lat := range strings.Split(lats, ",") {
		north, _ := gtfs.ParseLatitude([]byte(lat))
		east, _ := gtfs.ParseLongitude([]byte(lon[i]))
		all = append(all, check.Point{check.Micro(north), check.Micro(east)})
	}
	return all
}

// The shape H is a kilometre long, to the east.
func TestShapes(t *testing.T) {
	t.Parallel()
	id := func(n int32) []byte { return []byte{"abcd"[n]} }
	got := findingsOf(func(c *check.Checker) {
		checkRows(c, "stops.txt", "stop_id,stop_name,stop_lat,stop_lon", "a,On,47.0001,8.001", "b,Beside,47.00095,8.005",
			"c,Off,47.002,8.005", "d,Beyond,47,8.02")
		c.AddShape(0, 2)
		c.Shape(0, []byte("H"), points("47,47,47", "8,8.006,8.013"), []byte("0,500,1000"))
		c.AddShape(1, 9)
		c.Shape(1, []byte("one"), points("47", "8"), nil)
		c.Shape(2, []byte("falls"), points("47.,4.70e1,47.1,47.2,47.3", "-8,-8,-8.5,-8.5,-8.5"), []byte("1,1,1,0.5,"))
		c.UseShape(0)
		c.UseShape(2)
		reported := map[[2]int32]bool{}
		for range 2 { // each pair of stop and shape is reported once
			c.ShapeUse(&check.ShapeUse{Shape: 0, ShapeID: []byte("H"), TripID: []byte("T"), Stops: []int32{0, 1, 2},
				LastDistance: 1000, StopID: id}, reported)
		}
		c.ShapeUse(&check.ShapeUse{Shape: 0, ShapeID: []byte("H"), TripID: []byte("U"), Line: 7, Stops: []int32{2, 3},
			LastDistance: 1600, StopID: id}, reported)
		c.Shapes(id)
	})
	want := []string{"stop_too_far_from_shape stops:4 stop_lat c: shape_id H, 222 m",
		"stop_too_far_from_shape stops:5 stop_lat d: shape_id H, 531 m",
		"trip_distance_exceeds_shape_distance trips:7 shape_id U: 1600, shape_id H: 1000",
		"single_shape_point shapes:9 shape_id one", "unused_shape shapes:9 shape_id b",
		"equal_shape_distance_same_coordinates shapes:0 shape_dist_traveled falls",
		"equal_shape_distance_diff_coordinates shapes:0 shape_dist_traveled falls",
		"decreasing_shape_distance shapes:0 shape_dist_traveled falls: 1, 0.5"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
