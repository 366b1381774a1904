package townline_test

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline/demo"
	"github.com/townline/townline/services/townline/demo/town"
)

// A movingTown is a demo town with a clock that a test sets, and the council half that reads it.
type movingTown struct {
	*councilHalf
	town  *demo.Town
	clock atomic.Pointer[time.Time]
}

func (m *movingTown) at(now time.Time) { m.clock.Store(&now) }

// read ingests the portals of a council.yaml twice; the second ingest must find nothing new.
func (m *movingTown) read(t *testing.T, council string) {
	t.Helper()
	var err error
	m.set, err = councilingest.ReadSettings(write(t, "council.yaml", council), nil)
	if err != nil {
		t.Fatal(err)
	}
	for again := range 2 {
		sum, err := councilingest.Ingest(t.Context(), m.deps, m.set, councilingest.Request{AllowPrivate: true})
		if err != nil || sum.Failed > 0 || again == 1 && sum.Changed > 0 {
			t.Fatalf("ingest %d: %+v, %v", again+1, sum, err)
		}
	}
}

// lines returns the text of each row of a query, by id.
func (m *movingTown) lines(t *testing.T, query string, args ...any) map[int64]string {
	t.Helper()
	out := map[int64]string{}
	rows, err := m.db.Query(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var text string
		if err := rows.Scan(&id, &text); err != nil {
			t.Fatal(err)
		}
		out[id] = text
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

const (
	allMeetings = `SELECT iqm2_id, starts_at::text FROM council.meeting`
	allMembers  = `SELECT id, full_name FROM council.member`
	// Items of a meeting without minutes come from the agenda.
	allItems = `SELECT i.id, m.starts_at || ' ' || i.title FROM council.item i JOIN council.meeting m USING (iqm2_id)
		WHERE m.minutes_id IS NOT NULL`
	allVotes = `
		SELECT v.id, concat_ws(' ', m.starts_at, i.title, v.motion_seq, v.result_raw, v.ayes_count, v.nays_count,
		  (SELECT string_agg(p.member_id || ' ' || p.position, ', ' ORDER BY p.member_id) FROM council.vote_position p
		    WHERE p.vote_id = v.id))
		FROM council.vote v JOIN council.item i ON i.id = v.item_id JOIN council.meeting m ON m.iqm2_id = v.iqm2_id
		  WHERE v.origin = 'minutes'`
)

// kept checks that earlier rows are unchanged, and returns the current rows.
func (m *movingTown) kept(t *testing.T, when string, before map[string]map[int64]string) map[string]map[int64]string {
	t.Helper()
	now := map[string]map[int64]string{}
	for what, query := range map[string]string{"meeting": allMeetings, "member": allMembers, "item": allItems,
		"vote": allVotes} {
		now[what] = m.lines(t, query)
		for _, id := range slices.Sorted(maps.Keys(before[what])) {
			if was := before[what][id]; now[what][id] != was {
				t.Errorf("%s: %s %d was %q and is %q", when, what, id, was, now[what][id])
			}
		}
	}
	t.Logf("%s: %d meetings, %d members, %d items, %d votes", when, len(now["meeting"]), len(now["member"]),
		len(now["item"]), len(now["vote"]))
	return now
}

// once checks that every meeting of the town's calendars is stored the right number of times.
func (m *movingTown) once(t *testing.T, when string) {
	t.Helper()
	want, got := map[string]int{}, map[string]int{}
	for _, e := range m.town.Meetings() {
		if e.Withdrawn && !e.Starts.Before(town.Moved()) {
			continue // the current portal does not show these
		}
		at := e.Starts.UTC().Format(time.RFC3339)
		if e.Board == town.Council {
			want[at]++
		}
		for _, twin := range e.Twins {
			if twin.Board == town.Council {
				want[at]++
			}
		}
	}
	first := slices.Min(slices.Collect(maps.Keys(want)))
	for _, starts := range m.lines(t, `SELECT iqm2_id, to_char(starts_at AT TIME ZONE 'UTC',
		'YYYY-MM-DD"T"HH24:MI:SS"Z"') FROM council.meeting`) {
		if starts >= first { // calendars omit old meetings
			got[starts]++
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s: meetings by start (-calendar +stored)\n%s", when, d)
	}
}

// The town moves to a portal of another product. Its meetings stay one series: stored rows keep
// their ids, planned meetings keep their numbers, nothing is duplicated, and the votes that the new
// portal records are compared with the minutes.
func TestTheTownMoves(t *testing.T) {
	t.Parallel()
	m := &movingTown{councilHalf: startCouncil(t)}
	m.at(time.Now())
	var err error
	m.town, err = demo.Start(t.Context(), demo.Options{Meetings: lately(t, 6),
		Now: func() time.Time { return *m.clock.Load() }})
	if err != nil {
		t.Fatal(err)
	}
	// A portal that is used alone has no from or to.
	both := m.town.Council
	head, former, _ := strings.Cut(both, "\n- ")
	former, present, _ := strings.Cut(former, "\n- ")
	present, rest, _ := strings.Cut(present, "\nbody: ")
	alone := strings.Replace(head+"\n- "+former+"\nbody: "+rest, "  to: 2026-08-31\n", "", 1)
	last := strings.Replace(head+"\n- "+present+"\nbody: "+rest, "  from: 2026-09-01\n", "", 1)
	const presentName = "legistar/alderbay"

	m.at(town.Moved().AddDate(0, 0, -10))
	m.read(t, alone)
	before := m.kept(t, "before the move", nil)
	if len(before["vote"]) < 50 || len(before["meeting"]) < 10 {
		t.Fatalf("before the move: %d meetings, %d votes", len(before["meeting"]), len(before["vote"]))
	}

	m.at(time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC))
	m.read(t, both)
	now := m.kept(t, "after the move", before)
	m.once(t, "after the move")
	planned, fresh := 0, 0
	for number, votes := range m.lines(t, `SELECT iqm2_id, vote_count::text FROM council.meeting
		WHERE source = $1 AND vote_count > 0`, presentName) {
		switch {
		case before["meeting"][number] != "":
			planned++
		case number <= 1_000_000_000:
			t.Errorf("meeting %d with %s votes has a number that is in no portal", number, votes)
		default:
			fresh++
		}
	}
	if planned < 4 || fresh < 2 {
		t.Errorf("the current portal provides %d meetings that were planned before the move, and %d others", planned,
			fresh)
	}
	m.witnessed(t, presentName)

	// Minutes of recorded meetings are published. An item with several motions is one item in the
	// minutes, and several rows in the portal.
	const recorded = `
		SELECT v.id, m.starts_at || ' ' || i.title FROM council.vote v JOIN council.item i ON i.id = v.item_id
		       JOIN council.meeting m ON m.iqm2_id = v.iqm2_id
		WHERE v.origin = $1 AND NOT EXISTS (SELECT FROM council.item o WHERE o.iqm2_id = i.iqm2_id
		  AND o.file_number = i.file_number AND o.id <> i.id)`
	provisional := m.lines(t, recorded, "record")
	m.at(time.Date(2026, 12, 5, 20, 0, 0, 0, time.UTC))
	m.read(t, both)
	m.kept(t, "when more minutes are out", now)
	printed := m.lines(t, recorded, "minutes")
	for id, was := range provisional {
		if got := strings.ReplaceAll(printed[id], "’", "'"); got != was {
			t.Errorf("the recorded vote %d, %q, is %q in the minutes", id, was, got)
		}
	}
	if len(provisional) < 8 {
		t.Errorf("%d votes were only recorded", len(provisional))
	}

	// The former portal is removed from the configuration: from then on its last meetings come from
	// the current portal, with the current portal's numbers.
	m.read(t, last)
	m.kept(t, "without the former portal", now)
	m.once(t, "without the former portal")

	m.at(time.Date(2026, 12, 27, 20, 0, 0, 0, time.UTC)) // planned meetings are delayed by three weeks
	m.read(t, last)
	m.once(t, "when meetings are put off")
}

// witnessed compares the differences between minutes and recorded votes with the clerk's mistakes.
// Each mistake that changes positions or the tally must be reported, and no other vote.
func (m *movingTown) witnessed(t *testing.T, source string) {
	t.Helper()
	slips := 0
	for _, e := range m.town.Minuted() {
		if e.Starts.Before(town.Moved()) || e.Scanned {
			continue
		}
		for _, s := range e.Sections {
			for _, it := range s.Items {
				for _, v := range s.Votes(it) {
					if v.Slip == "member-unknown" || v.Slip == "tally-mismatch" {
						slips++
					}
				}
			}
		}
	}
	var rolls, records int
	err := m.db.QueryRow(t.Context(), `
		SELECT count(DISTINCT p.vote_id), count(DISTINCT m.record_id) FROM council.meeting m JOIN council.vote v
		       USING (iqm2_id) JOIN council.vote_position p ON p.vote_id = v.id
		WHERE m.source = $1 AND v.origin = 'minutes'`, source).Scan(&rolls, &records)
	if err != nil || rolls < 60 || records < 5 {
		t.Errorf("%d roll calls in the minutes and %d recorded votes: %v", rolls, records, err)
	}
	differences := m.lines(t, `SELECT id, iqm2_id || ' ' || code || ' ' || message FROM council.anomaly
		WHERE code = ANY ('{sources-differ,vote-only-in-record,vote-only-in-minutes,record-shrank,record-contradicts-itself}')`)
	if len(differences) != slips || slips == 0 {
		t.Errorf("%d mistakes of the clerk, but %d differences: %v", slips, len(differences), differences)
	}
	t.Logf("%d roll calls in minutes and recorded votes, %d differences", rolls, len(differences))
}
