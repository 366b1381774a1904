package transitapi

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"
)

// An agency's alerts have a page, and are shown on the timetables of the lines and stops that they
// name.
func TestAlertPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	at := in(t, "2026-03-04 05:55:00")
	w.clockAt(at)
	lacks(t, "a feed without alerts", w.wholePage(t, "/f/metro/alerts"), "<h1>Alerts of Metro &amp; Co</h1>",
		"This agency publishes no alerts here.")
	alert := func(id string, start int64, in ...*rt.EntitySelector) *rt.FeedEntity {
		a := &rt.Alert{InformedEntity: in, HeaderText: &rt.TranslatedString{Translation: []*rt.TranslatedString_Translation{
			{Text: proto.String(id + " is <b>closed</b>")}}}}
		a.ActivePeriod = []*rt.TimeRange{{Start: proto.Uint64(uint64(start)), End: proto.Uint64(uint64(start + 3600))}}
		return &rt.FeedEntity{Id: &id, Alert: a}
	}
	w.sent(t, "alerts", at, alert("Cedar", at.Unix()-60, &rt.EntitySelector{StopId: proto.String("C")}),
		alert("Line", at.Unix()-60, &rt.EntitySelector{RouteId: proto.String("R/1")}),
		alert("Tomorrow", at.Unix()+86400, &rt.EntitySelector{AgencyId: proto.String("M T")}),
		alert("Over", at.Unix()-86400, &rt.EntitySelector{StopId: proto.String("C")}))
	body := w.wholePage(t, "/f/metro/alerts")
	lacks(t, "the page of alerts", body, "Cedar is closed", `href="/f/metro/stops/C">Cedar</a>`, "Line is closed",
		`href="/f/metro/routes/M%20T/R%2F1"`, "<h2>Planned</h2>")
	if strings.Contains(body, "Over") || strings.Index(body, "Tomorrow") < strings.Index(body, "<h2>Planned</h2>") {
		t.Errorf("past or future alerts are among the current alerts:\n%s", body)
	}
	lacks(t, "a timetable", w.wholePage(t, "/f/metro/routes/M%20T/R%2F1/timetable"), "Cedar is closed", "Line is closed",
		`href="/f/metro/routes/M%20T/R%2F1"`, `href="/f/metro/routes/M%20T/R%2F1/map"`)
}

var tripLink = regexp.MustCompile(`<a class="dest" href="(/f/metro/routes/M%20T/R%2F1/[^"]+)"`)

