package pages

import (
	"context"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/review"
	"github.com/townline/townline/services/council-api/internal/view"
	"github.com/townline/townline/services/council-api/internal/wire"
)

// Kinds of pages in frames, as the sites around them know them.
const (
	voteFrame   = "vote"
	memberFrame = "member"
)

func (a *Pages) embedPages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.embed_vote", Path: "/embed/votes/{id}", Summary: "One vote in a page of another site", NotFound: "unknown vote", Framed: voteFrame, Header: a.Frames.Header()}, a.embedVote),
		rest.Page(rest.Spec{ID: "page.embed_member", Path: "/embed/members/{id}", Summary: "One member's record in a page of another site", NotFound: "unknown member", Framed: memberFrame, Header: a.Frames.Header()}, a.embedMember),
	}
}

type embedParams struct {
	record.IDParams
	site.FrameParams
}

// framed is the head of a page in a frame.
func (a *Pages) framed(c *rest.Call, kind string, p site.FrameParams) site.Head {
	h := a.site.Head(c)
	h.Styles = []string{"council.css"}
	a.site.Framed(&h, kind, p)
	h.Frame.State = site.FrameRecord
	return h
}

func (a *Pages) embedVote(ctx context.Context, c *rest.Call, p embedParams) ([]byte, error) {
	d, err := review.GetVote(ctx, c, p.IDParams)
	if err != nil {
		return nil, err
	}
	item, err := record.GetItem(ctx, c, record.IDParams{ID: d.ItemID})
	if err != nil {
		return nil, err
	}
	v := &view.EmbedVote{Head: a.framed(c, voteFrame, p.FrameParams), Number: wire.Text(item.ItemNumber), Consent: d.ViaConsent, Anomalies: len(d.Proof.Anomalies)}
	say := a.speaker(v.Lang)
	v.Title, v.Date = brief(item.Title, whole), say.FullDate(d.MeetingDate.Time)
	v.Page = view.Ref{Text: v.Title, Address: v.To("/votes/{id}", number(d.ID))}
	v.Outcome = outcome(say, &d.Vote)
	v.Motion, v.Roll = brief(d.MotionText, whole), rollOf(&v.Head, say, d.Positions, false)
	recorded := d.Origin == record.FromRecord
	v.Source, v.Unnamed = source(say, d.SourceURL, recorded), say.Text(ofRecord("vote.unnamed", recorded))
	return a.site.Render("embedvote.html", v)
}

func (a *Pages) embedMember(ctx context.Context, c *rest.Call, p embedParams) ([]byte, error) {
	m, err := record.GetMember(ctx, c, p.IDParams)
	if err != nil {
		return nil, err
	}
	v := &view.EmbedMember{Head: a.framed(c, memberFrame, p.FrameParams)}
	say := a.speaker(v.Lang)
	v.Title, v.Page = m.FullName, view.Ref{Text: m.FullName, Address: v.To("/members/{id}", number(m.ID))}
	v.Span = say.Text("member.span", say.Date(m.FirstSeen.Time), say.Date(m.LastSeen.Time), say.Many("votes", m.VoteCount))
	v.Record = recordOf(&v.Head, say, &m)
	v.Dissents = view.Tally{Word: say.Text("member.alldissents"), Count: m.Dissents}
	return a.site.Render("embedmember.html", v)
}

// recordOf is how often a member took each position, with the lists of these votes.
func recordOf(h *site.Head, say view.Speaker, m *record.MemberProfile) []view.Tally {
	var list []view.Tally
	for i, n := range []int64{m.Positions.Aye, m.Positions.Nay, m.Positions.Abstain, m.Positions.Absent, m.Positions.Recused} {
		stand := say.Position(council.Positions()[i], "")
		list = append(list, view.Tally{Symbol: stand.Symbol, Kind: stand.Kind, Word: stand.Word, Count: n, Address: memberVotesAddress(h, m.ID, "position", stand.Kind)})
	}
	return list
}
