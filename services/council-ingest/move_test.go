package councilingest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// event adds a made-up event at a local time. It has one item, on which three members vote with the
// given words.
func (p *tape) event(id int, starts time.Time, words ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	raw := json.RawMessage(
		fmt.Sprintf(
			`{"EventId": %d, "EventLastModifiedUtc": "2026-01-01T00:00:00", "EventBodyName": "City Council", "EventDate": "%sT00:00:00", "EventTime": "%s", "EventAgendaStatusName": "Final", "EventComment": "Regular Meeting",
		"EventInSiteURL": "https://town.example/MeetingDetail.aspx?LEGID=%d"}`, id, starts.Format(time.DateOnly),
			starts.Format("3:04 PM"), id))
	known := false
	for i, e := range p.events {
		if strings.Contains(string(e), fmt.Sprintf(`"EventId": %d,`, id)) {
			p.events[i], known = raw, true
		}
	}
	if !known {
		p.events = append(p.events, raw)
	}
	item := 100 * id
	p.answers[fmt.Sprintf("/events/%d/eventitems", id)] = json.RawMessage(fmt.Sprintf(`[
		{"EventItemId": %d, "EventItemMinutesSequence": 1, "EventItemTitle": "BUSINESS"},
		{"EventItemId": %d, "EventItemLastModifiedUtc": "%d", "EventItemMinutesSequence": 2, "EventItemAgendaNumber": "1.", "EventItemTitle": "An ordinance on ferries of %d", "EventItemMatterId": 9, "EventItemMatterFile": "26-%d",
		 "EventItemActionName": "Passed", "EventItemPassedFlag": 1, "EventItemPassedFlagName": "Pass", "EventItemMover": "Ada Moss", "EventItemSeconder": "Ben Reed"}]`, item, item+1, time.Now().UnixNano(), id, id))
	var rows []string
	for i, w := range words {
		rows = append(rows, fmt.Sprintf(`{"VotePersonId": %d, "VotePersonName": %q, "VoteValueName": %q, "VoteSort": %d}`,
			i+1, []string{"Ada Moss", "Ben Reed", "Cy Dunn"}[i], w, i))
	}
	p.answers[fmt.Sprintf("/eventitems/%d/votes", item+1)] = json.RawMessage("[" + strings.Join(rows, ",") + "]")
}

// A council moves to another portal, which also lists the last meetings of the old portal. Both
// lists form one stream: no id changes, nothing is duplicated, and a failure of the old portal
// removes nothing.
func TestMeetingsKeepTheirNumbersAfterAMove(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	at := func(days int) time.Time {
		d := now.AddDate(0, 0, days)
		return time.Date(d.Year(), d.Month(), d.Day(), 18, 0, 0, 0, time.UTC)
	}
	old := newPortal(t, &fakeMeeting{id: 10, board: "City Council", kind: "Regular Meeting", starts: at(-60)},
		&fakeMeeting{id: 11, board: "City Council", kind: "Regular Meeting", starts: at(-30)})
	next, db := newTape(t), pgtest.New(t)
	next.event(1, at(-30), "Aye", "Aye", "Nay") // was migrated to the new portal
	next.event(2, at(-2), "Aye", "Nay", "Excused")
	next.event(3, at(9))
	deps := testDeps(t, db)
	none := time.Duration(0)
	set := &Settings{Portals: []Portal{{URL: old.URL, Product: "iqm2", Pause: &none}}, TimeZone: "UTC"}
	if err := set.Validate(); err != nil {
		t.Fatal(err)
	}
	mustIngest(t, deps, set, Request{})
	set.Portals = append(set.Portals, Portal{URL: next.URL + "/v1/town", Product: "legistar", Name: "legistar/town",
		Pause: &none})
	for range 2 {
		if sum := mustIngest(t, deps, set, Request{}); sum.Failed != 0 {
			t.Errorf("%+v", sum)
		}
		want := "10 iqm2, 11 iqm2, 1000000001 legistar, 1000000002 legistar"
		if got := streamed(t, db); got != want {
			t.Errorf("stream %s\nwant   %s", got, want)
		}
	}
	// The old portal is shut down. Its meetings now belong to the new portal, and keep their ids.
	old.fail = func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "gone", http.StatusGone)
		return true
	}
	if _, err := Ingest(t.Context(), deps, set, Request{AllowPrivate: true}); err == nil ||
		!strings.Contains(err.Error(), "portals[0]") {
		t.Errorf("ingest with a removed portal: %v", err)
	}
	set.Portals = set.Portals[1:]
	mustIngest(t, deps, set, Request{All: true})
	want := "10 iqm2, 11 legistar, 1000000001 legistar, 1000000002 legistar"
	if got := streamed(t, db); got != want {
		t.Errorf("stream %s\nwant   %s", got, want)
	}
	mustBeProven(t, deps, set)
}

