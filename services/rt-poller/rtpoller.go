// Package rtpoller polls GTFS-Realtime sources and keeps the last good snapshots in Postgres.
//
// A source is polled on demand: an API that finds it stale publishes a refresh request. Any number
// of requests, APIs and pollers cause one poll, at least min_interval after the previous poll.
// Without requests a source is polled every idle_interval, or not at all. Its row in transit.source
// is the lock for all replicas.
//
// Only a complete and current FeedMessage with entities replaces the snapshot; other answers are
// counted and logged. transit-api interprets the entities.
//
// Published messages are then judged by the rules of gtfs-realtime-validator. If that fails, the
// message stays published.
//
// Feeds with observe: true are polled day and night, and internal/observe stores what really ran.
//
// Start at Run; register.go keeps the rows, poll.go polls, message.go checks answers, judgements.go
// stores the findings of pkg/gtfsrt/judge.
package rtpoller

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/gtfsrt/judge"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/rt-poller/internal/observe"
)

// Config has the settings of the service, from the environment.
type Config struct {
	TransitConfig string        `env:"TRANSIT_CONFIG" doc:"transit.yaml: the realtime sources. Without it there is nothing to poll."`
	AllowPrivate  bool          `env:"TOWNLINE_ALLOW_PRIVATE" doc:"Let fetches reach private and loopback addresses."`
	UserAgent     string        `env:"TOWNLINE_USER_AGENT" envDefault:"townline (+https://github.com/townline/townline)" doc:"User-Agent of requests to sources."`
	MaxBytes      int64         `env:"RT_MAX_BYTES" envDefault:"16777216" doc:"Largest answer of a source, in bytes. Memory needed is six times that plus 200 MiB: set GOMEMLIMIT accordingly."`
	VisitDays     int           `env:"OBSERVE_VISIT_DAYS" envDefault:"400" doc:"Days for which the visits of stops of observed feeds are kept."`
	FigureDays    int           `env:"OBSERVE_FIGURE_DAYS" envDefault:"1096" doc:"Days for which the daily figures of observed feeds are kept."`
	MaxPause      time.Duration `env:"RT_MAX_PAUSE" envDefault:"15m" doc:"Longest pause that the server of a source can ask for (Retry-After)."`
}

// Program describes the service for its binary, townline up and tests.
func Program() run.Service {
	return run.Program[Config]{
		Name: "rt-poller", Part: schema.Transit, Run: Run,
		Preflight: func(cfg Config, env conf.Environ) error {
			_, err := conf.ReadTransit(cfg.TransitConfig, env)
			return err
		},
	}.Service()
}

// Validate checks the ranges of settings.
func (c *Config) Validate() error {
	if c.MaxBytes < smallAnswer || c.MaxBytes > 1<<30 {
		return fmt.Errorf("RT_MAX_BYTES must be between %d and %d", smallAnswer, 1<<30)
	}
	if c.VisitDays < 2 || c.VisitDays > 36_500 || c.FigureDays < c.VisitDays || c.FigureDays > 36_500 {
		return errors.New("OBSERVE_VISIT_DAYS must be from 2 to OBSERVE_FIGURE_DAYS, which must be at most 36500")
	}
	if c.MaxPause < time.Second || c.MaxPause > 24*time.Hour {
		return errors.New("RT_MAX_PAUSE must be between 1s and 24h")
	}
	return nil
}

// MemoryFor returns the memory that the service needs if a source answers with maxBytes. It
// includes the growing buffer, a copy for the database, scanned entities, smaller answers of other
// sources, messages that wait to be judged, and facts.
func MemoryFor(maxBytes int64) int64 { return 144<<20 + judgeBytes + judge.FactsBytes + 6*maxBytes }

// checkMemory returns an error if the largest answer does not fit into limit bytes of memory.
func (c Config) checkMemory(limit int64) error {
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
	if err := cfg.checkMemory(debug.SetMemoryLimit(-1)); err != nil {
		return err
	}
	watches := newWatches(cfg, transit, deps)
	pollers := newPollers(cfg, transit, deps, metrics)
	byName := map[string]*poller{}
	for _, p := range pollers {
		p.watch = watches[p.alias]
		byName[p.alias+" "+p.source] = p
		if err := metrics.register(p); err != nil {
			return err
		}
	}
	// Polling starts after the sources are registered in the database.
	registered := make(chan struct{})
	g := run.NewGroup(ctx)
	g.Go("registry", func(ctx context.Context) error {
		return newRegistry(deps, pollers).run(ctx, func() { close(registered) })
	})
	if len(pollers) > 0 {
		g.Watch(pollers[0].judges.loop)
	}
	for _, p := range pollers {
		g.Watch(func(ctx context.Context) {
			select {
			case <-ctx.Done():
			case <-registered:
				p.loop(ctx)
			}
		})
	}
	for _, w := range watches {
		g.Watch(w.Loop)
	}
	err = events.Subscribe(g.Context(), deps.Events, func(m *eventsv1.RefreshSource) {
		if p := byName[m.GetAlias()+" "+m.GetSource()]; p != nil {
			p.request()
		}
	})
	if err == nil && len(watches) > 0 {
		err = events.Subscribe(g.Context(), deps.Events, func(m *eventsv1.SnapshotStored) {
			if w := watches[m.GetAlias()]; w != nil {
				w.Wake()
			}
		})
	}
	if err != nil {
		return errors.Join(err, g.Stop())
	}
	return g.Wait()
}

// newWatches returns the observers of the feeds that are observed, by alias.
func newWatches(cfg Config, transit *conf.Transit, deps run.Deps) map[string]*observe.Watch {
	keep := observe.Keep{Visits: days(cfg.VisitDays), Figures: days(cfg.FigureDays)}
	watches := map[string]*observe.Watch{}
	for _, f := range transit.Feeds {
		if !f.Observe {
			continue
		}
		var sources []observe.Source
		for i, name := range sourceNames(f) {
			if f.Realtime[i].Kind != conf.Alerts {
				sources = append(sources, observe.Source{Name: name, Kind: f.Realtime[i].Kind})
			}
		}
		watches[f.Alias] = observe.NewWatch(deps.DB, deps.Log, f.Alias, sources, keep)
	}
	return watches
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// sourceNames returns the names of a feed's sources: kind, and number among those of the kind.
func sourceNames(f conf.Feed) []string {
	names, numbers := make([]string, len(f.Realtime)), map[string]int{}
	for i, s := range f.Realtime {
		names[i] = fmt.Sprintf("%s/%d", s.Kind, numbers[s.Kind])
		numbers[s.Kind]++
	}
	return names
}
