package pages

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/record"
)

type embedParams struct {
	record.IDParams
	site.FrameParams
}

func (a *Pages) framed(c *rest.Call, kind string, p site.FrameParams) *page {
	v := a.page(c, "")
	v.Head = a.site.Head(c)
	v.Styles = []string{"council.css"}
	a.site.Framed(&v.Head, kind, p)
	v.Frame.State = site.FrameRecord
	return v
}

func (a *Pages) embedVote(ctx context.Context, c *rest.Call, p embedParams) ([]byte, error) {
	d, item, err := voteOn(ctx, c, p.IDParams)
	if err != nil {
		return nil, err
	}
	v := a.framed(c, voteFrame, p.FrameParams)
	v.Title = brief(item.Title, whole)
	v.Has = struct {
		vote
		Brief     string // of the motion
		Anomalies int
	}{v.voteOf(&d.Vote, &item, 0), brief(d.MotionText, whole), len(d.Proof.Anomalies)}
	return a.show("embedvote.html", v)
}

func (a *Pages) embedMember(ctx context.Context, c *rest.Call, p embedParams) ([]byte, error) {
	m, err := record.GetMember(ctx, c, p.IDParams)
	if err != nil {
		return nil, err
	}
	v := a.framed(c, memberFrame, p.FrameParams)
	v.Title, v.Has = m.FullName, m
	return a.show("embedmember.html", v)
}
