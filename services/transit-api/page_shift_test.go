package transitapi

import (
	"net/http/httptest"
	"testing"

	"github.com/townline/townline/pkg/pagetest"
	"github.com/townline/townline/pkg/site"
)

// Nothing moves on a page that arrives slowly, and the line about the state of a board does not break
// at another age of its data, so that no rider taps what has just moved.
func TestPagesDoNotMove(t *testing.T) {
	t.Parallel()
	browser := pagetest.Start(t)
	w := newWorld(t, nil)
	now := in(t, "2026-03-04 05:55:00")
	w.clockAt(now)
	w.sent(t, "trip_updates", now, updateOf("l1", "C"))
	server := httptest.NewServer(w.srv)
	t.Cleanup(server.Close)
	views := []pagetest.View{{}, {Width: 320}, {Zoom: 2}}
	for i, path := range []string{"/f/metro/routes/M%20T/loop/timetable", "/f/metro/routes/M%20T/loop/timetable?all=true",
		"/f/metro/stops/C", "/board?stop=metro:C&variant=phone", "/f/metro/routes/M%20T/loop/trips/l1", "/f/metro/routes"} {
		for k, v := range views {
			v.Language = site.Languages()[(i+k)%len(site.Languages())]
			p := browser.Open(t, server.URL+path, v)
			if shift := p.Trickle(); shift > 0.001 {
				t.Errorf("%s %s shifts by %v: %s", path, v.Name(), shift, p.Moved())
			}
		}
	}
	for _, language := range site.Languages() {
		p := browser.Open(t, server.URL+"/board?stop=metro:C&variant=phone", pagetest.View{Language: language, Width: 320})
		if lines := p.Eval(`(say => { const e = document.querySelector("#rows > .status"), range = document.createRange();
			return Math.max(...["3", "14", "89"].map(s => {
				e.textContent = say.live.replace("{0}", say.seconds.replace("{0}", s));
				range.selectNodeContents(e);
				return new Set(Array.from(range.getClientRects(), r => r.top)).size }))
		})(JSON.parse(document.getElementById("rows").getAttribute("data-words")))`); lines != "1" {
			t.Errorf("in %s the state takes up to %s lines", language, lines)
		}
	}
}
