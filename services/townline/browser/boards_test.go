package browser_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/townline/townline/pkg/pagetest"
)

// A wire is the network between a board and its API. It can be cut, and it can shift the times in
// answers.
type wire struct {
	*httptest.Server
	cut   atomic.Bool
	hung  atomic.Pointer[chan struct{}] // until the channel is closed, the server accepts requests without answering
	later atomic.Int64                  // shift in seconds
}

// instant matches a time in a board's page or answer, in Unix seconds.
var instant = regexp.MustCompile(`data-(?:t|s|told|now)="([0-9]{10})"`)

// delay shifts the times in an answer: its date, and each time in its body.
func (w *wire) delay(r *http.Response) error {
	later := w.later.Load()
	if later == 0 || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
		return nil
	}
	if at, err := http.ParseTime(r.Header.Get("Date")); err == nil {
		r.Header.Set("Date", at.Add(time.Duration(later)*time.Second).Format(http.TimeFormat))
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	body = instant.ReplaceAllFunc(body, func(attribute []byte) []byte {
		name, text, _ := strings.Cut(strings.TrimSuffix(string(attribute), `"`), `="`)
		at, _ := strconv.ParseInt(text, 10, 64)
		return fmt.Appendf(nil, `%s="%d"`, name, at+later)
	})
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return nil
}

func newWire(t *testing.T, to string) *wire {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{}
	proxy := &httputil.ReverseProxy{ModifyResponse: w.delay, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		if w.later.Load() > 0 { // the answer is modified here, so it must not be compressed
			r.Out.Header.Del("If-None-Match")
			r.Out.Header.Del("Accept-Encoding")
		}
	}}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.cut.Load() {
			panic(http.ErrAbortHandler) // closes the connection, like a stopped server
		}
		if over := w.hung.Load(); over != nil {
			select {
			case <-*over:
			case <-r.Context().Done():
			}
		}
		if seconds, err := strconv.ParseInt(strings.TrimPrefix(r.URL.Path, "/later/"), 10, 64); err == nil {
			w.later.Store(seconds)
			return
		}
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.Close)
	return w
}

const (
	// wrongClock lets a test set how far the browser's clock is ahead, in milliseconds.
	wrongClock = `(() => { const real = Date.now; window.ahead = 0; Date.now = () => real.call(Date) + window.ahead })();`
	// ask makes the board request its server at once, as after a network failure.
	ask    = `dispatchEvent(new Event("online"));`
	isLive = `document.getElementById("rows").getAttribute("data-kind") === "live"`
	shown  = `Array.from(document.querySelectorAll("#rows tbody tr")).filter(r => !r.hidden)`
)

