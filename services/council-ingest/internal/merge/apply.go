package merge

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Apply makes the rows below a meeting say what s says, with corrections applied to it, and reports
// whether that changed any. The caller's transaction holds the dataset's lock; now becomes
// parsed_at of votes that are new or read differently than before. What readers see differently is
// recorded with its cause.
func Apply(ctx context.Context, tx pgx.Tx, meeting int64, s State, why Cause, now time.Time) (bool, error) {
	l, err := readLaid(ctx, tx, meeting)
	if err != nil {
		return false, err
	}
	return l.store(ctx, tx, l.recognised(s), why, now)
}

// Reapply applies the corrections of a meeting to its last reading, and reports whether readers can
// see that.
func Reapply(ctx context.Context, tx pgx.Tx, meeting int64, why Cause, now time.Time) (bool, error) {
	l, err := readLaid(ctx, tx, meeting)
	if err != nil {
		return false, err
	}
	return l.store(ctx, tx, l.read, why, now)
}

// store writes what was read, with corrections applied to it.
func (l *laid) store(ctx context.Context, tx pgx.Tx, read rows, why Cause, now time.Time) (bool, error) {
	if err := read.allocate(ctx, tx); err != nil {
		return false, fmt.Errorf("merge meeting %d: %w", l.meeting, err)
	}
	note := recorder{meeting: l.meeting, why: why, now: now, by: l.fresh(read)}
	want := l.want(read)
	if err := l.people.store(ctx, tx, want, note); err != nil {
		return false, err
	}
	changed, err := l.write(ctx, tx, want, note)
	if err != nil || len(l.acts) == 0 {
		return changed, err
	}
	kept, err := l.keep(ctx, tx, read)
	return changed || kept, err
}

// write makes the stored rows the wanted ones.
func (l *laid) write(ctx context.Context, tx pgx.Tx, want rows, note recorder) (bool, error) {
	var fresh []*int64
	for i := range want.anomalies {
		fresh = append(fresh, &want.anomalies[i].ID)
	}
	d := compare(l.stored, want)
	if d.empty() {
		return false, nil
	}
	if _, err := newIDs(ctx, tx, "council.anomaly", fresh); err != nil {
		return false, fmt.Errorf("merge meeting %d: %w", l.meeting, err)
	}
	var before readings
	if d.tallied() {
		var err error
		before, err = readReadings(ctx, tx, l.meeting)
		if err != nil {
			return false, err
		}
		if err := addShare(ctx, tx, l.meeting, -1); err != nil {
			return false, err
		}
	}
	if err := d.write(ctx, tx, l.meeting, l.people, note.now); err != nil {
		return false, fmt.Errorf("merge meeting %d: %w", l.meeting, err)
	}
	if d.tallied() {
		if err := addShare(ctx, tx, l.meeting, +1); err != nil {
			return false, err
		}
		if err := note.votes(ctx, tx, before); err != nil {
			return false, err
		}
	}
	return true, l.people.drop(ctx, tx, l.stored, note)
}
