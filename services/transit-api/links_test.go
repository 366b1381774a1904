package transitapi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/rest"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, c := range []struct {
		path   string
		status int
	}{
		{"/feeds/metro/stops/nowhere", 404},
		{"/feeds/nobody", 404},
		{"/feeds/nobody/stops", 404},
		{"/feeds/soon", 404},
		{"/feeds/soon/stops", 404},
		{"/feeds/gone/stops", 404},
		{"/feeds/metro/", 404},
		{"/feeds/metro/unknown", 404},
		{"/feeds/metro/agencies/nobody", 404},
		{"/feeds/metro/agencies/nobody/routes", 404},
		{"/feeds/metro/agencies/ferry/routes/loop", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/trips", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/directions", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/directions/0", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/stops/0", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/geojson", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/wkt", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/schedules/wk/0", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/trips/l1", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/trips/l1/stop_times", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/trips/l1/stops", 404},
		{"/feeds/metro/agencies/ferry/routes/loop/trips/l1/geojson", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/trips/early", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/trips/early/stop_times", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/directions/1", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/directions/2", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/stops/1", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/stops/0,", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/stops/x", 404},
		{"/feeds/metro/agencies/M%20T/routes/idle/stops/0", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/schedules/nobody/0", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/schedules/wk/1", 404},
		{"/feeds/metro/agencies/M%20T/routes/loop/schedules/wk/9", 404},
		{"/feeds/metro/services/nobody", 404},
		{"/feeds/metro/shapes/nobody", 404},
		{"/feeds/metro/shapes/nobody/geojson", 404},
		{"/feeds/metro/stops/nobody/routes", 404},
		{"/feeds/metro/stops/nobody/directions", 404},
		{"/feeds/metro/stops/nobody/trips", 404},
		{"/feeds/metro/stops/nobody/stop_times", 404},
		{"/feeds/metro/stops?limit=0", 400},
		{"/feeds/metro/stops?limit=", 400},
		{"/feeds/metro/stops?limit=x", 400},
		{"/feeds/metro/stops?limit=99999999999999999999", 400},
		{"/feeds/metro/stops?offset=-1", 400},
		{"/feeds/metro/stops?limit=1&limit=2", 400},
		{"/feeds/metro/stops?offset=9223372036854775807&limit=10000", 200},
		{"/feeds/metro/stops/100/trips?offset=9223372036854775807", 200},
		{"/feeds/metro/agencies/M%20T/routes/loop/trips?offset=9223372036854775807", 200},
		{"/feeds/metro/stops?limit=1&limit=1", 200},
		{"/stops", 400},
		{"/stops?q=", 400},
		{"/stops?q=%2C%20%21", 200},
		{"/stops?q=a&feed=nobody", 404},
		{"/stops?q=a&radius=5", 400},
		{"/stops?near=5", 400},
		{"/stops?near=91,0", 400},
		{"/stops?near=NaN,0", 400},
		{"/stops?near=1,2,3", 400},
		{"/rt/departures", 400},
		{"/rt/departures?stop_id=100", 400},
		{"/rt/departures?stop_id=metro:", 400},
		{"/rt/departures?stop_id=nobody:100", 404},
		{"/rt/departures?stop_id=metro:100&route_id=loop", 400},
		{"/rt/departures?stop_id=metro:nobody", 200},
		{"/rt/departures?stop_id=metro:" + strings.Join(strings.Split("abcdefghijklmnopqrstu", ""), "&stop_id=metro:"), 400},
	} {
		a := w.get(t, c.path)
		if a.Status != c.status {
			t.Errorf("%s: %d %s, want %d", c.path, a.Status, a.Body, c.status)
		}
		var body struct{ Message string }
		if c.status >= 400 {
			a.JSON(t, &body)
			if body.Message == "" {
				t.Errorf("%s: no message in %s", c.path, a.Body)
			}
		}
	}
}

