// Package search finds words in what is printed: titles of items, motions, pages of minutes, and names of members, from one box.
//
// A search that finds nothing printed is made once more with words of the corpus for those that it does not have (spelling.go). What is shown of a
// text is the text as printed, with what was found marked (internal/snippet). It does not count and it has no pages, with one exception: the list
// of all pages of minutes. For filters and paging, lead readers to /items and /search/votes. The tables are those of pkg/schema/council/0009_search.sql.
package search

import (
	"context"
	"strings"
	"unicode"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/snippet"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// Endpoints are the searches in all that is printed.
func Endpoints() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "search", Path: "/search", Tag: "Search", Summary: "Members, items, motions and pages of minutes with some words",
			Doc: "The best of each kind. Items and pages come with those first that have the words often and close to each other, and are new; of words that are everywhere, the newest come first, " +
				"as motions always do. Members are found with typing errors. If nothing printed has the words, words that no text has are replaced by the most similar one that some text has; corrected then says what was searched for.",
			Queries: rest.Queries(findMembers, itemHits, bestItems, newestItems, motionHits, rareMotions, newestMotions, pageHits, bestPages, newestPages, knownWords, similarWords)}, Search),
		rest.Func(rest.Spec{ID: "searchMinutes", Path: "/search/minutes", Tag: "Search", Summary: "Pages of minutes with some words, newest first",
			Doc: "Only minutes that votes of a meeting were read from. Words are searched for as they are typed.", Queries: rest.Queries(pageHits, pagesFromHits, pagesInOrder)}, SearchMinutes),
	}
}

// Params are what somebody searches for.
type Params struct {
	Q     string `query:"q" required:"true" minlen:"1" maxlen:"200" pattern:"\\S" doc:"Words, \"quoted phrases\", or, -without. English stemming, accents ignored." example:"street sweeping"`
	Limit int    `query:"limit" min:"1" max:"20" default:"5" doc:"Most entries of each kind."`
}

// FoundText is what a search finds.
type FoundText struct {
	Query     string        `json:"query" doc:"The words as sent."`
	Corrected *string       `json:"corrected" doc:"The words that were searched for instead in items, motions and minutes, because nothing printed has those that were sent; null if it is those."`
	Members   []FoundMember `json:"members" doc:"Members with a name like one of the words, most similar first."`
	Items     []FoundItem   `json:"items" doc:"Agenda items with the words in title or summary."`
	Motions   []FoundMotion `json:"motions" doc:"Votes with the words in the motion."`
	Minutes   []FoundPage   `json:"minutes" doc:"Pages of minutes with the words."`
}

// A FoundMember is a person with a similar name.
type FoundMember struct {
	ID       int64  `json:"id" doc:"The member."`
	FullName string `json:"full_name" doc:"As printed, or as the operator spells it."`
}

// A FoundItem is an agenda item with the words.
type FoundItem struct {
	passage
	ID          int64          `json:"id" doc:"The item."`
	MeetingID   int64          `json:"meeting_id" doc:"Its meeting: iqm2_id."`
	MeetingDate rest.Date      `json:"meeting_date" doc:"Local date of the meeting."`
	ItemNumber  *string        `json:"item_number" doc:"As printed."`
	Topic       *council.Topic `json:"topic" doc:"Machine-assigned; null when not labelled."`
	VoteCount   int            `json:"vote_count" doc:"Number of votes on the item."`
}

// A FoundMotion is a vote with the words in its motion.
type FoundMotion struct {
	passage
	VoteID      int64          `json:"vote_id" doc:"The vote."`
	ItemID      int64          `json:"item_id" doc:"Its agenda item."`
	ItemTitle   string         `json:"item_title" doc:"The item's title."`
	MeetingID   int64          `json:"meeting_id" doc:"Its meeting: iqm2_id."`
	MeetingDate rest.Date      `json:"meeting_date" doc:"Local date of the meeting."`
	Result      council.Result `json:"result" doc:"What the printed result means."`
	ResultRaw   string         `json:"result_raw" doc:"The result as printed."`
}

// A FoundPage is a page of minutes with the words.
type FoundPage struct {
	wire.Key
	passage
	MeetingID   int64     `json:"meeting_id" doc:"The meeting: iqm2_id. /meetings/{id}/minutes/{page} has the whole page."`
	MeetingDate rest.Date `json:"meeting_date" doc:"Its local date."`
	Title       string    `json:"title" doc:"Title of the meeting."`
	Page        int       `json:"page" doc:"The page, from 1."`
	SourceURL   string    `json:"source_url" format:"uri" doc:"The minutes, at this page (#page=N) if they are a PDF."`
}

// A passage is the text in which the words were found.
type passage struct {
	Printed string             `json:"-"` // the whole of it
	Marked  string             `json:"-"` // the same, folded and with marks
	Snippet []snippet.TextPart `json:"snippet" db:"-" doc:"The place with the words, as printed."`
}

func (p *passage) cut() { p.Snippet = snippet.Cut(p.Printed, p.Marked, snippetLength) }

