package minutes

import (
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
func (s *scan) takeOut(sec *section, listed []*item) []*item {
	said := s.saidOut(sec)
	stay := listed[:0:0]
	for _, it := range listed {
		again := s.votedLater(it)
		named := false
		for _, name := range said {
			named = named || dialect.SameItem(name, it.number)
		}
		if again == nil && !named {
			stay = append(stay, it)
			continue
		}
		it.pulled = true
		if again == nil && len(it.blocks) == 0 {
			s.report(council.CodeVoteMissing, -1, nil, it.Page, strings.TrimSpace(it.number+" "+it.title)+": taken off the consent list, and no vote of its own is printed")
		}
	}
	return stay
}

// votedLater finds the second place of an item of a consent list: the same file
// number or the same title, with a vote, outside of any consent list or further
// down under the same heading.
func (s *scan) votedLater(it *item) *item {
	if s.voted == nil {
		s.voted = map[string][]*item{}
		for _, sec := range s.sections {
			for _, other := range sec.items {
				if len(other.blocks) > 0 {
					s.voted[other.file] = append(s.voted[other.file], other)
					title := council.FoldName(other.title)
					s.voted[title] = append(s.voted[title], other)
				}
			}
		}
	}
	for _, key := range []string{it.file, council.FoldName(it.title)} {
		same := s.voted[key]
		for _, other := range same[max(0, len(same)-maxList):] {
			if key == "" || other.line <= it.line || other.sec.consent && other.sec != it.sec {
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
func sameItem(listed, later *item) bool {
	if listed.file != "" && later.file != "" {
		return listed.file == later.file && (later.sec != listed.sec || later.number == listed.number)
	}
	title := council.FoldName(listed.title)
	if title == "" || title != council.FoldName(later.title) {
		return false
	}
	if later.number != "" && dialect.SameItem(dialect.ItemName(later.number), listed.number) {
		return true
	}
	return later.sec != listed.sec && (later.sec.removed || strings.Count(title, " ") >= 5)
}

// onConsentList finds the item of an earlier consent list whose number and
// title stand again behind marker m: where it is voted on by itself.
func (s *scan) onConsentList(m shape.Marker) *item {
	it := s.listed[dialect.ItemName(m.Label)]
	if it == nil || m.Text == "" {
		return nil
	}
	if s.sec.removed || it.pulled && it.sec != s.sec {
		return it
	}
	_, text := shape.CutFileNumber(m.Text, s.lastFile)
	head := council.FoldName(text)
	if len(head) > 30 {
		head = head[:30]
	}
	if len(head) >= 8 && strings.HasPrefix(council.FoldName(it.title), head) {
		return it
	}
	return nil
}

// saidOut lists the numbers of items that the text under a consent heading says
// were taken off the list, upper case.
func (s *scan) saidOut(sec *section) []string {
	end := len(s.lines)
	if sec.until > 0 {
		end = sec.until
	}
	var out []string
	for j := sec.line + 1; j < end && j < sec.line+400; {
		if s.lines[j].Text == "" {
			j++
			continue
		}
		var parts []string
		for ; j < end && s.lines[j].Text != ""; j++ {
			parts = append(parts, s.lines[j].Text)
		}
		out = append(out, dialect.TakenOut(shape.Join(parts))...)
	}
	return out
}
