package observe

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/gtfsrt/judge"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/sample"
)

// BenchmarkObserve measures the inference from a message of a subway with 240 trips.
func BenchmarkObserve(b *testing.B) {
	files := sample.Glob(b, "gtfs-rt/nyct-ace-series/*.pb")
	slices.Sort(files)
	var all []*Message
	for _, file := range files {
		data, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, read(b, data))
	}
	b.ReportAllocs()
	var o *Observer
	n := 0
	for b.Loop() {
		if n%len(all) == 0 {
			o = New(Zone{time.UTC}, none{})
		}
		o.Observe(all[n%len(all)])
		o.Stored(o.Changes())
		n++
	}
}

const (
	townLines, townBuses = 20, 25
	townStops, townPace  = 30, 120 // stops of a trip, and seconds between them
	townMessages         = 60
)

// town returns a timetable and messages, 30 seconds apart, of 500 buses with predictions.
func town(tb testing.TB) (trips, [][]byte) {
	tb.Helper()
	all, headway := trips{}, int32(townStops*townPace/townBuses)
	stops := make([]byte, townStops)
	for i := range stops {
		stops[i] = byte('A' + i)
	}
	const begin = 8 * 3600
	for l := range townLines {
		for start := begin - int32(townStops*townPace); start < begin+30*townMessages; start += headway {
			id := fmt.Sprintf("line-%d-%d", l, start)
			t := line(id, start, string(stops))
			t.Route = fmt.Sprintf("line-%d", l)
			all[id] = t
		}
	}
	ids := make([]string, 0, len(all))
	for id := range all {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	messages := make([][]byte, townMessages)
	for n := range messages {
		second := begin + 30*n
		at := uint64(zero + second)
		m := &rt.FeedMessage{Header: &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0"), Timestamp: &at}}
		for k, id := range ids {
			if e := townTrip(all[id], int32(k%7*15-30), int32(second)); e != nil {
				m.Entity = append(m.Entity, e...)
			}
		}
		data, err := proto.Marshal(m)
		if err != nil {
			tb.Fatal(err)
		}
		messages[n] = data
	}
	return all, messages
}

// townTrip returns the position and the predictions of a trip that is late by some seconds.
func townTrip(t *Trip, late, second int32) []*rt.FeedEntity {
	done := second - t.Start - late
	if done < -60 || done > townPace*(townStops-1)+20 {
		return nil
	}
	next := min(max(0, (done+townPace-1)/townPace), townStops-1)
	trip := func() *rt.TripDescriptor {
		return &rt.TripDescriptor{TripId: &t.ID, StartDate: proto.String("20260303"), RouteId: &t.Route}
	}
	bus := &rt.VehicleDescriptor{Id: proto.String("bus " + t.ID)}
	u := &rt.TripUpdate{Trip: trip(), Vehicle: bus}
	for i := next; i < townStops; i++ {
		at := int64(zero) + int64(t.Start+late+townPace*i+i%5)
		u.StopTimeUpdate = append(u.StopTimeUpdate, &rt.TripUpdate_StopTimeUpdate{
			StopSequence: proto.Uint32(uint32(t.Sequences[i])), StopId: &t.Stops[i],
			Arrival:   &rt.TripUpdate_StopTimeEvent{Time: &at},
			Departure: &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(at + 10)}})
	}
	v := &rt.VehiclePosition{Trip: trip(), Vehicle: bus, Timestamp: proto.Uint64(uint64(zero + second)),
		Position: &rt.Position{Latitude: proto.Float32(47), Longitude: proto.Float32(-122)}}
	if at := max(done, 0) / townPace; done >= 0 && done%townPace < 20 {
		v.CurrentStopSequence, v.CurrentStatus = proto.Uint32(uint32(t.Sequences[at])), rt.VehiclePosition_STOPPED_AT.Enum()
	} else {
		v.CurrentStopSequence = proto.Uint32(uint32(t.Sequences[next]))
	}
	return []*rt.FeedEntity{{Id: proto.String("u" + t.ID), TripUpdate: u}, {Id: proto.String("v" + t.ID), Vehicle: v}}
}

// BenchmarkTown measures a message of 500 buses: decoding, which a poll needs anyway, and what an
// observer adds.
func BenchmarkTown(b *testing.B) {
	timetable, messages := town(b)
	decode := func(data []byte) *Message {
		calls := judge.NewCalls(len(data))
		feed, err := gtfsrt.ScanCalls(data, calls.Add)
		if err != nil {
			b.Fatal(err)
		}
		return &Message{Source: "mixed/0", At: int64(feed.Timestamp), Feed: feed, Calls: &calls, Updates: true, Moves: true}
	}
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			decode(messages[n%len(messages)])
		}
	})
	b.Run("observe", func(b *testing.B) {
		all := make([]*Message, len(messages))
		for i, data := range messages {
			all[i] = decode(data)
		}
		b.ReportAllocs()
		var o *Observer
		rows := 0
		for n := 0; b.Loop(); n++ {
			if n%len(all) == 0 {
				o = New(Zone{time.UTC}, timetable)
			}
			o.Observe(all[n%len(all)])
			changed := o.Changes()
			o.Stored(changed)
			rows += len(changed)
		}
		b.ReportMetric(float64(rows)/float64(b.N), "rows/op")
	})
	b.Run("store", func(b *testing.B) {
		byID := make([]*Trip, 0, len(timetable))
		for _, t := range timetable {
			byID = append(byID, t)
		}
		pool := imported(b, byID...)
		w := watching(pool)
		var postgres, own time.Duration
		for n := 0; b.Loop(); n++ {
			if n >= len(messages) {
				b.Skip("more iterations than messages: use -benchtime=59x")
			}
			b.StopTimer()
			m := decode(messages[n])
			publishData(b, pool, m.At, messages[n])
			w.Offer(int64(n+1), m.Feed, handedCalls(b, messages[n]), len(messages[n]))
			postgres -= postgresTime(b, pool)
			own -= ownTime(b)
			b.StartTimer()
			if err := w.step(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			own += ownTime(b)
			postgres += postgresTime(b, pool)
			b.StartTimer()
		}
		b.ReportMetric(float64(postgres.Microseconds())/1000/float64(b.N), "postgres-ms/op")
		b.ReportMetric(float64(own.Microseconds())/1000/float64(b.N), "own-ms/op")
		size, err := pg.Column[int64](b.Context(), pool, `
			SELECT sum(pg_total_relation_size(inhrelid))::bigint / (SELECT count(*) FROM transit.stop_visit)
			FROM pg_inherits WHERE inhparent = 'transit.stop_visit'::regclass`)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(size[0]), "B/row")
	})
}

func handedCalls(b *testing.B, data []byte) judge.Calls {
	b.Helper()
	calls := judge.NewCalls(len(data))
	if _, err := gtfsrt.ScanCalls(data, calls.Add); err != nil {
		b.Fatal(err)
	}
	return calls
}

// postgresTime returns the processor time that the connections of the database have used.
func postgresTime(b *testing.B, pool *pgxpool.Pool) (took time.Duration) {
	b.Helper()
	processes, err := pg.Column[int](b.Context(), pool,
		`SELECT pid FROM pg_stat_activity WHERE datname = current_database()`)
	if err != nil {
		b.Fatal(err)
	}
	for _, pid := range processes {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		if err != nil {
			b.Skipf("cannot read the processor time of a process: %v", err)
		}
		var nanoseconds int64
		if _, err := fmt.Sscan(string(text), &nanoseconds); err != nil {
			b.Fatal(err)
		}
		took += time.Duration(nanoseconds)
	}
	return took
}

func ownTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
