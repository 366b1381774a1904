package pages

import (
	"context"
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
	var codes []view.Option
	for _, code := range council.AnomalyCodes() {
		codes = append(codes, view.Option{Value: string(code), Text: string(code)})
	}
	v.Find = form(&v.Head, say, c.Path("/anomalies"), []view.Field{field(c, say, "", "kind", options(say, "anomaly.", council.AnomalyKinds())...), field(c, say, "", "code", codes...),
		field(c, say, "date", "from"), field(c, say, "date", "to")})
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
		line.Date, line.Address, line.Title = say.Date(one.MeetingDate.Time), v.To("/anomalies/{id}", number(one.ID)), wire.Text(one.ItemTitle)
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
	v := &view.AnomalyPage{Head: a.head(c, "/anomalies", asJSON("JSON", c.URL("/anomalies/{id}", number(p.ID)))), Message: d.Message, Code: d.Code}
	say := a.speaker(v.Lang)
	v.Kind = say.Text("anomaly." + string(d.Kind))
	v.Title, v.About = say.Text("anomaly.title", v.Kind, say.Date(d.MeetingDate.Time)), say.Text("anomalies.about")
	v.State = reviewState(say, d.State, d.Reply)
	for _, rule := range council.AnomalyRules() {
		if string(rule.Code) == d.Code {
			v.Meaning = rule.Meaning
		}
	}
	v.Links = append(v.Links, view.Ref{Text: say.Text("anomaly.meeting", say.Date(d.MeetingDate.Time)), Address: v.To("/meetings/{id}", number(d.MeetingID))})
	if d.ItemID != nil {
		v.Links = append(v.Links, view.Ref{Text: wire.Text(d.ItemTitle), Address: v.To("/meetings/{id}", number(d.MeetingID)) + "#item-" + number(*d.ItemID)})
	}
	if d.VoteID != nil {
		v.Links = append(v.Links, view.Ref{Text: say.Text("meeting.vote"), Address: v.To("/votes/{id}", number(*d.VoteID))})
	}
	if d.SourcePage != nil && d.Links.Text != nil {
		v.Links = append(v.Links, view.Ref{Text: say.Text("vote.text", *d.SourcePage), Address: v.ToQuery(url.Values{"page": {strconv.Itoa(*d.SourcePage)}}, "/meetings/{id}/minutes", number(d.MeetingID))})
	}
	if d.MinutesURL != nil {
		v.Links = append(v.Links, view.Ref{Text: say.Text("vote.document"), Address: *d.MinutesURL})
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