// Links from the root reach every resource, and every link works.
func TestLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	reached := map[string]bool{}
	queue := []string{public + "/"}
	seen := map[string]bool{queue[0]: true}
	for len(queue) > 0 {
		href := queue[0]
		queue = queue[1:]
		body := w.ask(t, strings.TrimPrefix(href, public))
		for _, e := range w.api.table {
			if matches(e.Path, strings.TrimPrefix(href, public)) {
				reached[e.ID] = true
			}
		}
		var v any
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		for _, next := range hrefs(v) {
			if !strings.HasPrefix(next, public) {
				t.Errorf("%s: link %s is outside the API", href, next)
			} else if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	for _, e := range w.api.table {
		// This test does not reach: realtime ids; search and tiles, which only the root
		// links; files that this feed lacks (transfers.txt represents them); the zip; the CSV of
		// the report, which its page links.
		table, is := gtfs.TableOf(strings.TrimPrefix(e.ID, "static.") + ".txt")
		if (is && e.ID != "static.transfers" && (table.Unchanged() || table.Plain)) || e.ID == "static.gtfs_zip" ||
			e.ID == "static.feed_report_csv" {
			continue
		}
		if !reached[e.ID] && e.Kind != rest.Realtime && e.ID != "static.stop_search" &&
			!strings.HasPrefix(e.ID, "realtime.performance") && !strings.HasPrefix(e.Path, "/tiles") {
			t.Errorf("no link to %s", e.ID)
		}
	}
}

func matches(template, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	return slices.EqualFunc(strings.Split(template, "/"), strings.Split(path, "/"), func(want, got string) bool {
		before, name, param := strings.Cut(want, "{")
		if !param {
			return want == got
		}
		_, after, _ := strings.Cut(name, "}")
		return len(got) > len(before)+len(after) && strings.HasPrefix(got, before) && strings.HasSuffix(got, after)
	})
}

// hrefs returns the strings in every "links" and "link" of a decoded body.
func hrefs(v any) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			if links, ok := child.(map[string]any); ok && key == "links" {
				for _, href := range links {
					if s, ok := href.(string); ok {
						out = append(out, s)
					}
				}
				continue
			}
			if s, ok := child.(string); ok && key == "link" {
				out = append(out, s)
				continue
			}
			out = append(out, hrefs(child)...)
		}
	case []any:
		for _, child := range v {
			out = append(out, hrefs(child)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// The URI templates of the root expand to addresses that exist.
func TestTemplates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	root := decoded[struct{ Data []ResourceDescriptor }](t, w, "/")
	if len(root.Data) != len(w.api.table) {
		t.Errorf("%d resources for %d endpoints", len(root.Data), len(w.api.table))
	}
	for _, d := range root.Data {
		// The feed has no zip (see TestZipOfAFeed), TIDES files are one (see TestTIDES), and the CSV is
		// not JSON (see TestReportAsCSV).
		if strings.Contains(d.URITemplate, ".zip") || strings.HasSuffix(d.URITemplate, "report.csv") {
			continue
		}
		path := regexp.MustCompile(`\{\?[^}]*\}$`).ReplaceAllString(d.URITemplate,
			"?_format=json&q=a&stop_id=metro:100&feed=metro&near=54.7,-25.3")
		w.ask(t, strings.TrimPrefix(expanded(path), public))
	}
}

// TOWNLINE_DESCRIPTIONS is the folder that scripts/lint-descriptions.sh reads.
func TestDescriptionForLinters(t *testing.T) {
	dir := os.Getenv("TOWNLINE_DESCRIPTIONS")
	if dir == "" {
		t.Skip("TOWNLINE_DESCRIPTIONS is not set; make check sets it")
	}
	t.Parallel()
	answer := newWorld(t, nil).Get(t, basePath+"/openapi.json")
	if err := os.WriteFile(filepath.Join(dir, "transit.json"), answer.Body, 0o600); err != nil || answer.Status != 200 {
		t.Fatal(answer.Status, err)
	}
}

// Each operation in the description has a real answer as its example.
func TestExamples(t *testing.T) {
	t.Parallel()
	newWorld(t, nil).CheckExamples(t, "getDescription")
}
