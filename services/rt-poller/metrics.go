package rtpoller

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/run"
)

// metrics counts the polls of this process. Replicas divide the polls of a source among them.
type metrics struct {
	polls   *prometheus.CounterVec
	judged  *prometheus.CounterVec
	leftOut *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

func newMetrics(deps run.Deps) (*metrics, error) {
	m := &metrics{
		polls: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "townline_rt_polls_total",
			Help: "Polls of realtime sources by outcome: new, unchanged or failed."}, []string{"feed", "source", "outcome"}),
		judged: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "townline_rt_judgements_total",
			Help: "Messages of realtime sources by what came of their judgement: done, failed, replaced (by a newer message " +
				"that is judged) or dropped (because too many messages waited)."}, []string{"feed", "source", "outcome"}),
		leftOut: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "townline_rt_left_out_total",
			Help: "Entities of sources with `agencies` that were left out, because they are of other agencies (other_agency) " +
				"or the feed has neither their trip nor their route (unknown)."}, []string{"feed", "source", "because"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "townline_rt_fetch_duration_seconds",
			Help: "Time that a source took to answer.", Buckets: prometheus.ExponentialBuckets(0.01, 2, 12)}, perSource),
	}
	for _, c := range []prometheus.Collector{m.polls, m.judged, m.leftOut, m.seconds} {
		if err := deps.Metrics.Register(c); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	return m, deps.Gauges(sourceGauges...)
}

var perSource = []string{"feed", "source"}

var sourceGauges = []run.TableGauge{
	{Name: "townline_rt_polled_timestamp_seconds", Help: "When a source was last polled, successfully or not.",
		Labels: perSource, SQL: `
		SELECT alias, source, extract(epoch FROM polled_at)::float8 FROM transit.source`},
	{Name: "townline_rt_fetched_timestamp_seconds", Help: "When a source was last polled successfully.", Labels: perSource,
		SQL: `
		SELECT alias, source, extract(epoch FROM fetched_at)::float8 FROM transit.source`},
	{Name: "townline_rt_header_timestamp_seconds", Help: "FeedHeader.timestamp of the served snapshot.", Labels: perSource,
		SQL: `
		SELECT s.alias, s.source, nullif(n.header_timestamp, 0)::float8 FROM transit.source s JOIN transit.snapshot n
		       USING (snapshot_id)`},
	{Name: "townline_rt_failures", Help: "Number of consecutive failed polls of a source.", Labels: perSource, SQL: `
		SELECT alias, source, failures::float8 FROM transit.source`},
	{Name: "townline_rt_entities", Help: "Entities of the served snapshot, by kind.",
		Labels: []string{"feed", "source", "entity"}, SQL: `
		SELECT s.alias, s.source, e.entity, e.n::float8
		FROM transit.source s JOIN transit.snapshot n USING (snapshot_id),
		     LATERAL (VALUES ('trip_update', n.trip_updates), ('vehicle', n.vehicles), ('alert', n.alerts)) AS e (entity,
		       n)`},
	{Name: "townline_rt_match_ratio", Help: "Share of the ids in the last message that the static feed has: of trips, " +
		"routes, stops (by id or code) and informed (entities of alerts).", Labels: []string{"feed", "source", "of"}, SQL: `
		SELECT alias, source, m.of, max((j.matches->m.key->>'found')::float8 / (j.matches->m.key->>'of')::float8)
		FROM transit.judgement j, (VALUES ('trips', 'trips'), ('routes', 'routes'), ('stops', 'stops'),
		       ('stops', 'stop_codes'), ('informed', 'informed_entities')) AS m (of, key)
		WHERE j.matches->m.key->>'of' <> '0'
		GROUP BY alias, source, m.of`},
	{Name: "townline_rt_visit_timestamp_seconds", Help: "When a vehicle of an observed feed was last seen at a stop; " +
		"before the first visit, when observing began.", Labels: []string{"feed"}, SQL: `
		SELECT alias, extract(epoch FROM coalesce(visit_at, since))::float8 FROM transit.observer`},
	{Name: "townline_rt_observed_vehicles", Help: "Vehicles of an observed feed in its last message.",
		Labels: []string{"feed"}, SQL: `
		SELECT alias, vehicles::float8 FROM transit.observer`},
	{Name: "townline_rt_findings", Help: "How often the last message of a source breaks a rule of " +
		"gtfs-realtime-validator; 0 if it did within the last day, and does not now.",
		Labels: []string{"feed", "source", "rule"}, SQL: `
		SELECT j.alias, j.source, c.code, coalesce((
		         SELECT (f->>'count')::float8 FROM jsonb_array_elements(j.findings) f WHERE f->>'code' = c.code), 0)
		FROM transit.judgement j
		JOIN LATERAL (SELECT DISTINCT code FROM transit.judgement_count k
		              WHERE k.alias = j.alias AND k.source = j.source AND code <> '') c ON true`},
}

// register starts the counters of a source at 0, so that its first failure is visible as an
// increase. It also adds the gauge of waiting readers.
func (m *metrics) register(p *poller) error {
	for _, outcome := range []string{"new", "unchanged", "failed"} {
		m.polls.WithLabelValues(p.alias, p.source, outcome)
	}
	for _, because := range []string{otherAgency, unknownAgency} {
		m.leftOut.WithLabelValues(p.alias, p.source, because)
	}
	err := p.deps.Metrics.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "townline_rt_waiting_seconds", Help: "How long clients or the schedule have been waiting for a good answer " +
			"of a source; 0 if none waits.",
		ConstLabels: prometheus.Labels{"feed": p.alias, "source": p.source},
	}, func() float64 { return p.demand.waiting(time.Now(), p.period()).Seconds() }))
	if err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	return nil
}

func (m *metrics) countJudged(p *poller, outcome string) {
	m.judged.WithLabelValues(p.alias, p.source, outcome).Inc()
}

func (m *metrics) count(p *poller, outcome string) {
	m.polls.WithLabelValues(p.alias, p.source, outcome).Inc()
}
