package merge

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// addShares is addMemberShare over several meetings. What pairs of members share does not depend on topics.
const addShares = `
	INSERT INTO council.member_tally AS t (member_id, topic, position, votes, dissents)
	SELECT member_id, topic, position, $2 * sum(votes)::bigint, $2 * sum(dissents)::bigint
	FROM council.member_share WHERE iqm2_id = ANY($1) GROUP BY member_id, topic, position
	ON CONFLICT (member_id, topic, position) DO UPDATE SET votes = t.votes + excluded.votes, dissents = t.dissents + excluded.dissents`

// Retopic runs change, which gives other topics to votes of the given meetings and alters nothing else about votes, and keeps the
// tallies of members exact. The caller's transaction holds the dataset's lock.
func Retopic(ctx context.Context, tx pgx.Tx, meetings []int64, change func(meetings []int64) error) error {
	if _, err := tx.Exec(ctx, addShares, meetings, -1); err != nil {
		return fmt.Errorf("tally meetings with new topics: %w", err)
	}
	if err := change(meetings); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, addShares, meetings, 1); err != nil {
		return fmt.Errorf("tally meetings with new topics: %w", err)
	}
	if _, err := tx.Exec(ctx, dropMemberZeros); err != nil {
		return fmt.Errorf("tally meetings with new topics: %w", err)
	}
	return nil
}
