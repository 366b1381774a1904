// Package merge updates the tables of a meeting from its sources.
//
// It works in two steps. Compose is a pure function from agenda outline and minutes to a State.
// Apply compares that state with the stored rows, keeps the ids that package match recognises, and
// writes the difference; an equal re-parse writes nothing. Between the two, people's corrections
// override parsed values (overlay.go, also pure). The rows before corrections are kept
// (meeting.go), because newer minutes are compared with them. Reapply applies new corrections,
// Preview shows their effect without writing, because clerks may write no rows; Verify runs Apply and
// rolls it back.
//
// Rows contain names in the spelling of their member (members.go). Everything happens in the
// caller's transaction, which must hold the lock of the dataset. The package sets no status. Its
// tables are those of pkg/schema/council below a meeting.
package merge

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Apply makes the rows of a meeting equal to a state with corrections applied, and reports whether
// any row changed. New and changed votes get the parsed_at now. Apply records visible changes with
// their cause.
func Apply(ctx context.Context, tx pgx.Tx, id int64, s State, why Cause, now time.Time) (bool, error) {
	log := changeLog{meeting: id, why: why, now: now}
	m, joined, err := readJoined(ctx, tx, id, &s, log)
	if err != nil {
		return false, err
	}
	changed, err := m.store(ctx, tx, m.identify(s), log)
	return changed || joined, err
}

// Reapply applies the corrections of a meeting to its rows before corrections, and reports whether readers
// see a change.
func Reapply(ctx context.Context, tx pgx.Tx, id int64, why Cause, now time.Time) (bool, error) {
	log := changeLog{meeting: id, why: why, now: now}
	m, joined, err := readJoined(ctx, tx, id, nil, log)
	if err != nil {
		return false, err
	}
	changed, err := m.store(ctx, tx, m.read, log)
	return changed || joined, err
}

// store writes the rows with corrections applied, and keeps the rows without corrections.
func (m *meeting) store(ctx context.Context, tx pgx.Tx, read rows, log changeLog) (bool, error) {
	if err := read.allocate(ctx, tx); err != nil {
		return false, fmt.Errorf("merge meeting %d: %w", m.id, err)
	}
	log.corrections = m.unapplied(read)
	want := m.override(read)
	if err := m.people.add(ctx, tx, want, log); err != nil {
		return false, err
	}
	changed, err := m.write(ctx, tx, want, log)
	if err != nil || len(m.corrections) == 0 {
		return changed, err
	}
	applied, err := m.keepUncorrected(ctx, tx, read)
	return changed || applied, err
}

func (m *meeting) write(ctx context.Context, tx pgx.Tx, want rows, log changeLog) (bool, error) {
	var anomalies []*int64
	for i := range want.anomalies {
		anomalies = append(anomalies, &want.anomalies[i].ID)
	}
	d := compare(m.stored, want)
	if d.isEmpty() {
		return false, nil
	}
	if _, err := newIDs(ctx, tx, "council.anomaly", anomalies); err != nil {
		return false, fmt.Errorf("merge meeting %d: %w", m.id, err)
	}
	var before string
	if d.affectsTallies() {
		var err error
		before, err = readPublished(ctx, tx, m.id)
		if err != nil {
			return false, err
		}
		if err := addShares(ctx, tx, -1, m.id); err != nil {
			return false, err
		}
	}
	if err := d.write(ctx, tx, m.id, m.people, log.now); err != nil {
		return false, fmt.Errorf("merge meeting %d: %w", m.id, err)
	}
	if d.affectsTallies() {
		if err := addShares(ctx, tx, +1, m.id); err != nil {
			return false, err
		}
		if err := log.recordVotes(ctx, tx, before); err != nil {
			return false, err
		}
	}
	return true, m.people.removeUnused(ctx, tx, m.stored, log)
}
