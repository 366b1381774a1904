package pages

import (
	"context"

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
	named, misprints := confirmed(list.Data)
	v.Has = struct{ Members, Misprints []civic.Member }{named, misprints}
	v.Linked = a.listed(v, each(named, func(m *civic.Member) ref {
		return ref{m.FullName, v.Link("/members/{id}", m.ID)}
	}))
	return nil
}

// confirmed separates members whose names are in an attendance list from other names.
func confirmed(all []civic.Member) (named, misprints []civic.Member) {
	for _, m := range all {
		if m.Confirmed {
			named = append(named, m)
		} else {
			misprints = append(misprints, m)
		}
	}
	return named, misprints
}

// Seen returns the period from a member's first vote to the last.
func (p *page) Seen(m civic.Member) string {
	first := p.Date(m.FirstSeen.Time)
	if m.LastSeen.Equal(m.FirstSeen.Time) {
		return first
	}
	return p.Text("members.fromto", first, p.Date(m.LastSeen.Time))
}

// Span returns the time between two votes in a sentence, with the number of votes.
func (p *page) Span(first, last rest.Date, votes int64) string {
	return p.Text("member.span", p.Date(first.Time), p.Date(last.Time), p.Many("votes", votes))
}

type tally struct {
	stand
	Count   int64
	Address string
}

func (p *page) Tallies(m civic.MemberProfile) []tally {
	var list []tally
	for i, n := range []int64{m.Positions.Aye, m.Positions.Nay, m.Positions.Abstain, m.Positions.Absent,
		m.Positions.Recused} {
		took := p.Position(council.Positions()[i], "")
		list = append(list, tally{took, n, p.VotesLink(m.ID, "position", took.Kind)})
	}
	return list
}

// VotesLink returns the address of a member's votes. filters has names and values in turn.
func (p *page) VotesLink(member int64, filters ...any) string {
	return p.ToQuery(p.inBody(query(filters...)), "/members/{id}", number(member)) + "#votes"
}

const memberTopics = 5

type topicRow struct {
	ref
	civic.TopicVotes
}

func (a *Pages) pageMember(ctx context.Context, v *page, p civic.MemberVotesParams) error {
	m, err := civic.GetMember(ctx, v.c, p.MemberParams)
	if err != nil {
		return err
	}
	id := number(m.ID)
	v.also(asJSON("JSON", v.c.URL("/members/{id}", id)), asJSON(v.Text("member.attendance"),
		v.c.URL("/members/{id}/attendance", id)),
		asJSON(v.Text("member.votes"), v.c.URL("/members/{id}/votes", id)+withoutPaging(v.c)),
		site.Other{Type: files.AtomMedia, Title: "Atom", Address: v.c.URL("/feeds/members/{id}/votes.atom", id)})
	v.Title, v.About = m.FullName, v.Text("member.about", m.FullName, v.Many("votes", m.VoteCount))
	has := struct {
		civic.MemberProfile
		Topics, MoreTopics []topicRow
		Agree              []civic.Agreement
		Present            []civic.StatusCount
		Votes              []vote
	}{MemberProfile: m}
	has.Topics = each(m.Topics, func(t *civic.TopicVotes) topicRow {
		if t.Topic == nil {
			return topicRow{ref{Text: v.Text("topic.none")}, *t}
		}
		return topicRow{ref{v.Topic(*t.Topic), v.VotesLink(m.ID, "topic", *t.Topic)}, *t}
	})
	shown := min(len(has.Topics), memberTopics)
	has.Topics, has.MoreTopics = has.Topics[:shown], has.Topics[shown:]
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
	v.Find = v.form(v.c.Self(), v.withBodies(
		v.field("", "position", options(v, "position.", council.Positions())...),
		v.field("", "topic", options(v, "topic.", council.Topics())...)),
		v.field("", "result", options(v, "result.", council.Results())...), v.field("date", "from"), v.field("date", "to"))
	p.Keyset = shorten(p.Keyset)
	list, err := civic.ListMemberVotes(ctx, v.c, p)
	if err != nil {
		return err
	}
	has.Votes = each(list.Data, func(m *civic.MemberVote) vote {
		return v.vote(&m.Vote, m.OfItem, v.Position(m.Position, ""))
	})
	v.Has = has
	v.paged(list.NextCursor)
	v.OEmbed, v.Unlisted = a.oembedAddress(v.c), withoutPaging(v.c) != "" || v.c.Param("cursor") != ""
	v.Linked = a.linked(v, "Person", m.FullName, map[string]any{})
	return nil
}
