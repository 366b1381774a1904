package councilingest

import (
	"slices"
	"testing"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
)

// ids returns the ids of the meeting's items and of their votes, in document order.
func ids(t *testing.T, deps run.Deps) (items, votes []int64) {
	t.Helper()
	return values[int64](t, deps.DB, "SELECT id FROM council.item ORDER BY ord"),
		values[int64](t, deps.DB, "SELECT id FROM council.vote ORDER BY ord")
}

// Items without file numbers that have the same title are distinguished by their votes. So are the
// motions on one item. If two votes are identical, the id is retired and never used again.
func TestIDsNeverMoveToAnotherVote(t *testing.T) {
	t.Parallel()
	deps, set := testDeps(t, pgtest.New(t)), testSettings(t)
	load := func(items ...string) (its, votes []int64) {
		t.Helper()
		mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026", items...))
		mustBeProven(t, deps, set)
		return ids(t, deps)
	}
	tabled := block("TABLED [2 TO 2]", "Ben Baker", "Ann Archer", "AYES:         Ben Baker, Dee O'Dell",
		"NAYS:         Ann Archer, Cy De Witt")
	items, votes := load(item("1.", "", "Pays Bills", unanimous))
	above, aboveVotes := load(item("1.", "", "Pays Bills", split), item("2.", "", "Pays Bills", unanimous))
	if above[1] != items[0] || aboveVotes[1] != votes[0] || aboveVotes[0] == votes[0] {
		t.Errorf("after an item was inserted: items %v, votes %v; before: %v, %v", above, aboveVotes, items, votes)
	}
	// A new motion before another motion takes the other's number, but not its id.
	more, moreVotes := load(item("1.", "", "Pays Bills", split), item("2.", "", "Pays Bills", tabled, unanimous))
	if !slices.Equal(more, above) || len(moreVotes) != 3 || moreVotes[0] != aboveVotes[0] || moreVotes[2] != votes[0] ||
		slices.Contains(aboveVotes, moreVotes[1]) {
		t.Errorf("after a motion was inserted: items %v, votes %v; before: %v, %v", more, moreVotes, above, aboveVotes)
	}
	// The items are identical, so it is unknown which is the older one.
	_, before := load(item("1.", "", "Pays Bills", split))
	_, twice := load(item("1.", "", "Pays Bills", split), item("2.", "", "Pays Bills", split))
	if len(twice) != 2 || slices.Contains(twice, before[0]) {
		t.Errorf("votes of two equal items: %v, before: %v", twice, before)
	}
	if retired := value[int](t, deps.DB, `SELECT count(*) FROM council.change
		WHERE kind = 'vote_removed' AND vote_id = $1`, before[0]); retired != 1 {
		t.Errorf("%d changes say that the retired id was removed", retired)
	}
}
