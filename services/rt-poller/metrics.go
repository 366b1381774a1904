package rtpoller

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/run"
)

// metrics are what this process has polled; of a source that several pollers look
// after, each has a part. How the sources are doing stands in the tables: see
// sourceGauges.
type metrics struct {
	polls   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	matched *prometheus.GaugeVec
}

func newMetrics(deps run.Deps) (*metrics, error) {
	m := &metrics{
		polls: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "townline_rt_polls_total",
			Help: "Polls of realtime sources by what came of them: new, unchanged or failed."}, []string{"feed", "source", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "townline_rt_fetch_duration_seconds",
			Help: "Time that a source took to answer.", Buckets: prometheus.ExponentialBuckets(0.01, 2, 12)}, perSource),
		matched: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "townline_rt_match_ratio",
			Help: "Share of the ids in the last snapshot that the static feed has: of trips, routes, stops (by id or code) and informed (what alerts are about)."},
			[]string{"feed", "source", "of"}),
	}
	for _, c := range []prometheus.Collector{m.polls, m.seconds, m.matched} {
		if err := deps.Metrics.Register(c); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	return m, deps.Gauges(sourceGauges...)
}

var perSource = []string{"feed", "source"}

var sourceGauges = []run.TableGauge{
	{Name: "townline_rt_polled_timestamp_seconds", Help: "When a source was polled last, well or not.", Labels: perSource, SQL: `
		SELECT alias, source, extract(epoch FROM polled_at)::float8 FROM transit.source`},
	{Name: "townline_rt_fetched_timestamp_seconds", Help: "When a source answered well last.", Labels: perSource, SQL: `
		SELECT alias, source, extract(epoch FROM fetched_at)::float8 FROM transit.source`},
	{Name: "townline_rt_header_timestamp_seconds", Help: "FeedHeader.timestamp of the snapshot in service.", Labels: perSource, SQL: `
		SELECT s.alias, s.source, n.header_timestamp::float8 FROM transit.source s JOIN transit.snapshot n USING (snapshot_id)`},
	{Name: "townline_rt_failures", Help: "Polls of a source that failed in a row.", Labels: perSource, SQL: `
		SELECT alias, source, failures::float8 FROM transit.source`},
	{Name: "townline_rt_entities", Help: "Entities of the snapshot in service, by kind.", Labels: []string{"feed", "source", "entity"}, SQL: `
		SELECT s.alias, s.source, e.entity, e.n::float8
		FROM transit.source s JOIN transit.snapshot n USING (snapshot_id),
		     LATERAL (VALUES ('trip_update', n.trip_updates), ('vehicle', n.vehicles), ('alert', n.alerts)) AS e (entity, n)`},
}

// matchEvery is how often snapshots are compared with their feeds for the metrics.
const matchEvery = 5 * time.Minute

// watchMatches keeps the shares of matching ids up to date until ctx ends.
func (m *metrics) watchMatches(ctx context.Context, deps run.Deps) error {
	loop := run.Loop{Name: "comparison of snapshots with their feeds", Period: matchEvery, Jitter: matchEvery / 10, Timeout: time.Minute, Log: deps.Log}
	return run.Every(ctx, loop, func(ctx context.Context) error {
		all, err := ListStatus(ctx, deps.DB)
		if err != nil {
			return err
		}
		m.matched.Reset()
		for _, s := range all {
			if s.Matches == nil {
				continue
			}
			stops := s.Matches.Stops
			if s.Matches.StopCodes.Found > stops.Found {
				stops = s.Matches.StopCodes
			}
			for of, match := range map[string]Match{"trips": s.Matches.Trips, "routes": s.Matches.Routes, "stops": stops, "informed": s.Matches.Informed} {
				if match.Of > 0 {
					m.matched.WithLabelValues(s.Alias, s.Source, of).Set(float64(match.Found) / float64(match.Of))
				}
			}
		}
		return nil
	})
}

// outcome counts a poll.
func (m *metrics) outcome(p *poller, what string) {
	m.polls.WithLabelValues(p.alias, p.source, what).Inc()
}
