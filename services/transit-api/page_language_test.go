package transitapi

import (
	"html"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/pkg/pagetest"
)

// shownPages has an address of each page, and more for other states of it. The key is the path of
// the page's endpoint.
var shownPages = map[string][]string{
	"/": {"/"}, "/stops": {"/stops?q=a", "/stops?q=nothing+at+all"}, "/f/{feed_alias}": {"/f/nowhere"},
	"/f/{feed_alias}/report": {"/f/metro/report"}, "/f/{feed_alias}/rt/report": {"/f/metro/rt/report"},
	"/f/{feed_alias}/performance": {"/f/metro/performance", "/f/metro/performance?route_id=R%2F1"},
	"/f/{feed_alias}/routes":      {"/f/metro/routes"}, "/f/{feed_alias}/alerts": {"/f/metro/alerts"},
	"/f/{feed_alias}/app": {"/f/metro/app"}, "/f/{feed_alias}/map": {"/f/metro/map"},
	"/f/{feed_alias}/stops/{stop_id}": {"/f/metro/stops/C", "/f/metro/stops/S1", "/f/metro/stops/E?minutes=60",
		"/f/metro/stops/C?minutes=1440", "/f/metro/stops/100?minutes=1", "/f/metro/stops/none"},
	"/f/{feed_alias}/routes/{agency_id}/{route_id}":     {"/f/metro/routes/M%20T/R%2F1", "/f/metro/routes/M%20T/none"},
	"/f/{feed_alias}/routes/{agency_id}/{route_id}/map": {"/f/metro/routes/M%20T/R%2F1/map"},
	"/f/{feed_alias}/routes/{agency_id}/{route_id}/timetable": {"/f/metro/routes/M%20T/R%2F1/timetable",
		"/f/metro/routes/M%20T/loop/timetable?date=2026-03-04", "/f/metro/routes/M%20T/R%2F1/timetable?date=monday",
		"/f/metro/routes/M%20T/R%2F1/timetable?all=true"},
	"/f/{feed_alias}/routes/{agency_id}/{route_id}/trips/{trip_id}": {"/f/metro/routes/M%20T/R%2F1/trips/early"},
	"/board":          {"/board?stop=metro:C", "/board?stop=metro:C&variant=eink", "/board", "/board?stop=nowhere:1"},
	"/screens/{name}": {"/screens/hall", "/screens/none"},
	"/embed/board":    {"/embed/board?stop=metro:C"}, "/embed/map": {"/embed/map?feed=metro"},
	"/embed/timetable":        {"/embed/timetable?feed_alias=metro&agency_id=M%20T&route_id=R%2F1"},
	"/about/displays":         {"/about/displays?q=a&stop=metro:C&as=embed", "/about/displays?of=metro:R%2F1&show=timetable"},
	"/about/displays/preview": nil, "/about/screens": nil, "/about/embedding": nil, // of other pages
	"/privacy": {"/privacy"}, "/accessibility": {"/accessibility"},
}

var pageID = regexp.MustCompile(`^page\.`)

// With title_case no page shows a name in capitals, and the API shows all of them.
func TestNamesInTitleCase(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	w.exec(t, `UPDATE transit.stop SET stop_name = upper(stop_name); UPDATE transit.agency SET agency_name = upper(agency_name);
		UPDATE transit.route SET route_long_name = upper(route_long_name);
		UPDATE transit.trip SET trip_headsign = upper(trip_headsign)`)
	w = w.again(t, func(c *Config) {
		c.File = configFile(t, testConfig+"display: {title_case: true}\n"+
			`screens: [{name: hall, stops: ["metro:C"]}]`+"\n")
	})
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	refreshFeeds(t, w.api)
	var names []string
	if err := w.db.QueryRow(t.Context(), `SELECT array_agg(DISTINCT name) FROM (
		SELECT stop_name AS name FROM transit.stop UNION SELECT agency_name FROM transit.agency
		UNION SELECT route_long_name FROM transit.route UNION SELECT trip_headsign FROM transit.trip) all_names
		WHERE name ~ '[A-Z]{4}'`).Scan(&names); err != nil {
		t.Fatal(err)
	}
	if list := string(w.ask(t, "/feeds/metro/stops?_format=json")); !strings.Contains(list, "CEDAR") {
		t.Errorf("the API changes names: %s", list)
	}
	for _, addresses := range shownPages {
		for _, address := range addresses {
			body := html.UnescapeString(w.page(t, address).Body.String())
			for _, name := range names {
				if at := strings.Index(body, name); at >= 0 {
					t.Errorf("%s shows %q: …%s", address, name, body[max(0, at-200):at+len(name)])
				}
			}
		}
	}
}

// Pages in Spanish and French have no English sentence, also where they fail.
func TestPagesInOtherLanguagesHaveNoEnglish(t *testing.T) {
	t.Parallel()
	w := judged(t)
	w.exec(t, `UPDATE transit.feed_version v SET imported_at = now() - interval '9 days', report = '{"findings": [
		{"code": "unused_trip", "effect": "noted", "file": "trips.txt", "count": 1, "reason": "?"}]}'
		FROM transit.feed_version live
		WHERE live.version_id = 2 AND v.feed_id = live.feed_id AND v.version_id = 1`)
	english := pagetest.NewEnglish(t, os.DirFS("internal/pages"), os.DirFS("../../pkg/site"), notice.Sentences())
	for _, e := range w.srv.Pages() {
		addresses, listed := shownPages[e.Path]
		if !listed && pageID.MatchString(e.ID) && e.Media == "" {
			t.Errorf("add an address of %s, %s", e.ID, e.Path)
		}
		for _, address := range addresses {
			for _, tag := range []string{"es", "fr"} {
				to, err := url.Parse(address)
				if err != nil {
					t.Fatal(err)
				}
				query := to.Query()
				query.Set("lang", tag)
				to.RawQuery = query.Encode()
				rec := w.page(t, to.String())
				if rec.Code >= 300 && rec.Code < 400 {
					continue // another page of the list
				}
				body := rec.Body.String()
				if !strings.Contains(body, `<html lang="`+tag+`"`) {
					t.Errorf("%s is not in %s", to, tag)
				}
				for _, found := range english.Find(body) {
					t.Errorf("%s: %s", to, found)
				}
			}
		}
	}
}
