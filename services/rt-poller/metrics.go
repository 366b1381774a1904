package rtpoller

import (
	"github.com/prometheus/client_golang/prometheus"
)

// metrics are what this process has polled; of a source that several pollers look
// after, each has a part. The whole is in transit.source.
type metrics struct {
	polls    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	success  *prometheus.GaugeVec
	stamp    *prometheus.GaugeVec
	bytes    *prometheus.GaugeVec
	entities *prometheus.GaugeVec
}

func newMetrics(reg *prometheus.Registry) *metrics {
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, append([]string{"alias", "source"}, labels...))
	}
	m := &metrics{
		polls: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "townline_rt_polls_total",
			Help: "Polls of realtime sources by what came of them: new, unchanged or failed."}, []string{"alias", "source", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "townline_rt_fetch_seconds",
			Help: "Time that a source took to answer.", Buckets: prometheus.ExponentialBuckets(0.01, 2, 12)}, []string{"alias", "source"}),
		success:  gauge("townline_rt_last_success_timestamp_seconds", "When a poll was good last."),
		stamp:    gauge("townline_rt_header_timestamp_seconds", "FeedHeader.timestamp of the last good message."),
		bytes:    gauge("townline_rt_message_bytes", "Size of the last good message."),
		entities: gauge("townline_rt_entities", "Entities of the last good message, by their kind.", "entity"),
	}
	reg.MustRegister(m.polls, m.seconds, m.success, m.stamp, m.bytes, m.entities)
	return m
}

// outcome counts a poll.
func (m *metrics) outcome(p *poller, what string) {
	m.polls.WithLabelValues(p.alias, p.source, what).Inc()
	if what != "failed" {
		m.success.WithLabelValues(p.alias, p.source).SetToCurrentTime()
	}
}

// read tells what a good message holds.
func (m *metrics) read(p *poller, got message, size int) {
	m.stamp.WithLabelValues(p.alias, p.source).Set(float64(got.timestamp))
	m.bytes.WithLabelValues(p.alias, p.source).Set(float64(size))
	for what, n := range map[string]int{"trip_update": got.tripUpdates, "vehicle": got.vehicles, "alert": got.alerts} {
		m.entities.WithLabelValues(p.alias, p.source, what).Set(float64(n))
	}
}
