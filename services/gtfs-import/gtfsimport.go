// Package gtfsimport imports GTFS feeds into the database, from a path, a folder or a URL, on a
// schedule or on request. Readers see the previous version or the new one, never a mix.
//
// An import claims the feed, fetches the zip and stops if its bytes are not new. So far it uses no
// connection. Then one transaction creates the tables of a new version (internal/stage), fills them
// (internal/load, internal/export), compares them with the live version (internal/diff) and
// attaches them. A second, short transaction makes the version live and raises the feed's
// generation. Then an event announces the version. If the import fails before the second
// transaction commits, even by kill -9, the live version stays.
//
// Guards, each with the test that fails without it:
//   - The claim, a row with a lease, keeps replicas from importing the same feed at the same time. It
//     holds no connection during a fetch, as a session lock or a row that is locked until the import
//     ends would (TestOneImportPerFeedAtATime, TestManySlowFeedsWithTwoConnections).
//   - Each transaction that writes the feed's row fails if another process has taken over the claim,
//     because a process may stall for longer than its lease (TestAnOvertakenImportFetchesAgain).
//   - A semaphore for zips bounds the disk space of a process, one for imports its connections and
//     memory. They differ, because slow servers must not keep fetched zips waiting
//     (TestBoundsOfAProcess).
//   - A session lock keeps attaching and dropping partitions from waiting for each other
//     (TestBoundsOfAProcess).
//   - A work request is acknowledged after its import, so another process handles the request of a
//     killed one. The version has the id of its request: one that is delivered again after its import
//     is not imported again, because a forced one would then publish what no operator has seen
//     (TestARequestIsImportedOnce).
//
// Invalid cells and rows are omitted; the audit lists each with file, line and reason. A feed
// without usable stops, routes, trips or service is refused.
//
// Run is the service. The townline command calls Import, Rollback, Remove, ListFeeds and OneReport
// directly. pkg/schema/transit describes the tables.
package gtfsimport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// Config has the settings of the service, from the environment.
type Config struct {
	TransitConfig string `env:"TRANSIT_CONFIG" doc:"transit.yaml: the feeds. Without it feeds are imported by hand."`
	AllowPrivate  bool   `env:"TOWNLINE_ALLOW_PRIVATE" doc:"Let fetches reach private and loopback addresses."`
	UserAgent     string `env:"TOWNLINE_USER_AGENT" envDefault:"townline (+https://github.com/townline/townline)" doc:"User-Agent of requests to sources."`
	Grace         time.
			Duration `env:"IMPORT_GRACE" envDefault:"5m" doc:"How long a replaced feed version stays for readers that still use it; its gtfs.zip stays twelve times as long, for slow downloads."`
	AtOnce int `env:"IMPORT_AT_ONCE" envDefault:"2" doc:"How many feeds are imported at the same time; each needs one connection, and one is left over. More may be fetched meanwhile."`
}

// Program describes the service for its binary, townline up and tests.
func Program() run.Service {
	return run.Program[Config]{
		Name: "gtfs-import", Part: schema.Transit, Run: Run,
		Preflight: func(cfg Config, env conf.Environ) error {
			_, err := conf.ReadTransit(cfg.TransitConfig, env)
			return err
		},
	}.Service()
}

// CollectEarly sets GOGC=25 unless the environment sets GOGC. Only processes that do nothing but
// import call it: the heap of an import has few pointers, so a collection takes a millisecond, and
// the largest feed determines how much memory a machine needs.
func CollectEarly() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(25)
	}
}

// sweepTimeout bounds one sweep. The next sweep continues.
const sweepTimeout = 10 * time.Minute

const checkInterval = 30 * time.Second

// Run imports feeds until ctx ends.
func Run(ctx context.Context, cfg Config, deps run.Deps) error {
	transit, err := conf.ReadTransit(cfg.TransitConfig, deps.Environ)
	if err != nil {
		return err
	}
	s := &service{cfg: cfg, deps: deps, feeds: map[string]conf.Feed{},
		slots: newSlots(cfg.AtOnce, int(deps.DB.Config().MaxConns))}
	s.metrics, err = newMetrics(deps)
	if err != nil {
		return err
	}
	g := run.NewGroup(ctx)
	for _, f := range transit.Feeds {
		s.feeds[f.Alias] = f
		s.metrics.expect(f.Alias)
		if f.URL == "" {
			continue
		}
		g.Go("feed "+f.Alias, func(ctx context.Context) error {
			return run.Every(ctx, run.Loop{
				Name: "import of " + f.Alias, Period: checkInterval, Jitter: time.Second, MaxBackoff: max(f.Every, checkInterval),
				Log: deps.Log,
			}, func(ctx context.Context) error { return s.check(ctx, f) })
		})
	}
	g.Go("import requests", func(ctx context.Context) error { return events.Consume(ctx, deps.Events, s.request) })
	g.Go("held versions", func(ctx context.Context) error {
		return run.Every(ctx, run.Loop{Name: "publication of held feed versions", Period: checkInterval, Jitter: time.Second,
			Log: deps.Log}, s.publishDue)
	})
	g.Go("janitor", func(ctx context.Context) error {
		return run.Every(ctx, run.Loop{Name: "dropping of retired feed versions", Period: time.Minute,
			Jitter: 10 * time.Second, Timeout: sweepTimeout, Log: deps.Log},
			func(ctx context.Context) error { return Sweep(ctx, deps, cfg.Grace) })
	})
	return g.Wait()
}

