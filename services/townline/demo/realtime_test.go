package demo_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/services/townline/demo/agency"
)

// decode fetches and decodes a realtime source like a client.
func decode(t *testing.T, a *agency.Agency, path string) *gtfs.FeedMessage {
	t.Helper()
	m := &gtfs.FeedMessage{}
	if err := proto.Unmarshal(body(t, a, path), m); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return m
}

// TestRealtimeAgreesWithTheFeed compares every message with the static feed on several days,
// including a holiday and the days when the clock changes.
func TestRealtimeAgreesWithTheFeed(t *testing.T) {
	t.Parallel()
	static := feed(t, open(t, noon), noon)
	stopOf := map[string]map[uint32]string{}
	for _, row := range static["stop_times.txt"] {
		if stopOf[row["trip_id"]] == nil {
			stopOf[row["trip_id"]] = map[uint32]string{}
		}
		stopOf[row["trip_id"]][uint32(len(stopOf[row["trip_id"]])+1)] = row["stop_id"]
	}
	routeOf := map[string]string{}
	for _, row := range static["trips.txt"] {
		routeOf[row["trip_id"]] = row["route_id"]
	}
	total := 0
	starts := []time.Time{noon, time.Date(2026, 11, 1, 7, 30, 0, 0, time.UTC),
		time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)}
	for _, from := range starts {
		for at := from; at.Before(from.Add(24 * time.Hour)); at = at.Add(17*time.Minute + 11*time.Second) {
			a := open(t, at)
			seen := map[string]bool{}
			for _, e := range decode(t, a, agency.PathTripUpdates).Entity {
				if seen[e.GetId()] {
					t.Errorf("%s: entity %s twice", at, e.GetId())
				}
				seen[e.GetId()] = true
				total++
				checkUpdate(t, at, e.TripUpdate, routeOf, stopOf)
			}
			buses := map[string]bool{}
			for _, e := range decode(t, a, agency.PathVehicles).Entity {
				v := e.Vehicle
				if buses[v.Vehicle.GetId()] {
					t.Errorf("%s: bus %s is in two places", at, v.Vehicle.GetId())
				}
				buses[v.Vehicle.GetId()] = true
				if stopOf[v.Trip.GetTripId()][v.GetCurrentStopSequence()] != v.GetStopId() {
					t.Errorf("%s: %s: stop %s is not call %d", at, v.Trip.GetTripId(), v.GetStopId(), v.GetCurrentStopSequence())
				}
			}
		}
	}
	if total < 1000 {
		t.Errorf("only %d trip updates in three days", total)
	}
}

func checkUpdate(t *testing.T, at time.Time, u *gtfs.TripUpdate, routeOf map[string]string,
	stopOf map[string]map[uint32]string) {
	t.Helper()
	id := u.Trip.GetTripId()
	if routeOf[id] == "" || routeOf[id] != u.Trip.GetRouteId() {
		t.Errorf("%s: trip %q of route %q is not in the feed", at, id, u.Trip.GetRouteId())
	}
	if u.Trip.GetScheduleRelationship() == gtfs.TripDescriptor_CANCELED {
		if len(u.StopTimeUpdate) > 0 {
			t.Errorf("%s: cancelled trip %s has predictions", at, id)
		}
		return
	}
	if len(u.StopTimeUpdate) == 0 {
		t.Errorf("%s: trip %s has no prediction", at, id)
	}
	last := int64(0)
	for _, s := range u.StopTimeUpdate {
		if s.StopId != nil && stopOf[id][s.GetStopSequence()] != s.GetStopId() {
			t.Errorf("%s: %s call %d is not at %s", at, id, s.GetStopSequence(), s.GetStopId())
		}
		for _, e := range []*gtfs.TripUpdate_StopTimeEvent{s.Arrival, s.Departure} {
			if e == nil {
				continue
			}
			if e.GetTime() < last {
				t.Errorf("%s: %s call %d goes back in time", at, id, s.GetStopSequence())
			}
			last = e.GetTime()
			if d := e.GetDelay(); d < -90 || d > 1000 {
				t.Errorf("%s: %s is %d s late", at, id, d)
			}
		}
	}
	if last < at.Unix() {
		t.Errorf("%s: trip %s has already ended", at, id)
	}
}

