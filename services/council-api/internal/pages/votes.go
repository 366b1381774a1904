package pages

import (
	"context"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/files"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/view"
)

func (a *Pages) votePages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.votes", Path: "/votes", Summary: "Votes by words and filters"}, a.pageVotes),
		rest.Page(rest.Spec{ID: "page.vote", Path: "/votes/{id}", Summary: "One vote with its roll call and the proof of it", NotFound: "unknown vote"}, a.pageVote),
	}
}

func (a *Pages) pageVotes(ctx context.Context, c *rest.Call, p record.SearchParams) ([]byte, error) {
	query := withoutPaging(c)
	v := &view.Votes{Files: []view.Ref{{Text: "Atom", Address: c.URL("/search/votes.atom") + query}, {Text: "CSV", Address: c.URL("/search/votes.csv") + query}, {Text: "JSON", Address: c.URL("/search/votes") + query}}}
	v.Head = a.head(c, "/votes", site.Other{Type: "application/json", Title: "JSON", Address: v.Files[2].Address},
		site.Other{Type: files.AtomMedia, Title: "Atom", Address: v.Files[0].Address}, site.Other{Type: "text/csv", Title: "CSV", Address: v.Files[1].Address})
	say := a.speaker(v.Lang)
	v.Title, v.About, v.Unlisted = say.Text("nav.votes"), say.Text("votes.about"), query != ""
	members, err := memberOptions(ctx, c)
	if err != nil {
		return nil, err
	}
	yes, no := say.Text("filter.yes"), say.Text("filter.no")
	v.Find = form(&v.Head, say, c.Path("/votes"), []view.Field{
		field(c, say, "search", "q"), field(c, say, "", "topic", options(say, "topic.", council.Topics())...),
		field(c, say, "", "split", view.Option{Value: "true", Text: say.Text("filter.splityes")}, view.Option{Value: "false", Text: say.Text("filter.splitno")})},
		field(c, say, "", "result", options(say, "result.", council.Results())...), field(c, say, "date", "from"), field(c, say, "date", "to"),
		field(c, say, "", "mover", members...), field(c, say, "", "seconder", members...),
		field(c, say, "text", "margin"), field(c, say, "number", "ayes"), field(c, say, "number", "nays"),
		field(c, say, "", "via_consent", view.Option{Value: "true", Text: yes}, view.Option{Value: "false", Text: no}))
	p.Keyset = shorter(p.Keyset)
	page, err := record.SearchVotes(ctx, c, p)
	if err != nil {
		return nil, err
	}
	counts, err := record.CountVotes(ctx, c, p.SearchFilters)
	if err != nil {
		return nil, err
	}
	v.Facets = facets(&v.Head, say, c, &counts)
	if counts.Complete {
		v.Found = say.Many("votes.found", counts.Total)
	} else {
		v.Found = say.Text("votes.more", say.Number(counts.Total-1))
	}
	v.Lines = foundLines(&v.Head, say, page.Data)
	v.Pager, v.Linked, v.Report = pager(&v.Head, c, page.NextCursor), a.listedVotes(c, v.Title, v.Lines), a.report(say, c, v.Title, "")
	return a.site.Render("votes.html", v)
}

// memberOptions are all members as answers to a question.
func memberOptions(ctx context.Context, c *rest.Call) ([]view.Option, error) {
	members, err := record.ListMembers(ctx, c, rest.None{})
	if err != nil {
		return nil, err
	}
	list := make([]view.Option, len(members.Data))
	for i, m := range members.Data {
		list[i] = view.Option{Value: number(m.ID), Text: m.FullName}
	}
	return list, nil
}
