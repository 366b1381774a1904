package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// StandardMetrics registers the metrics that every service has: version, Go runtime, process,
// readiness, database pool and NATS. The names of our metrics begin with townline_.
func StandardMetrics(deps Deps) error {
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "townline_build_info", Help: "Always 1; the labels have the version of the program.",
		ConstLabels: prometheus.Labels{"version": Version, "go": runtime.Version()},
	})
	build.Set(1)
	var errs []error
	for _, c := range []prometheus.Collector{
		build, readyMetrics(deps.Ready), poolMetrics(deps.DB), clockMetric(deps), deps.Events,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		errs = append(errs, deps.Metrics.Register(c))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	return nil
}

type collector struct {
	descs   []*prometheus.Desc
	collect func(ch chan<- prometheus.Metric)
}

func (c collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		ch <- d
	}
}

func (c collector) Collect(ch chan<- prometheus.Metric) { c.collect(ch) }

func readyMetrics(health *Health) prometheus.Collector {
	ready := prometheus.NewDesc("townline_ready", "1 if /readyz answers 200, else 0.", nil, nil)
	check := prometheus.NewDesc("townline_check", "1 if a check of /readyz?verbose passes, else 0.", []string{"check"},
		nil)
	return collector{[]*prometheus.Desc{ready, check}, func(ch chan<- prometheus.Metric) {
		send := func(d *prometheus.Desc, ok bool, labels ...string) {
			value := 0.0
			if ok {
				value = 1
			}
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
		}
		report, ok := health.Check(context.Background())
		send(ready, ok)
		for name, result := range report.Checks {
			send(check, result == "ok", name)
		}
	}}
}

func poolMetrics(db *pgxpool.Pool) prometheus.Collector {
	conns := prometheus.NewDesc("townline_db_connections", "Connections to Postgres by state: in_use, idle, opening.",
		[]string{"state"}, nil)
	most := prometheus.NewDesc("townline_db_connections_max", "Largest number of connections of the pool.", nil, nil)
	waits := prometheus.NewDesc("townline_db_waits_total", "Number of waits for a connection.", nil, nil)
	waited := prometheus.NewDesc("townline_db_wait_seconds_total", "Seconds spent waiting for connections.", nil, nil)
	return collector{[]*prometheus.Desc{conns, most, waits, waited}, func(ch chan<- prometheus.Metric) {
		s := db.Stat()
		send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
			ch <- prometheus.MustNewConstMetric(d, kind, v, labels...)
		}
		send(conns, prometheus.GaugeValue, float64(s.AcquiredConns()), "in_use")
		send(conns, prometheus.GaugeValue, float64(s.IdleConns()), "idle")
		send(conns, prometheus.GaugeValue, float64(s.ConstructingConns()), "opening")
		send(most, prometheus.GaugeValue, float64(s.MaxConns()))
		send(waits, prometheus.CounterValue, float64(s.EmptyAcquireCount()))
		send(waited, prometheus.CounterValue, s.EmptyAcquireWaitTime().Seconds())
	}}
}

// A TableGauge is a metric that is read from the tables at each scrape, so all replicas report the
// same values. The metric is absent while the database is unreachable.
type TableGauge struct {
	Name, Help string
	// Labels are the names of all columns except the last, which is the value, a double precision.
	// Rows whose value is NULL are omitted.
	Labels []string
	SQL    string
}

const scrapeFor = 5 * time.Second

func (d Deps) Gauges(gauges ...TableGauge) error {
	for _, g := range gauges {
		desc := prometheus.NewDesc(g.Name, g.Help, g.Labels, nil)
		c := collector{[]*prometheus.Desc{desc}, func(ch chan<- prometheus.Metric) { d.collect(ch, g, desc) }}
		if err := d.Metrics.Register(c); err != nil {
			return fmt.Errorf("register metrics: %w", err)
		}
	}
	return nil
}

func (d Deps) collect(ch chan<- prometheus.Metric, g TableGauge, desc *prometheus.Desc) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeFor)
	defer cancel()
	labels := make([]string, len(g.Labels))
	var value *float64
	into := make([]any, 0, len(labels)+1)
	for i := range labels {
		into = append(into, &labels[i])
	}
	into = append(into, &value)
	rows, err := d.DB.Query(ctx, g.SQL)
	if err == nil {
		_, err = pgx.ForEachRow(rows, into, func() error {
			if value != nil {
				ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, *value, labels...)
			}
			return nil
		})
	}
	if err != nil {
		d.Log.Debug("a metric cannot be read from the tables", "metric", g.Name, "error", err)
	}
}
