package councilingest

import (
	"context"
	"io"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/check"
	"github.com/townline/townline/services/council-ingest/internal/corrections"
	"github.com/townline/townline/services/council-ingest/internal/desk"
	"github.com/townline/townline/services/council-ingest/internal/load"
	"github.com/townline/townline/services/council-ingest/internal/parsecmd"
	"github.com/townline/townline/services/council-ingest/internal/pdftext"
	"github.com/townline/townline/services/council-ingest/internal/probe"
	"github.com/townline/townline/services/council-ingest/internal/reparse"
	"github.com/townline/townline/services/council-ingest/internal/settings"
	"github.com/townline/townline/services/council-ingest/internal/visit"
)

// What the commands for operators take and return.
type (
	Settings  = settings.Settings
	Portal    = settings.Portal
	Summary   = desk.Summary
	Request   = visit.Request
	Progress  = visit.Progress
	Document  = load.Minutes
	Corrected = corrections.Corrected
	Saying    = corrections.Saying
	Doubt     = check.Doubt
)

// The commands for operators; each is described in its package.
var (
	ReadSettings = settings.Read

	Load           = load.Load
	Reparse        = reparse.Reparse
	Verify         = reparse.Verify
	Check          = check.Check
	LeastSure      = check.LeastSure
	Correct        = corrections.Correct
	Withdraw       = corrections.Withdraw
	Apply          = corrections.Apply
	ApplyIfAllowed = corrections.ApplyIfAllowed
	ErrUnknownName = corrections.ErrUnknownName
	Probe          = probe.Probe
	PortalAdvice   = probe.Advice
	Describe       = probe.Describe

	// RunChild belongs at the top of every main that ingests: when this process was started to read
	// one PDF in confinement, it does that and ends.
	RunChild = pdftext.RunChild
)

// Ingest brings the tables to what the portals show.
func Ingest(ctx context.Context, deps run.Deps, set *Settings, req Request) (Summary, error) {
	return visit.New(deps, set, nil).Ingest(ctx, req)
}

// Parse prints what the parser reads in each file by the words of this council, as JSON; it stores
// nothing. A nil set has no words of its own.
func Parse(ctx context.Context, set *Settings, files []string, stdout, stderr io.Writer) error {
	if set == nil {
		set = &Settings{}
	}
	return parsecmd.Parse(ctx, files, stdout, stderr, set.Minutes(false))
}

// Explain prints how each line of a file of minutes is read and why, by the words of
// this council.
func Explain(ctx context.Context, set *Settings, file string, stdout io.Writer, asJSON bool) error {
	return parsecmd.Explain(ctx, file, stdout, asJSON, set.Minutes(false))
}
