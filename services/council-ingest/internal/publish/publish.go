// Package publish brings the tables of one meeting to what is stored about it: the text of its minutes, the portal's record, the agenda,
// what other meetings share with it, and its status, in the transaction of the caller.
//
// It fetches nothing and archives nothing; what it reads is the ground of package archive. A document on which the parser or the tables fail is
// refused, and its meetings keep what was published before. Start with Publish; derive.go is the pure part, status.go the status,
// verify.go the comparison of what is stored with what follows from the ground.
package publish

import (
	"context"
	"errors"

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

// Publish derives a meeting's rows and its status from what is stored about it, and writes what changed. A document on which
// the parser or the tables fail is refused. Its meetings then keep what was published before.
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
		fresh, markErr := archive.Refuse(ctx, tx, r.Document, r.verdict, r.Why)
		if markErr != nil || !fresh {
			return false, errors.Join(err, markErr)
		}
		p.Refused[r.Document] = r.Why
		p.Deps.Log.ErrorContext(ctx, "a document is refused; what was published of its meetings stays", "document", r.Document, "meeting", meeting, "why", r.Why, "error", r.err)
	}
}

func (p *Publisher) publishWithTwins(ctx context.Context, tx pgx.Tx, meeting int64) (bool, error) {
	g, err := archive.ReadGround(ctx, tx, meeting)
	if err != nil {
		return false, err
	}
	changed, err := p.publishOne(ctx, tx, g)
	if err != nil {
		return false, err
	}
	// Another meeting with the same document may gain or lose the votes.
	documents := []*archive.Source{g.Good, g.Latest}
	seen := map[int64]bool{meeting: true}
	for _, doc := range documents {
		if doc == nil {
			continue
		}
		twins, err := archive.Twins(ctx, tx, doc.DocumentID)
		if err != nil {
			return false, err
		}
		for _, t := range twins {
			if seen[t.ID] {
				continue
			}
			seen[t.ID] = true
			other, err := archive.ReadGround(ctx, tx, t.ID)
			if err != nil {
				return false, err
			}
			more, err := p.publishOne(ctx, tx, other)
			if err != nil {
				return false, err
			}
			changed = changed || more
		}
	}
	return changed, nil
}

func (p *Publisher) publishOne(ctx context.Context, tx pgx.Tx, g archive.Ground) (bool, error) {
	now := p.Now()
	var twins []archive.Twin
	good := goodSource(g)
	var goodID *int64
	if good != nil {
		goodID = &good.MinutesID
		var err error
		twins, err = archive.Twins(ctx, tx, good.DocumentID)
		if err != nil {
			return false, err
		}
	}
	state, sameAs, err := p.Derive(g, good, twins)
	if err != nil {
		return false, err
	}
	changed, err := archive.SetSources(ctx, tx, g.ID, goodID, sameAs)
	if err != nil {
		return false, err
	}
	merged, err := merge.Apply(ctx, tx, g.ID, state, merge.Cause{Run: p.Run, Reason: p.reason(g, good, sameAs)}, now)
	if pg.FaultOf(err) == pg.FaultData && good != nil {
		return false, &Refusal{good.DocumentID, council.VerdictUnreadable, "what was read from the document cannot be stored" + sqlState(err), err}
	}
	if err != nil {
		return false, err
	}
	passed, err := p.passStatus(ctx, tx, g, now)
	return changed || merged || passed, err
}

// sqlState is the database's code for an error, in brackets.
func sqlState(err error) string {
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return " (SQLSTATE " + e.Code + ")"
	}
	return ""
}

// reason says why the votes of a meeting may read differently than before.
func (p *Publisher) reason(g archive.Ground, good *archive.Source, sameAs *int64) string {
	switch {
	case p.Again:
		return "reparse with parser " + run.Version
	case good != nil && g.Good == nil:
		return "new document"
	case good != nil && good.MinutesID != g.Good.MinutesID:
		return "minutes replaced"
	case (sameAs == nil) != (g.SameAs == nil):
		return "another meeting has the same minutes"
	}
	return "agenda or settings changed"
}
