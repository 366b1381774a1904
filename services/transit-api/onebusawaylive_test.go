package transitapi

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"
)

// strictKeys are the keys that the iOS app decodes strictly: if one is missing or null, decoding
// the answer fails.
var strictKeys = map[string]string{
	"agency": "id lang name phone privateService timezone url",
	"stop":   "code id name lat lon locationType routeIds",
	"route":  "agencyId id shortName type",
	"trip":   "blockId id routeId routeShortName serviceId tripShortName timeZone",
	"arrival": "arrivalEnabled departureEnabled blockTripSequence distanceFromStop lastUpdateTime numberOfStopsAway " +
		"predicted routeId scheduledArrivalTime scheduledDepartureTime serviceDate situationIds status stopId " +
		"stopSequence tripId vehicleId",
	"status": "activeTripId blockTripSequence closestStop closestStopTimeOffset distanceAlongTrip " +
		"lastKnownDistanceAlongTrip lastKnownOrientation lastLocationUpdateTime lastUpdateTime nextStopTimeOffset " +
		"orientation phase predicted scheduleDeviation scheduledDistanceAlongTrip serviceDate situationIds status " +
		"totalDistanceAlongTrip",
	"details":   "situationIds serviceDate tripId schedule",
	"schedule":  "timeZone stopTimes",
	"situation": "activeWindows allAffects consequences creationTime id publicationWindows reason severity",
	"affects":   "agencyId applicationId directionId routeId stopId tripId",
	"vehicle":   "vehicleId lastUpdateTime lastLocationUpdateTime tripId phase status tripStatus",
}

// kinds maps members of an answer to the type of their entities.
var kinds = map[string]string{"agencies": "agency", "stops": "stop", "routes": "route", "trips": "trip",
	"situations": "situation", "arrivalsAndDepartures": "arrival", "tripStatus": "status", "status": "status",
	"schedule": "schedule", "allAffects": "affects"}

// An appCheck walks an answer. It reports null, missing keys, and ids that are missing from the
// references.
type appCheck struct {
	t     *testing.T
	path  string
	known map[string]map[string]bool // ids in the references, keyed by list
}

func (c *appCheck) walk(key, kind string, v any) {
	switch v := v.(type) {
	case nil:
		c.t.Errorf("%s: %s is null", c.path, key)
	case []any:
		for _, e := range v {
			c.walk(key, kind, e)
		}
	case map[string]any:
		for _, k := range strings.Fields(strictKeys[kind]) {
			if _, ok := v[k]; !ok {
				c.t.Errorf("%s: %s without %s", c.path, key, k)
			}
		}
		for k, e := range v {
			c.walk(k, kinds[k], e)
		}
	case string:
		list, ok := map[string]string{"agencyId": "agencies", "routeId": "routes", "routeIds": "routes",
			"stopId": "stops", "stopIds": "stops", "nearbyStopIds": "stops", "closestStop": "stops",
			"nextStop": "stops", "parent": "stops", "tripId": "trips", "activeTripId": "trips",
			"nextTripId": "trips", "previousTripId": "trips", "situationIds": "situations"}[key]
		if ok && v != "" && !c.known[list][v] {
			c.t.Errorf("%s: %s %q is not in the references", c.path, key, v)
		}
	}
}

// live is app, but also checks that the answer is complete.
func (w *world) live(t *testing.T, path, kind string, headers ...string) appAnswer {
	t.Helper()
	a := w.app(t, "/metro/api/where/"+path, headers...)
	if a.Status != 200 {
		t.Fatalf("%s: %s", path, a.Body)
	}
	c := &appCheck{t, path, map[string]map[string]bool{}}
	for list, all := range a.Data["references"].(map[string]any) {
		c.known[list] = map[string]bool{}
		for _, e := range all.([]any) {
			if e, ok := e.(map[string]any); ok {
				c.known[list][e["id"].(string)] = true
			}
		}
	}
	if len(c.known) != 6 {
		t.Errorf("%s: references %v", path, c.known)
	}
	c.walk("references", "", a.Data["references"])
	for _, k := range []string{"entry", "list"} {
		if v, ok := a.Data[k]; ok {
			c.walk(k, kind, v)
		}
	}
	return a
}