// A departure links to its trip, and a stop to its lines and its map. Stops with the same name are
// distinguished.
func TestStopPagesLinkOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	body := w.wholePage(t, "/f/metro/stops/C")
	lacks(t, "the page of a stop", body, `class="aside here"`, `href="/f/metro/routes/M%20T/R%2F1"`,
		`href="/f/metro/map?stop=C"`, `<p>Towards `)
	m := tripLink.FindStringSubmatch(body)
	if m == nil {
		t.Fatalf("no departure links to a trip:\n%s", body)
	}
	lacks(t, "the page of a trip", w.wholePage(t, html.UnescapeString(m[1])), `<ol class="line trip">`,
		`href="/f/metro/stops/C">Cedar</a>`, `class="at">`, "Wednesday, March 4")
	for _, wrong := range []string{"/f/metro/routes/M%20T/R%2F1/trips/none", "/f/metro/routes/M%20T/loop/trips/" +
		m[1][strings.LastIndex(m[1], "/")+1:]} {
		if rec := w.page(t, wrong); rec.Code != 404 {
			t.Errorf("%s: %d", wrong, rec.Code)
		}
	}
	if page := w.wholePage(t, "/f/metro/stops/S1"); strings.Contains(page, "og:image") {
		t.Errorf("a stop without a picture names one: %s", page)
	}
	lacks(t, "the page of a platform", w.wholePage(t, "/f/metro/stops/S1"),
		`href="/f/metro/stops/S2">Station platform 2</a>`)
	lacks(t, "a search", w.wholePage(t, "/stops?q=cedar"), "Towards ", `href="/f/metro/routes/M%20T/R%2F1"`)
	lacks(t, "the map of a stop", w.wholePage(t, "/f/metro/map?stop=C"), ">Cedar</text>")
	lacks(t, "the map of a feed", w.wholePage(t, "/f/metro/map"), `<g class="name"`, ">Alder</text>",
		`<a class="badge dark" href="/f/metro/routes/M%20T/R%2F1"`)
	lacks(t, "the map of a line", w.wholePage(t, linePage+"/map"), `<a href="/f/metro/stops/C">Cedar</a></li>`)
	w.pageStatuses(t, map[string]int{"/f/metro/map?stop=none": 404})
	lacks(t, "the lines of a feed", w.wholePage(t, "/f/metro/routes"), `<a class="brand" href="/">Metro &amp; Co</a>`,
		`href="/f/metro/routes/M%20T/R%2F1"`, `href="/f/metro/routes/M%20T/R%2F1/timetable"`,
		`href="/f/metro/routes/M%20T/R%2F1/map"`)
	if body, _, _ := strings.Cut(w.wholePage(t, "/f/metro/routes"), "<footer"); strings.Contains(body, ">JSON") {
		t.Errorf("the lines of a feed have JSON above the footer: %s", body)
	}
	w.pageStatuses(t, map[string]int{"/board?stop=metro:C&variant=phone&lines=100": 200})
}

// The page of a stop has filters by line, the order of time, and the facts about its place.
func TestStopPagesHaveFacts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) {
		c.File = configFile(t, testConfig+"site: {planner: 'https://plan.example/?to={lat},{lon}&name={name}'}\n")
	})
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	body := w.wholePage(t, "/f/metro/stops/C")
	lacks(t, "the page of a stop", body, `href="geo:`, `href="https://www.openstreetmap.org/?mlat=`,
		`href="https://plan.example/?to=`, `&amp;name=Cedar"`, `href="/f/metro/stops/C?by=time"`, `class="board phone byline`)
	m := regexp.MustCompile(`href="(/f/metro/stops/C\?route=[^"]+)" data-route="([^"]+)"`).FindStringSubmatch(body)
	if m == nil {
		t.Fatalf("no filter by line:\n%s", body)
	}
	only := w.wholePage(t, html.UnescapeString(m[1]))
	lacks(t, "the page for one line", only, `data-r="`+m[2]+`"`, `data-route="`+m[2]+`" aria-current="true"`)
	for _, r := range regexp.MustCompile(`data-r="([^"]+)"`).FindAllStringSubmatch(only, -1) {
		if r[1] != m[2] {
			t.Errorf("the page for line %s has a departure of %s", m[2], r[1])
		}
	}
}

// The board of a station names the bay that a departure leaves from, without the station's name.
func TestStationsNameBays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-12-24 05:55:00"))
	body := w.wholePage(t, "/f/metro/stops/S")
	lacks(t, "the page of a station", body, `<em class="x">from platform 1</em>`)
	if body := w.wholePage(t, "/f/metro/stops/S1"); strings.Contains(body, "from platform") {
		t.Errorf("the page of a bay names the bay in each row:\n%s", body)
	}
}

