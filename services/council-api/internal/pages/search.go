package pages

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/search"
	"github.com/townline/townline/services/council-api/internal/view"
)

func (a *Pages) searchPages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.search", Path: "/search", Summary: "Members, items, motions and minutes with some words"}, a.pageSearch),
		rest.Page(rest.Spec{ID: "page.searchMinutes", Path: "/search/minutes", Summary: "Pages of minutes with some words, newest first"}, a.pageSearchMinutes),
	}
}

// eachKind is how many entries of a kind the page of a search has.
const eachKind = 8

type searchPageParams struct {
	Q string `query:"q" maxlen:"200"`
}

func (a *Pages) pageSearch(ctx context.Context, c *rest.Call, p searchPageParams) ([]byte, error) {
	v := &view.Search{Head: a.head(c, "/votes")}
	say := a.speaker(v.Lang)
	v.Title, v.About, v.Unlisted = say.Text("search.title"), say.Text("search.about"), true
	v.Find = form(&v.Head, say, c.Path("/search"), []view.Field{searchField(c, say)})
	v.Report = a.report(say, c, v.Title, "")
	if len(search.Words(p.Q)) == 0 {
		return a.site.Render("search.html", v)
	}
	v.Title = say.Text("search.for", p.Q)
	v.Others = append(v.Others, asJSON("JSON", c.URL("/search")+"?"+url.Values{"q": {p.Q}}.Encode()))
	found, err := search.Search(ctx, c, search.Params{Q: p.Q, Limit: eachKind})
	if err != nil {
		return nil, err
	}
	q := p.Q
	if found.Corrected != nil {
		q = *found.Corrected
		v.Corrected = say.Text("search.corrected", q)
	}
	asked := url.Values{"q": {q}}
	for _, m := range found.Members {
		v.Members = append(v.Members, view.Ref{Text: m.FullName, Address: v.To("/members/{id}", number(m.ID))})
	}
	for i := range found.Items {
		item := &found.Items[i]
		v.Items = append(v.Items, view.Hit{Address: v.To("/meetings/{id}", number(item.MeetingID)) + "#item-" + number(item.ID), Parts: item.Snippet,
			Where: say.Date(item.MeetingDate.Time), Outcome: resultOf(say, item.Result)})
	}
	if len(v.Items) == eachKind {
		v.AllItems = v.ToQuery(asked, "/votes")
	}
	for i := range found.Motions {
		m := &found.Motions[i]
		v.Motions = append(v.Motions, view.Hit{Address: v.To("/votes/{id}", number(m.VoteID)), Title: m.ItemTitle, Parts: m.Snippet, Where: say.Date(m.MeetingDate.Time), Outcome: resultOf(say, &m.Result)})
	}
	for i := range found.Minutes {
		v.Minutes = append(v.Minutes, minutesHit(v, say, &found.Minutes[i]))
	}
	if len(v.Minutes) == eachKind {
		v.AllMinutes = v.ToQuery(asked, "/search/minutes")
	}
	v.Nothing = len(v.Members)+len(v.Items)+len(v.Motions)+len(v.Minutes) == 0
	if !found.Complete {
		v.Partial = say.Text("search.partial")
	}
	return a.site.Render("search.html", v)
}

func (a *Pages) pageSearchMinutes(ctx context.Context, c *rest.Call, p search.MinutesParams) ([]byte, error) {
	v := &view.Search{Head: a.head(c, "/votes", asJSON("JSON", c.URL("/search/minutes")+withoutPaging(c)))}
	say := a.speaker(v.Lang)
	v.Title, v.About, v.Unlisted = say.Text("search.minutesfor", p.Q), say.Text("search.about"), true
	v.Find = form(&v.Head, say, c.Path("/search/minutes"), []view.Field{searchField(c, say)}, field(c, say, "date", "from"), field(c, say, "date", "to"))
	page, err := search.SearchMinutes(ctx, c, p)
	if err != nil {
		return nil, err
	}
	for i := range page.Data {
		v.Minutes = append(v.Minutes, minutesHit(v, say, &page.Data[i]))
	}
	v.Nothing = len(v.Minutes) == 0
	if since := page.SearchedSince; since != nil {
		asked := url.Values{"q": {p.Q}, "to": {since.AddDate(0, 0, -1).Format(time.DateOnly)}}
		if p.From != nil {
			asked.Set("from", p.From.Format(time.DateOnly))
		}
		v.Partial, v.Earlier = say.Text("search.partial"), view.Ref{Text: say.Text("search.earlier", say.Date(since.Time)), Address: v.ToQuery(asked, "/search/minutes")}
	}
	v.Pager, v.Report = pager(&v.Head, c, page.NextCursor), a.report(say, c, v.Title, "")
	return a.site.Render("search.html", v)
}

func minutesHit(v *view.Search, say view.Speaker, p *search.FoundPage) view.Hit {
	return view.Hit{Address: v.ToQuery(url.Values{"page": {strconv.Itoa(p.Page)}}, "/meetings/{id}/minutes", number(p.MeetingID)), Title: say.Text("search.page", p.Title, p.Page),
		Parts: p.Snippet, Where: say.Date(p.MeetingDate.Time)}
}

// resultOf is the result of a vote without its tally; empty without a vote.
func resultOf(say view.Speaker, r *council.Result) view.Outcome {
	if r == nil {
		return view.Outcome{}
	}
	return say.Outcome(*r, "", 0, 0, true)
}

// searchField is the one box for everything.
func searchField(c *rest.Call, say view.Speaker) view.Field {
	f := field(c, say, "search", "q")
	f.Label = say.Text("search.box")
	return f
}
