package merge

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
)

// Published is a vote as readers see it.
type Published struct {
	VoteID    int64             `json:"vote_id"`
	ItemID    int64             `json:"item_id"`
	Title     string            `json:"item_title"`
	MotionSeq int               `json:"motion_seq"`
	Result    council.Result    `json:"result"`
	Ayes      int               `json:"ayes_count"`
	Nays      int               `json:"nays_count"`
	Unanimous bool              `json:"unanimous"`
	Mover     *string           `json:"mover_name"`
	Seconder  *string           `json:"seconder_name"`
	Roll      []clerk.RollEntry `json:"positions"`
}

// A Difference is what corrections do to one vote: nil before for one that they add, nil after for
// one that they take out.
type Difference struct {
	Before *Published `json:"before"`
	After  *Published `json:"after"`
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

func (s *Published) lines() map[string]string {
	if s == nil {
		return map[string]string{}
	}
	out := map[string]string{"title": s.Title, "result": string(s.Result), "tally": fmt.Sprintf("%d-%d", s.Ayes, s.Nays),
		"unanimous": fmt.Sprint(s.Unanimous)}
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

// unstored is the first of the ids of votes and items that a preview adds.
const unstored = -1 << 40

// Preview says what further corrections of a meeting would do, and completes each: with what was
// read, of which minutes. It writes nothing.
func Preview(ctx context.Context, tx pgx.Tx, meeting int64, more []clerk.Correction) ([]Difference, error) {
	l, err := readLaid(ctx, tx, meeting)
	if err != nil {
		return nil, err
	}
	now, _ := overlay(l.read, l.acts)
	acts := slices.Clone(l.acts)
	for i, c := range more {
		c.ID = l.newest + 1 + int64(i)
		more[i].ID = c.ID
		if c.Kind == clerk.Missing {
			id, item := unstored-int64(i), unstored-int64(len(more)+i)
			c.VoteID = &id
			if c.Vote.Item != nil {
				c.ItemID = &item
			}
		}
		acts = append(acts, c)
	}
	o := apply(l.read, acts)
	for i := range more {
		if err := o.find(&more[i]); err != nil {
			return nil, err
		}
		more[i].Was = o.met[more[i].ID]
	}
	l.people.spell(now)
	l.people.spell(o.rows)
	return differences(sights(now), sights(o.rows)), nil
}

// find returns an error if there is nothing that a correction could be about.
func (o *overlaid) find(c *clerk.Correction) error {
	_, doubled := o.put[orZero(c.VoteID)]
	switch {
	case c.Kind == clerk.Missing && c.Vote.Item != nil && c.Vote.Item.After != nil && o.read.itemAt(c.Vote.Item.After) < 0:
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

// MayName reports whether a name is that of a member, or in the attendance of the meeting. One that
// is neither is probably misspelt.
func MayName(ctx context.Context, tx pgx.Tx, meeting int64, name string) (bool, error) {
	var known bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM council.member WHERE name_key = $1)
		       OR EXISTS (SELECT FROM council.attendance WHERE name_key = $1 AND iqm2_id = $2)`,
		council.FoldName(name), meeting).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("look for %s: %w", name, err)
	}
	return known, nil
}

func differences(before, after map[int64]*Published) []Difference {
	out := []Difference{}
	for _, id := range slices.Sorted(maps.Keys(before)) {
		if !reflect.DeepEqual(before[id], after[id]) {
			out = append(out, Difference{before[id], after[id]})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(after)) {
		if before[id] == nil {
			out = append(out, Difference{nil, after[id]})
		}
	}
	return out
}

// sights are the votes of rows by id.
func sights(r rows) map[int64]*Published {
	out := map[int64]*Published{}
	for _, v := range r.votes {
		s := &Published{VoteID: v.ID, ItemID: v.ItemID, MotionSeq: v.MotionSeq, Result: v.Result, Ayes: v.AyesCount,
			Nays:      v.NaysCount,
			Unanimous: v.Unanimous, Mover: v.Mover, Seconder: v.Seconder, Roll: append([]clerk.RollEntry{}, v.Roll...)}
		if at := r.itemAt(&v.ItemID); at >= 0 {
			s.Title = r.items[at].Title
		}
		out[v.ID] = s
	}
	return out
}