// The start page of the only feed is that of the site, and a search shows lines, corrects words and
// says so.
func TestFindersPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for path, status := range map[string]int{"/f/metro": 307, "/stops": 308, "/stops?lang=fr": 308} {
		to := "/" + strings.TrimPrefix(path, "/stops")
		if path == "/f/metro" {
			to = "/"
		}
		if rec := w.page(t, path); rec.Code != status || rec.Header().Get("Location") != to {
			t.Errorf("%s: %d to %q, want %d to %q", path, rec.Code, rec.Header().Get("Location"), status, to)
		}
	}
	w.pageStatuses(t, map[string]int{"/f/nowhere": 404})
	start := w.wholePage(t, "/")
	lacks(t, "the start page", start, `name="q"`, `id="yours"`, `href="/f/metro/routes/M%20T/R%2F1"`,
		`<a href="/about/displays">`, `<p>For developers</p>`)
	if body, _, _ := strings.Cut(start, "<footer"); strings.Contains(body[strings.Index(body, "<main"):], "JSON") ||
		strings.Contains(body, "map.svg") {
		t.Errorf("the start page has JSON or a map in its text:\n%s", body)
	}
	lacks(t, "a search for a misspelt stop", w.wholePage(t, "/stops?q=ceddar"), `href="/f/metro/stops/C"`,
		"No stop has all these words. Similar: “cedar”.")
	if body := w.wholePage(t, "/stops?q=cedar"); strings.Contains(body, "Similar") {
		t.Errorf("a search that found all words says that it did not:\n%s", body)
	}
	lacks(t, "a search for a line", w.wholePage(t, "/stops?q=loop"), `<div id="found">`,
		`href="/f/metro/routes/M%20T/loop"`)
}

var siteStyle = regexp.MustCompile(`href="(/assets/site\.[0-9a-f]+\.css)"`)

// Pages that show the line next to a headsign remove its name from the headsign.
func TestHeadsignsOmitTheLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	w.reimport(t, `UPDATE transit.trip SET trip_headsign = '1 Dock' WHERE trip_id = 'early'`)
	lacks(t, "the page of a trip", w.wholePage(t, linePage+"/trips/early"), "<bdi>Dock</bdi>")
	if page := w.wholePage(t, linePage+"/timetable"); strings.Contains(page, "1 Dock") {
		t.Errorf("the timetable repeats the line's name:\n%s", page)
	}
}

// The agency's name, logo and colour are at the top of each page and cause no requests.
func TestSiteSettings(t *testing.T) {
	t.Parallel()
	logo := filepath.Join(t.TempDir(), "logo.svg")
	if err := os.WriteFile(logo,
		[]byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="40" height="20"/></svg>`),
		0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(c *Config) {
		c.File = configFile(t, testConfig+"site: {name: Harbour Transit, color: ffee00, logo: "+logo+"}\n")
	})
	body := w.wholePage(t, "/f/metro/routes")
	lacks(t, "a page", body, `<a class="brand" href="/">Harbour Transit</a>`, `aria-current="true">Lines</a>`,
		`href="/f/metro/map">Map</a>`, `href="/f/metro/alerts">Alerts</a>`,
		"<title>Lines of Metro &amp; Co · Harbour Transit</title>")
	if n := strings.Count(body, `rel="stylesheet"`); n != 2 {
		t.Errorf("%d style sheets", n)
	}
	css := w.wholePage(t, siteStyle.FindStringSubmatch(body)[1])
	lacks(t, "the style sheet", css, "--link: #",
		`.top .brand { padding: .4rem 0 .4rem 4.60rem; background: url("data:image/svg+xml;base64,`)
	if strings.Contains(css, "--link: #ffee00; --good: #0a6b33") {
		t.Error("links are yellow on white")
	}
	for _, wrong := range []string{"color: blue", "logo: /nowhere/logo.svg", "name: " + strings.Repeat("x", 81),
		"colour: ffee00"} {
		if _, _, err := newAPI(Config{PublicURL: public, File: configFile(t, testConfig+"site: {"+wrong+"}\n")},
			testDeps(w.db)); err == nil {
			t.Errorf("%s was accepted", wrong)
		}
	}
	narrow := w.with(t, "  roles: {anonymous: [discovery, static.stop, static.stop_stop_times, static.stop_search]}")
	if body := narrow.wholePage(t, "/f/metro/stops/C"); strings.Contains(body, "/f/metro/routes") ||
		strings.Contains(body, "/f/metro/alerts") || strings.Contains(body, "/f/metro/map") {
		t.Errorf("the menu links to forbidden pages:\n%s", body)
	}
}
