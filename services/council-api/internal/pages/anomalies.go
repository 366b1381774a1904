package pages

import (
	"context"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
	"github.com/townline/townline/services/council-api/internal/review"
)

func (a *Pages) pageAnomalies(ctx context.Context, v *page, p review.AnomaliesParams) error {
	v.also(asJSON("JSON", v.c.URL("/anomalies")+withoutPaging(v.c)))
	v.Title, v.About = v.TitleOf("nav.anomalies"), v.TextOf("anomalies.about")
	kinds := options(v, "anomaly.", council.AnomalyKinds())
	v.Find = v.form(v.c.Path("/anomalies"), v.withBodies(v.field("", "kind", kinds...), v.field("date", "from"),
		v.field("date", "to")))
	list, err := review.ListAnomalies(ctx, v.c, p)
	if err != nil {
		return err
	}
	v.Has = list
	v.paged(list.NextCursor)
	return nil
}

func (a *Pages) pageAnomaly(ctx context.Context, v *page, p civic.IDParams) error {
	d, err := review.GetAnomaly(ctx, v.c, p)
	if err != nil {
		return err
	}
	v.also(asJSON("JSON", v.c.URL("/anomalies/{id}", number(p.ID))))
	if err := v.addBodies(ctx, civic.OfBody{Body: d.BodySlug}); err != nil {
		return err
	}
	v.Title, v.About = v.Doubt(d.Anomaly), v.TextOf("anomalies.about")
	meeting := v.Link("/meetings/{id}", d.MeetingID)
	links := []ref{{v.Text("anomaly.meeting", v.Date(d.MeetingDate.Time)), meeting}}
	if d.ItemID != nil {
		links = append(links, ref{council.Text(d.ItemTitle), meeting + "#item-" + number(*d.ItemID)})
	}
	if d.VoteID != nil {
		links = append(links, ref{v.Text("meeting.vote"), v.Link("/votes/{id}", *d.VoteID)})
	}
	if d.SourcePage != nil && d.Links.Text != nil {
		links = append(links, ref{v.Text("vote.text", *d.SourcePage), v.MinutesLink(d.MeetingID, *d.SourcePage)})
	}
	if d.MinutesURL != nil {
		links = append(links, v.source(*d.MinutesURL, false))
	}
	lines, err := linesOf(ctx, v.c, &d.Anomaly, d.VoteID)
	if err != nil {
		return err
	}
	v.Has = struct {
		review.AnomalyDetail
		Lines   []string
		Sources []ref
	}{d, lines, links}
	v.Report = a.report(v, v.Text("anomaly.reported", number(p.ID)), d.Message)
	return nil
}

// linesOf returns the lines of the minutes that print an anomaly's vote, if they are known.
func linesOf(ctx context.Context, c *rest.Call, a *review.Anomaly, vote *int64) ([]string, error) {
	if a.SourcePage == nil || vote == nil {
		return nil, nil
	}
	page, err := minutesPage(ctx, c, a.MeetingID, *a.SourcePage)
	if err != nil || page == nil {
		return nil, err
	}
	var lines []string
	for _, m := range page.Votes {
		if m.VoteID == *vote {
			lines = append(lines, page.Lines[m.FirstLine-1:m.LastLine]...)
		}
	}
	return lines, nil
}
