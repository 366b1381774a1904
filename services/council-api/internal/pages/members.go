package pages

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/files"
)

func (a *Pages) pageMembers(ctx context.Context, v *page, p civic.OfBody) error {
	v.also(asJSON("JSON", v.c.URL("/members")+bodyQuery(p)))
	v.Title, v.About = v.TitleOf("nav.members"), v.Text("members.about")
	v.Find = v.form(v.c.Path("/members"), v.withBodies())
	list, err := civic.ListMembers(ctx, v.c, p)
	if err != nil {
		return err
	}
	v.Has = list.Data
	v.Linked = a.listed(v, each(v.Listed(list.Data, true), func(m *civic.Member) ref {
		return ref{m.FullName, v.Link("/members/{id}", m.ID)}
	}))
	return nil
}

// Listed returns the members whose names are in an attendance list, or those whose names are in none.
func (p *page) Listed(all []civic.Member, confirmed bool) []civic.Member {
	return slices.DeleteFunc(slices.Clone(all), func(m civic.Member) bool { return m.Confirmed != confirmed })
}

// Seen returns the period from a member's first vote to the last.
func (p *page) Seen(m civic.Member) string {
	first := p.Date(m.FirstSeen.Time)
	if m.LastSeen.Equal(m.FirstSeen.Time) {
		return first
	}
	return p.Text("members.fromto", first, p.Date(m.LastSeen.Time))
}

// Office returns what the town says of a member: "Mayor · Ward 3 · since 2023".
func (p *page) Office(o civic.MemberOffice) string {
	var parts []string
	for _, text := range []string{council.Text(o.Office), council.Text(o.District), p.OtherBody(o.BodyRef)} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	switch {
	case o.Since != nil && o.Until != nil:
		parts = append(parts, p.Text("member.years", *o.Since, *o.Until))
	case o.Since != nil:
		parts = append(parts, p.Text("member.since", *o.Since))
	case o.Until != nil:
		parts = append(parts, p.Text("member.until", *o.Until))
	}
	return strings.Join(parts, " · ")
}

// Attendance returns the word for a status of an attendance list, or the status as printed.
func (p *page) Attendance(status string) string {
	if said, err := p.Say("attendance." + strings.ToLower(status)); err == nil {
		return said
	}
	return status
}

// Span returns the time between two votes in a sentence, with the number of votes.
func (p *page) Span(first, last rest.Date, votes int64) string {
	return p.Text("member.span", p.Date(first.Time), p.Date(last.Time), p.Many("votes", votes))
}

// A counted link opens a list with a number of votes.
type counted struct {
	ref
	Count int64
}

// Figures returns the four numbers that describe a member first.
func (p *page) Figures(m civic.MemberProfile) []counted {
	return []counted{
		{ref{p.Text("member.votes"), p.VotesLink("show", "all")}, m.VoteCount},
		{ref{p.Text("member.dissents"), p.VotesLink("minority", true)}, m.Dissents},
		{ref{p.Text("position.absent"), p.VotesLink("position", council.Absent)}, m.Positions.Absent},
		{ref{p.Text("member.moved"), p.Query("/votes", "mover", m.ID)}, m.Moved},
	}
}

// AllPositions returns the positions in their order.
func (p *page) AllPositions() []council.Position { return council.Positions() }

// Counted returns the count of a position.
func (p *page) Counted(counts civic.PositionCounts, position council.Position) int64 {
	switch position {
	case council.Aye:
		return counts.Aye
	case council.Nay:
		return counts.Nay
	case council.Abstain:
		return counts.Abstain
	case council.Absent:
		return counts.Absent
	}
	return counts.Recused
}

// VotesLink returns the address of the votes of the page's member. filters has names and values in
// turn.
func (p *page) VotesLink(filters ...any) string {
	return p.ToQuery(p.inBody(query(filters...)), "/members/{id}", p.c.Param("id")) + "#votes"
}

const memberTopics = 5

// memberPageParams has the filters of the API. Without a filter, the page lists the contested
// votes; show selects the others.
type memberPageParams struct {
	civic.MemberVotesParams
	Show *string `query:"show" enum:"all"`
}

