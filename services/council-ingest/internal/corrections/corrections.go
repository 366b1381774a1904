// Package corrections stores what people say against a reading, and lays it over what was read. It
// decides on no vote itself: package clerk knows what a correction may say, and package merge what
// it changes. Start with Correct; Apply brings what was said to readers.
package corrections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/desk"
	"github.com/townline/townline/services/council-ingest/internal/merge"
)

// Corrected is what became of corrections: what each says, and which votes readers see differently.
type Corrected struct {
	Corrections []clerk.Correction `json:"corrections"`
	Differences []merge.Difference `json:"differences"`
	Stored      bool               `json:"stored"` // false in a dry run
	Live        bool               `json:"live"`   // readers see it; otherwise council-ingest lays it over within seconds
}

// ErrUnknownName reports a name that no member has, and nobody in the meeting's attendance.
var ErrUnknownName = errors.New("no member has that name, and nobody in the attendance of the meeting")

// Saying is how something is said.
type Saying struct {
	NewNames bool        // take names that no member has; without it they are an error
	DryRun   bool        // only return what would change
	Seen     *clerk.Seen // what was seen before; see clerk.ErrConflict
}

// Correct stores corrections, all or none, and applies them. All are of one item or one vote, and
// of the one meeting that these belong to.
func Correct(ctx context.Context, deps run.Deps, all []clerk.Correction, how Saying) (Corrected, error) {
	for i := range all {
		if err := all[i].Check(); err != nil {
			return Corrected{Corrections: all}, err
		}
	}
	return say(ctx, deps, all, how)
}

// Withdraw takes a correction back, and applies what is left.
func Withdraw(ctx context.Context, deps run.Deps, which int64, author, reason string, how Saying) (Corrected, error) {
	back, err := clerk.Withdrawal(ctx, deps.DB, which, author, reason)
	if err != nil {
		return Corrected{}, err
	}
	out, err := say(ctx, deps, []clerk.Correction{back}, how)
	if !out.Stored {
		out.Corrections = nil
	}
	return out, err
}

func say(ctx context.Context, deps run.Deps, all []clerk.Correction, how Saying) (Corrected, error) {
	out := Corrected{Corrections: all}
	err := pgx.BeginTxFunc(ctx, deps.DB, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(tx pgx.Tx) (err error) {
			out.Differences, err = preview(ctx, tx, all, how.NewNames)
			return err
		})
	if err != nil || how.DryRun {
		return out, err
	}
	if err := clerk.AddCorrections(ctx, deps.DB, all, time.Now().UTC().Truncate(time.Second), how.Seen); err != nil {
		return out, err
	}
	out.Stored = true
	out.Live, err = ApplyIfAllowed(ctx, deps)
	return out, err
}

const whereIs = `
	SELECT m.iqm2_id, n.document_id
	FROM council.meeting m LEFT JOIN council.minutes n ON n.minutes_id = m.minutes_id
	WHERE m.iqm2_id = coalesce((SELECT iqm2_id FROM council.vote WHERE id = $1),
	  (SELECT iqm2_id FROM council.item WHERE id = $2),
	                           (SELECT max(iqm2_id) FROM council.correction WHERE vote_id = $1), $3)`

// preview says what corrections would do, and sets their meeting and document.
func preview(ctx context.Context, tx pgx.Tx, all []clerk.Correction, newNames bool) ([]merge.Difference, error) {
	for i := range all {
		c := &all[i]
		if c.Kind == clerk.Withdrawn {
			continue
		}
		var of *int64 // the meeting, if neither vote nor item was read
		if c.Kind == clerk.Missing && c.Vote.Item != nil {
			of = &c.Meeting
		}
		err := tx.QueryRow(ctx, whereIs, c.VoteID, c.ItemID, of).Scan(&c.Meeting, &c.DocumentID)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, fmt.Errorf("find what to correct: %w", clerk.ErrNotFound)
		}
		if err != nil {
			return nil, fmt.Errorf("find what to correct: %w", err)
		}
		for _, name := range c.Names() {
			known, err := merge.IsKnownName(ctx, tx, c.Meeting, name)
			if err != nil {
				return nil, err
			}
			if !known && !newNames {
				return nil, fmt.Errorf("%s: %w", name, ErrUnknownName)
			}
		}
	}
	return merge.Preview(ctx, tx, all[0].Meeting, all)
}

// Apply brings what people said to the readers: it lays corrections that wait over what was read,
// and raises the generation for reviews. It reports whether there was anything. What was cut off is
// done by the next.
func Apply(ctx context.Context, deps run.Deps) (bool, error) {
	d := desk.New(deps)
	waiting, err := clerk.Unapplied(ctx, deps.DB)
	if err != nil {
		return false, err
	}
	any := false
	for _, meeting := range waiting {
		changed, err := d.Write(ctx, func(tx pgx.Tx) (bool, error) {
			return merge.Reapply(ctx, tx, meeting, merge.Cause{Run: d.Run, Reason: "corrections"}, d.Now())
		})
		if err != nil {
			return any, fmt.Errorf("apply corrections to meeting %d: %w", meeting, err)
		}
		any = any || changed
	}
	var reviewed bool
	err = deps.DB.QueryRow(ctx, `SELECT coalesce((SELECT max(review_id) FROM council.review),
		0) > review_id FROM council.dataset`).Scan(&reviewed)
	if err == nil && reviewed {
		_, err = d.Write(ctx, func(tx pgx.Tx) (bool, error) {
			_, err := tx.Exec(ctx, `UPDATE council.dataset SET review_id = (SELECT coalesce(max(review_id), 0)
				FROM council.review)`)
			return true, err
		})
	}
	if err != nil {
		return any, fmt.Errorf("raise the generation for reviews: %w", err)
	}
	if any {
		_, err = d.Write(ctx, func(tx pgx.Tx) (bool, error) { return d.Export(ctx, tx) })
	}
	return any || reviewed, err
}

// ApplyIfAllowed is Apply for a role that may not write what council-ingest writes: that is no
// error, and council-ingest will do it.
func ApplyIfAllowed(ctx context.Context, deps run.Deps) (live bool, err error) {
	_, err = Apply(ctx, deps)
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) && e.Code == "42501" {
		return false, nil
	}
	return err == nil, err
}
