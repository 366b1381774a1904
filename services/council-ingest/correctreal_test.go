package councilingest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/sample"
)

// Corrections change much of a real town: every third vote gets another position, every fifth
// another result, every seventh item another title, and some votes are removed. When everything is
// parsed again, the corrections stay in force, no id changes, and the rows follow from archive and
// corrections. When all corrections are withdrawn, the town is as before. Another town on the same
// server does not change.
func TestCorrectionsOfRealMinutes(t *testing.T) {
	t.Parallel()
	town, other := realTown(t, "riverhead-ny/2026-*.txt"), realTown(t, "riverhead-ny/2025-0*.txt")
	untouched := dump(t, other.DB)
	set := testSettings(t)
	before := seen(t, town.DB)

	rows, err := town.DB.Query(t.Context(), `
		SELECT v.id, v.item_id, (SELECT b.full_name FROM council.vote_position p JOIN council.member b ON b.id = p.member_id
		       WHERE p.vote_id = v.id ORDER BY p.ord LIMIT 1)
		FROM council.vote v ORDER BY v.id`)
	if err != nil {
		t.Fatal(err)
	}
	type vote struct {
		ID, Item int64
		First    *string
	}
	votes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[vote])
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{}
	for i, v := range votes {
		var all []clerk.Correction
		if i%3 == 0 && v.First != nil {
			all = append(all, position(v.ID, *v.First, "recused"))
		}
		if i%5 == 0 {
			all = append(all, ofVote(clerk.Result, v.ID, "tabled"))
		}
		if i%7 == 0 {
			title := ofVote(clerk.Title, 0, fmt.Sprint("Corrected Title ", i))
			title.VoteID, title.ItemID = nil, &v.Item
			all = append(all, title)
		}
		if i%31 == 30 {
			gone := ofVote(clerk.Doubled, v.ID, "")
			gone.Becomes = nil
			all = append(all, gone)
			want["gone"]++
		}
		for _, c := range all {
			if _, err := waits(t, town, c); err != nil {
				t.Fatalf("vote %d: %v", v.ID, err)
			}
			want[string(c.Kind)]++
		}
	}
	if any, err := Apply(t.Context(), town); !any || err != nil {
		t.Fatalf("Apply = %v, %v", any, err)
	}
	corrected := seen(t, town.DB)
	if cmp.Equal(before, corrected) || want["gone"] == 0 {
		t.Fatal("nothing was corrected")
	}
	mustBeProven(t, town, set)
	ids := idsOf(t, town.DB)
	mustReparse(t, town, set, true)
	if d := cmp.Diff(corrected, seen(t, town.DB)); d != "" {
		t.Errorf("the re-parse changes what readers see\n%s", d)
	}
	if now := idsOf(t, town.DB); !slices.Equal(ids, now) {
		t.Error("some ids changed")
	}
	if conflicts := value[int](t, town.DB, `SELECT count(*) FROM council.anomaly
		WHERE code = 'correction-conflict'`); conflicts != 0 {
		t.Errorf("there are %d conflicts", conflicts)
	}
	checkTallies(t, town.DB)

	all, err := clerk.Corrections(t.Context(), town.DB, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		id := all[i].ID
		all[i] = clerk.Correction{Kind: clerk.Withdrawn, Meeting: all[i].Meeting, ItemID: all[i].ItemID,
			VoteID: all[i].VoteID, Withdraws: &id, Author: "Ann", Reason: "done", Document: "-"}
	}
	if err := clerk.AddCorrections(t.Context(), town.DB, all, all[0].MadeAt, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := Apply(t.Context(), town); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, seen(t, town.DB)); d != "" {
		t.Errorf("after all withdrawals the town differs from before\n%s", d)
	}
	mustBeProven(t, town, set)
	if d := cmp.Diff(untouched, dump(t, other.DB)); d != "" {
		t.Errorf("the other town changed\n%s", d)
	}
	t.Logf("%d votes; corrections %v", len(votes), want)
}

// waits stores a correction but does not apply it.
func waits(t *testing.T, deps run.Deps, c clerk.Correction) (any, error) {
	t.Helper()
	all := []clerk.Correction{c}
	done, err := Correct(t.Context(), deps, all, CorrectOptions{DryRun: true})
	if err == nil {
		err = clerk.AddCorrections(t.Context(), deps.DB, done.Corrections, done.Corrections[0].MadeAt, nil)
	}
	return done, err
}

func idsOf(t *testing.T, db *pgxpool.Pool) []string {
	t.Helper()
	return values[string](t, db, `SELECT 'item ' || id || ' ' || iqm2_id || ' ' || ord FROM council.item UNION ALL
		SELECT 'vote ' || id || ' ' || item_id FROM council.vote
		UNION ALL SELECT 'member ' || id || full_name FROM council.member UNION ALL SELECT 'anomaly ' || id || code
		  FROM council.anomaly ORDER BY 1`)
}

// realTown returns a database with the real minutes whose files match a pattern.
func realTown(t *testing.T, pattern string) run.Deps {
	t.Helper()
	files := sample.Glob(t, "council/"+pattern)
	deps, set := testDeps(t, pgtest.New(t)), testSettings(t)
	for i, file := range files[:some(len(files))] {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		mustLoad(t, deps, set, int64(i+1), filepath.Base(file)[:10], string(text))
	}
	return deps
}

// some returns the number of documents that a test reads: a part of them, or all if
// TOWNLINE_EVERYTHING is set.
func some(all int) int {
	if os.Getenv("TOWNLINE_EVERYTHING") != "" {
		return all
	}
	return min(all, 2)
}
