package townline_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// This file reads timetables in the CSV files of a feed, and compares them with the OneBusAway API.

// A csvCall is a row of stop_times.txt.
type csvCall struct {
	stop               string
	arrival, departure int  // seconds of the service day
	timed              bool // the file has a time; otherwise the time is computed
}

// csvCalls returns the calls of a trip in order, including zones of flexible services.
func (a *apps) csvCalls(trip string) (all []csvCall) {
	if kept, ok := a.calls[trip]; ok {
		return kept
	}
	for _, c := range a.m.calls[trip] {
		arrival, arrives := secondsOf(c.get("arrival_time"))
		departure, departs := secondsOf(c.get("departure_time"))
		if !arrives {
			arrival = departure
		}
		if !departs {
			departure = arrival
		}
		all = append(all, csvCall{c.get("stop_id"), arrival, departure, arrives || departs})
	}
	a.calls[trip] = all
	return all
}

// hasTimes reports whether a trip has times at its first and last call.
func (a *apps) hasTimes(trip string) bool {
	calls := a.csvCalls(trip)
	return len(calls) > 0 && calls[0].timed && calls[len(calls)-1].timed
}

func (a *apps) runningOn(day time.Time) map[string]bool {
	date := day.Format(time.DateOnly)
	if a.running[date] == nil {
		a.running[date] = a.m.running(day)
	}
	return a.running[date]
}

// isAt reports whether a stop equals other or is a child of it.
func (m *feedModel) isAt(stop, other string) bool {
	for range 5 {
		if stop == other {
			return true
		}
		if m.stopOf[stop] == nil {
			return false
		}
		stop = m.stopOf[stop].get("parent_station")
	}
	return false
}

// tripsAt returns the calls at a stop and its children, by trip.
func (m *feedModel) tripsAt(stop string) map[string]bool {
	all := map[string]bool{}
	for call := range m.callsAt[stop] {
		all[call[:strings.LastIndex(call, " ")]] = true
	}
	return all
}

// departures yields the differences in seconds between the runs of a trip on a day and
// stop_times.txt: 0 for a single run, or those from frequencies.txt.
func (a *apps) departures(trip string) (all []int) {
	if len(a.m.windows[trip]) == 0 {
		return []int{0}
	}
	if kept, ok := a.shifts[trip]; ok {
		return kept
	}
	first := a.csvCalls(trip)[0].departure // frequencies.txt has the departures from the first stop
	for _, w := range a.m.windows[trip] {
		from, _ := secondsOf(w.get("start_time"))
		to, _ := secondsOf(w.get("end_time"))
		every, _ := wholeNumber(w.get("headway_secs"))
		for at := from; every > 0 && at < to; at += every {
			all = append(all, at-first)
		}
	}
	a.shifts[trip] = all
	return all
}

// checkArrivals compares the arrivals and departures at a stop around a time.
func (a *apps) checkArrivals(id, stop string, at time.Time) {
	const before, after = 5 * time.Minute, 35 * time.Minute
	got := a.get("arrivals-and-departures-for-stop", id, fmt.Sprint("?time=", at.UnixMilli()))["entry"].(tree)
	var api, file []string
	for i, one := range got["arrivalsAndDepartures"].([]any) {
		call := one.(tree)
		begins := int64(call["serviceDate"].(float64))
		seconds := func(key string) int64 { return (int64(call[key].(float64)) - begins) / 1000 }
		trip := call["tripId"].(string)
		index := int(call["stopSequence"].(float64))
		line := fmt.Sprintln(trip, index, seconds("scheduledArrivalTime"), seconds("scheduledDepartureTime"))
		calls := a.csvCalls(trip[strings.Index(trip, "_")+1:])
		if call["numberOfStopsAway"].(float64) < 0 {
			a.t.Errorf("%s is %v stops away from %s", trip, call["numberOfStopsAway"], id)
		}
		if index < len(calls) && !calls[index].timed {
			continue
		}
		api = append(api, line)
		if i == 0 {
			entry := a.get("arrival-and-departure-for-stop", id, "?tripId="+escape(trip), fmt.Sprintf(
				"&serviceDate=%d&stopSequence=%d&time=%d", begins, index, at.UnixMilli()))["entry"].(tree)
			if entry["scheduledArrivalTime"] != call["scheduledArrivalTime"] && call["frequency"] == nil {
				a.t.Errorf("%s at %s: %v, in a request for one arrival %v", trip, id, call, entry)
			}
		}
	}
	for later := -8; later <= 1; later++ {
		running := a.runningOn(at.AddDate(0, 0, later))
		begins := time.Date(at.Year(), at.Month(), at.Day()+later, 12, 0, 0, 0, a.zone).Add(-12 * time.Hour)
		for trip := range a.m.tripsAt(stop) {
			if !running[a.m.tripOf[trip].get("service_id")] || !a.hasTimes(trip) {
				continue
			}
			for i, c := range a.csvCalls(trip) {
				for _, shift := range a.departures(trip) {
					arrives := begins.Add(time.Duration(c.arrival+shift) * time.Second)
					departs := begins.Add(time.Duration(c.departure+shift) * time.Second)
					if i == 0 { // riders can only alight
						arrives = departs
					}
					soon := !departs.Before(at.Add(-before)) && !arrives.After(at.Add(after))
					if c.timed && soon && a.m.isAt(c.stop, stop) {
						file = append(file, fmt.Sprintln(a.tripID(trip), i, c.arrival+shift, c.departure+shift))
					}
				}
			}
		}
	}
	a.same(fmt.Sprint("arrivals at ", id, " at ", at), api, file)
}