// part returns a part of a decoded answer; path has keys and indexes.
func part(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}

func (w *world) early(t *testing.T, at time.Time) {
	t.Helper()
	u := updateOf("early")
	u.TripUpdate.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{timed(2, byDelay(120), nil)}
	u.TripUpdate.Vehicle = &rt.VehicleDescriptor{Id: proto.String("bus_7")}
	w.sent(t, "trip_updates", at, u)
}

func (w *world) closed(t *testing.T, at time.Time) {
	t.Helper()
	header := []*rt.TranslatedString_Translation{{Text: proto.String("Closed")}}
	w.sent(t, "alerts", at, &rt.FeedEntity{Id: proto.String("detour"), Alert: &rt.Alert{
		Effect: rt.Alert_DETOUR.Enum(), HeaderText: &rt.TranslatedString{Translation: header},
		InformedEntity: []*rt.EntitySelector{{RouteId: proto.String("R/1")}, {StopId: proto.String("C")},
			{RouteId: proto.String("idle")}}}})
}

// Every key that apps require exists, no value is null, and every id resolves.
func TestAppAnswersAreWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	at := in(t, "2026-03-04 06:10:00")
	w.clockAt(at)
	for _, live := range []bool{false, true} {
		if live {
			w.early(t, at)
			w.closed(t, at)
			w.sent(t, "vehicle_positions", at, seen("bus_7", "early", 54.6875, -25.175, at, nil))
		}
		for path, kind := range map[string]string{
			"arrivals-and-departures-for-stop/M%20T_C.json?minutesBefore=60&minutesAfter=600": "",
			"arrivals-and-departures-for-stop/M%20T_100.json?minutesAfter=1440":               "",
			"arrivals-and-departures-for-stop/M%20T_S.json?time=2026-12-24_05-50-00":          "",
			"arrivals-and-departures-for-location.json?lat=54.69&lon=-25.2&radius=50000":      "",
			"arrival-and-departure-for-stop/M%20T_C.json?tripId=M%20T_early":                  "arrival",
			"trip-details/M%20T_early.json":                                                   "details",
			"trip-details/M%20T_every.json?key=TEST&version=2":                                "details",
			"trip-details/M%20T_empty.json":                                                   "details",
			"trip-details/ferry_f1.json?serviceDate=1798088400000":                            "details",
			"trips-for-route/M%20T_R%2F1.json?includeSchedule=true":                           "",
			"trips-for-location.json?lat=54.69&lon=-25.2&latSpan=1&lonSpan=1":                 "",
			"vehicles-for-agency/M%20T.json":                                                  "",
		} {
			a := w.live(t, path, kind)
			c := &appCheck{t, path, nil}
			if all, ok := a.Data["list"].([]any); ok && strings.HasPrefix(path, "vehicles") {
				if len(all) != map[bool]int{true: 1}[live] {
					t.Errorf("%d vehicles", len(all))
				}
				for _, e := range all {
					for _, k := range strings.Fields(strictKeys["vehicle"]) {
						if e.(map[string]any)[k] == nil {
							t.Errorf("%s: no %s", c.path, k)
						}
					}
				}
			}
		}
	}
	a := w.live(t, "trip-for-vehicle/M%20T_bus_7.json", "details")
	if got := part(t, a.Data, "entry", "tripId"); got != "M T_early" {
		t.Errorf("the vehicle is on %v", got)
	}
	for path, want := range map[string]int{"trip-for-vehicle/M%20T_bus_8.json": 404, "vehicles-for-agency/x.json": 404,
		"trips-for-route/ferry_loop.json": 404, "trip-details/M%20T_x.json": 404,
		"arrival-and-departure-for-stop/M%20T_C.json?tripId=M%20T_x":      404,
		"arrivals-and-departures-for-stop/M%20T_C.json?minutesBefore=abc": 400,
		"arrivals-and-departures-for-stop/M%20T_C.json?time=noon":         400} {
		if a := w.app(t, "/metro/api/where/"+path); a.Status != want {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
	s := part(t, w.live(t, "arrivals-and-departures-for-stop/M%20T_C.json", "").Data, "references", "situations", 0)
	if text := fmt.Sprintf("%v %v %d", part(t, s, "summary", "value"), part(t, s, "consequences", 0, "condition"),
		len(s.(map[string]any)["allAffects"].([]any))); text != "Closed detour 2" {
		t.Errorf("situation: %s", text)
	}
}

// The expected numbers were computed by hand: A, B and C are 6522.6 m apart; the trip leaves A at
// 6:05:00, and reaches B after 100 s and C after 900 s.
func TestAppFollowsTrip(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	at := in(t, "2026-03-04 06:10:00")
	w.clockAt(at)
	type status struct {
		ClosestStop, NextStop, Phase, Status, VehicleID string
		ClosestStopTimeOffset, NextStopTimeOffset       int
		ScheduleDeviation, LastUpdateTime               int64
		DistanceAlongTrip, ScheduledDistanceAlongTrip   float64
		Predicted                                       bool
	}
	type arrival struct {
		NumberOfStopsAway                          int
		DistanceFromStop                           float64
		ScheduledArrivalTime, PredictedArrivalTime int64
		Predicted                                  bool
		TripStatus                                 *status
	}
	follow := func(what, stop string, want arrival) {
		t.Helper()
		a := w.live(t, "arrivals-and-departures-for-stop/M%20T_"+url.PathEscape(stop)+".json?minutesBefore=10", "")
		all := part(t, a.Data, "entry", "arrivalsAndDepartures").([]any)
		i := slices.IndexFunc(all, func(e any) bool { return part(t, e, "tripId") == "M T_early" })
		if i < 0 {
			t.Fatalf("%s: %s", what, a.Body)
		}
		text, err := json.Marshal(all[i])
		if err != nil {
			t.Fatal(err)
		}
		var got arrival
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		near := func(x, y float64) bool { return math.Abs(x-y) < 5 }
		s, ws := *got.TripStatus, *want.TripStatus
		if got.NumberOfStopsAway != want.NumberOfStopsAway || !near(got.DistanceFromStop, want.DistanceFromStop) ||
			got.Predicted != want.Predicted || !near(s.DistanceAlongTrip, ws.DistanceAlongTrip) ||
			!near(s.ScheduledDistanceAlongTrip, 8153.2) || s.Phase != "in_progress" {
			t.Errorf("%s: %s", what, text)
		}
		if got.Predicted && got.PredictedArrivalTime != got.ScheduledArrivalTime+120_000 || !got.Predicted &&
			got.PredictedArrivalTime != 0 {
			t.Errorf("%s: scheduled %d, predicted %d", what, got.ScheduledArrivalTime, got.PredictedArrivalTime)
		}
		s.DistanceAlongTrip, s.ScheduledDistanceAlongTrip, s.LastUpdateTime, s.Phase = ws.DistanceAlongTrip, 0, 0, ""
		if s != ws {
			t.Errorf("%s:\n got %+v\nwant %+v", what, s, ws)
		}
	}
	planned := &status{ClosestStop: "M T_B 50%/x", NextStop: "M T_C", Status: "SCHEDULED", ClosestStopTimeOffset: -200,
		NextStopTimeOffset: 600, DistanceAlongTrip: 8153.2}
	follow("by timetable", "C", arrival{DistanceFromStop: 4891.9, TripStatus: planned})
	follow("passed", "B 50%/x", arrival{DistanceFromStop: -1630.6, TripStatus: planned})
	follow("its first stop", "100", arrival{DistanceFromStop: -8153.2, TripStatus: planned})
	w.sent(t, "vehicle_positions", at, seen("bus_7", "early", 54.6875, -25.175, at, nil))
	follow("by position", "C", arrival{NumberOfStopsAway: 1, DistanceFromStop: 8153.2, TripStatus: &status{
		ClosestStop: "M T_B 50%/x", NextStop: "M T_B 50%/x", Status: "default", VehicleID: "M T_bus_7",
		ClosestStopTimeOffset: 25, NextStopTimeOffset: 25, ScheduleDeviation: 225, DistanceAlongTrip: 4891.9,
		Predicted: true}})
	w.sent(t, "vehicle_positions", at, seen("bus_7", "early", 55.6, -25.175, at, nil)) // far from the path
	w.early(t, at)
	late := &status{ClosestStop: "M T_B 50%/x", NextStop: "M T_C", Status: "default", VehicleID: "M T_bus_7",
		ClosestStopTimeOffset: -80, NextStopTimeOffset: 720, ScheduleDeviation: 120, DistanceAlongTrip: 7174.8,
		Predicted: true}
	follow("by updates", "C", arrival{DistanceFromStop: 5870.3, Predicted: true, TripStatus: late})
	w.clockAt(at.Add(time.Hour)) // the sources are silent, so only the timetable counts
	a := w.live(t, "arrivals-and-departures-for-stop/M%20T_C.json?minutesBefore=60", "")
	if got := part(t, a.Data, "entry", "arrivalsAndDepartures", 0, "predicted"); got != false {
		t.Errorf("prediction of a silent source: %s", a.Body)
	}
}

// Live data applies only to the time of its poll. It does not change answers about other days, even
// if it has no date.
func TestAppAsksForAnotherDay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	at := in(t, "2026-03-04 06:10:00")
	w.clockAt(at)
	u := updateOf("early")
	u.TripUpdate.StopTimeUpdate = []*rt.TripUpdate_StopTimeUpdate{timed(2, byTime(at.Add(12*time.Minute)), nil)}
	w.sent(t, "trip_updates", at, u)
	w.closed(t, at)
	for day, predicted := range map[string]bool{"2026-03-03": false, "2026-03-04": true, "2026-03-05": false} {
		a := w.live(t, "arrivals-and-departures-for-stop/M%20T_C.json?time="+day+"_06-10-00", "")
		all := part(t, a.Data, "entry", "arrivalsAndDepartures").([]any)
		i := slices.IndexFunc(all, func(e any) bool { return part(t, e, "tripId") == "M T_early" })
		if i < 0 || part(t, all[i], "predicted") != predicted ||
			len(part(t, all[i], "situationIds").([]any)) > 0 != predicted {
			t.Errorf("%s: %s", day, a.Body)
		}
	}
}

