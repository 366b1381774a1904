package gtfsimport

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/run"
)

// metrics count the imports of this process. feedGauges read the state of feeds from the tables.
type metrics struct {
	outcomes *prometheus.CounterVec
	seconds  *prometheus.GaugeVec
}

func newMetrics(deps run.Deps) (*metrics, error) {
	m := &metrics{
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "townline_feed_imports_total",
			Help: "Looks at a feed's source by how they ended: imported, unchanged, refused, failed."}, []string{"feed", "outcome"}),
		seconds: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "townline_feed_import_duration_seconds",
			Help: "How long the last import of a feed by this process took."}, []string{"feed"}),
	}
	if err := errors.Join(deps.Metrics.Register(m.outcomes), deps.Metrics.Register(m.seconds)); err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return m, deps.Gauges(feedGauges...)
}

// expect makes the counters of a feed, so that its first failure is an increase.
func (m *metrics) expect(alias string) {
	for _, outcome := range []string{string(Imported), string(Unchanged), string(Refused), "failed"} {
		m.outcomes.WithLabelValues(alias, outcome)
	}
}

var perFeed = []string{"feed"}

var feedGauges = []run.TableGauge{
	{Name: "townline_feed_live", Help: "1 when a version of the feed is live, 0 when none was imported yet.", Labels: perFeed, SQL: `
		SELECT alias, (version_id IS NOT NULL)::integer::float8 FROM transit.feed WHERE removed_at IS NULL`},
	{Name: "townline_feed_checked_timestamp_seconds", Help: "When the feed's source was looked at last, well or not.", Labels: perFeed, SQL: `
		SELECT alias, extract(epoch FROM checked_at)::float8 FROM transit.feed WHERE removed_at IS NULL`},
	{Name: "townline_feed_check_failed", Help: "1 when the last look at the source or the import of what was there failed, else 0.", Labels: perFeed, SQL: `
		SELECT alias, (check_error IS NOT NULL)::integer::float8 FROM transit.feed WHERE removed_at IS NULL`},
	{Name: "townline_feed_imported_timestamp_seconds", Help: "When the live version went live.", Labels: perFeed, SQL: `
		SELECT alias, extract(epoch FROM imported_at)::float8
		FROM transit.feed JOIN transit.feed_version USING (version_id) WHERE removed_at IS NULL`},
	{Name: "townline_feed_ends_timestamp_seconds", Help: "End of the last day on which a trip of the live version runs, at midnight UTC.", Labels: perFeed, SQL: `
		SELECT alias, extract(epoch FROM last_day + 1)::float8
		FROM transit.feed JOIN transit.feed_version USING (version_id) WHERE removed_at IS NULL`},
	{Name: "townline_feed_service_days", Help: "On how many of the coming seven days, from today, something of the live version runs.", Labels: perFeed, SQL: `
		SELECT alias, (` + weekDays + `)::float8
		FROM transit.feed JOIN transit.feed_version v USING (version_id) WHERE removed_at IS NULL`},
	{Name: "townline_feed_imports_under_way", Help: "Feeds that are being looked at, in any process, by state: waiting (for their turn), fetching, importing.", Labels: []string{"state"}, SQL: `
		SELECT state, (SELECT count(*)::float8 FROM transit.feed_work w WHERE w.state = s.state AND seen_at >= now() - interval '5 seconds')
		FROM unnest('{waiting,fetching,importing}'::text[]) s (state)`},
	{Name: "townline_feed_trips", Help: "Trips of the live version.", Labels: perFeed, SQL: `
		SELECT alias, (counts->>'trip')::float8
		FROM transit.feed JOIN transit.feed_version USING (version_id) WHERE removed_at IS NULL`},
	{Name: "townline_feed_findings", Help: "What the import of the live version left out, emptied or changed, by effect.", Labels: []string{"feed", "effect"}, SQL: `
		SELECT alias, effect, (SELECT coalesce(sum((f->>'count')::float8), 0)
		                       FROM jsonb_path_query(report, '$.findings[*]') f WHERE f->>'effect' = effect)
		FROM transit.feed JOIN transit.feed_version USING (version_id),
		     unnest('{row left out,cell emptied,cell changed,file skipped,noted}'::text[]) effect
		WHERE removed_at IS NULL`},
}
