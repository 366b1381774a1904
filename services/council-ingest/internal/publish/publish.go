// Package publish derives the tables and the status of one meeting from the archive. The sources
// are the minutes, the portal's record and the agenda of the meeting, and the other meetings with
// the same minutes. It writes in the caller's transaction.
//
// If the parser or the tables fail on a document, the document is refused, and its published
// meetings stay unchanged. Start with Publish; derive.go is the pure part.
package publish

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/archive"
	"github.com/townline/townline/services/council-ingest/internal/merge"
	"github.com/townline/townline/services/council-ingest/internal/settings"
	"github.com/townline/townline/services/council-ingest/internal/version"
	"github.com/townline/townline/services/council-ingest/internal/writer"
)

// A Publisher publishes meetings with the settings of a council.
type Publisher struct {
	*writer.Writer
	Refused map[int64]string // why a document was refused, by document

	reader
	set    *settings.Settings
	bodies map[string]reader // by name, if council.yaml has bodies
}

// New returns a publisher for one command.
func New(deps run.Deps, set *settings.Settings) *Publisher {
	p := &Publisher{Writer: writer.New(deps), Refused: map[int64]string{}, reader: newReader(set), set: set}
	if len(set.Bodies) > 0 {
		p.bodies = map[string]reader{}
	}
	p.Store = set.Store()
	return p
}

// Publish derives a meeting's rows and status, and writes the changes. It refuses a document on
// which the parser or the tables fail.
func (p *Publisher) Publish(ctx context.Context, tx pgx.Tx, meeting int64) (bool, error) {
	for refusals := false; ; refusals = true {
		var changed bool
		err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { // a savepoint, to undo the writes of a refused document
			var err error
			changed, err = p.publishSharing(ctx, tx, meeting)
			return err
		})
		var r *Refusal
		if !errors.As(err, &r) {
			return changed || refusals, err
		}
		// A refused document is not read again, so each round has one document less.
		marked, markErr := archive.Refuse(ctx, tx, r.Document, council.VerdictUnreadable, r.Why)
		if markErr != nil || !marked {
			return false, errors.Join(err, markErr)
		}
		p.Refused[r.Document] = r.Why
		p.Deps.Log.ErrorContext(ctx, "document refused; its meetings stay as they were published",
			"document", r.Document, "meeting", meeting, "reason", r.Why, "error", r.err)
	}
}

// publishSharing publishes a meeting and the meetings with the same minutes, because each of them
// may get or lose the votes.
func (p *Publisher) publishSharing(ctx context.Context, tx pgx.Tx, meeting int64) (bool, error) {
	d, changed, err := p.publishOne(ctx, tx, meeting)
	if err != nil {
		return false, err
	}
	done := map[int64]bool{meeting: true}
	for _, doc := range []*archive.MinutesText{d.Good, d.Latest} {
		if doc == nil {
			continue
		}
		sharing, err := archive.Twins(ctx, tx, doc.DocumentID)
		if err != nil {
			return false, err
		}
		for _, t := range sharing {
			if done[t.ID] {
				continue
			}
			done[t.ID] = true
			_, more, err := p.publishOne(ctx, tx, t.ID)
			if err != nil {
				return false, err
			}
			changed = changed || more
		}
	}
	return changed, nil
}

func (p *Publisher) publishOne(ctx context.Context, tx pgx.Tx, meeting int64) (*derived, bool, error) {
	now := p.Now()
	d, err := p.readFor(ctx, tx, meeting)
	if err != nil {
		return nil, false, err
	}
	var good *int64
	if d.good != nil {
		good = &d.good.MinutesID
	}
	changed, err := archive.SetMinutes(ctx, tx, d.ID, good, d.leader)
	if err != nil {
		return nil, false, err
	}
	merged, err := merge.Apply(ctx, tx, d.ID, d.state, p.Cause(p.reason(d)), now)
	if pg.FaultOf(err) == pg.FaultData && d.good != nil {
		err = &Refusal{d.good.DocumentID, "what was read from the document cannot be stored" + sqlState(err), err}
	}
	if err != nil {
		return nil, false, err
	}
	moved, err := p.updateStatus(ctx, tx, d, now)
	return d, changed || merged || moved, err
}

// readFor calls read with the settings of the meeting's body.
func (p *Publisher) readFor(ctx context.Context, tx pgx.Tx, meeting int64) (*derived, error) {
	if p.bodies == nil {
		return p.read(ctx, tx, meeting)
	}
	name, err := pg.Value[string](ctx, tx, `SELECT b.name FROM council.meeting JOIN council.body b USING (body_id)
		WHERE iqm2_id = $1`, meeting)
	if err != nil {
		return nil, fmt.Errorf("read the body of meeting %d: %w", meeting, err)
	}
	r, ok := p.bodies[name]
	if !ok {
		r = readerOf(p.set, p.set.For(name), name)
		p.bodies[name] = r
	}
	return r.read(ctx, tx, meeting)
}

func sqlState(err error) string {
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return " (SQLSTATE " + e.Code + ")"
	}
	return ""
}

func (p *Publisher) reason(d *derived) string {
	switch {
	case p.Again:
		return "reparse with " + version.Name(version.Parser)
	case d.good != nil && d.Good == nil:
		return "new document"
	case d.good != nil && d.good.MinutesID != d.Good.MinutesID:
		return "minutes replaced"
	case (d.leader == nil) != (d.SameAs == nil):
		return "another meeting has the same minutes"
	}
	return "agenda or settings changed"
}

// Verify describes each difference between the stored rows of a meeting and the rows that Publish
// would write. It returns a [Refusal] if Publish would refuse a document.
func (p *Publisher) Verify(ctx context.Context, tx pgx.Tx, meeting int64) (differences []string, err error) {
	d, err := p.readFor(ctx, tx, meeting)
	if err != nil {
		return nil, err
	}
	if d.good != nil && (d.Good == nil || d.Good.MinutesID != d.good.MinutesID) {
		differences = append(differences, "the votes are not from the newest readable document")
	}
	if was, is := describe(d.SameAs), describe(d.leader); was != is {
		differences = append(differences, fmt.Sprintf("stored as the same as %s, derived as %s", was, is))
	}
	more, err := merge.Verify(ctx, tx, d.ID, d.state)
	return append(differences, more...), err
}

func describe(id *int64) string {
	if id == nil {
		return "no other"
	}
	return fmt.Sprintf("meeting %d", *id)
}
