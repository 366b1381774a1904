package councilingest

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
	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/publish"
	"github.com/townline/townline/services/council-ingest/internal/settings"
	"github.com/townline/townline/services/council-ingest/internal/version"
	"github.com/townline/townline/services/council-ingest/internal/writer"
)

// Reparse derives texts from the archived documents, and votes from the texts. It sends no network
// requests. Unless all is true, it reads only documents that another version of the parser, of the
// extractor of text or of the portal's reader has read; if only the parser changed, it parses the
// stored text. It does not write equal results.
//
// One transaction marks a document as read and publishes its meetings, so the next re-parse
// continues an interrupted one. If a document is unreadable, its published votes stay, and the
// failure is counted, logged, and part of the error at the end.
func Reparse(ctx context.Context, deps run.Deps, set *settings.Settings, all bool) (writer.Summary, error) {
	p := publish.New(deps, set)
	p.Again = true
	var current []string
	if !all {
		current = version.Current()
	}
	documents, err := archive.Documents(ctx, deps.DB, current)
	if err != nil {
		return writer.Summary{}, err
	}
	if len(documents) == 0 && !all {
		// An interrupted re-parse may have done everything but Finish. Without an ingest there is nothing
		// to finish.
		var ingested bool
		err := deps.DB.QueryRow(ctx, `SELECT last_ingest_at IS NOT NULL FROM council.dataset`).Scan(&ingested)
		if err != nil {
			return writer.Summary{}, fmt.Errorf("look for an earlier ingest: %w", err)
		}
		if !ingested {
			return writer.Summary{}, nil
		}
	}
	r := reparse{Publisher: p, set: set, all: all, published: map[int64]bool{}}
	for _, doc := range documents {
		if err := r.failed(ctx, "document", doc.ID, r.reread(ctx, doc)); err != nil {
			return r.summary(), err
		}
	}
	if all {
		meetings, err := archive.Meetings(ctx, deps.DB)
		if err != nil {
			return r.summary(), err
		}
		for _, id := range meetings {
			if _, done := r.published[id]; done {
				continue
			}
			if err := r.failed(ctx, "meeting", id, r.publishAfter(ctx, nil, id)); err != nil {
				return r.summary(), err
			}
		}
	}
	if err := p.Finish(ctx, false); err != nil {
		return r.summary(), err
	}
	return r.summary(), r.unreadError(len(documents))
}

type reparse struct {
	*publish.Publisher
	set *settings.Settings
	all bool
	// published has an entry for each finished meeting: whether its publication changed rows. Meetings
	// of unreadable documents count as finished.
	published map[int64]bool
	unread    []error // failures of documents and meetings
}

// maxReasons is the largest number of failures in the error of a re-parse. The log has all
// failures.
const maxReasons = 10

// failed records an error of one document or meeting and returns nil. Any other error is returned.
func (r *reparse) failed(ctx context.Context, what string, id int64, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, writer.ErrStorage):
		return fmt.Errorf("reparse %s %d: %w", what, id, err)
	}
	r.Deps.Log.ErrorContext(ctx, "cannot be read again; its published data stays", what, id, "error", err)
	line, _, _ := strings.Cut(err.Error(), "\n") // after a panic, a stack trace follows
	r.unread = append(r.unread, fmt.Errorf("%s %d: %s", what, id, line))
	return nil
}

// reread extracts a document's text, stores the text, and publishes the document's meetings, in one
// transaction. It keeps the text if only the parser has changed.
func (r *reparse) reread(ctx context.Context, ref archive.DocumentRef) (err error) {
	defer writer.Recover(&err)
	if versions, ok := version.Reparsed(ref.Versions); ok && ref.IsParsed && !r.all {
		return r.publishAfter(ctx, func(tx pgx.Tx) (bool, error) {
			return false, archive.MarkParsed(ctx, tx, ref.ID, versions, r.Now())
		}, ref.Meetings...)
	}
	doc, err := archive.ReadDocument(ctx, r.Deps.DB, r.Store, ref.ID)
	if err != nil {
		return writer.MarkStorage(err)
	}
	if err := doc.CheckBytes(); err != nil {
		for _, id := range ref.Meetings {
			r.published[id] = r.published[id] || false
		}
		return err
	}
	text, err := doctext.ReadArchived(ctx, doc.MediaType, doc.Content, r.set.ParseOptionsOf(ref.Source))
	if err != nil {
		return err
	}
	return r.publishAfter(ctx, func(tx pgx.Tx) (bool, error) {
		return archive.PutText(ctx, tx, ref.ID, text, r.Now())
	}, ref.Meetings...)
}

