package councilingest

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
)

// ofVote returns a correction of one vote, made by the test's clerk.
func ofVote(kind clerk.Kind, vote int64, becomes string) clerk.Correction {
	return clerk.Correction{Kind: kind, VoteID: &vote, Becomes: &becomes, Author: "Ann Clerk",
		Reason: "read from the wrong row", Document: "minutes, page 1"}
}

func position(vote int64, member, becomes string) clerk.Correction {
	c := ofVote(clerk.Position, vote, becomes)
	c.Member = &member
	return c
}

func mustCorrect(t *testing.T, deps run.Deps, all ...clerk.Correction) Corrected {
	t.Helper()
	done, err := Correct(t.Context(), deps, all, CorrectOptions{})
	if err != nil || !done.Stored || !done.Live {
		t.Fatalf("Correct = %+v, %v", done, err)
	}
	return done
}

// seen returns the published votes and anomalies.
func seen(t *testing.T, db *pgxpool.Pool) (out []string) {
	t.Helper()
	for _, line := range published(t, db) {
		if strings.HasPrefix(line, "vote ") || strings.HasPrefix(line, "anomaly ") {
			out = append(out, line)
		}
	}
	return out
}

func wantSeen(t *testing.T, db *pgxpool.Pool, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, seen(t, db)); d != "" {
		t.Errorf("published votes and anomalies (-want +got)\n%s", d)
	}
}

const (
	asRead = "vote 1 of meeting 7: Ann Archer aye, Ben Baker aye, Cy De Witt aye, Dee O'Dell nayAwards the Contract " +
		"ADOPTED [3 TO 1] Ann Archer Ben Baker"
	corrected = "vote 1 of meeting 7: Ann Archer aye, Ben Baker abstain, Cy De Witt aye, Dee O'Dell nayAwards the " +
		"Contract ADOPTED [3 TO 1] Cy De Witt Ben Baker"
	second = "vote 2 of meeting 7: Ann Archer aye, Ben Baker aye, Cy De Witt aye, Dee O'Dell ayeAccepts the Report " +
		"ADOPTED [UNANIMOUS] Cy De Witt Dee O'Dell"
)

// A correction overrides every later parse, whether the same document is parsed again or loaded
// again, or another document has the same votes.
func TestCorrectionsSurviveReparses(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	day := "Tuesday, March 10, 2026"
	text := minutesText(day, item("1.", "2026-101", "Awards the Contract", split),
		item("2.", "2026-102", "Accepts the Report", unanimous))
	mustLoad(t, deps, set, 7, "2026-03-10", text)
	wantSeen(t, db, asRead, second)

	dry, err := Correct(t.Context(), deps, []clerk.Correction{position(1, "Ben Baker", "abstain"),
		ofVote(clerk.Mover, 1, "Cy De Witt")}, CorrectOptions{DryRun: true})
	if err != nil || dry.Stored || len(dry.Differences) != 1 || dry.Differences[0].Before.AyesCount != 3 ||
		dry.Differences[0].After.AyesCount != 2 || *dry.Corrections[0].Was != "aye" {
		t.Errorf("Correct in a dry run = %+v, %v", dry, err)
	}
	wantSeen(t, db, asRead, second)

	mustCorrect(t, deps, position(1, "Ben Baker", "abstain"), ofVote(clerk.Mover, 1, "Cy De Witt"))
	wantSeen(t, db, corrected, second)
	lines := recordedChanges(t, db, 0)
	if last := lines[len(lines)-1]; !strings.Contains(last, "vote_changed meeting=7 vote=1 ") ||
		!strings.Contains(last, "correction 2 by Ann Clerk: read from the wrong row (minutes, page 1)") {
		t.Errorf("%s", last)
	}
	checkTallies(t, db)
	mustBeProven(t, deps, set)
	still := dump(t, db)
	again := func() {
		t.Helper()
		for range 2 {
			mustReparse(t, deps, set, true)
			if any, err := Apply(t.Context(), deps); any || err != nil {
				t.Errorf("Apply without new corrections = %v, %v", any, err)
			}
		}
	}
	again()
	mustLoad(t, deps, set, 7, "2026-03-10", text)
	if d := cmp.Diff(still, dump(t, db)); d != "" {
		t.Errorf("a re-parse changes rows:\n%s", d)
	}
	// Another document inserts an item above the others. The corrected vote stays the same and keeps
	// its id.
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText(day, item("1.", "2026-100", "Closes the Landing", unanimous),
		item("2.", "2026-101", "Awards the Contract", split), item("3.", "2026-102", "Accepts the Report", unanimous)))
	third := "vote 3 of meeting 7: Ann Archer aye, Ben Baker aye, Cy De Witt aye, Dee O'Dell ayeCloses the Landing " +
		"ADOPTED [UNANIMOUS] Cy De Witt Dee O'Dell"
	wantSeen(t, db, corrected, second, third)
	again()
	mustBeProven(t, deps, set)

	if done, err := Withdraw(t.Context(), deps, 1, "Ann Clerk", "the minutes were right", CorrectOptions{}); err != nil ||
		!done.Live {
		t.Fatal(done, err)
	}
	wantSeen(t, db, strings.Replace(asRead, "ADOPTED [3 TO 1] Ann Archer", "ADOPTED [3 TO 1] Cy De Witt", 1), second,
		third)
	if _, err := Withdraw(t.Context(), deps, 1, "Ann Clerk", "again", CorrectOptions{}); err == nil {
		t.Error("a correction was withdrawn twice")
	}
	again()
	mustBeProven(t, deps, set)
}

