package pages

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/current"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/view"
)

// alertsPermission is that of the alerts of a feed.
const alertsPermission = "realtime.feed_alerts"

const alertsPagePath = feedPagePath + "/alerts"

func (a *Pages) alertPages() rest.Table {
	return rest.Table{
		rest.PageFrom(rest.Spec{ID: "page.alerts", Path: alertsPagePath, Summary: "Alerts of a feed",
			NotFound: "unknown feed", Kind: rest.Realtime, Shows: []string{alertsPermission}},
			rest.Source[static.FeedParams, alertRef]{Now: a.findAlerts}, a.pageAlerts),
	}
}

// alertRef is what the alerts of a feed are made of.
type alertRef struct {
	feed   *edition.Feed
	alerts *current.FeedAlerts
}

func (a *Pages) findAlerts(ctx context.Context, _ *rest.Call, p static.FeedParams) (ref alertRef, gen rest.Generation, err error) {
	ref.feed, err = a.Static.Feeds.Served(p.FeedAlias)
	if err == nil {
		ref.alerts, gen, err = a.Current.AlertView(ctx, ref.feed)
	}
	return ref, gen, err
}

func (a *Pages) pageAlerts(ctx context.Context, c *rest.Call, _ static.FeedParams, ref alertRef) ([]byte, error) {
	v := &view.Alerts{Head: a.head(c)}
	say := a.site.Words(v.Lang)
	v.Title, v.About = say.Text("alerts.title", ref.feed.Name), say.Text("alerts.about", ref.feed.Name)
	if err := a.fillAlerts(ctx, v, ref); err != nil {
		return nil, err
	}
	return a.site.Render("alerts.html", v)
}

// fillAlerts adds the alerts of a feed to a page.
func (a *Pages) fillAlerts(ctx context.Context, v *view.Alerts, ref alertRef) error {
	all, err := ref.alerts.Alerts()
	if err != nil {
		return err
	}
	texts, err := ref.feed.Texts(ctx, v.Lang)
	if err != nil {
		return err
	}
	v.Speaker, v.Zone, v.State, v.Notes = a.speaker(v.Lang), ref.feed.Zone, ref.alerts.State, ref.alerts.Notices
	v.Line = func(id string) *view.RouteLine {
		if r := ref.feed.Route(id); r != nil {
			line := a.line(&v.Head, ref.feed, texts, r)
			return &line
		}
		return nil
	}
	v.Stop = func(id string) *view.Stop {
		if s := ref.feed.Stop(id); s != nil {
			return &view.Stop{Name: stopIn(texts, s).Label, Address: v.To(stopPagePath, ref.feed.Alias, s.StopID)}
		}
		return nil
	}
	v.Fill(all, a.Current.Now())
	return nil
}

// line is a route as a badge that leads to its page.
func (a *Pages) line(h *site.Head, f *edition.Feed, texts *edition.Texts, r *edition.Route) view.RouteLine {
	names, label := namesIn(texts, r, a.Static.Names(f, r))
	return view.NewRouteLine(label, names.ShortName, names.LongName, names.Color, names.TextColor,
		h.To(routePagePath, f.Alias, r.AgencyID, r.ID))
}
