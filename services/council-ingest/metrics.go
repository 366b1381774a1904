package councilingest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// metrics counts the work of this process. councilGauges are read from the tables.
type metrics struct {
	ingests  *prometheus.CounterVec
	seconds  prometheus.Gauge
	requests *prometheus.CounterVec
}

func (m *metrics) countRequest(o portal.Outcome) { m.requests.WithLabelValues(string(o)).Inc() }

func newMetrics(deps run.Deps) (*metrics, error) {
	m := &metrics{
		ingests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "townline_council_ingests_total",
			Help: "Ingests by outcome: done, partial (some meetings could not be read), failed."}, []string{"outcome"}),
		seconds: prometheus.NewGauge(prometheus.GaugeOpts{Name: "townline_council_ingest_duration_seconds",
			Help: "Duration of the last ingest of this process."}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "townline_council_portal_requests_total",
			Help: "Requests to the portal by outcome after all tries: ok, not_modified, refused (an error status), failed (no " +
				"whole answer), forbidden (by robots.txt)."}, []string{"outcome"}),
	}
	for _, o := range portal.Outcomes() {
		m.requests.WithLabelValues(string(o))
	}
	for _, outcome := range []string{"done", "partial", "failed"} {
		m.ingests.WithLabelValues(outcome) // starts at 0, so that the first failure is an increase
	}
	if err := errors.Join(deps.Metrics.Register(m.ingests), deps.Metrics.Register(m.seconds),
		deps.Metrics.Register(m.requests)); err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return m, deps.Gauges(councilGauges...)
}

var councilGauges = []run.TableGauge{
	{Name: "townline_council_ingest_timestamp_seconds", Help: "When an ingest last read all meetings that it should read.",
		SQL: `
		SELECT extract(epoch FROM checked_at)::float8 FROM council.dataset`},
	{Name: "townline_council_meetings", Help: "Meetings by status.", Labels: []string{"status"}, SQL: `
		SELECT s, count(m.status)::float8
		FROM unnest('{discovered,agenda_only,minutes_pending,complete,cancelled,parse_error}'::text[]) s
		LEFT JOIN council.meeting m ON m.status = s GROUP BY s`},
	{Name: "townline_council_documents", Help: "Archived documents by state: read, unreadable (no text could be " +
		"extracted).", Labels: []string{"state"}, SQL: `
		SELECT s, count(t.document_id)::float8
		FROM unnest('{read,unreadable}'::text[]) s
		LEFT JOIN council.document_text t ON (t.text IS NOT NULL AND t.error IS NULL) = (s = 'read') GROUP BY s`},
	{Name: "townline_council_votes", Help: "Votes read from minutes.", SQL: `SELECT count(*)::float8 FROM council.vote`},
	{Name: "townline_council_anomalies", Help: "Anomalies found in minutes, by kind.", Labels: []string{"kind"}, SQL: `
		SELECT k, count(a.kind)::float8
		FROM unnest('{typo,missing,inconsistency,error}'::text[]) k
		LEFT JOIN council.anomaly a ON a.kind = k GROUP BY k`},
	{Name: "townline_council_anomaly_codes", Help: "Anomalies found in minutes, by code.", Labels: []string{"code"}, SQL: `
		SELECT k, count(a.code)::float8
		FROM unnest('{` + strings.Join(council.Words(council.AnomalyCodes()), ",") + `}'::text[]) k
		LEFT JOIN council.anomaly a ON a.code = k GROUP BY k`},
	{Name: "townline_council_anomaly_reviews", Help: "Anomalies by the state of their review. Open and reopened ones " +
		"wait for a person.", Labels: []string{"state"}, SQL: `
		SELECT s, count(a.state)::float8
		FROM unnest('{open,reopened,accepted,rejected,corrected}'::text[]) s
		LEFT JOIN (SELECT ` + clerk.StateSQL("x.id", "x.message") + ` AS state FROM council.anomaly x) a ON a.state = s
			GROUP BY s`},
	{Name: "townline_council_corrections_waiting", Help: "Corrections that were said and are not applied yet: readers " +
		"do not see them. It takes seconds while council-ingest is at work.", SQL: `
		SELECT count(*)::float8 FROM council.correction c JOIN council.meeting m USING (iqm2_id) LEFT JOIN council.uncorrected l
		       USING (iqm2_id)
		WHERE c.correction_id > coalesce(l.correction_id, 0)`},
}
