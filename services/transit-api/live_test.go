package transitapi

import (
	"fmt"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"
)

// manyTrips adds n trips on 200 patterns of 30 calls. It returns a message that predicts the calls
// only by stop_sequence, so that every call must be resolved.
func (w *world) manyTrips(t testing.TB, n int) []byte {
	t.Helper()
	w.exec(t, `
		INSERT INTO transit.pattern (version_id, pattern, trip_count, stop_sequence, stop_id, digest)
		SELECT 2, 1000 + p, 1, (SELECT array_agg(i) FROM generate_series(1, 30) i),
		       (SELECT array_agg('stop ' || p % 50 * 20 + i) FROM generate_series(1, 30) i), '\x00'
		FROM generate_series(0, 199) p`)
	w.exec(t, `
		INSERT INTO transit.trip (version_id, ord, pattern, profile, start_time, trip_id, route_id, service_id, trip_headsign)
		SELECT 2, 1000 + i, 1000 + i % 200, 2, 30000, 'trip number ' || i, 'loop', 'wk', 'Somewhere'
		       FROM generate_series(1, $1::integer) i`, n)
	w.exec(t, `ANALYZE transit.trip; ANALYZE transit.pattern`)
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

// A message of any size that is stored is read: above 256 kB alone, because its index takes memory.
func TestLargeMessagesAreRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	data := w.manyTrips(t, 5000)
	if len(data) < 512<<10 {
		t.Fatalf("the message has only %d bytes", len(data))
	}
	w.reimport(t, "SELECT")
	w.store(t, "metro", "trip_updates", noon, data)
	if err := w.api.live.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(w.snapshot(t).UpdatesAt("stop 1")) == 0 {
		t.Error("no updates at a stop of a large message")
	}
}

// BenchmarkIndex measures how long it takes to index a snapshot with 10,000 trip updates: the first
// snapshot of a feed, for which trips are loaded, and later snapshots.
func BenchmarkIndex(b *testing.B) {
	w := newWorld(b, nil)
	data := w.manyTrips(b, 10_000)
	refreshFeeds(b, w.api)
	for _, first := range []bool{true, false} {
		b.Run(map[bool]string{true: "first", false: "next"}[first], func(b *testing.B) {
			var took time.Duration
			for n := range b.N {
				if first {
					w.reimport(b, "SELECT")
				}
				w.store(b, "metro", "trip_updates", noon.Add(time.Duration(n)*time.Second), data)
				start := time.Now()
				if err := w.api.live.Refresh(b.Context()); err != nil {
					b.Fatal(err)
				}
				took += time.Since(start)
			}
			for _, stop := range []string{"stop 1", "stop 990"} {
				if len(w.snapshot(b).UpdatesAt(stop)) == 0 {
					b.Fatalf("no updates at %s", stop)
				}
			}
			b.ReportMetric(float64(took.Microseconds())/1000/float64(b.N), "ms")
			b.ReportMetric(100, "at-most")
			b.ReportMetric(float64(len(data)), "message-bytes")
			b.ReportMetric(0, "ns/op")
		})
	}
}
