package civic

import (
	"context"
	"encoding/json"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/openapi"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// An AgendaItem is one item of a meeting's agenda. A machine makes topic and summary; it never
// makes votes.
type AgendaItem struct {
	wire.Key
	ID          int64     `json:"id" doc:"Stable over re-parses of the same minutes."`
	MeetingID   int64     `json:"meeting_id" doc:"The meeting of the item: iqm2_id."`
	MeetingDate rest.Date `json:"meeting_date" doc:"Local date of the meeting."`
	BodyRef
	LegifileID      *int64         `json:"legifile_id" doc:"The portal's legislative file; the same file can come up at several meetings."`
	ItemNumber      *string        `json:"item_number" doc:"As printed." example:"VIII.A."`
	Section         *string        `json:"section" doc:"The heading above the item."`
	Title           string         `json:"title" doc:"As printed."`
	IsConsent       bool           `json:"is_consent" doc:"Listed on the consent calendar and not pulled from it."`
	SourceURL       string         `json:"source_url" format:"uri" doc:"The portal's page of the item if there is one, else the approved minutes."`
	SourcePage      *int           `json:"source_page" doc:"Page of the minutes PDF with the item, from 1."`
	Topic           *council.Topic `json:"topic" doc:"Machine-assigned; null means not labelled: no machine was asked yet, or its evidence was too little."`
	TopicConfidence *float64       `json:"topic_confidence" doc:"From 0 to 1."`
	Summary         *string        `json:"summary" doc:"Machine-written, may be wrong."`
	ClassifiedAt    *rest.Time     `json:"classified_at" doc:"When topic and summary were made, UTC."`
	ClassifierModel *string        `json:"classifier_model" doc:"The model or rules that made topic and summary."`
	Votes           []Vote         `json:"votes,omitzero" db:"-" doc:"Votes with their roll calls; only in the answers for one item and one meeting."`
	MemberPosition  MemberPosition `json:"member_position,omitempty" doc:"In lists filtered by member: that member's position on the item's last motion; null if its roll call does not name the member."`
}

// A MemberPosition is empty if the request does not ask for it. Otherwise it has one position,
// which may be null.
type MemberPosition []*council.Position

func (p MemberPosition) MarshalJSON() ([]byte, error) { return json.Marshal(p[0]) }

func (MemberPosition) Schema() openapi.Schema {
	words := []any{nil}
	for _, w := range council.Positions() {
		words = append(words, w)
	}
	return openapi.Schema{Type: []string{"string", "null"}, Enum: words}
}

type itemsParams struct {
	wire.Keyset
	wire.Links
	From       *rest.Date        `query:"from" doc:"First local date of the meeting." example:"2026-01-01"`
	To         *rest.Date        `query:"to" doc:"Last local date of the meeting." example:"2026-12-31"`
	Q          *string           `query:"q" minlen:"1" maxlen:"200" pattern:"\\S" doc:"Full-text search over title and summary: words, \"quoted phrases\", or, -without. English stemming, accents ignored." example:"\"street sweeping\" -contract"`
	Topic      *council.Topic    `query:"topic" doc:"Only items with this topic."`
	Result     *council.Result   `query:"result" doc:"Only items with a vote of this result. result, via_consent and unanimous must match one and the same vote."`
	ViaConsent *bool             `query:"via_consent" doc:"Only items with a vote on, or not on, the consent calendar."`
	Unanimous  *bool             `query:"unanimous" doc:"Only items with a unanimous, or a divided, vote."`
	MeetingID  *int64            `query:"meeting_id" min:"1" null:"true" doc:"Only items of this meeting."`
	MemberID   *int64            `query:"member" min:"1" null:"true" doc:"Only items on which this member has a recorded position; adds member_position."`
	Position   *council.Position `query:"position" needs:"member" doc:"With member: only items on which the member took this position on some vote."`
	OfBody
}

const itemColumns = `
	i.id, i.iqm2_id AS meeting_id, i.meeting_date, ` + BodyColumns + `,
	i.legifile_id, i.item_number, i.section, i.title, i.is_consent,
	coalesce(i.source_url, CASE WHEN n.minutes_id IS NOT NULL THEN ` + MinutesURL +
	` END, m.source_url, @base || '/meetings/' || m.iqm2_id) AS source_url,
	i.source_page, i.topic, i.topic_confidence, i.summary, i.classified_at, i.classifier_model,
	jsonb_build_array(i.meeting_date, i.starts_at, i.iqm2_id, i.ord, jsonb_build_array(i.id)) AS cursor`

const selectItem = `
	SELECT` + itemColumns + `, NULL::text[] AS member_position`

var itemSources = `
	JOIN council.meeting m ON m.iqm2_id = i.iqm2_id` + Sources + JoinBody("i")

// ofNoVote selects only if no filter is about votes.
const ofNoVote = `
	AND @member::bigint IS NULL AND @position::text IS NULL
	AND @result::text IS NULL AND @via_consent::boolean IS NULL AND @unanimous::boolean IS NULL`

const itemOrder = `
	ORDER BY i.meeting_date DESC, i.starts_at DESC, i.iqm2_id DESC, i.ord
	LIMIT @limit`

var itemFilter = `
	(@from::date IS NULL OR i.meeting_date >= @from)
	AND (@to::date IS NULL OR i.meeting_date <= @to)
	AND (@q::text IS NULL OR i.search @@ council.widen(websearch_to_tsquery('english', council.fold(@q))))
	AND (@topic::text IS NULL OR i.topic = @topic)
	AND (@meeting_id::bigint IS NULL OR i.iqm2_id = @meeting_id)` + InBody("i") + AfterCursor("i", "i.ord > "+PlaceOf("item"))

var voteFilter = `
	(@result::text IS NULL OR v.result = @result)
	AND (@via_consent::boolean IS NULL OR v.via_consent = @via_consent)
	AND (@unanimous::boolean IS NULL OR v.unanimous = @unanimous)` + InBody("v")

// There are four queries, because filters use different indexes. The first reads items in the order
// of the list, the second reads the few items with rare words, the third finds items by their votes,
// and the fourth by the meetings at which a member has a position.
var (
	itemRows = rest.SQL[itemsParams, AgendaItem](selectItem + `
		FROM council.item i` + itemSources + `
		WHERE ` + itemFilter + ofNoVote + itemOrder)

	// A search with few hits sorts the hits. A search with many hits reads items in the order of the
	// list and soon fills a page. The planner cannot distinguish the two, because it only knows the
	// most frequent words.
	itemHits = rest.SQL[hitArgs, int64](`SELECT count(*) FROM ` + itemsWithWords)

	itemsByText = rest.SQL[itemsParams, AgendaItem](selectItem + `
		FROM ` + itemsWithWords + `
		JOIN council.item i ON i.id = hit.id` + itemSources + `
		WHERE ` + itemFilter + ofNoVote + itemOrder)

	itemsByVote = rest.SQL[itemsParams, AgendaItem](selectItem + `
		FROM council.item i` + itemSources + `
		WHERE ` + itemFilter + `
		  AND @member::bigint IS NULL AND @position::text IS NULL
		  AND i.id IN (SELECT v.item_id FROM council.vote v WHERE ` + voteFilter + `)` + itemOrder)

	itemsOfMember = rest.SQL[itemsParams, AgendaItem](`
		SELECT` + itemColumns + `,
		       ARRAY[(SELECT p.position FROM council.vote v LEFT JOIN council.vote_position p ON p.vote_id = v.id
		         AND p.member_id = @member
		              WHERE v.item_id = i.id ORDER BY v.motion_seq DESC LIMIT 1)] AS member_position
		FROM (
			SELECT DISTINCT p.meeting_date, p.starts_at, p.iqm2_id
			FROM council.vote_position p
			WHERE p.member_id = @member AND (@position::text IS NULL OR p.position = @position)
			  AND (@from::date IS NULL OR p.meeting_date >= @from)
			  AND (@to::date IS NULL OR p.meeting_date <= @to)` + FromCursor("p") + `
			ORDER BY p.meeting_date DESC, p.starts_at DESC, p.iqm2_id DESC) named
		JOIN council.meeting m ON m.iqm2_id = named.iqm2_id` + InBody("m") + Sources + `
		CROSS JOIN LATERAL (
			SELECT i.id FROM council.item i
			WHERE i.iqm2_id = named.iqm2_id AND ` + itemFilter + `
			  AND EXISTS (SELECT FROM council.vote v JOIN council.vote_position p ON p.vote_id = v.id
			              WHERE v.item_id = i.id AND p.member_id = @member
			                AND (@position::text IS NULL OR p.position = @position))
			  AND (@result::text IS NULL AND @via_consent::boolean IS NULL AND @unanimous::boolean IS NULL
			       OR EXISTS (SELECT FROM council.vote v WHERE v.item_id = i.id AND ` + voteFilter + `))
			OFFSET 0) hit
		JOIN council.item i ON i.id = hit.id` + JoinBody("i") + `
		ORDER BY named.meeting_date DESC, named.starts_at DESC, named.iqm2_id DESC, i.ord
		LIMIT @limit`)

	itemsOfMeeting = rest.SQL[IDLinks, AgendaItem](selectItem + `
		FROM council.item i` + itemSources + `
		WHERE i.iqm2_id = @id
		ORDER BY i.ord`)

	oneItem = rest.SQL[IDLinks, AgendaItem](selectItem + `
		FROM council.item i` + itemSources + `
		WHERE i.id = @id`)
)

// fewHits is the largest number of hits that are sorted for a page.
const fewHits = 1000

// itemsWithWords selects at most fewHits+1 items with the words of a search.
var itemsWithWords = ItemsWithWords(`council.widen(websearch_to_tsquery('english', council.fold(@q)))`, "1001")

// ItemsWithWords selects the newest items that match a tsquery: frequent words are read in the order
// of the list, which the list reads next, rare ones from the full-text index.
func ItemsWithWords(query, limit string) string {
	return `
	(SELECT id FROM council.item WHERE search @@ ` + query + InBody("item") + `
	 ORDER BY meeting_date DESC, starts_at DESC LIMIT ` + limit + `) hit`
}

type hitArgs struct {
	Q string
	OfBody
}

func listItems(ctx context.Context, c *rest.Call, p itemsParams) (wire.Page[AgendaItem], error) {
	switch {
	case p.MemberID != nil:
		return wire.Walk(ctx, c, itemsOfMember, p)
	case p.Result != nil || p.ViaConsent != nil || p.Unanimous != nil:
		return wire.Walk(ctx, c, itemsByVote, p)
	}
	rows, err := chooseQuery(ctx, c, p.Q, p.OfBody, itemsByText, itemRows)
	if err != nil {
		return wire.Page[AgendaItem]{}, err
	}
	return wire.Walk(ctx, c, rows, p)
}

var ItemEndpoints = rest.Table{
	rest.Func(rest.Spec{ID: "listItems", Path: "/items", Tag: "Items", Summary: "Agenda items, newest meeting first",
		Queries: rest.Queries(itemRows, itemHits, itemsByText, itemsByVote, itemsOfMember)}, listItems),
	rest.Func(rest.Spec{ID: "getItem", Path: "/items/{id}", Tag: "Items", Summary: "One agenda item with its votes and " +
		"roll calls",
		NotFound: "unknown item", Queries: rest.Queries(oneItem, votesOfItem)}, GetItem),
}

func GetItem(ctx context.Context, c *rest.Call, p IDParams) (AgendaItem, error) {
	args := LinksTo(c, p)
	item, err := oneItem.One(ctx, c, args)
	if err != nil {
		return item, Missing(err, "item", p.ID)
	}
	item.Votes, err = votesOfItem.List(ctx, c, args)
	return item, err
}
