package static

import (
	"context"
	"math"
	"strconv"

	"github.com/paulmach/orb"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/lines"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// maxReportRows bounds the CSV of a report.
const maxReportRows = 20_000

func reportCSV(ctx context.Context, c *rest.Call, p wire.FeedParams, f *edition.Feed) (rest.File, error) {
	found, err := reportExamples.List(ctx, c, examplesArgs{f.Version, math.MaxInt32, maxReportRows})
	if err != nil {
		return rest.File{}, err
	}
	b := council.AppendRow(nil, "severity", "code", "file", "line", "row_id", "field", "value", "effect", "shape_id")
	for _, e := range found {
		rule, _ := check.RuleOf(gtfs.Code(e.Code))
		line := ""
		if e.Line != nil {
			line = strconv.Itoa(*e.Line)
		}
		b = council.AppendRow(b, string(rule.Severity), e.Code, e.File, line, wire.Text(e.RowID), wire.Text(e.Field),
			wire.Text(e.Value), e.Effect, wire.Text(e.ShapeID))
	}
	return rest.File{Body: b, Name: p.FeedAlias + ".report.csv", Attachment: true}, nil
}

// A Spot is the position of an example: the stops of a stop or trip, and the line of a shape. Both
// are empty if the feed has no such row or no position for it.
type Spot struct {
	Stops []*edition.Stop
	Line  []orb.Point
}

// Locate returns the position of an example.
func Locate(ctx context.Context, c *rest.Call, f *edition.Feed, e ReportExample) (s Spot, err error) {
	id, shape := wire.Text(e.RowID), wire.Text(e.ShapeID)
	switch e.File {
	case "shapes.txt":
		shape = id
	case "stops.txt":
		if stop := f.Stop(id); stop != nil {
			s.Stops = append(s.Stops, stop)
		}
	case "trips.txt", "stop_times.txt", "frequencies.txt":
		if s.Stops, err = tripPlaces(ctx, f, id); err != nil {
			return s, err
		}
	}
	if shape == "" {
		return s, nil
	}
	found, err := shapeByID.List(ctx, c, shapeKey{f.Version, shape})
	if err != nil || len(found) == 0 || checkPoints(found[0].PointCount) != nil {
		return s, err
	}
	l, _, err := lineOf(ctx, c, f, lines.Line{ShapePtLat: &found[0].ShapePtLat, ShapePtLon: &found[0].ShapePtLon})
	s.Line = l
	return s, err
}

func tripPlaces(ctx context.Context, f *edition.Feed, trip string) (stops []*edition.Stop, err error) {
	t := f.Trip(trip)
	if t == nil || t.Pattern < 0 {
		return nil, nil
	}
	calls, err := f.Calls(ctx, edition.RunKey{t.Pattern, -1})
	if err != nil {
		return nil, err
	}
	for _, id := range calls.StopID {
		if id == nil {
			continue
		}
		if s := f.Stop(*id); s != nil {
			stops = append(stops, s)
		}
	}
	return stops, nil
}