type service struct {
	cfg     Config
	deps    run.Deps
	feeds   map[string]conf.Feed // keyed by alias
	metrics *metrics
	slots   slots
}

// check imports a feed if it is due. After a failed check a feed is due sooner.
func (s *service) check(ctx context.Context, f conf.Feed) error {
	var due bool
	within, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	err := s.deps.DB.QueryRow(within, `
		SELECT NOT EXISTS (
			SELECT FROM transit.feed
			WHERE alias = $1
			  -- A time in the future was written while a clock was wrong.
			  AND checked_at BETWEEN now() - CASE WHEN check_error IS NULL THEN $2::interval
			    ELSE least($2, interval '5 minutes') END
			                     AND now() + interval '1 minute')`,
		f.Alias, f.Every).Scan(&due)
	if err != nil || !due {
		return err
	}
	err = s.run(ctx, Request{Alias: f.Alias, Name: f.Name, Source: f.URL, Headers: f.Headers, Encoding: f.Encoding,
		Inner: f.Inner, Check: true})
	if errors.Is(err, ErrBusy) || errors.Is(err, ErrRefused) || errors.Is(err, ErrHeld) {
		return nil // another replica imports it, or the result is stored
	}
	return err
}

func (s *service) request(ctx context.Context, m *eventsv1.ImportFeed) error {
	f := s.feeds[m.GetAlias()]
	req := Request{Alias: m.GetAlias(), Name: f.Name, Source: f.URL, Headers: f.Headers, Encoding: f.Encoding,
		Inner: f.Inner, Force: m.GetForce(), Held: m.GetForce() && m.GetUrl() == "", Wait: true, id: events.RequestID(ctx)}
	if m.GetUrl() != "" {
		if !isURL(m.GetUrl()) {
			return fmt.Errorf("import %s: the source of a request must be an http or https URL, not a file: %w", m.GetAlias(),
				events.ErrFinal)
		}
		if req.Source != m.GetUrl() {
			req.Source, req.Headers = m.GetUrl(), nil // configured credentials are only for the configured URL
		}
	}
	err := s.run(ctx, req)
	if errors.Is(err, ErrRefused) || errors.Is(err, ErrHeld) {
		return nil
	}
	return err
}

func (s *service) run(ctx context.Context, req Request) error {
	req.AllowPrivate, req.UserAgent = s.cfg.AllowPrivate, s.cfg.UserAgent
	ctx, done := s.deps.Span(ctx, "import feed", slog.String("feed", req.Alias))
	report, err := importFeed(ctx, s.deps, s.slots, req)
	done(err)
	switch {
	case errors.Is(err, ErrBusy) || ctx.Err() != nil:
		return err
	case report == nil:
		s.metrics.outcomes.WithLabelValues(req.Alias, "failed").Inc()
		return err
	}
	s.metrics.outcomes.WithLabelValues(req.Alias, string(report.Outcome)).Inc()
	log := s.deps.Log.With("feed", req.Alias, "outcome", report.Outcome, "took",
		time.Duration(report.Seconds*1e9).Round(time.Millisecond))
	switch report.Outcome {
	case Imported:
		s.metrics.seconds.WithLabelValues(req.Alias).Set(report.Seconds)
		log.InfoContext(ctx, "feed imported", "version", report.VersionID, "trips", report.Counts["trip"], "stop_times",
			report.Counts["stop_time"], "findings", findings(report))
	case Held:
		log.WarnContext(ctx, "feed version held", "version", report.VersionID, "reason", report.Reason)
	case Refused:
		log.WarnContext(ctx, "feed refused", "reason", report.Reason)
	case Unchanged:
		log.DebugContext(ctx, "feed unchanged")
	}
	return err
}

func findings(r *Report) (n int) {
	for _, f := range r.Findings {
		n += f.Count
	}
	return n
}

