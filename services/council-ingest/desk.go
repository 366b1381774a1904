package councilingest

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/classify"
	"github.com/townline/townline/services/council-ingest/internal/export"
	"github.com/townline/townline/services/council-ingest/internal/merge"
	"github.com/townline/townline/services/council-ingest/internal/minutes"
)

// A desk stores meetings: it has the settings in the form in which they are used.
type desk struct {
	deps   run.Deps
	set    *Settings
	names  merge.Names
	parser map[bool]*minutes.Parser // by whether the text has pages
	now    func() time.Time
	run    string // id of this ingest or re-parse in the record of changes
	again  bool   // a re-parse: the documents are those of before

	refused map[int64]string // documents that turned out to be impossible to keep, and why
}

func newDesk(deps run.Deps, set *Settings) *desk {
	d := plainDesk(deps)
	d.set, d.names, d.parser = set, merge.NewNames(set.Members), map[bool]*minutes.Parser{}
	for _, paged := range []bool{true, false} {
		d.parser[paged] = minutes.NewParser(set.reading(paged))
	}
	return d
}

// plainDesk is a desk that reads no document.
func plainDesk(deps run.Deps) *desk {
	d := &desk{deps: deps, refused: map[int64]string{}, now: func() time.Time { return time.Now().UTC().Truncate(time.Second) }}
	d.run = d.now().Format("20060102T150405Z") + "-" + rand.Text()[:8]
	return d
}

// write runs fn as the one writer of the council data. When fn changed what a
// reader can see, the generation is raised with it, and announced afterwards.
func (d *desk) write(ctx context.Context, fn func(tx pgx.Tx) (changed bool, err error)) (bool, error) {
	var generation int64
	var changed bool
	err := pg.Tx(ctx, d.deps.DB, func(tx pgx.Tx) error {
		if err := archive.Lock(ctx, tx); err != nil {
			return err
		}
		var err error
		if changed, err = fn(tx); err != nil || !changed {
			return err
		}
		generation, err = archive.Raise(ctx, tx, d.now())
		return err
	})
	if err == nil && changed {
		d.deps.Events.Publish(ctx, &eventsv1.CouncilChanged{Generation: generation})
	}
	return changed && err == nil, err
}

// keep puts a document's bytes into the object store, if there is one, before
// any row says that they are there.
func (d *desk) keep(ctx context.Context, doc *archive.Document) error {
	if d.set.store == nil {
		return nil
	}
	if err := d.set.store.Put(ctx, doc.Bytes, doc.MediaType); err != nil { // of this document or of all: who knows
		return fmt.Errorf("%w: %w", errDatabase, err)
	}
	doc.Elsewhere = true
	return nil
}

// finish ends an ingest or a re-parse: items get their topics and, if anything changed since the last one, votes.csv is
// written anew. The end of an ingest that changed something is the dataset's last_ingest_at; a re-parse, which may run
// beside an ingest, leaves that alone. What changed nothing leaves every byte of the API as it was.
func (d *desk) finish(ctx context.Context, changed bool) error {
	// Topics are an addition to what was ingested: without them it is complete all the same.
	if sum, err := classify.Run(ctx, d.deps, d.set.Classifier); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err != nil {
		d.deps.Log.Warn("items could not be classified; it will be tried again", "error", err, "done", sum)
	}
	_, err := d.write(ctx, func(tx pgx.Tx) (bool, error) {
		now := d.now()
		written, err := d.export(ctx, tx)
		if err != nil || !written && !changed {
			return false, err
		}
		if d.again {
			return written, nil
		}
		if _, err := tx.Exec(ctx, `UPDATE council.dataset SET last_ingest_at = $1`, now); err != nil {
			return false, fmt.Errorf("end the ingest: %w", err)
		}
		return true, nil
	})
	return err
}

// export writes votes.csv if anything changed since it was written, and reports whether it did. It counts as a change itself:
// the caller raises the generation.
func (d *desk) export(ctx context.Context, tx pgx.Tx) (bool, error) {
	stale, err := export.Stale(ctx, tx)
	if err != nil || !stale {
		return false, err
	}
	var next int64
	if err := tx.QueryRow(ctx, `SELECT generation + 1 FROM council.dataset`).Scan(&next); err != nil {
		return false, fmt.Errorf("export: %w", err)
	}
	return true, export.Write(ctx, tx, next, d.now())
}
