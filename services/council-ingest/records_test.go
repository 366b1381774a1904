package councilingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/pgtest"
)

func record(meeting int, rows ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<tr class="HistorySection"><td class="Date"><a href="/Citizens/Detail_Meeting.aspx?ID=%d">x</a></td></tr><tr><td colspan="3"><table class="VoteRecord">`, meeting)
	for _, row := range rows {
		label, value, _ := strings.Cut(row, "|")
		fmt.Fprintf(&b, `<tr><td class="Role">%s</td><td>%s</td></tr>`, label, value)
	}
	b.WriteString("</table></td></tr>")
	return b.String()
}

// A council that publishes no document has its votes read from the portal's own records, until a document appears.
func TestVotesFromThePortalsRecords(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	p.meetings = p.meetings[:1]
	m := p.meetings[0]
	m.minutesType = 0 // the portal has minutes, and no file of them
	p.files = map[int]string{
		501: record(9, "RESULT:|TABLED [UNANIMOUS]", "AYES:|Ann Archer") +
			record(m.id, "RESULT:|ADOPTED [3 TO 1]", "MOVER:|Ann Archer, Mayor", "SECONDER:|Ben Baker, Councilmember", "AYES:|Ann Archer, Ben Baker, Cy De Witt", "NAYS:|Dee O&#39;Dell"),
		502: record(m.id, "RESULT:|ADOPTED [UNANIMOUS]", "MOVER:|Cy De Witt, Councilmember", "SECONDER:|Dee O&#39;Dell, Councilmember", "AYES:|Ann Archer, Ben Baker, Cy De Witt, Dee O&#39;Dell"),
	}
	deps, set := testDeps(t, db), portalSettings(t, p)
	for round := range 2 {
		if sum := mustIngest(t, deps, set, Request{}); sum.Votes != 2 || (sum.Changed > 0) != (round == 0) {
			t.Errorf("round %d: %+v", round, sum)
		}
	}
	votes := func() string {
		var s string
		err := db.QueryRow(t.Context(), `
			SELECT m.status || ' ' || string_agg(format('%s %s %s %s %s', v.id, i.legifile_id, v.result_raw, v.parse_source, (SELECT count(*) FROM council.vote_position p WHERE p.vote_id = v.id)), ', ' ORDER BY v.ord)
			FROM council.vote v JOIN council.item i ON i.id = v.item_id JOIN council.meeting m ON m.iqm2_id = v.iqm2_id GROUP BY m.status`).Scan(&s)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if got, want := votes(), "complete 1 501 ADOPTED [3 TO 1] html 4, 2 502 ADOPTED [UNANIMOUS] html 4"; got != want {
		t.Errorf("votes %s\nwant  %s", got, want)
	}
	mustBeProven(t, deps, set)

	p.mu.Lock()
	m.minutesType = 15
	p.mu.Unlock()
	mustIngest(t, deps, set, Request{})
	if got, want := votes(), "complete 1 501 ADOPTED [3 TO 1] pdf 4, 2 502 ADOPTED [UNANIMOUS] pdf 4"; got != want {
		t.Errorf("votes %s\nwant  %s", got, want)
	}
	mustBeProven(t, deps, set)
}
