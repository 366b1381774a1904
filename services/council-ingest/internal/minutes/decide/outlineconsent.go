package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

const maxSpread = 2_000

func (o *outline) spreadConsent() {
	for n, sec := range o.sections {
		if sec.consent {
			o.spreadOver(sec, o.sections[n+1:])
		}
	}
}

// spreadOver assigns the vote on a consent calendar to its items. The table is before or after the
// list, or the same table is under each item. An item with other movers or another result was
// removed and voted on separately. The following sections may be parts of the list.
func (o *outline) spreadOver(sec *section, following []*section) {
	if above := sec.parent; above != nil && above.consent && len(above.list.votes) > 0 && len(sec.list.votes) == 0 {
		return // the vote above is on all parts
	}
	// A table below the last item is the vote on the list.
	if n := len(sec.items); n > 1 && len(sec.list.votes) == 0 {
		if last := sec.items[n-1]; len(last.votes) == 1 && last.parent == nil && len(sec.voted()) == 1 {
			sec.list.votes, last.votes = last.votes, nil
			last.moved = false
		}
	}
	listed := o.removePulled(sec, sec.listed(following))
	common := commonVote(sec, listed)
	if common == nil {
		return
	}
	if len(listed) == 0 {
		own := sec.ownItem()
		own.consent = true
		own.votes = append(own.votes, sec.list.votes...)
		for _, b := range own.votes {
			b.viaConsent = true
		}
		return
	}
	// Earlier votes under the heading were about the list itself.
	if n := len(sec.list.votes); n > 1 {
		sec.ownItem().votes = append(sec.ownItem().votes, sec.list.votes[:n-1]...)
	}
	for _, it := range listed {
		switch {
		case len(it.votes) == 0:
			if o.spread++; o.spread > maxSpread {
				o.Report(council.CodeTextCut, -1, nil, it.page,
					fmt.Sprintf("the vote on a list was not given to more than %d items", maxSpread))
				o.checkRange(sec, listed, common)
				return
			}
			it.votes = []*draft{common}
			it.shared = true
			it.consent = true
		case len(it.votes) == 1 && it.votes[0].key() == common.key():
			it.consent = true
			it.votes[0].viaConsent = true
			if it.votes[0].motion == nil {
				it.votes[0].motion = common.motion
			}
		}
	}
	common.viaConsent = true
	o.checkRange(sec, listed, common)
}

// listed returns the items under a consent heading. If the heading has the vote, it includes the
// items of the parts.
func (sec *section) listed(following []*section) []*item {
	items := slices.Clone(sec.items)
	for _, part := range following {
		if part.parent != sec || len(sec.list.votes) == 0 {
			break
		}
		if part.consent && len(part.list.votes) == 0 {
			items = append(items, part.items...)
		}
	}
	return slices.DeleteFunc(items, func(it *item) bool { return it.pulled || it.moved || it.parent != nil })
}

// commonVote returns the vote on the list: the last table under the heading, or the most frequent
// table under the items.
func commonVote(sec *section, listed []*item) *draft {
	if n := len(sec.list.votes); n > 0 {
		return sec.list.votes[n-1]
	}
	count, first := map[[3]string]int{}, map[[3]string]*draft{}
	var best *draft
	for _, it := range listed {
		if len(it.votes) == 0 {
			continue
		}
		key := it.votes[0].key()
		if count[key]++; count[key] == 1 {
			first[key] = it.votes[0]
		}
		if best == nil || count[key] > count[best.key()] {
			best = first[key]
		}
	}
	if best != nil && best.motion == nil {
		best.motion = sec.motion
	}
	return best
}

func (o *outline) checkRange(sec *section, listed []*item, b *draft) {
	m := b.motion
	if m == nil {
		return
	}
	named := lexicon.Range(m.Text)
	if len(named) == 0 {
		return
	}
	dotted := slices.ContainsFunc(named, func(w string) bool { return strings.Contains(w, ".") })
	var have []string
	for _, it := range listed {
		if it.consent {
			name := lexicon.ItemName(it.number)
			if !dotted {
				name = name[strings.LastIndexByte(name, '.')+1:]
			}
			have = append(have, name)
		}
	}
	slices.Sort(have)
	out := o.namedRemoved(sec)
	for _, it := range sec.items {
		if it.pulled {
			out = append(out, it.number)
		}
	}
	named = slices.DeleteFunc(named, func(w string) bool {
		return !slices.Contains(have, w) && slices.ContainsFunc(out, func(label string) bool {
			return lexicon.SameItem(w, label)
		})
	})
	if strings.Join(named, " ") != strings.Join(have, " ") {
		b.note(council.CodeConsentRange, fmt.Sprintf("the consent motion names items %s, the list has %s",
			strings.Join(named, ", "), strings.Join(have, ", ")))
	}
}

