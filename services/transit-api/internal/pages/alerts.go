package pages

import (
	"context"
	"slices"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/current"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/realtime"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// alertsPermission is that of the alerts of a feed.
const alertsPermission = "realtime.feed_alerts"

const alertsPagePath = feedPagePath + "/alerts"

func (a *Pages) alertPages() rest.Table {
	return rest.Table{
		rest.PageFrom(rest.Spec{ID: "page.alerts", Path: alertsPagePath, Summary: "Alerts of a feed", NotFound: "unknown feed",
			Kind: rest.Realtime, Shows: []string{alertsPermission}},
			source(func(p static.FeedParams) []part { return []part{a.feedPart(p.FeedAlias), a.alertsPart} }), a.pageAlerts),
	}
}

// An alertsPage is the alerts of a feed, and what the operator says of it.
type alertsPage struct {
	site.Head
	*current.FeedAlerts
	Now, Coming []shownAlert // the severest first
	feed        *edition.Feed
	texts       *edition.Texts
	pages       *Pages
}

// A shownAlert is an alert of a page.
type shownAlert struct {
	realtime.Alert
	of *alertsPage
}

func (a *Pages) pageAlerts(ctx context.Context, c *rest.Call, _ static.FeedParams, s *snapshot) ([]byte, error) {
	f := s.feed
	h := a.head(c)
	say := a.site.Words(h.Lang)
	h.Title, h.About = say.Text("alerts.title", f.Name), say.Text("alerts.about", f.Name)
	v, err := a.alertsOf(ctx, &h, f, s.alerts[f.Alias])
	if err != nil {
		return nil, err
	}
	return a.site.Render("alerts.html", v)
}

// alertsOf are the alerts of a feed that hold now, and those to come.
func (a *Pages) alertsOf(ctx context.Context, h *site.Head, f *edition.Feed, of *current.FeedAlerts) (*alertsPage, error) {
	v := &alertsPage{Head: *h, FeedAlerts: of, feed: f, pages: a}
	all, err := of.Alerts()
	if err != nil {
		return nil, err
	}
	v.texts, err = f.Texts(ctx, h.Lang)
	if err != nil {
		return nil, err
	}
	severe := 0
	for _, alert := range all {
		holds, comes := alert.Holds(a.Current.Now().Unix())
		switch {
		case holds && cell(alert.SeverityLevel) == "SEVERE":
			v.Now = slices.Insert(v.Now, severe, shownAlert{alert, v})
			severe++
		case holds:
			v.Now = append(v.Now, shownAlert{alert, v})
		case comes:
			v.Coming = append(v.Coming, shownAlert{alert, v})
		}
	}
	return v, nil
}

// Notice is the text of the alert.
func (a shownAlert) Notice() Notice {
	return newNotice(a.of.Lang, a.SeverityLevel, a.HeaderText, a.DescriptionText, a.URL)
}

// Top are the alerts that the start page shows.
func (v *alertsPage) Top() []shownAlert { return v.Now[:min(len(v.Now), homeAlerts)] }

// MoreThanTop is how many further alerts there are.
func (v *alertsPage) MoreThanTop() int { return max(len(v.Now)-homeAlerts, 0) }

// Lines are the lines that the alert names.
func (a shownAlert) Lines() []RouteLine {
	v := a.of
	return named(a, func(in realtime.InformedEntity) (line RouteLine, known bool) {
		r := v.feed.Route(cell(in.RouteID))
		if r == nil {
			return line, false
		}
		return v.pages.line(&v.Head, v.feed, v.texts, r), true
	})
}

// Stops are the stops that the alert names.
func (a shownAlert) Stops() []Stop {
	v := a.of
	return named(a, func(in realtime.InformedEntity) (stop Stop, known bool) {
		if v.feed.Stop(cell(in.StopID)) == nil {
			return stop, false
		}
		return v.pages.stop(&v.Head, v.feed, v.texts, *in.StopID), true
	})
}

// mostNamed is how many lines and how many stops of one alert are named.
const mostNamed = 30

// named are the things that an alert names, each once.
func named[T comparable](a shownAlert, find func(realtime.InformedEntity) (T, bool)) (all []T) {
	for _, in := range a.InformedEntity {
		if x, known := find(in); known && len(all) < mostNamed && !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}

// When is the first period of the alert, in words; "" without bounds.
func (a shownAlert) When() string {
	say := a.of.pages.speaker(a.of.Lang)
	day := func(seconds int64) string {
		at := time.Unix(seconds, 0).In(a.of.feed.Zone)
		return say.Text("alerts.at", say.Day(at), say.Clock(at))
	}
	for _, p := range a.ActivePeriod {
		switch {
		case p.Start != nil && p.End != nil:
			return say.Text("alerts.fromto", day(int64(*p.Start)), day(int64(*p.End)))
		case p.Start != nil:
			return say.Text("alerts.from", day(int64(*p.Start)))
		case p.End != nil:
			return say.Text("alerts.until", day(int64(*p.End)))
		}
	}
	return ""
}
