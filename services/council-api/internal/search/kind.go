package search

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/record"
)

// A kind is a kind of text with its queries. R is a hit, H and O are the arguments of two queries.
//
// The index knows the texts with the words. Few hits are sorted. If there are many, the newest
// texts are read in order, until there are enough hits. The planner cannot distinguish the two,
// because it knows only the most frequent words. The index does not know phrases. A phrase of words
// that nearly every text has may have no hits at all, so it is searched for in the newest texts
// only.
type kind[H, O, R any] struct {
	glance   int   // newest texts to read before counting hits; 0 if the best hits come first
	few      int64 // largest number of hits to sort
	hits     *rest.Query[candidates, int64]
	fromHits *rest.Query[H, R]
	inOrder  *rest.Query[O, R]

	depth int // newest texts, or meetings with minutes, to read for a phrase
	back  *rest.Query[depth, rest.Date]
}

type candidates struct {
	Words string
	Few   int64
	record.OfBody
}

type depth struct {
	Depth int
	record.OfBody
}

// find returns at most limit hits. It is complete if all texts were searched or limit is reached.
func (k kind[H, O, R]) find(ctx context.Context, c *rest.Call, q *query, of record.OfBody, few H,
	all func(since *rest.Date) O, limit int) (found []R, complete bool, err error) {
	if k.glance > 0 {
		since, err := back(ctx, c, k.back, depth{k.glance, of})
		if err != nil {
			return nil, false, err
		}
		found, err = k.inOrder.List(ctx, c, all(since))
		if err != nil || since == nil || len(found) >= limit {
			return found, true, err
		}
	}
	hits, err := k.hits.One(ctx, c, candidates{q.Words, k.few, of})
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
		since, err = back(ctx, c, k.back, depth{k.depth, of})
		if err != nil {
			return nil, false, err
		}
	}
	found, err = k.inOrder.List(ctx, c, all(since))
	return found, since == nil || len(found) >= limit, err
}

// back returns the day on which a number of newest texts begin; nil if these are all.
func back[A any](ctx context.Context, c *rest.Call, q *rest.Query[A, rest.Date], args A) (*rest.Date, error) {
	days, err := q.List(ctx, c, args)
	if err != nil || len(days) == 0 {
		return nil, err
	}
	return &days[0], nil
}
