package search

import (
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/snippet"
)

// Arguments of the queries: how many hits there are, from few hits, in the order of the list.
type (
	hits struct {
		Q   string
		Few int
	}
	rare struct {
		hits
		Limit int
	}
	newest struct {
		Q     string
		Limit int
	}
	rarePages struct {
		record.Links
		rare
	}
	allPages struct {
		record.Links
		newest
	}
)

// query is the SQL of what is searched for.
const query = `websearch_to_tsquery('english', council.fold(@q))`

// newness makes four years of age count like half of the rank.
const newness = ` * 1460 / (1460 + (SELECT max(x.meeting_date) FROM council.meeting x) - m.meeting_date)`

// Names that are a little like one of the words; [named] decides.
var findMembers = rest.SQL[wordList, FoundMember](`
	SELECT b.id, b.full_name
	FROM council.member b, LATERAL (SELECT max(strict_word_similarity(council.fold(lower(w)), council.fold(lower(b.full_name)))) AS alike FROM unnest(@words::text[]) w) s
	WHERE s.alike >= 0.3
	ORDER BY s.alike DESC, b.last_name, b.full_name, b.id
	LIMIT 200`)

// Items. The text is that of council.item.search.
const (
	itemText    = `i.title || CASE WHEN i.summary IS NULL THEN '' ELSE E'\n' || i.summary END`
	itemColumns = `
		i.id, i.iqm2_id AS meeting_id, i.meeting_date, i.item_number, i.topic, (SELECT count(*) FROM council.vote v WHERE v.item_id = i.id)::integer AS vote_count, ` + itemText + ` AS printed`
	itemOrder = `i.meeting_date DESC, i.starts_at DESC, i.iqm2_id DESC, i.ord`
)

var (
	itemHits  = rest.SQL[hits, int64](`SELECT count(*) FROM (SELECT FROM council.item WHERE search @@ ` + query + ` LIMIT @few + 1) hit`)
	bestItems = rest.SQL[rare, FoundItem](`
		SELECT best.*, ` + snippet.Marked("best.printed", query) + ` AS marked
		FROM (
			SELECT` + itemColumns + `
			FROM (SELECT id, ts_rank_cd(search, ` + query + `) AS rank FROM council.item WHERE search @@ ` + query + ` LIMIT @few + 1) hit
			JOIN council.item i ON i.id = hit.id
			JOIN council.meeting m ON m.iqm2_id = i.iqm2_id
			ORDER BY hit.rank` + newness + ` DESC, ` + itemOrder + `
			LIMIT @limit) best`)
	newestItems = rest.SQL[newest, FoundItem](`
		SELECT best.*, ` + snippet.Marked("best.printed", query) + ` AS marked
		FROM (
			SELECT` + itemColumns + `
			FROM council.item i
			WHERE i.search @@ ` + query + `
			ORDER BY ` + itemOrder + `
			LIMIT @limit) best`)
)

// Motions. The expression is that of the index vote_search.
const (
	motionFound   = `to_tsvector('english', council.fold(v.motion_text)) @@ ` + query
	motionColumns = `
		v.id AS vote_id, v.item_id, v.iqm2_id AS meeting_id, v.meeting_date, v.result, v.result_raw, v.motion_text AS printed`
	motionOrder = `v.meeting_date DESC, v.starts_at DESC, v.iqm2_id DESC, v.ord`
	titled      = `, i.title AS item_title, `
)

var (
	motionHits  = rest.SQL[hits, int64](`SELECT count(*) FROM (SELECT FROM council.vote v WHERE ` + motionFound + ` LIMIT @few + 1) hit`)
	rareMotions = rest.SQL[rare, FoundMotion](`
		SELECT best.*` + titled + snippet.Marked("best.printed", query) + ` AS marked
		FROM (
			SELECT` + motionColumns + `
			FROM (SELECT id FROM council.vote v WHERE ` + motionFound + ` LIMIT @few + 1) hit
			JOIN council.vote v ON v.id = hit.id
			ORDER BY ` + motionOrder + `
			LIMIT @limit) best
		JOIN council.item i ON i.id = best.item_id`)
	newestMotions = rest.SQL[newest, FoundMotion](`
		SELECT best.*` + titled + snippet.Marked("best.printed", query) + ` AS marked
		FROM (
			SELECT` + motionColumns + `
			FROM council.vote v
			WHERE ` + motionFound + `
			ORDER BY ` + motionOrder + `
			LIMIT @limit) best
		JOIN council.item i ON i.id = best.item_id`)
)

