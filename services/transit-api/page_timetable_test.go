package transitapi

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/services/transit-api/internal/pages"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// tableTexts returns the visible rows of the tables of a page, with "|" between the cells.
func tableTexts(t *testing.T, page string) (rows []string) {
	t.Helper()
	for _, row := range parsePage(t, page).all("tr") {
		rows = append(rows, strings.Join(row.cells(), "|"))
	}
	return rows
}

// timetable requests a timetable and compares the rows of its tables.
func (w *world) timetable(t *testing.T, target string, want ...string) string {
	t.Helper()
	rec := w.page(t, "/f/metro/routes/"+target, "Accept-Language", "en")
	if rec.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", target, rec.Code, rec.Body)
	}
	if got := tableTexts(t, rec.Body.String()); want != nil && !slices.Equal(got, want) {
		t.Errorf("%s:\n got %s\nwant %s", target, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	return rec.Body.String()
}

func TestTimetablePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 12:00:00"))
	// On a Wednesday, B and C have no times in one pattern, late ends after midnight, and trips end
	// at D.
	page := w.timetable(t, "M%20T/R%2F1/timetable?dir=0",
		"To|Alder|Birch ü|Cedar|D|Elm",
		"Earlier trips today: 1",
		"Dock|6:05 am|~6:06 am|~6:20 am|6:21 am|–",
		"77 Elm|12:00 pm|12:01 pm|–|–|12:02 pm",
		"Dock|11:53 pm|~11:55 pm|~12:08 am+1|12:10 am+1|–")
	lacks(t, "the timetable", page, "<h2 id=\"dir-0\">Dock</h2>", "Wednesday, March 4 · timetable for Monday to Friday",
		"Saturday, Sunday: no service", "Alder, line 1, Dock: ")
	lacks(t, "both directions", w.timetable(t, "M%20T/R%2F1/timetable"), `id="dir-0"`, `id="dir-1"`)
	loop := w.timetable(t, "M%20T/loop/timetable")
	lacks(t, "the timetable of the loop", loop, "About every 10 min from 5:50 am until 6:10 am",
		"then about every 10 min until 6:10 am")
	// Next: days without service, exceptions, and the end of the feed.
	if page := w.timetable(t, "M%20T/R%2F1/timetable?date=2026-07-03"); !strings.Contains(page,
		"No service on Friday, July 3.") || strings.Contains(page, "<table") {
		t.Errorf("page of a day without service:\n%s", page)
	}
	w.clockAt(in(t, "2026-06-27 12:00:00"))
	page = w.timetable(t, "M%20T/R%2F1/timetable")
	lacks(t, "on a Saturday the timetable", page, "No service on Saturday, June 27.",
		"The next day with service is shown: Monday, June 29.", "<b>Friday, July 3</b>: no service")
	w.clockAt(in(t, "2027-02-01 12:00:00"))
	lacks(t, "after the end", w.timetable(t, "M%20T/R%2F1/timetable"),
		"This timetable has ended. Its last day of service is shown: Friday, December 18, 2026.")
	lacks(t, "the timetable of a service", w.timetable(t, "M%20T/R%2F1/timetable?service=wk&dir=1",
		"|D|Cedar|Birch ü|Alder", "|8:20 am|8:21 am|8:23 am|8:25 am"),
		"Service wk: Monday to Friday, from Monday, March 2, 2026 to Friday, December 18, 2026")
	lacks(t, "a route without trips", w.timetable(t, "M%20T/idle/timetable"), "There are no trips to show.")
	for target, status := range map[string]int{"M%20T/nobody/timetable": 404, "ferry/R%2F1/timetable": 404,
		"M%20T/R%2F1/timetable?service=nobody": 404, "M%20T/R%2F1/timetable?dir=2": 400,
		"M%20T/R%2F1/timetable?date=2026-02-30": 400, "M%20T/R%2F1/timetable?date=0001-01-01": 200,
		"M%20T/R%2F1/timetable?date=9999-12-31": 200} {
		if rec := w.page(t, "/f/metro/routes/"+target); rec.Code != status {
			t.Errorf("%s: %d, want %d", target, rec.Code, status)
		}
	}
}