// removePulled marks the items that were removed from the consent calendar, and returns the others.
// An item was removed if the text under the heading says so ("Trustee Roe asked that item C be
// removed", "to approve the calendar, except items 3 and 5"), or if it has its own vote further
// down.
func (o *outline) removePulled(sec *section, listed []*item) []*item {
	removed := o.namedRemoved(sec)
	stay := listed[:0:0]
	for _, it := range listed {
		again := o.votedLater(it)
		if !again && !slices.ContainsFunc(removed, func(name string) bool { return lexicon.SameItem(name, it.number) }) {
			stay = append(stay, it)
			continue
		}
		it.pulled = true
		if !again && len(it.votes) == 0 {
			o.Report(council.CodeVoteMissing, -1, nil, it.page, it.name()+
				": taken off the consent list, and no vote of its own is printed")
		}
	}
	return stay
}

// votedLater reports whether an item of a consent calendar occurs again with a vote. It must be
// outside of any consent calendar, or further down under the same heading.
func (o *outline) votedLater(it *item) bool {
	if o.voted == nil {
		o.voted = map[string][]*item{}
		for _, sec := range o.sections {
			for _, other := range sec.voted() {
				for _, key := range []string{other.file, council.FoldName(other.title)} {
					o.voted[key] = append(o.voted[key], other)
				}
			}
		}
	}
	for _, key := range []string{it.file, council.FoldName(it.title)} {
		same := o.voted[key]
		for _, other := range same[max(0, len(same)-maxList):] {
			elsewhere := other.sec.consent && other.sec != it.sec
			if key != "" && other.row > it.row && !elsewhere && sameItem(it, other) {
				return true
			}
		}
	}
	return false
}

// sameItem reports whether a later item is the same as an item of the consent calendar: it has the
// same file number or the same title. Equal titles count only if the numbers are equal too, if the
// later heading is for removed items, or if the title is longer than common titles such as
// "Approval of Minutes".
func sameItem(listed, later *item) bool {
	if listed.file != "" && later.file != "" {
		return listed.file == later.file && (later.sec != listed.sec || later.number == listed.number)
	}
	title := council.FoldName(listed.title)
	if title == "" || title != council.FoldName(later.title) {
		return false
	}
	return lexicon.SameItem(lexicon.ItemName(later.number), listed.number) ||
		later.sec != listed.sec && (later.sec.removed || strings.Count(title, " ") >= 5)
}

// namedRemoved returns the items that the text under a consent heading names as removed, in upper
// case.
func (o *outline) namedRemoved(sec *section) []string {
	end := len(o.Rows)
	if sec.until > 0 {
		end = sec.until
	}
	var out []string
	for j := sec.line + 1; j < end && j < sec.line+400; {
		if o.Rows[j].Text == "" {
			j++
			continue
		}
		var parts []string
		for ; j < end && o.Rows[j].Text != ""; j++ {
			parts = append(parts, o.Rows[j].Text)
		}
		out = append(out, lexicon.TakenOut(lexicon.Join(parts))...)
	}
	return out
}

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

func (it *item) has(t *signal.Table) bool {
	return slices.ContainsFunc(it.tables, func(other *signal.Table) bool { return signal.Same(t, other) })
}

func (o *outline) has(t *signal.Table, here *section) bool {
	return slices.ContainsFunc(o.sections, func(sec *section) bool {
		return sec != here && slices.ContainsFunc(sec.list.tables, func(other *signal.Table) bool {
			return signal.Same(t,
				other)
		}) ||
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
			if len(it.votes) == 0 && it.parent == nil && !it.pulled && it.kind != lexicon.Bullet {
				o.Report(council.CodeVoteMissing, -1, nil, it.page, it.name()+
					": no RESULT line, though other items of its section have one")
			}
		}
	}
}

func (it *item) name() string { return strings.TrimSpace(it.number + " " + it.title) }

// A stray is a table of an attachment.
type stray struct {
	*signal.Table
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
		case it == nil && last != nil && repeated[last] < len(last.votes) &&
			signal.Same(b.Table, last.votes[repeated[last]].table):
			it = last // it is another vote on the same resolution
		case it == nil && next < len(order):
			it = order[next]
		}
		last = it
		repeated[it]++
		if it == nil || len(it.votes) == 0 {
			o.Report(council.CodeAttachmentDiffers, -1, nil, b.Page, "an attachment records a vote ("+b.Result+
				") that the minutes do not show")
			continue
		}
		next = place[it] + 1
		if !slices.ContainsFunc(it.votes, func(d *draft) bool { return signal.Same(b.Table, d.table) }) {
			n, ok := index[it]
			if !ok {
				n = -1
			}
			o.Report(council.CodeAttachmentDiffers, n, nil, b.Page,
				fmt.Sprintf("the attached resolution records %q, the minutes %q, or other names", b.Result,
					it.votes[len(it.votes)-1].table.Result))
		}
	}
}
