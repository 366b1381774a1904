package pages

import (
	"context"
	"strconv"

	"github.com/townline/townline/pkg/council/marked"
	"github.com/townline/townline/services/council-api/internal/civic"
)

type minutesPagesParams struct {
	civic.IDParams
	Page int `query:"page" min:"1" max:"100000" default:"1"`
}

func (a *Pages) pageMinutes(ctx context.Context, v *page, p minutesPagesParams) error {
	text, err := civic.GetMinutesPage(ctx, v.c, civic.MinutesPageParams{ID: p.ID, Page: p.Page})
	if err != nil {
		return err
	}
	meeting, err := civic.GetMeeting(ctx, v.c, p.IDParams)
	if err != nil {
		return err
	}
	v.also(asJSON("JSON", v.c.URL("/meetings/{id}/minutes/{page}", number(p.ID), strconv.Itoa(p.Page))))
	v.Body, v.Title = meeting.BodyRef, v.Text("minutes.title", v.Date(meeting.MeetingDate.Time), text.Page, text.Pages)
	v.About = v.Text("minutes.about", meeting.Title, text.Page)
	titles := map[int64]string{}
	for _, item := range meeting.Items {
		for i := range item.Votes {
			titles[item.Votes[i].ID] = item.Title
		}
	}
	spans := each(text.Votes, func(m *civic.MarkedVote) marked.Span {
		return marked.Span{Vote: m.VoteID, Page: text.Page, First: m.FirstLine, Last: m.LastLine}
	})
	var before, after string
	if p.Page > 1 {
		before = v.MinutesLink(p.ID, p.Page-1)
	}
	if p.Page < text.Pages {
		after = v.MinutesLink(p.ID, p.Page+1)
	}
	links := []ref{v.source(text.SourceURL, false), {v.Text("minutes.text"), text.TextURL}}
	v.Has = struct {
		civic.MinutesPage
		Meeting       civic.Meeting
		Links         []ref
		Titles        map[int64]string // titles of items, by the ids of their votes
		Blocks        []marked.Block
		Before, After string
	}{MinutesPage: text, Meeting: meeting.Meeting, Links: links, Titles: titles, Blocks: marked.Cut(text.Lines, spans),
		Before: before, After: after}
	v.Canonical += "?page=" + strconv.Itoa(p.Page)
	return nil
}
