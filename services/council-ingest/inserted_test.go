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
		if *into, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
			t.Fatal(err)
		}
	}
	return items, votes
}

// New minutes of a meeting may have an item above those of before, of the same
// title as one of them: all of those keep their ids, and their votes too, though
// each has another number now. File numbers tell the two apart.
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
