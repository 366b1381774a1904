package onebusaway

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/paulmach/orb"

	"github.com/townline/townline/services/transit-api/internal/drawing"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/tile"
)

// A Polyline is a line in Google's polyline encoding.
type Polyline struct {
	Length int    `json:"length"` // number of points
	Levels string `json:"levels"` // always empty
	Points string `json:"points"`
}

func polyline(points []orb.Point) Polyline {
	return Polyline{Length: len(points), Points: drawing.Polyline(points)}
}

func oneShape(ctx context.Context, x *answer, p idParams) (Polyline, error) {
	for _, id := range x.split(p.ID) {
		points, err := static.ShapePoints(ctx, x.call, x.Feed, id)
		if !errors.Is(err, pgx.ErrNoRows) {
			return polyline(points), err
		}
	}
	return Polyline{}, errNotFound
}

// RouteStops has the stops and lines of a route.
type RouteStops struct {
	Polylines []Polyline     `json:"polylines"`
	RouteID   string         `json:"routeId"`
	Groupings []StopGrouping `json:"stopGroupings"`
	StopIDs   []string       `json:"stopIds"`
}

// A StopGrouping groups the stops of a route.
type StopGrouping struct {
	Ordered bool        `json:"ordered"`
	Groups  []StopGroup `json:"stopGroups"`
	Type    string      `json:"type"`
}

// A StopGroup has the stops of a direction in service order.
type StopGroup struct {
	ID        string     `json:"id"`
	Name      GroupName  `json:"name"`
	Polylines []Polyline `json:"polylines"`
	StopIDs   []string   `json:"stopIds"`
}

// A GroupName is the name of a direction.
type GroupName struct {
	Name  string   `json:"name"`
	Names []string `json:"names"`
	Type  string   `json:"type"`
}

type routeStopsParams struct {
	idParams
	IncludePolylines bool `query:"includePolylines" default:"true"`
}

func stopsForRoute(ctx context.Context, x *answer, p routeStopsParams) (made RouteStops, err error) {
	r, err := x.findRoute(p.ID)
	if err != nil {
		return made, err
	}
	made = RouteStops{RouteID: x.routeID(r), Polylines: []Polyline{}, StopIDs: []string{}}
	directions, err := static.Directions(ctx, x.Feed, r)
	if err != nil {
		return made, err
	}
	lines := map[string][]orb.LineString{}
	if p.IncludePolylines {
		lines, err = tile.RouteLines(ctx, x.call, x.Feed, r)
		if err != nil {
			return made, err
		}
	}
	grouping := StopGrouping{Ordered: true, Type: "direction", Groups: []StopGroup{}}
	for _, d := range directions {
		x.texts.Translate(&d)
		g := StopGroup{ID: d.DirectionID, Name: GroupName{d.Name, []string{d.Name}, "destination"},
			Polylines: []Polyline{}, StopIDs: []string{}}
		for _, id := range d.StopIDs {
			if s := x.Stop(id); s != nil {
				g.StopIDs = append(g.StopIDs, x.stopID(s))
			}
		}
		g.StopIDs = distinct(g.StopIDs) // apps list each stop once, even if the route is a loop
		made.StopIDs = append(made.StopIDs, g.StopIDs...)
		for _, points := range lines[d.DirectionID] {
			g.Polylines = append(g.Polylines, polyline(points))
		}
		made.Polylines = append(made.Polylines, g.Polylines...)
		grouping.Groups = append(grouping.Groups, g)
	}
	made.Groupings = []StopGrouping{grouping}
	made.StopIDs = distinct(made.StopIDs)
	return made, nil
}

// distinct removes duplicates and keeps the order.
func distinct(all []string) []string {
	seen := make(map[string]bool, len(all))
	return slices.DeleteFunc(all, func(s string) bool {
		again := seen[s]
		seen[s] = true
		return again
	})
}