// Without the permission for departures, answers use the timetable.
func TestAppNeedsPermissions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	at := in(t, "2026-03-04 06:10:00")
	w.early(t, at)
	for access, want := range map[string]string{
		"{roles: {anonymous: [static]}}":           "200 false",
		"{roles: {anonymous: [static, realtime]}}": "200 true",
		"{roles: {anonymous: [realtime]}}":         "401",
	} {
		limited := w.again(t, withApps, func(c *Config) { c.File = configFile(t, "access: "+access+"\n") })
		limited.clockAt(at)
		refreshFeeds(t, limited.api)
		limited.refresh(t)
		a := limited.app(t, "/metro/api/where/arrivals-and-departures-for-stop/M%20T_C.json")
		got := fmt.Sprint(a.Status)
		if a.Status == 200 {
			got += " " + fmt.Sprint(part(t, a.Data, "entry", "arrivalsAndDepartures", 0, "predicted"))
		}
		if got != want {
			t.Errorf("%s: %s, want %s", access, got, want)
		}
	}
}

// The headways at a stop are sorted by the start of their windows, for any start of the trips.
func TestAppHeadwaysAreInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	_, err := w.db.Exec(t.Context(), `
		INSERT INTO transit.frequency (version_id, ord, trip_id, start_time, end_time, headway_secs)
		VALUES (2, 1, 'l1', 18000, 19800, 600);
		UPDATE transit.trip SET trip_headsign = 'Round' WHERE version_id = 2 AND trip_id = 'l1'`)
	if err != nil {
		t.Fatal(err)
	}
	again := w.again(t, withApps)
	refreshFeeds(t, again.api)
	again.refresh(t)
	a := again.live(t, "schedule-for-stop/M%20T_100.json?date=2026-03-04", "")
	var begin []float64
	for _, r := range part(t, a.Data, "entry", "stopRouteSchedules").([]any) {
		for _, d := range part(t, r, "stopRouteDirectionSchedules").([]any) {
			for _, f := range part(t, d, "scheduleFrequencies").([]any) {
				begin = append(begin, part(t, f, "startTime").(float64))
			}
		}
	}
	if len(begin) != 4 || !slices.IsSorted(begin) { // there are two trips, and each calls there twice
		t.Errorf("headways begin at %v", begin)
	}
}

