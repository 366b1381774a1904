package councilingest

import (
	"context"
	"io"
	"maps"
	"slices"

	"github.com/townline/townline/services/council-ingest/internal/minutes"
	"github.com/townline/townline/services/council-ingest/internal/parsecmd"
	"github.com/townline/townline/services/council-ingest/internal/pdftext"
)

// Parse prints what the parser reads in each file, as JSON; it stores nothing.
func Parse(ctx context.Context, files []string, stdout, stderr io.Writer) error {
	return parsecmd.Parse(ctx, files, stdout, stderr, parsecmd.Options{})
}

// Explain prints how each line of a file of minutes is read and why, by the words of
// this council.
func Explain(ctx context.Context, set *Settings, file string, stdout io.Writer, asJSON bool) error {
	return parsecmd.Explain(ctx, file, stdout, asJSON, parsecmd.Options{Minutes: set.reading(false)})
}

// RunChild belongs at the top of every main that ingests: when this process was
// started to read one PDF in confinement, it does that and ends.
func RunChild() { pdftext.RunChild() }

// reading is how this council's minutes are to be read.
func (s *Settings) reading(paged bool) minutes.Options {
	return minutes.Options{Roster: slices.Sorted(maps.Keys(s.Members)), Dialect: s.Dialect, Results: s.Results, Furniture: s.PageFurniture, Paged: paged}
}
