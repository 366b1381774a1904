package councilapi

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/view"
)

func (a *pages) memberPages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.members", Path: "/members", Summary: "Everyone who voted, moved or seconded"}, a.pageMembers),
		rest.Page(rest.Spec{ID: "page.member", Path: "/members/{id}", Summary: "One member's record and votes", NotFound: "unknown member"}, a.pageMember),
		rest.Page(rest.Spec{ID: "page.agreement", Path: "/members/agreement", Summary: "Who votes with whom"}, a.pageAgreement),
		rest.Page(rest.Spec{ID: "page.pair", Path: "/members/{id}/with/{other}", Summary: "The votes of two members", NotFound: "unknown member, or the same one twice"}, a.pagePair),
	}
}

func (a *pages) pageMembers(ctx context.Context, c *rest.Call, _ rest.None) ([]byte, error) {
	v := &view.Members{Head: a.head(c, "/members", asJSON("JSON", c.URL("/members")))}
	say := a.speaker(v.Lang)
	v.Title, v.About = say.Text("nav.members"), say.Text("members.about")
	v.Agreement = v.To("/members/agreement")
	list, err := listMembers(ctx, c, rest.None{})
	if err != nil {
		return nil, err
	}
	for _, m := range list.Data {
		v.Rows = append(v.Rows, view.MemberRow{Ref: view.Ref{Text: m.FullName, Address: v.To("/members/{id}", number(m.ID))},
			Since: say.Short(m.FirstSeen.Time), Until: say.Short(m.LastSeen.Time), Votes: m.VoteCount})
	}
	return a.site.Render("members.html", v)
}

func (a *pages) pageMember(ctx context.Context, c *rest.Call, p memberVotesParams) ([]byte, error) {
	m, err := getMember(ctx, c, p.idParams)
	if err != nil {
		return nil, err
	}
	id := number(m.ID)
	v := &view.Member{Head: a.head(c, "/members", asJSON("JSON", c.URL("/members/{id}", id)), asJSON(a.word(c, "member.votes"), c.URL("/members/{id}/votes", id)+withoutPaging(c)),
		site.Other{Type: atomMedia, Title: "Atom", Address: c.URL("/feeds/members/{id}/votes.atom", id)})}
	say := a.speaker(v.Lang)
	v.Title, v.About = m.FullName, say.Text("member.about", m.FullName, say.Many("votes", m.VoteCount))
	v.Span = say.Text("member.span", say.Short(m.FirstSeen.Time), say.Short(m.LastSeen.Time), say.Many("votes", m.VoteCount))
	votes := func(pairs ...string) string {
		q := url.Values{}
		for i := 0; i+1 < len(pairs); i += 2 {
			q.Set(pairs[i], pairs[i+1])
		}
		return v.ToQuery(q, "/members/{id}", id) + "#votes"
	}
	counts := m.Positions
	for i, n := range []int64{counts.Aye, counts.Nay, counts.Abstain, counts.Absent, counts.Recused} {
		stand := say.Position(council.Positions()[i], "")
		v.Record = append(v.Record, view.Tally{Symbol: stand.Symbol, Kind: stand.Kind, Word: stand.Word, Count: n, Address: votes("position", stand.Kind)})
	}
	v.Facts = []view.Tally{{Word: say.Text("member.moved"), Count: m.Moved, Address: v.ToQuery(url.Values{"mover": {id}}, "/votes")},
		{Word: say.Text("member.seconded"), Count: m.Seconded, Address: v.ToQuery(url.Values{"seconder": {id}}, "/votes")}}
	v.Dissents = []view.Tally{{Word: say.Text("member.alldissents"), Count: m.Dissents},
		{Word: say.Text("member.nayadopted"), Address: votes("position", "nay", "result", "adopted")}, {Word: say.Text("member.ayefailed"), Address: votes("position", "aye", "result", "failed")}}
	for _, t := range m.Topics {
		row := view.TopicRow{Ref: view.Ref{Text: say.Text("topic.none")}, Count: t.Count, Nays: t.Nays}
		if t.Topic != nil {
			row.Ref = view.Ref{Text: say.Topic(*t.Topic), Address: votes("topic", string(*t.Topic))}
		}
		v.Topics = append(v.Topics, row)
	}
	if err := a.memberLists(ctx, c, say, v, p); err != nil {
		return nil, err
	}
	v.Report = a.report(say, c, m.FullName, "")
	v.Linked = map[string]any{"@context": "https://schema.org", "@type": "Person", "name": m.FullName, "url": a.root + c.Self()}
	return a.site.Render("member.html", v)
}

