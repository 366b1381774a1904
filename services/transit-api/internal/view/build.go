package view

import (
	"html"

	"github.com/townline/townline/pkg/site"
)

// A Builder is a page that makes an address of the stops and looks that one chooses: of a board for a screen, or of one in another site.
type Builder struct {
	site.Head
	Intro   string
	Action  string
	Q       string
	Sought  bool
	Subject string   // what is shown, where that is no board of stops
	Hidden  []Hidden // of the form
	Stops   []Option // the chosen ones, then those that the search found
	Missing []string // feeds that cannot be searched now
	Selects []Select
	Texts   []TextField
	Address string // what was made; "" while no stop is chosen
	Pieces  []Piece
	Notes   []string
}

// A Select is a question with a few answers.
type Select struct {
	Name, Label string
	Options     []Option
}

// An Option is one answer.
type Option struct {
	Value, Label, More string
	Chosen             bool
}

// A TextField is a question with a short text as its answer.
type TextField struct{ Name, Label, Value, Hint, Pattern string }

// A Piece is a text to be copied.
type Piece struct{ Title, Text string }

// Snippets are the two ways to show an address of this site in a page of another one, as HTML.
func Snippets(say site.Words, address, loader, title string) []Piece {
	to, name := html.EscapeString(address), html.EscapeString(title)
	return []Piece{
		{say.Text("build.link"), `<a data-townline href="` + to + `">` + name + "</a>\n" + `<script src="` + html.EscapeString(loader) + `" async></script>`},
		{say.Text("build.frame"), `<iframe src="` + to + `" title="` + name + `" loading="lazy" style="border: 0; width: 100%; height: 30rem"></iframe>`},
	}
}
