package run

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// clockSkew is the smallest clock difference between process and database that is logged.
const clockSkew = 2 * time.Second

// clockMetric compares both clocks at each scrape. The metric is absent while the database is
// unreachable.
func clockMetric(deps Deps) prometheus.Collector {
	desc := prometheus.NewDesc("townline_clock_offset_seconds",
		"Seconds by which the clock of the database is ahead of the clock of the process.", nil, nil)
	var differs atomic.Bool
	return collector{[]*prometheus.Desc{desc}, func(ch chan<- prometheus.Metric) {
		ctx, cancel := context.WithTimeout(context.Background(), scrapeFor)
		defer cancel()
		offset, err := ClockOffset(ctx, deps.DB)
		if err != nil {
			return // readiness reports an unreachable database
		}
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, offset.Seconds())
		now := offset.Abs() > clockSkew
		before := differs.Swap(now)
		switch {
		case now && !before:
			deps.Log.Warn("the clocks of this process and of the database differ; synchronize both machines with a time server",
				"database_ahead", offset.String())
		case before && !now:
			deps.Log.Info("the clocks of this process and of the database agree again")
		}
	}}
}

// ClockOffset returns how far the database's clock is ahead of this machine's clock. It returns 0
// if the duration of the query explains the difference.
func ClockOffset(ctx context.Context, db *pgxpool.Pool) (time.Duration, error) {
	conn, err := db.Acquire(ctx) // exclude the wait for a connection
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	before := time.Now()
	var there time.Time
	if err := conn.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&there); err != nil {
		return 0, err
	}
	took := time.Since(before)
	offset := there.Sub(before.Add(took / 2))
	if offset.Abs() <= took/2 {
		return 0, nil
	}
	return offset, nil
}
