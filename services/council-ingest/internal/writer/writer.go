// Package writer is the only writer of the schema council. A write raises the generation of the
// dataset and announces it. Package publish decides what is written.
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
	"github.com/townline/townline/services/council-ingest/internal/merge"
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
	Store *objects.Store
}

// New returns the writer of one command.
func New(deps run.Deps) *Writer {
	w := &Writer{Deps: deps, Now: func() time.Time { return time.Now().UTC().Truncate(time.Second) }}
	w.Run = w.Now().Format("20060102T150405Z") + "-" + rand.Text()[:8]
	return w
}

// Cause returns the reason for changes by this command.
func (w *Writer) Cause(reason string) merge.Cause { return merge.Cause{Run: w.Run, Reason: reason} }

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
