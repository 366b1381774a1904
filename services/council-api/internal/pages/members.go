package pages

import (
	"context"
	"net/url"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/files"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/view"
)

func (a *Pages) memberPages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.members", Path: "/members", Summary: "Everyone who voted, moved or seconded"}, a.pageMembers),
		rest.Page(rest.Spec{ID: "page.member", Path: "/members/{id}", Summary: "One member's record and votes", NotFound: "unknown member"}, a.pageMember),
	}
}

func (a *Pages) pageMembers(ctx context.Context, c *rest.Call, _ rest.None) ([]byte, error) {
	v := &view.Members{Head: a.head(c, "/members", asJSON("JSON", c.URL("/members")))}
	say := a.speaker(v.Lang)
	v.Title, v.About = say.Text("nav.members"), say.Text("members.about")
	v.Agreement = v.To("/members/agreement")
	list, err := record.ListMembers(ctx, c, rest.None{})
	if err != nil {
		return nil, err
	}
	var entries []view.Ref
	for _, m := range list.Data {
		row := view.MemberRow{Ref: view.Ref{Text: m.FullName, Address: v.To("/members/{id}", number(m.ID))}, Span: say.Date(m.FirstSeen.Time), Votes: m.VoteCount}
		if !m.LastSeen.Equal(m.FirstSeen.Time) {
			row.Span = say.Text("members.fromto", row.Span, say.Date(m.LastSeen.Time))
		}
		if m.Confirmed {
			v.Rows, entries = append(v.Rows, row), append(entries, row.Ref)
		} else {
			v.Unconfirmed = append(v.Unconfirmed, row)
		}
	}
	v.Linked, v.Report = a.listed(c, v.Title, entries), a.report(say, c, v.Title, "")
	return a.site.Render("members.html", v)
}

func (a *Pages) pageMember(ctx context.Context, c *rest.Call, p record.MemberVotesParams) ([]byte, error) {
	m, err := record.GetMember(ctx, c, p.IDParams)
	if err != nil {
		return nil, err
	}
	id := number(m.ID)
	v := &view.Member{Head: a.head(c, "/members", asJSON("JSON", c.URL("/members/{id}", id)), asJSON(a.word(c, "member.attendance"), c.URL("/members/{id}/attendance", id)), asJSON(a.word(c, "member.votes"), c.URL("/members/{id}/votes", id)+withoutPaging(c)),
		site.Other{Type: files.AtomMedia, Title: "Atom", Address: c.URL("/feeds/members/{id}/votes.atom", id)})}
	say := a.speaker(v.Lang)
	v.Title, v.About = m.FullName, say.Text("member.about", m.FullName, say.Many("votes", m.VoteCount))
	v.Span = say.Text("member.span", say.Date(m.FirstSeen.Time), say.Date(m.LastSeen.Time), say.Many("votes", m.VoteCount))
	votes := func(pairs ...string) string { return memberVotesAddress(&v.Head, m.ID, pairs...) }
	v.Record = recordOf(&v.Head, say, &m)
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
	if len(v.Topics) > memberTopics {
		v.Topics, v.MoreTopics = v.Topics[:memberTopics], v.Topics[memberTopics:]
	}
	if err := a.memberLists(ctx, c, say, v, p); err != nil {
		return nil, err
	}
	v.Report, v.OEmbed, v.Unlisted = a.report(say, c, m.FullName, ""), a.oembedAddress(c), withoutPaging(c) != "" || c.Param("cursor") != ""
	v.Linked = map[string]any{"@context": "https://schema.org", "@type": "Person", "name": m.FullName, "url": a.Root + c.Self()}
	return a.site.Render("member.html", v)
}

// memberVotesAddress is the list of a member's votes with filters: names and values in turn.
func memberVotesAddress(h *site.Head, member int64, filters ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(filters); i += 2 {
		q.Set(filters[i], filters[i+1])
	}
	return h.ToQuery(q, "/members/{id}", number(member)) + "#votes"
}

// memberTopics is how many topics the page of a member shows before the others.
const memberTopics = 5

// memberLists fills in with whom the member agrees, who was there, and the votes.
func (a *Pages) memberLists(ctx context.Context, c *rest.Call, say view.Speaker, v *view.Member, p record.MemberVotesParams) error {
	agree, err := record.GetAgreement(ctx, c, record.AgreementParams{IDParams: p.IDParams, IncludeConsent: "false"})
	if err != nil {
		return err
	}
	for _, o := range agree.Data {
		v.Agree = append(v.Agree, view.AgreeRow{Ref: view.Ref{Text: o.MemberName, Address: pairAddress(&v.Head, p.ID, o.MemberID, false)}, Shared: o.SharedVotes, Agreed: o.Agreements, Rate: say.Percent(o.AgreementRate)})
	}
	present, err := record.CountAttendance(ctx, c, p.IDParams)
	if err != nil {
		return err
	}
	for _, one := range present {
		v.Present = append(v.Present, view.Tally{Word: one.Status, Count: one.Count})
	}
	p.Keyset = shorter(p.Keyset)
	v.Find = form(&v.Head, say, c.Self(), []view.Field{
		field(c, say, "", "position", options(say, "position.", council.Positions())...), field(c, say, "", "topic", options(say, "topic.", council.Topics())...)},
		field(c, say, "", "result", options(say, "result.", council.Results())...), field(c, say, "date", "from"), field(c, say, "date", "to"))
	page, err := record.ListMemberVotes(ctx, c, p)
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
