package councilingest

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/merge"
)

// Reparse derives everything again from the archive: texts from the documents,
// votes from the texts. Without all it takes only the documents that another
// version of the program has read, for extractor and parser change with it. Where the outcome is the same, nothing is written.
func Reparse(ctx context.Context, deps run.Deps, set *Settings, all bool) (Summary, error) {
	d := newDesk(deps, set)
	d.again = true
	var sum Summary
	documents, err := archive.Documents(ctx, deps.DB, run.Version, all)
	if err != nil {
		return sum, err
	}
	meetings := map[int64]bool{}
	for _, doc := range documents {
		if err := d.reread(ctx, doc.ID); err != nil {
			return sum, err
		}
		for _, id := range doc.Meetings {
			meetings[id] = true
		}
	}
	ids := make([]int64, 0, len(meetings))
	for id := range meetings {
		ids = append(ids, id)
	}
	if all {
		if ids, err = archive.Meetings(ctx, deps.DB); err != nil {
			return sum, err
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		changed, err := d.write(ctx, func(tx pgx.Tx) (bool, error) { return d.settle(ctx, tx, id) })
		if err != nil {
			return sum, fmt.Errorf("reparse meeting %d: %w", id, err)
		}
		sum.Meetings++
		if changed {
			sum.Changed++
		}
	}
	if len(ids) == 0 {
		return sum, nil
	}
	return sum, d.finish(ctx)
}

// reread extracts a document's text anew. The meetings that it belongs to are settled afterwards.
func (d *desk) reread(ctx context.Context, document int64) error {
	doc, err := archive.ReadDocument(ctx, d.deps.DB, d.set.store, document)
	if err != nil {
		return err
	}
	if why := doc.Spoilt(); why != "" {
		return fmt.Errorf("document %d: %s", document, why)
	}
	text, err := readText(ctx, doc.Content)
	if err != nil {
		return err
	}
	_, err = d.write(ctx, func(tx pgx.Tx) (bool, error) { return archive.PutText(ctx, tx, document, text, d.now()) })
	return err
}

// Verify proves that what is stored follows from the archive: that every text is
// what this program extracts from its document, byte for byte, and every row below every
// meeting what it derives. It prints each difference to out, writes nothing to the database, and returns how many there are.
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
		fresh, err := readText(ctx, doc.Content)
		if err != nil {
			return wrong, err
		}
		if at := doc.Differs(fresh); at != "" {
			report("document %d of meetings %v: %s", listed.ID, listed.Meetings, at)
		}
	}
	ids, err := archive.Meetings(ctx, deps.DB)
	if err != nil {
		return wrong, err
	}
	for _, id := range ids {
		err := pgx.BeginTxFunc(ctx, deps.DB, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			return d.verifyMeeting(ctx, tx, id, report)
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
	if good != nil && (g.Good == nil || g.Good.MinutesID != good.MinutesID) {
		report("meeting %d: votes come from another document than the last that can be read", id)
	}
	state, sameAs := d.derive(g, good, twins)
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
