package pages

import (
	"context"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/review"
	"github.com/townline/townline/services/council-api/internal/wire"
)

func (a *Pages) pageMeetings(ctx context.Context, v *page, p civic.MeetingsParams) error {
	v.also(asJSON("JSON", v.c.URL("/meetings")),
		site.Other{Type: "text/calendar", Title: v.Text("meetings.calendar"), Address: v.c.URL("/feeds/meetings.ics") +
			bodyQuery(p.OfBody)})
	v.Title, v.About = v.TitleOf("nav.meetings"), v.TextOf("meetings.about")
	v.Find = v.form(v.c.Path("/meetings"), v.withBodies(
		v.field("", "type", options(v, "type.", council.MeetingTypes())...),
		v.field("", "status", options(v, "status.", council.Statuses())...)), v.field("date", "from"), v.field("date", "to"))
	list, err := wire.Walk(ctx, v.c, civic.MeetingRows, p)
	if err != nil {
		return err
	}
	v.Has, v.Linked = list.Data, a.listed(v, each(list.Data, func(m *civic.Meeting) ref {
		return ref{m.Title + ", " + v.Date(m.MeetingDate.Time), v.Link("/meetings/{id}", m.IQM2ID)}
	}))
	v.paged(list.NextCursor)
	return nil
}

// Coming returns the meetings of a list that are not over, the next one first.
func (p *page) Coming(list []civic.Meeting) []civic.Meeting {
	coming := slices.Clone(list[:upcoming(list)])
	slices.Reverse(coming)
	return coming
}

// Past returns the meetings of a list that are over.
func (p *page) Past(list []civic.Meeting) []civic.Meeting { return list[upcoming(list):] }

// Beyond returns the kind and the body of a meeting as far as its title does not name them.
func (p *page) Beyond(m civic.Meeting) string {
	text, title := "", strings.ToLower(m.Title)
	if !strings.Contains(title, string(m.MeetingType)) {
		text = p.Text("type."+string(m.MeetingType)) + " · "
	}
	if body := p.OtherBody(m.BodyRef); body != "" && !strings.Contains(title, strings.ToLower(body)) {
		text += body + " · "
	}
	return text
}

// upcoming returns how many meetings at the beginning of a list, newest first, are not over.
func upcoming(list []civic.Meeting) (n int) {
	for i := range list {
		switch list[i].Status {
		case council.StatusDiscovered, council.StatusAgendaOnly:
			n = i + 1
		case council.StatusCancelled: // it is among them if an earlier meeting is not over
		default:
			return n
		}
	}
	return n
}

func (a *Pages) pageMeeting(ctx context.Context, v *page, p civic.IDParams) error {
	m, err := civic.GetMeeting(ctx, v.c, p)
	if err != nil {
		return err
	}
	v.also(asJSON("JSON", v.c.URL("/meetings/{id}", number(p.ID))))
	v.Body, v.Title = m.BodyRef, v.MeetingTitle(m.Meeting)
	v.About = v.Text("meeting.about", m.Body, v.FullDate(m.MeetingDate.Time), v.Many("votes", m.VoteCount))
	has := meeting{Meeting: m.Meeting}
	for _, link := range []struct {
		key     string
		address *string
	}{{"meeting.portal", &m.SourceURL}, {"meeting.agenda", m.AgendaURL}, {"meeting.pdf", m.ArchivedMinutesURL},
		{"meeting.minutes", m.MinutesURL}, {"meeting.video", m.VideoURL}} {
		if link.key == "meeting.pdf" && link.address != nil && !strings.HasSuffix(*link.address, ".pdf") {
			link.key = "vote.document"
		}
		if link.address != nil {
			has.Links = append(has.Links, ref{v.Text(link.key), *link.address})
		}
	}
	if m.ArchivedTextURL != nil {
		has.Links = append(has.Links, ref{v.Text("meeting.text"), v.Link("/meetings/{id}/minutes", p.ID)})
	}
	found, err := review.AnomaliesOfMeeting(ctx, v.c, p.ID, maxAnomalies)
	if err != nil {
		return err
	}
	if err := v.addReviews(ctx, p.ID); err != nil {
		return err
	}
	has.Anomalies = found
	if err := has.addItems(ctx, v, m.Items); err != nil {
		return err
	}
	v.Has = &has
	status := "https://schema.org/EventScheduled"
	if m.Status == council.StatusCancelled {
		status = "https://schema.org/EventCancelled"
	}
	start := m.StartsAt.String()
	if !v.HasTime(m.StartsAt.Time) {
		start = m.MeetingDate.String()
	}
	v.Linked = a.linked(v, "Event", m.Title, map[string]any{"startDate": start, "eventStatus": status,
		"location":  thing("Place", council.Text(m.Location)),
		"organizer": a.organization(m.Body, council.Text(m.BodySlug))})
	v.Report = a.report(v, v.Title, m.SourceURL)
	return nil
}

