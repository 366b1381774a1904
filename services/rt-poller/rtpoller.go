// Package rtpoller polls GTFS-Realtime sources and keeps the last good snapshot of
// each in Postgres.
//
// A source is polled when somebody needs it: an API that finds it stale publishes
// a refresh request, and any number of requests, APIs and pollers make one poll,
// never sooner than the source's min_interval after the one before. Without
// demand it is polled every idle_interval, or not at all. The row of the source
// in transit.source is the lock that makes this true over replicas.
//
// An answer counts only if it is a whole, full and current FeedMessage; anything
// else is counted and logged, and what was good before stays. The package never
// answers readers and never interprets entities: that is transit-api.
//
// Start reading at Run; poll.go is one poll, message.go judges an answer.
package rtpoller

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// Config is what the service takes from the environment.
type Config struct {
	TransitConfig string `env:"TRANSIT_CONFIG" doc:"transit.yaml: the realtime sources. Without it there is nothing to poll."`
	AllowPrivate  bool   `env:"TOWNLINE_ALLOW_PRIVATE" doc:"Let fetches reach private and loopback addresses."`
	UserAgent     string `env:"TOWNLINE_USER_AGENT" envDefault:"townline (+https://github.com/townline/townline)" doc:"User-Agent of requests to sources."`
	MaxBytes      int64  `env:"RT_MAX_BYTES" envDefault:"67108864" doc:"Largest answer of a source, in bytes."`
	// Environ is what ${NAME} in the file refers to; nil is the environment of the process.
	Environ conf.Environ `env:"-"`
}

// Run polls until ctx ends.
func Run(ctx context.Context, cfg Config, deps run.Deps) error {
	if cfg.Environ == nil {
		cfg.Environ = conf.OS()
	}
	transit, err := conf.ReadTransit(cfg.TransitConfig, cfg.Environ)
	if err != nil {
		return err
	}
	metrics, err := newMetrics(deps)
	if err != nil {
		return err
	}
	pollers := open(cfg, transit, deps, metrics)
	// The database may be away at the start; the sources are registered when it is back.
	registered := make(chan struct{})
	g := run.NewGroup(ctx)
	g.Watch(func(ctx context.Context) {
		pause := 100 * time.Millisecond
		for {
			err := register(ctx, deps, pollers)
			if err == nil {
				close(registered)
				return
			}
			deps.Log.Warn("cannot register the realtime sources yet", "error", err)
			if !run.Sleep(ctx, pause) {
				return
			}
			pause = min(2*pause, 5*time.Second)
		}
	})
	byName := map[string]*poller{}
	for _, p := range pollers {
		byName[p.alias+" "+p.source] = p
		metrics.expect(p.alias, p.source)
		g.Watch(func(ctx context.Context) {
			select {
			case <-ctx.Done():
			case <-registered:
				p.loop(ctx)
			}
		})
	}
	err = events.Subscribe(g.Context(), deps.Events, func(m *eventsv1.RefreshSource) {
		if p := byName[m.GetAlias()+" "+m.GetSource()]; p != nil {
			p.ask()
		}
	})
	if err != nil {
		return err
	}
	g.Go("rt-poller", func(ctx context.Context) error { <-ctx.Done(); return nil })
	return g.Wait()
}

// register makes the rows of transit.source those of the configuration.
func register(ctx context.Context, deps run.Deps, pollers []*poller) error {
	err := pg.Tx(ctx, deps.DB, func(tx pgx.Tx) error {
		var aliases, sources []string
		for _, p := range pollers {
			aliases, sources = append(aliases, p.alias), append(sources, p.source)
			// The place of a source that has left is given to another one: nothing of the old one holds for it.
			_, err := tx.Exec(ctx, `DELETE FROM transit.source WHERE alias = $1 AND source = $2 AND address <> $3`, p.alias, p.source, p.address())
			if err != nil {
				return err
			}
			_, err = tx.Exec(ctx, `
				INSERT INTO transit.source (alias, source, kind, stale_after, min_interval, address)
				VALUES ($1, $2, $3, $4, $5, $6)
				ON CONFLICT (alias, source) DO UPDATE
				SET kind = excluded.kind, stale_after = excluded.stale_after, min_interval = excluded.min_interval, address = excluded.address`,
				p.alias, p.source, p.Kind, p.StaleAfter, p.MinInterval, p.address())
			if err != nil {
				return err
			}
		}
		// What the configuration no longer names is not served any more.
		_, err := tx.Exec(ctx, `
			DELETE FROM transit.source s
			WHERE NOT EXISTS (SELECT 1 FROM unnest($1::text[], $2::text[]) AS c (alias, source)
			                  WHERE c.alias = s.alias AND c.source = s.source)`, aliases, sources)
		return err
	})
	if err != nil {
		return fmt.Errorf("register realtime sources: %w", err)
	}
	return nil
}