// A memberPage is a member with figures, topics and votes.
type memberPage struct {
	civic.MemberProfile
	MoreTopics []civic.TopicVotes // those that are folded
	Agree      []civic.Agreement
	Present    []civic.StatusCount
	Votes      votes
	Found      string // sentence with the number of votes
	Tabs       []ref  // contested votes or all, without another filter; that of the page has no address
}

func (a *Pages) pageMember(ctx context.Context, v *page, p memberPageParams) error {
	m, err := civic.GetMember(ctx, v.c, p.MemberParams)
	if err != nil {
		return err
	}
	id := number(m.ID)
	v.Title, v.About = m.FullName, v.Text("member.about", m.FullName, v.Many("votes", m.VoteCount))
	person := map[string]any{}
	if len(m.Offices) > 0 {
		v.About = v.Office(m.Offices[0]) + ". " + v.About
		if title := council.Text(m.Offices[0].Office); title != "" {
			person["jobTitle"] = title
		}
	}
	has := memberPage{MemberProfile: m}
	shown := min(len(m.Topics), memberTopics)
	has.Topics, has.MoreTopics = m.Topics[:shown], m.Topics[shown:]
	agree, err := civic.GetAgreement(ctx, v.c, civic.AgreementParams{MemberParams: p.MemberParams,
		IncludeConsent: "false"})
	if err != nil {
		return err
	}
	has.Agree = agree.Data
	has.Present, err = civic.PresenceCounts.List(ctx, v.c, p.MemberParams)
	if err != nil {
		return err
	}
	if err := has.addVotes(ctx, v, p); err != nil {
		return err
	}
	q := memberFilters(v.c)
	v.also(asJSON("JSON", v.c.URL("/members/{id}", id)), asJSON(v.Text("member.attendance"),
		v.c.URL("/members/{id}/attendance", id)),
		asJSON(v.Text("member.votes"), v.c.URL("/members/{id}/votes", id)+suffix(q)),
		site.Other{Type: files.AtomMedia, Title: "Atom", Address: v.c.URL("/feeds/members/{id}/votes.atom", id)})
	v.Has = has
	v.OEmbed, v.Unlisted = a.oembedAddress(v.c), withoutPaging(v.c) != "" || v.c.Param("cursor") != ""
	v.Linked = a.linked(v, "Person", m.FullName, person)
	return nil
}

// memberFilters returns the filters of the API in the request for a member's page.
func memberFilters(c *rest.Call) url.Values {
	q := filtersOf(c)
	q.Del("show")
	return q
}

func suffix(q url.Values) string {
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// addVotes lists the votes that the request asks for, and counts them.
func (has *memberPage) addVotes(ctx context.Context, v *page, p memberPageParams) error {
	yes := option{"true", v.Text("filter.yes")}
	no := option{"false", v.Text("filter.no")}
	v.Find = v.form(v.c.Self(), v.withBodies(
		v.field("", "position", options(v, "position.", council.Positions())...),
		v.field("", "topic", options(v, "topic.", council.Topics())...),
		v.field("", "split", option{"true", v.Text("filter.splityes")}, option{"false", v.Text("filter.splitno")})),
		v.field("", "minority", yes, no),
		v.field("", "result", options(v, "result.", council.Results())...), v.field("date", "from"), v.field("date", "to"))
	q := memberFilters(v.c)
	q.Del("body")
	if len(q) == 0 {
		contested, all := v.VotesLink(), v.VotesLink("show", "all")
		if p.Show == nil {
			p.Split, contested = new(bool), ""
			*p.Split = true
		} else {
			all = ""
		}
		has.Tabs = []ref{{v.Text("member.contested"), contested}, {v.Text("member.all"), all}}
	}
	p.Keyset = shorten(p.Keyset)
	list, err := civic.ListMemberVotes(ctx, v.c, p.MemberVotesParams)
	if err != nil {
		return err
	}
	count, err := civic.CountMemberVotes(ctx, v.c, p.MemberVoteFilters)
	if err != nil {
		return err
	}
	has.Found = v.Many("votes.found", count.Total)
	has.Votes = each(list.Data, func(m *civic.MemberVote) vote {
		return v.vote(&m.Vote, m.OfItem, v.Position(m.Position, ""))
	})
	v.paged(list.NextCursor)
	return nil
}
