package councilapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

var update = flag.Bool("update", false, "rewrite the golden answers")

// Every endpoint has a golden answer in testdata/answers/ID, and every file there belongs to an
// endpoint.
func TestGoldenAnswers(t *testing.T) {
	t.Parallel()
	w, reader, writer := storedWorld(t, 2, 8)
	storeExport(t, writer, "vote_id,result\r\n1,adopted\r\n")
	m, v := complete(w), w.votes[0]
	for _, other := range w.votes {
		if len(other.roll) > len(v.roll) {
			v = other
		}
	}
	note := w.notes[len(w.notes)-1]
	addStatements(t, writer, w, &v, &note)
	srv, exports := testService(t, reader)
	if err := exports.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	api := documented(t, srv)
	member := v.roll[0].member
	held := map[string]bool{} // files that belong to an endpoint
	for name, path := range map[string]string{
		"listMeetings.json":       "/meetings?limit=2",
		"getMeeting.json":         fmt.Sprintf("/meetings/%d", m.id),
		"getMinutesPDF.pdf":       fmt.Sprintf("/meetings/%d/minutes.pdf", m.id),
		"getMinutesText.txt":      fmt.Sprintf("/meetings/%d/minutes.txt", m.id),
		"listItems.json":          "/items?limit=2&topic=" + topicOf(w),
		"listItems-member.json":   fmt.Sprintf("/items?limit=2&member=%d&position=aye", member),
		"getItem.json":            fmt.Sprintf("/items/%d", v.item.id),
		"listVotes.json":          "/votes?limit=2&split=true",
		"listMeetingReviews.json": fmt.Sprintf("/meetings/%d/reviews", note.meeting.id),
		"getMinutesPage.json":     fmt.Sprintf("/meetings/%d/minutes/1", m.id),
		"listAgreements.json":     "/members/agreement",
		"search.json":             "/search?q=street&limit=1",
		"searchMinutes.json":      "/search/minutes?q=cafe&limit=2",
		"searchVotes.json":        "/search/votes?limit=2&q=street",
		"searchVotesFeed.atom":    "/search/votes.atom?split=true",
		"searchVotesTable.csv":    "/search/votes.csv?split=true",
		"getVote.json":            fmt.Sprintf("/votes/%d", v.id),
		"listBodies.json":         "/bodies",
		"getBody.json":            "/bodies/city-council",
		"listMembers.json":        "/members",
		"getMember.json":          fmt.Sprintf("/members/%d", member),
		"listMemberVotes.json":    fmt.Sprintf("/members/%d/votes?limit=2", member),
		"getAgreement.json":       fmt.Sprintf("/members/%d/agreement?include_consent=true", member),
		"listAttendance.json":     fmt.Sprintf("/members/%d/attendance?limit=2", member),
		"countVotes.json":         "/search/votes/facets?split=true",
		"listSharedVotes.json": fmt.Sprintf("/members/%d/agreement/%d?limit=2&include_consent=true", member,
			v.roll[1].member),
		"listAnomalies.json":      "/anomalies?limit=2",
		"getAnomaly.json":         fmt.Sprintf("/anomalies/%d", note.id),
		"listChanges.json":        "/changes?limit=4",
		"listTopics.json":         "/topics",
		"getTopicTimeline.json":   "/topics/timeline",
		"getStats.json":           "/stats",
		"feedVotes.atom":          "/feeds/votes.atom",
		"feedSplitVotes.atom":     "/feeds/split-votes.atom",
		"feedMemberVotes.atom":    fmt.Sprintf("/feeds/members/%d/votes.atom", member),
		"feedTopicVotes.atom":     "/feeds/topics/" + topicOf(w) + "/votes.atom",
		"calendarMeetings.ics":    "/feeds/meetings.ics",
		"listExport.json":         "/export/",
		"exportSQLite.sql":        "/export/council.sqlite",
		"exportTable.csv":         "/export/tables/votes.csv",
		"exportTable-members.csv": "/export/tables/members.csv",
		"exportMetadata.json":     "/export/tables/csv-metadata.json",
		"exportVotes.csv":         "/export/votes.csv",
		"getDescription.json":     "/openapi.json",
	} {
		held[name] = true
		res := api.Get(t, "/v1"+path)
		if res.Status != 200 {
			t.Errorf("%s: %d %s", path, res.Status, res.Body)
			continue
		}
		golden(t, name, readable(t, name, res.Body))
	}
	files, err := os.ReadDir(answers)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !held[f.Name()] {
			t.Errorf("%s is a golden answer without an endpoint", filepath.Join(answers, f.Name()))
		}
	}
	has := map[string]bool{} // endpoints with an answer
	for name := range held {
		id, _, _ := strings.Cut(strings.TrimSuffix(name, filepath.Ext(name)), "-")
		has[id] = true
	}
	for _, e := range srv.Table() {
		if e.ID != "getDocumentation" && !has[e.ID] { // it is the description as a page
			t.Errorf("endpoint %s has no golden answer: add its request to the table of this test", e.ID)
		}
	}
}

// answers is the directory of the golden answers.
var answers = filepath.Join("testdata", "answers")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join(answers, name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (run with -update to accept it): (-want +got)\n%s", file, d)
	}
}

// readable formats an answer for its golden file. JSON is indented. For a database, it returns the
// schema; hash and size are omitted, because they depend on the version of SQLite.
func readable(t *testing.T, name string, body []byte) []byte {
	t.Helper()
	if name == "listExport.json" {
		body = ofSQLite.ReplaceAll(body, []byte(`$1"size":0,"sha256":""`))
	}
	switch filepath.Ext(name) {
	case ".json":
		var out bytes.Buffer
		if err := json.Indent(&out, body, "", " "); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return append(out.Bytes(), '\n')
	case ".sql":
		return schemaOf(t, body)
	}
	return body
}

var ofSQLite = regexp.MustCompile(`("name":"council.sqlite"[^}]*?)"size":[0-9]+,"sha256":"[0-9a-f]{64}"`)

// schemaOf returns the statements that create a database, and the number of rows of each table.
func schemaOf(t *testing.T, database []byte) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "council.sqlite")
	if err := os.WriteFile(file, database, 0o600); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(file, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	var out bytes.Buffer
	each := func(sql string, row func(*sqlite.Stmt)) {
		if err := sqlitex.ExecuteTransient(conn, sql, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			row(s)
			return nil
		}}); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	var tables []string
	each("SELECT sql, type, name FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name", func(s *sqlite.Stmt) {
		fmt.Fprintf(&out, "%s;\n", s.ColumnText(0))
		if s.ColumnText(1) == "table" {
			tables = append(tables, s.ColumnText(2))
		}
	})
	for _, table := range tables {
		each("SELECT count(*) FROM "+table, func(s *sqlite.Stmt) {
			fmt.Fprintf(&out, "-- %s: %d rows\n", table, s.ColumnInt(0))
		})
	}
	return out.Bytes()
}

func topicOf(w *world) string {
	for _, it := range w.items {
		if it.topic != "" {
			return string(it.topic)
		}
	}
	return ""
}
