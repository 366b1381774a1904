package transitapi

import (
	"strings"
	"testing"
)

// Pages show the clock of a stop whose stop_timezone differs from the agency's, and say so.
func TestStopTimeZones(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	w.exec(t, `UPDATE transit.stop SET stop_timezone = 'America/Los_Angeles' WHERE stop_id IN ('C', 'D', 'S')`)
	w.reimport(t, "SELECT")
	d := w.departures(t, "stop_id=metro:C&minutes=60").Data
	if d.Stops[0].TimeZone != "America/Los_Angeles" || d.Departures[0].TimeZone != "America/Los_Angeles" {
		t.Errorf("%+v", d.Stops[0])
	}
	for target, want := range map[string][]string{
		"/f/metro/stops/C":                        {">2:55 am</time>", ">3:20 am</span>", "Times are local to Los Angeles (PST)."},
		"/board?stop=metro:C&lang=fr":             {">02:55</time>", ">03:20</span>", "Les heures sont celles de Los Angeles (PST)."},
		"/board?stop=metro:100&stop=metro:C":      {">5:55 am</time>", ">3:20 am PST</span>", ">6:05 am</span>"},
		"/f/metro/routes/M%20T/R%2F1/timetable":   {"Cedar: Times are local to Los Angeles (PST).", "3:20 am", "6:05 am"},
		"/f/metro/routes/M%20T/R%2F1/trips/early": {">6:05 am</span>", ">3:21 am PST</span>"},
		"/f/metro/stops/100":                      {">5:55 am</time>"},
	} {
		page := w.page(t, target).Body.String()
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%s lacks %q\n%s", target, text, page)
			}
		}
	}
	if page := w.page(t, "/f/metro/stops/100").Body.String(); strings.Contains(page, "local to") {
		t.Error("the page of a stop in the agency's zone names a zone")
	}
	w.clockAt(in(t, "2026-12-24 05:55:00")) // a platform has the zone of its station
	if page := w.page(t, "/f/metro/stops/S1").Body.String(); !strings.Contains(page, ">3:00 am</span>") {
		t.Errorf("the platform has another zone than its station: %s", page)
	}
}
