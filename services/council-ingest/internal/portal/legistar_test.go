package portal_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/sample"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/portal/legistar"
)

// openLegistar opens a tenant whose API is a function from path and query to status and body.
func openLegistar(t *testing.T, answer func(path string, q url.Values) (int, string)) portal.Reader {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, ours := strings.CutPrefix(strings.ToLower(r.URL.Path), "/v1/town")
		if !ours {
			http.NotFound(w, r)
			return
		}
		if r.Header.Get("Accept") != "application/json" {
			t.Errorf("%s was requested in another format than JSON", path)
		}
		status, body := answer(path, r.URL.Query())
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(srv.Close)
	s, err := legistar.Product().Open(t.Context(), portal.Config{URL: srv.URL + "/v1/Town", AllowPrivate: true, Tries: 1,
		Token: "hunter2", ParseOptions: portal.ParseOptions{Zone: time.UTC}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func legistarWindow() portal.Window {
	return portal.Window{From: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 12, 31, 0, 0, 0, 0,
		time.UTC)}
}

// A page of a thousand rows is never the last page. Rows that do not match the filter are dropped.
// An incomplete list is an error.
func TestLegistarListsAreReadCompletely(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		events  int
		repeats bool // the portal returns the same page for every request
		want    int
	}{"two pages": {1500, false, 1500}, "exactly one": {1000, false, 1000}, "none": {0, false, 0},
		"one page for ever": {1000, true, -1}} {
		asked := 0
		s := openLegistar(t, func(_ string, q url.Values) (int, string) {
			asked++
			skip, _ := strconv.Atoi(q.Get("$skip"))
			if q.Get("$orderby") != "EventId asc" ||
				q.Get("$filter") != "EventDate ge datetime'2020-01-01' and EventDate lt datetime'2027-01-01'" ||
				q.Get("token") != "hunter2" {
				t.Errorf("%s: request with %v", name, q)
			}
			if c.repeats {
				skip = 0
			}
			var rows []string
			for id := skip + 1; id <= min(c.events, skip+1000); id++ {
				rows = append(rows,
					fmt.Sprintf(
						`{"EventId": %d, "EventBodyName": "Council", "EventDate": "2024-01-01T00:00:00", "EventTime": "7:00 PM"}`, id))
			}
			if skip == 0 && c.events == 1500 {
				rows[0] = `{"EventId": 1, "EventBodyName": "Council", "EventDate": "1999-01-01T00:00:00"}`
			}
			return 200, "[" + strings.Join(rows, ",") + "]"
		})
		all, err := s.Meetings(t.Context(), legistarWindow())
		if c.events == 1500 {
			c.want--
		}
		if c.want < 0 && err == nil || c.want >= 0 && (err != nil || len(all) != c.want) {
			t.Errorf("%s: %d meetings, %v", name, len(all), err)
		}
		if c.events >= 1000 && asked != 2 || c.events == 0 && asked != 1 {
			t.Errorf("%s: made %d requests", name, asked)
		}
	}
}

// If a portal is not set up, the error has the API's message, and the list is never empty without
// an error. The same holds for an answer in another format.
func TestLegistarErrorsAreNotEmptyLists(t *testing.T) {
	t.Parallel()
	for body, c := range map[string]struct {
		status int
		none   bool
		says   string
	}{
		`{"Message":"Agenda Draft/Public status is not setup"}`:                            {400, true, "agenda status"},
		`{"ExceptionMessage":"LegistarConnectionString setting is not set up in InSite."}`: {500, true, `no client "town"`},
		`Invalid Token`:          {403, false, "403"},
		`<ArrayOfGranicusEvent>`: {200, false, "not an answer"},
		`[{"EventId": 1},`:       {200, false, "not an answer"},
		`[{}]`:                   {200, false, "not an event"},
	} {
		s := openLegistar(t, func(string, url.Values) (int, string) { return c.status, body })
		all, err := s.Meetings(t.Context(), legistarWindow())
		if err == nil || len(all) != 0 || errors.Is(err, portal.ErrNone) != c.none || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %d meetings, %v", body, len(all), err)
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error contains the token: %v", err)
		}
	}
}