// publishAfter calls first, which may be nil, and then publishes the meetings. It does both in one
// transaction.
func (r *reparse) publishAfter(ctx context.Context, first func(pgx.Tx) (bool, error), meetings ...int64) error {
	changed := map[int64]bool{}
	_, err := r.Write(ctx, func(tx pgx.Tx) (changedAny bool, err error) {
		if first != nil {
			changedAny, err = first(tx)
			if err != nil {
				return false, err
			}
		}
		for _, id := range meetings {
			changed[id], err = r.Publish(ctx, tx, id)
			if err != nil {
				return false, fmt.Errorf("publish meeting %d: %w", id, err)
			}
			changedAny = changedAny || changed[id]
		}
		return changedAny, nil
	})
	if err != nil {
		return writer.MarkStorage(err)
	}
	for id, is := range changed {
		r.published[id] = r.published[id] || is
	}
	return nil
}

func (r *reparse) summary() writer.Summary {
	sum := writer.Summary{Meetings: len(r.published), Failed: len(r.unread), Unreadable: len(r.Refused)}
	for _, changed := range r.published {
		if changed {
			sum.Changed++
		}
	}
	return sum
}

func (r *reparse) unreadError(documents int) error {
	reasons := slices.Clone(r.unread)
	for _, id := range slices.Sorted(maps.Keys(r.Refused)) {
		reasons = append(reasons, fmt.Errorf("document %d: %s", id, r.Refused[id]))
	}
	if len(reasons) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d documents cannot be read again; the published data of their meetings stays: %w",
		len(reasons), documents, errors.Join(reasons[:min(len(reasons), maxReasons)]...))
}

// Verify checks that the archive reproduces the stored data. Every text must equal the text that
// this program extracts from the document. Every row of every meeting must equal the row that this
// program derives. Verify prints each difference to out, writes nothing to the database, and
// returns the number of differences. A refused document is not a difference; Verify prints the
// reason for the refusal.
func Verify(ctx context.Context, deps run.Deps, set *settings.Settings, out io.Writer) (int, error) {
	p := publish.New(deps, set)
	p.DryRun = true
	differences := 0
	report := func(format string, args ...any) {
		differences++
		fmt.Fprintf(out, format+"\n", args...)
	}
	documents, err := archive.Documents(ctx, deps.DB, nil)
	if err != nil {
		return 0, err
	}
	for _, ref := range documents {
		doc, err := archive.ReadDocument(ctx, deps.DB, set.Store(), ref.ID)
		if err != nil {
			return differences, err
		}
		fresh, err := doctext.ReadArchived(ctx, doc.MediaType, doc.Content, set.ParseOptionsOf(ref.Source))
		if err != nil {
			return differences, err
		}
		if doc.IsRefused(fresh) {
			fmt.Fprintf(out, "document %d of meetings %v is refused, and what was published of them stays: %s\n", ref.ID,
				ref.Meetings, doc.Error)
		} else if err := doc.Compare(fresh); err != nil {
			report("document %d of meetings %v: %v", ref.ID, ref.Meetings, err)
		}
	}
	ids, err := archive.Meetings(ctx, deps.DB)
	if err != nil {
		return differences, err
	}
	for _, id := range ids {
		var found []string
		_, err := p.Write(ctx, func(tx pgx.Tx) (_ bool, err error) {
			found, err = p.Verify(ctx, tx, id)
			return false, err
		})
		if r := (*publish.Refusal)(nil); errors.As(err, &r) {
			fmt.Fprintf(out, "meeting %d is not compared, for document %d would be refused: %s\n", id, r.Document, r.Why)
			err = nil
		}
		for _, difference := range found {
			report("meeting %d: %s", id, difference)
		}
		if err != nil {
			return differences, err
		}
	}
	return differences, nil
}
