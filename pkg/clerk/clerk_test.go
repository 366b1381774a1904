package clerk

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pgtest"
)

// InForce and the SQL view correction_standing agree, whatever the order.
func TestInForceMatchesTheView(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	r := rand.New(rand.NewPCG(3, 4))
	now := time.Now().UTC().Truncate(time.Second)
	names := []string{"Jane Doe", "JANE DOE", "José Ruiz"}
	withdrawn := 0
	for range 120 {
		if r.IntN(3) == 0 {
			if back, err := Withdrawal(t.Context(), db, 1+r.Int64N(40), "Ann", "so"); err == nil {
				withdrawn++
				if err := AddCorrections(t.Context(), db, []Correction{back}, now, nil); err != nil {
					t.Fatal(err)
				}
			}
			continue
		}
		vote, item, value := 1+r.Int64N(2), 1+r.Int64N(2), "2"
		c := Correction{Kind: []Kind{Title, Position, Ayes, Mover}[r.IntN(4)], Meeting: 1 + r.Int64N(2), Becomes: &value,
			Author: "Ann", Reason: "so", Document: "page 1"}
		if c.Kind == Title {
			c.ItemID = &item
		} else {
			c.VoteID = &vote
		}
		if c.Kind == Position {
			nay := string(council.Nay)
			c.Member, c.Becomes = &names[r.IntN(3)], &nay
		}
		if err := AddCorrections(t.Context(), db, []Correction{c}, now, nil); err != nil {
			t.Fatal(err)
		}
	}
	all, err := Corrections(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	ids := func(of []Correction) (out []int64) {
		for _, c := range InForce(of) {
			out = append(out, c.ID)
		}
		return out
	}
	rows, err := db.Query(t.Context(), `SELECT correction_id FROM council.correction_standing WHERE state = 'in_force'
		ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	want, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if d := cmp.Diff(want, ids(all)); err != nil || d != "" || len(want) < 8 || withdrawn < 8 {
		t.Errorf("%d in force, %d withdrawn, %v\n%s", len(want), withdrawn, err, d)
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if d := cmp.Diff(want, ids(all)); d != "" {
		t.Errorf("in another order\n%s", d)
	}
	if waiting, err := Unapplied(t.Context(), db); err != nil || len(waiting) != 0 {
		t.Errorf("unknown meetings are unapplied: %v, %v", waiting, err)
	}
}

func TestAddCorrectionsRejectsInvalidFields(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	vote := int64(1)
	good := func() Correction {
		failed := "failed"
		return Correction{Kind: Result, Meeting: 1, VoteID: &vote, Becomes: &failed, Author: " Ann ", Reason: "so",
			Document: "page 1"}
	}
	for field, spoil := range map[string]func(*Correction){
		"author":   func(c *Correction) { c.Author = "\n" },
		"reason":   func(c *Correction) { c.Reason = strings.Repeat("x", maxReason+1) },
		"document": func(c *Correction) { c.Document = "a\x00b" },
		"result":   func(c *Correction) { c.Becomes = nil },
		"mover":    func(c *Correction) { dots := "..."; c.Kind, c.Becomes = Mover, &dots },
		"ayes":     func(c *Correction) { plus := "+4"; c.Kind, c.Becomes = Ayes, &plus },
		"title":    func(c *Correction) { c.Kind, c.Becomes = Title, nil },
		"tally": func(c *Correction) {
			c.Kind, c.Vote = Missing, &NewVote{Result: "adopted", ResultRaw: "ADOPTED", Ayes: -1}
		},
		"position": func(c *Correction) {
			c.Kind, c.Vote = Missing, &NewVote{Result: "adopted", ResultRaw: "ADOPTED", Roll: []RollEntry{{"Jane Doe", "aye"},
				{"jane doe", "nay"}}}
		},
	} {
		c := good()
		spoil(&c)
		var fault *Fault
		if err := AddCorrections(t.Context(), db, []Correction{good(), c}, time.Now(), nil); !errors.As(err, &fault) ||
			fault.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if all, err := Corrections(t.Context(), db, nil); err != nil || len(all) != 0 {
		t.Errorf("%d were stored, %v", len(all), err)
	}
	one := []Correction{good()}
	if err := AddCorrections(t.Context(), db, one, time.Now(), nil); err != nil || one[0].ID == 0 ||
		one[0].Author != "Ann" {
		t.Errorf("%+v, %v", one, err)
	}
	if _, err := Withdrawal(t.Context(), db, 99, "Ann", "so"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if !slices.Contains(Kind("").Values(), string(Doubled)) || slices.Contains(Kind("").Values(), string(Withdrawn)) {
		t.Error("the kinds that stand")
	}
}
