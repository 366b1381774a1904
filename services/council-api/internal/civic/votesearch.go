package civic

import (
	"context"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// OfItem describes the agenda item of a vote.
type OfItem struct {
	ItemTitle  string         `json:"item_title" doc:"Title of the agenda item."`
	ItemNumber *string        `json:"item_number" doc:"Its number as printed."`
	Topic      *council.Topic `json:"topic" doc:"Of the item; machine-assigned, null when unclassified."`
}

// A FoundVote is a vote and its agenda item.
type FoundVote struct {
	Vote
	OfItem
}

// SearchFilters are the [VoteFilters] and the search words.
type SearchFilters struct {
	VoteFilters
	Q *string `query:"q" minlen:"1" maxlen:"200" pattern:"\\S" doc:"Full-text search over title and summary of the item: words, \"quoted phrases\", or, -without. English stemming, accents ignored." example:"\"street sweeping\" -contract"`
	// MemberID is the filter by a member's vote.
	MemberID *int64 `query:"member" min:"1" null:"true" arg:"member" doc:"Only votes on which this member has a recorded position."`
}

// ofMember is an SQL condition for the filter by member.
const ofMember = `
	AND (@member::bigint IS NULL OR EXISTS (SELECT FROM council.vote_position mp
	     WHERE mp.vote_id = v.id AND mp.member_id = @member))`

type SearchParams struct {
	wire.Keyset
	wire.Links
	SearchFilters
}

const (
	selectFound = `
		SELECT` + voteColumns + rollColumn + `, i.title AS item_title, i.item_number, v.topic`
	foundOrder = `
		ORDER BY v.meeting_date DESC, v.starts_at DESC, v.iqm2_id DESC, v.ord
		LIMIT @limit`
)

// There are two queries, because filters use different indexes. The first reads votes in the order
// of the list, the second reads the few votes with rare words.
var (
	foundRows = rest.SQL[SearchParams, FoundVote](selectFound + `
		FROM council.vote v
		JOIN council.item i ON i.id = v.item_id` + voteSources + whereVote + `
		  AND (@q::text IS NULL OR i.search @@ council.widen(websearch_to_tsquery('english', council.fold(@q))))` + ofMember + foundOrder)
	foundRowsByText = rest.SQL[SearchParams, FoundVote](selectFound + `
		FROM ` + itemsWithWords + `
		JOIN council.vote v ON v.item_id = hit.id
		JOIN council.item i ON i.id = v.item_id` + voteSources + whereVote + ofMember + foundOrder)
)

// FoundQueries returns the queries of [ListFound] and [SearchVotes], for the endpoints that call
// them.
func FoundQueries() []rest.Statement { return rest.Queries(itemHits, foundRows, foundRowsByText) }

// chooseQuery returns byText for words with few hits, otherwise inOrder.
func chooseQuery[P, R any](ctx context.Context, c *rest.Call, words *string, of OfBody,
	byText, inOrder *rest.Query[P, R]) (*rest.Query[P, R], error) {
	if words == nil {
		return inOrder, nil
	}
	hits, err := itemHits.One(ctx, c, hitArgs{*words, of})
	if hits > fewHits {
		return inOrder, err
	}
	return byText, err
}

// SearchVotes finds votes by words and filters, newest first.
func SearchVotes(ctx context.Context, c *rest.Call, p SearchParams) (wire.Page[FoundVote], error) {
	rows, err := chooseQuery(ctx, c, p.Q, p.OfBody, foundRowsByText, foundRows)
	if err != nil {
		return wire.Page[FoundVote]{}, err
	}
	return wire.Walk(ctx, c, rows, p)
}

// ListFound lists the newest votes that a search finds, but not more than most.
func ListFound(ctx context.Context, c *rest.Call, w SearchFilters, most int) ([]FoundVote, error) {
	rows, err := chooseQuery(ctx, c, w.Q, w.OfBody, foundRowsByText, foundRows)
	if err != nil {
		return nil, err
	}
	return rows.List(ctx, c, SearchParams{wire.Keyset{Fetch: most}, wire.LinksOf(c), w})
}

var VoteSearchEndpoints = rest.Table{
	rest.Func(rest.Spec{ID: "searchVotes", Path: "/search/votes", Tag: "Votes", Summary: "Votes with the titles of " +
		"their items, by words and filters",
		Doc:     "The filters of /votes and words. The same list is to be had as an Atom feed and as a CSV file.",
		Queries: FoundQueries()}, SearchVotes),
}
