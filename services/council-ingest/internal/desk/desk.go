// Package desk is what all commands of the service write through: the one writer of the schema
// council.
//
// A write raises the generation with what it changed and announces it; the end of a command labels
// items and writes the file for download. What is written is not decided here: that is package
// publish, and what came of a command is in its Summary. Start with Desk; finish.go is the end of a
// command, outcome.go its summary and its errors.
package desk

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/classify"
)

// A Desk stores what one command found out.
type Desk struct {
	Deps run.Deps
	// Now is the clock, in whole seconds.
	Now func() time.Time
	// Run is the id of this command in the record of changes.
	Run string
	// Again says that it is a re-parse: the documents are those of before.
	Again bool
	// DryRun takes everything back that is written.
	DryRun bool
	// Store is where documents are kept; nil: in Postgres.
	Store *objects.Store
	// Classifier is the model that labels items, if there is one.
	Classifier classify.Settings
}

// New returns a desk for one command.
func New(deps run.Deps) *Desk {
	d := &Desk{Deps: deps, Now: func() time.Time { return time.Now().UTC().Truncate(time.Second) }}
	d.Run = d.Now().Format("20060102T150405Z") + "-" + rand.Text()[:8]
	return d
}

// Write runs fn as the one writer of the council data. When fn changed what a
// reader can see, the generation is raised with it, and announced afterwards.
func (d *Desk) Write(ctx context.Context, fn func(tx pgx.Tx) (changed bool, err error)) (bool, error) {
	var generation int64
	var changed bool
	err := pg.Tx(ctx, d.Deps.DB, func(tx pgx.Tx) error {
		if err := archive.Lock(ctx, tx); err != nil {
			return err
		}
		var err error
		changed, err = fn(tx)
		if err == nil && d.DryRun {
			err = errDry
		}
		if err != nil || !changed {
			return err
		}
		generation, err = archive.Raise(ctx, tx, d.Now())
		return err
	})
	if err == nil && changed {
		d.Deps.Events.Publish(ctx, &eventsv1.CouncilChanged{Generation: generation})
	}
	if errors.Is(err, errDry) {
		return false, nil
	}
	return changed && err == nil, err
}

// errDry ends a transaction of a dry run.
var errDry = errors.New("dry run")

// Keep puts a document's bytes into the object store, if there is one, before
// any row says that they are there.
func (d *Desk) Keep(ctx context.Context, doc *archive.Document) error {
	if d.Store == nil || d.DryRun || doc == nil {
		return nil
	}
	if err := d.Store.Put(ctx, doc.Bytes, doc.MediaType); err != nil { // of this document or of all: who knows
		return fmt.Errorf("%w: %w", ErrDatabase, err)
	}
	doc.Elsewhere = true
	return nil
}
