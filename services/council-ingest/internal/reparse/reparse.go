// Package reparse derives everything again from the archive, without a network: by this version of
// the program what another has read.
//
// It decides nothing of a meeting; package publish does. Start with Reparse; Verify proves instead
// of writing.
package reparse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/desk"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/publish"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// Reparse derives everything again from the archive: texts from the documents, votes from the
// texts. Without all it takes only the documents that another version of the program has read, for
// extractor and parser change with it. Where the outcome is the same, nothing is written.
//
// A document is marked as read by this version in the transaction that publishes its meetings, so a
// re-parse that was interrupted is finished by the next. What cannot be read again keeps what was
// published of it, and is counted, logged, and the error at the end.
func Reparse(ctx context.Context, deps run.Deps, set *settings.Settings, all bool) (desk.Summary, error) {
	d := publish.New(deps, set)
	d.Again = true
	documents, err := archive.Documents(ctx, deps.DB, run.Version, all)
	if err != nil {
		return desk.Summary{}, err
	}
	if len(documents) == 0 && !all {
		// A re-parse that was cut off may have left the end to this one. Before the first ingest has
		// ended there was none.
		var before bool
		if err := deps.DB.QueryRow(ctx, `SELECT last_ingest_at IS NOT NULL FROM council.dataset`).Scan(&before); err != nil {
			return desk.Summary{}, fmt.Errorf("look for an earlier ingest: %w", err)
		}
		if !before {
			return desk.Summary{}, nil
		}
	}
	r := reparse{Publisher: d, set: set, published: map[int64]bool{}}
	for _, doc := range documents {
		if err := r.failed(ctx, "document", doc.ID, r.reread(ctx, doc)); err != nil {
			return r.summary(), err
		}
	}
	if all {
		rest, err := archive.Meetings(ctx, deps.DB)
		if err != nil {
			return r.summary(), err
		}
		for _, id := range rest {
			if _, done := r.published[id]; done {
				continue
			}
			if err := r.failed(ctx, "meeting", id, r.publishAfter(ctx, nil, id)); err != nil {
				return r.summary(), err
			}
		}
	}
	if err := d.Finish(ctx, false); err != nil {
		return r.summary(), err
	}
	return r.summary(), r.left(len(documents))
}

// A reparse is one under way.
type reparse struct {
	*publish.Publisher
	set *settings.Settings
	// whether publishing changed a meeting; the meetings of documents that cannot be read are not
	// published
	published map[int64]bool
	unread    []error // documents and meetings that failed
}

// maxReasons is how many failures the error at the end lists; the log has all.
const maxReasons = 10

// failed takes note of an error that concerns one document or meeting; one that concerns all is
// returned.
func (r *reparse) failed(ctx context.Context, what string, id int64, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, desk.ErrDatabase):
		return fmt.Errorf("reparse %s %d: %w", what, id, err)
	}
	r.Deps.Log.ErrorContext(ctx, "cannot be read again; what was published stays", what, id, "error", err)
	line, _, _ := strings.Cut(err.Error(), "\n") // a panic has its stack below
	r.unread = append(r.unread, fmt.Errorf("%s %d: %s", what, id, line))
	return nil
}

// reread extracts a document's text again. One transaction stores it and publishes its meetings.
func (r *reparse) reread(ctx context.Context, listed archive.Listed) (err error) {
	defer desk.Caught(&err)
	doc, err := archive.ReadDocument(ctx, r.Deps.DB, r.Store, listed.ID)
	if err != nil {
		return desk.Unstored(err)
	}
	if why := doc.Spoilt(); why != "" {
		for _, id := range listed.Meetings {
			r.published[id] = r.published[id] || false // done: with this document there is nothing to publish
		}
		return errors.New(why)
	}
	text, err := doctext.ReadArchived(ctx, doc.MediaType, doc.Content, r.set.ReadingOf(listed.Source))
	if err != nil {
		return err
	}
	return r.publishAfter(ctx, func(tx pgx.Tx) (bool, error) {
		return archive.PutText(ctx, tx, listed.ID, text, r.Now())
	}, listed.Meetings...)
}

