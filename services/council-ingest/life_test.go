package councilingest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/pgtest"
)

// A meeting is postponed. Its minutes appear, are corrected, move to another day on the calendar,
// become unreadable, and appear under a second id. Votes keep their ids, each change has its
// reason, and the rows follow from the archive.
func TestTheLifeOfAMeeting(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	m := p.meetings[4] // a month in the future, with an agenda
	p.meetings = p.meetings[4:5]
	then := m.starts.AddDate(0, -2, 0)
	text := func(result string) string {
		return minutesText(then.Format("Monday, January 2, 2006"),
			item("1.", "2026-101", "Awards the Contract for Street Sweeping", strings.Replace(split, "ADOPTED [3 TO 1]", result,
				1)),
			item("2.", "2026-102", "Accepts the Treasurer's Report", unanimous))
	}
	twin := &fakeMeeting{id: 99, board: m.board, kind: m.kind, starts: then, minutesType: 15, minutesID: 899}
	const votes = ` votes 1 ADOPTED [3 TO 1], 2 ADOPTED [UNANIMOUS]`
	for _, step := range []struct {
		name   string
		change func()
		want   string
	}{
		{"an agenda", func() {}, "14 agenda_only votes -"},
		{"put off", func() { m.cancelled = true }, "14 cancelled votes -"},
		{"taken back", func() { m.cancelled = false }, "14 agenda_only votes -"},
		{"over", func() { m.starts = then }, "14 minutes_pending votes -"},
		{"minutes", func() {
			m.minutesType, m.minutesID, m.minutes = 15, 814, text("ADOPTED [3 TO 1]")
		}, "14 complete" + votes},
		{"corrected", func() {
			m.minutes = text("ADOPTED AS AMENDED [3 TO 1]")
		}, "14 complete votes 1 ADOPTED AS AMENDED [3 TO 1], 2 ADOPTED [UNANIMOUS]"},
		{"corrected back", func() { m.minutes = text("ADOPTED [3 TO 1]") }, "14 complete" + votes},
		{"cancelled, too late", func() { m.cancelled = true }, "14 complete" + votes},
		{"no longer", func() { m.cancelled = false }, "14 complete" + votes},
		{"unreadable", func() { m.minutes = "%PDF-1.4 gone" }, "14 parse_error" + votes},
		{"minutes proper gone, a packet", func() {
			m.minutesType, m.minutes = 12, text("ADOPTED [3 TO 1]")
		}, "14 complete" + votes},
		{"withdrawn", func() { m.withdrawn = true }, "14 complete" + votes},
		{"another day", func() { m.withdrawn, m.starts = false, then.AddDate(0, 0, 1) }, "14 complete" + votes},
		{"a second id", func() {
			twin.minutes, p.meetings = m.minutes, append(p.meetings, twin)
		}, "14 complete votes -\n99 complete votes 3 ADOPTED [3 TO 1], 4 ADOPTED [UNANIMOUS]"},
	} {
		p.mu.Lock()
		step.change()
		p.mu.Unlock()
		if sum := mustIngest(t, deps, set, Request{}); sum.Failed != 0 {
			t.Errorf("%s: %+v", step.name, sum)
		}
		if got := value[string](t, db, `
			SELECT string_agg(format('%s %s votes %s', m.iqm2_id, m.status, coalesce((
				SELECT string_agg(v.id || ' ' || v.result_raw, ', ' ORDER BY v.ord) FROM council.vote v
				       WHERE v.iqm2_id = m.iqm2_id), '-')), E'\n' ORDER BY m.iqm2_id)
			FROM council.meeting m`); got != step.want {
			t.Errorf("%s: %s\nwant %s", step.name, got, step.want)
		}
		before := dump(t, db)
		if sum := mustIngest(t, deps, set, Request{All: true}); sum.Changed != 0 {
			t.Errorf("%s: a second ingest changed something: %+v", step.name, sum)
		}
		if _, err := Reparse(t.Context(), deps, set, true); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		if d := cmp.Diff(before, dump(t, db)); d != "" {
			t.Errorf("%s: repetition changed rows\n%s", step.name, d)
		}
		mustBeProven(t, deps, set)
	}
	wantStatus(t, db, 14, "discovered agenda_only cancelled agenda_only minutes_pending complete parse_error complete")
}