// memberLists fills in with whom the member agrees, and the votes.
func (a *pages) memberLists(ctx context.Context, c *rest.Call, say view.Speaker, v *view.Member, p memberVotesParams) error {
	agree, err := getAgreement(ctx, c, agreementParams{idParams: p.idParams, IncludeConsent: "false"})
	if err != nil {
		return err
	}
	for _, o := range agree.Data {
		v.Agree = append(v.Agree, view.AgreeRow{Ref: view.Ref{Text: o.MemberName, Address: pairAddress(&v.Head, p.ID, o.MemberID, false)}, Shared: o.SharedVotes, Agreed: o.Agreements, Rate: say.Percent(o.AgreementRate)})
	}
	v.Find = form(&v.Head, say, c.Self(), []view.Field{
		field(c, say, "", "position", options(say, "position.", council.Positions())...), field(c, say, "", "topic", options(say, "topic.", council.Topics())...),
		field(c, say, "", "result", options(say, "result.", council.Results())...), field(c, say, "date", "from"), field(c, say, "date", "to")})
	page, err := listMemberVotes(ctx, c, p)
	if err != nil {
		return err
	}
	for i := range page.Data {
		mv := &page.Data[i]
		line := voteLine(&v.Head, say, &mv.Vote, mv.ItemTitle, mv.ItemNumber)
		line.Stands = []view.Stand{say.Position(mv.Position, "")}
		v.Lines = append(v.Lines, line)
	}
	v.Pager = pager(&v.Head, c, page.NextCursor)
	return nil
}

// maxMatrix is how many members a matrix shows: those who were recorded last.
const maxMatrix = 24

func (a *pages) pageAgreement(ctx context.Context, c *rest.Call, p pairsParams) ([]byte, error) {
	v := &view.Matrix{Head: a.head(c, "/members", asJSON("JSON", c.URL("/members/agreement")+withoutPaging(c)))}
	say := a.speaker(v.Lang)
	v.Title, v.About = say.Text("members.agreement"), say.Text("agree.about")
	all, err := listPairs(ctx, c, p)
	if err != nil {
		return nil, err
	}
	v.Means, v.Toggle = say.Text("agree.means"), view.Ref{Text: say.Text("agree.with"), Address: v.ToQuery(url.Values{"include_consent": {"true"}}, "/members/agreement")}
	if all.IncludeConsent {
		v.Means, v.Toggle = say.Text("agree.meansall"), view.Ref{Text: say.Text("agree.without"), Address: v.To("/members/agreement")}
	}
	shown := slices.Clone(all.Members)
	if len(shown) > maxMatrix {
		slices.SortStableFunc(shown, func(x, y Member) int { return y.LastSeen.Compare(x.LastSeen.Time) })
		shown = shown[:maxMatrix]
		slices.SortStableFunc(shown, func(x, y Member) int { return strings.Compare(x.LastName, y.LastName) })
		v.Cut = say.Text("agree.cut", maxMatrix, len(all.Members))
	}
	type pair struct{ a, b int64 }
	by := make(map[pair]*PairAgreement, len(all.Data))
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
				cell.Text, cell.Address = say.Percent(found.AgreementRate), pairAddress(&v.Head, m.ID, o.ID, all.IncludeConsent)
				cell.Label = say.Text("agree.cell", m.FullName, o.FullName, found.Agreements, found.SharedVotes)
				cell.Shade = min(9, int(*found.AgreementRate*10))
			}
			row.Cells = append(row.Cells, cell)
		}
		v.Rows = append(v.Rows, row)
	}
	return a.site.Render("agreement.html", v)
}

func pairAddress(h *site.Head, one, other int64, consent bool) string {
	q := url.Values{}
	if consent {
		q.Set("include_consent", "true")
	}
	return h.ToQuery(q, "/members/{id}/with/{other}", number(one), number(other))
}

func (a *pages) pagePair(ctx context.Context, c *rest.Call, p sharedVotesParams) ([]byte, error) {
	page, err := listSharedVotes(ctx, c, p)
	if err != nil {
		return nil, err
	}
	one, err := getMember(ctx, c, idParams{p.ID})
	if err != nil {
		return nil, err
	}
	other, err := getMember(ctx, c, idParams{p.Other})
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
	v.Pager = pager(&v.Head, c, page.NextCursor)
	return a.site.Render("pair.html", v)
}
