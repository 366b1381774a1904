package merge

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
)

// What corrections put in and take out: votes that were not read, with their items if those were
// not read either, and votes that were read twice.

// votesRead counts the votes that were read of an item; those that corrections put in are none.
func (o *overlaid) votesRead(item int64) int {
	n := 0
	for _, v := range o.read.votes {
		if v.ItemID == item && !o.added[v.ID] {
			n++
		}
	}
	return n
}

// putItemIn adds an item that was not read: after the one that the correction names, else at the
// end. If the item is read since, somebody has to look: the two cannot be distinguished with
// certainty.
func (o *overlaid) putItemIn(c *clerk.Correction) {
	n := c.Vote.Item
	at := o.itemAt(n.After) + 1
	if at == 0 {
		at = len(o.items)
	}
	o.items = slices.Insert(o.items, at, itemRow{ID: *c.ItemID, FileNumber: n.FileNumber, ItemNumber: n.Number,
		Section: n.Section,
		Title:   n.Title, IsConsent: n.Consent, SourcePage: c.Vote.Page})
	for i := range o.items {
		o.items[i].Ord = i + 1
	}
	for _, r := range o.read.items {
		file := n.FileNumber != nil && council.FoldName(council.Text(r.FileNumber)) == council.FoldName(*n.FileNumber)
		if file || council.FoldName(r.Title) == council.FoldName(n.Title) &&
			council.Text(r.ItemNumber) == council.Text(n.Number) {
			title := strconv.Quote(council.Clip(r.Title, 200))
			o.conflict(c, c.ItemID, nil, fmt.Sprintf("the item was not read when it was made, and %s is now, so that it may "+
				"be there twice", title))
			return
		}
	}
}

// putIn adds a vote after the others of its item.
func (o *overlaid) putIn(c *clerk.Correction) {
	if c.Vote.Item != nil && o.itemAt(c.ItemID) < 0 {
		o.putItemIn(c)
	}
	at := o.itemAt(c.ItemID)
	if at < 0 {
		o.lost(c)
		return
	}
	if o.voteAt(c.VoteID) >= 0 { // there already
		return
	}
	v := c.Vote
	row := voteRow{ID: *c.VoteID, ItemID: *c.ItemID, MotionSeq: 1, MotionText: v.MotionText, Result: v.Result,
		ResultRaw: v.ResultRaw,
		AyesCount: v.Ayes, NaysCount: v.Nays, Unanimous: unanimous(v.Roll, v.Ayes, v.Nays), ViaConsent: v.ViaConsent,
		Mover:    v.Mover,
		Seconder: v.Seconder, ParseSource: council.SourcePDF, Origin: origin(false), SourcePage: v.Page, Roll: v.Roll}
	place := 0
	for i := range o.votes {
		if other := &o.votes[i]; other.ItemID == row.ItemID {
			row.MotionSeq, place = max(row.MotionSeq, other.MotionSeq+1), i+1
		} else if o.itemAt(&other.ItemID) < at {
			place = max(place, i+1)
		}
		row.ParseSource = o.votes[i].ParseSource
	}
	o.put[row.ID] = row.Roll
	o.votes = slices.Insert(o.votes, place, row)
	n, was := o.votesRead(row.ItemID), countIn(c.Was)
	o.met[c.ID] = decimal(n)
	if n != was {
		o.conflict(c, c.ItemID, &row, fmt.Sprintf("the item had %s when it was made and has %d now, so that it may be "+
			"there twice", council.Count(was, "vote"), n))
	}
}

// takeOut leaves out a vote that is read twice. If fewer votes of the item are read than when the
// correction was made, the vote that is left may be the one that was meant to stay, and does.
func (o *overlaid) takeOut(c *clerk.Correction) {
	at := o.voteAt(c.VoteID)
	if at < 0 {
		o.lost(c)
		return
	}
	v := o.votes[at]
	n, was := o.votesRead(v.ItemID), countIn(c.Was)
	o.met[c.ID] = decimal(n)
	stays := ""
	if n < was {
		stays = "; the vote is shown until somebody has looked"
	}
	if n != was {
		o.conflict(c, &v.ItemID, &v, fmt.Sprintf("the item had %s when it was made and has %d now%s",
			council.Count(was, "vote"), n, stays))
	}
	if n >= was {
		o.votes = slices.Delete(o.votes, at, at+1)
	}
}
