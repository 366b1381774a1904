// Package gtfsimport brings GTFS feeds into the database: from a path, a folder or a
// URL, on a schedule or on request, so that readers see yesterday's feed or
// today's, never half.
//
// An import is Import, and reads like this: claim the feed, so that no two replicas fetch the same zip;
// get the zip (a conditional GET, or a path) and its hash, and stop if nothing is new. All this holds no connection.
// Then wait for a turn and take the feed's lock, on the one connection that the import has from here on. In
// one transaction, make the tables of a new version (internal/stage), read the
// files into them (internal/load), compare them with those of the version that is live (internal/diff), and attach them
// beside those; in another, of a few milliseconds, make the new one live
// with a higher generation: the moment at which readers change over. After it an event tells them.
// Whatever fails before it, even kill -9, leaves what is live as it is.
//
// Locks are taken in this order: a feed's, then that of the tables. Sweep has the janitor's before, and
// asks for a feed's without waiting.
//
// A feed with bad cells or rows is imported without them, and the audit names each
// with file, line and reason; a feed that is of no use is refused, and the one before stays.
//
// Run is the service: it looks at the feeds of transit.yaml when they are due, does the
// import requests that come over NATS, and drops retired versions. The operator's
// command calls Import, Rollback, Remove, ListFeeds and OneReport directly. The tables are explained in pkg/schema/transit; the package
// answers no reader, and knows no realtime.
package gtfsimport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// Config is what the service takes from the environment.
type Config struct {
	TransitConfig string        `env:"TRANSIT_CONFIG" doc:"transit.yaml: the feeds. Without it feeds are imported by hand."`
	AllowPrivate  bool          `env:"TOWNLINE_ALLOW_PRIVATE" doc:"Let fetches reach private and loopback addresses."`
	UserAgent     string        `env:"TOWNLINE_USER_AGENT" envDefault:"townline (+https://github.com/townline/townline)" doc:"User-Agent of requests to sources."`
	Grace         time.Duration `env:"IMPORT_GRACE" envDefault:"5m" doc:"How long a feed version that was replaced stays for readers that are still at it."`
	AtOnce        int           `env:"IMPORT_AT_ONCE" envDefault:"2" doc:"How many feeds are imported at the same time; each needs one connection, and one is left over. More may be fetched meanwhile."`
}

// Program is the service for those who run it.
func Program() run.Service {
	return run.Typed[Config]{
		Name: "gtfs-import", Part: schema.Transit, Run: Run,
		Preflight: func(cfg Config, env conf.Environ) error {
			_, err := conf.ReadTransit(cfg.TransitConfig, env)
			return err
		},
	}.Service()
}

// lookEvery is how often the service asks itself whether a feed is due.
const lookEvery = 30 * time.Second

// Run imports feeds until ctx ends.
func Run(ctx context.Context, cfg Config, deps run.Deps) error {
	transit, err := conf.ReadTransit(cfg.TransitConfig, deps.Environ)
	if err != nil {
		return err
	}
	s := &service{cfg: cfg, deps: deps, feeds: map[string]conf.Feed{}, turns: newTurns(cfg.AtOnce, int(deps.DB.Config().MaxConns))}
	if s.metrics, err = newMetrics(deps); err != nil {
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
				Name: "import of " + f.Alias, Period: lookEvery, Jitter: time.Second, MaxBackoff: max(f.Every, lookEvery), Log: deps.Log,
			}, func(ctx context.Context) error { return s.check(ctx, f) })
		})
	}
	g.Go("import requests", func(ctx context.Context) error { return events.Consume(ctx, deps.Events, s.request) })
	g.Go("janitor", func(ctx context.Context) error {
		return run.Every(ctx, run.Loop{Name: "dropping of retired feed versions", Period: time.Minute, Jitter: 10 * time.Second, Log: deps.Log},
			func(ctx context.Context) error { return Sweep(ctx, deps, cfg.Grace) })
	})
	return g.Wait()
}

type service struct {
	cfg     Config
	deps    run.Deps
	feeds   map[string]conf.Feed // by alias
	metrics *metrics
	turns   turns
}

// check imports a feed if it is due: never looked at, or longer ago than it is to be;
// sooner if the last look failed.
func (s *service) check(ctx context.Context, f conf.Feed) error {
	var due bool
	err := s.deps.DB.QueryRow(ctx, `
		SELECT NOT EXISTS (
			SELECT FROM transit.feed
			WHERE alias = $1
			  -- A look that is dated ahead was written while a clock was wrong: it counts for nothing.
			  AND checked_at BETWEEN now() - CASE WHEN check_error IS NULL THEN $2::interval ELSE least($2, interval '5 minutes') END
			                     AND now() + interval '1 minute')`,
		f.Alias, f.Every).Scan(&due)
	if err != nil || !due {
		return err
	}
	err = s.run(ctx, Request{Alias: f.Alias, Name: f.Name, Source: f.URL, Headers: f.Headers, Encoding: f.Encoding, Check: true})
	if errors.Is(err, ErrBusy) || errors.Is(err, ErrRefused) {
		return nil // another replica is at it; or it is noted, logged, and not changed by trying again
	}
	return err
}

// request does a work request.
func (s *service) request(ctx context.Context, m *eventsv1.ImportFeed) error {
	f := s.feeds[m.GetAlias()]
	req := Request{Alias: m.GetAlias(), Name: f.Name, Source: f.URL, Headers: f.Headers, Encoding: f.Encoding, Force: m.GetForce(), Wait: true}
	if m.GetUrl() != "" {
		if !isURL(m.GetUrl()) {
			// A message must not be able to name files.
			return fmt.Errorf("import %s: the source of a request must be an http or https URL: %w", m.GetAlias(), events.ErrFinal)
		}
		if req.Source != m.GetUrl() {
			req.Source, req.Headers = m.GetUrl(), nil // keys are for the configured address
		}
	}
	err := s.run(ctx, req)
	if errors.Is(err, ErrRefused) {
		return nil
	}
	return err
}

// run does an import, and tells the log and the metrics how it went.
func (s *service) run(ctx context.Context, req Request) error {
	req.AllowPrivate, req.UserAgent = s.cfg.AllowPrivate, s.cfg.UserAgent
	ctx, done := s.deps.Span(ctx, "import feed", slog.String("feed", req.Alias))
	report, err := importFeed(ctx, s.deps, s.turns, req)
	done(err)
	switch {
	case errors.Is(err, ErrBusy) || ctx.Err() != nil:
		return err
	case report == nil:
		s.metrics.outcomes.WithLabelValues(req.Alias, "failed").Inc()
		return err
	}
	s.metrics.outcomes.WithLabelValues(req.Alias, string(report.Outcome)).Inc()
	log := s.deps.Log.With("feed", req.Alias, "outcome", report.Outcome, "took", time.Duration(report.Seconds*1e9).Round(time.Millisecond))
	switch report.Outcome {
	case Imported:
		s.metrics.seconds.WithLabelValues(req.Alias).Set(report.Seconds)
		log.InfoContext(ctx, "feed imported", "version", report.VersionID, "trips", report.Counts["trip"], "stop_times", report.Counts["stop_time"], "findings", findings(report))
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
