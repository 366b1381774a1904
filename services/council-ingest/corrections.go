package councilingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/merge"
	"github.com/townline/townline/services/council-ingest/internal/writer"
)

// Corrected is the result of storing corrections.
type Corrected struct {
	Corrections []clerk.Correction `json:"corrections"`
	Differences []merge.Difference `json:"differences"`
	Stored      bool               `json:"stored"` // false in a dry run
	Live        bool               `json:"live"`   // readers see it; else council-ingest applies it within seconds
}

// ErrUnknownName means that no member or attendee of the meeting has the name.
var ErrUnknownName = errors.New("no member has that name, and nobody in the attendance of the meeting")

// CorrectOptions are the options of Correct and Withdraw.
type CorrectOptions struct {
	NewNames bool // accept names of people who are not members yet
	DryRun   bool
	Seen     *clerk.Seen // the newest corrections that the author saw; see clerk.ErrConflict
}

// Correct stores corrections of one item or one vote and applies them. It stores all or none. It
// sets their meeting and document.
func Correct(ctx context.Context, deps run.Deps, all []clerk.Correction, opts CorrectOptions) (Corrected, error) {
	for i := range all {
		if err := all[i].Check(); err != nil {
			return Corrected{Corrections: all}, err
		}
	}
	return correct(ctx, deps, all, opts)
}

// Withdraw withdraws a correction and applies the remaining ones.
func Withdraw(ctx context.Context, deps run.Deps, which int64, author, reason string,
	opts CorrectOptions) (Corrected, error) {
	withdrawal, err := clerk.Withdrawal(ctx, deps.DB, which, author, reason)
	if err != nil {
		return Corrected{}, err
	}
	out, err := correct(ctx, deps, []clerk.Correction{withdrawal}, opts)
	if !out.Stored {
		out.Corrections = nil
	}
	return out, err
}

func correct(ctx context.Context, deps run.Deps, all []clerk.Correction, opts CorrectOptions) (Corrected, error) {
	out := Corrected{Corrections: all}
	err := pgx.BeginTxFunc(ctx, deps.DB, pgx.TxOptions{IsoLevel: pgx.RepeatableRead},
		func(tx pgx.Tx) (err error) {
			out.Differences, err = preview(ctx, tx, all, opts.NewNames)
			return err
		})
	if err != nil || opts.DryRun {
		return out, err
	}
	if err := clerk.AddCorrections(ctx, deps.DB, all, time.Now().UTC().Truncate(time.Second), opts.Seen); err != nil {
		return out, err
	}
	out.Stored = true
	out.Live, err = ApplyIfAllowed(ctx, deps)
	return out, err
}

const selectCorrected = `
	SELECT m.iqm2_id, n.document_id
	FROM council.meeting m LEFT JOIN council.minutes n ON n.minutes_id = m.minutes_id
	WHERE m.iqm2_id = coalesce((SELECT iqm2_id FROM council.vote WHERE id = $1),
	  (SELECT iqm2_id FROM council.item WHERE id = $2),
	                           (SELECT max(iqm2_id) FROM council.correction WHERE vote_id = $1), $3)`

func preview(ctx context.Context, tx pgx.Tx, all []clerk.Correction, newNames bool) ([]merge.Difference, error) {
	for i := range all {
		c := &all[i]
		if c.Kind == clerk.Withdrawn {
			continue
		}
		var meeting *int64 // set for a correction of a person, and for a missing vote on a missing item
		if c.Kind == clerk.Person || c.Kind == clerk.Missing && c.Missing.Item != nil {
			meeting = &c.Meeting
		}
		err := tx.QueryRow(ctx, selectCorrected, c.VoteID, c.ItemID, meeting).Scan(&c.Meeting, &c.DocumentID)
		if errors.Is(err, pgx.ErrNoRows) {
			err = clerk.ErrNotFound
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

// Apply publishes new corrections, and raises the generation for new reviews. applied reports
// whether there were any. If it is interrupted, the next Apply continues.
func Apply(ctx context.Context, deps run.Deps) (applied bool, err error) {
	w := writer.New(deps)
	waiting, err := clerk.Unapplied(ctx, deps.DB)
	if err != nil {
		return false, err
	}
	var failed []error // a failure of one meeting must not delay the others
	for _, meeting := range waiting {
		changed, err := w.Write(ctx, func(tx pgx.Tx) (bool, error) {
			return merge.Reapply(ctx, tx, meeting, w.Cause("corrections"), w.Now())
		})
		if err != nil {
			failed = append(failed, fmt.Errorf("apply corrections to meeting %d: %w", meeting, err))
		}
		applied = applied || changed
	}
	var reviewed bool
	err = deps.DB.QueryRow(ctx, `SELECT coalesce((SELECT max(review_id) FROM council.review),
		0) > review_id FROM council.dataset`).Scan(&reviewed)
	if err == nil && reviewed {
		_, err = w.Write(ctx, func(tx pgx.Tx) (bool, error) {
			_, err := tx.Exec(ctx, `UPDATE council.dataset SET review_id = (SELECT coalesce(max(review_id), 0)
				FROM council.review)`)
			return true, err
		})
	}
	if err != nil {
		return applied, fmt.Errorf("raise the generation for reviews: %w", err)
	}
	return applied || reviewed, errors.Join(failed...)
}

// ApplyIfAllowed is like Apply, for callers whose database role may lack the permission. live is
// false if it does; then council-ingest applies the corrections.
func ApplyIfAllowed(ctx context.Context, deps run.Deps) (live bool, err error) {
	_, err = Apply(ctx, deps)
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) && e.Code == "42501" { // insufficient_privilege
		return false, nil
	}
	return err == nil, err
}
