// Package councilingest is the service that reads a town council's portal and
// keeps what was voted: calendar and meeting pages, minutes as published, the text
// of them, and the votes, members and contradictions found in that text.
//
// Here are only its settings, what it needs to run, and the commands for operators. From the ground
// up: internal/portal asks the portals, internal/pdftext and internal/doctext turn documents into
// text, internal/minutes turns text into a record, internal/archive keeps what is fetched,
// internal/merge writes what a record says, internal/classify labels items. Above them
// internal/settings is council.yaml, internal/desk the one writer, internal/publish one meeting's
// transaction. internal/visit asks the portals what is new, internal/reparse reads the archive
// again, internal/load a file; internal/schedule decides when.
//
// It is the only writer of the Postgres schema council, and the API is the only
// reader that matters; they share nothing but the tables and one announcement.
package councilingest

import (
	"context"
	"fmt"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/services/council-ingest/internal/schedule"
)

// Config is the service's infrastructure.
type Config struct {
	// File is council.yaml; without it the service waits for work and finds no portal.
	File         string        `env:"COUNCIL_CONFIG" doc:"council.yaml: the portal and the words of this council."`
	AllowPrivate bool          `env:"TOWNLINE_ALLOW_PRIVATE" doc:"Let fetches reach private and loopback addresses."`
	Every        time.Duration `env:"COUNCIL_INGEST_EVERY" envDefault:"6h" doc:"How often the portal is read."`
	// Archive is where documents are kept instead of Postgres; [ReadSettings] reads it, too.
	Archive objects.Config
}

// Program describes the service to its binary, to townline up and to tests.
func Program() run.Service {
	return run.Typed[Config]{
		Name: "council-ingest", Part: schema.Council, Run: Run,
		Preflight: func(cfg Config, env conf.Environ) error {
			_, err := ReadSettings(cfg.File, env)
			return err
		},
	}.Service()
}

// Validate reports what is wrong with the settings.
func (c *Config) Validate() error {
	if c.Every < time.Minute {
		return fmt.Errorf("COUNCIL_INGEST_EVERY: %s is shorter than a minute", c.Every)
	}
	return c.Archive.Validate()
}

// Run is the service: it works by its schedule until ctx ends. Of several replicas one works and
// the others stand by, for a portal is to be asked by one, at one pace.
func Run(ctx context.Context, cfg Config, deps run.Deps) error {
	set, err := ReadSettings(cfg.File, deps.Environ)
	if err != nil {
		return fmt.Errorf("council-ingest: %w", err)
	}
	s, err := schedule.New(deps, set)
	if err != nil {
		return err
	}
	s.Every, s.AllowPrivate = cfg.Every, cfg.AllowPrivate
	if !set.Configured() {
		deps.Log.Info("no portal is configured; minutes are loaded by hand")
	}
	return pg.Alone(ctx, deps.DB, "council ingest", s.Work)
}