// A cancelled trip is marked where apps read it, the status of the trip, also before it runs. A
// vehicle that has been silent for too long does not count, and one alone has its own time.
func TestAppsSeeCancelledTripsAndSilentVehicles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	now := in(t, "2026-03-04 06:01:00")
	w.clockAt(now)
	at := func(ago time.Duration) *rt.FeedEntity {
		return &rt.FeedEntity{Id: proto.String("v"), Vehicle: &rt.VehiclePosition{
			Trip:      &rt.TripDescriptor{TripId: proto.String("l1"), StartDate: proto.String("20260304")},
			Vehicle:   &rt.VehicleDescriptor{Id: proto.String("bus 1")},
			Timestamp: proto.Uint64(uint64(now.Add(-ago).Unix())),
			Position:  &rt.Position{Latitude: proto.Float32(54.68), Longitude: proto.Float32(-25.1)}}}
	}
	arrival := func(trip string) map[string]any {
		t.Helper()
		a := w.live(t, "arrivals-and-departures-for-stop/M%20T_C.json?minutesAfter=60", "")
		for _, one := range part(t, a.Data, "entry", "arrivalsAndDepartures").([]any) {
			if one := one.(map[string]any); one["tripId"] == "M T_"+trip {
				return one
			}
		}
		t.Fatalf("no arrival of %s: %s", trip, a.Body)
		return nil
	}
	w.sent(t, "vehicle_positions", now, at(2*time.Minute))
	if a := arrival("l1"); a["predicted"] != true && part(t, a, "tripStatus", "predicted") != true ||
		a["lastUpdateTime"] != float64(now.Add(-2*time.Minute).UnixMilli()) {
		t.Errorf("a vehicle two minutes ago: %v", a)
	}
	w.sent(t, "vehicle_positions", now.Add(time.Second), at(2*time.Hour))
	if a := arrival("l1"); a["lastUpdateTime"] != 0.0 || part(t, a, "tripStatus", "predicted") != false {
		t.Errorf("a vehicle two hours ago: %v", a)
	}
	w.sent(t, "trip_updates", now, &rt.FeedEntity{Id: proto.String("u"), TripUpdate: &rt.TripUpdate{
		Trip: &rt.TripDescriptor{TripId: proto.String("early"), StartDate: proto.String("20260304"),
			ScheduleRelationship: rt.TripDescriptor_CANCELED.Enum()},
		Vehicle: &rt.VehicleDescriptor{Id: proto.String("bus 2")}}})
	a := arrival("early")
	if s := a["tripStatus"]; s == nil || part(t, s, "status") != "CANCELED" || part(t, s, "predicted") != false ||
		part(t, s, "vehicleId") != "" {
		t.Errorf("a cancelled trip: %v", a)
	}
}

