package search

import (
	"context"

	"github.com/townline/townline/pkg/rest"
)

// A kind is one kind of text, and how it is searched: R is what a hit looks like, H and O are the
// arguments of its two queries.
//
// The index says which texts have the words. If they are few, the answer is made from them. If they
// are many, the newest texts are read one after the other, and soon there are enough hits. The
// planner cannot distinguish the two, because it knows only the most frequent words. The index does
// not know phrases: texts with the words are read for it. A phrase of words that nearly every text
// has may stand in none of them, so it is looked for in the newest texts only.
type kind[H, O, R any] struct {
	glance   int   // texts of the newest that are read before the hits are counted; 0 where the best hits come first
	few      int64 // hits
	hits     *rest.Query[candidates, int64]
	fromHits *rest.Query[H, R]
	inOrder  *rest.Query[O, R]

	depth int // texts of the newest that are read for a phrase; of minutes, meetings
	back  *rest.Query[depth, rest.Date]
}

// candidates are texts with words, one more than few at most.
type candidates struct {
	Words string
	Few   int64
}

type depth struct{ Depth int }

// find returns at most limit hits, and whether it has searched all texts or found enough.
func (k kind[H, O, R]) find(ctx context.Context, c *rest.Call, q *query, few H, all func(since *rest.Date) O,
	limit int) (found []R, complete bool, err error) {
	if k.glance > 0 {
		since, err := back(ctx, c, k.back, depth{k.glance})
		if err != nil {
			return nil, false, err
		}
		found, err = k.inOrder.List(ctx, c, all(since))
		if err != nil || since == nil || len(found) >= limit {
			return found, true, err
		}
	}
	hits, err := k.hits.One(ctx, c, candidates{q.Words, k.few})
	switch {
	case err != nil:
		return nil, false, err
	case hits == 0:
		return []R{}, true, nil
	case hits <= k.few:
		found, err = k.fromHits.List(ctx, c, few)
		return found, true, err
	}
	var since *rest.Date
	if q.Phrase {
		since, err = back(ctx, c, k.back, depth{k.depth})
		if err != nil {
			return nil, false, err
		}
	}
	found, err = k.inOrder.List(ctx, c, all(since))
	return found, since == nil || len(found) >= limit, err
}

// back is the day on which the newest texts begin; nil if these are all.
func back[A any](ctx context.Context, c *rest.Call, q *rest.Query[A, rest.Date], args A) (*rest.Date, error) {
	days, err := q.List(ctx, c, args)
	if err != nil || len(days) == 0 {
		return nil, err
	}
	return &days[0], nil
}
