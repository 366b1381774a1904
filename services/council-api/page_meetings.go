package councilapi

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/view"
)

func (a *pages) meetingPages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.meetings", Path: "/meetings", Summary: "Meetings, newest first"}, a.pageMeetings),
		rest.Page(rest.Spec{ID: "page.meeting", Path: "/meetings/{id}", Summary: "One meeting with its agenda, motions and votes", NotFound: "unknown meeting"}, a.pageMeeting),
		rest.Page(rest.Spec{ID: "page.minutes", Path: "/meetings/{id}/minutes", Summary: "A page of the archived minutes with its votes marked", NotFound: "unknown meeting, no archived text, or no such page"}, a.pageMinutes),
	}
}

func (a *pages) pageMeetings(ctx context.Context, c *rest.Call, p meetingsParams) ([]byte, error) {
	v := &view.Meetings{Head: a.head(c, "/meetings", asJSON("JSON", c.URL("/meetings")),
		site.Other{Type: "text/calendar", Title: a.word(c, "meetings.calendar"), Address: c.URL("/feeds/meetings.ics")})}
	say := a.speaker(v.Lang)
	v.Title, v.About = say.Text("nav.meetings"), say.Text("meetings.about")
	v.Find = form(&v.Head, say, c.Path("/meetings"), []view.Field{
		field(c, say, "", "type", options(say, "type.", council.MeetingTypes())...), field(c, say, "", "status", options(say, "status.", council.Statuses())...),
		field(c, say, "date", "from"), field(c, say, "date", "to")})
	page, err := listMeetings(ctx, c, p)
	if err != nil {
		return nil, err
	}
	for i := range page.Data {
		v.Lines = append(v.Lines, meetingLine(&v.Head, say, &page.Data[i]))
	}
	v.Pager = pager(&v.Head, c, page.NextCursor)
	return a.site.Render("meetings.html", v)
}

func meetingLine(h *site.Head, say view.Speaker, m *Meeting) view.MeetingLine {
	line := view.MeetingLine{Address: h.To("/meetings/{id}", number(m.IQM2ID)), Title: m.Title, Date: say.Short(m.MeetingDate.Time),
		Kind: say.Text("type." + string(m.MeetingType)), Status: say.Text("status." + string(m.Status))}
	if m.VoteCount > 0 {
		line.Votes = say.Many("votes", int64(m.VoteCount))
	}
	return line
}

func (a *pages) pageMeeting(ctx context.Context, c *rest.Call, p idParams) ([]byte, error) {
	m, err := getMeeting(ctx, c, p)
	if err != nil {
		return nil, err
	}
	v := &view.Meeting{Head: a.head(c, "/meetings", asJSON("JSON", c.URL("/meetings/{id}", number(p.ID))))}
	say := a.speaker(v.Lang)
	v.Title = say.Text("meeting.title", m.Title, say.Short(m.MeetingDate.Time))
	v.About = say.Text("meeting.about", m.Body, say.Day(m.MeetingDate.Time), say.Many("votes", int64(m.VoteCount)))
	v.When, v.Where = say.Text("meeting.when", say.Day(m.MeetingDate.Time), say.Clock(m.StartsAt.Time)), textOr(m.Location)
	v.Kind, v.Status = say.Text("type."+string(m.MeetingType)), say.Text("status."+string(m.Status))
	for _, link := range []struct {
		key     string
		address *string
	}{{"meeting.portal", &m.SourceURL}, {"meeting.agenda", m.AgendaURL}, {"meeting.minutes", m.MinutesURL}, {"meeting.pdf", m.ArchivedMinutesURL}, {"meeting.video", m.VideoURL}} {
		if link.address != nil {
			v.Links = append(v.Links, view.Ref{Text: say.Text(link.key), Address: *link.address})
		}
	}
	if m.ArchivedTextURL != nil {
		v.Links = append(v.Links, view.Ref{Text: say.Text("meeting.text"), Address: v.To("/meetings/{id}/minutes", number(p.ID))})
	}
	var wrong anomaliesParams
	wrong.MeetingID, wrong.Base, wrong.Fetch = &p.ID, c.URL(""), maxAnomalies
	found, err := anomalyRows.List(ctx, c, wrong)
	if err != nil {
		return nil, err
	}
	for i := range found {
		line := anomalyOf(say, &found[i])
		if found[i].ItemID != nil {
			line.Address, line.Title = "#item-"+number(*found[i].ItemID), textOr(found[i].ItemTitle)
		}
		v.Anomalies = append(v.Anomalies, line)
	}
	section := ""
	for i := range m.Items {
		item := itemOf(&v.Head, say, &m.Items[i])
		if now := textOr(m.Items[i].Section); now != section {
			section, item.Section = now, now
		}
		v.Items = append(v.Items, item)
	}
	v.Report = a.report(say, c, v.Title, m.SourceURL)
	v.Linked = map[string]any{"@context": "https://schema.org", "@type": "Event", "name": m.Title, "startDate": m.StartsAt.String(), "eventStatus": eventStatus(m.Status),
		"location": map[string]any{"@type": "Place", "name": textOr(m.Location)}, "organizer": map[string]any{"@type": "GovernmentOrganization", "name": m.Body}, "url": a.root + c.Self()}
	return a.site.Render("meeting.html", v)
}