// publishAfter runs first, if there is anything to do first, and then publishes the meetings, in
// one transaction.
func (r *reparse) publishAfter(ctx context.Context, first func(pgx.Tx) (bool, error), meetings ...int64) error {
	changed := map[int64]bool{}
	_, err := r.Write(ctx, func(tx pgx.Tx) (any bool, err error) {
		if first != nil {
			any, err = first(tx)
			if err != nil {
				return false, err
			}
		}
		for _, id := range meetings {
			changed[id], err = r.Publish(ctx, tx, id)
			if err != nil {
				return false, fmt.Errorf("publish meeting %d: %w", id, err)
			}
			any = any || changed[id]
		}
		return any, nil
	})
	if err != nil {
		return desk.Unstored(err)
	}
	for id, is := range changed {
		r.published[id] = r.published[id] || is
	}
	return nil
}

func (r *reparse) summary() desk.Summary {
	sum := desk.Summary{Meetings: len(r.published), Failed: len(r.unread), Unreadable: len(r.Refused)}
	for _, changed := range r.published {
		if changed {
			sum.Changed++
		}
	}
	return sum
}

// left is what could not be read again, of so many documents; nil when there is nothing.
func (r *reparse) left(documents int) error {
	reasons := slices.Clone(r.unread)
	for _, id := range slices.Sorted(maps.Keys(r.Refused)) {
		reasons = append(reasons, fmt.Errorf("document %d: %s", id, r.Refused[id]))
	}
	if len(reasons) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d documents cannot be read again; what was published of their meetings stays: %w",
		len(reasons), documents, errors.Join(reasons[:min(len(reasons), maxReasons)]...))
}

// Verify proves that what is stored follows from the archive: that every text is what this program
// extracts from its document, byte for byte, and every row below every meeting what it derives. It
// prints each difference to out, writes nothing to the database, and returns how many there are. A
// refused document is no difference: it prints why it was refused.
func Verify(ctx context.Context, deps run.Deps, set *settings.Settings, out io.Writer) (int, error) {
	d := publish.New(deps, set)
	wrong := 0
	report := func(format string, args ...any) {
		wrong++
		fmt.Fprintf(out, format+"\n", args...)
	}
	documents, err := archive.Documents(ctx, deps.DB, "", true)
	if err != nil {
		return 0, err
	}
	for _, listed := range documents {
		doc, err := archive.ReadDocument(ctx, deps.DB, set.Store(), listed.ID)
		if err != nil {
			return wrong, err
		}
		fresh, err := doctext.ReadArchived(ctx, doc.MediaType, doc.Content, set.ReadingOf(listed.Source))
		if err != nil {
			return wrong, err
		}
		if doc.Refused(fresh) {
			fmt.Fprintf(out, "document %d of meetings %v is refused, and what was published of them stays: %s\n", listed.ID,
				listed.Meetings, doc.Error)
		} else if at := doc.Differs(fresh); at != "" {
			report("document %d of meetings %v: %s", listed.ID, listed.Meetings, at)
		}
	}
	ids, err := archive.Meetings(ctx, deps.DB)
	if err != nil {
		return wrong, err
	}
	for _, id := range ids {
		err := pgx.BeginTxFunc(ctx, deps.DB, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
			func(tx pgx.Tx) error {
				err := d.Verify(ctx, tx, id, report)
				if r := (*publish.Refusal)(nil); errors.As(err, &r) {
					fmt.Fprintf(out, "meeting %d is not compared, for document %d would be refused: %s\n", id, r.Document, r.Why)
					return nil
				}
				return err
			})
		if err != nil {
			return wrong, err
		}
	}
	return wrong, nil
}
