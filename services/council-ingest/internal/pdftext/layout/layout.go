// Package layout sets the glyphs of a page into lines of text, so that what stands in
// one line or column of the page stands in one of the text.
//
// It knows nothing of files and fonts, and nothing of minutes. words.go joins glyphs,
// lines.go makes lines and their cells, grid.go sets these on a grid of characters.
package layout

import (
	"sort"
	"strings"
)

// A Glyph is one character where the page shows it, x to the right and y down from the upper left corner.
type Glyph struct {
	Text      string
	X0, Y0    float64 // start of its baseline
	X1, Y1    float64 // end of its advance
	Size      float64 // height of the font
	Track     float64 // room between all letters of its string, which parts no words
	Blank     bool    // shows nothing
	Shown     int     // number of its string, in the order of showing
	Tied      bool    // follows the glyph before it in that string
	Follows   bool    // follows the glyph before it in one show operator
	Invisible bool    // drawn in no colour (the text layer of a scan)
	Unseen    bool    // drawn where or how nobody sees it
	Guessed   bool    // its width is a guess
}

// A Rule is a vertical line drawn on the page: the border of a table's cell.
type Rule struct{ X, Top, Bottom float64 }

// Text is the text of a page; what runs at another angle than most follows at the end.
// rules are the borders between cells. It uses the glyphs' memory.
func Text(glyphs []Glyph, rules []Rule) string {
	sort.Slice(rules, func(i, j int) bool { return rules[i].X < rules[j].X })
	var b strings.Builder
	for i, frame := range frames(glyphs) {
		if i > 0 {
			rules = nil
		}
		ls := lines(words(frame))
		cutAll(ls, rules)
		b.WriteString(render(ls))
	}
	return b.String()
}
