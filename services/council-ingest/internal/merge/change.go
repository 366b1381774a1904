package merge

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/pg"
)

// A Cause is why rows are about to change, for the public record (council.change).
type Cause struct {
	Run    string // the ingest or re-parse, one id for all that it does
	Reason string // in words: "minutes replaced"
}

// A recorder writes down what readers of one meeting will see differently.
type recorder struct {
	meeting int64
	why     Cause
	now     time.Time
	by      map[int64]clerk.Correction // corrections that are new, by the vote that they change
}

// A reading is a vote as readers see it, as JSON.
type reading struct {
	VoteID int64
	Text   string
}

const selectReadings = `SELECT vote_id, reading::text AS text FROM council.vote_reading WHERE iqm2_id = $1 ORDER BY ord, vote_id`

// readReadings returns the readings of a meeting's votes in document order.
func readReadings(ctx context.Context, tx pgx.Tx, meeting int64) ([]reading, error) {
	all, err := pg.List[reading](ctx, tx, selectReadings, meeting)
	if err != nil {
		return nil, fmt.Errorf("read votes of meeting %d as they are seen: %w", meeting, err)
	}
	return all, nil
}

// The minutes of the meeting are those that the new readings come from: the caller has set them already.
const insertVoteChanges = `
	INSERT INTO council.change (kind, iqm2_id, vote_id, document_id, before, after, reason, correction_id, run_id, changed_at)
	SELECT CASE WHEN c.before IS NULL THEN 'vote_added' WHEN c.after IS NULL THEN 'vote_removed' ELSE 'vote_changed' END,
	       $1, c.vote_id, (SELECT coalesce(n.document_id, r.document_id) FROM council.meeting m
	        LEFT JOIN council.minutes n ON n.minutes_id = m.minutes_id LEFT JOIN council.record r ON r.record_id = m.record_id WHERE m.iqm2_id = $1),
	       c.before::jsonb, c.after::jsonb, c.reason, c.correction_id, $7, $8
	FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[]) WITH ORDINALITY AS c(vote_id, before, after, reason, correction_id, ord)
	ORDER BY c.ord`

// votes compares what readers saw of the meeting's votes with what they see now, and records each difference.
func (r recorder) votes(ctx context.Context, tx pgx.Tx, before []reading) error {
	after, err := readReadings(ctx, tx, r.meeting)
	if err != nil {
		return err
	}
	was := make(map[int64]*string, len(before))
	for i := range before {
		was[before[i].VoteID] = &before[i].Text
	}
	var ids []int64
	var old, now []*string
	for i, v := range after {
		text := was[v.VoteID]
		delete(was, v.VoteID)
		if text == nil || *text != v.Text {
			ids, old, now = append(ids, v.VoteID), append(old, text), append(now, &after[i].Text)
		}
	}
	for i, v := range before {
		if was[v.VoteID] != nil {
			ids, old, now = append(ids, v.VoteID), append(old, &before[i].Text), append(now, nil)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	reasons, corrections := make([]string, len(ids)), make([]*int64, len(ids))
	for i, id := range ids {
		reasons[i] = r.why.Reason
		if c, is := r.by[id]; is {
			reasons[i], corrections[i] = correctedBecause(c), &c.ID
		}
	}
	if _, err := tx.Exec(ctx, insertVoteChanges, r.meeting, ids, old, now, reasons, corrections, r.why.Run, r.now); err != nil {
		return fmt.Errorf("record changed votes of meeting %d: %w", r.meeting, err)
	}
	return nil
}

// correctedBecause is the reason of a change that a correction makes.
func correctedBecause(c clerk.Correction) string {
	what := fmt.Sprintf("correction %d", c.ID)
	if c.Withdraws != nil {
		what = fmt.Sprintf("correction %d withdrawn", *c.Withdraws)
	}
	return fmt.Sprintf("%s by %s: %s (%s)", what, c.Author, c.Reason, c.RestsOn)
}

const insertMemberChange = `
	INSERT INTO council.change (kind, iqm2_id, member_id, before, after, reason, run_id, changed_at)
	VALUES (CASE WHEN $3::text IS NULL THEN 'member_added' ELSE 'member_removed' END, $1, $2,
	        CASE WHEN $3 IS NOT NULL THEN jsonb_build_object('full_name', $3) END, CASE WHEN $4::text IS NOT NULL THEN jsonb_build_object('full_name', $4) END, $5, $6, $7)`

// member records that a member was added or removed.
func (r recorder) member(ctx context.Context, tx pgx.Tx, id int64, before, after *string) error {
	if _, err := tx.Exec(ctx, insertMemberChange, r.meeting, id, before, after, r.why.Reason, r.why.Run, r.now); err != nil {
		return fmt.Errorf("record change of member %d: %w", id, err)
	}
	return nil
}
