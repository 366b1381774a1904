package pages

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/view"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// mostFeeds is how many feeds the start page lists.
const mostFeeds = 500

func (a *Pages) homePages() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.home", Path: "/", Summary: "Start page", Shows: []string{"discovery.feeds"}, MayShow: []string{searchPermission, "static.routes", "static.agencies", "static.feed_drawing"}, Source: a.Static.Feeds.AllSource()}, a.pageHome),
	}
}

func (a *Pages) pageHome(ctx context.Context, c *rest.Call, _ rest.None) ([]byte, error) {
	v := &view.Home{Head: a.head(c, asJSON("JSON", c.URL("/feeds")))}
	words := a.site.Words(v.Lang)
	v.Title, v.About = words.Text("home.title"), words.Text("home.about")
	feeds, err := a.Static.ListFeeds(ctx, c, struct{ wire.Window }{wire.Window{Limit: mostFeeds}})
	if err != nil {
		return nil, err
	}
	for _, f := range feeds.Data {
		line := view.Feed{Name: f.Name, Alias: f.Alias, JSON: f.Link + "?_format=json"}
		if c.May("static.routes") && c.May("static.agencies") {
			line.Lines = v.To("/f/{feed}/routes", f.Alias)
		}
		if c.May("static.feed_drawing") {
			line.Map = v.To(feedPagePath+"/map", f.Alias)
		}
		v.Feeds = append(v.Feeds, line)
	}
	if c.May(searchPermission) {
		v.Find, v.Scripts = c.Path("/stops"), []string{"near.js"}
	}
	return a.site.Render("home.html", v)
}
