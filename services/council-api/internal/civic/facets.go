package civic

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// Facets has counts of the votes that a search finds, by common values.
type Facets struct {
	Total     int64   `json:"total" doc:"Votes that are counted: all that match, or the newest 20,000 of them."`
	Complete  bool    `json:"complete" doc:"Whether all that match are counted."`
	Split     int64   `json:"split" doc:"Of these, votes that were not unanimous."`
	Unanimous int64   `json:"unanimous" doc:"Of these, unanimous votes."`
	Topics    []Facet `json:"topics" doc:"By topic of the item, most frequent first; null for items without a topic."`
	Results   []Facet `json:"results" doc:"By result, most frequent first."`
	Years     []Facet `json:"years" doc:"By calendar year of the meeting, newest first."`
	Margins   []Facet `json:"margins" doc:"By ayes and nays of the tally, such as 4-3, most frequent first; at most 30."`
}

// A Facet is the number of votes with one value.
type Facet struct {
	Value *string `json:"value" doc:"The value."`
	Count int64   `json:"count" doc:"Votes with it."`
}

const (
	mostCounted = 20_000 // largest number of votes to count; counting more would take too long
	mostMargins = 30
)

type facetArgs struct {
	wire.Keyset // its limit is the number of votes to count
	SearchFilters
}

// A facetRow is one count: by topic, result, year or margin, of split votes, or of all.
type facetRow struct {
	Kind  string
	Value *string
	Count int64
}

const (
	facetColumns = `
		SELECT v.topic, v.result, extract(year FROM v.meeting_date)::text AS year,
		       v.ayes_count || '-' || v.nays_count AS margin, (NOT v.unanimous)::text AS split`
	countFacets = `
		ORDER BY v.meeting_date DESC, v.starts_at DESC, v.iqm2_id DESC LIMIT @limit)
		SELECT CASE WHEN grouping(topic) = 0 THEN 'topic' WHEN grouping(result) = 0 THEN 'result' WHEN grouping(year) = 0
		       THEN 'year' WHEN grouping(margin) = 0 THEN 'margin'
		            WHEN grouping(split) = 0 THEN 'split' ELSE 'total' END AS kind,
		              coalesce(topic, result, year, margin, split) AS value, count(*) AS count
		FROM found
		GROUP BY GROUPING SETS ((topic), (result), (year), (margin), (split), ())
		ORDER BY year DESC NULLS LAST, count(*) DESC, coalesce(topic, result, margin) COLLATE "C"`
)

// There are two queries, as for the votes themselves.
var (
	facetRows = rest.SQL[facetArgs, facetRow](`
		WITH found AS (` + facetColumns + `
		FROM council.vote v` + whereVote + `
		  AND (@q::text IS NULL OR EXISTS (SELECT FROM council.item i
		       WHERE i.id = v.item_id AND i.search @@ council.widen(websearch_to_tsquery('english', council.fold(@q)))` +
		InBody("i") + `))` + ofMember + countFacets)
	facetRowsByText = rest.SQL[facetArgs, facetRow](`
		WITH found AS (` + facetColumns + `
		FROM ` + itemsWithWords + `
		JOIN council.vote v ON v.item_id = hit.id` + whereVote + ofMember + countFacets)
)

var FacetEndpoints = rest.Table{
	rest.Func(rest.Spec{ID: "countVotes", Path: "/search/votes/facets", Tag: "Votes", Summary: "How many votes a " +
		"search finds, by topic, result, year and margin",
		Doc:     "The filters of /search/votes. If more than 20,000 votes match, the newest 20,000 are counted.",
		Queries: rest.Queries(itemHits, facetRows, facetRowsByText)}, CountVotes),
}

func CountVotes(ctx context.Context, c *rest.Call, w SearchFilters) (Facets, error) {
	query, err := chooseQuery(ctx, c, w.Q, w.OfBody, facetRowsByText, facetRows)
	if err != nil {
		return Facets{}, err
	}
	rows, err := query.List(ctx, c, facetArgs{wire.Keyset{Fetch: mostCounted + 1}, w})
	if err != nil {
		return Facets{}, err
	}
	f := Facets{Complete: true, Topics: []Facet{}, Results: []Facet{}, Years: []Facet{}, Margins: []Facet{}}
	lists := map[string]*[]Facet{"topic": &f.Topics, "result": &f.Results, "year": &f.Years, "margin": &f.Margins}
	for _, r := range rows {
		list := lists[r.Kind]
		switch {
		case list != nil:
			*list = append(*list, Facet{r.Value, r.Count})
		case r.Kind == "total":
			f.Total, f.Complete = r.Count, r.Count <= mostCounted
		case *r.Value == "true":
			f.Split = r.Count
		default:
			f.Unanimous = r.Count
		}
	}
	f.Margins = f.Margins[:min(len(f.Margins), mostMargins)]
	return f, nil
}
