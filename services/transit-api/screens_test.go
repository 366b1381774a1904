package transitapi

import (
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pagetest"
)

// A screen is also a picture, which changes only with its facts.
func TestScreensAsPictures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) {
		c.File = configFile(t, testConfig+
			`screens: [{name: hall, stops: ["metro:C"]}, {name: yard, stops: ["metro:C"], languages: [fr], picture: {width: 400, height: 300, bits: 1}}]`+"\n")
	})
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	size := func(rec *httptest.ResponseRecorder) string {
		t.Helper()
		picture, err := png.DecodeConfig(bytes.NewReader(rec.Body.Bytes()))
		if err != nil || rec.Header().Get("Content-Type") != "image/png" {
			t.Fatalf("%d %v: %v", rec.Code, rec.Header(), err)
		}
		return fmt.Sprintf("%dx%d", picture.Width, picture.Height)
	}
	first := w.page(t, "/screens/hall.png")
	tag := first.Header().Get("Etag")
	if got := size(first); got != "800x480" || tag == "" || first.Header().Get("Refresh") == "" {
		t.Errorf("%s %v", got, first.Header())
	}
	if got := size(w.page(t, "/screens/yard.png")); got != "400x300" {
		t.Errorf("size from transit.yaml: %s", got)
	}
	if got := size(w.page(t, "/screens/hall.png?width=600&height=800&bits=1")); got != "600x800" {
		t.Errorf("size from the address: %s", got)
	}
	w.clockAt(in(t, "2026-03-04 05:57:30"))
	if rec := w.page(t, "/screens/hall.png", "If-None-Match", tag); rec.Code != http.StatusNotModified ||
		rec.Body.Len() > 0 || rec.Header().Get("Refresh") == first.Header().Get("Refresh") {
		t.Errorf("minutes later, without changes: %d, %d bytes, %v", rec.Code, rec.Body.Len(), rec.Header())
	}
	if rec := w.page(t, "/screens/hall.png?lang=fr", "If-None-Match", tag); rec.Code != 200 {
		t.Errorf("in another language: %d", rec.Code)
	}
	w.clockAt(in(t, "2026-03-04 07:30:00"))
	if rec := w.page(t, "/screens/hall.png", "If-None-Match", tag); rec.Code != 200 || rec.Header().Get("Etag") == tag {
		t.Errorf("after the first departure has left: %d", rec.Code)
	}
	w.pageStatuses(t, map[string]int{
		"/screens/nowhere.png": 404, "/screens/hall.gif": 404, "/screens/hall.png?width=99": 400,
		"/screens/hall.png?width=3001":             400,
		"/screens/hall.png?width=3000&height=3000": 400, "/screens/hall.png?bits=8": 400, "/screens/hall.png?width=x": 400,
	})
}

// A metric has the time of a screen's last request.
func TestScreensAreSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) {
		c.File = configFile(t, testConfig+`screens: [{name: hall, stops: ["metro:C"]}, {name: yard, stops: ["metro:C"]}]`+
			"\n")
	})
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	tag := w.page(t, "/screens/hall?part=rows").Header().Get("Etag")
	w.page(t, "/screens/nowhere")
	w.page(t, "/board?stop=metro:C")
	seen := in(t, "2026-03-04 05:55:20")
	w.clockAt(seen)
	w.page(t, "/screens/hall?part=rows", "If-None-Match", tag)
	registry := prometheus.NewRegistry()
	registry.MustRegister(w.api.pages.Seen)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	metrics := families[0].GetMetric()
	if len(metrics) != 1 || metrics[0].GetLabel()[0].GetValue() != "hall" ||
		metrics[0].GetGauge().GetValue() != float64(seen.Unix()) {
		t.Errorf("screens were seen: %v, want hall at %d", metrics, seen.Unix())
	}
}

// Pages use the feed's translations; JSON uses them only on request.
func TestPagesInTheFeedsTranslations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	w.reimport(t, `INSERT INTO transit.translation (version_id, ord, table_name, field_name, language, translation,
		record_id, field_value) VALUES
		(2, 10, 'stops', 'stop_name', 'fr-CA', 'Érable', 'C', NULL), (2, 11, 'stops', 'stop_name', 'fr', 'Cèdre', 'C', NULL),
		  (2, 12, 'stops', 'stop_name', 'FR', 'Orme', NULL, 'Elm'),
		(2, 13, 'stops', 'stop_name', 'es', 'Cedro', NULL, 'Cedar'),
		  (2, 14, 'routes', 'route_long_name', 'fr', 'Ligne du <port>', 'R/1', NULL),
		(2, 15, 'stop_times', 'stop_headsign', 'fr', 'Le port', NULL, 'Harbor'),
		  (2, 16, 'agency', 'agency_name', 'fr', 'Transports', 'M T', NULL)`)
	for target, want := range map[string][]string{
		"/f/metro/stops/C?lang=fr":                      {"<bdi>Cèdre</bdi>", "Le port"},
		"/f/metro/stops/C?lang=es":                      {"<bdi>Cedro</bdi>", "Harbor"},
		"/f/metro/stops/C?lang=en":                      {"<bdi>Cedar</bdi>", "Harbor"},
		"/board?stop=metro:C&stop=metro:E&lang=fr":      {"Cèdre · Orme"},
		"/f/metro/routes?lang=fr":                       {"Ligne du &lt;port&gt;", "Transports"},
		"/f/metro/routes?lang=en":                       {"Harbor &lt;Line&gt;", "Metro Transit"},
		"/f/metro/routes/M%20T/R%2F1?lang=fr":           {"Ligne du &lt;port&gt;", "Cèdre", "Orme"},
		"/f/metro/routes/M%20T/R%2F1/timetable?lang=fr": {"Ligne du &lt;port&gt;", "Cèdre"},
		"/stops?q=cedar&lang=fr":                        {"Cèdre"},
	} {
		rec := w.page(t, target)
		for _, text := range want {
			if rec.Code != 200 || !strings.Contains(rec.Body.String(), text) {
				t.Errorf("%s: %d lacks %q\n%s", target, rec.Code, text, rec.Body)
			}
		}
	}
	for language, want := range map[string]string{"": "Cedar", "?lang=fr": "Cèdre"} {
		if body := string(w.ask(t, "/feeds/metro/stops/C"+language)); !strings.Contains(body, `"stop_name":"`+want+`"`) {
			t.Errorf("the JSON of %q: %s", language, body)
		}
	}
}

