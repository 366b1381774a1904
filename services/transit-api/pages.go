package transitapi

import (
	"context"
	"fmt"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	view "github.com/townline/townline/services/transit-api/internal/pages"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// Pages are the same answers for people, at the root of the host. A page calls the functions of the endpoints that it shows, with their
// permissions, and runs no statement that no endpoint declares. Views and templates are in internal/pages.

// pageEndpoints are the pages, in the order of their addresses.
func (a *api) pageEndpoints() rest.Table {
	return rest.Table{
		rest.Page(rest.Spec{ID: "page.home", Path: "/", Summary: "Start page", Shows: []string{"discovery.feeds"}, Source: a.dir.AllSource()}, a.pageHome),
	}
}

// openSite is the site with its pages; nil when pages are off.
func (a *api) openSite(setting string) (*rest.Site, error) {
	switch setting {
	case "", "on":
	case "off":
		return nil, nil
	default:
		return nil, fmt.Errorf("PAGES %q is neither on nor off", setting)
	}
	var err error
	if a.site, err = view.Open(); err != nil {
		return nil, err
	}
	return a.site.Serve(a.pageEndpoints()), nil
}

// head is the head of a page with what all pages of the API have; others are the same answers as JSON.
func (a *api) head(c *rest.Call, others ...site.Other) site.Head {
	h := a.site.Head(c)
	h.Docs, h.Others = c.URL("/docs"), others
	return h
}

// asJSON is the address of an answer as JSON.
func asJSON(title, address string) site.Other {
	return site.Other{Type: "application/json", Title: title, Address: address + "?_format=json"}
}

func (a *api) pageHome(ctx context.Context, c *rest.Call, _ rest.None) ([]byte, error) {
	v := &view.Home{Head: a.head(c, asJSON("JSON", c.URL("/feeds")))}
	words := a.site.Words(v.Lang)
	v.Title, v.About = words.Text("home.title"), words.Text("home.about")
	feeds, err := a.listFeeds(ctx, c, struct{ wire.Window }{wire.Window{Limit: mostFeeds}})
	if err != nil {
		return nil, err
	}
	for _, f := range feeds.Data {
		v.Feeds = append(v.Feeds, view.Feed{Name: f.Name, Alias: f.Alias, JSON: f.Link + "?_format=json"})
	}
	return a.site.Render("home.html", v)
}

// mostFeeds is how many feeds the start page lists.
const mostFeeds = 500