// A parse may differ from both the old value and the corrected value. That is an anomaly, and the
// correction stays in force.
func TestACorrectionAgainstAnotherReading(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	load := func(blocks ...string) {
		t.Helper()
		mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
			item("1.", "2026-101", "Awards the Contract", blocks...)))
	}
	load(split)
	mustCorrect(t, deps, position(1, "Ben Baker", "abstain"), ofVote(clerk.Mover, 1, "Cy De Witt"))
	conflicts := func(want ...string) {
		t.Helper()
		got := values[string](t, db, `SELECT message FROM council.anomaly WHERE code = 'correction-conflict' ORDER BY ord`)
		if len(got) != len(want) {
			t.Fatalf("%q, want %q", got, want)
		}
		for i := range want {
			if !strings.Contains(got[i], want[i]) {
				t.Errorf("%q, want %q", got[i], want[i])
			}
		}
	}
	conflicts()
	// The clerk publishes minutes that agree with the correction. That is no conflict.
	load(block("ADOPTED [2 TO 1]", "Cy De Witt", "Ben Baker", "AYES:         Ann Archer, Cy De Witt",
		"NAYS:         Dee O'Dell", "ABSTAIN:      Ben Baker"))
	conflicts()
	// Another document has a third position for the member.
	load(block("FAILED [2 TO 2]", "Cy De Witt", "Ben Baker", "AYES:         Ann Archer, Cy De Witt",
		"NAYS:         Dee O'Dell, Ben Baker"))
	conflicts(
		`correction 1 (position of Ben Baker: "abstain") by Ann Clerk does not fit what is read now: it was made when "aye" was read, and now "nay" is read`)
	if nays := value[int](t, db, `SELECT count(*) FROM council.vote_position WHERE vote_id = 1
		AND position = 'nay'`); nays != 1 {
		t.Errorf("%d nays: the correction is no longer in force", nays)
	}
	id := value[int64](t, db, `SELECT id FROM council.anomaly WHERE code = 'correction-conflict'`)
	mustBeProven(t, deps, set)
	mustReparse(t, deps, set, true)
	if still := value[int64](t, db, `SELECT id FROM council.anomaly WHERE code = 'correction-conflict'`); still != id {
		t.Errorf("the anomaly with id %d has the new id %d", id, still)
	}
	// A new correction confirms the parsed value, so there is no conflict any more.
	mustCorrect(t, deps, position(1, "Ben Baker", "abstain"))
	conflicts()
	// The item is removed. Its corrections are kept.
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
		item("9.", "2026-109", "Quite Another Thing", unanimous)))
	conflicts("correction 2 (mover: \"Cy De Witt\") by Ann Clerk does not fit what is read now: what it is about is not "+
		"read any more", "correction 3 ")
	mustBeProven(t, deps, set)
}