// Text from feeds stays text and in its cell, on each type of board.
func TestHostileTextInABrowser(t *testing.T) {
	t.Parallel()
	browser := pagetest.Start(t)
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	const markup = `</bdi></h1><img src=x onerror="window.harmed=1"><script>window.harmed=1</script>`
	name := markup + "\u202e\u2067turned\u0335\u0489 " + strings.Repeat("Ŵ", 3000)
	w.exec(t, `UPDATE transit.pattern SET stop_headsign = ARRAY[$1::text]`, name)
	w.exec(t, `UPDATE transit.route SET route_short_name = $1`, name)
	w.exec(t, `UPDATE transit.stop SET stop_name = $1, platform_code = $1,
		stop_code = left($1, 100) WHERE stop_id = 'C'`, name)
	w.reimport(t, `SELECT`)
	said := &rt.TranslatedString{Translation: []*rt.TranslatedString_Translation{{Text: &name}}}
	w.polled(t, "metro", conf.Alerts, w.now(),
		&rt.FeedMessage{Header: &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0")}, Entity: []*rt.FeedEntity{
			{Id: proto.String("a"), Alert: &rt.Alert{HeaderText: said, DescriptionText: said,
				InformedEntity: []*rt.EntitySelector{{StopId: proto.String("C")}}}}}})
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Date", w.now().UTC().Format(http.TimeFormat)) // boards use the server's clock
		w.srv.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	const shown = `document.querySelectorAll("#board tbody tr:not([hidden])").length > 1`
	for _, variant := range []string{"lcd", "eink", "phone"} {
		p := browser.Open(t, server.URL+"/board?stop=metro:C&variant="+variant, pagetest.View{Language: "en"})
		p.Wait(shown)
		if got := p.Eval(
			`[window.harmed, document.querySelectorAll("#board img, #board script").length].join()`); got != ",0" {
			t.Errorf("%s: text became markup: %s", variant, got)
		}
		if text := p.Eval(
			`document.querySelector("h1").textContent + document.querySelector(".dest").textContent + document.querySelector(".notice").textContent`); strings.Count(text, "onerror=") < 2 {
			t.Errorf("%s: names are missing as text: %.300s", variant, text)
		}
		if n := p.Overflow(); n > 0 {
			t.Errorf("%s: page is %d pixels wider than the window", variant, n)
		}
		if variant != "phone" {
			if out := p.Eval(
				`Array.from(document.querySelectorAll("h1, .clock, thead, tbody tr:not([hidden]), .notice, .status")).filter(e => !e.hidden && (e.getBoundingClientRect().bottom > innerHeight + 1 || e.getBoundingClientRect().right > innerWidth + 1)).map(e => e.tagName + "." + e.className).join()`); out != "" {
				t.Errorf("%s: elements outside the screen: %s", variant, out)
			}
		}
		for _, problem := range p.Problems() {
			t.Errorf("%s: browser reported: %s", variant, problem)
		}
		p.Screenshot("hostile-" + variant)
	}
	// The names of several stops are fully readable.
	for n, stops := range map[int]string{2: "&stop=metro:A&stop=metro:E",
		6: "&stop=metro:A&stop=metro:E&stop=metro:S&stop=metro:B&stop=metro:lost&stop=metro:D"} {
		p := browser.Open(t, server.URL+"/board?variant=lcd"+strings.Replace(stops, "&stop=metro:C", "", 1),
			pagetest.View{Language: "en"})
		p.Wait(shown)
		if got := p.Eval(
			`(h => h.scrollHeight <= h.clientHeight + 1 && h.scrollWidth <= h.clientWidth + 1)(document.querySelector("h1"))`); got != "true" {
			t.Errorf("the names of %d stops are cut: %s", n, p.Eval(`document.querySelector("h1").textContent`))
		}
		p.Screenshot(fmt.Sprintf("names-%d", n))
	}
}
