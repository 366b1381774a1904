package councilingest

import "testing"

// If a result in the portal's agenda contradicts the minutes, that is an anomaly and changes no
// vote.
func TestOutlineResultsAreCompared(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
		item("1.", "2026-101", "Street sweeping contract", split), item("2.", "2026-102", "Receive the report", unanimous)))
	const votes = `SELECT string_agg(v::text, ' ' ORDER BY id) FROM council.vote v`
	before := value[string](t, db, votes)
	for _, c := range []struct{ first, second, want string }{
		{"", "", ""},
		{"adopted [3 to 1]", "ADOPTED [UNANIMOUS]", ""},
		{"FAILED [1 TO 6]", "ADOPTED [UNANIMOUS]",
			`Street sweeping contract: the portal shows "FAILED [1 TO 6]", the minutes say "ADOPTED [3 TO 1]"`},
	} {
		mustExec(t, db, `
			INSERT INTO council.outline (iqm2_id, entries, fetched_at)
			VALUES (7, jsonb_build_array(jsonb_build_object('level', 0, 'title', 'Business', 'section', true),
			  jsonb_build_object('level', 1, 'number', '1.', 'title', 'Street sweeping contract', 'result', $1::text),
			  jsonb_build_object('level', 1, 'number', '2.', 'title', 'Receive the report', 'result', $2::text)), now())
			ON CONFLICT (iqm2_id) DO UPDATE SET entries = excluded.entries`, c.first, c.second)
		mustReparse(t, deps, set, true)
		if got := value[string](t, db, `SELECT coalesce(string_agg(i.title || ': ' || a.message, '; '), '')
			FROM council.anomaly a JOIN council.item i ON i.id = a.item_id
			WHERE a.code = 'outline-differs'`); got != c.want {
			t.Errorf("%q and %q differ: %q, want %q", c.first, c.second, got, c.want)
		}
		if again := value[string](t, db, votes); again != before {
			t.Errorf("%q and %q changed the votes: %s\nbefore: %s", c.first, c.second, again, before)
		}
	}
}