// Pages of minutes that votes come from. Two meetings may have the same minutes; one of them carries the votes.
const (
	pageColumns = `
		m.iqm2_id AS meeting_id, m.meeting_date, m.title, p.page, p.text AS printed,
		` + record.MinutesURL + ` || '#page=' || p.page AS source_url,
		jsonb_build_array(m.meeting_date, m.starts_at, m.iqm2_id, p.page) AS cursor`
	pageSources = `
		JOIN council.minutes n ON n.document_id = p.document_id
		JOIN council.document d ON d.document_id = n.document_id
		JOIN council.meeting m ON m.minutes_id = n.minutes_id AND m.same_as IS NULL`
	pageOrder = `m.meeting_date DESC, m.starts_at DESC, m.iqm2_id DESC, p.page`
	pageHit   = `(SELECT document_id, page, text, ts_rank_cd(search, ` + query + `) AS rank FROM council.page WHERE search @@ ` + query + ` LIMIT @few + 1)`
	pageWhere = `
		WHERE (@from::date IS NULL OR m.meeting_date >= @from)
		  AND (@to::date IS NULL OR m.meeting_date <= @to)
		  AND (@after::jsonb IS NULL OR (m.meeting_date, m.starts_at, m.iqm2_id)
		       <= ((@after::jsonb->>0)::date, (@after::jsonb->>1)::timestamptz, (@after::jsonb->>2)::bigint)
		       AND ((m.meeting_date, m.starts_at, m.iqm2_id)
		            < ((@after::jsonb->>0)::date, (@after::jsonb->>1)::timestamptz, (@after::jsonb->>2)::bigint) OR p.page > (@after::jsonb->>3)::integer))`
	// From the newest meeting on.
	pagesByMeeting = `
		FROM council.meeting m
		JOIN council.minutes n ON n.minutes_id = m.minutes_id
		JOIN council.document d ON d.document_id = n.document_id
		JOIN council.page p ON p.document_id = n.document_id AND p.search @@ ` + query
)

var (
	pageHits  = rest.SQL[hits, int64](`SELECT count(*) FROM (SELECT FROM council.page WHERE search @@ ` + query + ` LIMIT @few + 1) hit`)
	bestPages = rest.SQL[rarePages, FoundPage](`
		SELECT best.*, ` + snippet.Marked("best.printed", query) + ` AS marked
		FROM (
			SELECT` + pageColumns + `
			FROM ` + pageHit + ` p` + pageSources + `
			ORDER BY p.rank` + newness + ` DESC, ` + pageOrder + `
			LIMIT @limit) best`)
	newestPages = rest.SQL[allPages, FoundPage](`
		SELECT best.*, ` + snippet.Marked("best.printed", query) + ` AS marked
		FROM (
			SELECT` + pageColumns + pagesByMeeting + `
			WHERE m.same_as IS NULL
			ORDER BY ` + pageOrder + `
			LIMIT @limit) best`)
	pagesFromHits = rest.SQL[fewMinutes, FoundPage](`
		SELECT best.*, ` + snippet.Marked("best.printed", query) + ` AS marked
		FROM (
			SELECT` + pageColumns + `
			FROM ` + pageHit + ` p` + pageSources + pageWhere + `
			ORDER BY ` + pageOrder + `
			LIMIT @limit) best`)
	pagesInOrder = rest.SQL[MinutesParams, FoundPage](`
		SELECT best.*, ` + snippet.Marked("best.printed", query) + ` AS marked
		FROM (
			SELECT` + pageColumns + pagesByMeeting + pageWhere + `
			  AND m.same_as IS NULL
			ORDER BY ` + pageOrder + `
			LIMIT @limit) best`)
)

// Words of the corpus.
var (
	knownWords   = rest.SQL[wordList, string](`SELECT word FROM council.word WHERE word IN (SELECT lower(council.fold(w)) FROM unnest(@words::text[]) w)`)
	similarWords = rest.SQL[oneWord, string](`
		SELECT word FROM council.word WHERE word % lower(council.fold(@word)) ORDER BY similarity(word, lower(council.fold(@word))) DESC, word LIMIT 20`)
)

type (
	wordList struct{ Words []string }
	oneWord  struct{ Word string }
)
