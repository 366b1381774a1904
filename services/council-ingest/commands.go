package councilingest

import (
	"context"
	"io"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/conf"
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
	// Settings is council.yaml.
	Settings = settings.Settings
	// A Portal is where the council publishes, in Settings.
	Portal = settings.Portal
	// A Summary is what a command did.
	Summary = desk.Summary
	// A Request says what to ingest.
	Request = visit.Request
	// Progress is one meeting of an ingest, done.
	Progress = visit.Progress
	// A Document is minutes from a file.
	Document = load.Document
	// Corrected is what became of corrections.
	Corrected = corrections.Corrected
	// Saying is how something is said.
	Saying = corrections.Saying
	// A Doubt is a vote whose record may not be what happened, and why.
	Doubt = check.Doubt
	// A Portrait is what can be said of a portal from its address alone.
	Portrait = probe.Portrait
)

// ErrUnknownName reports a correction with a name that nobody has.
var ErrUnknownName = corrections.ErrUnknownName

// ReadSettings reads council.yaml, and from the environment where documents are kept; an empty path means the defaults.
func ReadSettings(path string, env conf.Environ) (*Settings, error) { return settings.Read(path, env) }

// Ingest brings the tables to what the portals show.
func Ingest(ctx context.Context, deps run.Deps, set *Settings, req Request) (Summary, error) {
	return visit.New(deps, set, nil).Ingest(ctx, req)
}

// Load stores minutes from a file as those of one meeting.
func Load(ctx context.Context, deps run.Deps, set *Settings, doc Document) (Summary, error) {
	return load.Load(ctx, deps, set, doc)
}

// Reparse derives everything again from the archive; without all, from the documents that another version has read.
func Reparse(ctx context.Context, deps run.Deps, set *Settings, all bool) (Summary, error) {
	return reparse.Reparse(ctx, deps, set, all)
}

// Verify proves that what is stored follows from the archive. It prints each difference and returns how many there are.
func Verify(ctx context.Context, deps run.Deps, set *Settings, out io.Writer) (int, error) {
	return reparse.Verify(ctx, deps, set, out)
}

// Check finds contradictions in the stored votes that have no anomaly: a line for each, never nil, and of how many votes they are.
func Check(ctx context.Context, deps run.Deps) (wrong []string, votes int, err error) {
	return check.Check(ctx, deps)
}

// LeastSure lists the n votes of which the record is least sure, least sure first.
func LeastSure(ctx context.Context, deps run.Deps, n int) ([]Doubt, error) {
	return check.LeastSure(ctx, deps, n)
}

// Correct stores corrections of one item or vote, all or none, and lays them over what was read.
func Correct(ctx context.Context, deps run.Deps, all []clerk.Correction, how Saying) (Corrected, error) {
	return corrections.Correct(ctx, deps, all, how)
}

// Withdraw takes a correction back.
func Withdraw(ctx context.Context, deps run.Deps, which int64, author, reason string, how Saying) (Corrected, error) {
	return corrections.Withdraw(ctx, deps, which, author, reason, how)
}

// Apply brings corrections and reviews to the readers, and reports whether there were any.
func Apply(ctx context.Context, deps run.Deps) (bool, error) { return corrections.Apply(ctx, deps) }

// ApplyIfAllowed is Apply for a role that may not write what council-ingest writes: that is no error, and council-ingest does it.
func ApplyIfAllowed(ctx context.Context, deps run.Deps) (live bool, err error) {
	return corrections.ApplyIfAllowed(ctx, deps)
}

// Probe asks the portal that the council uses now what an ingest asks first, and stores nothing.
func Probe(ctx context.Context, set *Settings, allowPrivate bool) (listed, ours int, others string, err error) {
	return probe.Probe(ctx, set, allowPrivate)
}

// PortalAdvice says what to do about an error of [Probe]; "" when there is nothing but to wait.
func PortalAdvice(set *Settings, err error) string { return probe.Advice(set, err) }

// Describe finds out what is at an address, with a handful of requests, and stores nothing.
func Describe(ctx context.Context, set *Settings, address string, allowPrivate bool) (Portrait, error) {
	return probe.Describe(ctx, set, address, allowPrivate)
}

// Parse prints what the parser reads in each file by the words of this council, as JSON; it stores nothing. A nil set has no words of its own.
func Parse(ctx context.Context, set *Settings, files []string, stdout, stderr io.Writer) error {
	if set == nil {
		set = &Settings{}
	}
	return parsecmd.Parse(ctx, files, stdout, stderr, parsecmd.Options{Minutes: set.Minutes(false)})
}

// Explain prints how each line of a file of minutes is read and why, by the words of
// this council.
func Explain(ctx context.Context, set *Settings, file string, stdout io.Writer, asJSON bool) error {
	return parsecmd.Explain(ctx, file, stdout, asJSON, parsecmd.Options{Minutes: set.Minutes(false)})
}

// RunChild belongs at the top of every main that ingests: when this process was
// started to read one PDF in confinement, it does that and ends.
func RunChild() { pdftext.RunChild() }
