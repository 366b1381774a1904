package merge

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/pg"
)

// A Cause says why rows change. It is published with the changes (council.change).
type Cause struct {
	Run    string // id of the ingest or re-parse
	Reason string // reason in words, such as "minutes replaced"
}

// A changeLog records the changes of a meeting that readers can see.
type changeLog struct {
	meeting     int64
	why         Cause
	now         time.Time
	corrections map[int64]clerk.Correction // new corrections by vote
}

// readPublished returns a meeting's votes as readers see them, as JSON in document order.
func readPublished(ctx context.Context, tx pgx.Tx, meeting int64) (string, error) {
	votes, err := pg.Value[string](ctx, tx, `
		SELECT coalesce(jsonb_agg(r ORDER BY ord, vote_id), '[]')::text FROM council.vote_reading r
		WHERE iqm2_id = $1`, meeting)
	if err != nil {
		return "", fmt.Errorf("read published votes of meeting %d: %w", meeting, err)
	}
	return votes, nil
}

// The caller has already set the meeting's document to the one with the new votes. The changes have
// the order of the new votes; removed votes follow in the old order.
const insertVoteChanges = `
	INSERT INTO council.change (kind, iqm2_id, vote_id, document_id, before, after, reason, correction_id, run_id,
	  changed_at, body_id)
	SELECT CASE WHEN b.reading IS NULL THEN 'vote_added' WHEN a.reading IS NULL THEN 'vote_removed'
	       ELSE 'vote_changed' END,
	       $1, vote_id, (SELECT coalesce(n.document_id, r.document_id) FROM council.meeting m
	        LEFT JOIN council.minutes n ON n.minutes_id = m.minutes_id LEFT JOIN council.record r
	          ON r.record_id = m.record_id WHERE m.iqm2_id = $1),
	       b.reading, a.reading, coalesce(c.reason, $6), c.correction_id, $7, $8,
	       (SELECT body_id FROM council.meeting WHERE iqm2_id = $1)
	FROM (SELECT vote_id, ord, reading FROM council.vote_reading WHERE iqm2_id = $1) a
	FULL JOIN jsonb_to_recordset($2::jsonb) AS b(vote_id bigint, ord int, reading jsonb) USING (vote_id)
	LEFT JOIN unnest($3::bigint[], $4::text[], $5::bigint[]) AS c(vote_id, reason, correction_id) USING (vote_id)
	WHERE a.reading IS DISTINCT FROM b.reading
	ORDER BY a.ord, b.ord, vote_id`

// recordVotes records each difference between the earlier published votes (before) and the current
// ones.
func (l changeLog) recordVotes(ctx context.Context, tx pgx.Tx, before string) error {
	var votes, corrections []int64
	var reasons []string
	for vote, c := range l.corrections {
		votes = append(votes, vote)
		corrections = append(corrections, c.ID)
		reasons = append(reasons, correctionReason(c))
	}
	_, err := tx.Exec(ctx, insertVoteChanges, l.meeting, before, votes, reasons, corrections,
		l.why.Reason, l.why.Run, l.now)
	if err != nil {
		return fmt.Errorf("record changed votes of meeting %d: %w", l.meeting, err)
	}
	return nil
}

func correctionReason(c clerk.Correction) string {
	which := fmt.Sprintf("correction %d", c.ID)
	if c.Withdraws != nil {
		which = fmt.Sprintf("correction %d withdrawn", *c.Withdraws)
	}
	return fmt.Sprintf("%s by %s: %s (%s)", which, c.Author, c.Reason, c.Document)
}

const insertMemberChange = `
	INSERT INTO council.change (kind, iqm2_id, member_id, before, after, reason, run_id, changed_at, body_id)
	VALUES (CASE WHEN $3::text IS NULL THEN 'member_added' ELSE 'member_removed' END, $1, $2,
	        CASE WHEN $3 IS NOT NULL THEN jsonb_build_object('full_name', $3) END, CASE WHEN $4::text IS NOT NULL
	          THEN jsonb_build_object('full_name', $4) END, $5, $6, $7,
	        coalesce((SELECT body_id FROM council.meeting WHERE iqm2_id = $1), 1))`

func (l changeLog) recordMember(ctx context.Context, tx pgx.Tx, id int64, before, after *string) error {
	if _, err := tx.Exec(ctx, insertMemberChange, l.meeting, id, before, after, l.why.Reason, l.why.Run,
		l.now); err != nil {
		return fmt.Errorf("record change of member %d: %w", id, err)
	}
	return nil
}
