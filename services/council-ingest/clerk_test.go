package councilingest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pgtest"
)

// Of the corrections of one value, the newest that is not withdrawn is in force: among all
// corrections, and among those that readers see.
func TestCorrectionsInForce(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	r := rand.New(rand.NewPCG(3, 4))
	now := time.Now().UTC().Truncate(time.Second)
	names := []string{"Jane Doe", "JANE DOE", "José Ruiz"}
	withdrawn := 0
	for range 120 {
		if r.IntN(3) == 0 {
			if back, err := clerk.Withdrawal(t.Context(), db, 1+r.Int64N(40), "Ann", "so"); err == nil {
				withdrawn++
				if err := clerk.AddCorrections(t.Context(), db, []clerk.Correction{back}, now, nil); err != nil {
					t.Fatal(err)
				}
			}
			continue
		}
		vote, item, value := 1+r.Int64N(2), 1+r.Int64N(2), "2"
		c := clerk.Correction{Kind: []clerk.Kind{clerk.Title, clerk.Position, clerk.Ayes, clerk.Mover}[r.IntN(4)],
			Meeting: 1 + r.Int64N(2), Becomes: &value,
			Author: "Ann", Reason: "so", Document: "page 1"}
		if c.Kind == clerk.Title {
			c.ItemID = &item
		} else {
			c.VoteID = &vote
		}
		if c.Kind == clerk.Position {
			nay := string(council.Nay)
			c.Member, c.Becomes = &names[r.IntN(3)], &nay
		}
		if err := clerk.AddCorrections(t.Context(), db, []clerk.Correction{c}, now, nil); err != nil {
			t.Fatal(err)
		}
	}
	all, err := clerk.Corrections(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[int64]bool{}
	for _, c := range all {
		got[c.ID] = c.InForce()
	}
	inForce := func(until int64) map[int64]bool {
		newest, in := map[string]int64{}, map[int64]bool{}
		for _, c := range all {
			taken := slices.ContainsFunc(all, func(w clerk.Correction) bool {
				return w.ID <= until && council.OrZero(w.Withdraws) == c.ID
			})
			if in[c.ID] = false; c.Kind == clerk.Withdrawn || c.ID > until || taken {
				continue
			}
			value := fmt.Sprint(c.Kind, c.Meeting, council.OrZero(c.ItemID), council.OrZero(c.VoteID),
				council.FoldName(council.Text(c.Member)))
			in[newest[value]], in[c.ID], newest[value] = false, true, c.ID
		}
		delete(in, 0)
		return in
	}
	if want := inForce(1 << 62); cmp.Diff(want, got) != "" || withdrawn < 8 {
		t.Errorf("%d corrections are withdrawn (-want +got)\n%s", withdrawn, cmp.Diff(want, got))
	}
	mustExec(t, db, `INSERT INTO council.uncorrected (iqm2_id, correction_id, meeting_rows) SELECT n, 60, '{}'
		FROM generate_series(1, 2) n`)
	for id := range got {
		got[id] = false
	}
	for _, id := range values[int64](t, db, `SELECT correction_id FROM council.correction_state
		WHERE published AND state = 'in_force'`) {
		got[id] = true
	}
	if want := inForce(60); cmp.Diff(want, got) != "" {
		t.Errorf("of the first 60 (-want +got)\n%s", cmp.Diff(want, got))
	}
	if waiting, err := clerk.Unapplied(t.Context(), db); err != nil || len(waiting) != 0 {
		t.Errorf("corrections of unknown meetings are unapplied: %v, %v", waiting, err)
	}
}

func TestAddCorrectionsRejectsInvalidFields(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	vote := int64(1)
	good := func() clerk.Correction {
		failed := "failed"
		return clerk.Correction{Kind: clerk.Result, Meeting: 1, VoteID: &vote, Becomes: &failed,
			Author: " Ann ", Reason: "so",
			Document: "page 1"}
	}
	for field, spoil := range map[string]func(*clerk.Correction){
		"author":   func(c *clerk.Correction) { c.Author = "\n" },
		"reason":   func(c *clerk.Correction) { c.Reason = strings.Repeat("x", 2001) },
		"document": func(c *clerk.Correction) { c.Document = "a\x00b" },
		"result":   func(c *clerk.Correction) { c.Becomes = nil },
		"mover":    func(c *clerk.Correction) { dots := "..."; c.Kind, c.Becomes = clerk.Mover, &dots },
		"ayes":     func(c *clerk.Correction) { plus := "+4"; c.Kind, c.Becomes = clerk.Ayes, &plus },
		"title":    func(c *clerk.Correction) { c.Kind, c.Becomes = clerk.Title, nil },
		"tally": func(c *clerk.Correction) {
			c.Kind, c.Missing = clerk.Missing, &clerk.MissingVote{Vote: council.Vote{Result: "adopted", ResultRaw: "ADOPTED",
				AyesCount: -1}}
		},
		"position": func(c *clerk.Correction) {
			c.Kind, c.Missing = clerk.Missing, &clerk.MissingVote{Vote: council.Vote{Result: "adopted", ResultRaw: "ADOPTED",
				Roll: council.Roll{{Member: "Jane Doe", Position: "aye"}, {Member: "jane doe", Position: "nay"}}}}
		},
	} {
		c := good()
		spoil(&c)
		var fault *clerk.Fault
		err := clerk.AddCorrections(t.Context(), db, []clerk.Correction{good(), c}, time.Now(), nil)
		if !errors.As(err, &fault) ||
			fault.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if all, err := clerk.Corrections(t.Context(), db, nil); err != nil || len(all) != 0 {
		t.Errorf("%d invalid corrections were stored, %v", len(all), err)
	}
	one := []clerk.Correction{good()}
	if err := clerk.AddCorrections(t.Context(), db, one, time.Now(), nil); err != nil || one[0].ID == 0 ||
		one[0].Author != "Ann" {
		t.Errorf("%+v, %v", one, err)
	}
	if _, err := clerk.Withdrawal(t.Context(), db, 99, "Ann", "so"); !errors.Is(err, clerk.ErrNotFound) {
		t.Error(err)
	}
	kinds := clerk.Kind("").Values()
	if !slices.Contains(kinds, string(clerk.Doubled)) || slices.Contains(kinds, string(clerk.Withdrawn)) {
		t.Error("wrong kinds are in force")
	}
}
