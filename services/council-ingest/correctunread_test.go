package councilingest

import (
	"errors"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
)

// A correction adds a missing item and its vote. The item survives every later parse with its ids
// and its topic, and can be corrected like other items. If a parse finds the item, that is
// reported, and the two are not merged. If the correction is withdrawn, the item is removed.
func TestCorrectionOfAMissingItem(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	day := "Tuesday, March 10, 2026"
	first, last := item("1.", "2026-101", "Awards the Contract", split), item("3.", "2026-103", "Accepts the Report",
		unanimous)
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText(day, first, last))
	unread := func(after int64) clerk.Correction {
		number, file, mover, seconder := "2.", "2026-102", "Ben Baker", "Cy De Witt"
		return clerk.Correction{Kind: clerk.Missing, Meeting: 7, Author: "Ann Clerk", Reason: "the page was not scanned",
			Document: "the signed resolution", Missing: &clerk.MissingVote{
				Item: &clerk.NewItem{Title: "Affordable Housing Plan", Number: &number, FileNumber: &file, After: &after},
				Vote: council.Vote{Result: council.Failed, ResultRaw: "FAILED [1 TO 2]", AyesCount: 1, NaysCount: 2,
					Mover: &mover, Seconder: &seconder, Roll: council.Roll{{Member: "Ben Baker", Position: council.Aye},
						{Member: "Ann Archer", Position: council.Nay}, {Member: "Dee O'Dell", Position: council.Nay}}}}}
	}
	for _, wrong := range []clerk.Correction{unread(99), func() clerk.Correction {
		c := unread(1)
		c.Meeting = 8
		return c
	}()} {
		_, err := Correct(t.Context(), deps, []clerk.Correction{wrong}, CorrectOptions{})
		if !errors.Is(err, clerk.ErrNotFound) {
			t.Errorf("meeting %d after item %d: %v", wrong.Meeting, *wrong.Missing.Item.After, err)
		}
	}
	one := func(sql string) string { t.Helper(); return value[string](t, db, sql) }
	const items = `SELECT string_agg(concat_ws(' ', id, ord, item_number, title,
		(SELECT count(*) FROM council.vote v WHERE v.item_id = i.id)), ', ' ORDER BY ord) FROM council.item i`
	before := one(items)
	if dry, err := Correct(t.Context(), deps, []clerk.Correction{unread(1)}, CorrectOptions{DryRun: true}); err != nil ||
		len(dry.Differences) != 1 || dry.Differences[0].TitleAfter != "Affordable Housing Plan" || one(items) != before {
		t.Errorf("dry run: %+v, %v", dry, err)
	}
	done := mustCorrect(t, deps, unread(1))
	its, vote := *done.Corrections[0].ItemID, *done.Corrections[0].VoteID
	want := "1 1 1. Awards the Contract 1, 3 2 2. Affordable Housing Plan 1, 2 3 3. Accepts the Report 1"
	if got := one(items); got != want || its != 3 {
		t.Errorf("the item was added with id %d: %s\nwant %s", its, got, want)
	}
	again := func(when, want string) {
		t.Helper()
		for range 2 {
			mustReparse(t, deps, set, true)
			if any, err := Apply(t.Context(), deps); any || err != nil {
				t.Errorf("%s: Apply = %v, %v", when, any, err)
			}
		}
		if got := one(items); got != want {
			t.Errorf("%s: %s\nwant %s", when, got, want)
		}
		mustBeProven(t, deps, set)
	}
	again("read again", want)
	if topic := one(`SELECT concat_ws(' ', i.topic, v.topic) FROM council.item i
		JOIN council.vote v ON v.item_id = i.id WHERE i.id = 3`); topic != "housing housing" {
		t.Errorf("the topic of the added item is %q", topic)
	}
	// The title and the vote are corrected like those of other items, and a second vote is added.
	title := "Affordable Housing Plan at Night"
	mustCorrect(t, deps, clerk.Correction{Kind: clerk.Title, ItemID: &its, Becomes: &title, Author: "Ann Clerk",
		Reason: "misspelt", Document: "the resolution"})
	mustCorrect(t, deps, ofVote(clerk.Result, vote, "tabled"))
	mustCorrect(t, deps, clerk.Correction{Kind: clerk.Missing, ItemID: &its, Author: "Ann Clerk", Reason: "there were two",
		Document: "the resolution",
		Missing:  &clerk.MissingVote{Vote: council.Vote{Result: council.Tabled, ResultRaw: "TABLED"}}})
	want = "1 1 1. Awards the Contract 1, 3 2 2. Affordable Housing Plan at Night 2, 2 3 3. Accepts the Report 1"
	again("corrected", want)
	if votes := one(
		`SELECT string_agg(result || ' ' || ayes_count || '-' || nays_count, ', ' ORDER BY ord) FROM council.vote WHERE item_id = 3`); votes != "tabled 1-2, tabled 0-0" {
		t.Errorf("the votes of the added item: %s", votes)
	}
	checkTallies(t, db)
	// New minutes contain the item.
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText(day, first, item("2.", "2026-102", "Affordable Housing Plan",
		unanimous), last))
	if message := one(`SELECT coalesce(string_agg(message, '; '), '')
		FROM council.anomaly WHERE code = 'correction-conflict'`); !strings.Contains(message, "may be there twice") {
		t.Errorf("conflict: %q", message)
	}
	mustBeProven(t, deps, set)
	for _, c := range []int64{1, 2, 3, 4} {
		if _, err := Withdraw(t.Context(), deps, c, "Ann Clerk", "it is in the minutes", CorrectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	again("withdrawn", "1 1 1. Awards the Contract 1, 4 2 2. Affordable Housing Plan 1, 2 3 3. Accepts the Report 1")
	if n := one(`SELECT count(*)::text FROM council.anomaly WHERE code LIKE 'correction-%'`); n != "0" {
		t.Errorf("there are still %s conflicts", n)
	}
}
