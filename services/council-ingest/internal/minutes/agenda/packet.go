package agenda

import (
	"fmt"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/vote"
)

// Stray is a table on a resolution attached to the minutes.
type Stray struct {
	*vote.Block
	Names *Item // whose file number the resolution shows, nil for none
}

// CompareAttachments compares the repeated tables with the votes of the minutes
// and reports the ones that differ. They never become votes. index is the place
// of each item in the record.
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
			s.Report(council.CodeAttachmentDiffers, -1, nil, b.Page, "an attachment records a vote ("+b.Result+") that the minutes do not show")
			continue
		}
		next = place[it] + 1
		if !it.Has(b.Block) {
			n, ok := index[it]
			if !ok {
				n = -1
			}
			s.Report(council.CodeAttachmentDiffers, n, nil, b.Page, fmt.Sprintf("the attached resolution records %q, the minutes %q, or other names", b.Result, it.Blocks[len(it.Blocks)-1].Result))
		}
	}
}