// testBoards tests the behaviour of a board over time: its content stays correct without its
// server.
func testBoards(t *testing.T, browser *pagetest.Browser, w town) {
	t.Run("server stops and returns", func(t *testing.T) {
		t.Parallel()
		line := newWire(t, w.transit)
		p := browser.Open(t, line.URL+board, pagetest.View{Language: "en", Before: wrongClock})
		p.Wait(`(() => { ` + ask + ` return ` + isLive + ` && ` + shown + `.length > 0 })()`)

		line.cut.Store(true)
		// A request sent before the network failure may still be answered, so advance the clock
		// well past its timeout.
		later := `window.ahead += 5000; ` + ask
		status := `document.querySelector("#rows > .status").textContent`
		p.Wait(`(() => { ` + later + ` return /\bcut\b/.test(document.getElementById("board").className) })()`)
		p.Wait(`(() => { ` + later + ` return ` + status + `.includes("2 min ago") })()`)
		p.Wait(`(() => { ` + later + ` return /\bold\b/.test(document.getElementById("board").className) })()`)
		if n := p.Eval(shown + ".length"); n == "0" {
			t.Errorf("the timetable is missing, too:\n%s", p.Text())
		}
		if text := p.Eval(status); !strings.Contains(text, "no connection since") ||
			!strings.Contains(text, "No live times since") {
			t.Errorf("a board without updates shows: %s", text)
		}
		if origins := p.Eval(`Array.from(new Set(` + shown +
			`.map(r => (r.querySelector(".o") || {}).textContent).filter(Boolean))).join()`); origins != "timetable" {
			t.Errorf("origin of times on a board without updates: %s", origins)
		}

		line.cut.Store(false)
		p.Wait(`(() => { window.ahead = 0; ` + ask +
			` return !/\b(old|cut)\b/.test(document.getElementById("board").className) && ` + isLive + ` })()`)
	})
	t.Run("started without a network", func(t *testing.T) {
		t.Parallel()
		line := newWire(t, w.transit)
		p := browser.Open(t, line.URL+board, pagetest.View{})
		p.Wait(`navigator.serviceWorker.controller !== null`)
		p.Reload() // the service worker serves the page
		p.Wait(`(() => { caches.match(location.href, {ignoreVary: true}).then(r => { window.kept = !!r }); return window.kept === true })()`)
		line.cut.Store(true)
		p.Reload()
		if p.Eval(`document.querySelectorAll("#rows").length`) != "1" || p.Eval(shown+`.length`) == "0" {
			t.Errorf("without a network the board shows:\n%s", p.Text())
		}
	})
	t.Run("started with a server that hangs", func(t *testing.T) {
		t.Parallel()
		line := newWire(t, w.transit)
		p := browser.Open(t, line.URL+board, pagetest.View{})
		p.Wait(`navigator.serviceWorker.controller !== null`)
		p.Reload()
		p.Wait(`(() => { caches.match(location.href, {ignoreVary: true}).then(r => { window.kept = !!r }); return window.kept === true })()`)
		over := make(chan struct{})
		t.Cleanup(func() { close(over) })
		line.hung.Store(&over)
		p.Reload()
		if p.Eval(shown+`.length`) == "0" {
			t.Errorf("while the server hangs the board shows:\n%s", p.Text())
		}
	})
	t.Run("clock ten minutes wrong", func(t *testing.T) {
		t.Parallel()
		p := browser.Open(t, w.transit+board, pagetest.View{Language: "en", Before: wrongClock + `window.ahead = 600000;`})
		// The test compares the clock and the countdown with their expected values.
		p.Wait(`(() => { ` + ask + ` const rows = ` + shown +
			`.filter(r => r.className !== "gone" && /\d/.test(r.querySelector(".m").textContent));
			const now = (Date.now() - window.ahead) / 1000, zone = +document.getElementById("rows").getAttribute("data-zone");
			const clock = s => { const d = new Date((s + zone) * 1000), h = d.getUTCHours(); return (h % 12 || 12) + ":" + String(d.getUTCMinutes()).padStart(2, "0") + (h < 12 ? " am" : " pm") };
			return rows.length > 0 && [-2, 0, 2].map(d => clock(now + d)).includes(document.getElementById("clock").textContent) &&
				rows.every(r => Math.abs(parseInt(r.querySelector(".m").textContent.match(/\d+/)[0]) - (r.getAttribute("data-t") - now) / 60) < 1.5) })()`)
	})
	t.Run("an open notice", func(t *testing.T) {
		t.Parallel()
		line := newWire(t, w.transit)
		line.later.Store(1) // each answer differs
		p := browser.Open(t, line.URL+"/f/alderbay/stops/FT", pagetest.View{Language: "en"})
		p.TabTo("#rows summary")
		p.Press(pagetest.Enter)
		replaced := `(() => { window.was = window.was || document.getElementById("rows"); ` + ask +
			` return window.was !== document.getElementById("rows") })()`
		p.Wait(replaced)
		if p.Eval(
			`document.querySelector("#rows details").open && document.activeElement.matches("#rows summary")`) != "true" {
			t.Error("an open notice closes or loses the focus when the rows are replaced")
		}
		p.TabTo("#rows details a")
		p.Eval(`window.was = document.getElementById("rows")`)
		p.Wait(replaced)
		if p.Eval(`document.activeElement.matches("#rows details a")`) != "true" {
			t.Error("the link of a notice loses the focus when the rows are replaced")
		}
	})
	t.Run("a day", func(t *testing.T) {
		t.Parallel()
		testDay(t, browser, newWire(t, w.transit))
	})
}

// testDay simulates a day of a board with the page's own script. The board's memory must not grow,
// and it must still be live at the end. Then it reloads its page, as it does every day.
func testDay(t *testing.T, browser *pagetest.Browser, line *wire) {
	step := 1200 // seconds between two polls
	if everything() {
		step = 20 // the interval of boards
	}
	p := browser.Open(t, line.URL+board, pagetest.View{Language: "en", Before: wrongClock})
	p.Wait(`(() => { ` + ask + ` return ` + isLive + ` })()`)
	p.Eval(`window.born = true`)
	now := 0
	live := func(until int) {
		p.Eval(fmt.Sprintf(`(async () => { for (let now = %d; now < %d; now += %d) {
			await fetch("/later/" + now);
			window.ahead = now * 1000;
			performance.clearResourceTimings(); `+ask+`
			while (!performance.getEntriesByType("resource").some(e => e.name.includes("part=rows"))) await new Promise(r => setTimeout(r, 1)); } })()`, now+step, until, step))
		now = until - step
	}
	const hour = 3600
	for h := range 8 {
		live((h + 1) * hour)
	}
	heap, nodes := p.Heap()
	for h := range 16 {
		live(min((h+9)*hour, 24*hour-600)) // the page's clock also advances while the test runs
	}
	grown := func(heap, nodes, after, more int) bool { return after > heap*11/10+100_000 || more > nodes+500 }
	after, more := p.Heap()
	// The rows of the previous poll may not have been collected yet.
	for i := 0; i < 20 && grown(heap, nodes, after, more); i++ {
		after, more = p.Heap()
	}
	t.Logf("heap from %d to %d bytes, from %d to %d nodes", heap, after, nodes, more)
	if grown(heap, nodes, after, more) {
		t.Errorf("in one day the heap grew from %d to %d bytes, and the nodes from %d to %d", heap, after, nodes, more)
	}
	if p.Eval(`window.born`) != "true" {
		t.Error("the page was reloaded during the day")
	}
	if p.Eval(isLive+
		` && !/\b(old|cut)\b/.test(document.getElementById("board").className)`) != "true" {
		t.Errorf("after a day of polls the board shows:\n%s", p.Text())
	}
	line.later.Store(24*hour + 1)
	p.ReloadBy(fmt.Sprintf(`(() => { window.ahead = %d; %s })()`, (24*hour+1)*1000, ask))
	p.Wait(isLive + ` && ` + shown + `.length > 0`)
	if p.Eval(`!!window.born`) == "true" {
		t.Error("the page was not reloaded after a day")
	}
}
