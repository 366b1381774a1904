package static

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/tile"
)

const tagMap = "Map"

const tileMedia = "application/vnd.mapbox-vector-tile"

// MapParams select the feeds of a map.
type MapParams struct {
	Feed *string `query:"feed" doc:"Alias of a feed: only its routes and stops. Default: all feeds."`
}

type tileParams struct {
	Z int64 `path:"z" min:"0" max:"14" example:"10" doc:"Zoom."`
	X int64 `path:"x" min:"0" max:"16383" example:"158" doc:"Column, from the west."`
	Y int64 `path:"y" min:"0" max:"16383" example:"391" doc:"Row, from the north."`
	MapParams
}

func (a *API) tileEndpoints() rest.Table {
	return rest.Table{
		rest.From(rest.Spec{ID: "static.tile", Path: "/tiles/{z}/{x}/{y}.mvt",
			Summary: "Routes and stops as a vector tile",
			Doc: "A Mapbox Vector Tile in Web Mercator. The layer routes has one feature a route: feed, route_id, agency_id, " +
				"label, route_short_name, color and text_color (#RRGGBB), mode (a word such as bus) and route_type. " +
				"From zoom 8 the layer stops has feed, stop_id, label, modes (words with commas), stop_code, platform_code, " +
				"parent_station and location_type. Lines are as fine as the zoom shows; up to zoom 11 there is one stop, " +
				"the one with most trips, for each thirty-second of a tile's side, from zoom 12 all stops. " +
				"A tile has at most 480 kB: what matters least is left out, buses before trains. Empty where there is nothing.",
			Queries: tile.Queries(), Tag: tagMap, NotFound: "unknown feed, or no such tile", Media: tileMedia}, a.drawnFeeds(),
			a.makeTile),
		rest.From(rest.Spec{ID: "static.tiles", Path: "/tiles.json", Summary: "The vector tiles as TileJSON 3.0",
			Tag: tagMap, NotFound: "unknown feed",
			Queries: tile.Queries()}, rest.Source[MapParams, []*edition.Feed]{Now: a.mappedFeeds}, a.describeTiles),
		rest.From(rest.Spec{ID: "static.map_style", Path: "/tiles/style.json",
			Summary: "A MapLibre style for the vector tiles",
			Doc: "Lines in the colours of their routes, and stops; without a base map and without labels. Add its source and " +
				"layers to a style of yours, or use it as it is.",
			Tag: tagMap, NotFound: "unknown feed"}, rest.Source[MapParams, []*edition.Feed]{Now: a.mappedFeeds}, styleTiles),
	}
}

func (a *API) mappedFeeds(_ context.Context, _ *rest.Call,
	p MapParams) (feeds []*edition.Feed, gen rest.Generation, err error) {
	if p.Feed != nil {
		f, err := a.Feeds.Served(*p.Feed)
		if err != nil {
			return nil, gen, err
		}
		return []*edition.Feed{f}, f.Generation, nil
	}
	all, err := a.Feeds.All()
	if err != nil {
		return nil, gen, err
	}
	for _, f := range all.Sorted {
		if f.Edition != nil {
			feeds = append(feeds, f)
		}
	}
	return feeds, all.Generation, nil
}

// drawnFeeds returns the source of tiles. Its generation also depends on which feeds can be drawn,
// so that a tile that lacks a feed is replaced once the feed can be drawn.
func (a *API) drawnFeeds() rest.Source[tileParams, []*edition.Feed] {
	return rest.Source[tileParams, []*edition.Feed]{Now: func(ctx context.Context, c *rest.Call,
		p tileParams) ([]*edition.Feed, rest.Generation, error) {
		feeds, gen, err := a.mappedFeeds(ctx, c, p.MapParams)
		gens := []rest.Generation{gen}
		for i, f := range feeds {
			loaded, failure := tile.State(f.Edition)
			if loaded {
				gens = append(gens, rest.Generation{N: int64(i)})
			} else if failure != nil {
				a.Tiles.Begin(ctx, c, f)
				gens[0].Time = time.Time{} // the feed may return without an import
			}
		}
		return feeds, rest.Join(gens...), err
	}}
}

