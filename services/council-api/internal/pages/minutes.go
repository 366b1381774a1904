package pages

import (
	"context"
	"net/url"
	"strconv"

	"github.com/townline/townline/pkg/council/marked"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/view"
)

type minutesPagesParams struct {
	record.IDParams
	Page int `query:"page" min:"1" max:"100000" default:"1"`
}

func (a *Pages) pageMinutes(ctx context.Context, c *rest.Call, p minutesPagesParams) ([]byte, error) {
	page, err := record.GetMinutesPage(ctx, c, record.MinutesPageParams{ID: p.ID, Page: p.Page})
	if err != nil {
		return nil, err
	}
	meeting, err := record.GetMeeting(ctx, c, p.IDParams)
	if err != nil {
		return nil, err
	}
	id := number(p.ID)
	v := &view.Minutes{Head: a.head(c, "/meetings", asJSON("JSON", c.URL("/meetings/{id}/minutes/{page}", id, strconv.Itoa(p.Page))))}
	say := a.speaker(v.Lang)
	v.Title = say.Text("minutes.title", say.Date(meeting.MeetingDate.Time), page.Page, page.Pages)
	v.About = say.Text("minutes.about", meeting.Title, page.Page)
	v.Meeting = view.Ref{Text: say.Text("meeting.title", meeting.Title, say.Date(meeting.MeetingDate.Time)), Address: v.To("/meetings/{id}", id)}
	v.Links = []view.Ref{source(say, page.SourceURL, false), {Text: say.Text("minutes.text"), Address: page.TextURL}}
	to := func(n int) string {
		return v.ToQuery(url.Values{"page": {strconv.Itoa(n)}}, "/meetings/{id}/minutes", id)
	}
	if p.Page > 1 {
		v.Before = to(p.Page - 1)
	}
	if p.Page < page.Pages {
		v.After = to(p.Page + 1)
	}
	titles := map[int64]view.Ref{}
	for _, item := range meeting.Items {
		for i := range item.Votes {
			titles[item.Votes[i].ID] = view.Ref{Text: item.Title, Address: v.To("/votes/{id}", number(item.Votes[i].ID))}
		}
	}
	spans := make([]marked.Span, len(page.Votes))
	for i, m := range page.Votes {
		spans[i] = marked.Span{Vote: m.VoteID, Page: page.Page, First: m.FirstLine, Last: m.LastLine}
	}
	v.Fill(page.Lines, spans, titles)
	v.Canonical += "?page=" + strconv.Itoa(p.Page)
	v.Report = a.report(say, c, v.Title, "")
	return a.site.Render("minutes.html", v)
}
