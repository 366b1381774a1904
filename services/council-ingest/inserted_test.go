package councilingest

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
)

// ids lists the ids of the meeting's items and of their votes, in document order.
func ids(t *testing.T, deps run.Deps) (items, votes []int64) {
	t.Helper()
	for sql, into := range map[string]*[]int64{"SELECT id FROM council.item ORDER BY ord": &items, "SELECT id FROM council.vote ORDER BY ord": &votes} {
		rows, err := deps.DB.Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		*into, err = pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			t.Fatal(err)
		}
	}
	return items, votes
}

// New minutes of a meeting may have an item above those of before, of the same
// title as one of them: all of those keep their ids, and their votes too, though
// each has another number now. File numbers distinguish the two.
func TestItemOfTheSameTitleInsertedAbove(t *testing.T) {
	t.Parallel()
	deps, set := testDeps(t, pgtest.New(t)), testSettings(t)
	load := func(items ...string) (its, votes []int64) {
		t.Helper()
		mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026", items...))
		return ids(t, deps)
	}
	items, votes := load(item("1.", "2026-101", "Pays Bills", unanimous), item("2.", "2026-102", "Awards the Contract for Street Sweeping", split),
		item("3.", "2026-103", "Pays Bills", split))
	more, moreVotes := load(item("1.", "2026-100", "Pays Bills", split), item("2.", "2026-101", "Pays Bills", unanimous),
		item("3.", "2026-102", "Awards the Contract for Street Sweeping", split), item("4.", "2026-103", "Pays Bills", split))
	if len(items) != 3 || len(more) != 4 || !slices.Equal(items, more[1:]) || slices.Contains(items, more[0]) {
		t.Errorf("items %v became %v", items, more)
	}
	if len(votes) != 3 || len(moreVotes) != 4 || !slices.Equal(votes, moreVotes[1:]) || slices.Contains(votes, moreVotes[0]) {
		t.Errorf("votes %v became %v", votes, moreVotes)
	}
	// And it can be taken out again.
	again, againVotes := load(item("1.", "2026-101", "Pays Bills", unanimous), item("2.", "2026-102", "Awards the Contract for Street Sweeping", split),
		item("3.", "2026-103", "Pays Bills", split))
	if !slices.Equal(again, items) || !slices.Equal(againVotes, votes) {
		t.Errorf("items %v, votes %v; before %v, %v", again, againVotes, items, votes)
	}
}

// Without file numbers, what was voted distinguishes items of one title, and motions of one item. An id whose vote cannot be
// distinguished from another is retired, and never given to anybody.
func TestIDsNeverMoveToAnotherVote(t *testing.T) {
	t.Parallel()
	deps, set := testDeps(t, pgtest.New(t)), testSettings(t)
	load := func(items ...string) (its, votes []int64) {
		t.Helper()
		mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026", items...))
		mustBeProven(t, deps, set)
		return ids(t, deps)
	}
	tabled := block("TABLED [2 TO 2]", "Ben Baker", "Ann Archer", "AYES:         Ben Baker, Dee O'Dell", "NAYS:         Ann Archer, Cy De Witt")
	items, votes := load(item("1.", "", "Pays Bills", unanimous))
	above, aboveVotes := load(item("1.", "", "Pays Bills", split), item("2.", "", "Pays Bills", unanimous))
	if above[1] != items[0] || aboveVotes[1] != votes[0] || aboveVotes[0] == votes[0] {
		t.Errorf("an item above: items %v, votes %v, before %v, %v", above, aboveVotes, items, votes)
	}
	// A motion above the other takes its number, and not its id.
	more, moreVotes := load(item("1.", "", "Pays Bills", split), item("2.", "", "Pays Bills", tabled, unanimous))
	if !slices.Equal(more, above) || len(moreVotes) != 3 || moreVotes[0] != aboveVotes[0] || moreVotes[2] != votes[0] || slices.Contains(aboveVotes, moreVotes[1]) {
		t.Errorf("a motion above: items %v, votes %v, before %v, %v", more, moreVotes, above, aboveVotes)
	}
	// The same to the letter: nobody can say which one was there.
	_, before := load(item("1.", "", "Pays Bills", split))
	_, twice := load(item("1.", "", "Pays Bills", split), item("2.", "", "Pays Bills", split))
	if len(twice) != 2 || slices.Contains(twice, before[0]) {
		t.Errorf("the same twice: votes %v, before %v", twice, before)
	}
	var retired int
	if err := deps.DB.QueryRow(t.Context(), `SELECT count(*) FROM council.change WHERE kind = 'vote_removed' AND vote_id = $1`, before[0]).Scan(&retired); err != nil || retired != 1 {
		t.Errorf("%d rows of the retired id, %v", retired, err)
	}
}
