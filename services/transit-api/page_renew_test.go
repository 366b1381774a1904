package transitapi

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/pagetest"
)

// An open page of a trip or a line shows what changes without being loaded again, also a page that
// was loaded when its source was cold.
func TestOpenPagesRenewThemselves(t *testing.T) {
	t.Parallel()
	browser := pagetest.Start(t)
	w := newWorld(t, nil)
	now := in(t, "2026-03-04 06:01:00")
	w.clockAt(now)
	server := httptest.NewServer(w.srv)
	t.Cleanup(server.Close)
	late := func(seconds int32) {
		t.Helper()
		now = now.Add(time.Second)
		w.sent(t, "trip_updates", now, &rt.FeedEntity{Id: proto.String("u"), TripUpdate: &rt.TripUpdate{
			Trip:           &rt.TripDescriptor{TripId: proto.String("l1"), StartDate: proto.String("20260304")},
			StopTimeUpdate: []*rt.TripUpdate_StopTimeUpdate{timed(2, byDelay(seconds), byDelay(seconds))}}})
	}
	var pages []*pagetest.Page
	for _, path := range []string{"/f/metro/routes/M%20T/loop/trips/l1", "/f/metro/routes/M%20T/loop"} {
		// The page renews itself every 20 seconds; here every 200 milliseconds.
		p := browser.Open(t, server.URL+path, pagetest.View{Language: "en",
			Before: `const wait = setInterval; setInterval = (f, ms) => wait(f, ms / 100);`})
		if text := p.Text(); !strings.Contains(text, "from the timetable") {
			t.Errorf("without a source %s says:\n%s", path, text)
		}
		p.Eval(`(window.kept = true)`)
		pages = append(pages, p)
	}
	const said = `document.getElementById("main").innerText.includes`
	late(60)
	for _, p := range pages {
		p.Wait(said + `("Live times")`)
	}
	pages[0].Wait(said + `("Cedar 6:02 am")`)
	late(240)
	pages[0].Wait(said + `("Cedar 6:05 am")`)
	for _, p := range pages {
		if p.Eval(`window.kept`) != "true" {
			t.Error("the page was loaded again")
		}
		for _, problem := range p.Problems() {
			t.Errorf("reported: %s", problem)
		}
	}
}