// addReviews adds the reviews of a meeting's anomalies.
func (p *page) addReviews(ctx context.Context, meeting int64) error {
	list, err := review.MeetingReviews(ctx, p.c, civic.IDParams{ID: meeting})
	p.reviews = make(map[int64]*review.Reviewed, len(list.Data))
	for i := range list.Data {
		p.reviews[list.Data[i].AnomalyID] = &list.Data[i]
	}
	return err
}

// A meeting is a meeting and its agenda, in the order of the document.
type meeting struct {
	civic.Meeting
	Links     []ref
	Items     []item
	Labelled  bool // some item has a label from a machine
	Anomalies []review.Anomaly
}

type item struct {
	*civic.AgendaItem
	Heading  string           // set if a new section begins here
	Answered []review.Anomaly // anomalies with a reply
	Votes    votes
	Again    bool   // same item as the previous one, with another motion
	Block    []item // items that the same consent vote adopted; this is the first
}

// Adopted returns the number of votes in the block.
func (it item) Adopted() (n int) {
	for _, one := range it.Block {
		n += len(one.Votes)
	}
	return n
}

// addItems adds the items with their votes. Items adopted by one consent vote become one block.
func (m *meeting) addItems(ctx context.Context, p *page, list []civic.AgendaItem) error {
	var votes []int64
	for i := range list {
		for k := range list[i].Votes {
			votes = append(votes, list[i].Votes[k].ID)
		}
	}
	corrected, err := review.ListCorrections(ctx, p.c, votes)
	if err != nil {
		return err
	}
	items := make([]item, len(list))
	for i := range list {
		it := &list[i]
		items[i] = item{AgendaItem: it, Answered: m.answered(p, it.ID)}
		for k := range it.Votes {
			one := p.voteOf(&it.Votes[k], it, len(it.Votes))
			one.Corrected = corrected[one.ID]
			items[i].Votes = append(items[i].Votes, one)
		}
		m.Labelled = m.Labelled || it.Topic != nil || it.Summary != nil
	}
	section := ""
	for i := 0; i < len(items); {
		one, end := items[i], consentEnd(list, i)
		if end > i+1 {
			one.Block = items[i:end]
		}
		if now := council.Text(one.Section); now != section {
			section, one.Heading = now, now
		}
		// A portal repeats an item for each motion on it.
		number := council.Text(one.ItemNumber)
		one.Again = i > 0 && len(one.Votes) > 0 &&
			number != "" && number == council.Text(list[i-1].ItemNumber) && one.Title == list[i-1].Title
		m.Items, i = append(m.Items, one), end
	}
	return nil
}

// answered returns the anomalies of an item with a reply, which the item shows too.
func (m *meeting) answered(p *page, item int64) (all []review.Anomaly) {
	for _, a := range m.Anomalies {
		if said := p.Reviewed(a.ID); a.ItemID != nil && *a.ItemID == item && said != nil && said.Reply != nil {
			all = append(all, a)
		}
	}
	return all
}

const maxAnomalies = 200

// consentEnd returns the end of the run of items that one consent vote adopted. Items without a
// vote may lie in between.
func consentEnd(items []civic.AgendaItem, first int) int {
	adopted := func(i int) *civic.Vote {
		if votes := items[i].Votes; len(votes) == 1 && votes[0].ViaConsent {
			return &votes[0]
		}
		return nil
	}
	end, vote := first+1, adopted(first)
	for i := end; vote != nil && i < len(items) &&
		council.Text(items[i].Section) == council.Text(items[first].Section); i++ {
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

func sameVote(a, b *civic.Vote) bool {
	return a.MotionText == b.MotionText && a.ResultRaw == b.ResultRaw && a.AyesCount == b.AyesCount &&
		a.NaysCount == b.NaysCount &&
		council.Text(a.MoverName) == council.Text(b.MoverName) &&
		council.Text(a.SeconderName) == council.Text(b.SeconderName) &&
		slices.Equal(a.Positions, b.Positions)
}