func escape(id string) string {
	return strings.NewReplacer("%", "%25", "&", "%26", "+", "%2B", "#", "%23", " ", "%20").Replace(id)
}

// checkStopSchedule compares the timetable of a stop.
func (a *apps) checkStopSchedule(id, stop string) {
	entry := a.get("schedule-for-stop", id, "?date="+a.day.Format(time.DateOnly))["entry"].(tree)
	begins := int64(entry["date"].(float64))
	if begins != a.begins(0).UnixMilli() {
		a.t.Errorf("%v begins at %d", a.day, begins)
	}
	var api, file []string
	for _, r := range entry["stopRouteSchedules"].([]any) {
		for _, d := range r.(tree)["stopRouteDirectionSchedules"].([]any) {
			for _, one := range d.(tree)["scheduleStopTimes"].([]any) {
				call := one.(tree)
				seconds := func(key string) int64 { return (int64(call[key].(float64)) - begins) / 1000 }
				trip := call["tripId"].(string)
				line := fmt.Sprint(trip, " ", seconds("arrivalTime"), " ", seconds("departureTime"))
				if !a.isComputed(trip[strings.Index(trip, "_")+1:], stop) {
					api = append(api, line)
				}
			}
			for _, one := range d.(tree)["scheduleFrequencies"].([]any) {
				w := one.(tree)
				seconds := func(key string) int64 { return (int64(w[key].(float64)) - begins) / 1000 }
				api = append(api, fmt.Sprint(w["tripId"], " from ", seconds("startTime"), " to ", seconds("endTime"),
					" every ", w["headway"]))
			}
		}
	}
	running := a.runningOn(a.day)
	for trip := range a.m.tripsAt(stop) {
		if !running[a.m.tripOf[trip].get("service_id")] || !a.hasTimes(trip) {
			continue
		}
		for _, c := range a.csvCalls(trip) {
			if !a.m.isAt(c.stop, stop) {
				continue
			}
			file = append(file, a.plannedCall(trip, stop, c)...)
		}
	}
	a.same(fmt.Sprint("schedule of ", id), api, file)
}

func (a *apps) plannedCall(trip, stop string, c csvCall) (lines []string) {
	exact := len(a.m.windows[trip]) == 0
	for _, w := range a.m.windows[trip] {
		if w.get("exact_times") == "1" {
			exact = true
			continue
		}
		from, _ := secondsOf(w.get("start_time"))
		to, _ := secondsOf(w.get("end_time"))
		every, _ := wholeNumber(w.get("headway_secs"))
		if every > 0 && from < to {
			lines = append(lines, fmt.Sprint(a.tripID(trip), " from ", from, " to ", to, " every ", every))
		}
	}
	if !exact || a.isComputed(trip, stop) {
		return lines
	}
	for _, shift := range a.departures(trip) {
		lines = append(lines, fmt.Sprint(a.tripID(trip), " ", c.arrival+shift, " ", c.departure+shift))
	}
	return lines
}

