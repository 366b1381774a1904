package councilingest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// recordedChanges returns the public changes with a higher number than after, oldest first.
func recordedChanges(t *testing.T, db *pgxpool.Pool, after int) []string {
	t.Helper()
	return values[string](t, db, `
		SELECT concat_ws(' ', kind, 'meeting=' || iqm2_id, 'vote=' || vote_id, before->>'status', before->>'result_raw',
		       before->>'full_name', '->',
		                 after->>'status', after->>'result_raw', after->>'full_name', '(' || reason || ')')
		FROM council.change WHERE change_id > $1 ORDER BY change_id`, after)
}

// Every change of a published vote is recorded, with the old value and the reason. Unchanged votes
// are not recorded.
func TestChangesAreRecorded(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	day := "Tuesday, March 10, 2026"
	first, second, third := item("1.", "2026-101", "Awards the Contract", split),
		item("2.", "2026-102", "Accepts the Report", unanimous), item("1.", "2026-103", "Closes the Landing", unanimous)
	seen := 0
	expect := func(want ...string) {
		t.Helper()
		got := recordedChanges(t, db, seen)
		if d := cmp.Diff(append([]string{}, want...), got); d != "" {
			t.Errorf("changes (-want +got)\n%s", d)
		}
		seen += len(got)
	}
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText(day, first, second))
	expect("meeting_added meeting=7 -> discovered (found on the calendar)",
		"member_added meeting=7 -> Ann Archer (new document)", "member_added meeting=7 -> Ben Baker (new document)",
		"member_added meeting=7 -> Cy De Witt (new document)", "member_added meeting=7 -> Dee O'Dell (new document)",
		"vote_added meeting=7 vote=1 -> ADOPTED [3 TO 1] (new document)",
		"vote_added meeting=7 vote=2 -> ADOPTED [UNANIMOUS] (new document)",
		"meeting_status meeting=7 discovered -> minutes_pending (the meeting is over)",
		"meeting_status meeting=7 minutes_pending -> complete (minutes archived and parsed)")

	mustLoad(t, deps, set, 7, "2026-03-10", minutesText(day, first, second))
	mustReparse(t, deps, set, true)
	expect()

	// The clerk corrects one result, removes one item, and inserts another item above it.
	corrected := strings.Replace(strings.Replace(first, "ADOPTED [3 TO 1]", "FAILED [1 TO 3]", 1), "1.", "2.", 1)
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText(day, third, corrected))
	expect("vote_added meeting=7 vote=3 -> ADOPTED [UNANIMOUS] (minutes replaced)",
		"vote_changed meeting=7 vote=1 ADOPTED [3 TO 1] -> FAILED [1 TO 3] (minutes replaced)",
		"vote_removed meeting=7 vote=2 ADOPTED [UNANIMOUS] -> (minutes replaced)")

	// A newer parser, or new settings, know the full name of a member.
	set.Members = map[string]settings.Member{"Benjamin Baker": {Spellings: []string{"Ben Baker"}}}
	mustReparse(t, deps, set, true)
	lines := recordedChanges(t, db, seen)
	if len(lines) != 4 || !strings.Contains(lines[0], "member_added meeting=7 -> Benjamin Baker (reparse with parser ") ||
		!strings.HasPrefix(lines[3], "member_removed meeting=7 Ben Baker -> (reparse") ||
		!slices.ContainsFunc(lines, func(s string) bool { return strings.HasPrefix(s, "vote_changed meeting=7 vote=1 ") }) {
		t.Errorf("%s", strings.Join(lines, "\n"))
	}

	var runs, undated, wrong int
	err := db.QueryRow(t.Context(), `
		SELECT count(DISTINCT run_id), count(*) FILTER (WHERE changed_at IS NULL OR run_id = ''),
		       -- What a reader saw last is what the next change begins from, and what the vote says today.
		       count(*) FILTER (WHERE vote_id IS NOT NULL
		         AND coalesce(n, (SELECT reading FROM council.vote_reading r WHERE r.vote_id = c.vote_id))
		           IS DISTINCT FROM after)
		FROM (SELECT *, lead(before) OVER (PARTITION BY vote_id ORDER BY change_id) AS n
		  FROM council.change) c`).Scan(&runs, &undated, &wrong)
	if err != nil || runs != 3 || undated != 0 || wrong != 0 {
		t.Errorf("%d runs, %d undated, %d different from the stored votes, %v", runs, undated, wrong, err)
	}
}
