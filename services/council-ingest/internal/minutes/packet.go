package minutes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// isAttachment reports whether a table stands on a resolution attached to the
// minutes, where the vote of the minutes is printed again. That is so behind
// the adjournment, unless the table stands right under it and is new, and
// wherever the text before it calls itself the resolution of an item that has
// been voted on already.
func (s *scan) isAttachment(b *block) bool {
	if s.attached {
		return true
	}
	if s.closing > 0 && b.line >= s.closing {
		if b.line-s.closing < 25 && s.sec.adjourn && !s.printedBefore(b) && !s.signedBefore(b.line) {
			return false // the vote to adjourn
		}
		s.attached = true
		return true
	}
	if it := s.itemNamedBefore(b.line); it != nil && it != s.item {
		for _, other := range it.blocks {
			if sameTable(b, other) {
				s.attached = true
				return true
			}
		}
	}
	return false
}

// signedBefore reports whether the minutes are signed between the heading of the
// adjournment and line at: what follows the signature is attached to them.
func (s *scan) signedBefore(at int) bool {
	for j := s.closing; j < at; j++ {
		if dialect.IsSignature(s.lines[j].Text) {
			return true
		}
	}
	return false
}

// printedBefore reports whether an item, or a list of items, has the same table.
func (s *scan) printedBefore(b *block) bool {
	for _, sec := range s.sections {
		for _, other := range sec.blocks {
			if sec != s.sec && sameTable(b, other) {
				return true
			}
		}
		for _, it := range sec.items {
			for _, other := range it.blocks {
				if sameTable(b, other) {
					return true
				}
			}
		}
	}
	return false
}

// sameTable reports whether two tables say the same of everybody.
func sameTable(a, b *block) bool {
	return strings.EqualFold(a.result, b.result) && a.mover == b.mover && a.seconder == b.seconder &&
		sameNames(a.positions.Aye, b.positions.Aye) && sameNames(a.positions.Nay, b.positions.Nay) &&
		sameNames(a.positions.Abstain, b.positions.Abstain) && sameNames(a.positions.Absent, b.positions.Absent) &&
		sameNames(a.positions.Recused, b.positions.Recused)
}

func sameNames(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// itemNamedBefore finds the item whose file number stands on a line of its own
// ("TB Resolution 2025-1") between the last table and line at.
func (s *scan) itemNamedBefore(at int) *item {
	if len(s.files) == 0 {
		return nil
	}
	for j := s.blockBefore; j < at; j++ {
		text := s.lines[j].Text
		if len(text) < 3 || len(text) > 60 || strings.IndexByte(text, '-') < 0 {
			continue
		}
		i := strings.LastIndexByte(text, ' ')
		if it := s.files[text[i+1:]]; it != nil {
			if _, named := shape.ResolutionNumber(text); named || i < 12 {
				return it
			}
		}
	}
	return nil
}

// settleAttachments compares the repeated tables with the votes of the minutes
// and reports the ones that differ. They never become votes.
func (s *scan) settleAttachments() {
	next := 0
	var order []*item
	place := map[*item]int{}
	for _, sec := range s.sections {
		for _, it := range sec.items {
			if len(it.blocks) > 0 {
				place[it] = len(order)
				order = append(order, it)
			}
		}
	}
	var last *item
	repeated := map[*item]int{}
	for _, b := range s.strays {
		it := b.names
		if it == nil && last != nil && repeated[last] < len(last.blocks) && sameTable(b, last.blocks[repeated[last]]) {
			it = last // a further vote on the same resolution
		}
		if it == nil && next < len(order) {
			it = order[next]
		}
		last = it
		repeated[it]++
		if it == nil || len(it.blocks) == 0 {
			s.report(council.CodeAttachmentDiffers, -1, nil, b.Page, "an attachment records a vote ("+b.result+") that the minutes do not show")
			continue
		}
		next = place[it] + 1
		same := false
		for _, other := range it.blocks {
			same = same || sameTable(b, other)
		}
		if !same {
			s.reportAt(council.CodeAttachmentDiffers, it, b.Page, fmt.Sprintf("the attached resolution records %q, the minutes %q, or other names", b.result, it.blocks[len(it.blocks)-1].result))
		}
	}
}
