package merge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
)

// A Sight is a vote as readers see it.
type Sight struct {
	VoteID    int64             `json:"vote_id"`
	ItemID    int64             `json:"item_id"`
	Title     string            `json:"item_title"`
	MotionSeq int               `json:"motion_seq"`
	Result    string            `json:"result"`
	Ayes      int               `json:"ayes_count"`
	Nays      int               `json:"nays_count"`
	Unanimous bool              `json:"unanimous"`
	Mover     *string           `json:"mover_name"`
	Seconder  *string           `json:"seconder_name"`
	Roll      []clerk.RollEntry `json:"positions"`
}

// A Difference is what corrections do to one vote: nil before for one that they add, nil after for one that they take out.
type Difference struct {
	Before *Sight `json:"before"`
	After  *Sight `json:"after"`
}

// String describes a difference in lines: what is there before and after.
func (d Difference) String() string {
	var b strings.Builder
	switch {
	case d.Before == nil:
		fmt.Fprintf(&b, "a new vote on %q\n", d.After.Title)
	case d.After == nil:
		fmt.Fprintf(&b, "vote %d on %q is taken out\n", d.Before.VoteID, d.Before.Title)
	default:
		fmt.Fprintf(&b, "vote %d on %q\n", d.Before.VoteID, d.Before.Title)
	}
	before, after := d.Before.lines(), d.After.lines()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if was, is := before[name], after[name]; was != is {
			fmt.Fprintf(&b, "    %s: %s -> %s\n", name, was, cmp.Or(is, clerk.NotNamed))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, known := before[name]; !known {
			fmt.Fprintf(&b, "    %s: %s -> %s\n", name, clerk.NotNamed, after[name])
		}
	}
	return b.String()
}

func (s *Sight) lines() map[string]string {
	if s == nil {
		return map[string]string{}
	}
	out := map[string]string{"title": s.Title, "result": s.Result, "tally": fmt.Sprintf("%d-%d", s.Ayes, s.Nays), "unanimous": fmt.Sprint(s.Unanimous)}
	if s.Mover != nil {
		out["mover"] = *s.Mover
	}
	if s.Seconder != nil {
		out["seconder"] = *s.Seconder
	}
	for _, e := range s.Roll {
		out["position of "+e.Member] = string(e.Position)
	}
	return out
}

// Preview says what further corrections of a meeting would do, and completes each: with what was read, of which minutes. It writes nothing.
func Preview(ctx context.Context, tx pgx.Tx, meeting int64, more []clerk.Correction) ([]Difference, error) {
	l, err := readLaid(ctx, tx, meeting)
	if err != nil {
		return nil, err
	}
	read := l.stored
	if len(l.acts) > 0 {
		read = l.read
	}
	now, _ := overlay(read, l.acts, l.people)
	acts := slices.Clone(l.acts)
	for i, c := range more {
		c.ID = l.newest() + 1 + int64(i)
		more[i].ID = c.ID
		if c.Kind == clerk.Missing {
			id, item := freshConflict-int64(i), freshConflict-int64(len(more)+i)
			c.VoteID = &id
			if c.Vote.Item != nil {
				c.ItemID = &item
			}
		}
		acts = append(acts, c)
	}
	o := layOver(read, acts, l.people)
	for i := range more {
		if err := o.find(&more[i]); err != nil {
			return nil, err
		}
		more[i].Was = o.met[more[i].ID]
	}
	return l.differences(now, o.rows), nil
}

// find returns an error if there is nothing that a correction could be about.
func (o *overlaid) find(c *clerk.Correction) error {
	_, doubled := o.put[orZero(c.VoteID)]
	switch {
	case c.Kind == clerk.Missing && c.Vote.Item != nil && c.Vote.Item.After != nil && o.readItem(*c.Vote.Item.After) == nil:
		return fmt.Errorf("item %d, after which it is to stand: %w", *c.Vote.Item.After, clerk.ErrNothing)
	case o.missed[c.ID] && c.ItemID != nil:
		return fmt.Errorf("item %d: %w", *c.ItemID, clerk.ErrNothing)
	case o.missed[c.ID]:
		return fmt.Errorf("vote %d: %w", orZero(c.VoteID), clerk.ErrNothing)
	case c.Kind == clerk.Doubled && doubled:
		return &clerk.Fault{Field: fmt.Sprintf("vote %d", *c.VoteID), Why: "was put in by a correction; withdraw that"}
	}
	return nil
}

// MayName reports whether a name is that of a member, or in the attendance of the meeting. One that is neither is probably misspelt.
func MayName(ctx context.Context, tx pgx.Tx, meeting int64, name string) (bool, error) {
	var known bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM council.member WHERE name_key = $1) OR EXISTS (SELECT FROM council.attendance WHERE name_key = $1 AND iqm2_id = $2)`,
		council.FoldName(name), meeting).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("look for %s: %w", name, err)
	}
	return known, nil
}

func (l *laid) differences(now, then rows) []Difference {
	before, after := l.sights(now), l.sights(then)
	out := []Difference{}
	for _, id := range slices.Sorted(maps.Keys(before)) {
		a, b := before[id], after[id]
		one, _ := json.Marshal(a) // plain values
		other, _ := json.Marshal(b)
		if !bytes.Equal(one, other) {
			out = append(out, Difference{a, b})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(after)) {
		if before[id] == nil {
			out = append(out, Difference{nil, after[id]})
		}
	}
	return out
}

func (l *laid) sights(r rows) map[int64]*Sight {
	titles := map[int64]string{}
	for i := range r.items {
		titles[r.items[i].ID] = r.items[i].Title
	}
	out := map[int64]*Sight{}
	for i := range r.votes {
		v := &r.votes[i]
		s := &Sight{VoteID: v.ID, ItemID: v.ItemID, Title: titles[v.ItemID], MotionSeq: int(v.MotionSeq), Result: v.Result, Ayes: int(v.AyesCount), Nays: int(v.NaysCount),
			Unanimous: v.Unanimous, Mover: l.people.nameOf(v.MoverID), Seconder: l.people.nameOf(v.SeconderID), Roll: []clerk.RollEntry{}}
		for _, p := range v.Roll {
			s.Roll = append(s.Roll, clerk.RollEntry{Member: l.people.names[p.MemberID], Position: council.Position(p.Position)})
		}
		out[v.ID] = s
	}
	return out
}
