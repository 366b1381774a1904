package transitapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/access"
)

// page requests a page like a browser.
func (w *world) page(t testing.TB, target string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	req.Header.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.srv.ServeHTTP(rec, req)
	return rec
}

func TestHomePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	rec := w.page(t, "/", "Accept-Language", "fr")
	lacks(t, "the start page", rec.Body.String(), `<html lang="fr">`, "<h1>Départs</h1>",
		`href="https://transit.example/gtfs/api/v2/docs"`,
		`href="/?lang=es"`,
		`rel="alternate" type="application/json" title="JSON" href="https://transit.example/gtfs/api/v2/feeds?_format=json"`)
	if rec.Code != 200 || rec.Header().Get("Etag") == "" {
		t.Errorf("%d %v", rec.Code, rec.Header())
	}
	if again := w.page(t, "/", "Accept-Language", "fr", "If-None-Match", rec.Header().Get("Etag")); again.Code != 304 {
		t.Errorf("again: %d", again.Code)
	}
}

// PAGES=off disables only the pages.
func TestPagesOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Pages = "off" })
	if rec := w.page(t, "/"); rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != basePath+"/docs" {
		t.Errorf("/ is %d with location %q", rec.Code, rec.Header().Get("Location"))
	}
	if rec := w.page(t, "/nowhere"); rec.Code != 404 || rec.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%d %v", rec.Code, rec.Header())
	}
	w.ask(t, "/feeds")
	if _, err := conf.Load[Config](conf.Environ{"PAGES": "perhaps"}); err == nil ||
		!strings.Contains(err.Error(), `PAGES must be "on" or "off"`) {
		t.Errorf("PAGES=perhaps: %v", err)
	}
}

// A page needs the permissions of the data that it shows.
func TestPagesNeedPermissions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).with(t, "  roles: {anonymous: [static], desk: [discovery]}")
	rec := w.page(t, "/")
	if rec.Code != 401 || !strings.Contains(rec.Body.String(), "<h1>A key is needed</h1>") {
		t.Errorf("%d\n%s", rec.Code, rec.Body)
	}
	w.pageStatuses(t, map[string]int{"/nowhere": 404})
}

// Each permission of a page is an endpoint, and each statement of a page is declared by an
// endpoint.
func TestPagesUseDeclaredPermissionsAndStatements(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	known := []string{access.Description}
	for _, e := range w.api.table {
		known = append(known, e.ID)
	}
	declared := w.api.table.Queries()
	for _, e := range w.srv.Pages() {
		for _, p := range slices.Concat(e.Shows, e.MayShow) {
			if !slices.Contains(known, p) {
				t.Errorf("page %s shows %s, which is not an endpoint", e.ID, p)
			}
		}
		for _, q := range e.Queries {
			if !slices.Contains(declared, q) {
				t.Errorf("page %s may run a statement that no endpoint declares: %s", e.ID, q.Text())
			}
		}
		notice := e.Path == site.AccessibilityPath || e.Path == site.PrivacyPath
		if strings.HasPrefix(e.ID, "page.") && len(e.Shows) == 0 && !notice {
			t.Errorf("page %s shows no data of endpoints", e.ID)
		}
	}
}

var (
	rowTimes  = regexp.MustCompile(`<tr data-t="(\d+)"`)
	rowLines  = regexp.MustCompile(`<span class="badge[^"]*">.*?<b>([^<]*)</b>`)
	boardText = regexp.MustCompile(`<p class="status [a-z]+">([^<]*)</p>`)
)

// A board shows the departures of /rt/departures.
func TestBoardPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	var api struct {
		Data struct {
			Departures []struct {
				At   int64   `json:"predicted_departure_epoch"`
				Line *string `json:"route_short_name"`
			}
		}
	}
	if err := json.Unmarshal(w.ask(t, "/rt/departures?stop_id=metro:C&minutes=180"), &api); err != nil ||
		len(api.Data.Departures) < 2 {
		t.Fatalf("%v: %d departures", err, len(api.Data.Departures))
	}
	for _, target := range []string{"/f/metro/stops/C?by=time", "/f/metro/stops/C?by=time&part=rows",
		"/board?stop=metro:C",
		"/board?stop=metro:C&variant=eink&lang=fr", "/board?stop=metro:C&stop=metro:nowhere&part=rows"} {
		rec := w.page(t, target)
		times, lines := rowTimes.FindAllStringSubmatch(rec.Body.String(), -1),
			rowLines.FindAllStringSubmatch(rec.Body.String(), -1)
		if rec.Code != 200 || len(times) != len(api.Data.Departures) || len(lines) != len(times) {
			t.Fatalf("%s: %d, %d rows, want %d\n%s", target, rec.Code, len(times), len(api.Data.Departures), rec.Body)
		}
		for i, d := range api.Data.Departures {
			if times[i][1] != fmt.Sprint(d.At) || d.Line != nil && lines[i][1] != *d.Line {
				t.Errorf("%s: row %d is %v %v, want %+v", target, i, times[i][1], lines[i][1], d)
			}
		}
		if whole := strings.HasPrefix(rec.Body.String(), "<!doctype"); whole == strings.Contains(target, "part=") {
			t.Errorf("%s complete: %t", target, whole)
		}
	}
	// While the data does not change, the rows do not change.
	rows := w.page(t, "/board?stop=metro:C&part=rows")
	w.clockAt(in(t, "2026-03-04 05:55:40"))
	if again := w.page(t, "/board?stop=metro:C&part=rows", "If-None-Match", rows.Header().Get("Etag")); again.Code != 304 {
		t.Errorf("unchanged rows have status %d:\n%s\n%s", again.Code, rows.Body, again.Body)
	}
}

func TestBoardErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	for target, want := range map[string]struct {
		status int
		text   string
	}{
		"/f/metro/stops/nowhere":             {404, "<p>Unknown stop.<"},
		"/f/nowhere/stops/C":                 {404, "<p>Unknown feed: nowhere.<"},
		"/board":                             {400, "<code>stop</code> must be given"},
		"/board?stop=C":                      {400, "<code>stop</code>"},
		"/board?stop=metro:C&lines=400":      {400, "<code>lines</code>"},
		"/board?stop=nowhere:C":              {404, "<p>Unknown feed: nowhere.<"},
		"/board?stop=metro:C&stop=gone:C":    {200, "The timetable of gone is not available right now."},
		"/board?stop=metro:nowhere":          {200, "metro has no stop nowhere."},
		"/f/metro/stops/C?lang=es&minutes=1": {200, "No hay salidas hasta las 0"},
	} {
		rec := w.page(t, target)
		if rec.Code != want.status || !strings.Contains(rec.Body.String(), want.text) {
			t.Errorf("%s: %d, want %d with %q\n%s", target, rec.Code, want.status, want.text, rec.Body)
		}
		// A screen reloads by itself; other pages do not.
		if again := strings.Contains(rec.Body.String(), `http-equiv="refresh"`); again != strings.HasPrefix(target,
			"/board") {
			t.Errorf("%s reloads: %t", target, again)
		}
	}
}

// Readers without the permission for live times see the timetable and a note.
func TestBoardsWithoutLiveTimes(t *testing.T) {
	t.Parallel()
	open := newWorld(t, nil)
	key := open.key(t, "kiosk", "kiosk", "")
	w := open.with(t, "  roles: {anonymous: [static], kiosk: [realtime, display]}")
	rec := w.page(t, "/f/metro/stops/C?minutes=1440")
	if got := boardText.FindStringSubmatch(rec.Body.String()); got == nil ||
		got[1] != "Times are from the timetable. Live times are not public here." {
		t.Errorf("%d %q\n%s", rec.Code, got, rec.Body)
	}
	rec = w.page(t, "/f/metro/stops/C", "X-Api-Key", key)
	if got := boardText.FindStringSubmatch(rec.Body.String()); got == nil ||
		!strings.Contains(got[1], "from the timetable") || rec.Header().Get("Cache-Control") != "private, no-cache" {
		t.Errorf("with a key: %q %v", got, rec.Header())
	}
}

func TestStopSearchPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for target, want := range map[string]string{"/stops?near=1,1": `name="q"`, "/stops?q=zzzz": "No stop was found.",
		"/stops?q=zzzz&lang=fr": `<input type="hidden" name="lang" value="fr">`, "/stops?q=C": `href="/f/metro/stops/C"`} {
		if rec := w.page(t, target); rec.Code != 200 || !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s: %d lacks %s\n%s", target, rec.Code, want, rec.Body)
		}
	}
}

// A screen is configured in transit.yaml. A changed screen has another build, so that its script
// reloads the page.
func TestScreens(t *testing.T) {
	t.Parallel()
	build := regexp.MustCompile(`data-build="([0-9a-f]+)"`)
	builds := map[string]bool{}
	for _, screen := range []string{
		`{name: hall, stops: ["metro:C"], title: In the hall, lines: 4, walk: 5m, languages: [en, fr], speak: 2m}`,
		`{name: hall, stops: ["metro:C"], title: In the hall, lines: 5}`,
	} {
		w := newWorld(t, func(c *Config) { c.File = configFile(t, testConfig+"screens: ["+screen+"]\n") })
		w.clockAt(in(t, "2026-03-04 05:55:00"))
		rec := w.page(t, "/screens/hall")
		found := build.FindStringSubmatch(rec.Body.String())
		if rec.Code != 200 || !strings.Contains(rec.Body.String(), "<h1><bdi>In the hall</bdi></h1>") ||
			len(rowTimes.FindAllString(rec.Body.String(), -1)) < 2 || found == nil {
			t.Fatalf("%d\n%s", rec.Code, rec.Body)
		}
		if turns := strings.Contains(rec.Body.String(), `data-languages="en fr" data-speak="120"`); turns != strings.Contains(
			screen, "fr") {
			t.Errorf("alternating: %t\n%s", turns, rec.Body)
		}
		builds[found[1]] = true
		if rec := w.page(t, "/screens/hall?part=rows&lang=fr"); rec.Code != 200 ||
			!strings.HasPrefix(rec.Body.String(), `<div id="rows" lang="fr"`) {
			t.Errorf("rows: %d %s", rec.Code, rec.Body)
		}
		w.pageStatuses(t, map[string]int{"/screens/nowhere": 404})
	}
	if len(builds) != 2 {
		t.Errorf("a changed screen has the same build: %v", builds)
	}
}