type metrics struct {
	outcomes *prometheus.CounterVec
	seconds  *prometheus.GaugeVec
}

func newMetrics(deps run.Deps) (*metrics, error) {
	m := &metrics{
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "townline_feed_imports_total",
			Help: "Polls of a feed's source by outcome: imported, unchanged, held, refused, failed."},
			[]string{"feed", "outcome"}),
		seconds: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "townline_feed_import_duration_seconds",
			Help: "Duration of the last import of a feed by this process."}, []string{"feed"}),
	}
	if err := errors.Join(deps.Metrics.Register(m.outcomes), deps.Metrics.Register(m.seconds)); err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return m, deps.Gauges(feedGauges...)
}

// expect creates the counters of a feed at 0, so that the first failure is visible as an increase.
func (m *metrics) expect(alias string) {
	for _, outcome := range []string{string(Imported), string(Unchanged), string(Held), string(Refused), "failed"} {
		m.outcomes.WithLabelValues(alias, outcome)
	}
}

var perFeed = []string{"feed"}

var feedGauges = []run.TableGauge{
	{Name: "townline_feed_live", Help: "1 if a version of the feed is live, 0 if none was imported yet.", Labels: perFeed,
		SQL: `
		SELECT alias, (version_id IS NOT NULL)::integer::float8 FROM transit.feed WHERE removed_at IS NULL`},
	{Name: "townline_feed_checked_timestamp_seconds", Help: "When the feed's source was last polled, successfully or not.",
		Labels: perFeed, SQL: `
		SELECT alias, extract(epoch FROM checked_at)::float8 FROM transit.feed WHERE removed_at IS NULL`},
	{Name: "townline_feed_check_failed", Help: "1 if the last poll of the source or its import failed, else 0.",
		Labels: perFeed, SQL: `
		SELECT alias, (check_error IS NOT NULL)::integer::float8 FROM transit.feed WHERE removed_at IS NULL`},
	{Name: "townline_feed_held", Help: "1 if a version of the feed is held, and waits for its day or for an operator.",
		Labels: []string{"feed", "for"}, SQL: `
		SELECT alias, w, (EXISTS (SELECT FROM transit.feed_version v WHERE v.feed_id = f.feed_id AND v.state = 'held'
		                          AND (v.live_from IS NULL) = (w = 'operator')))::integer::float8
		FROM transit.feed f, unnest('{day,operator}'::text[]) w WHERE removed_at IS NULL`},
	{Name: "townline_feed_imported_timestamp_seconds", Help: "When the live version went live.", Labels: perFeed, SQL: `
		SELECT alias, extract(epoch FROM imported_at)::float8
		FROM transit.feed JOIN transit.feed_version USING (version_id) WHERE removed_at IS NULL`},
	{Name: "townline_feed_ends_timestamp_seconds", Help: "End of the last day on which a trip of the live version runs, " +
		"at midnight UTC.", Labels: perFeed, SQL: `
		SELECT alias, extract(epoch FROM last_day + 1)::float8
		FROM transit.feed JOIN transit.feed_version USING (version_id) WHERE removed_at IS NULL`},
	{Name: "townline_feed_service_days", Help: "Number of the next seven days, from today, on which a trip of the live " +
		"version runs.", Labels: perFeed, SQL: `
		SELECT alias, (` + weekDays + `)::float8
		FROM transit.feed JOIN transit.feed_version v USING (version_id) WHERE removed_at IS NULL`},
	{Name: "townline_feed_imports_under_way", Help: "Feeds in progress, in any process, by state: waiting (for their " +
		"turn), fetching, importing.", Labels: []string{"state"}, SQL: `
		SELECT state, (SELECT count(*)::float8 FROM transit.feed_work w WHERE w.state = s.state
		       AND seen_at >= now() - interval '5 seconds')
		FROM unnest('{waiting,fetching,importing}'::text[]) s (state)`},
	{Name: "townline_feed_trips", Help: "Trips of the live version.", Labels: perFeed, SQL: `
		SELECT alias, (counts->>'trip')::float8
		FROM transit.feed JOIN transit.feed_version USING (version_id) WHERE removed_at IS NULL`},
	{Name: "townline_feed_findings", Help: "Findings of the import of the live version, by effect.",
		Labels: []string{"feed", "effect"}, SQL: `
		SELECT alias, effect, (SELECT coalesce(sum((f->>'count')::float8), 0)
		                       FROM jsonb_path_query(report, '$.findings[*]') f WHERE f->>'effect' = effect)
		FROM transit.feed JOIN transit.feed_version USING (version_id),
		     unnest('{row left out,cell emptied,cell changed,file skipped,noted}'::text[]) effect
		WHERE removed_at IS NULL`},
}
