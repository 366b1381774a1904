package merge

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
)

// Published is a vote as readers see it.
type Published struct {
	VoteID    int64               `json:"vote_id"`
	ItemID    int64               `json:"item_id"`
	Title     string              `json:"item_title"`
	MotionSeq int                 `json:"motion_seq"`
	Result    council.Result      `json:"result"`
	Ayes      int                 `json:"ayes_count"`
	Nays      int                 `json:"nays_count"`
	Unanimous bool                `json:"unanimous"`
	Mover     *string             `json:"mover_name"`
	Seconder  *string             `json:"seconder_name"`
	Roll      []council.RollEntry `json:"positions"`
}

// A Difference is the effect of corrections on one vote. Before is nil if they add the vote. After
// is nil if they remove it.
type Difference struct {
	Before *Published `json:"before"`
	After  *Published `json:"after"`
}

// String describes a difference with one line for each changed value.
func (d Difference) String() string {
	var b strings.Builder
	switch {
	case d.Before == nil:
		fmt.Fprintf(&b, "a new vote on %q\n", d.After.Title)
	case d.After == nil:
		fmt.Fprintf(&b, "vote %d on %q is removed\n", d.Before.VoteID, d.Before.Title)
	default:
		fmt.Fprintf(&b, "vote %d on %q\n", d.Before.VoteID, d.Before.Title)
	}
	before, after := d.Before.values(), d.After.values()
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, is := cmp.Or(before[name], clerk.NotNamed), cmp.Or(after[name], clerk.NotNamed)
		if was != is {
			fmt.Fprintf(&b, "    %s: %s -> %s\n", name, was, is)
		}
	}
	return b.String()
}

func (s *Published) values() map[string]string {
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

const (
	// previewIDs is the first id of votes and items that a preview adds. Further ids decrease.
	previewIDs = -1 << 40
	// previewCorrections is the first id of the corrections of a preview.
	previewCorrections = 1 << 62
)

// Preview returns the effect of additional corrections of a meeting, and sets their field Was. It
// leaves nothing written.
func Preview(ctx context.Context, tx pgx.Tx, id int64, more []clerk.Correction) ([]Difference, error) {
	m, err := readMeeting(ctx, tx, id, nil)
	if err != nil {
		return nil, err
	}
	before := applyCorrections(m.read, m.corrections)
	tried := slices.Clone(more)
	for i := range tried {
		c := &tried[i]
		c.ID = previewCorrections + int64(i)
		if c.Kind == clerk.Missing {
			vote, item := previewIDs-int64(i), previewIDs-int64(len(more)+i)
			c.VoteID = &vote
			if c.Vote.Item != nil {
				c.ItemID = &item
			}
		}
	}
	all, err := clerk.With(ctx, tx, id, tried)
	if err != nil {
		return nil, err
	}
	after := applyCorrections(m.read, all)
	for i := range more {
		more[i].ID = tried[i].ID
		err := after.checkTarget(&more[i])
		if err != nil {
			return nil, err
		}
		more[i].Was = after.before[tried[i].ID]
	}
	m.people.unifyNames(before.rows)
	m.people.unifyNames(after.rows)
	return differences(before.published(), after.published()), nil
}

func (o *overlay) checkTarget(c *clerk.Correction) error {
	switch {
	case c.Kind == clerk.Missing && c.Vote.Item != nil && c.Vote.Item.After != nil && o.read.itemAt(c.Vote.Item.After) < 0:
		return fmt.Errorf("find item %d to insert after: %w", *c.Vote.Item.After, clerk.ErrNotFound)
	case o.missing[c.ID] && c.ItemID != nil:
		return fmt.Errorf("find item %d: %w", *c.ItemID, clerk.ErrNotFound)
	case o.missing[c.ID]:
		return fmt.Errorf("find vote %d: %w", council.OrZero(c.VoteID), clerk.ErrNotFound)
	case c.Kind == clerk.Doubled && o.added[council.OrZero(c.VoteID)]:
		return &clerk.Fault{Field: fmt.Sprintf("vote %d", *c.VoteID), Why: "was added by a correction; withdraw that one"}
	}
	return nil
}

// IsKnownName reports whether a member has the name, or the attendance of the meeting lists it. Any
// other name is probably misspelt.
func IsKnownName(ctx context.Context, tx pgx.Tx, meeting int64, name string) (bool, error) {
	var known bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM council.member_body WHERE name_key = $1)
		       OR EXISTS (SELECT FROM council.attendance WHERE split_part(name_key, '|', 1) = $1 AND iqm2_id = $2)`,
		council.FoldName(name), meeting).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("look up name %q: %w", name, err)
	}
	return known, nil
}

func differences(before, after []Published) []Difference {
	out := []Difference{}
	for _, c := range changes(before, after, func(p *Published) int64 { return p.VoteID }) {
		out = append(out, Difference{c.was, c.is})
	}
	return out
}

func (r *rows) published() []Published {
	var out []Published
	for _, v := range r.votes {
		p := Published{VoteID: v.ID, ItemID: v.ItemID, MotionSeq: v.MotionSeq, Result: v.Result, Ayes: v.AyesCount,
			Nays: v.NaysCount, Unanimous: v.Unanimous, Mover: v.Mover, Seconder: v.Seconder,
			Roll: append([]council.RollEntry{}, v.Roll...)}
		if at := r.itemAt(&v.ItemID); at >= 0 {
			p.Title = r.items[at].Title
		}
		out = append(out, p)
	}
	return out
}
