package agenda

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
)

const maxSpread = 2_000

func (s *Reader) spreadConsent() {
	for n, sec := range s.sections {
		if sec.Consent {
			s.spreadOver(sec, s.sections[n+1:])
		}
	}
}

// spreadOver assigns the vote on a consent calendar to its items. The table is before or after the
// list, or the same table is under each item. An item with other movers or another result was
// removed and voted on separately. The following sections may be parts of the list.
func (s *Reader) spreadOver(sec *Section, following []*Section) {
	if above := sec.Parent; above != nil && above.Consent && len(above.Blocks) > 0 && len(sec.Blocks) == 0 {
		return // the vote above is on all parts
	}
	listed := sec.listed(following)
	// A table below the last item is the vote on the list.
	if n := len(sec.Items); n > 1 && len(sec.Blocks) == 0 {
		if last := sec.Items[n-1]; len(last.Blocks) == 1 && last.Parent == nil && len(sec.voted()) == 1 {
			sec.Blocks, last.Blocks = last.Blocks, nil
		}
	}
	listed = s.removePulled(sec, listed)
	common := commonBlock(sec, listed)
	if common == nil {
		return
	}
	if len(listed) == 0 {
		own := sec.ownItem()
		own.Consent = true
		own.Blocks = append(own.Blocks, sec.Blocks...)
		for _, b := range own.Blocks {
			b.ViaConsent = true
		}
		return
	}
	// Earlier votes under the heading were about the list itself.
	if n := len(sec.Blocks); n > 1 {
		sec.ownItem().Blocks = append(sec.ownItem().Blocks, sec.Blocks[:n-1]...)
	}
	for _, it := range listed {
		switch {
		case len(it.Blocks) == 0:
			if s.spread++; s.spread > maxSpread {
				s.Report(council.CodeTextCut, -1, nil, it.Page,
					fmt.Sprintf("the vote on a list was not given to more than %d items", maxSpread))
				s.checkRange(sec, listed, common)
				return
			}
			it.Blocks = []*Block{common}
			it.Shared = true
			it.Consent = true
		case len(it.Blocks) == 1 && it.Blocks[0].key() == common.key():
			it.Consent = true
			it.Blocks[0].ViaConsent = true
			if it.Blocks[0].Motion == nil {
				it.Blocks[0].Motion = common.Motion
			}
		}
	}
	common.ViaConsent = true
	s.checkRange(sec, listed, common)
}

// listed returns the items under a consent heading. If the heading has the vote, it includes the
// items of the parts.
func (sec *Section) listed(following []*Section) []*Item {
	items := slices.Clone(sec.Items)
	for _, part := range following {
		if part.Parent != sec || len(sec.Blocks) == 0 {
			break
		}
		if part.Consent && len(part.Blocks) == 0 {
			items = append(items, part.Items...)
		}
	}
	return slices.DeleteFunc(items, func(it *Item) bool { return it.Pulled || it.Moved || it.Parent != nil })
}

// commonBlock returns the vote on the list: the last table under the heading, or the most frequent
// table under the items.
func commonBlock(sec *Section, listed []*Item) *Block {
	if n := len(sec.Blocks); n > 0 {
		return sec.Blocks[n-1]
	}
	count, first := map[[3]string]int{}, map[[3]string]*Block{}
	var best *Block
	for _, it := range listed {
		if len(it.Blocks) == 0 {
			continue
		}
		key := it.Blocks[0].key()
		if count[key]++; count[key] == 1 {
			first[key] = it.Blocks[0]
		}
		if best == nil || count[key] > count[best.key()] {
			best = first[key]
		}
	}
	if best != nil && best.Motion == nil {
		best.Motion = sec.Motion
	}
	return best
}

func (s *Reader) checkRange(sec *Section, listed []*Item, b *Block) {
	m := b.Motion
	if m == nil {
		return
	}
	named := dialect.Range(m.Text)
	if len(named) == 0 {
		return
	}
	dotted := slices.ContainsFunc(named, func(w string) bool { return strings.Contains(w, ".") })
	var have []string
	for _, it := range listed {
		if it.Consent {
			name := dialect.ItemName(it.Number)
			if !dotted {
				name = name[strings.LastIndexByte(name, '.')+1:]
			}
			have = append(have, name)
		}
	}
	slices.Sort(have)
	out := s.namedRemoved(sec)
	for _, it := range sec.Items {
		if it.Pulled {
			out = append(out, it.Number)
		}
	}
	named = slices.DeleteFunc(named, func(w string) bool {
		return !slices.Contains(have, w) && slices.ContainsFunc(out, func(label string) bool {
			return dialect.SameItem(w, label)
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
func (s *Reader) removePulled(sec *Section, listed []*Item) []*Item {
	removed := s.namedRemoved(sec)
	stay := listed[:0:0]
	for _, it := range listed {
		again := s.votedLater(it)
		if !again && !slices.ContainsFunc(removed, func(name string) bool { return dialect.SameItem(name, it.Number) }) {
			stay = append(stay, it)
			continue
		}
		it.Pulled = true
		if !again && len(it.Blocks) == 0 {
			s.Report(council.CodeVoteMissing, -1, nil, it.Page, it.name()+
				": taken off the consent list, and no vote of its own is printed")
		}
	}
	return stay
}

// votedLater reports whether an item of a consent calendar occurs again with a vote. It must be
// outside of any consent calendar, or further down under the same heading.
func (s *Reader) votedLater(it *Item) bool {
	if s.voted == nil {
		s.voted = map[string][]*Item{}
		for _, sec := range s.sections {
			for _, other := range sec.voted() {
				for _, key := range []string{other.File, council.FoldName(other.Title)} {
					s.voted[key] = append(s.voted[key], other)
				}
			}
		}
	}
	for _, key := range []string{it.File, council.FoldName(it.Title)} {
		same := s.voted[key]
		for _, other := range same[max(0, len(same)-maxList):] {
			elsewhere := other.Sec.Consent && other.Sec != it.Sec
			if key != "" && other.Line > it.Line && !elsewhere && sameItem(it, other) {
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
func sameItem(listed, later *Item) bool {
	if listed.File != "" && later.File != "" {
		return listed.File == later.File && (later.Sec != listed.Sec || later.Number == listed.Number)
	}
	title := council.FoldName(listed.Title)
	if title == "" || title != council.FoldName(later.Title) {
		return false
	}
	return dialect.SameItem(dialect.ItemName(later.Number), listed.Number) ||
		later.Sec != listed.Sec && (later.Sec.Removed || strings.Count(title, " ") >= 5)
}

// namedRemoved returns the items that the text under a consent heading names as removed, in upper
// case.
func (s *Reader) namedRemoved(sec *Section) []string {
	end := len(s.Rows)
	if sec.Until > 0 {
		end = sec.Until
	}
	var out []string
	for j := sec.Line + 1; j < end && j < sec.Line+400; {
		if s.Rows[j].Text == "" {
			j++
			continue
		}
		var parts []string
		for ; j < end && s.Rows[j].Text != ""; j++ {
			parts = append(parts, s.Rows[j].Text)
		}
		out = append(out, dialect.TakenOut(lex.Join(parts))...)
	}
	return out
}
