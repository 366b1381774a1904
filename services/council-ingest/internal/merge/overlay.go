package merge

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
)

type overlay struct {
	rows
	read      rows           // rows before corrections, and votes as they were added
	recounted map[int64]bool // votes whose roll or tally was corrected
	tallied   map[int64]bool // votes whose tally was corrected
	added     map[int64]bool
	conflicts []conflict
	// By correction: the value before the correction, and whether its row is missing.
	before  map[int64]*string
	missing map[int64]bool
}

// A conflict is an anomaly about a correction that no longer fits the minutes.
type conflict struct {
	anomalyRow // has no id and no ord
	correction int64
}

// applyCorrections is pure: it does not change read, its result does not depend on the order of
// corrections, and applying them again changes nothing. A correction overrides any parsed value. It
// is a conflict if the parsed value is neither the old value nor the corrected one, or if the row
// is missing.
func applyCorrections(read rows, all []clerk.Correction) *overlay {
	o := &overlay{rows: read.clone(), read: read.clone(), recounted: map[int64]bool{}, tallied: map[int64]bool{},
		added: map[int64]bool{}, before: map[int64]*string{}, missing: map[int64]bool{}}
	// bodies.go applies corrections about people.
	all = slices.DeleteFunc(slices.Clone(all), func(c clerk.Correction) bool {
		return !c.InForce() || c.Kind == clerk.Person
	})
	slices.SortFunc(all, func(a, b clerk.Correction) int {
		return cmp.Or(cmp.Compare(stage(a), stage(b)), cmp.Compare(a.ID, b.ID))
	})
	removals := slices.IndexFunc(all, func(c clerk.Correction) bool { return c.Kind == clerk.Doubled })
	if removals < 0 {
		removals = len(all)
	}
	for _, c := range all {
		if c.Kind == clerk.Missing {
			o.added[*c.VoteID] = true
		}
	}
	for i := range all[:removals] {
		o.correct(&all[i])
	}
	o.recount()
	for i := range all[removals:] {
		o.removeVote(&all[removals+i])
	}
	for i := range o.votes {
		o.votes[i].Ord = i + 1
	}
	o.findContradictions(all)
	slices.SortFunc(o.conflicts, func(a, b conflict) int {
		return cmp.Or(cmp.Compare(a.correction, b.correction), cmp.Compare(a.Code, b.Code))
	})
	return o
}

// stage orders corrections: items and votes are added first, and votes are removed last.
func stage(c clerk.Correction) int {
	switch {
	case c.Kind == clerk.Missing && c.Missing.Item != nil:
		return 0
	case c.Kind == clerk.Missing:
		return 1
	case c.Kind == clerk.Doubled:
		return 3
	}
	return 2
}

func (o *overlay) correct(c *clerk.Correction) {
	switch c.Kind {
	case clerk.Missing:
		o.addVote(c)
		return
	case clerk.Title:
		at := o.itemAt(c.ItemID)
		if at < 0 {
			o.reportMissing(c)
			return
		}
		o.compareRead(c, new(o.items[at].Title), c.ItemID, nil)
		o.items[at].Title = council.Text(c.Becomes)
		return
	}
	at := o.voteAt(c.VoteID)
	if at < 0 {
		o.reportMissing(c)
		return
	}
	v := &o.votes[at]
	o.compareRead(c, c.Value(&o.voteRead(v).Vote), &v.ItemID, v)
	c.Replace(&v.Vote)
	tally := c.Kind == clerk.Ayes || c.Kind == clerk.Nays
	o.tallied[v.ID] = o.tallied[v.ID] || tally
	o.recounted[v.ID] = o.recounted[v.ID] || tally || c.Kind == clerk.Position
}

// voteRead returns a vote before corrections, or as it was added.
func (o *overlay) voteRead(v *council.StoredVote) *council.StoredVote {
	return &o.read.votes[o.read.voteAt(&v.ID)]
}

// compareRead adds a conflict if the parsed value is neither the value that was corrected nor the
// corrected value. Added items and votes have no parsed value.
func (o *overlay) compareRead(c *clerk.Correction, now *string, item *int64, v *council.StoredVote) {
	o.before[c.ID] = now
	if v == nil && o.read.itemAt(item) < 0 || v != nil && o.added[v.ID] {
		return
	}
	same := func(a, b *string) bool { return (a == nil) == (b == nil) && council.Text(a) == council.Text(b) }
	if c.Kind == clerk.Mover || c.Kind == clerk.Seconder {
		same = func(a, b *string) bool { return council.FoldName(council.Text(a)) == council.FoldName(council.Text(b)) }
	}
	if !same(now, c.Was) && !same(now, c.Becomes) {
		o.addConflict(c, item, v, fmt.Sprintf("it was made when %s was read, and now %s is read", quoted(c.Was),
			quoted(now)))
	}
}