// TestBusesMove follows one bus for two minutes: it stays on its road and moves at the speed that
// it reports.
func TestBusesMove(t *testing.T) {
	t.Parallel()
	before, after := map[string]*gtfs.VehiclePosition{}, map[string]*gtfs.VehiclePosition{}
	for _, e := range decode(t, open(t, noon), agency.PathVehicles).Entity {
		before[e.GetId()] = e.Vehicle
	}
	for _, e := range decode(t, open(t, noon.Add(2*time.Minute)), agency.PathVehicles).Entity {
		after[e.GetId()] = e.Vehicle
	}
	if len(before) < 4 {
		t.Fatalf("%d buses at noon", len(before))
	}
	moved := 0
	for id, b := range before {
		c := after[id]
		if c == nil || c.Trip.GetTripId() != b.Trip.GetTripId() {
			continue
		}
		north := float64(c.Position.GetLatitude()-b.Position.GetLatitude()) * 111200
		east := float64(c.Position.GetLongitude()-b.Position.GetLongitude()) * 111200 * math.Cos(39.15*math.Pi/180)
		if d := math.Hypot(north, east); d > 1 {
			moved++
			if d > 120*20 {
				t.Errorf("%s moved %.0f m in two minutes", id, d)
			}
		}
	}
	if moved == 0 {
		t.Error("no bus moved")
	}
}

// TestAlertsNameThingsThatExist also checks that each text exists in both languages.
func TestAlertsNameThingsThatExist(t *testing.T) {
	t.Parallel()
	static := feed(t, open(t, noon), noon)
	has := func(file, column, id string) bool {
		return slices.ContainsFunc(static[file], func(row map[string]string) bool { return row[column] == id })
	}
	cancelled := false
	for h := range 48 {
		m := decode(t, open(t, noon.Add(time.Duration(h)*time.Hour)), agency.PathAlerts)
		if len(m.Entity) < 3 { // the closed stop, the lift, Thanksgiving
			t.Errorf("%d alerts", len(m.Entity))
		}
		for _, e := range m.Entity {
			if len(e.Alert.HeaderText.Translation) != 2 {
				t.Errorf("%s: %d languages", e.GetId(), len(e.Alert.HeaderText.Translation))
			}
			for _, i := range e.Alert.InformedEntity {
				if i.StopId != nil && !has("stops.txt", "stop_id", i.GetStopId()) ||
					i.Trip != nil && !has("trips.txt", "trip_id", i.Trip.GetTripId()) {
					t.Errorf("%s names %v", e.GetId(), i)
				}
				cancelled = cancelled || i.Trip != nil
			}
		}
	}
	if !cancelled {
		t.Error("no trip was cancelled in two days")
	}
}

// At every minute of a week a bus is moving. Otherwise the demo would look broken at night.
func TestBusesAroundTheClock(t *testing.T) {
	t.Parallel()
	a := open(t, noon)
	before := map[string]*gtfs.Position{}
	for at := noon; at.Before(noon.AddDate(0, 0, 8)); at = at.Add(time.Minute) {
		here, moved := map[string]*gtfs.Position{}, false
		for _, e := range a.Vehicles(at).Entity {
			id, p := e.GetId(), e.Vehicle.Position
			was := before[id]
			moved = moved || was != nil && (was.GetLatitude() != p.GetLatitude() || was.GetLongitude() != p.GetLongitude())
			here[id] = p
		}
		before = here
		if !moved && at != noon {
			t.Errorf("%s: none of %d vehicles has moved for a minute", at.Format("Mon 15:04"), len(here))
		}
	}
	for at := noon; at.Before(noon.AddDate(0, 0, 8)); at = at.Add(10 * time.Minute) {
		if len(a.TripUpdates(at).Entity) == 0 {
			t.Errorf("%s: no trip updates", at.Format("Mon 15:04"))
		}
	}
}
