// Package rtpoller polls GTFS-Realtime sources and keeps the last good snapshot of
// each in Postgres.
//
// A source is polled on demand: an API that finds it stale publishes a refresh request. Any number
// of requests, APIs and pollers make one poll, at least min_interval after the previous one.
// Without demand a source is polled every idle_interval, or not at all. The row of the source in
// transit.source is the lock for all replicas.
//
// Only a complete and current FeedMessage with entities replaces the snapshot; anything else is
// counted and logged. The package serves no readers and does not interpret entities: transit-api
// does.
//
// Start reading at Run; register.go keeps the rows, poll.go is one poll, message.go checks an
// answer.
package rtpoller

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// Config has the settings of the service, from the environment.
type Config struct {
	TransitConfig string `env:"TRANSIT_CONFIG" doc:"transit.yaml: the realtime sources. Without it there is nothing to poll."`
	AllowPrivate  bool   `env:"TOWNLINE_ALLOW_PRIVATE" doc:"Let fetches reach private and loopback addresses."`
	UserAgent     string `env:"TOWNLINE_USER_AGENT" envDefault:"townline (+https://github.com/townline/townline)" doc:"User-Agent of requests to sources."`
	MaxBytes      int64  `env:"RT_MAX_BYTES" envDefault:"16777216" doc:"Largest answer of a source, in bytes. Memory needed is six times that plus 160 MiB: set GOMEMLIMIT accordingly."`
	MaxPause      time.
			Duration `env:"RT_MAX_PAUSE" envDefault:"15m" doc:"Longest pause that the server of a source can ask for (Retry-After)."`
}

// Program describes the service to its binary, to townline up and to tests.
func Program() run.Service {
	return run.Typed[Config]{
		Name: "rt-poller", Part: schema.Transit, Run: Run,
		Preflight: func(cfg Config, env conf.Environ) error {
			_, err := conf.ReadTransit(cfg.TransitConfig, env)
			return err
		},
	}.Service()
}

// Validate reports what is wrong beyond types.
func (c *Config) Validate() error {
	if c.MaxBytes < usual || c.MaxBytes > 1<<30 {
		return fmt.Errorf("RT_MAX_BYTES must be between %d and %d", usual, 1<<30)
	}
	if c.MaxPause < time.Second || c.MaxPause > 24*time.Hour {
		return errors.New("RT_MAX_PAUSE must be between 1s and 24h")
	}
	return nil
}

// MemoryFor is the memory that the service may take when a source answers with maxBytes: the
// growing buffer, a copy for the database, the scanned entities, and answers of usual size of the
// other sources.
func MemoryFor(maxBytes int64) int64 { return 160<<20 + 6*maxBytes }

// fits returns an error if the largest answer does not fit into limit bytes of memory.
func (c Config) fits(limit int64) error {
	if need := MemoryFor(c.MaxBytes); need > limit {
		return fmt.Errorf("RT_MAX_BYTES=%d may take %d MiB of memory, and GOMEMLIMIT is %d MiB: raise it and the memory "+
			"limit of the container, or lower RT_MAX_BYTES",
			c.MaxBytes, need>>20, limit>>20)
	}
	return nil
}

// Run polls until ctx ends.
func Run(ctx context.Context, cfg Config, deps run.Deps) error {
	transit, err := conf.ReadTransit(cfg.TransitConfig, deps.Environ)
	if err != nil {
		return err
	}
	metrics, err := newMetrics(deps)
	if err != nil {
		return err
	}
	if err := cfg.fits(debug.SetMemoryLimit(-1)); err != nil {
		return err
	}
	pollers := open(cfg, transit, deps, metrics)
	byName := map[string]*poller{}
	for _, p := range pollers {
		byName[p.alias+" "+p.source] = p
		if err := metrics.expect(p); err != nil {
			return err
		}
	}
	// Sources are polled once they are registered, for which the database must be reachable.
	registered := make(chan struct{})
	g := run.NewGroup(ctx)
	g.Go("registry", func(ctx context.Context) error {
		return newRegistry(deps, pollers).run(ctx, func() { close(registered) })
	})
	for _, p := range pollers {
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
		return errors.Join(err, g.Stop())
	}
	return g.Wait()
}