// reportMissing adds a conflict for a correction whose row is missing.
func (o *overlay) reportMissing(c *clerk.Correction) {
	o.missing[c.ID] = true
	o.addConflict(c, nil, nil, "what it is about is not read any more, so that it is not shown")
}

func (o *overlay) addConflict(c *clerk.Correction, item *int64, v *council.StoredVote, why string) {
	if o.itemAt(item) < 0 {
		item = nil
	}
	o.addAnomaly(council.CodeCorrectionConflict, c, item, v, fmt.Sprintf("correction %d (%s) by %s does not fit what is "+
		"read now: %s; withdraw it, or correct again", c.ID, describeCorrection(c), c.Author, why))
}

func (o *overlay) addAnomaly(code council.AnomalyCode, c *clerk.Correction, item *int64, v *council.StoredVote,
	message string) {
	n := conflict{anomalyRow{Kind: council.KindOf(code), Code: code, Message: council.Clip(message, maxMessage)}, c.ID}
	if item != nil {
		n.ItemID = new(*item)
	}
	if v != nil {
		n.MotionSeq, n.SourcePage = new(v.MotionSeq), v.Page
	}
	o.conflicts = append(o.conflicts, n)
}

func describeCorrection(c *clerk.Correction) string {
	switch c.Kind {
	case clerk.Missing:
		if c.Missing.Item != nil {
			return fmt.Sprintf("the item %q with the vote %q is missing", council.Clip(c.Missing.Item.Title, 200),
				c.Missing.ResultRaw)
		}
		return fmt.Sprintf("the vote %q is missing", c.Missing.ResultRaw)
	case clerk.Doubled:
		return fmt.Sprintf("vote %d is read twice", council.OrZero(c.VoteID))
	case clerk.Person:
		return fmt.Sprintf("%s is the person of %s", council.Text(c.Member), quoted(c.Becomes))
	case clerk.Position:
		return fmt.Sprintf("position of %s: %s", council.Text(c.Member), quoted(c.Becomes))
	}
	return fmt.Sprintf("%s: %s", c.Kind, quoted(c.Becomes))
}

func quoted(value *string) string {
	if value == nil {
		return clerk.NotNamed
	}
	return strconv.Quote(council.Clip(*value, 200))
}

// recount updates the tally of a vote whose roll was corrected, and whether the vote was unanimous.
// A tally that differed from the roll before, or that was corrected too, stays unchanged.
func (o *overlay) recount() {
	for i := range o.votes {
		v := &o.votes[i]
		if !o.recounted[v.ID] {
			continue
		}
		was := o.voteRead(v)
		ayes, nays := was.Roll.Count(council.Aye), was.Roll.Count(council.Nay)
		if !o.tallied[v.ID] && ayes == was.AyesCount && nays == was.NaysCount {
			v.AyesCount, v.NaysCount = v.Roll.Count(council.Aye), v.Roll.Count(council.Nay)
		}
		v.Unanimous = v.Roll.IsUnanimous(v.AyesCount, v.NaysCount)
	}
}

// findContradictions adds an anomaly for each vote that corrections made contradictory. The anomaly
// belongs to the vote's last correction.
func (o *overlay) findContradictions(all []clerk.Correction) {
	last := map[int64]*clerk.Correction{}
	for i := range all {
		if c := &all[i]; c.VoteID != nil && (last[*c.VoteID] == nil || last[*c.VoteID].ID < c.ID) {
			last[*c.VoteID] = c
		}
	}
	for i := range o.votes {
		v := &o.votes[i]
		c, why := last[v.ID], contradiction(v)
		if c == nil || why == "" || !o.added[v.ID] && contradiction(o.voteRead(v)) == why {
			continue
		}
		o.addAnomaly(council.CodeCorrectionDoubtful, c, &v.ItemID, v,
			fmt.Sprintf("correction %d by %s leaves a vote that contradicts itself: %s", c.ID, c.Author, why))
	}
}

// addConflicts adds an anomaly for each conflict. If the correction has a stored anomaly, it keeps
// the id of that.
func (r *rows) addConflicts(conflicts []conflict, stored []anomalyRow) {
	for _, c := range conflicts {
		row := c.anomalyRow
		row.Ord = len(r.anomalies) + 1
		prefix := fmt.Sprintf("correction %d ", c.correction)
		for _, s := range stored {
			if s.Code == row.Code && strings.HasPrefix(s.Message, prefix) {
				row.ID = s.ID
			}
		}
		r.anomalies = append(r.anomalies, row)
	}
}

func withoutConflicts(all []anomalyRow) []anomalyRow {
	return slices.DeleteFunc(slices.Clone(all), func(a anomalyRow) bool {
		return a.Code == council.CodeCorrectionConflict || a.Code == council.CodeCorrectionDoubtful ||
			a.Code == council.CodeSameName
	})
}
