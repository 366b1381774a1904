// Package agenda holds the headings and items of a meeting with the votes that are printed under
// them, and finds out which vote an item has that is printed elsewhere: the one vote of a consent
// list, and the repetition of a vote on an attached resolution. Package minutes fills it on its
// walk.
package agenda

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/motion"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
	"github.com/townline/townline/services/council-ingest/internal/minutes/vote"
)

// Section is a heading of the outline's top level, or one without number below it.
type Section struct {
	Number    string // as printed, "" when it has none
	Title     string
	Page      int
	Line      int
	Until     int // the line of the next heading, 0 when none follows
	Consent   bool
	Removed   bool // what was taken off the consent list
	Adjourn   bool
	Parent    *Section       // the numbered heading above a heading without number
	Items     []*Item        // in document order
	Blocks    []*vote.Block  // votes printed under the heading before any item
	Motion    *motion.Motion // of the consent vote
	LastValue map[shape.MarkerStyle]int
	Untitled  bool  // its title has not come yet
	Own       *Item // the heading as an item, when it carries votes itself
}

// Item is an agenda item, with or without votes.
type Item struct {
	Number  string
	File    string
	Title   string
	Page    int
	Line    int
	Sec     *Section
	Heading bool // a section heading that carries its own vote
	Pulled  bool // a stub left where an item was taken out of the consent list
	Kind    shape.MarkerStyle
	Blocks  []*vote.Block
	Shared  bool  // its vote is the consent vote printed elsewhere
	Consent bool  // listed under a consent heading and not pulled
	Parent  *Item // the item in whose text this one may only be a list entry
	Moved   bool  // somebody moves something on it, in a document that states its votes in sentences
	Alone   bool  // nothing but its title has come since its heading
}

// SetTitle gives a heading its title, and what follows from it.
func (sec *Section) SetTitle(title string) {
	sec.Title, sec.Adjourn = title, dialect.IsAdjourn(title)
	sec.Consent, sec.Removed = council.ConsentHeading(title)
	sec.Consent = sec.Consent || sec.Parent != nil && sec.Parent.Consent && !sec.Removed
}

// OwnItem is the heading as an item of its own.
func (sec *Section) OwnItem() *Item {
	if sec.Own == nil {
		sec.Own = &Item{Number: sec.Number, Title: sec.Title, Page: sec.Page, Line: sec.Line, Sec: sec, Heading: true}
	}
	return sec.Own
}

// MaxList is how long a list within an item is thought to be.
const MaxList = 100

// List is the agenda of one document.
type List struct {
	*rows.Doc
	*record.Writer
	Sections []*Section

	voted  map[string][]*Item // items with a vote, by file number and by folded title
	spread int                // items that have the vote on a list
}

// Voted lists the items that have a vote, in document order.
func (s *List) Voted() []*Item {
	var items []*Item
	for _, sec := range s.Sections {
		if sec.Own != nil && len(sec.Own.Blocks) > 0 {
			items = append(items, sec.Own)
		}
		items = append(items, sec.voted()...)
	}
	slices.SortStableFunc(items, func(a, b *Item) int { return a.Line - b.Line })
	return items
}

// voted lists the items under a heading that have a vote.
func (sec *Section) voted() []*Item {
	return slices.DeleteFunc(slices.Clone(sec.Items), func(it *Item) bool { return len(it.Blocks) == 0 })
}

// Has reports whether an item has the same table.
func (it *Item) Has(b *vote.Block) bool {
	return slices.ContainsFunc(it.Blocks, func(other *vote.Block) bool { return vote.Same(b, other) })
}

// Has reports whether an item, or a list of items under another heading than here, has the same
// table.
func (s *List) Has(b *vote.Block, here *Section) bool {
	return slices.ContainsFunc(s.Sections, func(sec *Section) bool {
		return sec != here && slices.ContainsFunc(sec.Blocks, func(other *vote.Block) bool { return vote.Same(b, other) }) ||
			slices.ContainsFunc(sec.Items, func(it *Item) bool { return it.Has(b) })
	})
}

// ReportPending reports what no vote shows: an item that stands among voted ones and has no RESULT
// line.
func (s *List) ReportPending() {
	if s.Stating {
		return // there a sentence says what became of an item, or that it was held
	}
	for _, sec := range s.Sections {
		if len(sec.voted())*2 <= len(sec.Items) || sec.Consent {
			continue
		}
		for _, it := range sec.Items {
			if len(it.Blocks) == 0 && it.Parent == nil && !it.Pulled && it.Kind != shape.Bullet {
				s.Report(council.CodeVoteMissing, -1, nil, it.Page, it.Name()+
					": no RESULT line, though other items of its section have one")
			}
		}
	}
}

// Name is the number and title of an item, as a message calls it.
func (it *Item) Name() string { return strings.TrimSpace(it.Number + " " + it.Title) }

// Stray is a table on a resolution attached to the minutes.
type Stray struct {
	*vote.Block
	Names *Item // whose file number the resolution shows, nil for none
}

// CompareAttachments compares the repeated tables with the votes of the minutes and reports the
// ones that differ. They never become votes. index is the place of each item in the record.
func (s *List) CompareAttachments(strays []Stray, index map[*Item]int) {
	var order []*Item
	place := map[*Item]int{}
	for _, sec := range s.Sections {
		for _, it := range sec.voted() {
			place[it] = len(order)
			order = append(order, it)
		}
	}
	var last *Item
	next, repeated := 0, map[*Item]int{}
	for _, b := range strays {
		it := b.Names
		switch {
		case it == nil && last != nil && repeated[last] < len(last.Blocks) && vote.Same(b.Block, last.Blocks[repeated[last]]):
			it = last // a further vote on the same resolution
		case it == nil && next < len(order):
			it = order[next]
		}
		last = it
		repeated[it]++
		if it == nil || len(it.Blocks) == 0 {
			s.Report(council.CodeAttachmentDiffers, -1, nil, b.Page, "an attachment records a vote ("+b.Result+
				") that the minutes do not show")
			continue
		}
		next = place[it] + 1
		if !it.Has(b.Block) {
			n, ok := index[it]
			if !ok {
				n = -1
			}
			s.Report(council.CodeAttachmentDiffers, n, nil, b.Page,
				fmt.Sprintf("the attached resolution records %q, the minutes %q, or other names", b.Result,
					it.Blocks[len(it.Blocks)-1].Result))
		}
	}
}
