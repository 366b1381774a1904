package pages

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/gtfsrt/judge"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/realtimeapi"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

type realtimeReportPage struct {
	site.Head
	Sources []sourceSection
}

type sourceSection struct {
	Title    string
	Judged   string // when and how many messages were checked; "" before the first
	Bar      string // whether the source meets Google's bar; "" if unknown
	Findings []sourceFinding
}

type sourceFinding struct {
	Finding
	Examples []realtimeapi.FindingExample
}

func (a *Pages) pageRealtimeReport(ctx context.Context, c *rest.Call, p wire.FeedParams, _ rest.None) ([]byte,
	error) {
	reports, err := a.Current.ReadReports(ctx, c, p.FeedAlias)
	if err != nil {
		return nil, err
	}
	v := &realtimeReportPage{Head: a.head(c, asJSON("JSON", c.URL(wire.FeedPath+"/rt/report", p.FeedAlias)))}
	name, zone := p.FeedAlias, time.UTC
	if f := a.Static.Feeds.Feed(p.FeedAlias); f != nil {
		name, zone = cmp.Or(f.Name, name), cmp.Or(f.Zone, zone)
	}
	a.title(&v.Head, "rtreport", name)
	v.Styles = []string{"report.css"}
	say := a.speaker(v.Lang)
	for _, r := range reports {
		v.Sources = append(v.Sources, say.sourceSection(r, zone))
	}
	return a.site.Render("rtreport.html", v)
}

func (s Speaker) sourceSection(r realtimeapi.SourceReport, zone *time.Location) sourceSection {
	clock := func(at *rest.Time) string {
		local := at.In(zone)
		return s.Text("alerts.at", s.Date(local), s.Clock(local))
	}
	_, number, _ := strings.Cut(r.Source, "/")
	v := sourceSection{Title: s.Text("rtreport.kind." + r.Kind)}
	if number != "0" {
		v.Title += " (" + r.Source + ")"
	}
	if r.JudgedAt != nil {
		v.Judged = s.Text("rtreport.judged", clock(r.JudgedAt), r.Messages.TenMinutes, r.Messages.Hour, r.Messages.Day)
	}
	switch bar := r.GoogleBar; {
	case bar.Met == nil:
	case *bar.Met:
		v.Bar = s.Text("rtreport.bar.met")
	default:
		v.Bar = s.Text("rtreport.bar.missed", strings.Join(bar.Why, ", "))
	}
	if n := r.Unapplied.Count; n > 0 {
		v.Judged = strings.TrimSpace(v.Judged + " " + s.Text("rtreport.unapplied", n, r.Unapplied.Examples[0].TripID))
	}
	for _, found := range r.Findings {
		code := judge.Code(found.Code)
		f := sourceFinding{Examples: slices.Clone(found.Examples), Finding: Finding{Code: found.Code,
			Message: code.Message(s.Words), Advice: code.Advice(s.Words), Rule: found.Reference}}
		for i := range f.Examples {
			if e := &f.Examples[i]; e.Fields != nil {
				e.Value = code.Value(s.Words, e.Fields)
			}
		}
		f.Facts = []string{s.Text("rtreport." + found.Severity)}
		if found.Since != nil {
			f.Facts = append(f.Facts, s.Text("rtreport.now", found.Count), s.Text("rtreport.since", clock(found.Since)))
		} else {
			f.Facts = append(f.Facts, s.Text("rtreport.past"))
		}
		f.Facts = append(f.Facts, s.Text("rtreport.share", int(math.Ceil(100*found.ShareOfHour))),
			s.Text("rtreport.counts", found.Messages.TenMinutes, found.Messages.Hour, found.Messages.Day))
		v.Findings = append(v.Findings, f)
	}
	return v
}
