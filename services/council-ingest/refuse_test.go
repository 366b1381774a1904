package councilingest

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/visit"
)

// endless returns a name that is too long for the row of an index, even if it is compressed.
func endless() string {
	var b strings.Builder
	for i := 0; b.Len() < 3900; i++ {
		fmt.Fprintf(&b, "%x", i*7919)
	}
	return b.String()[:3900]
}

// A document that would break the tables loses only the mover of its own vote. Other meetings are
// not affected.
func TestIngestContinuesAfterAHostileDocument(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	p.mu.Lock()
	hostile := p.meetings[0]
	hostile.minutes = minutesText(hostile.starts.Format("Monday, January 2, 2006"),
		item("1.", "2026-101", "Awards the Contract",
			block("ADOPTED [3 TO 1]", endless(), "Ben Baker", "AYES:         Ann Archer, Ben Baker, Cy De Witt",
				"NAYS:         Dee O'Dell")))
	p.meetings[1].minutesType, p.meetings[1].minutesID = 15, 811
	p.meetings[1].minutes = minutesText(p.meetings[1].starts.Format("Monday, January 2, 2006"),
		item("1.", "2026-102", "Accepts the Report", split))
	p.mu.Unlock()
	if sum := mustIngest(t, deps, set, Request{}); sum.Failed != 0 || sum.Votes != 2 {
		t.Errorf("summary %+v", sum)
	}
	var movers, noted int
	if err := db.QueryRow(t.Context(), `SELECT count(mover_id), (SELECT count(*)
		FROM council.anomaly WHERE iqm2_id = 10) FROM council.vote`).Scan(&movers, &noted); err != nil || movers != 1 ||
		noted == 0 {
		t.Errorf("%d movers, %d anomalies, %v", movers, noted, err)
	}
	mustBeProven(t, deps, set)
}

// If the tables reject the data of a meeting, only that meeting is affected. It gets a status and
// an anomaly, and the next ingest does not try it again.
func TestIngestContinuesAfterTheTablesRejectAMeeting(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	mustExec(t, db, `ALTER TABLE council.item ADD CHECK (title NOT LIKE 'Unstorable%')`)
	p.mu.Lock()
	p.meetings[0].minutes = minutesText("x", item("1.", "2026-101", "Unstorable Title", split))
	p.meetings[1].minutesType, p.meetings[1].minutesID, p.meetings[1].minutes = 15, 811,
		minutesText("x", item("1.", "2026-102", "Accepts the Report", split))
	p.meetings[4].outline = []string{file("1.", 509, "Unstorable Too")} // there is no document that could be refused
	p.mu.Unlock()
	sum := mustIngest(t, deps, set, Request{})
	if sum.Failed != 1 || sum.Votes != 1 || sum.Unreadable != 2 {
		t.Errorf("summary %+v", sum)
	}
	want := "10 regular parse_error, 11 special complete, 13 regular cancelled, 15 other discovered, 16 regular " +
		"parse_error"
	if got := statuses(t, db); got != want {
		t.Errorf("statuses %s\nwant     %s", got, want)
	}
	if message := value[string](t, db, `SELECT message FROM council.anomaly
		WHERE iqm2_id = 10 AND kind = 'error'`); !strings.Contains(message, "cannot be stored (SQLSTATE 23514)") {
		t.Errorf("%q", message)
	}
	if again := mustIngest(t, deps, set, Request{}); again.Changed != 0 || again.Failed != 1 {
		t.Errorf("the second ingest: %+v", again)
	}
}

// A panic in the code for the portal's pages only fails its own meeting.
func TestAPanicFailsItsMeetingAlone(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	var page atomic.Bool
	p.fail = func(_ int, _ http.ResponseWriter, r *http.Request) bool {
		page.Store(r.URL.Path == "/Citizens/Detail_Meeting.aspx" && r.URL.Query().Get("ID") == "11")
		return false
	}
	portals := visit.New(testDeps(t, db), portalSettings(t, p.URL), func(portal.Outcome) {
		if page.Load() {
			panic("broken code")
		}
	})
	sum, err := portals.Ingest(t.Context(), Request{AllowPrivate: true})
	if err != nil || sum.Meetings != 6 || sum.Failed != 1 || sum.Votes != 2 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// If the document in a viewer page is temporarily unavailable, the viewer page is not archived
// instead.
func TestFailingFrames(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		http.StatusServiceUnavailable: "1 0", // failed meetings, and archived documents
		http.StatusNotFound:           "0 1",
	} {
		db, p := pgtest.New(t), town(t)
		deps, set := testDeps(t, db), portalSettings(t, p.URL)
		p.meetings[0].minutes = `<html><body><iframe src="/Files/minutes.pdf"></iframe></body></html>`
		p.fail = func(_ int, w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/Files/minutes.pdf" {
				w.WriteHeader(status)
				return true
			}
			return false
		}
		sum := mustIngest(t, deps, set, Request{MeetingID: 10})
		got := fmt.Sprint(sum.Failed, " ", value[int](t, db, `SELECT count(*) FROM council.document`))
		if got != want {
			t.Errorf("status %d of the document: %s, want %s", status, got, want)
		}
	}
}

// If the database is lost, the run ends at once, because every further meeting would fail too.
func TestALostDatabaseStopsTheIngest(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	mustExec(t, db, `ALTER TABLE council.anomaly RENAME TO gone`)
	if sum, err := Ingest(t.Context(), deps, set, Request{AllowPrivate: true}); err == nil || sum.Meetings != 1 {
		t.Errorf("Ingest without a database = %+v, %v", sum, err)
	}
}

// A portal may send invalid text. The stored text is valid.
func TestIngestOfBytesThatAreNotText(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	p.mu.Lock()
	p.meetings[0].outline = append(p.meetings[0].outline, file("4.\xff\x00", 504, "Nul \x00 and \xc3\x28, "+
		strings.Repeat("endless ", 100_000)), heading("\xfe"))
	p.meetings[0].kind = "Regular \xff Meeting"
	p.tag = "\"\xff\""
	p.mu.Unlock()
	if sum := mustIngest(t, deps, set, Request{}); sum.Failed != 0 || sum.Votes != 2 {
		t.Errorf("summary %+v", sum)
	}
	if longest := value[int](t, db, `SELECT max(length(title)) FROM council.item`); longest != 4000 {
		t.Errorf("the longest title has %d characters", longest)
	}
	mustBeProven(t, deps, set)
}
