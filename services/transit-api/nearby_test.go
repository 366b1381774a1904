package transitapi

import (
	"fmt"
	"strings"
	"testing"
)

// placed returns the stops of an answer with their distances.
func (w *world) placed(t *testing.T, path string) string {
	t.Helper()
	a := decoded[struct {
		Meta struct{ TotalCount, Limit, Offset int }
		Data []struct {
			StopID   string `json:"stop_id"`
			Distance *int64
		}
	}](t, w, path)
	all := []string{fmt.Sprint(a.Meta.TotalCount)}
	for _, s := range a.Data {
		text := s.StopID
		if s.Distance != nil {
			text += fmt.Sprint("@", *s.Distance)
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func TestStopsByPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for path, want := range map[string]string{
		"/feeds/metro/stops?near=54.7305,-25.6005":                                   "3 S1@64 S@64 S2@193",
		"/feeds/metro/stops?near=54.7305,-25.6005&radius=65":                         "2 S1@64 S@64",
		"/feeds/metro/stops?near=54.7305,-25.6005&limit=1&offset=2":                  "3 S2@193",
		"/feeds/metro/stops?near=54.7305,-25.6005&limit=1&offset=9":                  "3",
		"/feeds/metro/stops?near=54.7305,-25.6005&radius=50000&limit=2":              "8 S1@64 S@64",
		"/feeds/metro/stops?near=0,0":                                                "0",
		"/feeds/metro/stops?near=90,180&radius=50000":                                "0",
		"/feeds/metro/stops?bbox=-25.35,54.6,-25.15,54.705":                          "2 B 50%/x C",
		"/feeds/metro/stops?bbox=-25.1,54.68,-25.1,54.68":                            "1 100",
		"/feeds/metro/stops?bbox=-180,-90,180,90&limit=2":                            "8 100 B 50%/x",
		"/feeds/metro/stops?bbox=170,-90,-25.55,90":                                  "3 S S1 S2", // across the antimeridian
		"/feeds/metro/stops?bbox=-25.6005,54.7,-25,54.8&near=54.73,-25.6&radius=100": "1 S@0",
		"/stops?near=54.7305,-25.6005":                                               "3 S1@64 S@64 S2@193",
	} {
		if got := w.placed(t, path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	// All invalid parameters are reported, not only the first.
	for path, want := range map[string][]string{
		"/feeds/metro/stops?near=91,0&bbox=1,2,3&radius=0&limit=x":   {"near", "bbox", "radius", "limit"},
		"/feeds/metro/stops?radius=5":                                {"radius"},
		"/feeds/metro/stops?near=NaN,NaN":                            {"near"},
		"/feeds/metro/stops?near=0x1p4,1":                            {"near"},
		"/feeds/metro/stops?near=1,1,1":                              {"near"},
		"/feeds/metro/stops?near=" + strings.Repeat("0", 40) + "1,1": {"near"},
		"/feeds/metro/stops?bbox=0,1,0,-1":                           {"bbox"},
		"/feeds/metro/stops?bbox=-Inf,0,Inf,1":                       {"bbox"},
		"/feeds/metro/stops?near=1,1&radius=50001":                   {"radius"},
		"/rt/predictions":                                            {"near"},
		"/rt/predictions?near=181,0&radius=9999&minutes=0&limit=-1":  {"near", "radius", "minutes", "limit"},
	} {
		got := w.get(t, path)
		for _, name := range want {
			if got.Status != 400 || !strings.Contains(string(got.Body), "; "+name+" ") {
				t.Errorf("%s: %d %s does not name %s", path, got.Status, got.Body, name)
			}
		}
	}
}

// around requests departures near a place, and returns them in short form.
func (w *world) around(t *testing.T, query string) string {
	t.Helper()
	a := decoded[struct {
		Data []struct {
			TripID   string `json:"trip_id"`
			StopID   string `json:"stop_id"`
			Distance int64
			Origin   string
		}
	}](t, w, "/rt/predictions?"+query)
	var lines []string
	for _, d := range a.Data {
		lines = append(lines, fmt.Sprintf("%s %s@%d %s", d.TripID, d.StopID, d.Distance, d.Origin))
	}
	return strings.Join(lines, ", ")
}

func TestNearby(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	golden(t, "realtime.nearby", w.ask(t, "/rt/predictions?near=54.70,-25.30&minutes=30"))
	for query, want := range map[string]string{
		"near=54.70,-25.3001&minutes=30":                  "every C@6 scheduled, l1 C@6 scheduled, early C@6 scheduled",
		"near=54.71,-25.40&minutes=30":                    "", // the last stop of a trip
		"near=54.68,-25.10&minutes=15":                    "every 100@0 scheduled, l1 100@0 scheduled, early 100@0 scheduled",
		"near=0,0":                                        "",
		"near=54.68,-25.10&minutes=15&limit=1&feed=metro": "every 100@0 scheduled",
	} {
		if got := w.around(t, query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	// Realtime data and overrides apply to departures near a place.
	now := in(t, "2026-03-04 05:55:00")
	u := updateOf("early")
	u.TripUpdate.StopTimeUpdate = append(u.TripUpdate.StopTimeUpdate, timed(1, byDelay(60), byDelay(60)))
	w.sent(t, "trip_updates", now, u)
	w.exec(t, `INSERT INTO transit.annotation (annotation_type, alias, entity_type, entity_id, body, override_entity_id,
		time_zone) VALUES ('override', 'metro', 'stops', 'D', '', '100', 'UTC')`)
	w.refresh(t)
	if got, want := w.around(t, "near=54.68,-25.10&minutes=15"),
		"every 100@0 scheduled, l1 100@0 scheduled, early 100@0 asserted"; got != want {
		t.Errorf("departures after an update: %s, want %s", got, want)
	}
	if got, want := w.around(t, "near=54.71,-25.40&minutes=15&limit=1"), "every 100@19565 scheduled"; got != want {
		t.Errorf("departures after an override: %s, want %s", got, want)
	}
	// A trip that calls at two stops is listed at the nearer one.
	w.clockAt(in(t, "2026-12-24 05:55:00"))
	if got, want := w.around(t, "near=54.7305,-25.6005&minutes=15"), "f1 S1@64 scheduled"; got != want {
		t.Errorf("departures of a station: %s, want %s", got, want)
	}
	w.statuses(t, map[string]int{"/rt/predictions?near=1,1&feed=nobody": 404,
		"/rt/predictions?near=54.7,-25.3&feed=metro": 200})
}