// Apps and agents send times in ISO 8601 too. A time that is none means now.
func TestAppsSendTimesInISO(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	w.clockAt(in(t, "2026-03-04 12:00:00"))
	for given, want := range map[string]int{
		"1772622000000":             2, // 06:00 in New York
		"2026-03-04_06-00-00":       2,
		"2026-03-04T06:00:00":       2,
		"2026-03-04T06:00":          2,
		"2026-03-04 06:00:00":       2,
		"2026-03-04T11:00:00Z":      2,
		"2026-03-04T11:00:00.250Z":  2,
		"2026-03-04t11:00:00z":      2,
		"2026-03-04T12:00:00+01:00": 2,
		"2026-03-04T06:00:00-0500":  2,
		"2026-03-04":                0,
		"2026-03-04T14:00:00Z":      0,
	} {
		// In an address, a + that is not escaped means a space.
		for _, escaped := range []string{url.QueryEscape(given), strings.ReplaceAll(given, " ", "T")} {
			a := w.live(t, "arrivals-and-departures-for-stop/M%20T_C.json?minutesBefore=0&minutesAfter=5&time="+escaped, "")
			if got := len(part(t, a.Data, "entry", "arrivalsAndDepartures").([]any)); got != want {
				t.Errorf("%s: %d calls, want %d", escaped, got, want)
			}
		}
	}
	if a := w.app(t, "/metro/api/where/arrivals-and-departures-for-stop/M%20T_C.json?time=noon"); a.Status != 400 {
		t.Errorf("noon: %d", a.Status)
	}
}

