package transitapi

import (
	"fmt"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/services/transit-api/internal/realtime"
)

// polled stores a message as a source's snapshot, like rt-poller, and makes the API load it.
func (w *world) polled(t *testing.T, alias, kind string, at time.Time, m proto.Message) {
	t.Helper()
	data, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	w.store(t, alias, kind, at, data)
	if err := w.api.live.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// sent is polled for the feed metro.
func (w *world) sent(t *testing.T, kind string, at time.Time, entities ...*rt.FeedEntity) {
	t.Helper()
	w.polled(t, "metro", kind, at, &rt.FeedMessage{Header: header(at), Entity: entities})
}

// snapshot returns the snapshot of the first source.
func (w *world) snapshot(t testing.TB) *realtime.Snapshot {
	t.Helper()
	v, err := w.api.live.View("", conf.TripUpdates)
	if err != nil || len(v.Sources) == 0 {
		t.Fatalf("no snapshot: %v", err)
	}
	return v.Sources[0].Snapshot
}

func (w *world) store(t testing.TB, alias, kind string, at time.Time, data []byte) {
	t.Helper()
	_, err := w.db.Exec(t.Context(), `
		WITH n AS (
		  INSERT INTO transit.source (alias, source, kind, stale_after, min_interval)
		    VALUES ($1, $2 || '/0', $2, '30 s', '10 s')
		  ON CONFLICT (alias, source) DO UPDATE SET kind = excluded.kind RETURNING alias, source)
		SELECT FROM n`, alias, kind)
	if err == nil {
		_, err = w.db.Exec(t.Context(), `
			WITH s AS (
			  INSERT INTO transit.snapshot (alias, source, fetched_at, header_timestamp, trip_updates, vehicles, alerts, sha256,
			    data)
			  VALUES ($1, $2 || '/0', $3, 0, 0, 0, 0, '', $4) RETURNING snapshot_id)
			UPDATE transit.source SET snapshot_id = s.snapshot_id, fetched_at = $3 FROM s
			  WHERE alias = $1 AND source = $2 || '/0'`, alias, kind, at, data)
	}
	if err != nil {
		t.Fatal(err)
	}
}

type rtAnswer struct {
	Meta struct {
		TotalCount  int
		DataCount   int
		Limit       int
		Offset      int
		LastFetched *int64 `json:"last_fetched"`
	}
	Data []map[string]any
}

func (w *world) rt(t *testing.T, path string) rtAnswer {
	t.Helper()
	a := decoded[rtAnswer](t, w, path)
	if a.Data == nil || a.Meta.LastFetched == nil || a.Meta.Limit != 0 || a.Meta.TotalCount != len(a.Data) ||
		a.Meta.DataCount != len(a.Data) {
		t.Fatalf("%s: %+v", path, a)
	}
	return a
}

func header(at time.Time) *rt.FeedHeader {
	return &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0"), Timestamp: proto.Uint64(uint64(at.Unix()))}
}

// updateOf returns a trip update. Its calls name stops by stop_id (strings) or by stop_sequence
// (numbers).
func updateOf(trip string, calls ...any) *rt.FeedEntity {
	u := &rt.TripUpdate{Trip: &rt.TripDescriptor{TripId: &trip}}
	for _, c := range calls {
		s := &rt.TripUpdate_StopTimeUpdate{}
		switch c := c.(type) {
		case string:
			s.StopId = &c
		case int:
			s.StopSequence = proto.Uint32(uint32(c))
		}
		u.StopTimeUpdate = append(u.StopTimeUpdate, s)
	}
	return &rt.FeedEntity{Id: proto.String("u " + trip), TripUpdate: u}
}

func tripsIn(a rtAnswer) string {
	ids := []any{}
	for _, d := range a.Data {
		trip, _ := d["trip"].(map[string]any)
		ids = append(ids, trip["tripId"])
	}
	return fmt.Sprint(ids)
}

var noon = time.Date(2026, 3, 4, 17, 0, 0, 0, time.UTC) // Wednesday, 12:00 in New York

func TestTripUpdates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	if got := w.rt(t, "/rt/tripupdates/100"); *got.Meta.LastFetched != 0 || len(got.Data) != 0 {
		t.Errorf("answer before the first poll: %+v", got)
	}
	full := &rt.FeedEntity{Id: proto.String("full"), TripUpdate: &rt.TripUpdate{
		Trip: &rt.TripDescriptor{TripId: proto.String("late"), RouteId: proto.String("R/1"), DirectionId: proto.Uint32(0),
			StartDate: proto.String("20260304"), StartTime: proto.String("23:53:20"),
			ScheduleRelationship: rt.TripDescriptor_SCHEDULED.Enum()},
		Vehicle:   &rt.VehicleDescriptor{Id: proto.String("v1"), LicensePlate: proto.String("")},
		Timestamp: proto.Uint64(1 << 60), Delay: proto.Int32(-5),
		StopTimeUpdate: []*rt.TripUpdate_StopTimeUpdate{
			{StopSequence: proto.Uint32(2), Arrival: &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(1_772_640_000),
				Delay: proto.Int32(0)}, Departure: &rt.TripUpdate_StopTimeEvent{Delay: proto.Int32(30),
				Uncertainty: proto.Int32(0)}},
			{StopSequence: proto.Uint32(4), StopId: proto.String("D"),
				ScheduleRelationship: rt.TripUpdate_StopTimeUpdate_SKIPPED.Enum()},
			{StopSequence: proto.Uint32(99)},
		}}}
	w.sent(t, "trip_updates", noon,
		full, updateOf("branch/é", "A", "E"), updateOf("stranger", "nowhere", "A"), updateOf("f1", 0, 7, 9),
		updateOf("back", "100"), updateOf("l1", 1, 4))
	golden(t, "realtime.trip_updates", w.ask(t, "/rt/tripupdates/B%2050%25%2Fx"))
	w.statuses(t, map[string]int{"/rt/tripupdates/100?feed=soon2": 404, "/rt/tripupdates/100?feed=": 400})
	for path, want := range map[string]string{
		"B%2050%25%2Fx":  "[late]",              // the update has the stop_sequence
		"D":              "[late]",              // the update has the stop_id
		"E":              "[branch/é]",          // the update has the stop_id
		"100":            "[back l1]",           // in the update; once, though the loop has the stop twice
		"A":              "[branch/é stranger]", // the update has the stop_id; no stop has that code
		"B":              "[late]",              // this is the stop_code of the stop in the update
		"S":              "[f1]",                // a station, through its platforms
		"S2":             "[f1]",
		"C":              "[]",
		"nowhere":        "[stranger]",
		"nobody":         "[]",
		"100?feed=metro": "[back l1]",
	} {
		got := w.rt(t, "/rt/tripupdates/"+path)
		if tripsIn(got) != want || *got.Meta.LastFetched != noon.Unix() {
			t.Errorf("%s: %s at %d, want %s", path, tripsIn(got), *got.Meta.LastFetched, want)
		}
	}
	// A second feed has its own sources and no timetable.
	later := noon.Add(time.Minute)
	w.polled(t, "other", "mixed", later, &rt.FeedMessage{Header: header(later),
		Entity: []*rt.FeedEntity{updateOf("o1", "100")}})
	for path, want := range map[string]struct {
		trips string
		at    time.Time
	}{"100": {"[back l1 o1]", noon}, "100?feed=other": {"[o1]", later}, "100?feed=metro": {"[back l1]", noon}} {
		if got := w.rt(t, "/rt/tripupdates/"+path); tripsIn(got) != want.trips || *got.Meta.LastFetched != want.at.Unix() {
			t.Errorf("%s: %s at %d", path, tripsIn(got), *got.Meta.LastFetched)
		}
	}
}