// isComputed reports whether a trip calls at a stop without a time.
func (a *apps) isComputed(trip, stop string) bool {
	return slices.ContainsFunc(a.csvCalls(trip), func(c csvCall) bool { return !c.timed && a.m.isAt(c.stop, stop) })
}

// checkRouteSchedule compares the timetable of a route.
func (a *apps) checkRouteSchedule(id, route string) {
	entry := a.get("schedule-for-route", id, "?date="+a.day.Format(time.DateOnly))["entry"].(tree)
	if int64(entry["scheduleDate"].(float64)) != a.begins(0).UnixMilli() {
		a.t.Errorf("%s: %v begins at %v", id, a.day, entry["scheduleDate"])
	}
	var api, file []string
	services := map[string]bool{}
	for _, one := range entry["stopTripGroupings"].([]any) {
		group := one.(tree)
		stops := map[string]bool{}
		var trips []string
		for _, trip := range group["tripsWithStopTimes"].([]any) {
			trips = append(trips, trip.(tree)["tripId"].(string))
			for _, call := range trip.(tree)["stopTimes"].([]any) {
				c := call.(tree)
				stops[c["stopId"].(string)] = true
				services[c["serviceId"].(string)] = true
				api = append(api, fmt.Sprint(c["tripId"], " ", c["stopId"], " ", c["arrivalTime"], " ",
					c["departureTime"], " ", group["directionId"]))
			}
		}
		a.same("stops of a direction of "+id, idsOf(group["stopIds"]), slices.Collect(maps.Keys(stops)))
		a.same("trips of a direction of "+id, idsOf(group["tripIds"]), trips)
	}
	running := a.runningOn(a.day)
	computed := map[string]bool{}
	for _, trip := range a.m.trips[route] {
		tripID := trip.get("trip_id")
		if !running[trip.get("service_id")] || !a.hasTimes(tripID) {
			continue
		}
		for _, c := range a.csvCalls(tripID) {
			switch {
			case c.stop == "":
			case !c.timed:
				computed[a.tripID(tripID)+" "+a.main+"_"+c.stop] = true
			default:
				file = append(file, fmt.Sprint(a.tripID(tripID), " ", a.main+"_"+c.stop, " ", c.arrival, " ",
					c.departure, " ", direction(trip)))
			}
		}
	}
	drop := func(line string) bool {
		words := strings.Split(line, " ")
		return computed[strings.Join(words[:len(words)-3], " ")]
	}
	a.same("schedule of route "+id, slices.DeleteFunc(api, drop), slices.DeleteFunc(file, drop))
	a.same("services of "+id, idsOf(entry["serviceIds"]), slices.Collect(maps.Keys(services)))
}

func (a *apps) checkRouteStops(id, route string) {
	for _, query := range []string{"", "?includePolylines=false"} {
		entry := a.get("stops-for-route", id, query)["entry"].(tree)
		byDirection, all := map[string]map[string]bool{}, map[string]bool{}
		shaped := false
		for _, trip := range a.m.trips[route] {
			shaped = shaped || len(a.m.points[trip.get("shape_id")]) > 0
			for _, stop := range a.m.stopsOf(trip.get("trip_id")) {
				d := direction(trip)
				if byDirection[d] == nil {
					byDirection[d] = map[string]bool{}
				}
				byDirection[d][a.main+"_"+stop], all[a.main+"_"+stop] = true, true
			}
		}
		a.same("stops of "+id, idsOf(entry["stopIds"]), slices.Collect(maps.Keys(all)))
		lines := len(anys(entry["polylines"]))
		for _, grouping := range entry["stopGroupings"].([]any) {
			for _, group := range grouping.(tree)["stopGroups"].([]any) {
				g := group.(tree)
				a.same(fmt.Sprint("stops of ", id, " in direction ", g["id"]), idsOf(g["stopIds"]),
					slices.Collect(maps.Keys(byDirection[g["id"].(string)])))
				lines += len(anys(g["polylines"]))
			}
		}
		if query != "" && lines > 0 || query == "" && shaped && lines == 0 {
			a.t.Errorf("stops-for-route/%s%s has %d lines", id, query, lines)
		}
	}
}

