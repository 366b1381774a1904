// Package search finds words in titles of items, in motions, in pages of minutes, and in names of
// members.
//
// If no text has the words, the search is repeated with similar words of the corpus (spelling.go).
// Hits are shown as printed, with the words marked (snippet.go). There are no counts. Only the list
// of minutes has further pages; /items and /search/votes have filters and paging. The file
// pkg/schema/council has the tables.
package search

import (
	"context"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/wire"
)

var Endpoints = rest.Table{
	rest.Func(rest.Spec{ID: "search", Path: "/search", Tag: "Search", Summary: "Members, items, motions and pages of " +
		"minutes with some words",
		Doc: "The best of each kind. Items and pages come with those first that have the words often and close to each " +
			"other, and are new; of words that are everywhere, the newest come first, " +
			"as motions always do. Members are found with typing errors. If nothing printed has the words, words that no " +
			"text has are replaced by the most similar one that some text has; corrected then says what was searched for.",
		Queries: rest.Queries(findMembers, readWords, items.hits, items.fromHits, items.inOrder, items.back, motions.hits,
			motions.fromHits, motions.inOrder, motions.back,
			pages.hits, pages.fromHits, pages.inOrder, pages.back, likeStems, knownWords, similarWords)}, Search),
	rest.Func(rest.Spec{ID: "searchMinutes", Path: "/search/minutes", Tag: "Search", Summary: "Pages of minutes with " +
		"some words, newest first",
		Doc:     "Only minutes that votes of a meeting were read from. Words are searched for as they are typed.",
		Queries: rest.Queries(readWords, pages.hits, pagesByHits, pagesByMeeting, meetingsBack, likeStems)}, SearchMinutes),
}

// Params are the parameters of a search.
type Params struct {
	Q     string `query:"q" required:"true" minlen:"1" maxlen:"200" pattern:"\\S" doc:"Words, \"quoted phrases\", or, -without. English stemming, accents ignored." example:"street sweeping"`
	Limit int    `query:"limit" rows:"true" min:"1" max:"20" default:"5" doc:"Most entries of each kind."`
	civic.OfBody
}

type FoundText struct {
	Query     string        `json:"query" doc:"The words as sent."`
	Corrected *string       `json:"corrected" doc:"The words that were searched for instead in items, motions and minutes, because nothing printed has those that were sent; null if it is those."`
	Complete  bool          `json:"complete" doc:"Whether all that is printed was searched. If false, a quoted phrase of words that are nearly everywhere was looked for among the newest of a kind only, and found less than limit times there."`
	Members   []FoundMember `json:"members" doc:"Members with a name like one of the words, most similar first."`
	Items     []FoundItem   `json:"items" doc:"Agenda items with the words in title or summary."`
	Motions   []FoundMotion `json:"motions" doc:"Votes with the words in the motion."`
	Minutes   []FoundPage   `json:"minutes" doc:"Pages of minutes with the words."`
}

// A FoundMember is a member whose name is similar to a search word.
type FoundMember struct {
	ID       int64  `json:"id" doc:"The member."`
	FullName string `json:"full_name" doc:"As printed, or as the operator spells it."`
}

// A FoundItem is an agenda item whose text has the words.
type FoundItem struct {
	passage
	ID          int64     `json:"id" doc:"The item."`
	MeetingID   int64     `json:"meeting_id" doc:"Its meeting: iqm2_id."`
	MeetingDate rest.Date `json:"meeting_date" doc:"Local date of the meeting."`
	civic.BodyRef
	ItemNumber *string         `json:"item_number" doc:"As printed."`
	Topic      *council.Topic  `json:"topic" doc:"Machine-assigned; null when not labelled."`
	VoteCount  int             `json:"vote_count" doc:"Number of votes on the item."`
	Result     *council.Result `json:"-" db:"result"` // result of the item's last vote
}

