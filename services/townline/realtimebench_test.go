package townline_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/protobuf/proto"
)

// liveMessage predicts all calls of trips of a feed, until the message has about size bytes; stamp
// is its timestamp.
func liveMessage(b *testing.B, db *pgxpool.Pool, size int) func(stamp int64) []byte {
	b.Helper()
	rows, err := db.Query(b.Context(), `
		SELECT trip_id, array_agg(stop_sequence ORDER BY stop_sequence), array_agg(stop_id ORDER BY stop_sequence)
		FROM transit.stop_times WHERE stop_id IS NOT NULL GROUP BY trip_id ORDER BY md5(trip_id) LIMIT 5000`)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	m := &rt.FeedMessage{Header: &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0")}}
	var updates []*rt.TripUpdate
	for rows.Next() {
		var trip string
		var sequences []uint32
		var stops []string
		if err := rows.Scan(&trip, &sequences, &stops); err != nil {
			b.Fatal(err)
		}
		u := &rt.TripUpdate{Trip: &rt.TripDescriptor{TripId: &trip}}
		for i := range stops {
			event := &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(time.Now().Unix() + int64(i)), Delay: proto.Int32(60)}
			u.StopTimeUpdate = append(u.StopTimeUpdate, &rt.TripUpdate_StopTimeUpdate{StopSequence: &sequences[i],
				StopId: &stops[i], Arrival: event, Departure: event})
		}
		updates = append(updates, u)
	}
	if rows.Err() != nil || len(updates) == 0 {
		b.Fatal(rows.Err())
	}
	for bytes, day := 0, 0; bytes < size; day++ { // a small feed has too few trips, so use more days
		for i := range updates {
			u := proto.Clone(updates[i]).(*rt.TripUpdate)
			u.Trip.StartDate = proto.String(time.Now().AddDate(0, 0, day).Format("20060102"))
			m.Entity = append(m.Entity, &rt.FeedEntity{Id: proto.String(fmt.Sprint(len(m.Entity))), TripUpdate: u})
			bytes += proto.Size(u)
			if bytes >= size {
				break
			}
		}
	}
	return func(stamp int64) []byte {
		m.Header.Timestamp = proto.Uint64(uint64(stamp))
		for _, e := range m.Entity {
			e.TripUpdate.Timestamp = m.Header.Timestamp
		}
		data, err := proto.Marshal(m)
		if err != nil {
			b.Fatal(err)
		}
		return data
	}
}

// smallFeed returns the zip for realtime benchmarks: the demo's zip, unless a flag selects another.
func smallFeed(b *testing.B) string {
	b.Helper()
	if *benchFeed != "" {
		return *benchFeed
	}
	return demoFeed(b)
}

