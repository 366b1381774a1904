package pages

import (
	"context"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/review"
	"github.com/townline/townline/services/council-api/internal/view"
	"github.com/townline/townline/services/council-api/internal/wire"
)

func (a *Pages) meetingPages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.meetings", Path: "/meetings", Summary: "Meetings, newest first"}, a.pageMeetings),
		rest.Page(rest.Spec{ID: "page.meeting", Path: "/meetings/{id}", Summary: "One meeting with its agenda, motions and votes", NotFound: "unknown meeting"}, a.pageMeeting),
		rest.Page(rest.Spec{ID: "page.minutes", Path: "/meetings/{id}/minutes", Summary: "A page of the archived minutes with its votes marked", NotFound: "unknown meeting, no archived text, or no such page"}, a.pageMinutes),
	}
}

func (a *Pages) pageMeetings(ctx context.Context, c *rest.Call, p record.MeetingsParams) ([]byte, error) {
	v := &view.Meetings{Head: a.head(c, "/meetings", asJSON("JSON", c.URL("/meetings")),
		site.Other{Type: "text/calendar", Title: a.word(c, "meetings.calendar"), Address: c.URL("/feeds/meetings.ics")})}
	say := a.speaker(v.Lang)
	v.Title, v.About = say.Text("nav.meetings"), say.Text("meetings.about")
	v.Find = form(&v.Head, say, c.Path("/meetings"), []view.Field{
		field(c, say, "", "type", options(say, "type.", council.MeetingTypes())...), field(c, say, "", "status", options(say, "status.", council.Statuses())...),
		field(c, say, "date", "from"), field(c, say, "date", "to")})
	page, err := record.ListMeetings(ctx, c, p)
	if err != nil {
		return nil, err
	}
	for i := range page.Data {
		v.Lines = append(v.Lines, meetingLine(&v.Head, say, &page.Data[i]))
	}
	entries := make([]view.Ref, len(v.Lines))
	for i, line := range v.Lines {
		entries[i] = view.Ref{Text: line.Title + ", " + line.Date, Address: line.Address}
	}
	v.Pager, v.Linked, v.Report = pager(&v.Head, c, page.NextCursor), a.listed(c, v.Title, entries), a.report(say, c, v.Title, "")
	return a.site.Render("meetings.html", v)
}

func meetingLine(h *site.Head, say view.Speaker, m *record.Meeting) view.MeetingLine {
	line := view.MeetingLine{Address: h.To("/meetings/{id}", number(m.IQM2ID)), Title: m.Title, Date: say.Date(m.MeetingDate.Time),
		Kind: say.Text("type." + string(m.MeetingType)), Status: say.Text("status." + string(m.Status))}
	if m.VoteCount > 0 {
		line.Votes = say.Many("votes", int64(m.VoteCount))
	}
	return line
}

func (a *Pages) pageMeeting(ctx context.Context, c *rest.Call, p record.IDParams) ([]byte, error) {
	m, err := record.GetMeeting(ctx, c, p)
	if err != nil {
		return nil, err
	}
	v := &view.Meeting{Head: a.head(c, "/meetings", asJSON("JSON", c.URL("/meetings/{id}", number(p.ID))))}
	say := a.speaker(v.Lang)
	v.Title = say.Text("meeting.title", m.Title, say.Date(m.MeetingDate.Time))
	v.About = say.Text("meeting.about", m.Body, say.FullDate(m.MeetingDate.Time), say.Many("votes", int64(m.VoteCount)))
	v.When, v.Where = say.Text("meeting.when", say.FullDate(m.MeetingDate.Time), say.Clock(m.StartsAt.Time)), wire.Text(m.Location)
	v.Kind, v.Status = say.Text("type."+string(m.MeetingType)), say.Text("status."+string(m.Status))
	for _, link := range []struct {
		key     string
		address *string
	}{{"meeting.portal", &m.SourceURL}, {"meeting.agenda", m.AgendaURL}, {"meeting.pdf", m.ArchivedMinutesURL}, {"meeting.minutes", m.MinutesURL}, {"meeting.video", m.VideoURL}} {
		if link.key == "meeting.pdf" && link.address != nil && !strings.HasSuffix(*link.address, ".pdf") {
			link.key = "vote.document"
		}
		if link.address != nil {
			v.Links = append(v.Links, view.Ref{Text: say.Text(link.key), Address: *link.address})
		}
	}
	if m.ArchivedTextURL != nil {
		v.Links = append(v.Links, view.Ref{Text: say.Text("meeting.text"), Address: v.To("/meetings/{id}/minutes", number(p.ID))})
	}
	found, err := review.AnomaliesOfMeeting(ctx, c, p.ID, maxAnomalies)
	if err != nil {
		return nil, err
	}
	said, err := answers(ctx, c, say, p.ID)
	if err != nil {
		return nil, err
	}
	ofItem := map[int64][]view.Anomaly{} // those with an answer, which stands at the item too
	for i := range found {
		line := anomalyOf(say, &found[i])
		line.Answer = said[found[i].ID]
		if found[i].ItemID != nil && line.Answer.Reply != "" {
			ofItem[*found[i].ItemID] = append(ofItem[*found[i].ItemID], line)
		}
		if found[i].ItemID != nil {
			line.Address, line.Title = "#item-"+number(*found[i].ItemID), wire.Text(found[i].ItemTitle)
		}
		v.Anomalies = append(v.Anomalies, line)
	}
	addItems(say, v, m.Items, ofItem)
	v.Report = a.report(say, c, v.Title, m.SourceURL)
	v.Linked = map[string]any{"@context": "https://schema.org", "@type": "Event", "name": m.Title, "startDate": m.StartsAt.String(), "eventStatus": eventStatus(m.Status),
		"location": map[string]any{"@type": "Place", "name": wire.Text(m.Location)}, "organizer": map[string]any{"@type": "GovernmentOrganization", "name": m.Body}, "url": a.Root + c.Self()}
	return a.site.Render("meeting.html", v)
}

