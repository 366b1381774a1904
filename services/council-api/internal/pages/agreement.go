package pages

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/view"
)

func (a *Pages) agreementPages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.agreement", Path: "/members/agreement", Summary: "Who votes with whom"}, a.pageAgreement),
		rest.Page(rest.Spec{ID: "page.pair", Path: "/members/{id}/with/{other}", Summary: "The votes of two members", NotFound: "unknown member, or the same one twice"}, a.pagePair),
	}
}

// maxMatrix is how many members a matrix shows: those who were recorded last.
const maxMatrix = 24

func (a *Pages) pageAgreement(ctx context.Context, c *rest.Call, p record.PairsParams) ([]byte, error) {
	v := &view.Matrix{Head: a.head(c, "/members", asJSON("JSON", c.URL("/members/agreement")+withoutPaging(c)))}
	say := a.speaker(v.Lang)
	v.Title, v.About = say.Text("members.agreement"), say.Text("agree.about")
	all, err := record.ListPairs(ctx, c, p)
	if err != nil {
		return nil, err
	}
	v.Means, v.Toggle = say.Text("agree.means"), view.Ref{Text: say.Text("agree.with"), Address: v.ToQuery(url.Values{"include_consent": {"true"}}, "/members/agreement")}
	if all.IncludeConsent {
		v.Means, v.Toggle = say.Text("agree.meansall"), view.Ref{Text: say.Text("agree.without"), Address: v.To("/members/agreement")}
	}
	v.Few = say.Text("agree.few", all.MinimumShared)
	shown := slices.DeleteFunc(slices.Clone(all.Members), func(m record.Member) bool { return !m.Confirmed })
	for _, m := range all.Members {
		if !m.Confirmed {
			name := view.Ref{Text: m.FullName, Address: v.To("/members/{id}", number(m.ID))}
			v.Unconfirmed = append(v.Unconfirmed, view.MemberRow{Ref: name, Votes: m.VoteCount})
		}
	}
	if len(shown) > maxMatrix {
		slices.SortStableFunc(shown, func(x, y record.Member) int { return y.LastSeen.Compare(x.LastSeen.Time) })
		shown = shown[:maxMatrix]
		slices.SortStableFunc(shown, func(x, y record.Member) int { return strings.Compare(x.LastName, y.LastName) })
		v.Cut = say.Text("agree.cut", maxMatrix, len(all.Members))
	}
	type pair struct{ a, b int64 }
	by := make(map[pair]*record.PairAgreement, len(all.Data))
	for i := range all.Data {
		by[pair{all.Data[i].MemberID, all.Data[i].OtherID}] = &all.Data[i]
	}
	for _, m := range shown {
		v.Heads = append(v.Heads, view.Ref{Text: m.LastName, Address: v.To("/members/{id}", number(m.ID))})
	}
	for _, m := range shown {
		row := view.MatrixRow{Ref: view.Ref{Text: m.FullName, Address: v.To("/members/{id}", number(m.ID))}}
		for _, o := range shown {
			cell := view.Cell{Self: m.ID == o.ID}
			if found := by[pair{min(m.ID, o.ID), max(m.ID, o.ID)}]; found != nil {
				cell.N, cell.Address = say.Text("agree.n", found.SharedVotes), pairAddress(&v.Head, m.ID, o.ID, all.IncludeConsent)
				cell.Label = say.Text("agree.cell", m.FullName, o.FullName, found.Agreements, found.SharedVotes)
				cell.Shade = -1
				if found.SharedVotes >= int64(all.MinimumShared) {
					cell.Text, cell.Shade = say.Percent(found.AgreementRate), min(9, int(*found.AgreementRate*10))
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		v.Rows = append(v.Rows, row)
	}
	v.Report = a.report(say, c, v.Title, "")
	return a.site.Render("agreement.html", v)
}

func pairAddress(h *site.Head, one, other int64, consent bool) string {
	q := url.Values{}
	if consent {
		q.Set("include_consent", "true")
	}
	return h.ToQuery(q, "/members/{id}/with/{other}", number(one), number(other))
}

func (a *Pages) pagePair(ctx context.Context, c *rest.Call, p record.SharedVotesParams) ([]byte, error) {
	p.Keyset = shorter(p.Keyset)
	page, err := record.ListSharedVotes(ctx, c, p)
	if err != nil {
		return nil, err
	}
	one, err := record.GetMember(ctx, c, record.IDParams{ID: p.ID})
	if err != nil {
		return nil, err
	}
	other, err := record.GetMember(ctx, c, record.IDParams{ID: p.Other})
	if err != nil {
		return nil, err
	}
	v := &view.Pair{Head: a.head(c, "/members", asJSON("JSON", c.URL("/members/{id}/agreement/{other}", number(p.ID), number(p.Other))+withoutPaging(c)))}
	say := a.speaker(v.Lang)
	v.Title, v.About = say.Text("pair.title", one.FullName, other.FullName), say.Text("pair.about", one.FullName, other.FullName)
	v.Result = say.Text("pair.result", page.Agreements, page.SharedVotes, say.Percent(page.AgreementRate))
	v.Means, v.Toggle = say.Text("agree.means"), view.Ref{Text: say.Text("agree.with"), Address: pairAddress(&v.Head, p.ID, p.Other, true)}
	if p.IncludeConsent == "true" {
		v.Means, v.Toggle = say.Text("agree.meansall"), view.Ref{Text: say.Text("agree.without"), Address: pairAddress(&v.Head, p.ID, p.Other, false)}
	}
	v.Members = []view.Ref{{Text: one.FullName, Address: v.To("/members/{id}", number(one.ID))}, {Text: other.FullName, Address: v.To("/members/{id}", number(other.ID))}}
	for i := range page.Data {
		s := &page.Data[i]
		line := voteLine(&v.Head, say, &s.Vote, s.ItemTitle, s.ItemNumber)
		line.Stands = []view.Stand{say.Position(s.Position, one.FullName), say.Position(s.OtherPosition, other.FullName)}
		v.Lines = append(v.Lines, line)
	}
	v.Pager, v.Linked, v.Report = pager(&v.Head, c, page.NextCursor), a.listedVotes(c, v.Title, v.Lines), a.report(say, c, v.Title, v.Result)
	return a.site.Render("pair.html", v)
}
