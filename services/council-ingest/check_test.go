package councilingest

import (
	"strings"
	"testing"

	"github.com/townline/townline/pkg/pgtest"
)

// Check reports every sort of contradiction in the rows. Each is made, reported, and
// mended; what an anomaly already says is no contradiction.
func TestCheckReportsMistakes(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	deps, set := testDeps(t, db), testSettings(t)
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
		item("1.", "2026-101", "Awards the Contract for Street Sweeping", split), item("2.", "2026-102", "Accepts the Treasurer's Report", unanimous)))
	check := func() (int, string) {
		t.Helper()
		wrong, votes, err := Check(t.Context(), deps)
		if err != nil || votes != 2 {
			t.Fatalf("%d votes, %v", votes, err)
		}
		return len(wrong), strings.Join(wrong, "\n")
	}
	if wrong, report := check(); wrong != 0 {
		t.Fatalf("before anything is wrong:\n%s", report)
	}
	const first = ` WHERE id = (SELECT min(id) FROM council.vote)`
	const nay = ` WHERE vote_id = (SELECT min(id) FROM council.vote) AND member_id = (SELECT id FROM council.member WHERE last_name = 'O''Dell')`
	for _, c := range []struct{ rule, harm, mend string }{
		{"roll against tally", `UPDATE council.vote SET ayes_count = 4` + first, `UPDATE council.vote SET ayes_count = 3` + first},
		{"roll against tally", `UPDATE council.vote_position SET position = 'aye'` + nay, `UPDATE council.vote_position SET position = 'nay'` + nay},
		{"unanimous against roll", `UPDATE council.vote SET unanimous = true` + first, `UPDATE council.vote SET unanimous = false` + first},
		{"result against counts", `UPDATE council.vote SET result = 'failed'` + first, `UPDATE council.vote SET result = 'adopted'` + first},
		{"mover and seconder", `UPDATE council.vote SET mover_id = NULL` + first,
			`UPDATE council.vote SET mover_id = (SELECT id FROM council.member WHERE last_name = 'Archer')` + first},
		{"names on the roster", `UPDATE council.attendance SET name_key = 'nobody' WHERE name = 'Ann Archer'`, `UPDATE council.attendance SET name_key = 'ann archer' WHERE name = 'Ann Archer'`},
		{"absent for the whole meeting", `UPDATE council.attendance SET status = 'Absent' WHERE name = 'Ann Archer'`, `UPDATE council.attendance SET status = 'Present' WHERE name = 'Ann Archer'`},
		{"counts of meetings", `UPDATE council.meeting SET vote_count = 3`, `UPDATE council.meeting SET vote_count = 2`},
		{"status and history", `UPDATE council.status_change SET to_status = 'agenda_only' WHERE to_status = 'complete'`, `UPDATE council.status_change SET to_status = 'complete' WHERE to_status = 'agenda_only'`},
		{"tallies of members", `UPDATE council.member_tally SET votes = votes + 1`, `UPDATE council.member_tally SET votes = votes - 1`},
		{"tallies of pairs", `UPDATE council.pair_tally SET agreed = agreed - 1 WHERE agreed > 0`, `UPDATE council.pair_tally p SET agreed = (SELECT sum(agreed) FROM council.pair_share s WHERE (s.member_id, s.other_id, s.via_consent) = (p.member_id, p.other_id, p.via_consent))`},
	} {
		if tag, err := db.Exec(t.Context(), c.harm); err != nil || tag.RowsAffected() == 0 {
			t.Fatalf("%s: %s: %v, %v", c.rule, c.harm, tag, err)
		}
		if wrong, report := check(); wrong == 0 || !strings.Contains(report, c.rule+": meeting") {
			t.Errorf("after %s: %d contradictions, %q is not report:\n%s", c.harm, wrong, c.rule, report)
		}
		if _, err := db.Exec(t.Context(), c.mend); err != nil {
			t.Fatalf("%s: %v", c.mend, err)
		}
		if wrong, report := check(); wrong != 0 {
			t.Fatalf("after %s:\n%s", c.mend, report)
		}
	}
	// A wrong tally for which there is an anomaly is not reported.
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
		item("1.", "2026-101", "Awards the Contract for Street Sweeping", strings.Replace(split, "3 TO 1", "2 TO 1", 1)), item("2.", "2026-102", "Accepts the Treasurer's Report", unanimous)))
	if wrong, report := check(); wrong != 0 {
		t.Errorf("what has an anomaly is reported again:\n%s", report)
	}
}
