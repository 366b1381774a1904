package transitapi

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/events"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// The first visitor after a quiet time gets live data from pages, from /rt and from the API for apps
// alike: each waits for the poll that it requests. If no poll comes, it gets what there is.
func TestTheFirstVisitorGetsLiveData(t *testing.T) {
	t.Parallel()
	const old, current, patience = "the last hour", "this minute", time.Minute
	for path, answers := range map[string]bool{
		basePath + "/rt/vehicles?feed=metro&_format=json":                  true,
		basePath + "/rt/alerts/stop/C?_format=json":                        true,
		basePath + "/rt/departures?stop_id=metro:C&_format=json":           true,
		basePath + "/rt/feeds/metro/alerts.pb":                             true,
		"/f/metro/alerts":                                                  true,
		"/f/metro/stops/C":                                                 true,
		"/oba/metro/api/where/arrivals-and-departures-for-stop/M T_C.json": true,
		basePath + "/rt/vehicles?_format=json":                             false,
		"/f/metro/stops/100":                                               false,
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			bus := newBus(t)
			w := newWorldOn(t, func(c *Config) { withApps(c); c.timeout = 2 * patience }, bus)
			w.clockAt(noon)
			store := func(message string, at time.Time) error {
				data, err := proto.Marshal(&rt.FeedMessage{Header: header(noon), Entity: []*rt.FeedEntity{
					{Id: proto.String("v"), Vehicle: &rt.VehiclePosition{Vehicle: &rt.VehicleDescriptor{Id: &message},
						Trip:     &rt.TripDescriptor{TripId: proto.String("l1"), StartDate: proto.String("20260304")},
						Position: &rt.Position{Latitude: proto.Float32(45.5), Longitude: proto.Float32(-73.5)}}},
					{Id: proto.String("a"), Alert: &rt.Alert{InformedEntity: []*rt.EntitySelector{{StopId: proto.String("C")}, {StopId: proto.String("100")}},
						HeaderText: &rt.TranslatedString{Translation: []*rt.TranslatedString_Translation{{Text: &message}}}}}}})
				if err != nil {
					return err
				}
				w.store(t, "metro", "mixed", at, data)
				return w.api.live.Refresh(t.Context())
			}
			if err := store(old, time.Now().Add(-time.Hour)); err != nil {
				t.Fatal(err)
			}
			var poll sync.Once
			polled := make(chan struct{}) // closed when the answer to the first request is stored and read
			err := events.Subscribe(t.Context(), bus, func(*eventsv1.RefreshSource) {
				poll.Do(func() {
					defer close(polled)
					if answers {
						if err := store(current, time.Now()); err != nil {
							t.Error(err)
						}
					}
				})
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := bus.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := old
			if answers {
				want = current
				w.api.live.ColdFor = patience
			}
			for range 2 { // a poll ends the wait of the first visitor, and the second does not wait
				start := time.Now()
				rec := httptest.NewRecorder()
				w.srv.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet,
					strings.ReplaceAll(path, " ", "%20"), nil))
				if body := rec.Body.String(); rec.Code != http.StatusOK || !strings.Contains(body, want) {
					t.Errorf("%d without %q: %s", rec.Code, want, body)
				}
				if took := time.Since(start); took >= patience {
					t.Errorf("took %s", took)
				}
			}
			<-polled // its context ends with the test
		})
	}
}

// The pages of a line and a trip say whether times are live, and load again while they are open.
func TestLinesAndTripsStayCurrent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	now := in(t, "2026-03-04 06:01:00")
	w.clockAt(now)
	const trip, line = "/f/metro/routes/M%20T/loop/trips/l1", "/f/metro/routes/M%20T/loop"
	status := func(path string) string {
		t.Helper()
		body := w.page(t, path).Body.String()
		if !strings.Contains(body, "renew.") || !strings.Contains(body, `<noscript><meta http-equiv="refresh"`) {
			t.Errorf("%s is not kept current", path)
		}
		said := []string{}
		for _, e := range parsePage(t, body).all("p.status") {
			said = append(said, e.text())
		}
		return strings.Join(said, " ")
	}
	for _, path := range []string{trip, line} {
		if got := status(path); !strings.Contains(got, "from the timetable") {
			t.Errorf("%s without a source says %q", path, got)
		}
	}
	w.sent(t, "trip_updates", now, updateOf("another", "C"))
	if got := status(trip); !strings.Contains(got, "no live information about this trip") {
		t.Errorf("without an update the trip says %q", got)
	}
	w.sent(t, "trip_updates", now.Add(time.Second), &rt.FeedEntity{Id: proto.String("u"), TripUpdate: &rt.TripUpdate{
		Trip:           &rt.TripDescriptor{TripId: proto.String("l1"), StartDate: proto.String("20260304")},
		StopTimeUpdate: []*rt.TripUpdate_StopTimeUpdate{timed(2, byDelay(60), byDelay(60))}}})
	for _, path := range []string{trip, line} {
		if got := status(path); !strings.Contains(got, "Live times") {
			t.Errorf("%s says %q", path, got)
		}
	}
}

