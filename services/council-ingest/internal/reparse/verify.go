package reparse

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
	"github.com/townline/townline/services/council-ingest/internal/publish"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// Verify proves that what is stored follows from the archive: that every text is
// what this program extracts from its document, byte for byte, and every row below every
// meeting what it derives. It prints each difference to out, writes nothing to the database, and returns how many there are.
// A refused document is no difference: it prints why it was refused.
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
