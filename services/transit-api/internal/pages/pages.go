// Package pages serves the pages for people, at the root of the host: one file a page or a few of one kind, with a template
// NAME.html each. A page calls the functions of the endpoints that it shows, in internal/static and internal/current, with their
// permissions, and runs no statement that no endpoint declares. Its template writes their rows; sentences are in words/.
//
// endpoints.go lists the pages in the order of their addresses; pages.go has what they share, snapshot.go their data.
package pages

import (
	"cmp"
	"embed"
	"net/url"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
	"github.com/townline/townline/services/transit-api/internal/current"
	"github.com/townline/townline/services/transit-api/internal/eink"
	"github.com/townline/townline/services/transit-api/internal/static"
)

// Pages holds what the functions of the pages share.
type Pages struct {
	Static  *static.API
	Current *current.API
	Root    string                  // address of the pages, with scheme and host
	Screens map[string]*conf.Screen // of transit.yaml, by name
	Frames  site.Policy             // of pages that other sites may show
	Base    conf.BaseMap            // below the lines of maps that can be moved
	Locale  lang.Locale
	Site    conf.Site

	// Seen is a metric: when each screen last asked.
	Seen *prometheus.GaugeVec

	site    *site.Site
	printer *eink.Printer
}

// Addresses that other addresses extend.
const (
	feedPagePath  = "/f/{feed_alias}"
	routePagePath = feedPagePath + "/routes/{agency_id}/{route_id}"
	stopPagePath  = feedPagePath + "/stops/{stop_id}"
)

//go:embed *.html words assets
var files embed.FS

// openSite reads the templates, words and files.
func openSite() (*site.Site, error) { return site.New(site.Part{Files: files}) }

// Digest identifies what the pages are made of; "" while they are off.
func (a *Pages) Digest() string { return a.site.Digest() }

// head is the head of a page with what all pages of the API have; others are the same answers as JSON.
func (a *Pages) head(c *rest.Call, others ...site.Other) site.Head {
	h := a.site.Head(c)
	h.Docs, h.Others = c.URL("/docs"), others
	feed := c.Param("feed_alias")
	if all := a.Static.Feeds.Now(); all != nil {
		if len(all.Sorted) == 1 {
			feed = all.Sorted[0].Alias
		}
		if f := all.ByAlias[feed]; f != nil {
			h.Brand = cmp.Or(a.Site.Name, f.Name)
		}
	}
	for _, to := range menu {
		of := []string{feed}[:strings.Count(to.path, "{")]
		if (feed == "" && len(of) > 0) || to.needs != "" && !c.May(to.needs) {
			continue
		}
		h.Nav = append(h.Nav, site.Link{Text: a.site.Words(h.Lang).Text(to.words), Address: h.To(to.path, of...),
			Here: c.Self() == c.Path(to.path, of...)})
	}
	return h
}

// menu is the way to the main pages: of the feed that a page is about, or of the only one.
var menu = []struct{ words, path, needs string }{
	{"menu.home", "/", ""},
	{"menu.lines", feedPagePath + "/routes", "static.routes"},
	{"menu.map", feedPagePath + "/map", "static.feed_drawing"},
	{"menu.alerts", alertsPagePath, alertsPermission},
}

// withMenu lets pages know which of the menu's pages a reader may see.
func withMenu(pages rest.Table) rest.Table {
	for i := range pages {
		p := &pages[i]
		for _, to := range menu {
			if to.needs != "" && strings.HasPrefix(p.ID, "page.") && !slices.Contains(slices.Concat(p.Shows, p.MayShow), to.needs) {
				p.MayShow = append(p.MayShow, to.needs)
			}
		}
	}
	return pages
}

// asJSON is the address of an answer as JSON.
func asJSON(title, address string) site.Other {
	if !strings.Contains(address, "?") {
		address += "?_format=json"
	}
	return site.Other{Type: "application/json", Title: title, Address: address}
}

// speaker writes times for a page.
func (a *Pages) speaker(lang string) Speaker { return Speaker{a.site.Speaker(lang, a.Locale)} }

// onHost is an address of the API without scheme and host: pages may ask their own host alone.
func onHost(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.RequestURI()
}

// cell is the text of a cell, "" when it is empty.
func cell(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