// streamed lists the meetings in order, each with the product of its portal.
func streamed(t *testing.T, db *pgxpool.Pool) string {
	t.Helper()
	return value[string](t, db, `SELECT string_agg(iqm2_id || ' ' || split_part(source, '/', 1), ', ' ORDER BY starts_at)
		FROM council.meeting`)
}

// A record with fewer votes than before is reported, but it is not published until a person accepts
// it. Errors never remove a record.
func TestAShrinkingRecordIsWithheld(t *testing.T) {
	t.Parallel()
	p, db := newTape(t), pgtest.New(t)
	day := time.Now().UTC().AddDate(0, 0, -2).Truncate(24 * time.Hour).Add(18 * time.Hour)
	p.event(1, day, "Aye", "Aye", "Nay")
	p.event(2, day.AddDate(0, 0, -7), "Aye", "Aye", "Nay")
	deps, set := testDeps(t, db), p.settings(t, "City Council", "UTC")
	mustIngest(t, deps, set, Request{})
	full := "2 meetings, 2 items, 2 rolls, 0 voice, aye 4 nay 2"
	if got := counted(t, db); got != full {
		t.Fatalf("after the first ingest: %s", got)
	}
	p.event(1, day, "Aye", "Aye") // the portal lost the nay
	sum := mustIngest(t, deps, set, Request{})
	if got := counted(t, db); got != full || sum.Changed != 1 || sum.Anomalies != 1 {
		t.Errorf("after the record shrank: %s, %+v", got, sum)
	}
	if code := value[string](t, db, `SELECT code FROM council.anomaly`); code != "record-shrank" {
		t.Errorf("%q", code)
	}
	if again := mustIngest(t, deps, set, Request{}); again.Changed != 0 {
		t.Errorf("the second ingest changed something: %+v", again)
	}
	mustBeProven(t, deps, set)
	// Errors and shorter lists never delete anything.
	p.mu.Lock()
	p.answers["/events/2/eventitems"] = json.RawMessage(`{"Message": "trouble"}`)
	p.mu.Unlock()
	if sum := mustIngest(t, deps, set, Request{}); sum.Failed != 1 || counted(t, db) != full {
		t.Errorf("after an invalid answer: %s, %+v", counted(t, db), sum)
	}
	p.mu.Lock()
	p.events = nil
	p.mu.Unlock()
	mustIngest(t, deps, set, Request{})
	if got := counted(t, db); got != full {
		t.Errorf("after an empty list: %s", got)
	}
	p.event(1, day, "Aye", "Aye")
	mustIngest(t, deps, set, Request{Accept: true})
	if got, want := counted(t, db), "2 meetings, 2 items, 2 rolls, 0 voice, aye 4 nay 1"; got != want {
		t.Errorf("after the record was accepted: %s", got)
	}
}

// For each mistake in the list of portals, the error names the key.
func TestPortalsOfSettings(t *testing.T) {
	t.Parallel()
	bad := &Settings{Portal: Portal{URL: "https://town.iqm2.com"}, Portals: []Portal{
		{URL: "https://town.iqm2.com", From: "2026-13-01", Product: "legistarr"},
		{From: "2026-02-01", To: "2026-01-01", VoteWords: map[string]string{"Perhaps": "maybe"}},
		{URL: "https://town.primegov.example", Documents: []string{"minutes", " "},
			Kinds: map[string]portal.DocumentKind{"Synopsis": "digest"}},
	}}
	err := bad.Validate()
	for _, key := range []string{"portals: give one", "portals[0].from", "portals[0].product", "portals[1].url",
		"portals[1].to", "portals[1].vote_words", "portals[2].documents[1]", "portals[2].kinds.Synopsis"} {
		if err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("the error does not mention %s:\n%v", key, err)
		}
	}
	good := &Settings{TimeZone: "UTC", Body: "City Council", Portals: []Portal{
		{URL: "https://town.iqm2.com"}, {URL: "https://town.legistar.com/Calendar.aspx", From: "2026-01-01",
			Body: "The Council"}}}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	all, err := good.Sources()
	if err != nil || all[0].Name != "iqm2/town" || !all[0].Plain || all[0].To.Format(time.DateOnly) != "2025-12-31" ||
		all[1].Name != "legistar/town" || all[1].Plain || all[1].Body != "The Council" || all[0].Body != "City Council" {
		t.Errorf("%+v, %v", all, err)
	}
}
