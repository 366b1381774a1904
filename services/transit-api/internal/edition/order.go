package edition

import (
	"context"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/kept"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// An Order has the stops of a direction in service order: one order for all its trips.
type Order struct {
	Rank   int32    `db:"ord"` // of the direction
	StopID []string // shares the strings of the stops
}

var ordersByRank = rest.SQL[rankList, Order](`
	SELECT ord, stop_id
	FROM transit.route_direction
	WHERE version_id = @version_id AND ord = ANY (@ranks::integer[])`)

type rankList struct {
	VersionID replica.Version
	Ranks     []int32
}

// A PatternOrder maps the calls of a pattern to the stops of an [Order]. Calls without a stop are
// NULL.
type PatternOrder struct {
	Pattern int32
	Rows    []pgtype.Int4
}

var patternOrders = rest.SQL[orderArgs, PatternOrder](`
	SELECT pattern, rows
	FROM transit.route_pattern
	WHERE version_id = @version_id AND route_id = @route_id AND direction_id = @direction_id
	  AND pattern = ANY (@patterns::integer[])`)

type orderArgs struct {
	VersionID   replica.Version
	RouteID     string
	DirectionID string
	Patterns    []int32
}

// An orderKey is a pattern in a direction.
type orderKey struct {
	direction int32 // rank
	pattern   int32
}

func (k orderKey) row() kept.Key {
	return kept.Key{Kind: kept.PatternOrders, Number: k.pattern, Other: k.direction}
}

// Orders returns the orders of directions by rank.
func (e *Edition) Orders(ctx context.Context, directions []int32) (map[int32]*Order, error) {
	return e.orders.Get(ctx, directions, All)
}

func (e *Edition) readOrders(ctx context.Context, which []int32, each func(int32, *Order, int) error) error {
	return ordersByRank.Each(ctx, e.db, rankList{VersionID: e.version, Ranks: which}, func(o Order) error {
		for i, id := range o.StopID {
			if s := e.Stop(id); s != nil {
				o.StopID[i] = s.StopID
			}
		}
		return each(o.Rank, &o, cellBytes*len(o.StopID))
	})
}

// PatternOrders returns the orders of patterns in a direction of a route, by pattern.
func (e *Edition) PatternOrders(
	ctx context.Context, r *Route, direction string, patterns []int32,
) (map[int32]*PatternOrder, error) {
	var keys []orderKey
	for _, d := range e.DirectionsIn(r.Directions()) {
		for _, p := range patterns {
			if d.DirectionID == direction {
				keys = append(keys, orderKey{direction: int32(d.Rank), pattern: p})
			}
		}
	}
	found, err := e.patternOrders.Get(ctx, keys, All)
	orders := make(map[int32]*PatternOrder, len(found))
	for k, o := range found {
		orders[k.pattern] = o
	}
	return orders, err
}

func (e *Edition) readPatternOrders(
	ctx context.Context, which []orderKey, each func(orderKey, *PatternOrder, int) error,
) error {
	patterns := map[int32][]int32{} // by direction
	for _, k := range which {
		patterns[k.direction] = append(patterns[k.direction], k.pattern)
	}
	for rank, numbers := range patterns {
		for _, d := range e.DirectionsIn(Span{First: int(rank), Count: 1}) {
			args := orderArgs{VersionID: e.version, RouteID: d.RouteID, DirectionID: d.DirectionID, Patterns: numbers}
			err := patternOrders.Each(ctx, e.db, args, func(o PatternOrder) error {
				return each(orderKey{direction: rank, pattern: o.Pattern}, &o, patternCellBytes*len(o.Rows))
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