// Near the end of a feed, the usual week has only published days.
func TestWeekIsOfPublishedDays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.reimport(t, `UPDATE transit.service SET end_date = '2026-03-18' WHERE service_id = 'wk'; UPDATE transit.feed_version
		SET last_day = '2026-03-18' WHERE version_id = 2`)
	const until = "The timetable is published until Wednesday, March 18."
	for _, day := range []string{"2026-03-10", "2026-03-18"} { // a week before the end, and on the last day
		w.clockAt(in(t, day+" 12:00:00"))
		page := w.timetable(t, "M%20T/R%2F1/timetable")
		lacks(t, "the timetable", page, " · timetable for Monday to Friday", "Saturday, Sunday: no service", until)
		if strings.Contains(page, "Friday: no service") {
			t.Errorf("on %s:\n%s", day, page)
		}
	}
	if page := w.timetable(t, "M%20T/R%2F1/timetable?date=2026-03-20"); !strings.Contains(page, until) ||
		strings.Contains(page, "No service on") {
		t.Errorf("page after the end:\n%s", page)
	}
	// The feed is a ferry on two days of the year.
	w.reimport(t, `UPDATE transit.feed_version SET last_day = '2026-12-25' WHERE version_id = 2`)
	w.clockAt(in(t, "2026-12-24 05:00:00"))
	if page := w.timetable(t, "ferry/F/timetable"); strings.Contains(page, "Every day: no service") ||
		!strings.Contains(page, "<table") {
		t.Errorf("above a full table:\n%s", page)
	}
}

// Without direction_id, each path has a table, and a line with branches has a list of stops for
// each branch.
func TestPathsHaveSeparateTables(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 05:00:00"))
	w.reimport(t, `UPDATE transit.trip SET direction_id = NULL WHERE version_id = 2 AND route_id = 'R/1'; DELETE
		FROM transit.route_direction WHERE version_id = 2 AND route_id = 'R/1' AND direction_id = '1';
		UPDATE transit.route_direction SET stop_id = '{100,"B 50%/x",C,D,E,C,"B 50%/x",100}' WHERE version_id = 2
		  AND route_id = 'R/1';
		UPDATE transit.route_pattern SET direction_id = '0', n = 2, rows = '{3,5,6,7}' WHERE version_id = 2
		  AND route_id = 'R/1' AND direction_id = '1';
		UPDATE transit.route SET direction_count = 1 WHERE version_id = 2 AND route_id = 'R/1'`)
	page := w.timetable(t, "M%20T/R%2F1/timetable",
		"To|Alder|Birch ü|Cedar|D|Elm",
		"Dock|6:05 am|~6:06 am|~6:20 am|6:21 am|–",
		"77 Elm|12:00 pm|12:01 pm|–|–|12:02 pm",
		"Dock|11:53 pm|~11:55 pm|~12:08 am+1|12:10 am+1|–",
		"|D|Cedar|Birch ü|Alder",
		"|8:20 am|8:21 am|8:23 am|8:25 am")
	lacks(t, "the timetable", page, `<h2 id="dir-0">Alder – Dock</h2>`, `<h2 id="dir-0-2">D – Alder</h2>`)
	line := w.page(t, "/f/metro/routes/M%20T/R%2F1", "Accept-Language", "en").Body.String()
	var names []string
	for _, h := range regexp.MustCompile(`<section class="side">\s*<h2>(.*?)</h2>`).FindAllStringSubmatch(line, -1) {
		names = append(names, h[1])
	}
	if !slices.Equal(names, []string{"Dock", "D – Alder", "Alder – Elm"}) {
		t.Errorf("%q", names)
	}
}

// After midnight the same address has a different ETag.
func TestTimetablesChangeAtMidnight(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-05 23:59:59"))
	first := w.page(t, "/f/metro/routes/M%20T/R%2F1/timetable")
	w.clockAt(in(t, "2026-03-06 00:00:00"))
	second := w.page(t, "/f/metro/routes/M%20T/R%2F1/timetable", "If-None-Match", first.Header().Get("Etag"))
	if second.Code != 200 || !strings.Contains(second.Body.String(), "Friday, March 6") ||
		!strings.Contains(first.Body.String(), "Thursday, March 5") {
		t.Errorf("%d", second.Code)
	}
}

