package merge

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// The tallies are sums of the views member_share and pair_share over all meetings. The share of a
// meeting is subtracted before the meeting changes, and added again afterwards. So the sums are
// exact at every commit.
const (
	addMemberShares = `
		INSERT INTO council.body_member_tally AS t (member_id, topic, position, votes, dissents, body_id)
		SELECT member_id, topic, position, $2 * sum(votes)::bigint, $2 * sum(dissents)::bigint, body_id
		FROM council.member_share WHERE iqm2_id = ANY($1) GROUP BY member_id, topic, position, body_id
		ON CONFLICT (member_id, topic, position, body_id) DO UPDATE SET votes = t.votes + excluded.votes,
		  dissents = t.dissents + excluded.dissents`
	addPairShares = `
		INSERT INTO council.body_pair_tally AS t (member_id, other_id, via_consent, shared, agreed, body_id)
		SELECT member_id, other_id, via_consent, $2 * sum(shared)::bigint, $2 * sum(agreed)::bigint, body_id
		FROM council.pair_share WHERE iqm2_id = ANY($1) GROUP BY member_id, other_id, via_consent, body_id
		ON CONFLICT (member_id, other_id, via_consent, body_id) DO UPDATE SET shared = t.shared + excluded.shared,
		  agreed = t.agreed + excluded.agreed`
	dropMemberZeros = `DELETE FROM council.body_member_tally WHERE votes = 0`
	dropPairZeros   = `DELETE FROM council.body_pair_tally WHERE shared = 0`
)

// addShares adds the shares of meetings to the tallies. If sign is -1, it subtracts them.
func addShares(ctx context.Context, tx pgx.Tx, sign int, meetings ...int64) error {
	b := &pgx.Batch{}
	b.Queue(addMemberShares, meetings, sign)
	b.Queue(addPairShares, meetings, sign)
	if sign > 0 {
		b.Queue(dropMemberZeros)
		b.Queue(dropPairZeros)
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("tally meetings %d: %w", meetings, err)
	}
	return nil
}

// Retopic runs change, which may only set topics of items and votes of the meetings, and keeps
// members' tallies exact. Tallies of pairs do not depend on topics. The caller's transaction must
// hold the lock of the dataset.
func Retopic(ctx context.Context, tx pgx.Tx, meetings []int64, change func(meetings []int64) error) error {
	if _, err := tx.Exec(ctx, addMemberShares, meetings, -1); err != nil {
		return fmt.Errorf("subtract tallies before new topics: %w", err)
	}
	if err := change(meetings); err != nil {
		return err
	}
	b := &pgx.Batch{}
	b.Queue(addMemberShares, meetings, 1)
	b.Queue(dropMemberZeros)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("add tallies after new topics: %w", err)
	}
	return nil
}