// The parser missed one vote and read another vote twice.
func TestAMissingAndADoubledVote(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	day := "Tuesday, March 10, 2026"
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText(day, item("1.", "2026-101", "Awards the Contract", split, split),
		item("2.", "2026-102", "Accepts the Report", unanimous)))
	twin := int64(2)
	report := int64(2)
	add := ofVote(clerk.Missing, 0, "")
	add.VoteID, add.Becomes, add.ItemID = nil, nil, &report
	mover := "Dee O'Dell"
	add.Missing = &clerk.MissingVote{Vote: council.Vote{MotionText: "To amend", Result: "failed",
		ResultRaw: "FAILED [1 TO 1]", AyesCount: 1, NaysCount: 1, Mover: &mover,
		Roll: council.Roll{{Member: "Dee O'Dell", Position: "aye"}, {Member: "Ben Baker", Position: "nay"}}}}
	drop := ofVote(clerk.Doubled, twin, "")
	drop.Becomes = nil
	mustCorrect(t, deps, drop)
	done := mustCorrect(t, deps, add)
	id := *done.Corrections[0].VoteID
	want := []string{
		"anomaly 7 block-repeated", asRead,
		strings.Replace(second, "vote 2 ", "vote 3 ", 1),
		fmt.Sprintf("vote %d of meeting 7: Dee O'Dell aye, Ben Baker nayAccepts the Report FAILED [1 TO 1] Dee O'Dell", id),
	}
	wantSeen(t, db, want...)
	mustReparse(t, deps, set, true)
	wantSeen(t, db, want...)
	// Corrections of the added vote are in force too.
	mustCorrect(t, deps, position(id, "Cy De Witt", "abstain"))
	want[3] = strings.Replace(want[3], "Ben Baker nay", "Ben Baker nay, Cy De Witt abstain", 1)
	wantSeen(t, db, want...)
	mustBeProven(t, deps, set)
	checkTallies(t, db)
	// The new minutes contain the second vote. The added vote may be a duplicate of it, so there is an
	// anomaly for a person to review.
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText(day, item("1.", "2026-101", "Awards the Contract", split),
		item("2.", "2026-102", "Accepts the Report", unanimous, split)))
	found := strings.Join(seen(t, db), "\n")
	if strings.Count(found, "anomaly 7 correction-conflict") != 2 || !strings.Contains(found, want[3]) ||
		strings.Count(found, "Awards the Contract") != 1 {
		t.Errorf("%s", found)
	}
	if _, err := Withdraw(t.Context(), deps, done.Corrections[0].ID, "Ann Clerk", "the minutes have it now",
		CorrectOptions{}); err != nil {
		t.Fatal(err)
	}
	found = strings.Join(seen(t, db), "\n")
	if strings.Contains(found, fmt.Sprintf("vote %d ", id)) {
		t.Errorf("%s", found)
	}
	mustBeProven(t, deps, set)
}

// If two clerks act on the same page, the statements of the second are rejected because of those of
// the first. None of the rejected statements is stored.
func TestOutdatedCorrectionsConflict(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
		item("1.", "2026-101", "Awards the Contract", strings.Replace(split, "3 TO 1", "2 TO 1", 1))))
	anomaly := value[int64](t, db, `SELECT id FROM council.anomaly`)
	look := func() *clerk.Seen {
		t.Helper()
		s, err := clerk.LatestSeen(t.Context(), db, anomaly, 7)
		if err != nil {
			t.Fatal(err)
		}
		return &s
	}
	both := look()
	correct := func(seen *clerk.Seen) error {
		_, err := Correct(t.Context(), deps, []clerk.Correction{position(1, "Ben Baker", "nay")}, CorrectOptions{Seen: seen})
		return err
	}
	review := func(seen *clerk.Seen) error {
		_, err := clerk.AddReview(t.Context(), db, anomaly, clerk.Accepted, "", "Ann", time.Now(), seen)
		return err
	}
	if err := review(both); err != nil {
		t.Fatal(err)
	}
	if err, other := correct(both), review(both); !errors.Is(err, clerk.ErrConflict) ||
		!errors.Is(other, clerk.ErrConflict) {
		t.Errorf("after a review: %v, %v", err, other)
	}
	now := look()
	if err := correct(now); err != nil {
		t.Fatal(err)
	}
	_, err := Withdraw(t.Context(), deps, 1, "Bo", "no", CorrectOptions{Seen: now})
	if !errors.Is(err, clerk.ErrConflict) || !errors.Is(review(now), clerk.ErrConflict) {
		t.Errorf("after a correction: %v", err)
	}
	if _, err := Withdraw(t.Context(), deps, 1, "Bo", "no", CorrectOptions{Seen: look()}); err != nil {
		t.Error(err)
	}
	if said := value[string](t, db,
		`SELECT (SELECT count(*) FROM council.review) || ' and ' || (SELECT count(*) FROM council.correction)`); said != "1 and 2" {
		t.Errorf("the numbers of stored reviews and corrections are %s", said)
	}
}

