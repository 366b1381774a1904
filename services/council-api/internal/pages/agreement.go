package pages

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/townline/townline/services/council-api/internal/civic"
)

const maxMatrix = 24

func (a *Pages) pageAgreement(ctx context.Context, v *page, p civic.PairsParams) error {
	v.also(asJSON("JSON", v.c.URL("/members/agreement")+withoutPaging(v.c)))
	if p.Body == nil && v.Bodies != nil { // a cell has the votes of one body
		p.Body = &v.Bodies[0].Slug
		if err := v.addBodies(ctx, p.OfBody); err != nil {
			return err
		}
	}
	v.Title, v.About = v.TitleOf("members.agreement"), v.TextOf("agree.about")
	fields := v.withBodies()
	if v.Bodies != nil {
		fields[0].Options = fields[0].Options[1:] // omit the option for all bodies, which has no table
	}
	v.Find = v.form(v.c.Path("/members/agreement"), fields)
	all, err := civic.ListPairs(ctx, v.c, p)
	if err != nil {
		return err
	}
	m := &matrix{PairAgreements: all, p: v, pairs: make(map[[2]int64]*civic.PairAgreement, len(all.Data))}
	m.Shown = v.Listed(all.Members, true)
	if len(m.Shown) > maxMatrix {
		slices.SortStableFunc(m.Shown, func(x, y civic.Member) int { return y.LastSeen.Compare(x.LastSeen.Time) })
		m.Shown = m.Shown[:maxMatrix]
		slices.SortStableFunc(m.Shown, func(x, y civic.Member) int { return strings.Compare(x.LastName, y.LastName) })
		m.Cut = v.Text("agree.cut", maxMatrix, len(all.Members))
	}
	for i := range all.Data {
		m.pairs[[2]int64{all.Data[i].MemberID, all.Data[i].OtherID}] = &all.Data[i]
	}
	v.Has = m
	return nil
}

type matrix struct {
	civic.PairAgreements
	Shown []civic.Member // those whose names are in an attendance list
	Cut   string         // why some members are omitted; "" if all are shown
	p     *page
	pairs map[[2]int64]*civic.PairAgreement
}

// Pair returns the agreement of two members, or nil if they have no common vote.
func (m *matrix) Pair(one, other int64) *civic.PairAgreement {
	return m.pairs[[2]int64{min(one, other), max(one, other)}]
}

// Rate returns how often a pair agreed, or "" if they have too few common votes.
func (m *matrix) Rate(pair *civic.PairAgreement) string {
	if pair == nil || pair.SharedVotes < int64(m.MinimumShared) {
		return ""
	}
	return m.p.Percent(pair.AgreementRate)
}

// Shade returns the number in the cell's CSS class, from 0 to 9.
func (m *matrix) Shade(pair *civic.PairAgreement) int { return min(9, int(*pair.AgreementRate*10)) }

// PairLink returns the address of the page with the common votes of two members.
func (p *page) PairLink(one, other int64, body *string, consent bool) string {
	return p.pairLink(query(), one, other, body, consent)
}

// DifferLink is like PairLink, with only the votes on which the two differ.
func (p *page) DifferLink(one, other int64, body *string, consent bool) string {
	return p.pairLink(query("differ", "true"), one, other, body, consent)
}

func (p *page) pairLink(q url.Values, one, other int64, body *string, consent bool) string {
	if body != nil {
		q.Set("body", *body)
	}
	if consent {
		q.Set("include_consent", "true")
	}
	return p.ToQuery(q, "/members/{id}/with/{other}", number(one), number(other))
}

func (a *Pages) pagePair(ctx context.Context, v *page, p civic.SharedVotesParams) error {
	p.Keyset = shorten(p.Keyset)
	list, err := civic.ListSharedVotes(ctx, v.c, p)
	if err != nil {
		return err
	}
	one, err := civic.GetMember(ctx, v.c, civic.MemberParams{IDParams: civic.IDParams{ID: p.ID}})
	if err != nil {
		return err
	}
	other, err := civic.GetMember(ctx, v.c, civic.MemberParams{IDParams: civic.IDParams{ID: p.Other}})
	if err != nil {
		return err
	}
	data := v.c.URL("/members/{id}/agreement/{other}", number(p.ID), number(p.Other))
	v.also(asJSON("JSON", data+withoutPaging(v.c)))
	v.Title = v.Text("pair.title", one.FullName, other.FullName)
	v.About = v.Text("pair.about", one.FullName, other.FullName)
	result := v.Text("pair.result", list.Agreements, list.SharedVotes, v.Percent(list.AgreementRate))
	lines := each(list.Data, func(s *civic.SharedVote) vote {
		return v.vote(&s.Vote, s.OfItem, v.Position(s.Position, one.FullName), v.Position(s.OtherPosition, other.FullName))
	})
	v.Has = struct {
		Result         string
		IncludeConsent bool
		Differ         bool // only votes on which they differ
		Members        []civic.MemberProfile
		Votes          votes
	}{Result: result, IncludeConsent: p.IncludeConsent == "true", Differ: p.Differ != nil && *p.Differ,
		Members: []civic.MemberProfile{one, other}, Votes: lines}
	v.paged(list.NextCursor)
	v.Linked = a.listedVotes(v, lines)
	v.Report = a.report(v, v.Title, result)
	return nil
}
