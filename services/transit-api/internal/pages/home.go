package pages

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/current"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/static"
)

const (
	// mostFeeds is how many feeds the start page lists, and fullFeeds how many it shows with their lines, alerts and map.
	mostFeeds = 500
	fullFeeds = 3
	// homeLines and homeAlerts are how many lines and alerts of a feed are on the start page.
	homeLines  = 60
	homeAlerts = 2
)

// homePart adds the feeds and, of few feeds, their alerts.
func (a *Pages) homePart(ctx context.Context, c *rest.Call, s *snapshot) (rest.Generation, error) {
	var err error
	s.feeds, err = a.Static.Feeds.All()
	if err != nil {
		return rest.Generation{}, err
	}
	gens := []rest.Generation{s.feeds.Generation}
	for _, f := range s.feeds.Sorted {
		if len(s.feeds.Sorted) > fullFeeds || f.Edition == nil || !c.May(alertsPermission) {
			continue
		}
		s.feed = f
		alerts, err := a.alertsPart(ctx, c, s)
		if err != nil {
			return alerts, err
		}
		gens = append(gens, alerts)
	}
	return rest.Join(gens...), nil
}

// A homePage is the start page: the feeds, and the way to a stop.
type homePage struct {
	site.Head
	finder
	Lines, Maps bool // readers may see lines and maps
	Feeds       []homeFeed
}

// A homeFeed is a feed of the start page, with more than its name if there are few.
type homeFeed struct {
	*edition.Feed
	JSON    string
	Badges  []RouteLine
	More    int // lines that are not among them
	Picture string
	Chart   Frame // of Picture
	Alerts  *alertsPage
}

func (a *Pages) pageHome(ctx context.Context, c *rest.Call, _ rest.None, s *snapshot) ([]byte, error) {
	v := &homePage{Head: a.head(c, asJSON("JSON", c.URL("/feeds"))), Maps: c.May(drawingPermission),
		Lines: c.May(routesPermission) && c.May("static.agencies")}
	a.title(&v.Head, "home")
	for _, f := range s.feeds.Sorted[:min(len(s.feeds.Sorted), mostFeeds)] {
		one := homeFeed{Feed: f, JSON: c.URL(static.FeedPath, f.Alias) + "?_format=json"}
		if f.Edition != nil && len(s.feeds.Sorted) <= fullFeeds {
			if err := a.fillFeed(ctx, c, v, &one, s.alerts[f.Alias]); err != nil {
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

// fillFeed adds lines, alerts and the map of a feed.
func (a *Pages) fillFeed(ctx context.Context, c *rest.Call, v *homePage, one *homeFeed, alerts *current.FeedAlerts) error {
	in, err := a.in(ctx, &v.Head, one.Feed)
	if err != nil {
		return err
	}
	if v.Lines {
		one.Badges = in.lines(one.Routes())
		one.More = max(len(one.Badges)-homeLines, 0)
		one.Badges = one.Badges[:len(one.Badges)-one.More]
	}
	if box, placed := one.Box(); placed && v.Maps {
		one.Picture, one.Chart = c.Path(feedPagePath+"/map.svg", one.Alias), newFrame(box)
	}
	if alerts != nil {
		one.Alerts, err = in.alerts(alerts)
	}
	return err
}
