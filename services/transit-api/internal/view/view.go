// Package view is what riders see: one view and one template a page. A view holds texts and numbers that are ready to be
// written; its template lays them out.
//
// It is pure: views in, HTML out. It asks no database and knows no request. The functions that fill the views are in internal/pages.
// What all sites share, such as the layout, is in pkg/site, whose comment says how a page is added.
package view

import (
	"embed"

	"github.com/townline/townline/pkg/site"
)

//go:embed *.html words assets
var files embed.FS

// Open reads the templates, words and files.
func Open() (*site.Site, error) { return site.New(site.Part{Files: files}) }

// Home is the start page: the feeds, and the way to a stop.
type Home struct {
	site.Head
	Finder
	Feeds []Feed
}

// A Finder is the form that looks for stops.
type Finder struct {
	Find string // address of the page that finds; "" where readers may not search
	Q    string // what was asked for
}

// Stops is what a search found.
type Stops struct {
	site.Head
	Finder
	Sought  bool // whether anything was asked for
	Found   []FoundStop
	More    string   // in words, how many there are beside
	Missing []string // feeds that cannot be searched now
}

// A FoundStop is a line of it.
type FoundStop struct {
	Name, Code, Platform, Feed, Address, Distance string
	Lines                                         []RouteLine
	MoreLines                                     int
	Towards                                       string // in words
}

// More is what tells a stop from others beside its name.
func (f FoundStop) More() string { return joinedBy(" · ", f.Code, f.Feed, f.Distance) }

// A Feed is a line of the start page.
type Feed struct {
	Name, Alias, JSON string
	Map               string // address of its map; "" likewise
	Lines             string // address of its lines; "" where readers may not see them

	// Of few feeds:
	Badges    []RouteLine
	More      int // lines that are not among them
	Picture   string
	Width     int
	Height    int
	Alerts    *Alerts
	AllAlerts string // address
}

// Full reports whether the feed is shown with more than its name.
func (f Feed) Full() bool { return f.Badges != nil || f.Picture != "" || f.Alerts != nil }

// shownAlerts is how many alerts of a feed the start page shows.
const shownAlerts = 2

// MoreAlerts is how many alerts there are beside those that are shown.
func (f Feed) MoreAlerts() int {
	if f.Alerts == nil {
		return 0
	}
	return max(len(f.Alerts.Now)-shownAlerts, 0)
}

// Top are the first alerts.
func (v *Alerts) Top() (notices []Notice) {
	for _, a := range v.Now[:min(len(v.Now), shownAlerts)] {
		notices = append(notices, v.With(a).Notice())
	}
	return notices
}
