package search

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
)

// A kind is a kind of text with its queries. R is a hit; H and O are the arguments of two queries.
//
// The index finds the texts with the words. If there are few hits, they are sorted. If there are
// many, the newest texts are read in order until there are enough hits. The planner cannot
// distinguish the two, because it knows only the most frequent words. The index does not know
// phrases. If nearly every text has the words of a phrase, the phrase may still have no hit, so it
// is searched for only in the newest texts.
type kind[H, O, R any] struct {
	glance   int   // number of newest texts to read before hits are counted; 0 if the best hits come first
	few      int64 // largest number of hits that are sorted
	hits     *rest.Query[candidates, int64]
	fromHits *rest.Query[H, R]
	inOrder  *rest.Query[O, R]

	depth int // number of newest texts, or of meetings with minutes, to read for a phrase
	back  *rest.Query[depth, rest.Date]
}

type candidates struct {
	Words string
	Few   int64
	civic.OfBody
}

type depth struct {
	Depth int
	civic.OfBody
}

// find returns at most limit hits. They are complete if all texts were searched or limit is
// reached.
func (k kind[H, O, R]) find(ctx context.Context, c *rest.Call, q *query, of civic.OfBody, few H,
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

// back returns the day on which the newest texts begin, or nil if those are all texts.
func back[A any](ctx context.Context, c *rest.Call, q *rest.Query[A, rest.Date], args A) (*rest.Date, error) {
	days, err := q.List(ctx, c, args)
	if err != nil || len(days) == 0 {
		return nil, err
	}
	return &days[0], nil
}
