package pages

import (
	"context"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
	"github.com/townline/townline/services/transit-api/internal/view"
)

const (
	// mostFeeds is how many feeds the start page lists, and fullFeeds how many it shows with their
	// lines, alerts and map.
	mostFeeds = 500
	fullFeeds = 3
	// homeLines is how many lines of a feed are on the start page.
	homeLines = 60
)

func (a *Pages) homePages() rest.Table {
	return rest.Table{
		rest.PageFrom(rest.Spec{ID: "page.home", Path: "/", Summary: "Start page", Kind: rest.Realtime,
			Shows:   []string{"discovery.feeds"},
			MayShow: []string{searchPermission, "static.routes", "static.agencies", "static.feed_drawing", alertsPermission}}, rest.Source[rest.None, homeRef]{Now: a.findHome}, a.pageHome),
	}
}

// homeRef is what the start page is made of.
type homeRef struct {
	*edition.Feeds
	alerts map[string]alertRef // by alias, of few feeds
}

func (a *Pages) findHome(ctx context.Context, c *rest.Call, _ rest.None) (ref homeRef, gen rest.Generation, err error) {
	ref.alerts = map[string]alertRef{}
	ref.Feeds, err = a.Static.Feeds.All()
	if err != nil {
		return ref, gen, err
	}
	gens := []rest.Generation{ref.Generation}
	for _, f := range ref.Sorted {
		if len(ref.Sorted) > fullFeeds || f.Edition == nil || !c.May(alertsPermission) {
			continue
		}
		alerts, gen, err := a.Current.AlertView(ctx, f)
		if err != nil {
			return ref, gen, err
		}
		ref.alerts[f.Alias] = alertRef{f, alerts}
		gens = append(gens, gen)
	}
	gen = rest.Join(gens...)
	gen.Time = time.Time{} // by the clock
	return ref, gen, nil
}

func (a *Pages) pageHome(ctx context.Context, c *rest.Call, _ rest.None, ref homeRef) ([]byte, error) {
	v := &view.Home{Head: a.head(c, asJSON("JSON", c.URL("/feeds")))}
	words := a.site.Words(v.Lang)
	v.Title, v.About = words.Text("home.title"), words.Text("home.about")
	for _, f := range ref.Sorted[:min(len(ref.Sorted), mostFeeds)] {
		one := view.Feed{Name: f.Name, Alias: f.Alias, JSON: c.URL(static.FeedPath, f.Alias) + "?_format=json"}
		if c.May("static.routes") && c.May("static.agencies") {
			one.Lines = v.To(feedPagePath+"/routes", f.Alias)
		}
		if c.May("static.feed_drawing") {
			one.Map = v.To(feedPagePath+"/map", f.Alias)
		}
		if f.Edition != nil && len(ref.Sorted) <= fullFeeds {
			if err := a.fullFeed(ctx, c, &v.Head, &one, f, ref.alerts[f.Alias]); err != nil {
				return nil, err
			}
		}
		v.Feeds = append(v.Feeds, one)
	}
	if c.May(searchPermission) {
		v.Find, v.Scripts = c.Path("/stops"), []string{"near.js"}
	}
	return a.site.Render("home.html", v)
}

// fullFeed adds lines, alerts and the map of a feed.
func (a *Pages) fullFeed(
	ctx context.Context, c *rest.Call, h *site.Head, one *view.Feed, f *edition.Feed, alerts alertRef,
) error {
	texts, err := f.Texts(ctx, h.Lang)
	if err != nil {
		return err
	}
	if one.Lines != "" {
		for _, r := range f.Routes() {
			one.Badges = append(one.Badges, a.line(h, f, texts, r))
		}
		view.SortLines(one.Badges)
		one.More = len(one.Badges) - homeLines
		if one.More > 0 {
			one.Badges = one.Badges[:homeLines]
		}
	}
	if box, placed := f.Box(); placed && one.Map != "" {
		frame := view.NewFrame(box)
		one.Picture, one.Width, one.Height = c.Path(feedPagePath+"/map.svg", f.Alias), frame.Width, frame.Height
	}
	if alerts.alerts == nil {
		return nil
	}
	v := &view.Alerts{Head: *h}
	if err := a.fillAlerts(ctx, v, alerts); err != nil {
		return err
	}
	one.Alerts, one.AllAlerts = v, h.To(alertsPagePath, f.Alias)
	return nil
}
