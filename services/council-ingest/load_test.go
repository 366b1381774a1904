package councilingest

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/sample"
)

func testDeps(t *testing.T, db *pgxpool.Pool) run.Deps {
	return run.Deps{DB: db, Log: slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))}
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

func testSettings(t *testing.T) *Settings {
	t.Helper()
	s, err := ReadSettings("", nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// empty returns an empty database, for a council without a portal.
func empty(t *testing.T) (*pgxpool.Pool, run.Deps, *Settings) {
	t.Helper()
	db := pgtest.New(t)
	return db, testDeps(t, db), testSettings(t)
}

// block returns the text of a vote in the format of IQM2.
func block(result, mover, seconder string, rows ...string) string {
	return fmt.Sprintf("\n       RESULT:       %s\n       MOVER:        %s, Councilmember\n       SECONDER:     %s, "+
		"Councilmember\n       %s\n\n",
		result, mover, seconder, strings.Join(rows, "\n       "))
}

// minutesText returns minutes of a council of four members with the given items.
func minutesText(date string, items ...string) string {
	return "                 City Council Regular Meeting Minutes\n                      " + date + " – 6:00 PM\n" + `
I.    Call to Order
      The meeting was called to order at 6:04 PM by Mayor Ann Archer
  Attendee Name             Title                 Status       Arrived
  Ann Archer                Mayor                 Present
  Ben Baker                 Councilmember         Present
  Cy De Witt                Councilmember         Present
  Dee O'Dell                Councilmember         Present

II.   Resolutions
` + strings.Join(items, "")
}

func item(number, file, title string, blocks ...string) string {
	return fmt.Sprintf("\n      %s %s  %s\n%s", number, file, title, strings.Join(blocks, ""))
}

var (
	split = block("ADOPTED [3 TO 1]", "Ann Archer", "Ben Baker", "AYES:         Ann Archer, Ben Baker, Cy De Witt",
		"NAYS:         Dee O'Dell")
	unanimous = block("ADOPTED [UNANIMOUS]", "Cy De Witt", "Dee O'Dell",
		"AYES:         Ann Archer, Ben Baker, Cy De Witt, Dee O'Dell")
)

func mustLoad(t *testing.T, deps run.Deps, set *Settings, id int64, date, text string) Summary {
	t.Helper()
	sum, err := Load(t.Context(), deps, set, Minutes{MeetingID: id, Date: date, Bytes: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// values returns the rows of a query with one column.
func values[T any](t *testing.T, db pg.Querier, sql string, args ...any) []T {
	t.Helper()
	all, err := pg.Column[T](t.Context(), db, sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return all
}

// value returns the only row of a query with one column.
func value[T any](t *testing.T, db pg.Querier, sql string, args ...any) T {
	t.Helper()
	all := values[T](t, db, sql, args...)
	if len(all) != 1 {
		t.Fatalf("%s returns %d rows", sql, len(all))
	}
	return all[0]
}

// pairs returns the rows of a query with two text columns.
func pairs(t *testing.T, db pg.Querier, sql string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, row := range values[[]string](t, db, `SELECT ARRAY[k::text, v] FROM (`+sql+`) x (k, v)`) {
		out[row[0]] = row[1]
	}
	return out
}

func mustReparse(t *testing.T, deps run.Deps, set *Settings, all bool) {
	t.Helper()
	if _, err := Reparse(t.Context(), deps, set, all); err != nil {
		t.Fatal(err)
	}
}

func mustExec(t *testing.T, db *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	if _, err := db.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// dump returns everything that readers see, row by row, without times.
func dump(t *testing.T, db *pgxpool.Pool) []string {
	t.Helper()
	return values[string](t, db, `
		SELECT 'dataset ' || generation FROM council.dataset
		UNION ALL SELECT 'meeting ' || iqm2_id || ' ' || status || ' ' || item_count || ' ' || vote_count FROM council.meeting
		UNION ALL SELECT 'item ' || id || ' ' || iqm2_id || ' ' || ord || ' ' || coalesce(item_number,
		  '-') || ' ' || title || ' ' || concat_ws(' ', topic, topic_confidence, summary, classified_at, classifier_model)
		    FROM council.item
		UNION ALL SELECT 'vote ' || id || ' of ' || item_id || ' ' || ord || ' ' || motion_seq || ' ' || result_raw || ' ' || parsed_at FROM council.vote
		UNION ALL SELECT 'position ' || vote_id || ' ' || ord || ' ' || member_id || ' ' || position
		  FROM council.vote_position
		UNION ALL SELECT 'member ' || id || ' ' || full_name || ' / ' || last_name FROM council.member
		UNION ALL SELECT 'tally ' || t::text FROM council.member_tally t
		UNION ALL SELECT 'pair ' || t::text FROM council.pair_tally t
		UNION ALL SELECT 'anomaly ' || id || ' ' || code || ' ' || message FROM council.anomaly
		UNION ALL SELECT 'changes ' || count(*) FROM council.change
		ORDER BY 1`)
}

func TestLoadStoresVotes(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	sum := mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
		item("1.", "2026-101", "Awards the Contract for Street Sweeping", split),
		item("2.", "2026-102", "Accepts the Treasurer's Report", unanimous)))
	if sum.Changed != 1 || sum.Votes != 2 {
		t.Fatalf("summary %+v", sum)
	}
	got := values[string](t, db, `
		SELECT format('%s %s|%s|%s %s:%s unanimous=%s mover=%s seconder=%s', i.item_number, i.title, v.result, v.result_raw,
		       v.ayes_count, v.nays_count, v.unanimous, m.full_name, s.full_name)
		FROM council.vote v JOIN council.item i ON i.id = v.item_id JOIN council.member m ON m.id = v.mover_id
		  JOIN council.member s ON s.id = v.seconder_id ORDER BY v.ord`)
	want := []string{
		"1. Awards the Contract for Street Sweeping|adopted|ADOPTED [3 TO 1] 3:1 unanimous=f mover=Ann Archer seconder=Ben " +
			"Baker",
		"2. Accepts the Treasurer's Report|adopted|ADOPTED [UNANIMOUS] 4:0 unanimous=t mover=Cy De Witt seconder=Dee O'Dell",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	checkTallies(t, db)
}

// If a sequence returns the id of another meeting's vote, the document is refused, and the vote
// stays.
func TestAUsedIDIsRefused(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	voice := item("1.", "2026-101", "Awards the Contract", block("ADOPTED [UNANIMOUS]", "Ann Archer", "Ben Baker"))
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026", voice))
	votes := `SELECT v::text FROM council.vote v`
	before := values[string](t, db, votes)
	mustExec(t, db, `SELECT setval(pg_get_serial_sequence('council.vote', 'id'), 1, false)`)
	sum := mustLoad(t, deps, set, 8, "2026-03-17", minutesText("Tuesday, March 17, 2026", voice))
	if d := cmp.Diff(before, values[string](t, db, votes)); d != "" || len(before) != 1 || sum.Votes != 0 {
		t.Errorf("%+v\n%s", sum, d)
	}
}

func TestAnUnreadableDocumentKeepsTheVotes(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
		item("1.", "2026-101", "Awards the Contract", split)))
	for what, document := range map[string]string{"without text": " \f \n",
		"with more results than a meeting can have": strings.Repeat("RESULT: ADOPTED\n", 2001)} {
		if sum := mustLoad(t, deps, set, 7, "2026-03-10", document); sum.Unreadable != 1 || sum.Votes != 1 {
			t.Errorf("load of a document %s: %+v", what, sum)
		}
	}
	wantStatus(t, db, 7, "discovered minutes_pending complete parse_error")
	text := minutesText("Tuesday, March 10, 2026", item("1.", "2026-101", "Awards the Contract", unanimous))
	if sum := mustLoad(t, deps, set, 7, "2026-03-10", text); sum.Unreadable != 0 || sum.Votes != 1 {
		t.Errorf("summary %+v", sum)
	}
	wantStatus(t, db, 7, "discovered minutes_pending complete parse_error complete")
}

// The portal has two ids for one meeting. Only the meeting on the date of the minutes has the
// votes.
func TestSharedMinutesCountOnce(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	text := minutesText("Tuesday, March 10, 2026", item("1.", "2026-101", "Awards the Contract", split))
	for _, step := range []struct {
		id     int64
		date   string
		leader int64
	}{{9, "2026-03-17", 9}, {8, "2026-03-10", 8}, {7, "2026-03-10", 7}, {6, "2026-03-24", 7}} {
		mustLoad(t, deps, set, step.id, step.date, text)
		if leaders := values[int64](t, db, `SELECT iqm2_id FROM council.vote`); !slices.Equal(leaders, []int64{step.leader}) {
			t.Errorf("after meeting %d: the meetings with votes are %v", step.id, leaders)
		}
		checkTallies(t, db)
	}
	codes := value[string](t, db, `SELECT string_agg(iqm2_id || ' ' || code, ', ' ORDER BY iqm2_id, code)
		FROM council.anomaly WHERE code IN ('minutes-shared', 'date-differs')`)
	if want := "6 date-differs, 6 minutes-shared, 8 minutes-shared, 9 date-differs, 9 minutes-shared"; codes != want {
		t.Errorf("the anomalies are %q, want %q", codes, want)
	}
}

func wantStatus(t *testing.T, db *pgxpool.Pool, meeting int64, want string) {
	t.Helper()
	if got := value[string](t, db, `SELECT string_agg(to_status, ' ' ORDER BY seq)
		FROM council.status_change WHERE iqm2_id = $1`, meeting); got != want {
		t.Errorf("statuses of meeting %d: %q, want %q", meeting, got, want)
	}
}

// checkTallies compares the stored sums with recomputed sums.
func checkTallies(t *testing.T, db *pgxpool.Pool) {
	t.Helper()
	if wrong := value[int](t, db, `
		WITH m AS (SELECT member_id, topic, position, sum(votes)::bigint, sum(dissents)::bigint, body_id
		  FROM council.member_share GROUP BY 1, 2, 3, 6),
		     p AS (SELECT member_id, other_id, via_consent, sum(shared)::bigint, sum(agreed)::bigint, body_id
		       FROM council.pair_share GROUP BY 1, 2, 3, 6)
		SELECT (SELECT count(*) FROM ((TABLE m EXCEPT TABLE council.body_member_tally)
		       UNION ALL (TABLE council.body_member_tally EXCEPT TABLE m)) x)
		     + (SELECT count(*) FROM ((TABLE p EXCEPT TABLE council.body_pair_tally)
		       UNION ALL (TABLE council.body_pair_tally EXCEPT TABLE p)) x)`); wrong != 0 {
		t.Errorf("%d tallies are wrong", wrong)
	}
}

// TestLoadRealMinutes loads real minutes twice.
func TestLoadRealMinutes(t *testing.T) {
	t.Parallel()
	folder := sample.Folder(t, "council")
	files, err := filepath.Glob(filepath.Join(folder, "r*/*/minutes.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d real minutes in %s, %v", len(files), folder, err)
	}
	var some []string
	for i := 0; i < len(files); i += 8 {
		some = append(some, files[i])
	}
	db, deps, set := empty(t)
	start := time.Now()
	votes := 0
	for round := range 2 {
		for i, f := range some {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			sum, err := Load(t.Context(), deps, set, Minutes{MeetingID: int64(i + 1), Date: "2020-01-01", Bytes: data})
			if err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			if round == 1 && sum.Changed != 0 {
				t.Errorf("%s: a second load changed the meeting", f)
			}
			if results := bytes.Count(append([]byte("\n"), data...), []byte("\nRESULT:")); results > 0 && sum.Votes == 0 {
				t.Errorf("%s: there is no vote for %d results", f, results)
			}
			votes += sum.Votes
		}
	}
	t.Logf("%d documents, %d votes, %s", len(some), votes/2, time.Since(start))
	if votes < 2*len(some) {
		t.Errorf("only %d votes in %d documents", votes/2, len(some))
	}
	checkTallies(t, db)
}