// BenchmarkRealtimeFreshness measures the delay of a new message of 3 MB: from the first byte that
// the source sends until an API, which is notified over NATS, has sent it to a listener. The delay
// includes fetch, check, store, announce, index and answer.
//
//	go test -run - -bench RealtimeFreshness -benchtime 10x ./services/townline -feed some.zip
func BenchmarkRealtimeFreshness(b *testing.B) {
	address, db := benchDatabase(b, smallFeed(b))
	message := liveMessage(b, db, 3<<20)
	up := &upstream{}
	stamp := time.Now().Unix() - 10_000
	first := message(stamp)
	up.answer(http.StatusOK, first)
	config := transitConfig(b, fmt.Sprintf(`
access: {roles: {anonymous: [realtime]}}
feeds: [{alias: bench, realtime: [{kind: trip_updates, url: %q, min_interval: 10ms, stale_after: 10ms}]}]`,
		up.serve(b)))
	bus := newBuses(b)
	bus.poller(b, address, config)
	base := bus.transit(b, address, config)
	var stopID string
	if err := db.QueryRow(b.Context(), `SELECT stop_id FROM transit.stop_times GROUP BY stop_id
		ORDER BY count(*) DESC LIMIT 1 OFFSET 5`).Scan(&stopID); err != nil {
		b.Fatal(err)
	}
	path := base + "/rt/tripupdates/" + url.PathEscape(stopID)
	heard := listen(b, path)
	// Readers request the polls: an API asks for a source at most once a second. They run concurrently with the
	// listener, since a reader of a source that has gone cold waits for its poll.
	reads, stop := context.WithCancel(b.Context())
	var reader sync.WaitGroup
	defer reader.Wait()
	defer stop()
	reader.Go(func() {
		for reads.Err() == nil {
			req, err := http.NewRequestWithContext(reads, http.MethodGet, path, nil)
			if err == nil {
				var res *http.Response
				if res, err = http.DefaultClient.Do(req); err == nil {
					err = res.Body.Close()
				}
			}
			if err != nil && reads.Err() == nil {
				b.Error(err)
				return
			}
			select {
			case <-reads.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
	wait := func(stamp int64) {
		want := fmt.Sprintf(`"timestamp":"%d"`, stamp)
		deadline := time.After(time.Minute)
		for {
			select {
			case event := <-heard:
				if strings.Contains(event, want) {
					return
				}
			case <-deadline:
				b.Fatal("the new message was not sent")
			}
		}
	}
	wait(stamp)
	var took []float64
	for b.Loop() {
		stamp++
		up.answer(http.StatusOK, message(stamp))
		wait(stamp)
		up.mu.Lock()
		began := up.began[stamp]
		up.mu.Unlock()
		took = append(took, float64(time.Since(began).Microseconds())/1000)
	}
	slices.Sort(took)
	b.ReportMetric(took[0], "ms/best")
	b.ReportMetric(took[len(took)/2], "ms")
	b.ReportMetric(took[len(took)-1], "ms/worst")
	b.ReportMetric(150, "at-most")
	b.ReportMetric(float64(len(first)), "message-bytes")
	b.ReportMetric(0, "ns/op")
}

// listen opens a stream and returns its answers on a channel.
func listen(t testing.TB, address string) <-chan string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", address, res.Status)
	}
	heard := make(chan string, 100)
	go func() {
		for r := bufio.NewReaderSize(res.Body, 1<<24); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			if strings.HasPrefix(line, "data: ") {
				heard <- line
			}
		}
	}()
	return heard
}

// BenchmarkRealtimeReads compares reads of a busy stop with a gin handler that gives the same
// answer, like BenchmarkTransitReads.
func BenchmarkRealtimeReads(b *testing.B) {
	address, db := benchDatabase(b, smallFeed(b))
	up := &upstream{}
	up.answer(http.StatusOK, liveMessage(b, db, 500<<10)(time.Now().Unix()))
	config := transitConfig(b, fmt.Sprintf(`
access: {roles: {anonymous: [realtime]}}
feeds: [{alias: bench, realtime: [{kind: trip_updates, url: %q}]}]`, up.serve(b)))
	bus := newBuses(b)
	bus.poller(b, address, config)
	base := bus.transit(b, address, config)
	var stopID string
	if err := db.QueryRow(b.Context(), `SELECT stop_id FROM transit.stop_times GROUP BY stop_id
		ORDER BY count(*) DESC LIMIT 1`).Scan(&stopID); err != nil {
		b.Fatal(err)
	}
	for _, what := range []struct {
		name, path string
		target     float64
	}{{"tripupdates", "/rt/tripupdates/" + url.PathEscape(stopID), 0.80},
		{"predictions", "/rt/predictions/" + url.PathEscape(stopID), 0.80}} {
		b.Run(what.name, func(b *testing.B) {
			eventually(b, func() error {
				_, body := request(b, base+"/rt/tripupdates/"+url.PathEscape(stopID))
				if strings.Contains(string(body), `"totalCount":0`) {
					return fmt.Errorf("nothing yet")
				}
				return nil
			})
			root, err := url.Parse(base + what.path)
			if err != nil {
				b.Fatal(err)
			}
			_, body := fetchOnce(b, root.Host, root.EscapedPath())
			in := [][]byte{fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: transit.example\r\nAccept: application/json\r\n\r\n",
				root.EscapedPath())}
			compare(b, root.Host, bareHandler(b, answerOf(b, root.Host, in[0])), in, len(body), what.target)
		})
	}
}
