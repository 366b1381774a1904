package councilingest

import (
	"context"
	"fmt"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
)

// A Doubt is a vote that may be wrong, because its document is hard to read or contradicts itself.
type Doubt struct {
	Meeting    int64    `json:"meeting_id"`
	Date       string   `json:"meeting_date"` // local date, YYYY-MM-DD
	ItemNumber *string  `json:"item_number"`
	Title      string   `json:"item_title"`
	MotionSeq  int      `json:"motion_seq"`
	ResultRaw  string   `json:"result_raw"`
	Page       *int     `json:"page"`
	Weight     int      `json:"weight"` // sum of the weights of all reasons; a higher weight means less certainty
	Why        []string `json:"why"`    // anomalies of the vote and of its page, heaviest first
}

// LeastSure lists the n votes with the heaviest anomalies. Votes without anomalies are not listed.
func LeastSure(ctx context.Context, deps run.Deps, n int) ([]Doubt, error) {
	var codes []council.AnomalyCode
	var weights []int
	for _, r := range council.AnomalyRules() {
		codes, weights = append(codes, r.Code), append(weights, r.Weight)
	}
	ofPages := []council.AnomalyCode{council.CodePageMachineRead, council.CodeTextUnknown, council.CodeTextHidden}
	doubts, err := pg.List[Doubt](ctx, deps.DB, `
		WITH signs AS (
			SELECT v.id AS vote_id, a.ord, a.code || ': ' || a.message AS why, coalesce(w.weight, 1) AS weight
			FROM council.vote v
			JOIN council.anomaly a ON a.iqm2_id = v.iqm2_id
			 AND (a.item_id = v.item_id AND (a.motion_seq = v.motion_seq OR a.motion_seq IS NULL)
			      OR a.item_id IS NULL AND a.code = ANY ($3) AND a.source_page = v.source_page)
			LEFT JOIN unnest($1::text[], $2::int[]) AS w (code, weight) ON w.code = a.code),
		doubt AS (
			SELECT vote_id, sum(weight)::int AS weight, array_agg(why ORDER BY signs.weight DESC, ord) AS why FROM signs
			       GROUP BY vote_id)
		SELECT v.iqm2_id AS meeting, v.meeting_date::text AS date, i.item_number, i.title, v.motion_seq, v.result_raw,
		       v.source_page AS page, d.weight, d.why
		FROM doubt d
		JOIN council.vote v ON v.id = d.vote_id
		JOIN council.item i ON i.id = v.item_id
		ORDER BY d.weight DESC, v.meeting_date DESC, v.starts_at DESC, v.iqm2_id DESC, v.ord
		LIMIT $4`, codes, weights, ofPages, n)
	if err != nil {
		return nil, fmt.Errorf("list the least sure votes: %w", err)
	}
	return doubts, nil
}