// A situation is found by its id, the timetable of a route has its trips and stops, and a search
// without a radius looks in the whole feed.
func TestAppsFindMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	now := in(t, "2026-03-04 06:10:00")
	w.clockAt(now)
	w.sent(t, "alerts", now, &rt.FeedEntity{Id: proto.String("broken lift"), Alert: &rt.Alert{
		InformedEntity: []*rt.EntitySelector{{StopId: proto.String("C")}},
		HeaderText:     &rt.TranslatedString{Translation: []*rt.TranslatedString_Translation{{Text: proto.String("Lift")}}}}})
	s := part(t, w.live(t, "arrivals-and-departures-for-stop/M%20T_C.json", "").Data, "references", "situations", 0)
	id := part(t, s, "id").(string)
	a := w.live(t, "situation/"+url.PathEscape(id)+".json", "situation")
	if part(t, a.Data, "entry", "id") != id || part(t, a.Data, "entry", "summary") == nil {
		t.Errorf("%s: %s", id, a.Body)
	}
	if a := w.app(t, "/metro/api/where/situation/M%20T_nothing.json"); a.Status != 404 {
		t.Errorf("an unknown situation: %d", a.Status)
	}
	a = w.live(t, "schedule-for-route/M%20T_loop.json?date=2026-03-04", "")
	if trips, stops := part(t, a.Data, "entry", "trips").([]any),
		part(t, a.Data, "entry", "stops").([]any); len(trips) == 0 ||
		len(stops) != 3 {
		t.Errorf("%d trips, %d stops", len(trips), len(stops))
	}
	far := w.live(t, "stops-for-location.json?lat=54&lon=-25&query=alder", "stop")
	if len(part(t, far.Data, "list").([]any)) == 0 {
		t.Errorf("no stop far away: %s", far.Body)
	}
	if near := w.live(t, "stops-for-location.json?lat=54&lon=-25&query=alder&radius=500", "stop"); len(part(t, near.Data,
		"list").([]any)) != 0 {
		t.Errorf("a stop outside of the radius: %s", near.Body)
	}
}

// Positions of vehicles need a permission of their own: a role without it sees none.
func TestPositionsInAppsNeedAPermission(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	now := in(t, "2026-03-04 06:01:00")
	w.clockAt(now)
	w.sent(t, "vehicle_positions", now, &rt.FeedEntity{Id: proto.String("v"), Vehicle: &rt.VehiclePosition{
		Trip:     &rt.TripDescriptor{TripId: proto.String("l1"), StartDate: proto.String("20260304")},
		Vehicle:  &rt.VehicleDescriptor{Id: proto.String("bus 1")},
		Position: &rt.Position{Latitude: proto.Float32(54.68), Longitude: proto.Float32(-25.1)}}})
	for access, want := range map[string]bool{"[static, realtime]": true, "[static, realtime.departures]": false} {
		limited := w.again(t, withApps, func(c *Config) {
			c.File = configFile(t, "access: {roles: {anonymous: "+access+"}}\n")
		})
		limited.clockAt(now)
		refreshFeeds(t, limited.api)
		limited.refresh(t)
		for _, path := range []string{"arrivals-and-departures-for-stop/M%20T_C.json", "trip-details/M%20T_l1.json",
			"trips-for-route/M%20T_loop.json"} {
			if a := limited.app(t, "/metro/api/where/"+path); a.Status != 200 ||
				strings.Contains(a.Body, "lastKnownLocation") != want {
				t.Errorf("%s: %s: %s", access, path, a.Body)
			}
		}
	}
}

