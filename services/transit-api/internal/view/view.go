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
type FoundStop struct{ Name, Code, Platform, Feed, Address, Distance string }

// A Feed is a line of the start page.
type Feed struct {
	Name, Alias, JSON string
	Map               string // address of its map; "" likewise
	Lines             string // address of its lines; "" where readers may not see them
}