// maxAnomalies is how many anomalies a page lists.
const maxAnomalies = 200

func eventStatus(s council.Status) string {
	if s == council.StatusCancelled {
		return "https://schema.org/EventCancelled"
	}
	return "https://schema.org/EventScheduled"
}

// itemOf is an item with its votes, as the page of its meeting shows it.
func itemOf(h *site.Head, say view.Speaker, it *AgendaItem) view.Item {
	item := view.Item{ID: it.ID, Number: textOr(it.ItemNumber), Title: it.Title, Consent: it.IsConsent, Label: label(h, say, it)}
	for i := range it.Votes {
		vote := &it.Votes[i]
		line := view.ItemVote{VoteLine: voteLine(h, say, vote, it.Title, it.ItemNumber), Roll: rollOf(h, say, vote.Positions, false)}
		line.Date, line.Motion = "", vote.MotionText
		var moved []string
		if vote.MoverName != nil {
			moved = append(moved, say.Text("vote.movedby", *vote.MoverName))
		}
		if vote.SeconderName != nil {
			moved = append(moved, say.Text("vote.secondedby", *vote.SeconderName))
		}
		line.Moved = strings.Join(moved, ", ")
		item.Votes = append(item.Votes, line)
	}
	return item
}

type minutesPagesParams struct {
	idParams
	Page int `query:"page" min:"1" max:"100000" default:"1"`
}

func (a *pages) pageMinutes(ctx context.Context, c *rest.Call, p minutesPagesParams) ([]byte, error) {
	page, err := getMinutesPage(ctx, c, minutesPageParams{ID: p.ID, Page: p.Page})
	if err != nil {
		return nil, err
	}
	meeting, err := getMeeting(ctx, c, p.idParams)
	if err != nil {
		return nil, err
	}
	id := number(p.ID)
	v := &view.Minutes{Head: a.head(c, "/meetings", asJSON("JSON", c.URL("/meetings/{id}/minutes/{page}", id, strconv.Itoa(p.Page))))}
	say := a.speaker(v.Lang)
	v.Title = say.Text("minutes.title", say.Short(meeting.MeetingDate.Time), page.Page, page.Pages)
	v.About = say.Text("minutes.about", meeting.Title, page.Page)
	v.Meeting = view.Ref{Text: say.Text("meeting.title", meeting.Title, say.Short(meeting.MeetingDate.Time)), Address: v.To("/meetings/{id}", id)}
	v.Links = []view.Ref{{Text: say.Text("vote.page", strconv.Itoa(page.Page)), Address: page.SourceURL}, {Text: say.Text("minutes.text"), Address: page.TextURL}}
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
	spans := make([]view.Span, len(page.Votes))
	for i, m := range page.Votes {
		spans[i] = view.Span{Vote: m.VoteID, First: m.FirstLine, Last: m.LastLine, Ref: titles[m.VoteID]}
	}
	v.Fill(page.Lines, spans)
	v.Report = a.report(say, c, v.Title, "")
	return a.site.Render("minutes.html", v)
}
