package events

import (
	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
)

var (
	connected  = prometheus.NewDesc("townline_nats_connected", "1 while connected to NATS, 0 while not; absent if none is configured.", nil, nil)
	reconnects = prometheus.NewDesc("townline_nats_reconnects_total", "Number of reconnections to NATS.", nil, nil)
	work       = prometheus.NewDesc("townline_work_total", "Work requests of this process by outcome: done, failed (delivered again later), refused; and announcements whose handling panicked.", []string{"subject", "outcome"}, nil)
)

// Describe implements prometheus.Collector: a Bus is its own metrics.
func (b *Bus) Describe(ch chan<- *prometheus.Desc) {
	ch <- connected
	ch <- reconnects
	ch <- work
}

// Collect implements prometheus.Collector. A nil Bus has no values.
func (b *Bus) Collect(ch chan<- prometheus.Metric) {
	if b == nil {
		return
	}
	up := 0.0
	if b.nc.Status() == nats.CONNECTED {
		up = 1
	}
	ch <- prometheus.MustNewConstMetric(connected, prometheus.GaugeValue, up)
	ch <- prometheus.MustNewConstMetric(reconnects, prometheus.CounterValue, float64(b.nc.Stats().Reconnects))
	b.mu.Lock()
	defer b.mu.Unlock()
	for k, n := range b.outcomes {
		ch <- prometheus.MustNewConstMetric(work, prometheus.CounterValue, float64(n), k.subject, k.outcome)
	}
}

type outcome struct{ subject, outcome string }

// expect creates the counters of a kind of work with 0, so that the first failure is an
// increase.
func (b *Bus) expect(subject string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, what := range []string{"done", "failed", "refused"} {
		b.outcomes[outcome{subject, what}] += 0
	}
}

func (b *Bus) count(subject, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.outcomes[outcome{subject, what}]++
}
