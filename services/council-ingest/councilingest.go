// Package councilingest is the service that reads a town council's portal and stores its votes:
// calendar, meeting pages, minutes as published, and the votes, members and contradictions in them.
//
// This package has the schedule and the commands for operators. From the bottom up: internal/portal
// reads portals, internal/pdftext and internal/doctext extract text, internal/minutes parses it,
// internal/archive stores the sources, internal/merge writes items and votes, internal/classify
// labels items. internal/settings reads council.yaml, internal/writer runs transactions,
// internal/publish publishes one meeting, internal/visit finds new and changed meetings.
//
// It is the only writer of the Postgres schema council. It shares tables and one event with
// council-api.
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
	"github.com/townline/townline/services/council-ingest/internal/pdftext"
	"github.com/townline/townline/services/council-ingest/internal/settings"
	"github.com/townline/townline/services/council-ingest/internal/visit"
	"github.com/townline/townline/services/council-ingest/internal/writer"
)

type Config struct {
	// File is the path of council.yaml. Without it the service has no portal.
	File         string        `env:"COUNCIL_CONFIG" doc:"council.yaml: the portal and the words of this council."`
	AllowPrivate bool          `env:"TOWNLINE_ALLOW_PRIVATE" doc:"Let fetches reach private and loopback addresses."`
	Every        time.Duration `env:"COUNCIL_INGEST_EVERY" envDefault:"6h" doc:"How often the portal is read."`
	// Archive is the object store of documents. [ReadSettings] also reads these variables.
	Archive objects.Config
}

func Program() run.Service {
	return run.Program[Config]{
		Name: "council-ingest", Part: schema.Council, Run: Run,
		Preflight: func(cfg Config, env conf.Environ) error {
			_, err := ReadSettings(cfg.File, env)
			return err
		},
	}.Service()
}

func (c *Config) Validate() error {
	if c.Every < time.Minute {
		return fmt.Errorf("COUNCIL_INGEST_EVERY: %s is shorter than a minute", c.Every)
	}
	return c.Archive.Validate()
}

// Run runs the schedule until ctx ends. Only one replica works and the others stand by, because a
// portal must get its requests from one client at a limited rate.
func Run(ctx context.Context, cfg Config, deps run.Deps) error {
	set, err := ReadSettings(cfg.File, deps.Environ)
	if err != nil {
		return fmt.Errorf("council-ingest: %w", err)
	}
	s, err := newScheduler(cfg, deps, set)
	if err != nil {
		return err
	}
	if !set.Configured() {
		deps.Log.Info("no portal is configured; minutes are loaded by hand")
	}
	return pg.Alone(ctx, deps.DB, "council ingest", s.run)
}

type (
	Settings = settings.Settings
	Portal   = settings.Portal
	Summary  = writer.Summary
	Request  = visit.Request
	Progress = visit.Progress
)

var (
	ReadSettings = settings.Read
	// RunChild must be the first call of main in every program that ingests. In a child process that
	// reads a PDF, it does that and exits.
	RunChild = pdftext.RunChild
)

// Ingest brings the tables up to date with the portals.
func Ingest(ctx context.Context, deps run.Deps, set *Settings, req Request) (Summary, error) {
	return visit.New(deps, set, nil).Ingest(ctx, req)
}
