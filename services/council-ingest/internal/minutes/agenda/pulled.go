package agenda

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// takeOut marks the items of a consent list that were taken off it: the text
// under the heading says so ("Trustee Roe asked that item C be removed", "to
// approve the calendar, except items 3 and 5"), or the item stands a second
// time, further down, with a vote of its own. The vote on the list is none on
// them. It returns the items that stay.
func (s *List) takeOut(sec *Section, listed []*Item) []*Item {
	said := s.saidOut(sec)
	stay := listed[:0:0]
	for _, it := range listed {
		again := s.votedLater(it)
		if again == nil && !slices.ContainsFunc(said, func(name string) bool { return dialect.SameItem(name, it.Number) }) {
			stay = append(stay, it)
			continue
		}
		it.Pulled = true
		if again == nil && len(it.Blocks) == 0 {
			s.Report(council.CodeVoteMissing, -1, nil, it.Page, it.Name()+": taken off the consent list, and no vote of its own is printed")
		}
	}
	return stay
}

// votedLater finds the second place of an item of a consent list: the same file
// number or the same title, with a vote, outside of any consent list or further
// down under the same heading.
func (s *List) votedLater(it *Item) *Item {
	if s.voted == nil {
		s.voted = map[string][]*Item{}
		for _, sec := range s.Sections {
			for _, other := range sec.voted() {
				for _, key := range []string{other.File, council.FoldName(other.Title)} {
					s.voted[key] = append(s.voted[key], other)
				}
			}
		}
	}
	for _, key := range []string{it.File, council.FoldName(it.Title)} {
		same := s.voted[key]
		for _, other := range same[max(0, len(same)-MaxList):] {
			if key == "" || other.Line <= it.Line || other.Sec.Consent && other.Sec != it.Sec {
				continue
			}
			if sameItem(it, other) {
				return other
			}
		}
	}
	return nil
}

// sameItem reports whether an item that stands further down is one of the
// consent list: by its file number, else by its title with its number, under
// the heading of removed items, or when the title is long enough to be no
// common one, such as "Approval of Minutes".
func sameItem(listed, later *Item) bool {
	if listed.File != "" && later.File != "" {
		return listed.File == later.File && (later.Sec != listed.Sec || later.Number == listed.Number)
	}
	title := council.FoldName(listed.Title)
	if title == "" || title != council.FoldName(later.Title) {
		return false
	}
	if later.Number != "" && dialect.SameItem(dialect.ItemName(later.Number), listed.Number) {
		return true
	}
	return later.Sec != listed.Sec && (later.Sec.Removed || strings.Count(title, " ") >= 5)
}

// saidOut lists the numbers of items that the text under a consent heading says
// were taken off the list, upper case.
func (s *List) saidOut(sec *Section) []string {
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
		out = append(out, dialect.TakenOut(shape.Join(parts))...)
	}
	return out
}
