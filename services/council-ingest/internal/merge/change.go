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

// readings are a meeting's votes as readers see them, in document order.
type readings struct {
	IDs   []int64
	Texts []string // JSON
}

// readReadings returns the readings of a meeting's votes.
func readReadings(ctx context.Context, tx pgx.Tx, meeting int64) (readings, error) {
	all, err := pg.One[readings](ctx, tx, `
		SELECT coalesce(array_agg(vote_id ORDER BY ord, vote_id), '{}') AS ids,
		       coalesce(array_agg(reading::text ORDER BY ord, vote_id), '{}') AS texts
		FROM council.vote_reading WHERE iqm2_id = $1`, meeting)
	if err != nil {
		return all, fmt.Errorf("read votes of meeting %d as they are seen: %w", meeting, err)
	}
	return all, nil
}

// The minutes of the meeting are those that the new readings come from: the caller has set them.
// Changes stand in the order of the votes now, then removed votes in the order before.
const insertVoteChanges = `
	INSERT INTO council.change (kind, iqm2_id, vote_id, document_id, before, after, reason, correction_id, run_id,
	  changed_at)
	SELECT CASE WHEN b.reading IS NULL THEN 'vote_added' WHEN a.reading IS NULL THEN 'vote_removed'
	       ELSE 'vote_changed' END,
	       $1, vote_id, (SELECT coalesce(n.document_id, r.document_id) FROM council.meeting m
	        LEFT JOIN council.minutes n ON n.minutes_id = m.minutes_id LEFT JOIN council.record r
	          ON r.record_id = m.record_id WHERE m.iqm2_id = $1),
	       b.reading::jsonb, a.reading::jsonb, coalesce(c.reason, $7), c.correction_id, $8, $9
	FROM (SELECT vote_id, ord, reading::text AS reading FROM council.vote_reading WHERE iqm2_id = $1) a
	FULL JOIN unnest($2::bigint[], $3::text[]) WITH ORDINALITY AS b(vote_id, reading, ord) USING (vote_id)
	LEFT JOIN unnest($4::bigint[], $5::text[], $6::bigint[]) AS c(vote_id, reason, correction_id) USING (vote_id)
	WHERE a.reading IS DISTINCT FROM b.reading
	ORDER BY a.ord, b.ord`

// votes compares what readers saw of the meeting's votes with what they see now, and records each
// difference.
func (r recorder) votes(ctx context.Context, tx pgx.Tx, before readings) error {
	var votes, corrections []int64
	var reasons []string
	for vote, c := range r.by {
		votes, corrections, reasons = append(votes, vote), append(corrections, c.ID), append(reasons, correctedBecause(c))
	}
	_, err := tx.Exec(ctx, insertVoteChanges, r.meeting, before.IDs, before.Texts, votes, reasons, corrections,
		r.why.Reason, r.why.Run, r.now)
	if err != nil {
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
	        CASE WHEN $3 IS NOT NULL THEN jsonb_build_object('full_name', $3) END, CASE WHEN $4::text IS NOT NULL
	          THEN jsonb_build_object('full_name', $4) END, $5, $6, $7)`

// member records that a member was added or removed.
func (r recorder) member(ctx context.Context, tx pgx.Tx, id int64, before, after *string) error {
	if _, err := tx.Exec(ctx, insertMemberChange, r.meeting, id, before, after, r.why.Reason, r.why.Run,
		r.now); err != nil {
		return fmt.Errorf("record change of member %d: %w", id, err)
	}
	return nil
}
