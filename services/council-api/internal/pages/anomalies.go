package pages

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/record"
	"github.com/townline/townline/services/council-api/internal/review"
	"github.com/townline/townline/services/council-api/internal/view"
	"github.com/townline/townline/services/council-api/internal/wire"
)

func (a *Pages) anomalyPages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.anomalies", Path: "/anomalies", Summary: "What is wrong in the sources"}, a.pageAnomalies),
		rest.Page(rest.Spec{ID: "page.anomaly", Path: "/anomalies/{id}", Summary: "One anomaly with what people said of it", NotFound: "unknown anomaly"}, a.pageAnomaly),
	}
}

func (a *Pages) pageAnomalies(ctx context.Context, c *rest.Call, p review.AnomaliesParams) ([]byte, error) {
	v := &view.Anomalies{Head: a.head(c, "/anomalies", asJSON("JSON", c.URL("/anomalies")+withoutPaging(c)))}
	say := a.speaker(v.Lang)
	v.Title, v.About, v.Intro = say.Text("nav.anomalies"), say.Text("anomalies.about"), say.Text("anomalies.intro")
	v.Find = form(&v.Head, say, c.Path("/anomalies"), []view.Field{
		field(c, say, "", "kind", options(say, "anomaly.", council.AnomalyKinds())...),
		field(c, say, "date", "from"), field(c, say, "date", "to"),
	})
	page, err := review.ListAnomalies(ctx, c, p)
	if err != nil {
		return nil, err
	}
	for i, n := range []int64{page.Counts.Typo, page.Counts.Missing, page.Counts.Inconsistency, page.Counts.Error} {
		kind := string(council.AnomalyKinds()[i])
		v.Counts = append(v.Counts, view.Tally{Word: say.Text("anomaly." + kind), Count: n, Address: v.ToQuery(url.Values{"kind": {kind}}, "/anomalies")})
	}
	for i := range page.Data {
		one := &page.Data[i]
		line := anomalyOf(say, one)
		line.Date, line.Title = say.Date(one.MeetingDate.Time), wire.Text(one.ItemTitle)
		line.Address = v.To("/anomalies/{id}", number(one.ID))
		v.Lines = append(v.Lines, line)
	}
	v.Pager, v.Report = pager(&v.Head, c, page.NextCursor), a.report(say, c, v.Title, "")
	return a.site.Render("anomalies.html", v)
}

func (a *Pages) pageAnomaly(ctx context.Context, c *rest.Call, p record.IDParams) ([]byte, error) {
	d, err := review.GetAnomaly(ctx, c, p)
	if err != nil {
		return nil, err
	}
	v := &view.AnomalyPage{Message: d.Message}
	v.Head = a.head(c, "/anomalies", asJSON("JSON", c.URL("/anomalies/{id}", number(p.ID))))
	say := a.speaker(v.Lang)
	v.Title, v.About = doubt(say, &d.Anomaly), say.Text("anomalies.about")
	v.State = reviewState(say, d.State, d.Reply)
	meeting := v.To("/meetings/{id}", number(d.MeetingID))
	v.Links = append(v.Links, view.Ref{Text: say.Text("anomaly.meeting", say.Date(d.MeetingDate.Time)), Address: meeting})
	if d.ItemID != nil {
		v.Links = append(v.Links, view.Ref{Text: wire.Text(d.ItemTitle), Address: meeting + "#item-" + number(*d.ItemID)})
	}
	if d.VoteID != nil {
		v.Links = append(v.Links, view.Ref{Text: say.Text("meeting.vote"), Address: v.To("/votes/{id}", number(*d.VoteID))})
	}
	if d.SourcePage != nil && d.Links.Text != nil {
		v.Links = append(v.Links, view.Ref{Text: say.Text("vote.text", *d.SourcePage), Address: v.ToQuery(url.Values{"page": {strconv.Itoa(*d.SourcePage)}}, "/meetings/{id}/minutes", number(d.MeetingID))})
	}
	if d.MinutesURL != nil {
		v.Links = append(v.Links, source(say, *d.MinutesURL, false))
	}
	v.Lines, err = linesOf(ctx, c, &d.Anomaly, d.VoteID)
	if err != nil {
		return nil, err
	}
	if d.Reply != nil {
		v.Reply, v.ReplyBy = d.Reply.Text, say.Text("review.by", d.Reply.Author, when(say, d.Reply.MadeAt))
	}
	for _, k := range d.Corrections {
		v.Corrections = append(v.Corrections, correctionOf(say, &k))
	}
	for _, act := range d.History {
		v.History = append(v.History, view.Act{What: say.Text("act." + string(act.Act)), Text: act.Text, By: say.Text("review.by", act.Author, say.Moment(act.MadeAt.Time))})
	}
	v.Report = a.report(say, c, say.Text("anomaly.reported", number(p.ID)), d.Message)
	return a.site.Render("anomaly.html", v)
}

// linesOf are the lines of the minutes that a doubt is about: those of its vote, where they are known.
func linesOf(ctx context.Context, c *rest.Call, a *review.Anomaly, vote *int64) ([]string, error) {
	if a.SourcePage == nil || vote == nil {
		return nil, nil
	}
	page, err := record.GetMinutesPage(ctx, c, record.MinutesPageParams{ID: a.MeetingID, Page: *a.SourcePage})
	var e *rest.Error
	if errors.As(err, &e) && e.Status == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
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
