package merge

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// countRead returns the number of parsed votes of an item, without votes that corrections added.
func (o *overlay) countRead(item int64) int {
	n := 0
	for _, v := range o.read.votes {
		if v.ItemID == item && !o.added[v.ID] {
			n++
		}
	}
	return n
}

// addItem adds an item after the item that the correction names, or at the end. If the minutes now
// have a similar item, that is a conflict, because both may be the same.
func (o *overlay) addItem(c *clerk.Correction) {
	n := c.Missing.Item
	at := cmp.Or(o.itemAt(n.After)+1, len(o.items))
	o.items = slices.Insert(o.items, at, itemRow{ID: *c.ItemID, Item: record.Item{FileNumber: n.FileNumber,
		ItemNumber: n.Number, Section: n.Section, Title: n.Title, IsConsent: n.Consent, Page: c.Missing.Page}})
	for i := range o.items {
		o.items[i].Ord = i + 1
	}
	for _, r := range o.read.items {
		sameFile := n.FileNumber != nil && council.FoldName(council.Text(r.FileNumber)) == council.FoldName(*n.FileNumber)
		if sameFile || council.FoldName(r.Title) == council.FoldName(n.Title) &&
			council.Text(r.ItemNumber) == council.Text(n.Number) {
			title := strconv.Quote(council.Clip(r.Title, 200))
			o.addConflict(c, c.ItemID, nil, fmt.Sprintf("the item was not read when it was made, and %s is now, so that it "+
				"may be there twice", title))
			return
		}
	}
}

func (o *overlay) addVote(c *clerk.Correction) {
	if c.Missing.Item != nil && o.itemAt(c.ItemID) < 0 {
		o.addItem(c)
	}
	at := o.itemAt(c.ItemID)
	if at < 0 {
		o.reportMissing(c)
		return
	}
	if o.voteAt(c.VoteID) >= 0 {
		return
	}
	row := council.StoredVote{ID: *c.VoteID, ItemID: *c.ItemID, Vote: c.Missing.Vote, ParseSource: council.SourcePDF,
		Origin: council.FromMinutes}
	row.MotionSeq, row.Unanimous = 1, row.Roll.IsUnanimous(row.AyesCount, row.NaysCount)
	place := 0
	for i := range o.votes {
		if other := &o.votes[i]; other.ItemID == row.ItemID {
			row.MotionSeq, place = max(row.MotionSeq, other.MotionSeq+1), i+1
		} else if o.itemAt(&other.ItemID) < at {
			place = max(place, i+1)
		}
		row.ParseSource = o.votes[i].ParseSource
	}
	o.votes = slices.Insert(o.votes, place, row)
	o.read.votes = append(o.read.votes, row)
	o.compareCount(c, &row, ", so that it may be there twice")
}

// removeVote removes a vote that was parsed twice. If the item has fewer votes than when the
// correction was made, the duplicate may be gone already, and the vote stays.
func (o *overlay) removeVote(c *clerk.Correction) {
	at := o.voteAt(c.VoteID)
	if at < 0 {
		o.reportMissing(c)
		return
	}
	v := o.votes[at]
	effect := ""
	if o.countRead(v.ItemID) < clerk.Count(c.Was) {
		effect = "; the vote is shown until somebody has looked"
	} else {
		o.votes = slices.Delete(o.votes, at, at+1)
	}
	o.compareCount(c, &v, effect)
}

// compareCount adds a conflict if the vote's item has more or fewer parsed votes than when the
// correction was made.
func (o *overlay) compareCount(c *clerk.Correction, v *council.StoredVote, effect string) {
	n, was := o.countRead(v.ItemID), clerk.Count(c.Was)
	o.before[c.ID] = council.Some(strconv.Itoa(n))
	if n != was {
		o.addConflict(c, &v.ItemID, v, fmt.Sprintf("the item had %s when it was made and has %d now%s",
			council.Count(was, "vote"), n, effect))
	}
}