func (a *apps) checkRouteTrips(id string) {
	at := a.begins(0).Add(9 * time.Hour)
	list := a.get("trips-for-route", id, fmt.Sprint("?includeSchedule=true&time=", at.UnixMilli()))["list"].([]any)
	var api, file []string
	for _, one := range list {
		d := one.(tree)
		api = append(api, fmt.Sprint(d["tripId"], " ", d["serviceDate"]))
		s := d["status"].(tree)
		if s["phase"] != "in_progress" || s["position"] == nil && a.m.hasPlaces(s["activeTripId"].(string)) {
			a.t.Errorf("trips-for-route/%s: %v", id, s)
		}
	}
	for later := -8; later <= 0; later++ {
		begins := a.begins(later)
		running := a.runningOn(begins.Add(12 * time.Hour))
		for _, trip := range a.m.trips[id[strings.Index(id, "_")+1:]] {
			tripID := trip.get("trip_id")
			if !running[trip.get("service_id")] || !a.hasTimes(tripID) {
				continue
			}
			calls := a.csvCalls(tripID)
			for _, shift := range a.departures(tripID) {
				from := begins.Add(time.Duration(calls[0].departure+shift) * time.Second)
				to := begins.Add(time.Duration(calls[len(calls)-1].departure+shift) * time.Second)
				if !from.After(at) && !to.Before(at) {
					file = append(file, fmt.Sprint(a.tripID(tripID), " ", float64(begins.UnixMilli())))
				}
			}
		}
	}
	a.same("trips under way of "+id, api, slices.Compact(slices.Sorted(slices.Values(file))))
}

func (m *feedModel) hasPlaces(trip string) bool {
	return slices.ContainsFunc(m.stopsOf(trip[strings.Index(trip, "_")+1:]), func(id string) bool {
		return m.stopOf[id].get("stop_lat") != ""
	})
}

// checkTrip compares the timetable of a trip on a day with service.
func (a *apps) checkTrip(trip string) {
	row := a.m.tripOf[trip]
	entity := a.get("trip", a.tripID(trip))["entry"].(tree)
	if entity["tripHeadsign"] != row.get("trip_headsign") && row.get("trip_headsign") != "" {
		a.t.Errorf("trip %s goes to %v", trip, entity["tripHeadsign"])
	}
	if shape := row.get("shape_id"); shape != "" && len(a.m.points[shape]) > 0 {
		got := a.get("shape", entity["shapeId"].(string))["entry"].(tree)
		if int(got["length"].(float64)) != len(a.m.points[shape]) {
			a.t.Errorf("shape %s has %v points, want %d", shape, got["length"], len(a.m.points[shape]))
		}
	}
	if !a.hasTimes(trip) {
		a.get("trip-details", a.tripID(trip))
		return
	}
	day, running := a.day, map[string]bool{}
	for range 14 {
		if running = a.runningOn(day); running[row.get("service_id")] {
			break
		}
		day = day.AddDate(0, 0, 1)
	}
	begins := day.Add(-12 * time.Hour)
	calls := a.csvCalls(trip)
	shift := a.departures(trip)
	when := begins.Add(time.Duration(calls[0].departure) * time.Second)
	if len(shift) > 0 {
		when = when.Add(time.Duration(shift[0]) * time.Second)
	}
	entry := a.get("trip-details", a.tripID(trip), fmt.Sprintf("?serviceDate=%d&time=%d", begins.UnixMilli(),
		when.UnixMilli()))["entry"].(tree)
	if int64(entry["serviceDate"].(float64)) != begins.UnixMilli() {
		a.t.Errorf("%s runs on %v, want %d", trip, entry["serviceDate"], begins.UnixMilli())
	}
	schedule := entry["schedule"].(tree)
	var api, file []string
	at, along := 0, 0.0
	for _, one := range schedule["stopTimes"].([]any) {
		c := one.(tree)
		for at < len(calls) && calls[at].stop == "" {
			at++
		}
		if c["distanceAlongTrip"].(float64) < along {
			a.t.Errorf("%s returns to %v", trip, c["distanceAlongTrip"])
		}
		along = c["distanceAlongTrip"].(float64)
		if at < len(calls) && calls[at].timed {
			api = append(api, fmt.Sprint(at, " ", c["stopId"], " ", c["arrivalTime"], " ", c["departureTime"]))
		}
		at++
	}
	for i, c := range calls {
		if c.stop != "" && c.timed && len(shift) > 0 {
			file = append(file, fmt.Sprint(i, " ", a.main+"_"+c.stop, " ", c.arrival+shift[0], " ",
				c.departure+shift[0]))
		}
	}
	a.same("trip-details of "+trip, api, file)
	status, _ := entry["status"].(tree)
	if running[row.get("service_id")] && len(shift) > 0 && status["totalDistanceAlongTrip"] != along {
		a.t.Errorf("%s is %v at %v", trip, entry["status"], when)
	}
	next, previous := a.neighbours(trip, running)
	if schedule["nextTripId"] != next || schedule["previousTripId"] != previous {
		a.t.Errorf("%s is between %v and %v, want %s and %s", trip, schedule["previousTripId"], schedule["nextTripId"],
			previous, next)
	}
}