// An open stream requests polls of its stale sources only, and does not wait for them. After the
// stream ends, nothing is requested.
func TestStreamsKeepTheirSourcesFresh(t *testing.T) {
	t.Parallel()
	bus := newBus(t)
	w := newWorldOn(t, patient, bus)
	w.api.live.ColdFor = 5 * time.Second // far longer than an answer takes that does not wait
	for _, kind := range []string{"trip_updates", "alerts"} {
		w.polled(t, "metro", kind, noon, &rt.FeedMessage{Header: header(noon), Entity: []*rt.FeedEntity{updateOf("l1", "C")}})
	}
	requests := make(chan string, 100)
	if err := events.Subscribe(t.Context(), bus, func(r *eventsv1.RefreshSource) { requests <- r.Source }); err != nil {
		t.Fatal(err)
	}
	// heard returns the requests before a mark. It publishes marks until the subscription is
	// active.
	marks := 0
	heard := func() string {
		t.Helper()
		marks++
		mark := fmt.Sprint("mark ", marks)
		names := []string{}
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		bus.Publish(t.Context(), &eventsv1.RefreshSource{Alias: "metro", Source: mark})
		for {
			select {
			case name := <-requests:
				if name == mark {
					slices.Sort(names)
					return strings.Join(names, " ")
				}
				if !strings.HasPrefix(name, "mark") {
					names = append(names, name)
				}
			case <-tick.C:
				bus.Publish(t.Context(), &eventsv1.RefreshSource{Alias: "metro", Source: mark})
			case <-t.Context().Done():
				t.Fatal("no request arrived")
			}
		}
	}
	heard()
	// asked returns the sources that streams request. Each time is more than a second after the last
	// request, also of a reader.
	later := time.Now()
	asked := func() string {
		t.Helper()
		heard() // discard requests of readers
		later = later.Add(2 * time.Second)
		if soon := time.Now().Add(10 * time.Second); soon.After(later) {
			later = soon
		}
		w.api.live.RequestStale(t.Context(), later)
		return heard()
	}
	w.ask(t, "/rt/tripupdates/C")
	if got := asked(); got != "" {
		t.Errorf("requested %s although no stream is open", got)
	}
	srv := httptest.NewServer(w.srv)
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+basePath+"/rt/tripupdates/C", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	stream := bufio.NewReader(res.Body)
	hear := func(want string) {
		t.Helper()
		for {
			line, err := stream.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(line, "data: ") {
				if !strings.Contains(line, want) {
					t.Fatalf("%s has no %s", line, want)
				}
				return
			}
		}
	}
	hear(`"tripId":"l1"`)
	if got := asked(); got != "trip_updates/0" {
		t.Errorf("requested %q", got)
	}
	at := noon.Add(time.Minute)
	w.sent(t, "trip_updates", at, updateOf("late", "C"))
	start := time.Now()
	hear(`"tripId":"late"`)
	if took := time.Since(start); took >= w.api.live.ColdFor {
		t.Errorf("the stream waited %s for a poll, although it had news", took)
	}
	if got := asked(); got != "trip_updates/0" {
		t.Errorf("after an update, requested %q", got)
	}
	hangUp()
	srv.Close()
	// The server notices the end of the stream at the next message at the latest.
	for deadline := time.Now().Add(time.Minute); ; {
		at = at.Add(time.Minute)
		w.sent(t, "trip_updates", at, updateOf("back", "C"))
		got := asked()
		if got == "" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("requested %s after the stream ended", got)
		}
	}
}
