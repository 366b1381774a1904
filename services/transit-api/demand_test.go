package transitapi

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
)

// A stream is told what is new and reads nothing meanwhile. As long as it is open, what it is made of is asked for when it
// goes stale, and nothing else; then nothing is.
func TestStreamsKeepTheirSourcesFresh(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, kind := range []string{"trip_updates", "alerts"} {
		w.polled(t, "metro", kind, noon, &rt.FeedMessage{Header: header(noon), Entity: []*rt.FeedEntity{updateOf("l1", "C")}})
	}
	// asked tells which sources are asked for now; all of them were polled long ago.
	asked := func() string {
		t.Helper()
		for _, s := range w.api.live.now.Load().sources {
			s.asked.Store(0)
		}
		w.api.live.attend(t.Context(), time.Now())
		names := []string{}
		for _, s := range w.api.live.now.Load().sources {
			if s.asked.Load() != 0 {
				names = append(names, s.Source)
			}
		}
		return strings.Join(names, " ")
	}
	w.ask(t, "/rt/tripupdates/C")
	if got := asked(); got != "" {
		t.Errorf("asked for %s although nobody waits", got)
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
	events := bufio.NewReader(res.Body)
	hear := func(want string) {
		t.Helper()
		for {
			line, err := events.ReadString('\n')
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
		t.Errorf("asked for %q", got)
	}
	later := noon.Add(time.Minute)
	w.polled(t, "metro", "trip_updates", later, &rt.FeedMessage{Header: header(later), Entity: []*rt.FeedEntity{updateOf("late", "C")}})
	hear(`"tripId":"late"`)
	if got := asked(); got != "trip_updates/0" {
		t.Errorf("after news, asked for %q", got)
	}
	hangUp()
	srv.Close() // waits for the stream to end
	later = later.Add(time.Minute)
	w.polled(t, "metro", "trip_updates", later, &rt.FeedMessage{Header: header(later), Entity: []*rt.FeedEntity{updateOf("back", "C")}})
	if got := asked(); got != "" {
		t.Errorf("asked for %s after the stream has ended", got)
	}
}

// However streams end, they soon count no more.
func TestNewsIsAwaitedForAWhile(t *testing.T) {
	t.Parallel()
	n, now := newNews(), time.Now()
	if n.awaited(now) {
		t.Error("awaited before anybody came")
	}
	ch := n.changed()
	if !n.awaited(now.Add(listenFor/2)) || n.awaited(now.Add(2*listenFor)) {
		t.Error("a stream counts for another time than it should")
	}
	n.tell()
	<-ch
	if n.awaited(now) {
		t.Error("awaited after everybody was told")
	}
}
