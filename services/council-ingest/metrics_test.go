package councilingest

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/pgtest"
)

// TestMetrics ingests a town and compares the metrics with the tables.
func TestMetrics(t *testing.T) {
	t.Parallel()
	p := town(t)
	deps, set := testDeps(t, pgtest.New(t)), portalSettings(t, p.URL)
	deps.Metrics = prometheus.NewRegistry()
	s, err := newScheduler(Config{AllowPrivate: true}, deps, set)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ingest(t.Context(), Request{}); err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	p.robots = "User-agent: *\nDisallow: /Citizens/Calendar.aspx"
	p.mu.Unlock()
	if _, err := s.ingest(t.Context(), Request{}); err == nil {
		t.Error("robots.txt forbids the ingest, but it has no error")
	}
	mustExec(t, deps.DB, `
		INSERT INTO council.review (anomaly_id, act, body, author, made_at, iqm2_id, kind, code, message)
			SELECT id, 'rejected', '', 'Ann Clerk', now(), iqm2_id, kind, code, message FROM council.anomaly
			       WHERE kind = 'error';
		INSERT INTO council.correction (kind, iqm2_id, item_id, was, becomes, rests_on, author, reason, made_at)
			SELECT 'title', iqm2_id, id, title, 'Ferries', 'agenda', 'Ann Clerk', 'misspelt', now() FROM council.item
			       ORDER BY id LIMIT 1`)
	families, err := deps.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.Metric {
			labels := []string{strings.TrimPrefix(f.GetName(), "townline_council_")}
			for _, l := range m.Label {
				labels = append(labels, l.GetValue())
			}
			got[strings.Join(labels, " ")] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	for name, want := range map[string]float64{
		"meetings complete": 1, "meetings parse_error": 1, "meetings agenda_only": 1, "documents read": 1,
		"documents unreadable": 1, "votes": 2,
		"anomalies error": 1, "anomaly_codes no-text": 1, "ingests_total done": 1, "ingests_total failed": 1,
		"anomaly_reviews rejected": 1, "anomaly_reviews reopened": 0, "corrections_waiting": 1,
		"portal_requests_total forbidden": 1, "portal_requests_total refused": 0,
	} {
		if n, ok := got[name]; !ok || n != want {
			t.Errorf("%s is %v, want %v", name, n, want)
		}
	}
	if got["portal_requests_total ok"] < 8 || got["ingest_timestamp_seconds"] < 1e9 {
		t.Errorf("%v", got)
	}
}
