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

// A Difference is the effect of corrections on one vote and on the title of its item.
type Difference struct {
	TitleBefore string              `json:"item_title_before,omitempty"`
	Before      *council.StoredVote `json:"before"` // nil if they add the vote
	TitleAfter  string              `json:"item_title_after,omitempty"`
	After       *council.StoredVote `json:"after"` // nil if they remove it
}

// String describes a difference with one line for each changed value.
func (d Difference) String() string {
	var b strings.Builder
	switch {
	case d.Before == nil:
		fmt.Fprintf(&b, "a new vote on %q\n", d.TitleAfter)
	case d.After == nil:
		fmt.Fprintf(&b, "vote %d on %q is removed\n", d.Before.ID, d.TitleBefore)
	default:
		fmt.Fprintf(&b, "vote %d on %q\n", d.Before.ID, d.TitleBefore)
	}
	before, after := valuesOf(d.TitleBefore, d.Before), valuesOf(d.TitleAfter, d.After)
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

func valuesOf(title string, v *council.StoredVote) map[string]string {
	if v == nil {
		return map[string]string{}
	}
	out := map[string]string{"title": title, "result": string(v.Result),
		"tally": fmt.Sprintf("%d-%d", v.AyesCount, v.NaysCount), "unanimous": fmt.Sprint(v.Unanimous)}
	if v.Mover != nil {
		out["mover"] = *v.Mover
	}
	if v.Seconder != nil {
		out["seconder"] = *v.Seconder
	}
	for _, e := range v.Roll {
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
			if c.Missing.Item != nil {
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
	return differences(&before.rows, &after.rows), nil
}

func (o *overlay) checkTarget(c *clerk.Correction) error {
	switch {
	case c.Kind == clerk.Missing && c.Missing.Item != nil && c.Missing.Item.After != nil &&
		o.read.itemAt(c.Missing.Item.After) < 0:
		return fmt.Errorf("find item %d to insert after: %w", *c.Missing.Item.After, clerk.ErrNotFound)
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

// differences lists the votes that differ, or whose item has another title.
func differences(before, after *rows) []Difference {
	type titled struct {
		title string
		vote  council.StoredVote
	}
	list := func(r *rows) []titled {
		out := make([]titled, len(r.votes))
		for i, v := range r.votes {
			if at := r.itemAt(&v.ItemID); at >= 0 {
				out[i].title = r.items[at].Title
			}
			v.Ord = 0 // a vote that only moved does not differ
			out[i].vote = v
		}
		return out
	}
	all := []Difference{}
	for _, c := range changes(list(before), list(after), func(t *titled) int64 { return t.vote.ID }) {
		var d Difference
		if c.was != nil {
			d.TitleBefore, d.Before = c.was.title, &c.was.vote
		}
		if c.is != nil {
			d.TitleAfter, d.After = c.is.title, &c.is.vote
		}
		all = append(all, d)
	}
	return all
}
