package rtpoller

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/run"
)

// metrics counts the polls of this process; replicas share the polls of a source.
type metrics struct {
	polls   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

func newMetrics(deps run.Deps) (*metrics, error) {
	m := &metrics{
		polls: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "townline_rt_polls_total",
			Help: "Polls of realtime sources by outcome: new, unchanged or failed."}, []string{"feed", "source", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "townline_rt_fetch_duration_seconds",
			Help: "Time that a source took to answer.", Buckets: prometheus.ExponentialBuckets(0.01, 2, 12)}, perSource),
	}
	for _, c := range []prometheus.Collector{m.polls, m.seconds, &matchCollector{deps: deps}} {
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
}

// Snapshots are compared with their feeds at most every matchPeriod.
const (
	matchPeriod  = 5 * time.Minute
	matchTimeout = 20 * time.Second
)

var matchRatio = prometheus.NewDesc("townline_rt_match_ratio",
	"Share of the ids in the last snapshot that the static feed has: of trips, routes, stops (by id or code) and "+
		"informed (entities of alerts).",
	[]string{"feed", "source", "of"}, nil)

type matchCollector struct {
	deps run.Deps
	mu   sync.Mutex
	at   time.Time
	last []Status
}

// Describe implements prometheus.Collector.
func (m *matchCollector) Describe(ch chan<- *prometheus.Desc) { ch <- matchRatio }

// Collect implements prometheus.Collector.
func (m *matchCollector) Collect(ch chan<- prometheus.Metric) {
	for _, s := range m.list() {
		if s.Matches == nil {
			continue
		}
		stops := s.Matches.Stops
		if s.Matches.StopCodes.Found > stops.Found {
			stops = s.Matches.StopCodes
		}
		for of, match := range map[string]Match{"trips": s.Matches.Trips, "routes": s.Matches.Routes, "stops": stops,
			"informed": s.Matches.Informed} {
			if match.Of > 0 {
				ch <- prometheus.MustNewConstMetric(matchRatio, prometheus.GaugeValue, float64(match.Found)/float64(match.Of),
					s.Alias, s.Source, of)
			}
		}
	}
}

func (m *matchCollector) list() []Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	if time.Since(m.at) < matchPeriod {
		return m.last
	}
	ctx, cancel := context.WithTimeout(context.Background(), matchTimeout)
	defer cancel()
	all, err := ListStatus(ctx, m.deps.DB)
	if err != nil {
		m.deps.Log.Debug("cannot compare snapshots with their feeds", "error", err)
		return m.last
	}
	m.last = all
	for i := range all {
		if all[i].Matches != nil { // before the first snapshot each scrape tries again, which is cheap
			m.at = time.Now()
		}
		all[i].Data = nil
	}
	return all
}

// register adds the counters of a source at 0, so that its first failure is an increase, and its gauge
// of waiting readers.
func (m *metrics) register(p *poller) error {
	for _, outcome := range []string{"new", "unchanged", "failed"} {
		m.polls.WithLabelValues(p.alias, p.source, outcome)
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

func (m *metrics) count(p *poller, outcome string) {
	m.polls.WithLabelValues(p.alias, p.source, outcome).Inc()
}