// drawTimeout is how long a tile waits for feeds that are drawn for the first time.
const drawTimeout = 5 * time.Second

func (a *API) makeTile(ctx context.Context, c *rest.Call, p tileParams, feeds []*edition.Feed) (rest.File, error) {
	place := tile.Place{Z: p.Z, X: p.X, Y: p.Y}
	if !place.IsValid() {
		return rest.File{}, rest.NotFound("there is no such tile")
	}
	layers := make([]tile.Layer, 0, len(feeds))
	soon, cancel := context.WithTimeout(ctx, drawTimeout)
	defer cancel()
	if len(feeds) == 1 {
		soon = ctx // there is no other feed to show, so wait
	}
	for _, f := range feeds {
		if !place.IsNear(f.Edition) {
			continue
		}
		n, err := a.Network(soon, c, f)
		switch {
		case ctx.Err() != nil:
			return rest.File{}, ctx.Err()
		case err != nil && len(feeds) > 1:
			continue // omit that feed for now
		case err != nil:
			return rest.File{}, err
		}
		layers = append(layers, tile.Layer{Network: n, Feed: f})
	}
	body, err := tile.Make(ctx, place, layers)
	if body == nil {
		body = []byte{} // a tile without layers
	}
	sum := sha256.Sum256(body)
	return rest.File{Body: body, Tag: hex.EncodeToString(sum[:12])}, err
}

// Network returns the lines of a feed. It waits until they are loaded.
func (a *API) Network(ctx context.Context, c *rest.Call, f *edition.Feed) (*tile.Network, error) {
	n, err := a.Tiles.Network(ctx, c, f)
	if err != nil && ctx.Err() == nil {
		return nil, rest.Unavailable(10*time.Second, "the lines of this feed cannot be drawn now; the log has the reason")
	}
	return n, err
}

// A TileJSON describes vector tiles (TileJSON 3.0.0).
type TileJSON struct {
	TileJSON     string        `json:"tilejson" enum:"3.0.0"`
	Name         string        `json:"name"`
	Scheme       string        `json:"scheme" enum:"xyz"`
	Tiles        []string      `json:"tiles" doc:"Address of a tile, with {z}, {x} and {y}."`
	MinZoom      int64         `json:"minzoom"`
	MaxZoom      int64         `json:"maxzoom" doc:"Maps enlarge these tiles for deeper zooms."`
	Bounds       []float64     `json:"bounds" doc:"West, south, east and north of all stops, in degrees."`
	VectorLayers []VectorLayer `json:"vector_layers"`
}

// A VectorLayer is a layer of vector tiles.
type VectorLayer struct {
	ID          string            `json:"id"`
	Description string            `json:"description"`
	MinZoom     int64             `json:"minzoom"`
	MaxZoom     int64             `json:"maxzoom"`
	Fields      map[string]string `json:"fields" doc:"Properties of features, and their types."`
}

// maxPreloaded bounds the number of feeds that the TileJSON starts to load, because a map requests
// tiles next. A map with more feeds shows only few of them at a time.
const maxPreloaded = 4

