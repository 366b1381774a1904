package minutes

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/townline/townline/pkg/council"
)

// isPulledStub knows what is left in the list where an item was taken out of
// it: "Item C moved to Recommended Actions".
func (s *scan) isPulledStub(title string) bool {
	if s.sec == nil || !s.sec.consent {
		return false
	}
	l := strings.ToLower(title)
	if len(l) > 120 {
		return false
	}
	for _, verb := range []string{"moved to", "removed from", "pulled from", "was pulled", "was removed", "taken from the consent", "was moved", "moved from", "pulled for", "removed for"} {
		if strings.Contains(l, verb) {
			return strings.Contains(l, "item") || strings.Contains(l, "consent") || strings.HasPrefix(l, "pulled") || strings.HasPrefix(l, "removed") || strings.HasPrefix(l, "moved")
		}
	}
	return false
}

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
				s.report(council.CodeTextCut, -1, nil, it.page, fmt.Sprintf("the vote on a list was not given to more than %d items", maxVotes))
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
	return [3]string{b.mover, b.seconder, strings.ToUpper(resultWordsOf(b.result))}
}

func resultWordsOf(raw string) string {
	if i := strings.IndexByte(raw, '['); i >= 0 {
		raw = raw[:i]
	}
	return strings.TrimSpace(raw)
}

// checkRange compares the items that the motion names with the items listed.
func (s *scan) checkRange(sec *section, listed []*item, b *block) {
	m := b.motion
	if m == nil {
		return
	}
	named := rangeOf(m.text)
	if len(named) == 0 {
		return
	}
	dotted := slices.ContainsFunc(named, func(w string) bool { return strings.Contains(w, ".") })
	var have []string
	for _, it := range listed {
		if it.consent {
			name := itemName(it.number)
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
		return !slices.Contains(have, w) && slices.ContainsFunc(out, func(label string) bool { return sameItemName(w, label) })
	})
	if strings.Join(named, " ") != strings.Join(have, " ") {
		b.note(council.CodeConsentRange, fmt.Sprintf("the consent motion names items %s, the list has %s", strings.Join(named, ", "), strings.Join(have, ", ")))
	}
}

// rangeOf reads the items that a consent motion names: "items A – F", "items
// B, D and E", "item A", "items 3.1 to 3.9".
func rangeOf(text string) []string {
	l := lowerASCII(text)
	for _, w := range exceptWords {
		if i := strings.Index(l, w); i >= 0 {
			l, text = l[:i], text[:i]
		}
	}
	i := strings.Index(l, "item")
	if i < 0 {
		return nil
	}
	out := itemNames(text[i+len("item"):])
	sort.Strings(out)
	return out
}

// itemNames reads the numbers of items with which a text begins, perhaps behind
// the end of the word "items". Letters are capitals: "an item a member asked
// for" names none.
func itemNames(rest string) []string {
	f := strings.FieldsFunc(strings.TrimPrefix(rest, "s"), func(r rune) bool { return r == ' ' || r == ',' || r == ';' })
	var out []string
	through := false
	for k, w := range f {
		if k > 40 {
			break
		}
		switch strings.ToLower(strings.TrimRight(w, ":")) {
		case "and", "&", "item", "items", "no", "nos", "#", "number", "numbers", "the", "for", "of", "agenda", "consent":
			continue
		case "-", "–", "through", "to", "thru":
			through = true
			continue
		}
		w = strings.Trim(strings.ReplaceAll(w, "–", "-"), ".:)#")
		if a, b, ok := strings.Cut(w, "-"); ok && isItemName(a) && isItemName(b) {
			out = append(out, between(a, b)...)
			continue
		}
		if !isItemName(w) {
			break
		}
		if through && len(out) > 0 {
			out = append(out, between(out[len(out)-1], w)[1:]...)
			through = false
			continue
		}
		out = append(out, w)
	}
	for i := range out {
		out[i] = strings.ToUpper(out[i])
	}
	return out
}

// isItemName knows "C", "12", "3.C", "3.12", "7B" and "7b".
func isItemName(w string) bool {
	if a, b, dotted := strings.Cut(w, "."); dotted {
		return allDigits(a) && len(a) <= 2 && isItemName(b)
	}
	if n := len(w); n >= 2 && n <= 3 && letter(w[n-1]) && allDigits(w[:n-1]) {
		return true
	}
	return len(w) == 1 && upper(w[0]) || len(w) <= 3 && allDigits(w)
}

// between lists the items from a to b.
func between(a, b string) []string {
	if head, tail, dotted := strings.Cut(a, "."); dotted {
		section, last, too := strings.Cut(b, ".")
		if !too {
			last = b // 3.1 to 9
		} else if section != head {
			return []string{a, b}
		}
		out := between(tail, last)
		for i := range out {
			out[i] = head + "." + out[i]
		}
		return out
	}
	if len(a) == 1 && len(b) == 1 && upper(a[0]) && a[0] <= b[0] {
		var out []string
		for c := a[0]; c <= b[0]; c++ {
			out = append(out, string(c))
		}
		return out
	}
	if allDigits(a) && allDigits(b) && atoi(b) >= atoi(a) && atoi(b) < atoi(a)+200 {
		var out []string
		for n := atoi(a); n <= atoi(b); n++ {
			out = append(out, fmt.Sprint(n))
		}
		return out
	}
	return []string{a, b}
}