func TestInvalidCorrectionsAreRejected(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
		item("1.", "2026-101", "Awards the Contract", split)))
	blank := ofVote(clerk.Result, 1, "failed")
	blank.Author = " "
	bidi := ofVote(clerk.Result, 1, "failed")
	bidi.Reason = "a \u202e b"
	for what, c := range map[string]clerk.Correction{
		"author": blank, "control characters": bidi, "won": ofVote(clerk.Result, 1, "won"),
		"position":   position(1, "Ben Baker", "yes"),
		"Ben Bakker": position(1, "Ben Bakker", "nay"), "not found": ofVote(clerk.Result, 99, "failed"),
		"from 0 to": ofVote(clerk.Ayes, 1, "-1"),
	} {
		if _, err := Correct(t.Context(), deps, []clerk.Correction{c}, CorrectOptions{}); err == nil ||
			!strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	wantSeen(t, db, asRead)
	for _, sql := range []string{`UPDATE council.correction SET reason = 'other'`, `DELETE FROM council.correction`,
		`UPDATE council.review SET body = ''`} {
		mustCorrect(t, deps, position(1, "Ben Baker", "nay"))
		if _, err := clerk.AddReview(t.Context(), db, 0, clerk.Accepted, "", "Ann", time.Now(), nil); err == nil {
			t.Error("a review of a missing anomaly was stored")
		}
		if _, err := db.Exec(t.Context(), sql); strings.Contains(sql, "correction") &&
			(err == nil || !strings.Contains(err.Error(), "only grows")) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// If any step between two corrections and the next parse is interrupted, both or none are stored,
// and the next run gives the same result as an undisturbed run. The database of another town on
// the same server does not change.
func TestCorrectionsAfterKills(t *testing.T) {
	t.Parallel()
	db, cut := cutPool(t)
	deps, set := testDeps(t, db), testSettings(t)
	other := pgtest.New(t)
	otherDeps := testDeps(t, other)
	day := "Tuesday, March 10, 2026"
	text := minutesText(day, item("1.", "2026-101", "Awards the Contract", split),
		item("2.", "2026-102", "Accepts the Report", unanimous))
	mustLoad(t, deps, set, 7, "2026-03-10", text)
	mustLoad(t, otherDeps, set, 7, "2026-03-10", text)
	untouched := dump(t, other)
	step := 4
	if os.Getenv("TOWNLINE_EVERYTHING") != "" {
		step = 1
	}
	whole, said := 0, 0
	for n := 1; whole == 0; n += step {
		// The value alternates, so that each round changes something.
		becomes, mover := "abstain", "Cy De Witt"
		if said%4 > 0 {
			becomes, mover = "absent", "Dee O'Dell"
		}
		ctx := cut.at(t.Context(), n)
		_, err := Correct(ctx, deps, []clerk.Correction{position(1, "Ben Baker", becomes),
			ofVote(clerk.Mover, 1, mover)}, CorrectOptions{})
		if err == nil {
			_, err = Reparse(ctx, deps, set, true)
		}
		if err == nil {
			whole = n
		}
		all, listErr := clerk.Corrections(t.Context(), db, nil)
		if listErr != nil {
			t.Fatal(listErr)
		}
		if _, err := Apply(t.Context(), deps); err != nil {
			t.Fatal(err)
		}
		mustReparse(t, deps, set, true)
		want := []string{asRead, second}
		if len(all)%2 > 0 {
			t.Fatalf("interrupted before statement %d: %d corrections are stored", n, len(all))
		}
		if len(all) > 0 {
			want[0] = strings.NewReplacer("Ben Baker aye", "Ben Baker "+*all[len(all)-2].Becomes,
				"[3 TO 1] Ann Archer", "[3 TO 1] "+*all[len(all)-1].Becomes).Replace(asRead)
		}
		if len(all) > said {
			said = len(all)
		}
		if d := cmp.Diff(want, seen(t, db)); d != "" {
			t.Fatalf("interrupted before statement %d (%v):\n%s", n, err, d)
		}
	}
	t.Logf("interrupted %d times, before one of up to %d statements; %d corrections", step, whole-1, said)
	if whole < 30 || said < 3 {
		t.Errorf("%d statements, %d corrections: the tracer is not installed", whole, said)
	}
	mustBeProven(t, deps, set)
	checkTallies(t, db)
	if d := cmp.Diff(untouched, dump(t, other)); d != "" {
		t.Errorf("the other town changed:\n%s", d)
	}
}
