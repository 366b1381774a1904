package record

import (
	"context"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// OfItem is what a vote was about.
type OfItem struct {
	ItemTitle  string         `json:"item_title" doc:"Title of the agenda item."`
	ItemNumber *string        `json:"item_number" doc:"Its number as printed."`
	Topic      *council.Topic `json:"topic" doc:"Of the item; machine-assigned, null when unclassified."`
}

// A FoundVote is a vote with what it was about.
type FoundVote struct {
	Vote
	OfItem
}

// A SearchFilters are [VoteFilters] with words.
type SearchFilters struct {
	VoteFilters
	Q *string `query:"q" minlen:"1" maxlen:"200" pattern:"\\S" doc:"Full-text search over title and summary of the item: words, \"quoted phrases\", or, -without. English stemming, accents ignored." example:"\"street sweeping\" -contract"`
}

type SearchParams struct {
	wire.Keyset
	Links
	SearchFilters
}

// A foundFile is what the file of a search asks: all that was found, up to a limit.
type foundFile struct {
	Links
	SearchFilters
	After *string `arg:"after"`
	Fetch int     `arg:"limit"`
}

type (
	foundByText struct {
		SearchParams
		Few int
	}
	foundFileByText struct {
		foundFile
		Few int
	}
)

const selectFound = `
	SELECT` + voteColumns + `,` + rollColumn + `, i.title AS item_title, i.item_number, v.topic`

// Two queries, as for items: in the order of the list, and from the few items with rare words.
var (
	foundInOrder = selectFound + `
		FROM council.vote v
		JOIN council.item i ON i.id = v.item_id` + voteSources + whereVote + `
		  AND (@q::text IS NULL OR i.search @@ websearch_to_tsquery('english', council.fold(@q)))` + foundOrder
	foundFromItems = selectFound + `
		FROM (SELECT id FROM council.item WHERE search @@ websearch_to_tsquery('english', council.fold(@q)) LIMIT @few + 1) hit
		JOIN council.vote v ON v.item_id = hit.id
		JOIN council.item i ON i.id = v.item_id` + voteSources + whereVote + foundOrder

	foundRows       = rest.SQL[SearchParams, FoundVote](foundInOrder)
	foundRowsByText = rest.SQL[foundByText, FoundVote](foundFromItems)
	foundAll        = rest.SQL[foundFile, FoundVote](foundInOrder)
	foundAllByText  = rest.SQL[foundFileByText, FoundVote](foundFromItems)
)

const foundOrder = `
	ORDER BY v.meeting_date DESC, v.starts_at DESC, v.iqm2_id DESC, v.ord
	LIMIT @limit`

// few reports whether a search has so few hits that it is answered from them.
func (w *SearchFilters) few(ctx context.Context, c *rest.Call) (bool, error) {
	if w.Q == nil {
		return false, nil
	}
	hits, err := itemHits.One(ctx, c, searchArgs{*w.Q, fewHits})
	return hits <= fewHits, err
}

func SearchVotes(ctx context.Context, c *rest.Call, p SearchParams) (wire.Page[FoundVote], error) {
	p.Base = c.URL("")
	few, err := p.few(ctx, c)
	if err != nil {
		return wire.Page[FoundVote]{}, err
	}
	if few {
		return wire.Walk(ctx, c, foundRowsByText, foundByText{p, fewHits})
	}
	return wire.Walk(ctx, c, foundRows, p)
}

// ListFound lists what a search finds, newest first, at most so many.
func ListFound(ctx context.Context, c *rest.Call, w SearchFilters, most int) ([]FoundVote, error) {
	p := foundFile{Links: LinksOf(c), SearchFilters: w, Fetch: most}
	few, err := w.few(ctx, c)
	if err != nil {
		return nil, err
	}
	if few {
		return foundAllByText.List(ctx, c, foundFileByText{p, fewHits})
	}
	return foundAll.List(ctx, c, p)
}

// FoundQueries are the queries of [listFound], for the endpoints that call it.
func FoundQueries() []rest.Statement { return rest.Queries(itemHits, foundAll, foundAllByText) }

func VoteSearchEndpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "searchVotes", Path: "/search/votes", Tag: "Votes", Summary: "Votes with the titles of their items, by words and filters",
			Doc: "The filters of /votes and words. The same list is to be had as an Atom feed and as a CSV file.", Queries: rest.Queries(itemHits, foundRows, foundRowsByText)}, SearchVotes),
	}
}
