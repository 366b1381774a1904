package minutes

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// settleConsent gives the one vote of a consent list to every item that it
// covers. Two forms are printed: one table before (or after) the list, or the
// same table under each item. An item with a table of other movers or another
// result was pulled and voted on by itself. The parts of the list, under
// headings of their own, are the first of the sections that follow.
func (s *scan) settleConsent(sec *section, following []*section) {
	if !sec.consent {
		return
	}
	if above := sec.parent; above != nil && above.consent && len(above.blocks) > 0 && len(sec.blocks) == 0 {
		return // one vote stands above all parts of the list
	}
	var listed []*item
	list := func(items []*item) {
		for _, it := range items {
			if !it.pulled && it.parent == nil {
				listed = append(listed, it)
			}
		}
	}
	list(sec.items)
	for _, part := range following {
		if part.parent != sec || len(sec.blocks) == 0 {
			break
		}
		if part.consent && len(part.blocks) == 0 {
			list(part.items)
		}
	}
	// A table behind the list is the vote on the list, not on its last item.
	if n := len(sec.items); n > 1 && len(sec.blocks) == 0 {
		last := sec.items[n-1]
		if len(last.blocks) == 1 && last.parent == nil && !slices.ContainsFunc(sec.items[:n-1], func(it *item) bool { return len(it.blocks) > 0 }) {
			sec.blocks, last.blocks = last.blocks, nil
		}
	}
	listed = s.takeOut(sec, listed)
	common := s.commonBlock(sec, listed)
	if common == nil {
		return
	}
	if len(listed) == 0 {
		own := sec.ownItem()
		own.consent = true
		own.blocks = append(own.blocks, sec.blocks...)
		for _, b := range own.blocks {
			b.viaConsent = true
		}
		return
	}
	// Votes before the last one under the heading were about the list itself.
	if n := len(sec.blocks); n > 1 {
		sec.ownItem().blocks = append(sec.ownItem().blocks, sec.blocks[:n-1]...)
	}
	for _, it := range listed {
		switch {
		case len(it.blocks) == 0:
			if s.spread++; s.spread > maxVotes {
				s.report(council.CodeTextCut, -1, nil, it.Page, fmt.Sprintf("the vote on a list was not given to more than %d items", maxVotes))
				s.checkRange(sec, listed, common)
				return
			}
			it.blocks = []*block{common}
			it.shared = true
			it.consent = true
		case len(it.blocks) == 1 && it.blocks[0].voteKey() == common.voteKey():
			it.consent = true
			it.blocks[0].viaConsent = true
			if it.blocks[0].motion == nil {
				it.blocks[0].motion = common.motion
			}
		}
	}
	common.viaConsent = true
	s.checkRange(sec, listed, common)
}

// commonBlock is the vote on the list: the last table under the heading, else
// the one that stands under most items.
func (s *scan) commonBlock(sec *section, listed []*item) *block {
	if n := len(sec.blocks); n > 0 {
		return sec.blocks[n-1]
	}
	var with []*item
	for _, it := range listed {
		if len(it.blocks) > 0 {
			with = append(with, it)
		}
	}
	if len(with) == 0 {
		return nil
	}
	count := map[[3]string]int{}
	best, most := with[0].blocks[0], 0
	for _, it := range with {
		key := it.blocks[0].voteKey()
		if count[key]++; count[key] > most {
			best, most = it.blocks[0], count[key]
		}
	}
	for _, it := range with {
		if it.blocks[0].voteKey() == best.voteKey() {
			best = it.blocks[0] // the first of them
			break
		}
	}
	if best.motion == nil {
		best.motion = sec.motion
	}
	return best
}

// voteKey tells votes apart: two tables record one vote when the same people
// moved it and it ended alike. A member recused on one item does not make it
// another vote.
func (b *block) voteKey() [3]string {
	return [3]string{b.mover, b.seconder, strings.ToUpper(shape.ResultWords(b.result))}
}

// checkRange compares the items that the motion names with the items listed.
func (s *scan) checkRange(sec *section, listed []*item, b *block) {
	m := b.motion
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
		if it.consent {
			name := dialect.ItemName(it.number)
			if i := strings.LastIndexByte(name, '.'); i >= 0 && !dotted {
				name = name[i+1:]
			}
			have = append(have, name)
		}
	}
	sort.Strings(have)
	var out []string
	for _, it := range sec.items {
		if it.pulled {
			out = append(out, it.number)
		}
	}
	out = append(out, s.saidOut(sec)...)
	named = slices.DeleteFunc(named, func(w string) bool {
		return !slices.Contains(have, w) && slices.ContainsFunc(out, func(label string) bool { return dialect.SameItem(w, label) })
	})
	if strings.Join(named, " ") != strings.Join(have, " ") {
		b.note(council.CodeConsentRange, fmt.Sprintf("the consent motion names items %s, the list has %s", strings.Join(named, ", "), strings.Join(have, ", ")))
	}
}