// Alerts and annotations need the permissions that they need elsewhere.
func TestSituationsInAppsNeedAPermission(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	now := in(t, "2026-03-04 06:01:00")
	w.clockAt(now)
	w.sent(t, "alerts", now, alertOn("works", onStop("C")))
	for access, want := range map[string]string{"[static, realtime]": "true 200",
		"[static, realtime.departures, display]":         "false 403",
		"[static, realtime.departures, realtime.alerts]": "true 200"} {
		limited := w.again(t, withApps, func(c *Config) {
			c.File = configFile(t, "access: {roles: {anonymous: "+access+"}}\n")
		})
		limited.clockAt(now)
		refreshFeeds(t, limited.api)
		limited.refresh(t)
		a := limited.app(t, "/metro/api/where/arrivals-and-departures-for-stop/M%20T_C.json")
		one := limited.app(t, "/metro/api/where/situation/M%20T_works.json")
		if got := fmt.Sprint(strings.Contains(a.Body, "M T_works"), one.Status); a.Status != 200 ||
			got != want && got != strings.Replace(want, "403", "401", 1) {
			t.Errorf("%s: %s, want %s: %s", access, got, want, a.Body)
		}
	}
}

// The metrics count what of the realtime data the timetable does not have.
func TestAppMetrics(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	now := in(t, "2026-03-04 06:01:00")
	w.clockAt(now)
	added := updated("extra", "20260304", stopTime("C", byTime(now.Add(time.Hour))))
	added.TripUpdate.Trip.ScheduleRelationship = rt.TripDescriptor_ADDED.Enum()
	w.sent(t, "trip_updates", now,
		updated("early", "20260304", stopTime("C", byDelay(60)), stopTime("nowhere", byDelay(60))),
		updated("ghost", "20260304", stopTime("C", byDelay(60))), added)
	a := w.live(t, "metrics.json", "")
	for key, want := range map[string]any{"realtimeRecordsTotal": 3.0, "realtimeTripCountsMatched": 1.0,
		"realtimeTripCountsUnmatched": 1.0, "realtimeTripIDsUnmatched": []any{"ghost"}, "stopIDsMatchedCount": 1.0,
		"stopIDsUnmatchedCount": 1.0, "stopIDsUnmatched": []any{"nowhere"}, "timeSinceLastRealtimeUpdate": 0.0} {
		if got := part(t, a.Data, "entry", key, "M T"); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
	if n, ok := part(t, a.Data, "entry", "scheduledTripsCount", "M T").(float64); !ok || n == 0 {
		t.Errorf("%s", a.Body)
	}
}

// A feed with vehicle positions and no trip updates has realtime data, too.
func TestAppMetricsOfVehicles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	now := in(t, "2026-03-04 06:01:00")
	w.clockAt(now)
	w.sent(t, "vehicle_positions", now.Add(-7*time.Second), seen("bus_7", "early", 54.6875, -25.175, now, nil))
	a := w.live(t, "metrics.json", "")
	got := fmt.Sprint(part(t, a.Data, "entry", "timeSinceLastRealtimeUpdate", "M T"), " ",
		part(t, a.Data, "entry", "realtimeRecordsTotal", "M T"))
	if got != "7 1" {
		t.Errorf("%s, want 7 1", got)
	}
}

// An agency that no source serves has no realtime data, however old that of the others is.
func TestAppMetricsOfServedAgencies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	now := in(t, "2026-03-04 06:01:00")
	for agencies, want := range map[string]string{"[ferry]": "-1 0", "[M T]": "0 -1", "[]": "0 0"} {
		only := w.again(t, withApps, func(c *Config) {
			c.File = configFile(t, "access: {roles: {anonymous: [discovery, static, realtime]}}\nfeeds: [{alias: metro, "+
				"realtime: [{kind: trip_updates, url: https://a.example, agencies: "+agencies+"},\n"+
				"  {kind: alerts, url: https://b.example}]}]\n")
		})
		only.clockAt(now)
		refreshFeeds(t, only.api)
		only.sent(t, "trip_updates", now, updated("early", "20260304", stopTime("C", byDelay(60))))
		only.refresh(t)
		a := only.live(t, "metrics.json", "")
		got := fmt.Sprint(part(t, a.Data, "entry", "timeSinceLastRealtimeUpdate", "M T"), " ",
			part(t, a.Data, "entry", "timeSinceLastRealtimeUpdate", "ferry"))
		if got != want {
			t.Errorf("%s: %s, want %s", agencies, got, want)
		}
	}
}