// Each time on the page is in the API's schedules, or is a departure in stop_times.
func TestTimetablesShowWhatTheAPIHas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.clockAt(in(t, "2026-03-04 12:00:00"))
	page := w.timetable(t, "M%20T/R%2F1/timetable?all=true&dir=0")
	var shown []string
	for _, row := range tableTexts(t, page)[1:] {
		for _, cell := range strings.Split(row, "|")[1:] {
			if cell != "–" {
				shown = append(shown, strings.TrimSuffix(strings.TrimPrefix(cell, "~"), "+1"))
			}
		}
	}
	schedule := decoded[struct {
		Data struct {
			Schedule struct {
				Trips []struct {
					StopTimes []*static.ScheduleCell `json:"stop_times"`
				}
			}
		}
	}](t, w, "/feeds/metro/agencies/M%20T/routes/R%2F1/schedules/wk/0")
	var want []string
	for _, trip := range schedule.Data.Schedule.Trips {
		for _, cell := range trip.StopTimes {
			if cell != nil {
				want = append(want, cell.ArrivalTime)
			}
		}
	}
	// The page shows departures; branch arrives 30 seconds earlier at A, and ten at B.
	want[slices.Index(want, "11:59 am")], want[slices.Index(want, "12:00 pm")] = "12:00 pm", "12:01 pm"
	slices.Sort(shown)
	slices.Sort(want)
	if !slices.Equal(shown, want) {
		t.Errorf("the page shows %v, the API has %v", shown, want)
	}
}

// Names from feeds are escaped, and a route with trips every second is limited.
func TestHostileTimetables(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.reimport(t, everySecond+`
		UPDATE transit.stop SET stop_name = '<script>alert(1)</script>' WHERE stop_id = 'C' AND version_id = 2;
		UPDATE transit.route SET route_short_name = '"><b>x', route_color = 'red"/><x' WHERE route_id = 'loop' AND version_id = 2;
		UPDATE transit.trip SET trip_headsign = '<i>i</i>' || trip_id WHERE route_id = 'loop' AND version_id = 2`)
	w.clockAt(in(t, "2026-03-04 12:00:00"))
	page := w.timetable(t, "M%20T/loop/timetable")
	if strings.Contains(page, "<script>alert") || strings.Contains(page, "<i>") || strings.Contains(page, "<x") ||
		!strings.Contains(page, "&lt;script&gt;alert(1)&lt;/script&gt;") {
		t.Errorf("%.3000s", page)
	}
	w.reimport(t, `INSERT INTO transit.trip (version_id, ord, pattern, profile, start_time, trip_id, route_id, service_id)
		SELECT 2, 5000 + i, 3, 2, i, 'more ' || i, 'loop', 'wk' FROM generate_series(1, 900) i; UPDATE transit.route
		       SET trip_count = 7000 WHERE version_id = 2 AND route_id = 'loop'`)
	page = w.timetable(t, "M%20T/loop/timetable")
	lacks(t, "the timetable", page, "There are too many trips for one page.")
	if rows := tableTexts(t, page); len(rows) > 2*pages.MaxSheetTrips+5 {
		t.Errorf("%d rows", len(rows))
	}
}

func TestRoutesPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	lacks(t, "the list of lines", w.page(t, "/f/metro/routes", "Accept-Language", "en").Body.String(),
		"<h1>Lines of Metro &amp; Co</h1>", "<h2>Metro Transit</h2>",
		`href="/f/metro/routes/M%20T/R%2F1/timetable"`, "<b>1</b></span> <span>Harbor &lt;Line&gt;</span></a>",
		`fill="#FF0000"`, "<b>idle</b>")
	w.pageStatuses(t, map[string]int{"/f/metro/routes": 200, "/f/nobody/routes": 404})
	lacks(t, "the start page", w.page(t, "/").Body.String(), `href="/f/metro/routes"`)
}
