package councilingest

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/pgtest"
)

// If the board is not on the calendar, that is an error, and votes of other boards are not stored.
func TestOtherBodiesAreNotIngested(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	set.Body = "Town Board"
	_, err := Ingest(t.Context(), deps, set, Request{AllowPrivate: true})
	if err == nil || !strings.Contains(err.Error(),
		`none is of "Town Board", but of "City Council" (6), "Planning Commission" (1)`) {
		t.Errorf("%v", err)
	}
	set.Body = "City Council"
	if _, err := Ingest(t.Context(), deps, set, Request{AllowPrivate: true, MeetingID: 12}); err == nil ||
		!strings.Contains(err.Error(), "Planning Commission") {
		t.Errorf("ingest of another board's meeting: %v", err)
	}
	mustIngest(t, deps, set, Request{})
	// Later, it is no error if our board has no meeting on some days. Other boards are still not
	// stored.
	p.mu.Lock()
	p.meetings = p.meetings[2:3]
	p.meetings[0].board = "Planning Commission and City Council"
	p.mu.Unlock()
	if sum := mustIngest(t, deps, set, Request{}); sum.Meetings != 0 {
		t.Errorf("%+v", sum)
	}
	set.Body = "Village Board" // the setting is new
	if _, err := Ingest(t.Context(), deps, set, Request{AllowPrivate: true}); err == nil ||
		!strings.Contains(err.Error(), "Village Board") {
		t.Errorf("ingest of an unknown board: %v", err)
	}
	set.Body = "City Council"
	mustBeProven(t, deps, set)
}

// A meeting that the portal no longer lists keeps its data, and its status still changes with time.
func TestUnlistedMeetingsKeepTheirData(t *testing.T) {
	t.Parallel()
	db, p := pgtest.New(t), town(t)
	deps, set := testDeps(t, db), portalSettings(t, p.URL)
	mustIngest(t, deps, set, Request{})
	p.mu.Lock()
	p.meetings = p.meetings[6:]
	p.mu.Unlock()
	// Meetings 14 and 15 have taken place between the ingests.
	mustExec(t, db, `UPDATE council.meeting SET starts_at = $1
		WHERE status IN ('agenda_only', 'discovered')`, time.Now().Add(-9*time.Hour))
	if sum := mustIngest(t, deps, set, Request{}); sum.Changed != 2 {
		t.Errorf("%+v", sum)
	}
	want := "10 regular complete, 11 special minutes_pending, 13 regular cancelled, 14 regular minutes_pending, 15 " +
		"other minutes_pending, 16 regular parse_error"
	if got := statuses(t, db); got != want {
		t.Errorf("statuses %s\nwant     %s", got, want)
	}
	wantStatus(t, db, 14, "discovered agenda_only minutes_pending")
	before := strings.Join(dump(t, db), "\n")
	if sum := mustIngest(t, deps, set, Request{}); sum.Changed != 0 || strings.Join(dump(t, db), "\n") != before {
		t.Errorf("the second ingest changed something: %+v", sum)
	}
	mustBeProven(t, deps, set)
}

// A document that is not minutes is never treated as minutes without votes.
func TestUnreadableDocumentsAreNotMinutes(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	zipped.WriteString("PK\x03\x04\x14\x00\x06\x00[Content_Types].xml")
	s := newStranger()
	var rows strings.Builder
	bodies, want := map[string]string{}, map[string]string{}
	var names []string
	for name, c := range map[string]struct{ body, status, code string }{
		"nothing":                 {"", "parse_error", "no-text"},
		"blanks":                  {" \n\f\n", "parse_error", "no-text"},
		"a word processor's file": {zipped.String(), "parse_error", "unreadable"},
		"an older one's":          {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00", "parse_error", "unreadable"},
		"rich text":               {`{\rtf1\ansi RESULT: ADOPTED [UNANIMOUS]}`, "parse_error", "unreadable"},
		"a picture":               {"\x89PNG\x0d\x0a\x1a\x0a\x00\x00", "parse_error", "unreadable"},
		"half a PDF":              {"%PDF-1.7\n1 0 obj << /Type", "parse_error", "unreadable"},
		"an error page": {"<html><body><h1>Server Error in '/' Application.</h1></body></html>", "parse_error",
			"unreadable"},
		"a page that says not yet": {"<html><body>The document is not yet available. Please check back.</body></html>",
			"minutes_pending", ""},
		"an error page without end": {"<h1>Runtime Error</h1>", "parse_error", "unreadable"},
		"minutes whose votes are not read": {"Town Board\nMarch 3, 2026\n\n" +
			strings.Repeat("The board met.\n\n", 20) +
			"Hands were counted, and the Board votes as follows.\n\nYEAS ARE 3 - Brandt, Vance, Arano.\n",
			"parse_error", "votes-unread"},
	} {
		id := 70 + len(want)
		rows.WriteString(strings.NewReplacer("ID=70", fmt.Sprintf("ID=%d", id), "ID=170", fmt.Sprintf("ID=%d", 100+id)).
			Replace(s.row))
		bodies[fmt.Sprint(100+id)] = c.body
		want[fmt.Sprint(id)] = strings.TrimSpace(c.status + " 0 " + c.code)
		names = append(names, fmt.Sprint(id, " is ", name))
	}
	s.row = rows.String()
	s.answer = func(w http.ResponseWriter, r *http.Request) bool {
		switch id := r.URL.Query().Get("ID"); r.URL.Path {
		case "/Citizens/FileOpen.aspx":
			fmt.Fprint(w, bodies[id])
		case "/Citizens/Detail_Meeting.aspx":
			fmt.Fprint(w, strings.Replace(fmt.Sprintf(strangerPage, ""), `value="70"`, fmt.Sprintf(`value="%s"`, id), 1))
		default:
			return false
		}
		return true
	}
	db, deps, set := s.serve(t)
	mustIngest(t, deps, set, Request{})
	got := pairs(t, db, `
		SELECT m.iqm2_id, concat_ws(' ', m.status, m.vote_count, (SELECT string_agg(a.code, ', ') FROM council.anomaly a
		       WHERE a.iqm2_id = m.iqm2_id AND a.kind = 'error'))
		FROM council.meeting m`)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s\nof the documents %v", d, names)
	}
	mustBeProven(t, deps, set)
}
