package transitapi

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/edition"
	view "github.com/townline/townline/services/transit-api/internal/pages"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// Pages are the same answers for people, at the root of the host. A page calls the functions of the endpoints that it shows, with their
// permissions, and runs no statement that no endpoint declares. Views and templates are in internal/pages.

// pageEndpoints are the pages, in the order of their addresses.
func (a *api) pageEndpoints() rest.Table {
	return slices.Concat(rest.Table{
		rest.Page(rest.Spec{ID: "page.home", Path: "/", Summary: "Start page", Shows: []string{"discovery.feeds"}, MayShow: []string{searchPermission, "static.routes", "static.agencies", "static.feed_drawing"}, Source: a.dir.AllSource()}, a.pageHome),
		rest.Page(rest.Spec{ID: "page.stops", Path: "/stops", Summary: "Stops by name and place", Shows: []string{searchPermission}, Source: a.dir.AllSource(), NotFound: "unknown feed"}, a.pageStops),
	}, a.boardPages(), a.timetablePages(), a.mapPages())
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
	if !strings.Contains(address, "?") {
		address += "?_format=json"
	}
	return site.Other{Type: "application/json", Title: title, Address: address}
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

// searchPermission is that of the search for stops.
const searchPermission = "static.stop_search"

type stopsPageParams struct {
	Q    *string   `query:"q" maxlen:"100"`
	Near *position `query:"near"`
	feedChoice
}

func (a *api) pageStops(ctx context.Context, c *rest.Call, p stopsPageParams) ([]byte, error) {
	v := &view.Stops{Head: a.head(c), Finder: view.Finder{Find: c.Path("/stops")}, Sought: p.Q != nil || p.Near != nil}
	say := a.site.Words(v.Lang)
	v.Title, v.Unlisted, v.Scripts = say.Text("find.title"), v.Sought, []string{"near.js"}
	if !v.Sought {
		return a.site.Render("stops.html", v)
	}
	if p.Q != nil {
		v.Q = *p.Q
	}
	found, err := a.searchStops(ctx, c, stopSearchParams{Q: p.Q, Near: p.Near, Limit: mostFound, feedChoice: p.feedChoice})
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, f := range c.Generation().Ref.(*edition.Feeds).Sorted {
		names[f.Alias] = f.Name
	}
	for i := range found.Data {
		v.Found = append(v.Found, foundStop(v, say, &found.Data[i], names))
	}
	if more := found.Meta.TotalCount - len(found.Data); more > 0 {
		v.More = say.Text("find.more", more)
	}
	v.Missing = found.Meta.Missing
	query := strings.TrimPrefix(c.SelfQuery(), c.Self())
	v.Others = append(v.Others, asJSON(say.Text("find.json"), c.URL("/stops")+query+"&_format=json"))
	return a.site.Render("stops.html", v)
}

// foundStop is a stop as the search page lists it.
func foundStop(v *view.Stops, say site.Words, s *FoundStop, feeds map[string]string) view.FoundStop {
	f := view.FoundStop{Name: s.Label, Feed: feeds[s.Feed], Address: v.To("/f/{feed}/stops/{stop}", s.Feed, s.StopID)}
	if s.StopCode != nil {
		f.Code = *s.StopCode
	}
	if s.PlatformCode != nil && *s.PlatformCode != "" {
		f.Platform = say.Text("board.at", *s.PlatformCode)
	}
	switch d := s.Distance; {
	case d == nil:
	case *d < 1000:
		f.Distance = say.Text("find.metres", *d)
	default:
		f.Distance = say.Text("find.kilometres", strconv.FormatFloat(float64(*d)/1000, 'f', 1, 64))
	}
	return f
}

// mostFound is how many stops a search page lists.
const mostFound = 50

// mostFeeds is how many feeds the start page lists.
const mostFeeds = 500
