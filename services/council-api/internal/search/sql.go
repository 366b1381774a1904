package search

import (
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// These are the arguments of the queries.
type (
	ranked struct {
		terms
		Limit int
		civic.OfBody
	}
	inOrder struct {
		Exact string
		Since *rest.Date
		Limit int
		civic.OfBody
	}
	rankedPages struct {
		wire.Links
		ranked
	}
	pagesFromHits struct {
		MinutesParams
		terms
	}
	pagesInOrder struct {
		MinutesParams
		Exact string
	}
	meetings struct {
		To    *rest.Date
		After *string
		depth
	}
)

const (
	exact = `council.widen(@exact::text::tsquery)`
	words = `council.widen(@words::text::tsquery)`
)

// newness is a factor that halves the rank of a text after four years.
var newness = ` * 1460 / (1460 + (SELECT max(x.meeting_date) FROM council.meeting x
	WHERE true` + civic.InBody("x") + `) - m.meeting_date)`

// inIndex is the condition of the partial full-text indexes. One index has body 1, the other has
// all other bodies. With further conditions, such as the filter itself, the planner would also read
// another index of the body.
func inIndex(table string) string {
	return `
		AND (@body_id::bigint IS NULL OR (@body_id = 1) = (` + table + `.body_id = 1))`
}

// Hits are materialized. For the first few of them the planner would otherwise scan a table.

// It selects similar names; [matchesName] decides.
var findMembers = rest.SQL[nameWords, FoundMember](`
	SELECT b.id, b.full_name
	FROM council.member b, LATERAL (SELECT max(strict_word_similarity(council.fold(lower(w)),
	  council.fold(lower(b.full_name)))) AS alike FROM unnest(@words::text[]) w) s
	WHERE s.alike >= 0.3` + civic.MemberInBody("b.id") + `
	ORDER BY s.alike DESC, b.last_name, b.full_name, b.id
	LIMIT 200`)

// Items. The searched text is the same as in council.item.search.
const (
	itemColumns = `
		SELECT i.id, i.iqm2_id AS meeting_id, i.meeting_date, ` + civic.BodyColumns + `, i.item_number, i.topic,
		       (SELECT count(*) FROM council.vote v WHERE v.item_id = i.id)::integer AS vote_count,
		       (SELECT v.result FROM council.vote v WHERE v.item_id = i.id ORDER BY v.ord DESC LIMIT 1) AS result,
		       i.title || CASE WHEN i.summary IS NULL THEN '' ELSE E'\n' || i.summary END AS printed`
	itemOrder = `i.meeting_date DESC, i.starts_at DESC, i.iqm2_id DESC, i.ord
		LIMIT @limit`
)

var items = kind[ranked, inOrder, FoundItem]{
	few: 1000,
	hits: rest.SQL[candidates, int64](`
		SELECT count(*) FROM ` + civic.ItemsWithWords(words, "@few + 1")),
	fromHits: rest.SQL[ranked, FoundItem](`
		WITH hit AS MATERIALIZED (SELECT id, body_id FROM council.item
		                          WHERE search @@ ` + words + ` AND search @@ ` + exact + inIndex("item") + `)` +
		itemColumns + `
		FROM hit
		JOIN council.item i ON i.id = hit.id
		JOIN council.meeting m ON m.iqm2_id = i.iqm2_id` + civic.JoinBody("i") + `
		WHERE true` + civic.InBody("hit") + `
		ORDER BY ts_rank_cd(i.search, ` + exact + `)` + newness + ` DESC, ` + itemOrder),
	inOrder: rest.SQL[inOrder, FoundItem](itemColumns + `
		FROM council.item i` + civic.JoinBody("i") + `
		WHERE i.search @@ ` + exact + ` AND (@since::date IS NULL OR i.meeting_date >= @since)` + civic.InBody("i") + `
		ORDER BY ` + itemOrder),
	depth: 5000,
	back: rest.SQL[depth, rest.Date](`SELECT meeting_date FROM council.item WHERE true` + civic.InBody("item") + `
		ORDER BY meeting_date DESC, starts_at DESC, iqm2_id DESC, ord OFFSET @depth LIMIT 1`),
}

// Motions. The searched text is the same as in the index vote_search.
const (
	motion        = `to_tsvector('english', council.fold(v.motion_text))`
	motionColumns = `
		SELECT v.id AS vote_id, v.item_id, i.title AS item_title, v.iqm2_id AS meeting_id, v.meeting_date,
		       ` + civic.BodyColumns + `, v.result,
		       v.result_raw, v.motion_text AS printed`
)

var motions = kind[ranked, inOrder, FoundMotion]{
	glance: 300,
	few:    5000,
	hits: rest.SQL[candidates, int64](`
		WITH hit AS MATERIALIZED (SELECT body_id FROM council.vote v
		                          WHERE ` + motion + ` @@ ` + words + inIndex("v") + `)
		SELECT count(*) FROM (SELECT FROM hit WHERE true` + civic.InBody("hit") + ` LIMIT @few + 1) counted`),
	fromHits: rest.SQL[ranked, FoundMotion](`
		WITH hit AS MATERIALIZED (SELECT id, meeting_date, starts_at, iqm2_id, ord, body_id
		  FROM council.vote v WHERE ` + motion + ` @@ ` + words + inIndex("v") + `)
		SELECT found.*
		FROM (SELECT id, meeting_date, starts_at, iqm2_id, ord FROM hit WHERE true` + civic.InBody("hit") + `
		  ORDER BY meeting_date DESC, starts_at DESC, iqm2_id DESC, ord) hit
		CROSS JOIN LATERAL (` + motionColumns + `
			FROM council.vote v
			JOIN council.item i ON i.id = v.item_id` + civic.JoinBody("v") + `
			WHERE v.id = hit.id AND ` + motion + ` @@ ` + exact + ` OFFSET 0) found
		ORDER BY hit.meeting_date DESC, hit.starts_at DESC, hit.iqm2_id DESC, hit.ord
		LIMIT @limit`),
	// A limit that the planner does not know makes it read the days since @since in order; otherwise it
	// combines the indexes of words and days, which takes longer.
	inOrder: rest.SQL[inOrder, FoundMotion](motionColumns + `
		FROM council.vote v
		JOIN council.item i ON i.id = v.item_id` + civic.JoinBody("v") + `
		WHERE ` + motion + ` @@ ` + exact + `
		  AND (@since::date IS NULL OR v.meeting_date >= @since)` + civic.InBody("v") + `
		ORDER BY v.meeting_date DESC, v.starts_at DESC, v.iqm2_id DESC, v.ord
		LIMIT CASE WHEN @since::date IS NULL THEN @limit::integer ELSE (SELECT @limit::integer) END`),
	depth: 500,
	back: rest.SQL[depth, rest.Date](`SELECT meeting_date FROM council.vote WHERE true` + civic.InBody("vote") + `
		ORDER BY meeting_date DESC, starts_at DESC, iqm2_id DESC, ord OFFSET @depth LIMIT 1`),
}

// Pages of minutes with votes. If two meetings have the same minutes, one of them has the votes.
const (
	pageColumns = `
		SELECT m.iqm2_id AS meeting_id, m.meeting_date, ` + civic.BodyColumns + `, m.title, p.page, p.text AS printed,
		       ` + civic.MinutesURL + ` || '#page=' || p.page AS source_url,
		       jsonb_build_array(m.meeting_date, m.starts_at, m.iqm2_id, p.page) AS cursor`
	pageOrder = `m.meeting_date DESC, m.starts_at DESC, m.iqm2_id DESC, p.page`
	pageOf    = `
		JOIN council.minutes n ON n.document_id = p.document_id
		JOIN council.meeting m ON m.iqm2_id = n.iqm2_id AND m.minutes_id = n.minutes_id AND m.same_as IS NULL`

	// pageInBody is [civic.InBody] for a page, and has the conditions of the two partial indexes. It
	// comes first because reading search takes longer; the planner would move = ANY behind it.
	pageInBody = `
		(@body_id::bigint IS NULL OR body_ids @> ARRAY[@body_id]
			AND CASE @body_id WHEN 1 THEN @body_id = ANY (body_ids) ELSE body_ids <> '{1}' END)
		AND (@body_ids::bigint[] IS NULL OR body_ids && @body_ids) AND`

	fewListed        = 2000 // largest number of hits that are sorted for a page of the list
	meetingsSeen     = 30   // number of newest meetings to read before hits are counted
	meetingsSearched = 150  // number of newest meetings to read for a phrase; they have well over 1,000 pages
)

var (
	pageDocument = `
		JOIN council.document d ON d.document_id = n.document_id` + civic.JoinBody("m")
	pageWhere = `
		WHERE (@from::date IS NULL OR m.meeting_date >= @from)
		  AND (@to::date IS NULL OR m.meeting_date <= @to)` + civic.InBody("m") + civic.AfterCursor("m", "p.page > (@after::jsonb->>3)::integer")

	pages = kind[rankedPages, pagesInOrder, FoundPage]{
		few: 400,
		hits: rest.SQL[candidates, int64](`
			SELECT count(*) FROM (SELECT FROM council.page WHERE ` + pageInBody + ` search @@ ` + words + `
			                      LIMIT (SELECT @few + 1)) counted`),
		fromHits: rest.SQL[rankedPages, FoundPage](`
			WITH hit AS MATERIALIZED (
				SELECT document_id, page, text, ts_rank_cd(search, ` + exact + `) AS rank FROM council.page
				WHERE ` + pageInBody + ` search @@ ` + words + ` AND search @@ ` + exact + `)` + pageColumns + `
			FROM hit p` + pageOf + pageDocument + `
			WHERE true` + civic.InBody("m") + `
			ORDER BY p.rank` + newness + ` DESC, ` + pageOrder + `
			LIMIT @limit`),
		inOrder: pagesByMeeting,
		depth:   meetingsSearched,
		back: rest.SQL[depth, rest.Date](`SELECT meeting_date FROM council.meeting
			WHERE minutes_id IS NOT NULL` + civic.InBody("meeting") + `
			ORDER BY meeting_date DESC, starts_at DESC, iqm2_id DESC OFFSET @depth LIMIT 1`),
	}

	pagesByHits = rest.SQL[pagesFromHits, FoundPage](`
		WITH hit AS MATERIALIZED (SELECT document_id, page FROM council.page
		                          WHERE ` + pageInBody + ` search @@ ` + words + `)
		SELECT found.*
		FROM (
			SELECT m.iqm2_id, m.meeting_date, m.starts_at, p.page
			FROM hit p` + pageOf + pageWhere + `
			ORDER BY ` + pageOrder + `) hit
		CROSS JOIN LATERAL (` + pageColumns + `
			FROM council.meeting m
			JOIN council.minutes n ON n.minutes_id = m.minutes_id` + pageDocument + `
			JOIN council.page p ON p.document_id = n.document_id
			WHERE m.iqm2_id = hit.iqm2_id AND p.page = hit.page AND p.search @@ ` + exact + ` OFFSET 0) found
		ORDER BY hit.meeting_date DESC, hit.starts_at DESC, hit.iqm2_id DESC, hit.page
		LIMIT @limit`)

	pagesByMeeting = rest.SQL[pagesInOrder, FoundPage](pageColumns + `
		FROM council.meeting m
		JOIN council.minutes n ON n.minutes_id = m.minutes_id` + pageDocument + `
		JOIN council.page p ON p.document_id = n.document_id AND p.search @@ ` + exact + pageWhere + `
		  AND m.same_as IS NULL
		ORDER BY ` + pageOrder + `
		LIMIT @limit`)

	meetingsBack = rest.SQL[meetings, rest.Date](`
		SELECT m.meeting_date FROM council.meeting m
		WHERE m.minutes_id IS NOT NULL AND (@to::date IS NULL OR m.meeting_date <= @to)` +
		civic.InBody("m") + civic.FromCursor("m") + `
		ORDER BY m.meeting_date DESC, m.starts_at DESC, m.iqm2_id DESC OFFSET @depth LIMIT 1`)
)

// Words of the corpus.
var (
	knownWords = rest.SQL[wordList, string](`SELECT word FROM council.word
		WHERE word IN (SELECT lower(council.fold(w)) FROM unnest(@words::text[]) w)`)
	similarWords = rest.SQL[oneWord, string](`
		SELECT word FROM council.word WHERE word % lower(council.fold(@word))
		       ORDER BY similarity(word, lower(council.fold(@word))) DESC, word LIMIT 20`)
)

type (
	wordList  struct{ Words []string }
	nameWords struct {
		wordList
		civic.OfBody
	}
	oneWord struct{ Word string }
)
