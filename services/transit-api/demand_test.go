package transitapi

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"

	"github.com/townline/townline/pkg/events"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// An open stream requests polls of its stale sources only. After the stream ends, nothing is
// requested.
func TestStreamsKeepTheirSourcesFresh(t *testing.T) {
	t.Parallel()
	bus := newBus(t)
	w := newWorldOn(t, nil, bus)
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
	// asked returns the sources that streams request now. The last poll of each source was long
	// ago.
	later := time.Now()
	asked := func() string {
		t.Helper()
		heard() // discard requests of readers
		later = later.Add(2 * time.Second)
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
	hear(`"tripId":"late"`)
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
