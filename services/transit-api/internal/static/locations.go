package static

import (
	"context"
	"encoding/json"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/openapi"
	"github.com/townline/townline/services/transit-api/internal/edition"
)

const (
	locationsFile = "locations.geojson"
	locationsPath = FeedPath + "/locations"
)

// A Location is a zone of locations.geojson: a GeoJSON feature, as it is in the feed.
type Location json.RawMessage

// MarshalJSON writes the feature.
func (l Location) MarshalJSON() ([]byte, error) { return l, nil }

// Schema describes a feature.
func (Location) Schema() openapi.Schema {
	s := openapi.Schema{Type: "object", Description: "A GeoJSON feature (RFC 7946). Its id is the location_id of stop_times.txt.", Required: []string{"type"}}
	s.Properties.Add("type", openapi.Schema{Type: "string", Enum: []any{"Feature"}})
	s.Properties.Add("id", openapi.Schema{Type: []string{"string", "number"}})
	s.Properties.Add("properties", openapi.Schema{Type: []string{"object", "null"}})
	s.Properties.Add("geometry", openapi.Schema{Type: []string{"object", "null"}})
	return s
}

// locationsEndpoint lists the zones in which riders are collected on demand.
func (a *API) locationsEndpoint() rest.Endpoint {
	return pages(a, rest.Spec{ID: "static.locations", Path: locationsPath, Summary: "Zones in which riders are collected on demand",
		Doc: "Features of locations.geojson.", Queries: rest.Queries(fileByName, rowsOfFile), NotFound: "unknown feed"},
		func(ctx context.Context, c *rest.Call, f *edition.Feed, p feedPage) (zones []Location, count int, err error) {
			stored, err := fileByName.List(ctx, c, fileKey{f.Version, locationsFile})
			if err != nil || len(stored) == 0 {
				return nil, 0, err
			}
			from, to := p.Part(stored[0].RowCount)
			err = rowsOfFile.Each(ctx, c, rowsOf{edition.Ranks{VersionID: f.Version, Low: from, High: to}, stored[0].Ord}, func(r storedRow) error {
				if len(r.Cells) == 1 && r.Cells[0] != nil {
					zones = append(zones, Location(*r.Cells[0]))
				}
				return nil
			})
			return zones, stored[0].RowCount, err
		})
}
