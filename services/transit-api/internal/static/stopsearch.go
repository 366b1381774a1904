package static

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A FoundStop is a stop found by a search.
type FoundStop struct {
	Feed string `json:"feed" doc:"Alias of the feed."`
	edition.Stop
}

const (
	// Default radii in metres: of a search by place only, and of a search by place and words.
	searchRadius      = 1000
	searchRadiusWords = 50_000
)

// A StopSearch selects stops by words and place.
type StopSearch struct {
	Q      *string        `query:"q" maxlen:"100" example:"ferry" doc:"Words of the stop's name, code or id, or their beginnings; case and accents do not count, nor do more than eight words. All must be there; if no stop has them, abbreviations such as Rd and the most similar words are tried, then fewer words."`
	Near   *edition.Point `query:"near" example:"44.65,-63.57" doc:"Latitude and longitude in degrees, as LAT,LON: stops around it, the nearest first."`
	Radius *int64         `query:"radius" min:"1" max:"50000" needs:"near" doc:"How far from near, in metres; 1000 when absent, with q 50000."`
	Limit  int64          `query:"limit" rows:"true" min:"1" clamp:"100" default:"20" doc:"How many stops; more than 100 is taken as 100."`
	wire.FeedChoice
}

func (a *API) stopSearchEndpoints() rest.Table {
	return rest.Table{
		rest.From(rest.Spec{ID: "static.stop_search", Path: "/stops",
			Summary: "Stops of all feeds by name, code, id or place",
			Doc: "Give q, near or both. By words the best come first: the very code or id, then the name, its beginning, " +
				"words of it, and words of code and id; stations " +
				"before their platforms. By place the nearest come first. Entrances, nodes and boarding areas are not found. " +
				"meta.totalCount counts all that were found; " +
				"of more than limit the best are there, and meta.truncated says so. meta.corrected has the words that were " +
				"searched for if no stop has the words of q. A feed that is not there now is named in meta.missing.",
			Tag: tagStatic, Translated: true, NotFound: "unknown feed"}, edition.AllFeeds[StopSearch](a.Feeds), searchStops),
	}
}

func searchStops(ctx context.Context, c *rest.Call, p StopSearch,
	feeds *edition.Feeds) (wire.Envelope[[]FoundStop], error) {
	e, err := SearchStops(ctx, c, p, feeds)
	if err != nil || c.Translated() == "" {
		return e, err
	}
	for i := range e.Data {
		s := &e.Data[i]
		t, err := TextsOf(ctx, c, feeds.ByAlias[s.Feed])
		if err != nil {
			return e, err
		}
		if t != nil {
			t.Translate(s)
		}
	}
	return e, nil
}

var errNothingSought = rest.BadRequest(rest.Fault{Path: "q", Message: "q or near is required"})

// SearchStops finds stops in one feed or in all feeds.
func SearchStops(ctx context.Context, c *rest.Call, p StopSearch,
	feeds *edition.Feeds) (wire.Envelope[[]FoundStop], error) {
	var none wire.Envelope[[]FoundStop]
	search := edition.Search{}
	if p.Q != nil {
		search.Terms = edition.ParseTerms(*p.Q)
	}
	if p.Near != nil {
		search.Near = p.Near.Within(searchRadius)
		switch {
		case p.Radius != nil:
			search.Near.Radius = float64(*p.Radius)
		case search.Terms != nil:
			search.Near.Radius = searchRadiusWords
		}
	}
	if p.Q == nil && p.Near == nil {
		return none, errNothingSought
	}
	in, err := feeds.Choose(p.Feed)
	if err != nil {
		return none, err
	}
	best, total, corrected, err := edition.SearchForgiving(ctx, in, search, int(p.Limit))
	if err != nil {
		return none, err
	}
	var missing []string
	for _, f := range in {
		if f.Edition == nil {
			missing = append(missing, f.Alias)
		}
	}
	rows := make([]FoundStop, len(best))
	for i, h := range best {
		rows[i] = FoundStop{Feed: h.Feed.Alias, Stop: *h.Stop}
		if search.Near != nil {
			rows[i].Distance = wholeMetres(h.Metres)
		}
		linkStop(&rows[i].Stop, c, h.Feed)
	}
	e := wire.Whole(c, rows, nil, nil)
	e.Meta.Links = wire.Links{{Rel: "self", Href: c.SelfQuery()}}
	e.Meta.TotalCount, e.Meta.Limit = total, p.Limit
	e.Meta.Truncated, e.Meta.Missing = total > len(rows), missing
	e.Meta.Corrected = corrected
	return e, nil
}