// small is a made-up event. It has a section, a roll call of the attendance, a vote with an unknown
// word, a voice vote and a roster. Two actions are on one file, the second of them only in the
// minutes. One title has a line break.
const (
	small = `{"EventId": 7, "EventBodyName": "Ferry  Council", "EventDate": "2026-03-10T00:00:00", "EventTime": "6:30 PM", "EventAgendaStatusName": "Final-revised", "EventMinutesStatusName": "Draft",
		"EventLocation": "Hall\r\nRoom 2", "EventComment": "Special Meeting", "EventAgendaFile": "https://files.example/7_A.pdf", "EventMinutesFile": "http://files.example/7_M.pdf", "EventInSiteURL": "https://ferry.example/MeetingDetail.aspx?LEGID=7"}`
	smallItems = `[
		{"EventItemId": 2, "EventItemMinutesSequence": 2, "EventItemTitle": "BUSINESS"},
		{"EventItemId": 1, "EventItemMinutesSequence": 1, "EventItemTitle": "ROLL CALL", "EventItemRollCallFlag": 1},
		{"EventItemId": 3, "EventItemAgendaSequence": 3, "EventItemMinutesSequence": 3, "EventItemAgendaNumber": "1.", "EventItemTitle": "An ordinance\r\non ferries", "EventItemMatterId": 30, "EventItemMatterFile": "26-001", "EventItemActionName": "approved",
		 "EventItemActionText": "A motion was made", "EventItemPassedFlag": 1, "EventItemPassedFlagName": "Pass", "EventItemMover": "Ada Moss", "EventItemSeconder": "Ben Reed", "EventItemConsent": 1,
		 "EventItemMatterAttachments": [{"MatterAttachmentName": "Map", "MatterAttachmentHyperlink": "https://files.example/map.pdf"}, {"MatterAttachmentName": "Bare", "MatterAttachmentHyperlink": "bare.pdf"}]},
		{"EventItemId": 4, "EventItemMinutesSequence": 4, "EventItemTitle": "A report", "EventItemMatterId": 31, "EventItemMatterFile": "26-002", "EventItemActionName": "received", "EventItemPassedFlag": 1, "EventItemPassedFlagName": "Pass"},
		{"EventItemId": 5, "EventItemMinutesSequence": 6, "EventItemTitle": "A roster", "EventItemMatterId": 32},
		{"EventItemId": 6, "EventItemMinutesSequence": 5, "EventItemTitle": "A report", "EventItemMatterId": 31, "EventItemMatterFile": "26-002", "EventItemActionName": "denied", "EventItemPassedFlag": 0, "EventItemPassedFlagName": "Fail"}]`
)

func smallVotes(words ...string) string {
	var rows []string
	for i, w := range words {
		word := strconv.Quote(w)
		if w == "" {
			word = "null"
		}
		rows = append(rows,
			fmt.Sprintf(
				`{"VotePersonId": %d, "VotePersonName": "Member %d", "VoteValueName": %s, "VoteResult": 2, "VoteSort": %d}`, i+1,
				i+1, word, len(words)-i))
	}
	return "[" + strings.Join(rows, ",") + "]"
}

