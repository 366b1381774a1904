package merge

import (
	"cmp"
	"slices"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/match"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/recorded"
)

// Compose joins the agenda outline and the minutes of a meeting; either may be missing. The minutes
// have the votes. The outline adds items without votes, legislative files and their pages. names
// maps printed names to canonical names.
func Compose(outline []portal.Item, rec *record.Record, names Names) State {
	s := State{Origin: council.FromMinutes}
	s.add(cmp.Or(rec, &record.Record{}), names)
	s.combine(recorded.SplitOutline(outline))
	s.bound()
	return s
}

// add copies the minutes and replaces names by canonical names. With the aliases, two printed names
// may turn out to be one person.
func (s *State) add(rec *record.Record, names Names) {
	for _, a := range rec.Attendance {
		a.Name = names.Of(a.Name)
		s.Attendance = append(s.Attendance, a)
	}
	s.Items, s.Anomalies = slices.Clone(rec.Items), slices.Clone(rec.Anomalies)
	known := func(printed *string) *string { return council.Some(names.Of(council.Text(printed))) }
	for i := range s.Items {
		it := &s.Items[i]
		it.Votes = slices.Clone(it.Votes)
		for j := range it.Votes {
			v := &it.Votes[j]
			v.Mover, v.Seconder = known(v.Mover), known(v.Seconder)
			var roll council.Roll
			seen := map[string]bool{}
			for _, e := range v.Roll {
				e.Member = names.Of(e.Member)
				key := council.FoldName(e.Member)
				if seen[key] {
					a := s.Note(council.CodeMemberTwice, "the roll names "+e.Member+" twice; the first row counts")
					a.Item = i
					a.MotionSeq = &v.MotionSeq
					a.Page = v.Page
					continue
				}
				seen[key] = true
				roll = append(roll, e)
			}
			v.Roll = roll
		}
	}
}

// combine adds the outline to the items of the minutes. Items that are in both get file and page.
// Items that only the outline has are inserted in their places.
func (s *State) combine(outline, headings []record.Item) {
	pairs := match.Outline(outline, s.Items)
	found := make([]bool, len(s.Items))
	for o, m := range pairs {
		if m >= 0 {
			found[m] = true
			adopt(&s.Items[m], outline[o])
		}
	}
	// A heading can have its own vote, such as the approval of minutes.
	for h, m := range match.Outline(headings, s.Items) {
		if m >= 0 && !found[m] {
			adopt(&s.Items[m], headings[h])
		}
	}
	// The minutes keep their order. An item that only the outline has follows the item before it in
	// the outline, or comes first.
	after := make([][]record.Item, len(s.Items)+1)
	place := 0
	for o := range outline {
		if m := pairs[o]; m >= 0 {
			place = m + 1
			continue
		}
		after[place] = append(after[place], outline[o])
	}
	merged := slices.Clone(after[0])
	moved := make([]int, len(s.Items))
	for m := range s.Items {
		moved[m] = len(merged)
		merged = append(append(merged, s.Items[m]), after[m+1]...)
	}
	for i := range s.Anomalies {
		if at := s.Anomalies[i].Item; at >= 0 {
			s.Anomalies[i].Item = moved[at]
		}
	}
	s.Items = merged
}

func adopt(it *record.Item, from record.Item) {
	it.LegifileID = from.LegifileID
	it.URL = from.URL
	it.Shown = from.Shown
	it.FileNumber = cmp.Or(it.FileNumber, from.FileNumber)
	it.ItemNumber = cmp.Or(it.ItemNumber, from.ItemNumber)
	it.Section = cmp.Or(it.Section, from.Section)
}