// Stops match by id or by code.
func TestStopCodesBothWays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.sent(t, "trip_updates", noon, updateOf("late", "A", "B"))
	for stop, want := range map[string]string{"100": "[late]", "A": "[late]", "B%2050%25%2Fx": "[late]", "C": "[]"} {
		if got := tripsIn(w.rt(t, "/rt/tripupdates/"+stop)); got != want {
			t.Errorf("%s: %s, want %s", stop, got, want)
		}
	}
}

func TestVehicles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	vehicle := func(id, trip, route string, change func(*rt.VehiclePosition)) *rt.FeedEntity {
		v := &rt.VehiclePosition{Vehicle: &rt.VehicleDescriptor{Id: &id}}
		if trip != "" {
			v.Trip = &rt.TripDescriptor{TripId: &trip}
			if route != "" {
				v.Trip.RouteId = &route
			}
		}
		change(v)
		return &rt.FeedEntity{Id: &id, Vehicle: v}
	}
	w.sent(t, "vehicle_positions", noon, vehicle("full", "late", "R/1", func(v *rt.VehiclePosition) {
		v.Vehicle.Label, v.Vehicle.LicensePlate = proto.String("12"), proto.String("")
		v.Position = &rt.Position{Latitude: proto.Float32(44.65), Longitude: proto.Float32(-63.575),
			Bearing: proto.Float32(0), Speed: proto.Float32(11.5), Odometer: proto.Float64(12345.678)}
		v.CurrentStopSequence, v.Timestamp = proto.Uint32(3), proto.Uint64(1_772_640_000)
		v.CurrentStatus, v.OccupancyStatus, v.CongestionLevel = rt.VehiclePosition_STOPPED_AT.Enum(),
			rt.VehiclePosition_EMPTY.Enum(), rt.VehiclePosition_SEVERE_CONGESTION.Enum()
		v.OccupancyPercentage = proto.Uint32(0)
		v.MultiCarriageDetails = []*rt.VehiclePosition_CarriageDetails{
			{Id: proto.String("c"), CarriageSequence: proto.Uint32(1)}}
	}),
		vehicle("routeless", "early", "", func(v *rt.VehiclePosition) { v.StopId = proto.String("B 50%/x") }),
		vehicle("free", "", "", func(v *rt.VehiclePosition) {
			inf := float32(0)
			inf = 1 / inf
			v.Position = &rt.Position{Latitude: &inf, Longitude: proto.Float32(1)}
		}),
		vehicle("stranger", "stranger", "X", func(*rt.VehiclePosition) {}),
		vehicle("ferry", "f1", "F", func(v *rt.VehiclePosition) { v.CurrentStopSequence = proto.Uint32(9) }))
	w.sent(t, "trip_updates", noon, updateOf("stranger", "E"))
	w.statuses(t, map[string]int{"/rt/vehicles?feed=soon": 404, "/rt/vehicles/R%2F1?feed=nosuch": 404})
	golden(t, "realtime.vehicles", w.ask(t, "/rt/vehicles"))
	golden(t, "realtime.route_vehicles", w.ask(t, "/rt/vehicles/R%2F1"))
	vehicles := func(a rtAnswer) string {
		ids := []any{}
		for _, d := range a.Data {
			ids = append(ids, d["vehicle"].(map[string]any)["id"])
		}
		return fmt.Sprint(ids)
	}
	for path, want := range map[string]string{
		"/R%2F1":          "[full routeless]",
		"/X":              "[stranger]",
		"/nobody":         "[]",
		"":                "[full routeless free stranger ferry]",
		"?stop_id=100":    "[]",          // both vehicles have left the stop
		"?stop_id=B":      "[routeless]", // both vehicles have left the stop
		"?stop_id=C":      "[full routeless]",
		"?stop_id=S1":     "[]",
		"?stop_id=S":      "[ferry]",
		"?stop_id=E":      "[stranger]", // the trip update has the stop
		"?stop_id=nobody": "[]",
		"?feed=metro":     "[full routeless free stranger ferry]",
	} {
		if got := vehicles(w.rt(t, "/rt/vehicles"+path)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestAlerts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	text := func(en string) *rt.TranslatedString {
		return &rt.TranslatedString{Translation: []*rt.TranslatedString_Translation{{Text: &en, Language: proto.String("en")},
			{Text: proto.String("<b>ü</b>")}}}
	}
	about := func(id string, in ...*rt.EntitySelector) *rt.FeedEntity {
		return &rt.FeedEntity{Id: &id, Alert: &rt.Alert{InformedEntity: in, HeaderText: text(id)}}
	}
	full := about("full", &rt.EntitySelector{RouteId: proto.String("R/1"), StopId: proto.String("C"),
		RouteType: proto.Int32(0), DirectionId: proto.Uint32(0)},
		&rt.EntitySelector{Trip: &rt.TripDescriptor{TripId: proto.String("late"), RouteId: proto.String("loop")}})
	// The alert ended long ago, but is still served.
	full.Alert.ActivePeriod = []*rt.TimeRange{{Start: proto.Uint64(1)}, {End: proto.Uint64(2)}}
	full.Alert.Cause, full.Alert.Effect, full.Alert.SeverityLevel = rt.Alert_STRIKE.Enum(), rt.Alert_DETOUR.Enum(),
		rt.Alert_INFO.Enum()
	full.Alert.Url, full.Alert.DescriptionText, full.Alert.TtsHeaderText,
		full.Alert.TtsDescriptionText = text("https://x.example"), text("d"), text("th"), text("td")
	w.sent(t, "alerts", noon, full, about("agency", &rt.EntitySelector{AgencyId: proto.String("M T")}),
		about("code", &rt.EntitySelector{StopId: proto.String("A")}),
		about("platform", &rt.EntitySelector{StopId: proto.String("S1")}), about("nobody"))
	w.statuses(t, map[string]int{"/rt/alerts/agencys/M%20T": 404, "/rt/alerts/vehicle/1": 404})
	golden(t, "realtime.alerts", w.ask(t, "/rt/alerts/stop/C"))
	for path, want := range map[string]string{
		"route/R%2F1": "[full]", "routes/R%2F1": "[full]", "stops/C": "[full]", "trips/late": "[full]", "trip/late": "[full]",
		"route/loop":     "[]", // the selector's trip is on the route, but the alert is about the trip
		"agency/M%20T":   "[agency]",
		"agencies/M%20T": "[agency]",
		"agency/ferry":   "[]",
		"stop/A":         "[code]",
		"stop/100":       "[code]",
		"stop/S":         "[]", // only entities that the alert names
		"stop/S1":        "[platform]",
		"stop/late":      "[]",
	} {
		got := w.rt(t, "/rt/alerts/"+path)
		ids := []any{}
		for _, d := range got.Data {
			ids = append(ids, d["id"])
		}
		if fmt.Sprint(ids) != want {
			t.Errorf("%s: %v, want %s", path, ids, want)
		}
	}
}
