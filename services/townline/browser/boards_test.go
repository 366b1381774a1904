package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"sync/atomic"
	"testing"

	"github.com/townline/townline/pkg/pagetest"
)

// A wire is the network between a board and its API; it can be cut.
type wire struct {
	*httptest.Server
	cut atomic.Bool
}

func newWire(t *testing.T, to string) *wire {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	w := &wire{}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.cut.Load() {
			panic(http.ErrAbortHandler) // closes the connection, as a server that is gone does
		}
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.Close)
	return w
}

const (
	// wrongClock lets a test set how far the browser's clock is ahead of the time of day, in milliseconds.
	wrongClock = `(() => { const real = Date.now; window.ahead = 0; Date.now = () => real.call(Date) + window.ahead })();`
	// ask makes the board ask its server at once, as it does when a network comes back.
	ask    = `dispatchEvent(new Event("online"));`
	isLive = `document.getElementById("rows").getAttribute("data-kind") === "live"`
	shown  = `Array.from(document.querySelectorAll("#rows tbody tr")).filter(r => !r.hidden)`
)

// testBoards holds a board to what it does over time: it goes on telling the truth when its server is gone.
func testBoards(t *testing.T, browser *pagetest.Browser, w town) {
	t.Run("server gone and back", func(t *testing.T) {
		t.Parallel()
		line := newWire(t, w.transit)
		p := browser.Open(t, line.URL+board, pagetest.View{Before: wrongClock})
		p.Wait(`(() => { ` + ask + ` return ` + isLive + ` && ` + shown + `.length > 0 })()`)

		line.cut.Store(true)
		// A request that was under way when the network went may still be answered: time goes on until that is long ago.
		later := `window.ahead += 5000; ` + ask
		p.Wait(`(() => { ` + later + ` return !document.getElementById("offline").hidden })()`)
		p.Wait(`(() => { ` + later + ` return /\bold\b/.test(document.getElementById("board").className) })()`)
		if n := p.Eval(shown + ".length"); n == "0" {
			t.Errorf("the timetable is gone, too:\n%s", p.Text())
		}
		if origins := p.Eval(`Array.from(new Set(` + shown + `.map(r => (r.querySelector(".o") || {}).textContent).filter(Boolean))).join()`); origins != "timetable" {
			t.Errorf("times of a board without news come from: %s", origins)
		}

		line.cut.Store(false)
		p.Wait(`(() => { window.ahead = 0; ` + ask + ` return document.getElementById("offline").hidden && !/\bold\b/.test(document.getElementById("board").className) && ` + isLive + ` })()`)
	})
	t.Run("started without a network", func(t *testing.T) {
		t.Parallel()
		line := newWire(t, w.transit)
		p := browser.Open(t, line.URL+board, pagetest.View{})
		p.Wait(`navigator.serviceWorker.controller !== null`)
		p.Reload() // through the service worker, which keeps it
		p.Wait(`(() => { caches.match(location.href, {ignoreVary: true}).then(r => { window.kept = !!r }); return window.kept === true })()`)
		line.cut.Store(true)
		p.Reload()
		if text := p.Text(); p.Eval(`document.querySelectorAll("#rows").length`) != "1" {
			t.Errorf("without a network the board says:\n%s", text)
		}
	})
	t.Run("clock ten minutes wrong", func(t *testing.T) {
		t.Parallel()
		p := browser.Open(t, w.transit+board, pagetest.View{Before: wrongClock + `window.ahead = 600000;`})
		// What the countdown says, and what it should say by the time of day.
		p.Wait(`(() => { ` + ask + ` const rows = ` + shown + `.filter(r => r.className !== "gone" && /\d/.test(r.querySelector(".m").textContent));
			return rows.length > 0 && rows.every(r => Math.abs(parseInt(r.querySelector(".m").textContent.match(/\d+/)[0]) -
				(r.getAttribute("data-t") - (Date.now() - window.ahead) / 1000) / 60) < 1.5) })()`)
	})
	t.Run("a day of polls", func(t *testing.T) {
		t.Parallel()
		polls := 150
		if os.Getenv("TOWNLINE_EVERYTHING") != "" {
			polls = 24 * 60 * 3
		}
		p := browser.Open(t, w.transit+board, pagetest.View{})
		run := fmt.Sprintf(`(async () => { for (let i = 0; i < %d; i++) { const before = performance.getEntriesByType("resource").length;
			performance.clearResourceTimings(); dispatchEvent(new Event("online"));
			while (!performance.getEntriesByType("resource").length) await new Promise(r => setTimeout(r, 1)); } return document.getElementsByTagName("*").length })()`, polls)
		p.Eval(run)
		heap, nodes := p.Heap()
		p.Eval(run)
		after, more := p.Heap()
		if after > heap*11/10+100_000 || more > nodes+500 {
			t.Errorf("%d polls take the heap from %d to %d bytes, and the nodes from %d to %d", polls, heap, after, nodes, more)
		}
	})
}
