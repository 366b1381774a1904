package transitapi

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"github.com/jackc/pgx/v5/pgtype"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/resttest"
)

// manyTrips adds n trips to the test's feed, which follow 200 patterns of 30 calls, and returns a message that predicts
// each of them by sequence alone, so that every call must be looked up.
func (w *world) manyTrips(t testing.TB, n int) []byte {
	t.Helper()
	if _, err := w.db.Exec(t.Context(), `
		INSERT INTO transit.pattern (version_id, pattern, trip_count, stop_sequence, stop_id, digest)
		SELECT 2, 1000 + p, 1, (SELECT array_agg(i) FROM generate_series(1, 30) i), (SELECT array_agg('stop ' || p % 50 * 20 + i) FROM generate_series(1, 30) i), '\x00'
		FROM generate_series(0, 199) p`); err != nil {
		t.Fatal(err)
	}
	if _, err := w.db.Exec(t.Context(), `
		INSERT INTO transit.trip (version_id, ord, pattern, profile, start_time, trip_id, route_id, service_id, trip_headsign)
		SELECT 2, 1000 + i, 1000 + i % 200, 2, 30000, 'trip number ' || i, 'loop', 'wk', 'Somewhere' FROM generate_series(1, $1::integer) i`, n); err != nil {
		t.Fatal(err)
	}
	if _, err := w.db.Exec(t.Context(), `ANALYZE transit.trip; ANALYZE transit.pattern`); err != nil {
		t.Fatal(err)
	}
	m := &rt.FeedMessage{Header: header(noon)}
	for i := 1; i <= n; i++ {
		e := updateOf(fmt.Sprint("trip number ", i))
		for k := range 10 {
			e.TripUpdate.StopTimeUpdate = append(e.TripUpdate.StopTimeUpdate, timed(k+1, byDelay(60), byDelay(60)))
		}
		m.Entity = append(m.Entity, e)
	}
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What runs beside requests is checked like what they run.
func TestLiveQueries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	resttest.CheckQueries(t, w.db, rest.Queries(liveSources, snapshotData, plannedTrips, startingTrips, plannedPatterns, liveNotices, noticesChanged)...)
}