// snippetLength is about three lines on a page.
const snippetLength = 240

// Search looks in everything.
func Search(ctx context.Context, c *rest.Call, p Params) (FoundText, error) {
	f := FoundText{Query: p.Q}
	var err error
	if f.Members, err = membersLike(ctx, c, p); err != nil {
		return f, err
	}
	if err = f.printed(ctx, c, p); err != nil || f.anything() {
		return f, err
	}
	other, err := corrected(ctx, c, p.Q)
	if err != nil || other == "" {
		return f, err
	}
	p.Q = other
	if err = f.printed(ctx, c, p); err == nil && f.anything() {
		f.Corrected = &other
	}
	return f, err
}

func (f *FoundText) anything() bool { return len(f.Items)+len(f.Motions)+len(f.Minutes) > 0 }

// printed looks in what is printed. A search with few hits is answered from all of them; one with many reads the
// newest first, and soon has enough. The planner cannot distinguish the two, because it knows only the most frequent words.
func (f *FoundText) printed(ctx context.Context, c *rest.Call, p Params) error {
	var err error
	all, links := newest(p), record.LinksOf(c)
	few := rare{hits{p.Q, fewItems}, p.Limit}
	if f.Items, err = either(ctx, c, few.hits, itemHits, bestItems, few, newestItems, all); err != nil {
		return err
	}
	few.Few = fewMotions
	if f.Motions, err = either(ctx, c, few.hits, motionHits, rareMotions, few, newestMotions, all); err != nil {
		return err
	}
	few.Few = fewPages
	if f.Minutes, err = either(ctx, c, few.hits, pageHits, bestPages, rarePages{links, few}, newestPages, allPages{links, all}); err != nil {
		return err
	}
	for i := range f.Items {
		f.Items[i].cut()
	}
	for i := range f.Motions {
		f.Motions[i].cut()
	}
	for i := range f.Minutes {
		f.Minutes[i].cut()
	}
	return nil
}

// How many hits are few. Ranking a page costs more than ranking a title, and a motion is folded anew for each comparison.
const (
	fewItems   = 1000
	fewMotions = 100
	fewPages   = 400
)

// either asks one of two queries, by the number of hits.
func either[F, A, R any](ctx context.Context, c *rest.Call, h hits, count *rest.Query[hits, int64], fromHits *rest.Query[F, R], few F, inOrder *rest.Query[A, R], all A) ([]R, error) {
	n, err := count.One(ctx, c, h)
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return []R{}, nil
	case n <= int64(h.Few):
		return fromHits.List(ctx, c, few)
	}
	return inOrder.List(ctx, c, all)
}

// MinutesParams are what somebody searches minutes for.
type MinutesParams struct {
	wire.Keyset
	record.Links
	From *rest.Date `query:"from" doc:"First local date of the meeting." example:"2026-01-01"`
	To   *rest.Date `query:"to" doc:"Last local date of the meeting." example:"2026-12-31"`
	Q    string     `query:"q" required:"true" minlen:"1" maxlen:"200" pattern:"\\S" doc:"Words, \"quoted phrases\", or, -without. English stemming, accents ignored." example:"street sweeping"`
}

type fewMinutes struct {
	MinutesParams
	Few int
}

// SearchMinutes lists pages of minutes.
func SearchMinutes(ctx context.Context, c *rest.Call, p MinutesParams) (wire.Page[FoundPage], error) {
	p.Links = record.LinksOf(c)
	found, err := pageHits.One(ctx, c, hits{p.Q, fewPages})
	if err != nil {
		return wire.Page[FoundPage]{}, err
	}
	var list wire.Page[FoundPage]
	if found <= fewPages {
		list, err = wire.Walk(ctx, c, pagesFromHits, fewMinutes{p, fewPages})
	} else {
		list, err = wire.Walk(ctx, c, pagesInOrder, p)
	}
	for i := range list.Data {
		list.Data[i].cut()
	}
	return list, err
}

// membersLike finds members with a word of the search in their name, typing errors forgiven.
func membersLike(ctx context.Context, c *rest.Call, p Params) ([]FoundMember, error) {
	words := plainWords(p.Q)
	if len(words) == 0 {
		return []FoundMember{}, nil
	}
	like, err := findMembers.List(ctx, c, wordList{words})
	if err != nil {
		return nil, err
	}
	found := []FoundMember{}
	for _, m := range like {
		if len(found) < p.Limit && named(m.FullName, words) {
			found = append(found, m)
		}
	}
	return found, nil
}

// Words are the words of a search, as far as there are any: letters and digits.
func Words(q string) []string {
	return strings.FieldsFunc(q, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// plainWords are the words of a search that somebody may have misspelt, as they were typed, without those in quotes or after a minus.
func plainWords(q string) []string {
	var words []string
	for i, outside := range strings.Split(q, `"`) {
		if i%2 == 1 {
			continue
		}
		for w := range strings.FieldsSeq(outside) {
			if !strings.HasPrefix(w, "-") && wordLike.MatchString(w) {
				words = append(words, w)
			}
		}
	}
	return words
}