// A FoundMotion is a vote whose motion has the words.
type FoundMotion struct {
	passage
	VoteID      int64     `json:"vote_id" doc:"The vote."`
	ItemID      int64     `json:"item_id" doc:"Its agenda item."`
	ItemTitle   string    `json:"item_title" doc:"The item's title."`
	MeetingID   int64     `json:"meeting_id" doc:"Its meeting: iqm2_id."`
	MeetingDate rest.Date `json:"meeting_date" doc:"Local date of the meeting."`
	civic.BodyRef
	Result    council.Result `json:"result" doc:"What the printed result means."`
	ResultRaw string         `json:"result_raw" doc:"The result as printed."`
}

// A FoundPage is a page of minutes that has the words.
type FoundPage struct {
	wire.Key
	passage
	MeetingID   int64     `json:"meeting_id" doc:"The meeting: iqm2_id. /meetings/{id}/minutes/{page} has the whole page."`
	MeetingDate rest.Date `json:"meeting_date" doc:"Its local date."`
	civic.BodyRef
	Title     string `json:"title" doc:"Title of the meeting."`
	Page      int    `json:"page" doc:"The page, from 1."`
	SourceURL string `json:"source_url" format:"uri" doc:"The minutes, at this page (#page=N) if they are a PDF."`
}

// Search searches all kinds of text and the names of members.
func Search(ctx context.Context, c *rest.Call, p Params) (FoundText, error) {
	f := FoundText{Query: p.Q}
	err := p.Resolve(ctx, c)
	if err != nil {
		return f, err
	}
	f.Members, err = membersLike(ctx, c, p)
	if err != nil {
		return f, err
	}
	if err = f.findTexts(ctx, c, p); err != nil || f.hasTexts() {
		return f, err
	}
	other, err := corrected(ctx, c, p.Q)
	if err != nil || other == "" {
		return f, err
	}
	p.Q = other
	if err = f.findTexts(ctx, c, p); err == nil && f.hasTexts() {
		f.Corrected = &other
	}
	return f, err
}

func (f *FoundText) hasTexts() bool { return len(f.Items)+len(f.Motions)+len(f.Minutes) > 0 }

func (f *FoundText) findTexts(ctx context.Context, c *rest.Call, p Params) error {
	f.Items, f.Motions = []FoundItem{}, []FoundMotion{}
	f.Minutes, f.Complete = []FoundPage{}, true
	q, err := readQuery(ctx, c, p.Q)
	if err != nil || q.Exact == "" {
		return err
	}
	var complete [3]bool
	best := ranked{q.terms, p.Limit, p.OfBody}
	newest := func(since *rest.Date) inOrder { return inOrder{q.Exact, since, p.Limit, p.OfBody} }
	f.Items, complete[0], err = items.find(ctx, c, &q, p.OfBody, best, newest, p.Limit)
	if err != nil {
		return err
	}
	f.Motions, complete[1], err = motions.find(ctx, c, &q, p.OfBody, best, newest, p.Limit)
	if err != nil {
		return err
	}
	all := MinutesParams{Links: wire.LinksOf(c), OfBody: p.OfBody}
	all.Fetch = p.Limit
	f.Minutes, complete[2], err = pages.find(ctx, c, &q, p.OfBody, rankedPages{all.Links, best},
		func(since *rest.Date) pagesInOrder { return pagesInOrder{all.since(since), q.Exact} }, p.Limit)
	if err != nil {
		return err
	}
	f.Complete = complete == [3]bool{true, true, true}
	var found []*passage
	for i := range f.Items {
		found = append(found, &f.Items[i].passage)
	}
	for i := range f.Motions {
		found = append(found, &f.Motions[i].passage)
	}
	for i := range f.Minutes {
		found = append(found, &f.Minutes[i].passage)
	}
	return q.cut(ctx, c, found)
}

type MinutesParams struct {
	wire.Keyset
	wire.Links
	From *rest.Date `query:"from" doc:"First local date of the meeting." example:"2026-01-01"`
	To   *rest.Date `query:"to" doc:"Last local date of the meeting." example:"2026-12-31"`
	civic.OfBody
	Q string `query:"q" arg:"-" required:"true" minlen:"1" maxlen:"200" pattern:"\\S" doc:"Words, \"quoted phrases\", or, -without. English stemming, accents ignored." example:"street sweeping"`
}

