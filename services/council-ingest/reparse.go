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
	"github.com/townline/townline/services/council-ingest/internal/merge"
)

// Reparse derives everything again from the archive: texts from the documents,
// votes from the texts. Without all it takes only the documents that another
// version of the program has read, for extractor and parser change with it. Where the outcome is the same, nothing is written.
//
// A document is marked as read by this version in the transaction that publishes its meetings, so a re-parse that was interrupted
// is finished by the next. What cannot be read again keeps what was published of it, and is counted, logged, and the error at the end.
func Reparse(ctx context.Context, deps run.Deps, set *Settings, all bool) (Summary, error) {
	d := newDesk(deps, set)
	d.again = true
	documents, err := archive.Documents(ctx, deps.DB, run.Version, all)
	if err != nil {
		return Summary{}, err
	}
	if len(documents) == 0 && !all {
		// A re-parse that was cut off may have left the end to this one. Before the first ingest has ended there was none.
		var before bool
		if err := deps.DB.QueryRow(ctx, `SELECT last_ingest_at IS NOT NULL FROM council.dataset`).Scan(&before); err != nil {
			return Summary{}, fmt.Errorf("look for an earlier ingest: %w", err)
		}
		if !before {
			return Summary{}, nil
		}
	}
	r := reparse{desk: d, published: map[int64]bool{}}
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
			err := r.publishAfter(ctx, func(pgx.Tx) (bool, error) { return false, nil }, id)
			if err := r.failed(ctx, "meeting", id, err); err != nil {
				return r.summary(), err
			}
		}
	}
	if err := d.finish(ctx, false); err != nil {
		return r.summary(), err
	}
	return r.summary(), r.left(len(documents))
}

// A reparse is one under way.
type reparse struct {
	*desk
	published map[int64]bool // whether publishing changed a meeting; the meetings of documents that cannot be read are not published
	unread    []error        // documents and meetings that failed
}

// maxReasons is how many failures the error at the end lists; the log has all.
const maxReasons = 10

// failed takes note of an error that concerns one document or meeting; one that concerns all is returned.
func (r *reparse) failed(ctx context.Context, what string, id int64, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errDatabase):
		return fmt.Errorf("reparse %s %d: %w", what, id, err)
	}
	r.deps.Log.ErrorContext(ctx, "cannot be read again; what was published stays", what, id, "error", err)
	line, _, _ := strings.Cut(err.Error(), "\n") // a panic has its stack below
	r.unread = append(r.unread, fmt.Errorf("%s %d: %s", what, id, line))
	return nil
}

// reread extracts a document's text again. One transaction stores it and publishes its meetings.
func (r *reparse) reread(ctx context.Context, listed archive.Listed) (err error) {
	defer caught(&err)
	doc, err := archive.ReadDocument(ctx, r.deps.DB, r.set.store, listed.ID)
	if err != nil {
		return unstored(err)
	}
	if why := doc.Spoilt(); why != "" {
		for _, id := range listed.Meetings {
			if _, done := r.published[id]; !done {
				r.published[id] = false
			}
		}
		return errors.New(why)
	}
	text, err := r.read(ctx, doc.MediaType, listed.Source, doc.Content)
	if err != nil {
		return err
	}
	return r.publishAfter(ctx, func(tx pgx.Tx) (bool, error) { return archive.PutText(ctx, tx, listed.ID, text, r.now()) }, listed.Meetings...)
}

// publishAfter runs first and then publishes the meetings, in one transaction.
func (r *reparse) publishAfter(ctx context.Context, first func(pgx.Tx) (bool, error), meetings ...int64) error {
	changed := map[int64]bool{}
	_, err := r.write(ctx, func(tx pgx.Tx) (bool, error) {
		any, err := first(tx)
		if err != nil {
			return false, err
		}
		for _, id := range meetings {
			if changed[id], err = r.publish(ctx, tx, id); err != nil {
				return false, fmt.Errorf("publish meeting %d: %w", id, err)
			}
			any = any || changed[id]
		}
		return any, nil
	})
	if err != nil {
		return unstored(err)
	}
	for id, is := range changed {
		r.published[id] = r.published[id] || is
	}
	return nil
}

func (r *reparse) summary() Summary {
	sum := Summary{Meetings: len(r.published), Failed: len(r.unread), Unreadable: len(r.refused)}
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
	for _, id := range slices.Sorted(maps.Keys(r.refused)) {
		reasons = append(reasons, fmt.Errorf("document %d: %s", id, r.refused[id]))
	}
	if len(reasons) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d documents cannot be read again; what was published of their meetings stays: %w", len(reasons), documents, errors.Join(reasons[:min(len(reasons), maxReasons)]...))
}

// Verify proves that what is stored follows from the archive: that every text is
// what this program extracts from its document, byte for byte, and every row below every
// meeting what it derives. It prints each difference to out, writes nothing to the database, and returns how many there are.
// A refused document is no difference: it prints why it was refused.
func Verify(ctx context.Context, deps run.Deps, set *Settings, out io.Writer) (int, error) {
	d := newDesk(deps, set)
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
		doc, err := archive.ReadDocument(ctx, deps.DB, set.store, listed.ID)
		if err != nil {
			return wrong, err
		}
		fresh, err := d.read(ctx, doc.MediaType, listed.Source, doc.Content)
		if err != nil {
			return wrong, err
		}
		if doc.Refused(fresh) {
			fmt.Fprintf(out, "document %d of meetings %v is refused, and what was published of them stays: %s\n", listed.ID, listed.Meetings, doc.Error)
		} else if at := doc.Differs(fresh); at != "" {
			report("document %d of meetings %v: %s", listed.ID, listed.Meetings, at)
		}
	}
	ids, err := archive.Meetings(ctx, deps.DB)
	if err != nil {
		return wrong, err
	}
	for _, id := range ids {
		err := pgx.BeginTxFunc(ctx, deps.DB, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			err := d.verifyMeeting(ctx, tx, id, report)
			if r := (*refusal)(nil); errors.As(err, &r) {
				fmt.Fprintf(out, "meeting %d is not compared, for document %d would be refused: %s\n", id, r.document, r.why)
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

func (d *desk) verifyMeeting(ctx context.Context, tx pgx.Tx, id int64, report func(string, ...any)) error {
	g, err := archive.ReadGround(ctx, tx, id)
	if err != nil {
		return err
	}
	var twins []archive.Twin
	good := goodSource(g)
	if good != nil {
		if twins, err = archive.Twins(ctx, tx, good.DocumentID); err != nil {
			return err
		}
	}
	state, sameAs, err := d.derive(g, good, twins)
	if err != nil {
		return err
	}
	if good != nil && (g.Good == nil || g.Good.MinutesID != good.MinutesID) {
		report("meeting %d: votes come from another document than the last that can be read", id)
	}
	if (sameAs == nil) != (g.SameAs == nil) || sameAs != nil && *sameAs != *g.SameAs {
		report("meeting %d: stored as the same as %s, derived as %s", id, shown(g.SameAs), shown(sameAs))
	}
	differences, err := merge.Verify(ctx, tx, id, state)
	for _, diff := range differences {
		report("meeting %d: %s", id, diff)
	}
	return err
}

func shown(id *int64) string {
	if id == nil {
		return "no other"
	}
	return fmt.Sprintf("meeting %d", *id)
}
