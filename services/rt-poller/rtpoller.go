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
// Start reading at Run; register.go keeps the rows, poll.go is one poll, message.go judges an answer.
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

// Config is what the service takes from the environment.
type Config struct {
	TransitConfig string        `env:"TRANSIT_CONFIG" doc:"transit.yaml: the realtime sources. Without it there is nothing to poll."`
	AllowPrivate  bool          `env:"TOWNLINE_ALLOW_PRIVATE" doc:"Let fetches reach private and loopback addresses."`
	UserAgent     string        `env:"TOWNLINE_USER_AGENT" envDefault:"townline (+https://github.com/townline/townline)" doc:"User-Agent of requests to sources."`
	MaxBytes      int64         `env:"RT_MAX_BYTES" envDefault:"16777216" doc:"Largest answer of a source, in bytes. Each byte needs six of memory, beside 160 MiB: mind GOMEMLIMIT."`
	MaxPause      time.Duration `env:"RT_MAX_PAUSE" envDefault:"15m" doc:"Longest time that a source is left alone because its server asks for it (Retry-After)."`
}

// Program is the service for those who run it.
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
		return fmt.Errorf("RT_MAX_BYTES is to be between %d and %d", usual, 1<<30)
	}
	if c.MaxPause < time.Second || c.MaxPause > 24*time.Hour {
		return errors.New("RT_MAX_PAUSE is to be between 1s and 24h")
	}
	return nil
}

// MemoryFor is how much memory the service may take when a source answers with so many bytes: the answer as it grows, a copy on
// its way to the database, what was found in it, and the answers of usual size of all other sources.
func MemoryFor(maxBytes int64) int64 { return 160<<20 + 6*maxBytes }

// fits tells whether the largest answer fits into a memory of so many bytes.
func (c Config) fits(limit int64) error {
	if need := MemoryFor(c.MaxBytes); need > limit {
		return fmt.Errorf("RT_MAX_BYTES=%d may take %d MiB of memory, and GOMEMLIMIT is %d MiB: raise that and the limit of the container, or lower RT_MAX_BYTES",
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
	// The database may be away at the start; the sources are polled once they are registered.
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