func (a *API) describeTiles(ctx context.Context, c *rest.Call, p MapParams, feeds []*edition.Feed) (TileJSON, error) {
	if len(feeds) <= maxPreloaded {
		for _, f := range feeds {
			a.Tiles.Begin(ctx, c, f)
		}
	}
	made := TileJSON{TileJSON: "3.0.0", Name: "Transit", Scheme: "xyz",
		Tiles: []string{c.URL("/tiles") + "/{z}/{x}/{y}.mvt" + p.query()}, MaxZoom: tile.MaxZoom,
		Bounds: []float64{-180, -85.05113, 180, 85.05113}}
	var all edition.Box
	found := false
	for _, f := range feeds {
		if b, ok := f.Box(); ok {
			if !found {
				all, found = b, true
			}
			all = edition.Box{min(all[0], b[0]), min(all[1], b[1]), max(all[2], b[2]), max(all[3], b[3])}
		}
	}
	if found {
		made.Bounds = all[:]
	}
	texts := func(names ...string) map[string]string {
		fields := map[string]string{}
		for _, name := range names {
			fields[name] = "String"
		}
		return fields
	}
	made.VectorLayers = []VectorLayer{
		{
			ID:          tile.RouteLayer,
			Description: "Where routes run",
			MinZoom:     0,
			MaxZoom:     tile.MaxZoom,
			Fields: texts("feed", "route_id", "agency_id", "label",
				"route_short_name", "color", "text_color", "mode", "route_type"),
		},
		{
			ID:          tile.StopLayer,
			Description: "Stops, platforms and stations",
			MinZoom:     tile.MinStopZoom,
			MaxZoom:     tile.MaxZoom,
			Fields: texts("feed", "stop_id", "label", "modes", "stop_code", "platform_code", "parent_station",
				"location_type"),
		},
	}
	return made, nil
}

func (p MapParams) query() string {
	if p.Feed == nil {
		return ""
	}
	return "?" + url.Values{"feed": {*p.Feed}}.Encode()
}

// A MapStyle is a MapLibre style.
type MapStyle struct {
	Version int                    `json:"version"`
	Name    string                 `json:"name"`
	Sources map[string]StyleSource `json:"sources"`
	Layers  []StyleLayer           `json:"layers" doc:"From the bottom to the top."`
}

// A StyleSource is a source of tiles.
type StyleSource struct {
	Type string `json:"type" enum:"vector"`
	URL  string `json:"url" format:"uri" doc:"The TileJSON."`
}

// A StyleLayer draws a layer of the tiles.
type StyleLayer struct {
	ID          string         `json:"id"`
	Type        string         `json:"type" enum:"line,circle"`
	Source      string         `json:"source"`
	SourceLayer string         `json:"source-layer"`
	MinZoom     int64          `json:"minzoom"`
	Layout      map[string]any `json:"layout"`
	Paint       map[string]any `json:"paint"`
}

func styleTiles(_ context.Context, c *rest.Call, p MapParams, _ []*edition.Feed) (MapStyle, error) {
	const source = "transit"
	byZoom := func(stops ...any) []any {
		return append([]any{"interpolate", []any{"linear"}, []any{"zoom"}}, stops...)
	}
	routeColor := []any{"coalesce", []any{"get", "color"}, "#4A5568"}
	rounded := map[string]any{"line-cap": "round", "line-join": "round"}
	return MapStyle{Version: 8, Name: "Transit",
		Sources: map[string]StyleSource{source: {"vector", c.URL("/tiles.json") + p.query()}}, Layers: []StyleLayer{
			{
				ID:          "route-casings",
				Type:        "line",
				Source:      source,
				SourceLayer: tile.RouteLayer,
				MinZoom:     9,
				Layout:      rounded,
				Paint: map[string]any{"line-color": "#FFFFFF",
					"line-width": byZoom(9, 2, 14, 6)},
			},
			{
				ID:          "routes",
				Type:        "line",
				Source:      source,
				SourceLayer: tile.RouteLayer,
				MinZoom:     0,
				Layout:      rounded,
				Paint: map[string]any{"line-color": routeColor,
					"line-width": byZoom(4, 0.5, 9, 1.2, 14, 4)},
			},
			{
				ID:          "stops",
				Type:        "circle",
				Source:      source,
				SourceLayer: tile.StopLayer,
				MinZoom:     11,
				Layout:      map[string]any{},
				Paint: map[string]any{"circle-color": "#FFFFFF",
					"circle-stroke-color": "#1A202C",
					"circle-stroke-width": 1.5, "circle-radius": byZoom(11, 1.5, 16, 5)},
			},
		}}, nil
}
