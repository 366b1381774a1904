package councilingest

import (
	"bytes"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

func TestBoardOf(t *testing.T) {
	t.Parallel()
	const council = "City Council"
	for _, c := range []struct {
		boards string // of the rows of a calendar, parted by |
		want   string
		others string
	}{
		{"Parks|city council|Alder City Council", "city council", ""},
		{"Parks|Alder City Council|Parks", "Alder City Council", ""},
		{"Alder City Council|Birch City Council", "", `"Alder City Council" (1), "Birch City Council" (1)`},
		{"Parks|City Council Subcommittee|Parks", "", `"Parks" (2), "City Council Subcommittee" (1)`},
		{"Velocity Council|", "", `"Velocity Council" (1)`},
		{"|", "", ""},
	} {
		var rows []portal.Row
		for board := range strings.SplitSeq(c.boards, "|") {
			rows = append(rows, portal.Row{Board: board})
		}
		if board, others := boardOf(rows, council); board != c.want || others != c.others {
			t.Errorf("%s: %q, others %s", c.boards, board, others)
		}
	}
}

// Nobody waits in vain for votes of a board that the calendar does not have, and no other board's votes come in.
func TestBoardsThatAreNotOurs(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	deps, set := testDeps(t, db), portalSettings(t, p)
	set.Body = "Town Board"
	_, err := Ingest(t.Context(), deps, set, Request{AllowPrivate: true})
	if err == nil || !strings.Contains(err.Error(), `none is of "Town Board", but of "City Council" (6), "Planning Commission" (1)`) {
		t.Errorf("%v", err)
	}
	set.Body = "City Council"
	if _, err := Ingest(t.Context(), deps, set, Request{AllowPrivate: true, MeetingID: 12}); err == nil || !strings.Contains(err.Error(), "Planning Commission") {
		t.Errorf("another board's meeting: %v", err)
	}
	mustIngest(t, deps, set, Request{})
	// Later, days on which our board does not meet are no error and bring nobody else in.
	p.mu.Lock()
	p.meetings = p.meetings[2:3]
	p.meetings[0].board = "Planning Commission and City Council"
	p.mu.Unlock()
	if sum := mustIngest(t, deps, set, Request{}); sum.Meetings != 0 {
		t.Errorf("%+v", sum)
	}
	mustBeProven(t, deps, set)
}

// A meeting that the portal does not list any more keeps what is known of it, and time passes for it too.
func TestMeetingsThatVanish(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	deps, set := testDeps(t, db), portalSettings(t, p)
	mustIngest(t, deps, set, Request{})
	p.mu.Lock()
	p.meetings = p.meetings[6:]
	p.mu.Unlock()
	// Between two ingests meetings 14 and 15 have come and gone.
	if _, err := db.Exec(t.Context(), `UPDATE council.meeting SET starts_at = $1 WHERE status IN ('agenda_only', 'discovered')`, time.Now().Add(-overAfter-time.Minute)); err != nil {
		t.Fatal(err)
	}
	if sum := mustIngest(t, deps, set, Request{}); sum.Changed != 2 {
		t.Errorf("%+v", sum)
	}
	want := "10 regular complete, 11 special minutes_pending, 13 regular cancelled, 14 regular minutes_pending, 15 other minutes_pending, 16 regular parse_error"
	if got := statuses(t, db); got != want {
		t.Errorf("statuses %s\nwant     %s", got, want)
	}
	wantStatus(t, db, 14, "discovered agenda_only minutes_pending")
	before := strings.Join(dump(t, db), "\n")
	if sum := mustIngest(t, deps, set, Request{}); sum.Changed != 0 || strings.Join(dump(t, db), "\n") != before {
		t.Errorf("again: %+v", sum)
	}
	mustBeProven(t, deps, set)
}

// What is no minutes is never read as minutes without votes.
func TestDocumentsThatAreNoMinutes(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	zipped.WriteString("PK\x03\x04\x14\x00\x06\x00[Content_Types].xml")
	for name, c := range map[string]struct{ body, status, code string }{
		"nothing":                   {"", "parse_error", "no-text"},
		"blanks":                    {" \n\f\n", "parse_error", "no-text"},
		"a word processor's file":   {zipped.String(), "parse_error", "unreadable"},
		"an older one's":            {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00", "parse_error", "unreadable"},
		"rich text":                 {`{\rtf1\ansi RESULT: ADOPTED [UNANIMOUS]}`, "parse_error", "unreadable"},
		"a picture":                 {"\x89PNG\x0d\x0a\x1a\x0a\x00\x00", "parse_error", "unreadable"},
		"half a PDF":                {"%PDF-1.7\n1 0 obj << /Type", "parse_error", "unreadable"},
		"an error page":             {"<html><body><h1>Server Error in '/' Application.</h1></body></html>", "parse_error", "unreadable"},
		"a page that says not yet":  {"<html><body>The document is not yet available. Please check back.</body></html>", "minutes_pending", ""},
		"an error page without end": {"<h1>Runtime Error</h1>", "parse_error", "unreadable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStranger()
			s.minutes = c.body
			srv := httptest.NewServer(s)
			t.Cleanup(srv.Close)
			db := pgtest.New(t)
			deps, set := testDeps(t, db), strangeSettings(t, srv.URL)
			mustIngest(t, deps, set, Request{})
			var got string
			err := db.QueryRow(t.Context(), `SELECT concat_ws(' ', status, vote_count, (SELECT string_agg(kind || ' ' || code, ', ') FROM council.anomaly)) FROM council.meeting`).Scan(&got)
			want := c.status + " 0"
			if c.code != "" {
				want += " error " + c.code
			}
			if err != nil || got != want {
				t.Errorf("%s, %v; want %s", got, err, want)
			}
			mustBeProven(t, deps, set)
		})
	}
}
