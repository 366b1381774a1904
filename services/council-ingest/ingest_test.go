package councilingest

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

func portalSettings(t *testing.T, url string) *Settings {
	t.Helper()
	none := time.Duration(0)
	s := &Settings{Portal: Portal{URL: url, Pause: &none}}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	return s
}

func mustIngest(t *testing.T, deps run.Deps, set *Settings, req Request) Summary {
	t.Helper()
	req.AllowPrivate = true
	sum, err := Ingest(t.Context(), deps, set, req)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// town returns a portal that has meetings of every kind.
func town(t *testing.T) *fakePortal {
	past, future := time.Now().AddDate(0, -1, 0), time.Now().AddDate(0, 1, 0)
	at := func(day time.Time, hour int) time.Time {
		return time.Date(day.Year(), day.Month(), day.Day(), hour, 0, 0, 0, time.UTC)
	}
	text := minutesText(past.Format("Monday, January 2, 2006"),
		item("1.", "2026-101", "Awards the Contract for Street Sweeping", split),
		item("2.", "2026-102", "Accepts the Treasurer's Report", unanimous))
	outline := []string{heading("Resolutions"), file("1.", 501, "Awards the Contract for Street Sweeping"),
		file("2.", 502, "Accepts the Treasurer's Report"),
		file("3.", 503, "Receives the Annual Report of the Harbor Master")}
	return newPortal(t,
		&fakeMeeting{id: 10, board: "City Council", kind: "Regular Meeting", starts: at(past, 18), minutesType: 15,
			minutesID: 810, minutes: text, outline: outline},
		&fakeMeeting{id: 11, board: "City Council", kind: "Special Meeting/Closed Session",
			starts: at(past.AddDate(0, 0, 1), 17), outline: outline[:2]},
		&fakeMeeting{id: 12, board: "Planning Commission", kind: "Regular Meeting", starts: at(past, 9), minutesType: 15,
			minutesID: 812, minutes: text},
		&fakeMeeting{id: 13, board: "City Council", kind: "Regular Meeting", starts: at(past.AddDate(0, 0, 7), 18),
			cancelled: true},
		&fakeMeeting{id: 14, board: "City Council", kind: "Regular Meeting", starts: at(future, 18), outline: outline[2:3]},
		&fakeMeeting{id: 15, board: "City Council", kind: "Study Session", starts: at(future.AddDate(0, 0, 7), 18)},
		&fakeMeeting{id: 16, board: "City Council", kind: "Regular Meeting", starts: at(past.AddDate(0, 0, 14), 18),
			minutesType: 12, minutesID: 816, minutes: "\f\f\n"},
	)
}

func statuses(t *testing.T, db *pgxpool.Pool) string {
	t.Helper()
	return value[string](t, db, `SELECT string_agg(iqm2_id || ' ' || meeting_type || ' ' || status, ', ' ORDER BY iqm2_id)
		FROM council.meeting`)
}

func mustBeProven(t *testing.T, deps run.Deps, set *Settings) {
	t.Helper()
	var out bytes.Buffer
	if n, err := Verify(t.Context(), deps, set, &out); n != 0 || err != nil {
		t.Errorf("Verify found %d differences, %v\n%s", n, err, out.String())
	}
	if wrong, _, err := Check(t.Context(), deps); len(wrong) != 0 || err != nil {
		t.Errorf("Check found %d contradictions, %v\n%s", len(wrong), err, strings.Join(wrong, "\n"))
	}
}

func TestIngestFromEmptyToComplete(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	if sum := mustIngest(t, deps, set, Request{}); sum.Meetings != 6 || sum.Changed != 6 || sum.Votes != 2 ||
		sum.Unreadable != 1 || sum.Failed != 0 {
		t.Errorf("wrong summary: %+v", sum)
	}
	want := "10 regular complete, 11 special minutes_pending, 13 regular cancelled, 14 regular agenda_only, 15 other " +
		"discovered, 16 regular parse_error"
	if got := statuses(t, db); got != want {
		t.Errorf("statuses %s\nwant     %s", got, want)
	}
	// The outline adds files and pages to the items with votes, and one more item.
	items := value[string](t, db, `
		SELECT string_agg(format('%s|%s|%s|%s', ord, legifile_id, title,
		       (SELECT count(*) FROM council.vote v WHERE v.item_id = i.id)), E'\n' ORDER BY ord)
		FROM council.item i WHERE iqm2_id = 10`)
	if want := "1|501|Awards the Contract for Street Sweeping|1\n2|502|Accepts the Treasurer's Report|1\n3|503|Receives " +
		"the Annual Report of the Harbor Master|0"; items != want {
		t.Errorf("wrong items:\n%s", items)
	}
	mustBeProven(t, deps, set)

	before := dump(t, db)
	for range 2 {
		if sum := mustIngest(t, deps, set, Request{}); sum.Changed != 0 || sum.Failed != 0 {
			t.Errorf("the second ingest: %+v", sum)
		}
	}
	if d := cmp.Diff(before, dump(t, db)); d != "" {
		t.Errorf("a second ingest changed rows\n%s", d)
	}

	// Minutes appear, a meeting is cancelled, another is reinstated, a page is withdrawn, and a bad
	// document is replaced.
	p.mu.Lock()
	p.meetings[1].minutesType, p.meetings[1].minutesID, p.meetings[1].minutes = 12, 811,
		minutesText("x", item("1.", "2026-101", "Awards the Contract for Street Sweeping", split))
	p.meetings[3].cancelled = false
	p.meetings[4].cancelled = true
	p.meetings[5].withdrawn = true
	p.meetings[6].minutes = p.meetings[1].minutes + "\n"
	p.mu.Unlock()
	mustIngest(t, deps, set, Request{})
	want = "10 regular complete, 11 special complete, 13 regular minutes_pending, 14 regular cancelled, 15 other " +
		"discovered, 16 regular complete"
	if got := statuses(t, db); got != want {
		t.Errorf("statuses %s\nwant     %s", got, want)
	}
	wantStatus(t, db, 16, "discovered minutes_pending parse_error complete")
	wantStatus(t, db, 13, "discovered cancelled minutes_pending")
	mustBeProven(t, deps, set)
}

func TestIngestOfARangeAndOfOneMeeting(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	if sum := mustIngest(t, deps, set, Request{DryRun: true}); sum.Meetings != 6 || sum.Changed != 6 {
		t.Errorf("dry run: %+v", sum)
	}
	if stored := value[int](t, db, `SELECT count(*) + (SELECT count(*)
		FROM council.change) + (SELECT generation FROM council.dataset) FROM council.meeting`); stored != 0 {
		t.Errorf("a dry run stored %d rows", stored)
	}
	mustIngest(t, deps, set, Request{MeetingID: 11})
	if got := statuses(t, db); got != "11 special minutes_pending" {
		t.Errorf("statuses %s", got)
	}
	for _, req := range []Request{{MeetingID: 99}, {Since: "2026-02-30"}, {Until: "yesterday"}} {
		req.AllowPrivate = true
		if _, err := Ingest(t.Context(), deps, set, req); err == nil {
			t.Errorf("the request %+v has no error", req)
		}
	}
}

// An interrupted ingest stores only complete meetings, and the next ingest has the same result as
// an undisturbed one.
func TestAnInterruptedIngestIsContinued(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	for stop := 2; stop < 16; stop++ {
		ctx, cancel := context.WithCancel(t.Context())
		p.mu.Lock()
		p.n = 0
		p.fail = func(n int, _ http.ResponseWriter, r *http.Request) bool {
			if n == stop {
				cancel()
			}
			return false
		}
		p.mu.Unlock()
		_, _ = Ingest(ctx, deps, set, Request{AllowPrivate: true, All: true}) // interrupted at one of the requests
		cancel()
		if wrong := value[int](t, db, `SELECT count(*) FROM council.meeting m
			WHERE vote_count <> (SELECT count(*) FROM council.vote v WHERE v.iqm2_id = m.iqm2_id)`); wrong != 0 {
			t.Fatalf("interrupted at request %d: %d incomplete meetings", stop, wrong)
		}
	}
	p.mu.Lock()
	p.fail = nil
	p.mu.Unlock()
	mustIngest(t, deps, set, Request{})
	mustBeProven(t, deps, set)

	other := pgtest.New(t)
	mustIngest(t, testDeps(t, other), set, Request{})
	content := func(db *pgxpool.Pool) []string {
		return values[string](t, db, `SELECT format('%s %s %s %s', i.iqm2_id, i.title, v.result_raw,
			(SELECT array_agg(b.full_name || ' ' || p.position ORDER BY p.ord) FROM council.vote_position p JOIN council.member b
			  ON b.id = p.member_id WHERE p.vote_id = v.id))
			FROM council.item i LEFT JOIN council.vote v ON v.item_id = i.id ORDER BY 1`)
	}
	if d := cmp.Diff(content(other), content(db)); d != "" {
		t.Error(d)
	}
}

func TestIngestFromAFailingPortal(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	// Every second answer is an error page with status 200, or a truncated page.
	p.fail = func(n int, w http.ResponseWriter, r *http.Request) bool {
		if n%2 == 1 || r.URL.Path == "/robots.txt" || r.URL.Path == "/Citizens/FileOpen.aspx" {
			return false
		}
		_, _ = w.Write([]byte("<html><body>Runtime Error</body>" + strings.Repeat("</html>", n/2%2)))
		return true
	}
	if sum := mustIngest(t, deps, set, Request{}); sum.Failed != 0 || sum.Votes != 2 {
		t.Errorf("wrong summary: %+v", sum)
	}
	mustBeProven(t, deps, set)
}

func TestSettings(t *testing.T) {
	t.Parallel()
	bad := &Settings{Portal: Portal{URL: "ftp://x"}, TimeZone: "Mars/Olympus", Documents: []string{"15", "-1"},
		Results: map[string]council.Result{"ORDAINED": "enacted"}, Members: map[string]settings.Member{
			"Jane Doe": {Spellings: []string{"J. Doe"}}, "John Doe": {Spellings: []string{"J Doe"}},
			"Ann": {From: 2027, Until: 2023}, "Bo": {District: "Ward\n3"}, "Cy": {From: 23}},
		Classifier: settings.Classifier{URL: "http://x"}}
	err := bad.Validate()
	if err == nil {
		t.Fatal("invalid settings have no error")
	}
	for _, key := range []string{"portal.url", "time_zone", "documents[1]", "results.ORDAINED:", "members.John Doe:",
		"members.Ann:", "members.Bo:", "members.Cy:",
		"classifier:"} {
		if !slices.ContainsFunc(strings.Split(err.Error(), "\n"), func(line string) bool {
			return strings.HasPrefix(line, key)
		}) {
			t.Errorf("the error does not mention %s:\n%v", key, err)
		}
	}
	if s := (&Settings{Portal: Portal{URL: "https://x"}, Body: " Town  Board "}); s.Validate() != nil ||
		s.Body != "Town Board" {
		t.Errorf("the body is %q", s.Body)
	}
	if (&Config{Every: time.Minute}).Validate() != nil || (&Config{Every: time.Second}).Validate() == nil {
		t.Error("the interval of a minute is rejected, or a shorter one is accepted")
	}
}
