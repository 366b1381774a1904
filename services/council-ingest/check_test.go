package councilingest

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Check reports every kind of contradiction in the rows. Verify reports rows that differ from the
// archive. The test creates and repairs a mistake of each kind. A contradiction with an anomaly is
// not reported.
func TestCheckAndVerifyReportMistakes(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
		item("1.", "2026-101", "Awards the Contract for Street Sweeping", split),
		item("2.", "2026-102", "Accepts the Treasurer's Report", unanimous)))
	check := func() (int, string) {
		t.Helper()
		wrong, votes, err := Check(t.Context(), deps)
		if err != nil || votes != 2 {
			t.Fatalf("%d votes, %v", votes, err)
		}
		return len(wrong), strings.Join(wrong, "\n")
	}
	mustBeProven(t, deps, set)
	const first = ` WHERE id = (SELECT min(id) FROM council.vote)`
	const nay = ` WHERE vote_id = (SELECT min(id) FROM council.vote) AND member_id = (SELECT id FROM council.member
		WHERE last_name = 'O''Dell')`
	for _, c := range []struct {
		rule, harm, mend string
		verify           bool
	}{
		{"roll against tally", `UPDATE council.vote SET ayes_count = 4` + first, `UPDATE council.vote SET ayes_count = 3` +
			first, true},
		{"roll against tally", `UPDATE council.vote_position SET position = 'aye'` + nay,
			`UPDATE council.vote_position SET position = 'nay'` + nay, true},
		{"unanimous against roll", `UPDATE council.vote SET unanimous = true` + first,
			`UPDATE council.vote SET unanimous = false` + first, true},
		{"result against counts", `UPDATE council.vote SET result = 'failed'` + first,
			`UPDATE council.vote SET result = 'adopted'` + first, true},
		{"mover and seconder", `UPDATE council.vote SET mover_id = NULL` + first,
			`UPDATE council.vote SET mover_id = (SELECT id FROM council.member WHERE last_name = 'Archer')` + first, true},
		{"names on the roster", `UPDATE council.attendance SET name_key = 'nobody'
			WHERE name = 'Ann Archer'`, `UPDATE council.attendance SET name_key = 'ann archer' WHERE name = 'Ann Archer'`, true},
		{"absent for the whole meeting", `UPDATE council.attendance SET status = 'Absent' WHERE name = 'Ann Archer'`,
			`UPDATE council.attendance SET status = 'Present' WHERE name = 'Ann Archer'`, true},
		{"counts of meetings", `UPDATE council.meeting SET vote_count = 3`, `UPDATE council.meeting SET vote_count = 2`,
			false},
		{"status and history", `UPDATE council.status_change SET to_status = 'agenda_only' WHERE to_status = 'complete'`,
			`UPDATE council.status_change SET to_status = 'complete' WHERE to_status = 'agenda_only'`, false},
		{"tallies of members", `UPDATE council.member_tally SET votes = votes + 1`,
			`UPDATE council.member_tally SET votes = votes - 1`, false},
		{"tallies of pairs", `UPDATE council.pair_tally SET agreed = agreed - 1
			WHERE agreed > 0`,
			`UPDATE council.pair_tally p SET agreed = (SELECT sum(agreed) FROM council.pair_share s WHERE (s.member_id, s.other_id, s.via_consent) = (p.member_id, p.other_id, p.via_consent))`, false},
		{"", `UPDATE council.item SET title = 'Awards the Contact' WHERE ord = 1`,
			`UPDATE council.item SET title = 'Awards the Contract for Street Sweeping' WHERE ord = 1`, true},
		{"", `UPDATE council.document_text SET text = text || ' '`, `UPDATE council.document_text SET text = left(text, -1)`,
			true},
		{"", `UPDATE council.document SET content = content || '\x20'`,
			`UPDATE council.document SET content = substring(content FOR length(content) - 1)`, true},
		{"", `INSERT INTO council.anomaly (iqm2_id, meeting_date, starts_at, ord, kind, code, message) SELECT iqm2_id,
			meeting_date, starts_at, 9, 'typo', 'x', 'x' FROM council.meeting`,
			`DELETE FROM council.anomaly`, true},
	} {
		if tag, err := db.Exec(t.Context(), c.harm); err != nil || tag.RowsAffected() == 0 {
			t.Fatalf("%s: %s: %v, %v", c.rule, c.harm, tag, err)
		}
		if wrong, report := check(); wrong > 0 != (c.rule != "") || !strings.Contains(report, c.rule) {
			t.Errorf("after %s: %d contradictions, %q is missing:\n%s", c.harm, wrong, c.rule, report)
		}
		harmed := dump(t, db)
		if n, err := Verify(t.Context(), deps, set, io.Discard); err != nil || n > 0 != c.verify {
			t.Errorf("after %s: Verify found %d differences, %v", c.harm, n, err)
		}
		if d := cmp.Diff(harmed, dump(t, db)); d != "" {
			t.Errorf("after %s: Verify changed the tables: %s", c.harm, d)
		}
		mustExec(t, db, c.mend)
		mustBeProven(t, deps, set)
	}
	// A wrong tally that has an anomaly is not reported.
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
		item("1.", "2026-101", "Awards the Contract for Street Sweeping", strings.Replace(split, "3 TO 1", "2 TO 1", 1)),
		item("2.", "2026-102", "Accepts the Treasurer's Report", unanimous)))
	if wrong, report := check(); wrong != 0 {
		t.Errorf("a contradiction with an anomaly is reported:\n%s", report)
	}
}
