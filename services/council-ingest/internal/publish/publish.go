// Package publish brings the tables of one meeting to what is stored about it: the text of its
// minutes, the portal's record, the agenda, what other meetings share with it, and its status, in
// the transaction of the caller.
//
// It fetches nothing and archives nothing; what it reads is the ground of package archive. A
// document on which the parser or the tables fail is refused, and its meetings keep what was
// published before. Start with Publish; derive.go is the pure part, status.go the status.
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
	"github.com/townline/townline/services/council-ingest/internal/desk"
	"github.com/townline/townline/services/council-ingest/internal/merge"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// A Publisher is a desk that publishes meetings by the settings of a council.
type Publisher struct {
	*desk.Desk
	// Refused are documents that turned out to be impossible to keep, and why.
	Refused map[int64]string

	reader
}

// New returns a publisher for one command.
func New(deps run.Deps, set *settings.Settings) *Publisher {
	p := &Publisher{Desk: desk.New(deps), Refused: map[int64]string{}, reader: newReader(set)}
	p.Store, p.Classifier = set.Store(), set.Classifier
	return p
}

// Publish derives a meeting's rows and its status from what is stored about it, and writes what
// changed. A document on which the parser or the tables fail is refused. Its meetings then keep
// what was published before.
func (p *Publisher) Publish(ctx context.Context, tx pgx.Tx, meeting int64) (bool, error) {
	for refusals := false; ; refusals = true {
		var changed bool
		err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { // a savepoint: it undoes the writes of a refused document
			var err error
			changed, err = p.publishWithTwins(ctx, tx, meeting)
			return err
		})
		var r *Refusal
		if !errors.As(err, &r) {
			return changed || refusals, err
		}
		// A refused document is not read again, so the loop ends: each round has one document less.
		fresh, markErr := archive.Refuse(ctx, tx, r.Document, council.VerdictUnreadable, r.Why)
		if markErr != nil || !fresh {
			return false, errors.Join(err, markErr)
		}
		p.Refused[r.Document] = r.Why
		p.Deps.Log.ErrorContext(ctx, "a document is refused; what was published of its meetings stays",
			"document", r.Document, "meeting", meeting, "why", r.Why, "error", r.err)
	}
}

func (p *Publisher) publishWithTwins(ctx context.Context, tx pgx.Tx, meeting int64) (bool, error) {
	g, changed, err := p.publishOne(ctx, tx, meeting)
	if err != nil {
		return false, err
	}
	// Another meeting with the same document may gain or lose the votes.
	done := map[int64]bool{meeting: true}
	for _, doc := range []*archive.MinutesText{g.Good, g.Latest} {
		if doc == nil {
			continue
		}
		twins, err := archive.Twins(ctx, tx, doc.DocumentID)
		if err != nil {
			return false, err
		}
		for _, t := range twins {
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
	d, err := p.read(ctx, tx, meeting)
	if err != nil {
		return nil, false, err
	}
	var good *int64
	if d.good != nil {
		good = &d.good.MinutesID
	}
	changed, err := archive.SetSources(ctx, tx, d.ID, good, d.leader)
	if err != nil {
		return nil, false, err
	}
	merged, err := merge.Apply(ctx, tx, d.ID, d.state, merge.Cause{Run: p.Run, Reason: p.reason(d)}, now)
	if pg.FaultOf(err) == pg.FaultData && d.good != nil {
		err = &Refusal{d.good.DocumentID, "what was read from the document cannot be stored" + sqlState(err), err}
	}
	if err != nil {
		return nil, false, err
	}
	passed, err := p.passStatus(ctx, tx, d.Input, now)
	return d, changed || merged || passed, err
}

// sqlState is the database's code for an error, in brackets.
func sqlState(err error) string {
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return " (SQLSTATE " + e.Code + ")"
	}
	return ""
}

// reason says why the votes of a meeting may read differently than before.
func (p *Publisher) reason(d *derived) string {
	switch {
	case p.Again:
		return "reparse with parser " + run.Version
	case d.good != nil && d.Good == nil:
		return "new document"
	case d.good != nil && d.good.MinutesID != d.Good.MinutesID:
		return "minutes replaced"
	case (d.leader == nil) != (d.SameAs == nil):
		return "another meeting has the same minutes"
	}
	return "agenda or settings changed"
}

// Verify compares what is stored of a meeting with what follows from its ground, and reports each
// difference. It writes nothing. A [Refusal] is the error of a document that would be refused.
func (p *Publisher) Verify(ctx context.Context, tx pgx.Tx, meeting int64, report func(string, ...any)) error {
	d, err := p.read(ctx, tx, meeting)
	if err != nil {
		return err
	}
	if d.good != nil && (d.Good == nil || d.Good.MinutesID != d.good.MinutesID) {
		report("meeting %d: votes come from another document than the last that can be read", d.ID)
	}
	if was, is := shown(d.SameAs), shown(d.leader); was != is {
		report("meeting %d: stored as the same as %s, derived as %s", d.ID, was, is)
	}
	differences, err := merge.Verify(ctx, tx, d.ID, d.state)
	for _, diff := range differences {
		report("meeting %d: %s", d.ID, diff)
	}
	return err
}

func shown(id *int64) string {
	if id == nil {
		return "no other"
	}
	return fmt.Sprintf("meeting %d", *id)
}
