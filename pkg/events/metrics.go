package events

import (
	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
)

var (
	connected = prometheus.NewDesc("townline_nats_connected",
		"1 while connected to NATS, 0 while not; absent if none is configured.", nil, nil)
	reconnects = prometheus.NewDesc("townline_nats_reconnects_total", "Number of reconnections to NATS.", nil, nil)
)

func newOutcomes() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "townline_work_total", Help: "Work requests of this " +
		"process " +
		"by outcome: done, failed (delivered again later), refused; and announcements whose handling panicked."},
		[]string{"subject", "outcome"})
}

func (b *Bus) Describe(ch chan<- *prometheus.Desc) {
	ch <- connected
	ch <- reconnects
	newOutcomes().Describe(ch)
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
	b.outcomes.Collect(ch)
}

func (b *Bus) count(subject, outcome string) { b.outcomes.WithLabelValues(subject, outcome).Inc() }