// addItems adds the items with their votes, those that one consent vote adopted as one block.
func addItems(say view.Speaker, v *view.Meeting, list []record.AgendaItem, answered map[int64][]view.Anomaly) {
	items := make([]view.Item, len(list))
	for i := range list {
		items[i] = itemOf(&v.Head, say, &list[i])
		items[i].Answered = answered[items[i].ID]
		v.Labelled = v.Labelled || items[i].Label != nil
	}
	section := ""
	for i := 0; i < len(items); {
		item, end := items[i], consentEnd(list, i)
		if end > i+1 {
			item.Block = &view.ConsentBlock{Vote: items[i].Votes[0], Items: items[i:end]}
		}
		if now := wire.Text(list[i].Section); now != section {
			section, item.Section = now, now
		}
		// A portal repeats an item for each motion on it.
		item.Again = i > 0 && len(item.Votes) > 0 &&
			item.Number != "" && item.Number == items[i-1].Number && item.Title == items[i-1].Title
		v.Items, i = append(v.Items, item), end
	}
}

// maxAnomalies is how many anomalies a page lists.
const maxAnomalies = 200

func eventStatus(s council.Status) string {
	if s == council.StatusCancelled {
		return "https://schema.org/EventCancelled"
	}
	return "https://schema.org/EventScheduled"
}

// consentEnd returns the end of the run of items that one consent vote adopted. Items without a vote may
// stand between them.
func consentEnd(items []record.AgendaItem, first int) int {
	adopted := func(i int) *record.Vote {
		if votes := items[i].Votes; len(votes) == 1 && votes[0].ViaConsent {
			return &votes[0]
		}
		return nil
	}
	end, vote := first+1, adopted(first)
	for i := end; vote != nil && i < len(items) && wire.Text(items[i].Section) == wire.Text(items[first].Section); i++ {
		other := adopted(i)
		switch {
		case other == nil && len(items[i].Votes) > 0, other != nil && !sameVote(vote, other):
			return end
		case other != nil:
			end = i + 1
		}
	}
	return end
}

// sameVote reports whether two items were voted on at once.
func sameVote(a, b *record.Vote) bool {
	return a.MotionText == b.MotionText && a.ResultRaw == b.ResultRaw && a.AyesCount == b.AyesCount && a.NaysCount == b.NaysCount &&
		wire.Text(a.MoverName) == wire.Text(b.MoverName) && wire.Text(a.SeconderName) == wire.Text(b.SeconderName) &&
		slices.Equal(a.Positions, b.Positions)
}

// itemOf is an item with its votes, as the page of its meeting shows it.
func itemOf(h *site.Head, say view.Speaker, it *record.AgendaItem) view.Item {
	item := view.Item{ID: it.ID, Number: wire.Text(it.ItemNumber), Title: it.Title, Label: label(h, say, it)}
	for i := range it.Votes {
		vote := &it.Votes[i]
		line := view.ItemVote{VoteLine: voteLine(h, say, vote, it.Title, it.ItemNumber), Roll: rollOf(h, say, vote.Positions, false)}
		line.Date, line.Motion = "", vote.MotionText
		line.Of = say.Motion(vote.MotionText, vote.MotionSeq, len(it.Votes))
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
