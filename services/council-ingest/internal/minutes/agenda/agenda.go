// Package agenda reads the classified lines of minutes in order: the attendance list, then
// headings, items, motions and votes. It assigns each vote to its item, checks every vote and
// writes the record.
//
//   - reader.go has the loop over the lines.
//   - attendance.go and rollcall.go read the attendance list, a table or lists.
//   - marker.go decides which numbers begin a heading or an item, title.go finds the end of the
//     title, and open.go opens the item; filed.go does the same for items that begin with file
//     numbers.
//   - block.go reads the table of one vote: collect.go finds its lines, align.go assigns every
//     value to its label, fill.go resolves the names. fill.go also reads votes that a sentence
//     states.
//   - motion.go finds the motion of each vote, sentence.go the end of its sentence.
//   - consent.go assigns the vote on the consent calendar to its items, check.go checks the votes,
//     finish.go writes the record.
package agenda

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
)

// Section is a heading and what follows it.
type Section struct {
	Number    string // as printed; "" if it has none
	Title     string
	Page      int
	Line      int
	Until     int // line of the next heading; 0 if there is none
	Consent   bool
	Removed   bool // it lists items removed from the consent calendar
	Adjourn   bool
	Parent    *Section // numbered heading above a heading without a number
	Items     []*Item
	Blocks    []*Block // votes before any item
	Motion    *Motion  // motion of the consent vote
	LastValue map[lex.MarkerStyle]int
	Untitled  bool // its title is printed further down
	Own       *Item
}

// Item is an agenda item, with or without votes.
type Item struct {
	Number  string
	File    string
	Title   string
	Page    int
	Line    int
	Sec     *Section
	Heading bool // it is a heading with its own vote
	Pulled  bool // it was removed from the consent calendar
	Kind    lex.MarkerStyle
	Blocks  []*Block
	Shared  bool  // the vote on the consent calendar adopted it
	Consent bool  // it is on the consent calendar and was not removed
	Parent  *Item // set if it may be an entry of a list in the text of this item
	Moved   bool  // it has its own motion, in minutes that state votes in sentences
	Alone   bool  // only its title was read so far
}

func (sec *Section) setTitle(title string) {
	sec.Title, sec.Adjourn = title, dialect.IsAdjourn(title)
	sec.Consent, sec.Removed = council.ConsentHeading(title)
	sec.Consent = sec.Consent || sec.Parent != nil && sec.Parent.Consent && !sec.Removed
}

func (sec *Section) ownItem() *Item {
	if sec.Own == nil {
		sec.Own = &Item{Number: sec.Number, Title: sec.Title, Page: sec.Page, Line: sec.Line, Sec: sec, Heading: true}
	}
	return sec.Own
}

const maxList = 100

func (s *Reader) votedItems() []*Item {
	var items []*Item
	for _, sec := range s.sections {
		if sec.Own != nil && len(sec.Own.Blocks) > 0 {
			items = append(items, sec.Own)
		}
		items = append(items, sec.voted()...)
	}
	slices.SortStableFunc(items, func(a, b *Item) int { return a.Line - b.Line })
	return items
}

func (sec *Section) voted() []*Item {
	return slices.DeleteFunc(slices.Clone(sec.Items), func(it *Item) bool { return len(it.Blocks) == 0 })
}

func (it *Item) has(b *Block) bool {
	return slices.ContainsFunc(it.Blocks, func(other *Block) bool { return same(b, other) })
}

func (s *Reader) has(b *Block, here *Section) bool {
	return slices.ContainsFunc(s.sections, func(sec *Section) bool {
		return sec != here && slices.ContainsFunc(sec.Blocks, func(other *Block) bool { return same(b, other) }) ||
			slices.ContainsFunc(sec.Items, func(it *Item) bool { return it.has(b) })
	})
}

func (s *Reader) reportPending() {
	if s.Stating {
		return // perhaps the item was held
	}
	for _, sec := range s.sections {
		if len(sec.voted())*2 <= len(sec.Items) || sec.Consent {
			continue
		}
		for _, it := range sec.Items {
			if len(it.Blocks) == 0 && it.Parent == nil && !it.Pulled && it.Kind != lex.Bullet {
				s.Report(council.CodeVoteMissing, -1, nil, it.Page, it.name()+
					": no RESULT line, though other items of its section have one")
			}
		}
	}
}

func (it *Item) name() string { return strings.TrimSpace(it.Number + " " + it.Title) }

type stray struct {
	*Block
	Names *Item // item with the file number of the resolution, or nil
}

// compareAttachments reports tables of attachments that contradict the minutes. These tables never
// become votes. index has the position of each item in the record.
func (s *Reader) compareAttachments(strays []stray, index map[*Item]int) {
	var order []*Item
	place := map[*Item]int{}
	for _, sec := range s.sections {
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
		case it == nil && last != nil && repeated[last] < len(last.Blocks) && same(b.Block, last.Blocks[repeated[last]]):
			it = last // it is another vote on the same resolution
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
		if !it.has(b.Block) {
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
