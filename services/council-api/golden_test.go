package councilapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

var update = flag.Bool("update", false, "rewrite the golden answers")

// Every endpoint has a golden answer in testdata/answers/ID, and every file there belongs to an
// endpoint.
func TestGoldenAnswers(t *testing.T) {
	t.Parallel()
	w, reader, writer := storedWorld(t, 2, 8)
	m, v := complete(w), w.votes[0]
	for _, other := range w.votes {
		if len(other.roll) > len(v.roll) {
			v = other
		}
	}
	note := w.notes[len(w.notes)-1]
	addStatements(t, writer, w, &v, &note)
	srv := testServer(t, reader)
	publishFiles(t, writer)
	storeExport(t, writer, "vote_id,result\r\n1,adopted\r\n")
	api := documented(t, srv)
	member := v.roll[0].member
	usual := strings.NewReplacer("meetings/{id}", fmt.Sprintf("meetings/%d", m.id), "bodies/{id}", "bodies/city-council",
		"items/{id}", fmt.Sprintf("items/%d", v.item.id), "votes/{id}", fmt.Sprintf("votes/%d", v.id),
		"members/{id}", fmt.Sprintf("members/%d", member), "anomalies/{id}", fmt.Sprintf("anomalies/%d", note.id),
		"{other}", strconv.FormatInt(v.roll[1].member, 10), "{topic}", topicOf(w), "{page}", "1")
	cases := map[string]string{ // requests that differ from the usual one of an endpoint
		"listMeetings.json":       "/meetings?limit=2",
		"listItems.json":          "/items?limit=2&topic=" + topicOf(w),
		"listItems-member.json":   fmt.Sprintf("/items?limit=2&member=%d&position=aye", member),
		"listVotes.json":          "/votes?limit=2&split=true",
		"listMeetingReviews.json": fmt.Sprintf("/meetings/%d/reviews", note.meeting.id),
		"search.json":             "/search?q=street&limit=1",
		"searchMinutes.json":      "/search/minutes?q=cafe&limit=2",
		"searchVotes.json":        "/search/votes?limit=2&q=street",
		"searchVotesFeed.atom":    "/search/votes.atom?split=true",
		"searchVotesTable.csv":    "/search/votes.csv?split=true",
		"listMemberVotes.json":    usual.Replace("/members/{id}/votes?limit=2"),
		"getAgreement.json":       usual.Replace("/members/{id}/agreement?include_consent=true"),
		"listAttendance.json":     usual.Replace("/members/{id}/attendance?limit=2"),
		"countVotes.json":         "/search/votes/facets?split=true",
		"listSharedVotes.json":    usual.Replace("/members/{id}/agreement/{other}?limit=2&include_consent=true"),
		"listAnomalies.json":      "/anomalies?limit=2",
		"listChanges.json":        "/changes?limit=4",
		"exportSQLite.sql":        "/export/council.sqlite",
		"exportTable.csv":         "/export/tables/votes.csv",
		"exportTable-members.csv": "/export/tables/members.csv",
	}
	has := map[string]bool{"getDocumentation": true} // it is the description as a page
	for name := range cases {
		has[strings.TrimSuffix(name, filepath.Ext(name))] = true
	}
	for _, e := range srv.Table() {
		if !has[e.ID] {
			cases[e.ID+cmp.Or(filepath.Ext(e.Path), ".json")] = usual.Replace(e.Path)
		}
	}
	for name, request := range cases {
		res := api.Get(t, "/v1"+request)
		if res.Status != 200 {
			t.Errorf("%s: %d %s", request, res.Status, res.Body)
			continue
		}
		golden(t, name, readable(t, name, res.Body))
	}
	files, err := os.ReadDir(answers)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if cases[f.Name()] == "" {
			t.Errorf("%s is a golden answer without an endpoint", filepath.Join(answers, f.Name()))
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
		t.Fatalf("%v: make golden writes it", err)
	}
	if d := gocmp.Diff(string(want), string(got)); d != "" {
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
