package clerk

import (
	"context"
	"fmt"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
)

// SelectVotes is the query of the votes of a meeting as [council.StoredVote], in document order.
const SelectVotes = `
	SELECT v.id, v.item_id, v.ord, v.motion_seq, v.motion_text, v.result, v.result_raw, v.ayes_count, v.nays_count,
	       v.unanimous, v.via_consent, v.source_page AS page,
	       mover.full_name AS mover, seconder.full_name AS seconder, v.parse_source, v.origin, v.topic,
	       (SELECT jsonb_agg(jsonb_build_object('member', b.full_name, 'position', p.position) ORDER BY p.ord)
	        FROM council.vote_position p JOIN council.member b ON b.id = p.member_id WHERE p.vote_id = v.id) AS roll,
	       (SELECT array_agg(n.id) FROM (SELECT v.mover_id AS id UNION SELECT v.seconder_id
	          UNION SELECT member_id FROM council.vote_position WHERE vote_id = v.id) n
	        WHERE n.id IS NOT NULL AND NOT EXISTS (SELECT FROM council.member_body b
	          WHERE b.body_id = v.body_id AND b.member_id = n.id)) AS foreign
	FROM council.vote v
	LEFT JOIN council.member mover ON mover.id = v.mover_id
	LEFT JOIN council.member seconder ON seconder.id = v.seconder_id
	WHERE v.iqm2_id = $1 ORDER BY v.ord, v.id`

// Votes returns the votes of a meeting in document order.
func Votes(ctx context.Context, db pg.Querier, meeting int64) ([]council.StoredVote, error) {
	votes, err := pg.List[council.StoredVote](ctx, db, SelectVotes, meeting)
	if err != nil {
		return nil, fmt.Errorf("read votes of meeting %d: %w", meeting, err)
	}
	return votes, nil
}
