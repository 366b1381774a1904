package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
)

// votedItems returns the items with a vote, in the order of the document.
func (o *outline) votedItems() []*item {
	var items []*item
	for _, sec := range o.sections {
		if sec.own != nil && len(sec.own.votes) > 0 {
			items = append(items, sec.own)
		}
		items = append(items, sec.voted()...)
	}
	slices.SortStableFunc(items, func(a, b *item) int { return a.row - b.row })
	return items
}

func (sec *section) voted() []*item {
	return slices.DeleteFunc(slices.Clone(sec.items), func(it *item) bool { return len(it.votes) == 0 })
}

func (it *item) has(t *table) bool {
	return slices.ContainsFunc(it.tables, func(other *table) bool { return same(t, other) })
}

func (o *outline) has(t *table, here *section) bool {
	return slices.ContainsFunc(o.sections, func(sec *section) bool {
		return sec != here && slices.ContainsFunc(sec.list.tables, func(other *table) bool { return same(t, other) }) ||
			slices.ContainsFunc(sec.items, func(it *item) bool { return it.has(t) })
	})
}

// reportPending reports items without a vote in sections where most items have one.
func (o *outline) reportPending() {
	if o.Filed {
		return // perhaps the item was held
	}
	for _, sec := range o.sections {
		if len(sec.voted())*2 <= len(sec.items) || sec.consent {
			continue
		}
		for _, it := range sec.items {
			if len(it.votes) == 0 && it.parent == nil && !it.pulled && it.kind != lex.Bullet {
				o.Report(council.CodeVoteMissing, -1, nil, it.page, it.name()+
					": no RESULT line, though other items of its section have one")
			}
		}
	}
}

func (it *item) name() string { return strings.TrimSpace(it.number + " " + it.title) }

// A stray is a table of an attachment.
type stray struct {
	*table
	names *item // item with the file number of the resolution, or nil
}

// compareAttachments reports tables of attachments that contradict the minutes. These tables never
// become votes. index has the position of each item in the record.
func (o *outline) compareAttachments(index map[*item]int) {
	var order []*item
	place := map[*item]int{}
	for _, sec := range o.sections {
		for _, it := range sec.voted() {
			place[it] = len(order)
			order = append(order, it)
		}
	}
	var last *item
	next, repeated := 0, map[*item]int{}
	for _, b := range o.strays {
		it := b.names
		switch {
		case it == nil && last != nil && repeated[last] < len(last.votes) && same(b.table, last.votes[repeated[last]].table):
			it = last // it is another vote on the same resolution
		case it == nil && next < len(order):
			it = order[next]
		}
		last = it
		repeated[it]++
		if it == nil || len(it.votes) == 0 {
			o.Report(council.CodeAttachmentDiffers, -1, nil, b.page, "an attachment records a vote ("+b.result+
				") that the minutes do not show")
			continue
		}
		next = place[it] + 1
		if !slices.ContainsFunc(it.votes, func(d *draft) bool { return same(b.table, d.table) }) {
			n, ok := index[it]
			if !ok {
				n = -1
			}
			o.Report(council.CodeAttachmentDiffers, n, nil, b.page,
				fmt.Sprintf("the attached resolution records %q, the minutes %q, or other names", b.result,
					it.votes[len(it.votes)-1].table.result))
		}
	}
}
