package merge

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
)

// What corrections put in and take out: votes that were not read, with their items where those were not read either, and votes that were read twice.

// votesRead counts the votes that were read of an item; those that corrections put in are none.
func (o *overlaid) votesRead(item int64) int {
	n := 0
	for i := range o.read.votes {
		if v := &o.read.votes[i]; v.ItemID == item && !o.added[v.ID] {
			n++
		}
	}
	return n
}

// putItemIn adds an item that was not read: after the one that the correction names, else at the end. If the item is read since, somebody
// has to look: the two cannot be distinguished with certainty.
func (o *overlaid) putItemIn(c *clerk.Correction) {
	n := c.Vote.Item
	at := o.item(n.After) + 1
	if at == 0 {
		at = len(o.items)
	}
	row := itemRow{ID: *c.ItemID, FileNumber: n.FileNumber, ItemNumber: n.Number, Section: n.Section, Title: n.Title, IsConsent: n.Consent, SourcePage: page(c.Vote.Page)}
	o.items = slices.Insert(o.items, at, row)
	for i := range o.items {
		o.items[i].Ord = int32(i + 1)
	}
	for i := range o.read.items {
		r := &o.read.items[i]
		if n.FileNumber != nil && council.FoldName(council.Text(r.FileNumber)) == council.FoldName(*n.FileNumber) || council.FoldName(r.Title) == council.FoldName(n.Title) && council.Text(r.ItemNumber) == council.Text(n.Number) {
			o.conflict(c, c.ItemID, nil, fmt.Sprintf("the item was not read when it was made, and %s is now, so that it may be there twice", strconv.Quote(council.Clip(r.Title, 200))))
			return
		}
	}
}

// putIn adds a vote after the others of its item.
func (o *overlaid) putIn(c *clerk.Correction) {
	if c.Vote.Item != nil && o.item(c.ItemID) < 0 {
		o.putItemIn(c)
	}
	at := o.item(c.ItemID)
	if at < 0 {
		o.lost(c)
		return
	}
	if o.vote(c.VoteID) >= 0 { // there already
		return
	}
	it, v := &o.items[at], c.Vote
	row := voteRow{ID: *c.VoteID, ItemID: it.ID, MotionSeq: 1, MotionText: v.MotionText, Result: string(v.Result), ResultRaw: v.ResultRaw, Origin: origin(false),
		AyesCount: int32(v.Ayes), NaysCount: int32(v.Nays), ViaConsent: v.ViaConsent, MoverID: o.p.idOf(v.Mover), SeconderID: o.p.idOf(v.Seconder),
		ParseSource: string(council.SourcePDF), SourcePage: page(v.Page)}
	place := 0
	for i := range o.votes {
		if other := &o.votes[i]; other.ItemID == it.ID {
			row.MotionSeq, place = max(row.MotionSeq, other.MotionSeq+1), i+1
		} else if before := o.item(&other.ItemID); before < at {
			place = max(place, i+1)
		}
		row.ParseSource = o.votes[i].ParseSource
	}
	for i, e := range v.Roll {
		row.Roll = append(row.Roll, positionRow{*o.p.idOf(&e.Member), int16(i + 1), string(e.Position)})
	}
	o.put[row.ID] = row.Roll
	row.Unanimous = unanimous(row.Roll, row.AyesCount, row.NaysCount)
	o.votes = slices.Insert(o.votes, place, row)
	n := o.votesRead(it.ID)
	o.met[c.ID] = decimal(int32(n))
	if n != int(countIn(c.Was)) {
		o.conflict(c, &it.ID, &row, fmt.Sprintf("the item had %s when it was made and has %d now, so that it may be there twice", council.Count(int(countIn(c.Was)), "vote"), n))
	}
}

// takeOut leaves out a vote that is read twice. If fewer votes of the item are read than when the correction was made, the vote that is
// left may be the one that was meant to stay, and does.
func (o *overlaid) takeOut(c *clerk.Correction) {
	at := o.vote(c.VoteID)
	if at < 0 {
		o.lost(c)
		return
	}
	v := o.votes[at]
	n, was := o.votesRead(v.ItemID), int(countIn(c.Was))
	o.met[c.ID] = decimal(int32(n))
	if n != was {
		stays := ""
		if n < was {
			stays = "; the vote is shown until somebody has looked"
		}
		o.conflict(c, &v.ItemID, &v, fmt.Sprintf("the item had %s when it was made and has %d now%s", council.Count(was, "vote"), n, stays))
		if n < was {
			return
		}
	}
	o.votes = slices.Delete(o.votes, at, at+1)
}
