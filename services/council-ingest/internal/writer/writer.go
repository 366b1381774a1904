// Package writer is the only writer of the schema council. A write raises the generation of the
// dataset and announces it. Finish ends a command: it labels items. Package publish decides what is
// written.
//
// Start with Writer; summary.go has the result of a command and its errors.
package writer

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

// A Writer stores the results of one command.
type Writer struct {
	Deps run.Deps
	Now  func() time.Time // time in whole seconds
	Run  string           // id of this command in council.change
	// Again says that this is a re-parse.
	Again bool
	// DryRun rolls every write back.
	DryRun bool
	// Store has the bytes of documents. It is nil if Postgres has them.
	Store      *objects.Store
	Classifier classify.Settings
}

// New returns the writer of one command.
func New(deps run.Deps) *Writer {
	w := &Writer{Deps: deps, Now: func() time.Time { return time.Now().UTC().Truncate(time.Second) }}
	w.Run = w.Now().Format("20060102T150405Z") + "-" + rand.Text()[:8]
	return w
}

// Write runs fn in a transaction that is the only writer of council data. If fn changed published
// data, Write raises the generation and announces it.
func (w *Writer) Write(ctx context.Context, fn func(tx pgx.Tx) (changed bool, err error)) (bool, error) {
	var generation int64
	var changed bool
	err := pg.Tx(ctx, w.Deps.DB, func(tx pgx.Tx) error {
		if err := archive.Lock(ctx, tx); err != nil {
			return err
		}
		var err error
		changed, err = fn(tx)
		if err == nil && w.DryRun {
			err = errDry
		}
		if err != nil || !changed {
			return err
		}
		generation, err = archive.Raise(ctx, tx, w.Now())
		return err
	})
	if err == nil && changed {
		w.Deps.Events.Publish(ctx, &eventsv1.CouncilChanged{Generation: generation})
	}
	if errors.Is(err, errDry) {
		return false, nil
	}
	return changed && err == nil, err
}

var errDry = errors.New("dry run")

// StoreBytes puts a document's bytes into the object store, if there is one. Call it before the
// transaction, so that no row refers to missing bytes.
func (w *Writer) StoreBytes(ctx context.Context, doc *archive.Document) error {
	if w.Store == nil || w.DryRun || doc == nil {
		return nil
	}
	if err := w.Store.Put(ctx, doc.Bytes, doc.MediaType); err != nil {
		return fmt.Errorf("%w: %w", ErrStorage, err)
	}
	doc.InStore = true
	return nil
}

// Finish ends an ingest or a re-parse: it labels items. If an ingest changed anything,
// last_ingest_at becomes its end, also if the ingest that changed it was interrupted. A re-parse
// does not change last_ingest_at, because it may run during an ingest. If nothing changed, no byte
// of the API changes.
func (w *Writer) Finish(ctx context.Context, changed bool) error {
	// An ingest is complete even without topics.
	if sum, err := classify.Run(ctx, w.Deps, w.Classifier); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err != nil {
		w.Deps.Log.Warn("items could not be classified; it will be tried again", "error", err, "done", sum)
	}
	if w.Again {
		return nil
	}
	_, err := w.Write(ctx, func(tx pgx.Tx) (bool, error) {
		tag, err := tx.Exec(ctx, `
			UPDATE council.dataset SET last_ingest_at = $1
			WHERE $2 OR EXISTS (SELECT FROM council.meeting WHERE last_fetched > coalesce(last_ingest_at, '-infinity'))`,
			w.Now(), changed)
		if err != nil {
			return false, fmt.Errorf("end the ingest: %w", err)
		}
		return tag.RowsAffected() > 0, nil
	})
	return err
}

// Classify labels items that have no label, because they were beyond the limit of a run, or because
// their model failed or was replaced. It makes one run.
func (w *Writer) Classify(ctx context.Context) error {
	sum, failed := classify.Run(ctx, w.Deps, w.Classifier)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if sum.Asked > 0 || sum.Labelled > 0 {
		w.Deps.Log.Info("classified", "done", sum)
	}
	if failed != nil {
		return fmt.Errorf("label agenda items: %w", failed)
	}
	return nil
}
