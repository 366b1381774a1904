package static

import (
	"context"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A ShapeStub is an item in the list of shapes.
type ShapeStub struct {
	ShapeID string     `json:"shape_id"`
	Links   wire.Links `json:"links" db:"-" doc:"self, geojson."`
}

// A ShapePoint is a row of shapes.txt.
type ShapePoint struct {
	Label             string  `json:"label" doc:"shape_id and shape_pt_sequence."`
	ShapeID           string  `json:"shape_id"`
	ShapePtLat        string  `json:"shape_pt_lat" doc:"Latitude."`
	ShapePtLon        string  `json:"shape_pt_lon" doc:"Longitude."`
	ShapePtSequence   string  `json:"shape_pt_sequence"`
	ShapeDistTraveled *string `json:"shape_dist_traveled"`
}

var shapeRows = rest.SQL[edition.Ranks, ShapeStub](`
	SELECT shape_id
	FROM transit.shape
	WHERE version_id = @version_id AND ord >= @low AND ord < @high
	ORDER BY ord`)

func listShapes(ctx context.Context, c *rest.Call, f *edition.Feed, p feedPage) ([]ShapeStub, int, error) {
	count := f.Counts["shape"]
	from, to := p.Part(count)
	page, err := shapeRows.List(ctx, c, f.Ranks(edition.Span{First: from, Count: to - from}))
	for i := range page {
		page[i].Links = wire.Below(c.URL(wire.ShapePath, f.Alias, page[i].ShapeID), "geojson")
	}
	return page, count, err
}

type shapeParams struct {
	wire.FeedParams
	ShapeID string `path:"shape_id" doc:"shape_id of the feed."`
}

type shapePage struct {
	shapeParams
	wire.Window
}

func (a *API) shapeEndpoints() rest.Table {
	return rest.Table{
		list(a, rest.Spec{ID: "static.shapes", Path: wire.FeedPath + "/shapes", Summary: "Shapes",
			Queries: rest.Queries(shapeRows), NotFound: "unknown feed"}, listShapes),
		rest.From(rest.Spec{ID: "static.shape", Path: wire.ShapePath,
			Summary: "Points of a shape in order of shape_pt_sequence",
			Tag:     tagStatic, Queries: rest.Queries(shapeByID), NotFound: "unknown feed or shape"}, feed[shapePage](a),
			listShapePoints),
		single(a, rest.Spec{ID: "static.shape_geojson", Path: wire.ShapePath + "/geojson", Summary: "One shape as GeoJSON",
			Queries: rest.Queries(shapeByID), NotFound: "unknown feed or shape"}, oneShapeGeoJSON),
	}
}

func listShapePoints(ctx context.Context, c *rest.Call, p shapePage,
	f *edition.Feed) (wire.Envelope[[]ShapePoint], error) {
	s, err := shapeByID.One(ctx, c, shapeKey{f.Version, p.ShapeID})
	if err != nil {
		return wire.Envelope[[]ShapePoint]{}, err
	}
	from, to := p.Part(s.PointCount)
	links := wire.Links{{Rel: "geojson", Href: c.URL(wire.ShapePath+"/geojson", f.Alias, p.ShapeID)}}
	return wire.Slice(c, p.Window, s.points(p.ShapeID, from, to), s.PointCount, links), nil
}

func (s *shapeLine) points(id string, from, to int) []ShapePoint {
	lat, lon := strings.Split(s.ShapePtLat, ","), strings.Split(s.ShapePtLon, ",")
	var dist []string
	if s.ShapeDistTraveled != nil {
		dist = strings.Split(*s.ShapeDistTraveled, ",")
	}
	rows := make([]ShapePoint, 0, to-from)
	for i := from; i < to; i++ {
		sequence := strconv.Itoa(s.sequence(i))
		row := ShapePoint{Label: id + " " + sequence, ShapeID: id, ShapePtLat: lat[i], ShapePtLon: lon[i],
			ShapePtSequence: sequence}
		if dist != nil && dist[i] != "" {
			row.ShapeDistTraveled = &dist[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func (s *shapeLine) sequence(i int) int {
	if s.SequenceStep == nil {
		return int(s.ShapePtSequence[i])
	}
	return s.FirstSequence + i**s.SequenceStep
}

func oneShapeGeoJSON(ctx context.Context, c *rest.Call, f *edition.Feed,
	p shapeParams) (ShapeFeature, wire.Links, error) {
	w, err := readShape(ctx, c, f, p.ShapeID)
	if err != nil {
		return ShapeFeature{}, nil, err
	}
	l, _, err := lineOf(ctx, c, f, w)
	links := wire.Links{{Rel: "shape", Href: c.URL(wire.ShapePath, f.Alias, p.ShapeID)}}
	return ShapeFeature{Type: "Feature", Geometry: LineString{"LineString", l}}, links, err
}