// since restricts a search to meetings from a day on. A nil day means no restriction.
func (p MinutesParams) since(day *rest.Date) MinutesParams {
	if day != nil && (p.From == nil || p.From.Before(day.Time)) {
		p.From = day
	}
	return p
}

// FoundPages is one part of the list of pages of minutes.
type FoundPages struct {
	wire.Page[FoundPage]
	SearchedSince *rest.Date `json:"searched_since" doc:"If a quoted phrase of words that are nearly everywhere was looked for in the newest meetings only: the first day that was searched. Ask again with to for earlier ones. Otherwise null."`
}

func SearchMinutes(ctx context.Context, c *rest.Call, p MinutesParams) (FoundPages, error) {
	var list FoundPages
	p.Links = wire.LinksOf(c)
	if err := p.Resolve(ctx, c); err != nil {
		return list, err
	}
	q, err := readQuery(ctx, c, p.Q)
	if err != nil {
		return list, err
	}
	list, err = p.list(ctx, c, &q)
	if err != nil {
		return list, err
	}
	found := make([]*passage, len(list.Data))
	for i := range list.Data {
		found[i] = &list.Data[i].passage
	}
	return list, q.cut(ctx, c, found)
}

// list makes one part of the list, as [kind] describes: from the newest meetings if they fill it,
// from the hits if there are few, and otherwise by meeting.
func (p MinutesParams) list(ctx context.Context, c *rest.Call, q *query) (list FoundPages, err error) {
	since, err := back(ctx, c, meetingsBack, meetings{p.To, p.After, depth{meetingsSeen, p.OfBody}})
	if err != nil {
		return list, err
	}
	seen := pagesInOrder{p.since(since), q.Exact}
	rows, err := pagesByMeeting.List(ctx, c, seen)
	if err != nil {
		return list, err
	}
	if len(rows) > p.Limit || seen.From == p.From {
		list.Page, err = wire.Walk(ctx, c, pagesByMeeting, seen)
		return list, err
	}
	hits, err := pages.hits.One(ctx, c, candidates{q.Words, fewListed, p.OfBody})
	if err != nil {
		return list, err
	}
	if hits <= fewListed {
		list.Page, err = wire.Walk(ctx, c, pagesByHits, pagesFromHits{p, q.terms})
		return list, err
	}
	since = nil
	if q.Phrase {
		since, err = back(ctx, c, meetingsBack, meetings{p.To, p.After, depth{meetingsSearched, p.OfBody}})
		if err != nil {
			return list, err
		}
	}
	all := pagesInOrder{p.since(since), q.Exact}
	list.Page, err = wire.Walk(ctx, c, pagesByMeeting, all)
	if list.NextCursor == nil && all.From != p.From {
		list.SearchedSince = since
	}
	return list, err
}

// membersLike finds members whose name has a word of the search, even if it is misspelt.
func membersLike(ctx context.Context, c *rest.Call, p Params) ([]FoundMember, error) {
	words := plainWords(p.Q)
	if len(words) == 0 {
		return []FoundMember{}, nil
	}
	like, err := findMembers.List(ctx, c, nameWords{wordList{words}, p.OfBody})
	if err != nil {
		return nil, err
	}
	found := []FoundMember{}
	for _, m := range like {
		if len(found) < p.Limit && matchesName(m.FullName, words) {
			found = append(found, m)
		}
	}
	return found, nil
}

// plainWords returns the words of a search that may be misspelt: words that are not in quotes or
// after a minus.
func plainWords(q string) []string {
	var words []string
	for i, outside := range strings.Split(q, `"`) {
		if i%2 == 1 {
			continue
		}
		for w := range strings.FieldsSeq(outside) {
			if !strings.HasPrefix(w, "-") && isWordLike(w) {
				words = append(words, w)
			}
		}
	}
	return words
}