// neighbours returns the ids of the next and previous trips in the block of a trip; "" if there is
// none.
func (a *apps) neighbours(trip string, running map[string]bool) (next, previous string) {
	block := a.m.tripOf[trip].get("block_id")
	if block == "" {
		return "", ""
	}
	starts := a.csvCalls(trip)[0].arrival
	latest, soonest := -1, 1<<30
	for id, other := range a.m.tripOf {
		if id == trip || other.get("block_id") != block || !running[other.get("service_id")] || !a.hasTimes(id) {
			continue
		}
		at := a.csvCalls(id)[0].arrival
		if at == starts {
			a.t.Logf("%s and %s begin at the same time", trip, id)
			continue
		}
		if at < starts && at > latest {
			latest, previous = at, a.tripID(id)
		}
		if at > starts && at < soonest {
			soonest, next = at, a.tripID(id)
		}
	}
	return next, previous
}

// checkBlock compares the trips of a block, and its configurations with the calendar.
func (a *apps) checkBlock(block string, trips []string) {
	id := strings.TrimSuffix(a.tripID(trips[0]), trips[0]) + block
	entry := a.get("block", id)["entry"].(tree)
	var sets []string
	for _, one := range entry["configurations"].([]any) {
		c := one.(tree)
		var want, got []string
		for _, trip := range trips {
			service := strings.TrimSuffix(a.tripID(trip), trip) + a.m.tripOf[trip].get("service_id")
			if slices.Contains(idsOf(c["activeServiceIds"]), service) {
				want = append(want, a.tripID(trip))
			} else if !slices.Contains(idsOf(c["inactiveServiceIds"]), service) {
				a.t.Errorf("block %s: service %s is missing from the active and inactive services", block, service)
			}
		}
		sequence, along := 0, 0.0
		for _, one := range c["trips"].([]any) {
			trip := one.(tree)
			got = append(got, trip["tripId"].(string))
			calls := a.csvCalls(trip["tripId"].(string)[strings.Index(trip["tripId"].(string), "_")+1:])
			for i, one := range trip["blockStopTimes"].([]any) {
				call, at := one.(tree), one.(tree)["stopTime"].(tree)
				if int(call["blockSequence"].(float64)) != sequence || call["distanceAlongBlock"].(float64) < along {
					a.t.Errorf("block %s: %v after %d, %f", block, call, sequence, along)
				}
				sequence, along = sequence+1, call["distanceAlongBlock"].(float64)
				if i < len(calls) && calls[i].timed && calls[i].stop != "" &&
					(at["stopId"] != a.main+"_"+calls[i].stop || at["arrivalTime"] != float64(calls[i].arrival) ||
						at["departureTime"] != float64(calls[i].departure)) {
					a.t.Errorf("block %s, %v: %v, want %v", block, trip["tripId"], at, calls[i])
				}
			}
		}
		a.same("trips of block "+id, got, want)
		sets = append(sets, strings.Join(slices.Sorted(slices.Values(idsOf(c["activeServiceIds"]))), " "))
	}
	for later := range 7 {
		running, active := a.runningOn(a.day.AddDate(0, 0, later)), map[string]bool{}
		for _, trip := range trips {
			if service := a.m.tripOf[trip].get("service_id"); running[service] {
				active[strings.TrimSuffix(a.tripID(trip), trip)+service] = true
			}
		}
		if set := strings.Join(slices.Sorted(maps.Keys(active)), " "); set != "" && !slices.Contains(sets, set) {
			a.t.Errorf("block %s has no configuration %s of %v", block, set, sets)
		}
	}
}
