package transitapi

import (
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
)

// judged returns a world with a source with two checked messages, and a source without any.
func judged(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, nil)
	w.sent(t, conf.TripUpdates, time.Now())
	w.sent(t, conf.Alerts, time.Now())
	w.exec(t, `INSERT INTO transit.judgement (alias, source, poll, judged_at, findings)
		VALUES ('metro', 'trip_updates/0', 2, '2026-03-02 15:00:00Z', '[
		  {"code": "E003", "count": 7, "since": "2026-03-02T14:00:00Z", "examples": [
		    {"entity_id": "1", "trip_id": "<b>", "vehicle_id": "bus", "value": "v"}]}]')`)
	w.exec(t, `INSERT INTO transit.judgement_count (alias, source, minute, code, messages, findings) VALUES
		('metro', 'trip_updates/0', now() - interval '1 minute', '', 2, 7),
		('metro', 'trip_updates/0', now() - interval '30 minutes', '', 2, 1),
		('metro', 'trip_updates/0', now() - interval '1 minute', 'E003', 1, 7),
		('metro', 'trip_updates/0', now() - interval '30 minutes', 'W002', 1, 1),
		('metro', 'trip_updates/0', now() - interval '25 hours', 'W003', 1, 1)`)
	return w
}

func TestRealtimeReport(t *testing.T) {
	t.Parallel()
	w := judged(t)
	golden(t, "realtime.feed_report", w.ask(t, "/feeds/metro/rt/report"))
	w.statuses(t, map[string]int{"/feeds/nobody/rt/report": 404})
	before := w.get(t, "/feeds/metro/rt/report").Header.Get("ETag")
	w.exec(t, `UPDATE transit.judgement SET judged_at = judged_at + interval '1 second'`)
	if after := w.get(t, "/feeds/metro/rt/report").Header.Get("ETag"); after == before {
		t.Errorf("a new report has the ETag of the old report, %q", after)
	}
}

func TestRealtimeReportAsAPage(t *testing.T) {
	t.Parallel()
	w := judged(t)
	text := w.page(t, "/f/metro/rt/report").Body.String()
	lacks(t, "the page", text, "RULES.md#E003", "&lt;b&gt;", "7 in the last message", "since March 2, 2026",
		"in 25% of the last hour", "error · 7 in", "warning · not in the last message",
		"No message has been checked yet.", "affected messages in ten minutes: 1, hour: 1, day: 1",
		"The timetable has no trip of this trip_id", "Misses Google’s bar for live data", "because of E003, W002")
	if strings.Contains(text, "W003") {
		t.Error("the page has problems from more than a day ago")
	}
	lacks(t, "the other report", w.page(t, "/f/metro/report").Body.String(), "/f/metro/rt/report")
}

// A warning in one message of a hundred is within Google's bar, an error is not.
func TestGooglesBar(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.sent(t, conf.TripUpdates, time.Now())
	bar := func() string {
		t.Helper()
		text := string(w.ask(t, "/feeds/metro/rt/report"))
		_, text, _ = strings.Cut(text, `"google_bar":`)
		text, _, _ = strings.Cut(text, "}")
		return text
	}
	if got := bar(); !strings.Contains(got, `"met":null`) {
		t.Errorf("before the first message: %s", got)
	}
	for _, c := range []struct{ code, count, want string }{
		{"", "100", `"met":true,"errors":0,"warnings":0,"why":[]`},
		{"W002", "2", `"met":true,"errors":0,"warnings":0.02,"why":[]`},
		{"W003", "3", `"met":false,"errors":0,"warnings":0.03,"why":["W003"]`},
		{"E003", "1", `"met":false,"errors":0.01,"warnings":0.03,"why":["E003","W003"]`},
	} {
		w.exec(t, `INSERT INTO transit.judgement_count (alias, source, minute, code, messages, findings)
			VALUES ('metro', 'trip_updates/0', now() - interval '5 hours', $1, $2::text::integer, 1)`, c.code, c.count)
		w.exec(t, `INSERT INTO transit.judgement (alias, source, poll, judged_at, findings)
			VALUES ('metro', 'trip_updates/0', 2, clock_timestamp(), '[]')
			ON CONFLICT (alias, source) DO UPDATE SET judged_at = clock_timestamp()`)
		if got := bar(); !strings.Contains(got, c.want) {
			t.Errorf("with %s: %s, want %s", c.code, got, c.want)
		}
	}
}

// Updates whose times fit no run are left out, and the report counts them.
func TestReportOfUnappliedUpdates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	at := in(t, "2026-03-04 05:55:00")
	w.clockAt(at)
	w.sent(t, "trip_updates", at, updated("early", "20260304", timed(1, nil, byTime(at.Add(48*time.Hour)))),
		updated("l1", "20260304", timed(1, nil, byTime(at.Add(6*time.Minute)))))
	got := decoded[struct{ Data []realtimeapi.SourceReport }](t, w, "/feeds/metro/rt/report").Data
	if len(got) != 1 || got[0].Unapplied.Count != 1 || got[0].Unapplied.Examples[0].TripID != "early" {
		t.Errorf("%+v", got)
	}
	lacks(t, "the page", w.page(t, "/f/metro/rt/report").Body.String(), "fit no run of their trip: 1, such as early")
}
