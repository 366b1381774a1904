package councilingest

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
)

func voteRecord(meeting int, rows ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		`<tr class="HistorySection"><td class="Date"><a href="/Citizens/Detail_Meeting.aspx?ID=%d">x</a></td></tr><tr><td colspan="3"><table class="VoteRecord">`, meeting)
	for _, row := range rows {
		label, value, _ := strings.Cut(row, "|")
		fmt.Fprintf(&b, `<tr><td class="Role">%s</td><td>%s</td></tr>`, label, value)
	}
	b.WriteString("</table></td></tr>")
	return b.String()
}

// If a council publishes no minutes, its votes come from the portal's own records until a document
// appears.
func TestVotesFromThePortalsRecords(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	p.meetings = p.meetings[:1]
	m := p.meetings[0]
	m.minutesType = 0 // the portal says that there are minutes, but has no file
	p.files = map[int]string{
		501: voteRecord(9, "RESULT:|TABLED [UNANIMOUS]", "AYES:|Ann Archer") +
			voteRecord(m.id, "RESULT:|ADOPTED [3 TO 1]", "MOVER:|Ann Archer, Mayor", "SECONDER:|Ben Baker, Councilmember",
				"AYES:|Ann Archer, Ben Baker, Cy De Witt", "NAYS:|Dee O&#39;Dell"),
		502: voteRecord(m.id, "RESULT:|ADOPTED [UNANIMOUS]", "MOVER:|Cy De Witt, Councilmember",
			"SECONDER:|Dee O&#39;Dell, Councilmember", "AYES:|Ann Archer, Ben Baker, Cy De Witt, Dee O&#39;Dell"),
	}
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	for round := range 2 {
		if sum := mustIngest(t, deps, set, Request{}); sum.Votes != 2 || (sum.Changed > 0) != (round == 0) {
			t.Errorf("round %d: %+v", round, sum)
		}
	}
	votes := func() string {
		return value[string](t, db, `
			SELECT m.status || ' ' || string_agg(format('%s %s %s %s %s', v.id, i.legifile_id, v.result_raw, v.parse_source,
			       (SELECT count(*) FROM council.vote_position p WHERE p.vote_id = v.id)), ', ' ORDER BY v.ord)
			FROM council.vote v JOIN council.item i ON i.id = v.item_id JOIN council.meeting m ON m.iqm2_id = v.iqm2_id
			  GROUP BY m.status`)
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

// oldRecords returns a portal with an old meeting whose votes are on the pages of files, from
// number 501 on. Pages of missing files are refused.
func oldRecords(t *testing.T, files int, dead func(id string) bool) *fakePortal {
	m := &fakeMeeting{id: 10, board: "City Council", kind: "Regular Meeting", starts: time.Now().UTC().AddDate(-1, 0,
		0).Truncate(time.Hour), minutesID: 810, outline: []string{heading("Resolutions")}}
	p := newPortal(t, m)
	p.files = map[int]string{}
	for n := range files {
		m.outline = append(m.outline, file(fmt.Sprintf("%d.", n+1), 501+n, fmt.Sprintf("Awards Contract %d", n+1)))
		p.files[501+n] = voteRecord(m.id, "RESULT:|ADOPTED [UNANIMOUS]", "MOVER:|Ann Archer, Mayor",
			"SECONDER:|Ben Baker, Councilmember", "AYES:|Ann Archer, Ben Baker")
	}
	p.fail = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/Citizens/Detail_LegiFile.aspx" || !dead(r.URL.Query().Get("ID")) {
			return false
		}
		http.Error(w, "no", http.StatusForbidden)
		return true
	}
	return p
}

func anomaliesOf(t *testing.T, db *pgxpool.Pool) string {
	t.Helper()
	return value[string](t, db, `SELECT coalesce(string_agg(code || ': ' || message, E'\n' ORDER BY ord), '')
		FROM council.anomaly`)
}

// asked returns the number of requests for pages of files since the last call.
func (p *fakePortal) asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.requests["/Citizens/Detail_LegiFile.aspx"]
	delete(p.requests, "/Citizens/Detail_LegiFile.aspx")
	return n
}

// If the page of one file is refused, the votes on other files are not affected. The refusal is
// reported, the page is requested once more, and a later ingest reads it.
func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	var well atomic.Bool
	db := pgtest.New(t)
	p := oldRecords(t, 3, func(id string) bool { return id == "502" && !well.Load() })
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	const named = "unreadable: the page of file 502 (2. Awards Contract 2) could not be had from the portal; its votes " +
		"are missing"
	for i, asked := range []int{3, 3, 0} {
		if sum := mustIngest(t, deps, set, Request{}); sum.Failed != 0 || sum.Votes != 2 && asked > 0 || p.asked() != asked {
			t.Errorf("ingest %d: %+v", i, sum)
		}
		if got := anomaliesOf(t, db); got != named {
			t.Errorf("ingest %d: %s", i, got)
		}
		mustBeProven(t, deps, set)
	}
	well.Store(true)
	if sum := mustIngest(t, deps, set, Request{All: true}); sum.Votes != 3 || anomaliesOf(t, db) != "" {
		t.Errorf("after the page is available again: %+v, %s", sum, anomaliesOf(t, db))
	}
	mustBeProven(t, deps, set)
}

// If every file is refused, there is no document, and most pages are not requested. The next ingest
// tries again.
func TestAllFilesRefused(t *testing.T) {
	t.Parallel()
	p := oldRecords(t, 30, func(string) bool { return true })
	deps, set := testDeps(t, pgtest.New(t)), portalSettings(t, p.URL)
	for range 2 {
		if sum := mustIngest(t, deps, set, Request{}); sum.Failed != 0 || sum.Votes != 0 || sum.Meetings != 1 ||
			p.asked() != 10 {
			t.Errorf("%+v", sum)
		}
	}
}

// If there are more files than the limit, the others are reported.
func TestFilesBeyondTheLimit(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	p := oldRecords(t, doctext.MaxFiles+2, func(string) bool { return false })
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	if sum := mustIngest(t, deps, set, Request{}); sum.Votes != doctext.MaxFiles || sum.Failed != 0 ||
		p.asked() != doctext.MaxFiles {
		t.Errorf("%+v", sum)
	}
	if got := anomaliesOf(t, db); got != "text-cut: the meeting has 402 files, of which the first 400 are read; votes "+
		"of the others are missing" {
		t.Error(got)
	}
}

// Files that robots.txt forbids are counted and listed, but not requested.
func TestForbiddenFiles(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	p := oldRecords(t, 2, func(string) bool { return false })
	p.robots = "User-agent: *\nDisallow: /*ID=502\n"
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	for i, want := range []Summary{{Meetings: 1, Changed: 1, Votes: 1, Anomalies: 1, Forbidden: 1}, {}} {
		if sum := mustIngest(t, deps, set, Request{}); sum != want {
			t.Errorf("ingest %d: %+v", i, sum)
		}
	}
	if got := anomaliesOf(t, db); got != "unreadable: the page of file 502 (2. Awards Contract 2) could not be had from "+
		"the portal; its votes are missing" {
		t.Error(got)
	}
}