func TestLegistarFetchAndRead(t *testing.T) {
	t.Parallel()
	stamp, asked := "2026-03-11T10:00:00", map[string]int{}
	s := openLegistar(t, func(path string, _ url.Values) (int, string) {
		asked[path]++
		switch path {
		case "/events":
			return 200, "[" + small + "]"
		case "/events/7/eventitems":
			return 200, strings.ReplaceAll(smallItems, `"EventItemTitle"`, `"EventItemLastModifiedUtc": "`+stamp+
				`", "EventItemTitle"`)
		case "/eventitems/1/rollcalls":
			return 200, `[{"RollCallPersonId": 1, "RollCallPersonName": "Member 1", "RollCallValueName": "Present"}]`
		case "/eventitems/3/votes":
			return 200, smallVotes("Aye", "NAYS", "Excused", "Perhaps", "Recused")
		case "/eventitems/4/votes":
			return 200, "[]"
		case "/eventitems/5/votes":
			return 200, smallVotes("", "")
		case "/eventitems/6/votes":
			return 404, ""
		case "/eventitems/1/votes":
			return 500, "no votes"
		}
		t.Errorf("unexpected request for %s", path)
		return 404, ""
	})
	all, err := s.Meetings(t.Context(), legistarWindow())
	if err != nil || len(all) != 1 {
		t.Fatalf("Meetings = %v, %v", all, err)
	}
	m := all[0]
	if m.ID != "7" || m.Body != "Ferry Council" || m.Title != "Ferry Council - Special Meeting" ||
		m.Location != "Hall Room 2" || m.State != portal.Planned ||
		m.Starts.Format("2006-01-02 15:04") != "2026-03-10 18:30" ||
		m.Agenda.State != portal.Revised || m.Minutes.State != portal.Draft || portal.Find(m.Documents, "minutes") != nil ||
		portal.Find(m.Documents, "agenda") == nil {
		t.Errorf("%+v", m)
	}
	b, err := s.Fetch(t.Context(), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if b.Find("/eventitems/6/votes").Status != 404 || asked["/eventitems/6/votes"] != 2 ||
		b.Find("/eventitems/2/votes") != nil || strings.Contains(string(b.Bytes()), "hunter2") {
		t.Errorf("wrong bundle %s", b.Bytes())
	}
	archived, err := portal.ReadBundle(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	d, err := legistar.Product().Read(archived, portal.ParseOptions{Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, it := range d.Items {
		got = append(got, fmt.Sprintf("%s %d %v %s %s", it.ID, it.Level, it.Section, it.Title, it.FileNumber))
	}
	if diff := cmp.Diff([]string{"1 0 true ROLL CALL ", "2 0 true BUSINESS ", "3 1 false An ordinance on ferries 26-001",
		"4 1 false A report 26-002", "6 1 false A report 26-002", "5 1 false A roster "}, got); diff != "" {
		t.Error(diff)
	}
	got = nil
	for _, v := range d.Votes {
		line := v.ItemID + " " + v.PassedWord + ":"
		for _, p := range v.Positions {
			line += " " + p.PersonID + "=" + string(p.Position)
		}
		got = append(got, line)
	}
	if diff := cmp.Diff([]string{"3 Pass: 5=recused 4= 3=absent 2=nay 1=aye", "4 Pass:", "6 Fail:"}, got); diff != "" {
		t.Error(diff)
	}
	if len(d.Notes) != 1 || d.Notes[0].Code != "unknown-vote-word" || d.Notes[0].ItemID != "3" ||
		!strings.Contains(d.Notes[0].Message, `"Perhaps"`) {
		t.Errorf("wrong notes %+v", d.Notes)
	}
	if len(d.Attendance) != 1 || d.Attendance[0].Status != "Present" || len(d.Items[2].Attachments) != 1 ||
		!d.Items[2].Consent {
		t.Errorf("wrong attendance %+v or item %+v", d.Attendance, d.Items[2])
	}

	// Unchanged meetings are not requested again. Meetings that the portal reports as changed are.
	clear(asked)
	again, err := s.Fetch(t.Context(), m, &archived)
	if err != nil || cmp.Diff(archived, again) != "" || len(asked) != 1 {
		t.Errorf("unchanged: %v, requested %v, %s", err, asked, cmp.Diff(archived, again))
	}
	stamp = "2026-03-12T10:00:00"
	clear(asked)
	if _, err := s.Fetch(t.Context(), m, &archived); err != nil || asked["/eventitems/3/votes"] != 1 {
		t.Errorf("changed: %v, requested %v", err, asked)
	}
}

// The words of the council take precedence. If a word has no meaning, there is a note for each
// member with it.
func TestLegistarOwnWords(t *testing.T) {
	t.Parallel()
	b := portal.Bundle{Product: "legistar", Root: "https://api.example/v1/town"}
	b.Add("/events/7", 0, []byte(small))
	b.Add("/events/7/eventitems", 0, []byte(smallItems))
	b.Add("/eventitems/3/votes", 0, []byte(smallVotes("Perhaps", "Present")))
	own, err := portal.NewWords(map[string]string{"perhaps": "abstain"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := legistar.Product().Read(b, portal.ParseOptions{Zone: time.UTC, Words: own})
	if err != nil || len(d.Notes) != 0 || d.Votes[0].Positions[1].Position != "abstain" ||
		d.Votes[0].Positions[0].Position != "absent" {
		t.Errorf("%+v, %v", d, err)
	}
	for _, bad := range []string{"", "[]", "{}", "<html>"} {
		b.Answers[0].Text = &bad
		if _, err := legistar.Product().Read(b, portal.ParseOptions{}); err == nil {
			t.Errorf("the answer %q is accepted as an event", bad)
		}
	}
}

func TestLegistarRoots(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://pittsburgh.legistar.com/Calendar.aspx":      "https://webapi.legistar.com/v1/pittsburgh",
		"https://webapi.legistar.com/v1/phila/Events?$top=1": "https://webapi.legistar.com/v1/phila",
		"http://127.0.0.1:80/v1/Town":                        "http://127.0.0.1:80/v1/town",
		"https://town.example":                               "",
		"legistar.com":                                       "",
	} {
		got := ""
		if u := portal.WebAddress(address); u != nil {
			if root := legistar.Product().Root(u); root != nil {
				got = root.String()
			}
		}
		if got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
}

func TestLegistarStates(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]portal.State{
		"": portal.Planned, "Final": portal.Planned, "Cancelled": portal.Cancelled, "CANCELED - no quorum": portal.Cancelled,
		"This meeting has been cancelled": portal.Cancelled, "Deferred": portal.Deferred,
		"Hearing on the deferred ordinance": portal.Planned, "Meeting postponed to June 3": portal.Deferred,
		"In person. NOTE: CANCELLED": portal.Cancelled,
	} {
		b := portal.Bundle{Product: "legistar", Root: "https://webapi.legistar.com/v1/town"}
		b.Add("/events/1", 0, fmt.Appendf(nil, `{"EventId":1,"EventComment":%q}`, words))
		if d, err := legistar.Product().Read(b, portal.ParseOptions{Zone: time.UTC}); err != nil || d.State != want {
			t.Errorf("%q: %s, %v", words, d.State, err)
		}
	}
}

// Recordings of real tenants are read row by row.
func TestLegistarRecordedLists(t *testing.T) {
	t.Parallel()
	folder := sample.Folder(t, "council/portals/legistar")
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for name, want := range map[string]int{"seattle-wa/events-1000.json": 1000, "philadelphia-pa/events.json": 3,
		"olympia-wa/events.json": 3, "vienna-va/events.json": 138} {
		var rows []json.RawMessage
		if err := json.Unmarshal(read(name), &rows); err != nil {
			t.Fatal(err)
		}
		s := openLegistar(t, func(_ string, q url.Values) (int, string) {
			skip, _ := strconv.Atoi(q.Get("$skip"))
			part, _ := json.Marshal(append([]json.RawMessage{}, rows[min(skip, len(rows)):min(skip+1000, len(rows))]...))
			return 200, string(part)
		})
		w := legistarWindow()
		w.From = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)
		all, err := s.Meetings(t.Context(), w)
		if err != nil || len(all) != want {
			t.Errorf("%s: %d meetings, %v", name, len(all), err)
		}
		for _, m := range all {
			if m.Body == "" || m.URL == "" || m.Starts.IsZero() || m.Title == "" {
				t.Errorf("%s: %+v", name, m)
			}
		}
	}
	for name, c := range map[string]struct {
		items, votes int
	}{"philadelphia-pa/event_6376_items.json": {}, "olympia-wa/eventitems.json": {}} {
		b := portal.Bundle{Product: "legistar", Root: "https://api.example/v1/town"}
		var rows []struct{ EventItemTitle string }
		if err := json.Unmarshal(read(name), &rows); err != nil || len(rows) == 0 {
			t.Fatalf("%s: %v", name, err)
		}
		titled := 0 // the others are lines of text between items
		for _, row := range rows {
			if council.Fold(row.EventItemTitle) != "" {
				titled++
			}
		}
		b.Add("/events/7", 0, []byte(small))
		b.Add("/events/7/eventitems", 0, read(name))
		d, err := legistar.Product().Read(b, portal.ParseOptions{Zone: time.UTC})
		if err != nil || len(d.Items) != titled || len(d.Votes) != c.votes {
			t.Errorf("%s: %d of %d items, %d votes, %v", name, len(d.Items), titled, len(d.Votes), err)
		}
	}
	var cast []struct{ VotePersonName, VoteValueName string }
	if err := json.Unmarshal(read("seattle-wa/votes_123047.json"), &cast); err != nil || len(cast) == 0 {
		t.Fatal(err)
	}
	for _, v := range cast {
		if p, known := (portal.Words)(nil).Position(council.Fold(v.VoteValueName)); !known || p != "aye" {
			t.Errorf("%q means %q", council.Fold(v.VoteValueName), p)
		}
	}
}

// If a field has a wrong type, its meeting fails, but not the list. null is not a list. An item
// that is listed twice is one item.
func TestLegistarABadRowFailsOnlyItsMeeting(t *testing.T) {
	t.Parallel()
	const item = `{"EventItemId":5,"EventItemTitle":"Buy a plow","EventItemActionName":"Approved","EventItemPassedFlag":1}`
	votes := `[{"VotePersonName":"Ann Archer","VoteValueName":"Aye"}]`
	s := openLegistar(t, func(path string, _ url.Values) (int, string) {
		switch path {
		case "/events":
			return 200,
				`[{"EventId":1,"EventBodyName":"Council","EventDate":"2024-01-01T00:00:00"},{"EventId":2,"EventBodyName":"Council","EventDate":20240201},
				{"EventId":3,"EventBodyName":["Council"],"EventDate":"2024-03-01T00:00:00"}]`
		case "/events/1/eventitems":
			return 200, "[" + item + "," + item + "]"
		case "/events/2/eventitems", "/events/3/eventitems":
			return 200, "[]"
		}
		return 200, votes
	})
	all, err := s.Meetings(t.Context(), legistarWindow())
	if err != nil || len(all) != 3 {
		t.Fatalf("%d meetings, %v", len(all), err)
	}
	for i, m := range all {
		b, err := s.Fetch(t.Context(), m, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := legistar.Product().Read(b, portal.ParseOptions{Zone: time.UTC})
		if (err == nil) != (i == 0) || i == 0 && (len(d.Items) != 1 || len(d.Votes) != 1) {
			t.Errorf("meeting %s: %d items, %d votes, %v", m.ID, len(d.Items), len(d.Votes), err)
		}
	}
	votes = "null"
	if _, err := s.Fetch(t.Context(), all[0], nil); !errors.Is(err, portal.ErrNotPortal) ||
		!strings.HasSuffix(err.Error(), "it has no list") {
		t.Errorf("error for votes that are null: %v", err)
	}
}

// A time in words is no midnight: the words stand in the title, and a time before them counts.
func TestLegistarTimesInWords(t *testing.T) {
	t.Parallel()
	for clock, want := range map[string][2]string{
		"6:30 PM":                       {"18:30", "Ferry Council - Special Meeting"},
		"6 p.m.":                        {"18:00", "Ferry Council - Special Meeting"},
		"":                              {"00:00", "Ferry Council - Special Meeting"},
		"Immediately following the RDA": {"00:00", "Ferry Council - Special Meeting (Immediately following the RDA)"},
		"TBD":                           {"00:00", "Ferry Council - Special Meeting (TBD)"},
		"5:00 PM or later":              {"17:00", "Ferry Council - Special Meeting (5:00 PM or later)"},
	} {
		row := strings.Replace(small, `"6:30 PM"`, strconv.Quote(clock), 1)
		if !strings.Contains(row, strconv.Quote(clock)) {
			t.Fatal("the sample has another time")
		}
		s := openLegistar(t, func(string, url.Values) (int, string) { return 200, "[" + row + "]" })
		all, err := s.Meetings(t.Context(), legistarWindow())
		if err != nil || len(all) != 1 {
			t.Fatalf("%v %v", all, err)
		}
		if got := [2]string{all[0].Starts.Format("15:04"), all[0].Title}; got != want {
			t.Errorf("%q: %q", clock, got)
		}
	}
}