// BenchmarkIndex measures how long a new snapshot of 10,000 trip updates takes from the table to the index: the first one of a
// feed, when all its trips must be looked up, and each that follows.
func BenchmarkIndex(b *testing.B) {
	w := newWorld(b, nil)
	data := w.manyTrips(b, 10_000)
	for _, first := range []bool{true, false} {
		b.Run(map[bool]string{true: "first", false: "next"}[first], func(b *testing.B) {
			var took time.Duration
			for n := range b.N {
				if first {
					w.api.live.now.Store(nil)
					known := w.api.dir.now.Load().byAlias["metro"].timetable
					known.patterns, known.calls = map[int32]*plannedPattern{}, 0
				}
				w.store(b, "metro", "trip_updates", noon.Add(time.Duration(n)*time.Second), data)
				start := time.Now()
				if err := w.api.live.look(b.Context()); err != nil {
					b.Fatal(err)
				}
				took += time.Since(start)
			}
			if got := len(w.api.live.now.Load().sources[0].updatesByStop.lists); got < 500 {
				b.Fatalf("%d stops", got)
			}
			b.ReportMetric(float64(took.Microseconds())/1000/float64(b.N), "ms")
			b.ReportMetric(100, "at-most")
			b.ReportMetric(float64(len(data)), "message-bytes")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// A replica that has not read everything yet is not ready: it would answer 503, or as if there were no annotations.
func TestNotReadyBeforeTheFirstLook(t *testing.T) {
	t.Parallel()
	l := &live{}
	check := loaded(&l.now)
	if check(t.Context()) == nil {
		t.Error("ready before anything was read")
	}
	l.now.Store(&moment{})
	if err := check(t.Context()); err != nil {
		t.Error(err)
	}
}

// Whatever a message holds, if it is one at all then each of its entities is JSON.
func FuzzSnapshot(f *testing.F) {
	update := updateOf("t", "s", 3)
	data, err := proto.Marshal(&rt.FeedMessage{Header: header(noon), Entity: []*rt.FeedEntity{update,
		{Id: proto.String("v"), Vehicle: &rt.VehiclePosition{Trip: withoutID("20260304", "06:05:00"), StopId: proto.String("s"), Position: &rt.Position{Latitude: proto.Float32(1), Longitude: proto.Float32(2)}}},
		{Id: proto.String("a"), Alert: &rt.Alert{InformedEntity: []*rt.EntitySelector{{StopId: proto.String("s")}}}}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	loop := &plannedTrip{TripID: "t", RouteID: "r", calls: &plannedPattern{StopSequence: []int32{1, 3, 9}, StopID: []*string{proto.String("s"), nil, proto.String("s")}}}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := gtfsrt.Scan(data)
		if err != nil {
			return
		}
		s := newSnapshot(1, m, conf.Mixed, map[tripName]*plannedTrip{"t": loop})
		check := func(ok bool, body any, err error) {
			text, bad := json.Marshal(body)
			if ok && (err != nil || bad != nil || !json.Valid(text)) {
				t.Fatalf("%v %v %.200s", err, bad, text)
			}
		}
		for i, u := range m.TripUpdates {
			row, err := s.update(int32(i))
			check(u.Check(), row, err)
		}
		for i, v := range m.Vehicles {
			row, err := s.vehicle(int32(i))
			check(v.Check(), row, err)
		}
		for i, a := range m.Alerts {
			row, err := s.alert(int32(i))
			check(a.Check(), row, err)
		}
	})
}

// Whatever an update says, what is predicted by it are calls of the journey, each once and in their order.
func FuzzPredicted(f *testing.F) {
	run := &boardRun{StopSequence: []int32{1, 3, 9, 20}, StopID: []*string{proto.String("a"), proto.String("b"), nil, proto.String("a")},
		Departures: []pgtype.Int4{{Int32: 0, Valid: true}, {}, {Int32: 200, Valid: true}, {Int32: 300, Valid: true}}, arrivals: []int32{-10, 100, 190, 300}}
	stops := &timetable{stops: map[string]plannedStop{"a": {StopCode: proto.String("7")}, "b": {}, "c": {}}}
	for _, calls := range [][]*rt.TripUpdate_StopTimeUpdate{
		{timed(3, byDelay(60), byDelay(90))}, {{StopId: proto.String("7"), Departure: byTime(noon)}, {StopId: proto.String("b"), Arrival: byTime(noon)}},
		{{StopSequence: proto.Uint32(9), StopId: proto.String("c"), ScheduleRelationship: rt.TripUpdate_StopTimeUpdate_NO_DATA.Enum()}, {StopId: proto.String("a"), ScheduleRelationship: rt.TripUpdate_StopTimeUpdate_SKIPPED.Enum()}},
	} {
		body, err := proto.Marshal(&rt.TripUpdate{Trip: &rt.TripDescriptor{TripId: proto.String("t")}, StopTimeUpdate: calls, Delay: proto.Int32(5)})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		u := gtfsrt.TripUpdate{Entity: gtfsrt.Entity{Body: body}}
		if !u.Check() {
			return
		}
		says := u.Prediction(nil)
		j := &journey{trip: &boardTrip{TripID: "t"}, day: dayOf(20516, time.UTC), start: 43200, run: run}
		matched := j.match(says.Calls, stops, nil)
		j.distance(firstTold(matched), noon.Unix())
		last := -1
		for _, c := range j.predicted(says, matched, noon.Unix(), stops, nil) {
			if c.call <= last || c.call >= len(run.StopID) || !c.hasDelay || c.origin == scheduled && (c.arrival != j.arrival(c.call) || c.delay != 0) {
				t.Fatalf("%+v after call %d", c, last)
			}
			last = c.call
		}
		if all := announced(says.Calls, nil); len(all) > len(says.Calls) {
			t.Fatalf("%d calls of %d", len(all), len(says.Calls))
		}
	})
}
