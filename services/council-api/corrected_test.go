package councilapi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-api/internal/review"
)

// A corrected vote says so wherever it is read: in the roll, in feeds and in tables. A page does not
// say that software alone read it, and anomalies that no longer hold are answered.
func TestCorrectedVotesSaySo(t *testing.T) {
	t.Parallel()
	w, reader, writer := storedWorld(t, 17, 40)
	var v *wVote
	for i := range w.votes {
		if len(w.votes[i].roll) > 1 && w.votes[i].roll[0].position == council.Aye {
			v = &w.votes[i]
			break
		}
	}
	const was, reason = "nay", "read from the wrong row"
	name, nay := w.name(v.roll[0].member), was
	aye := "aye"
	fix := []clerk.Correction{{Kind: clerk.Position, Meeting: v.item.meeting.id, VoteID: &v.id, Member: &name, Was: &nay,
		Becomes: &aye, Author: "Ann Clerk", Reason: reason, Document: "page 4"}}
	at := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	if err := clerk.AddCorrections(t.Context(), writer, fix, at, nil); err != nil {
		t.Fatal(err)
	}
	execSQL(t, writer, `DELETE FROM council.anomaly WHERE item_id = $1`, v.item.id)
	execSQL(t, writer, `
		INSERT INTO council.anomaly (id, iqm2_id, meeting_date, starts_at, body_id, ord, item_id, motion_seq, kind, code, message)
		OVERRIDING SYSTEM VALUE SELECT 900000 + n, m.iqm2_id, m.meeting_date, m.starts_at, m.body_id, 900 + n,
			$2, $3, 'inconsistency', code, 'as printed'
		FROM council.meeting m, unnest(ARRAY['tally-mismatch', 'layout-unclear']) WITH ORDINALITY AS c (code, n)
		WHERE m.iqm2_id = $1`, v.item.meeting.id, v.item.id, v.seq)
	execSQL(t, writer,
		`UPDATE council.vote v SET (ayes_count, nays_count) = (SELECT count(*) FILTER (WHERE position = 'aye'),
		count(*) FILTER (WHERE position = 'nay') FROM council.vote_position p WHERE p.vote_id = v.id) WHERE id = $1`, v.id)
	srv := testServer(t, reader)
	for _, path := range []string{"/votes/%d", "/embed/votes/%d"} {
		page := browse(t, srv, fmt.Sprintf(path, v.id)).Body.String()
		if !strings.Contains(page, name+"</a> <small>(corrected from Nay, November 27, 2026: "+reason+")</small>") ||
			strings.Contains(page, "Extracted by software") {
			t.Errorf("%s does not mark the correction:\n%s", path, page)
		}
	}
	if page := browse(t, srv, fmt.Sprintf("/meetings/%d", v.item.meeting.id)).Body.String(); !strings.Contains(page,
		"(corrected from Nay, November 27, 2026: "+reason+")") {
		t.Error("the meeting's page does not mark the correction")
	}
	line := name + ": nay → aye (Ann Clerk, 2026-11-27: " + reason + ")"
	api := documented(t, srv)
	for _, path := range []string{"/v1/search/votes.csv",
		fmt.Sprintf("/v1/feeds/members/%d/votes.atom", v.roll[0].member)} {
		if body := string(api.Get(t, path).Body); strings.Count(body, line) != 1 ||
			!strings.Contains(body, fmt.Sprintf("https://votes.example/votes/%d", v.id)) {
			t.Errorf("%s does not have %q once, with the address of the page", path, line)
		}
	}
	var proof review.VoteDetail
	api.Get(t, fmt.Sprintf("/v1/votes/%d", v.id)).JSON(t, &proof)
	states := map[string]clerk.State{}
	for _, a := range proof.Proof.Anomalies {
		var d review.AnomalyDetail
		api.Get(t, fmt.Sprintf("/v1/anomalies/%d", a.ID)).JSON(t, &d)
		states[a.Code] = d.State
	}
	if states["tally-mismatch"] != clerk.IsCorrected || states["layout-unclear"] != clerk.Open {
		t.Errorf("%v", states)
	}
}

// A search for a short verb finds the noun that English makes of it, but not other words that begin
// with the same letters, and not what it excludes.
func TestSearchFindsRelatedNouns(t *testing.T) {
	t.Parallel()
	w, reader, writer := storedWorld(t, 3, 12)
	title := func(i int, text string) {
		execSQL(t, writer, `UPDATE council.item SET title = $2, summary = NULL WHERE id = $1`, w.items[i].id, text)
	}
	title(0, "Rental Assistance Program")
	title(1, "Rentention basin")
	title(2, "Rent stabilization")
	title(3, "Shipment of ferry parts")
	api := documented(t, testServer(t, reader))
	for q, want := range map[string]int{"rent": 2, "RENTS": 2, "rental": 1, `"rent assistance"`: 1, "ship": 1,
		"rent -rental": 1, "stabilization -rent": 0} {
		var list struct{ Count int }
		var best struct{ Items []any }
		words := "?q=" + strings.ReplaceAll(strings.ReplaceAll(q, `"`, "%22"), " ", "+")
		api.Get(t, "/v1/items"+words).JSON(t, &list)
		api.Get(t, "/v1/search"+words).JSON(t, &best)
		if list.Count != want || len(best.Items) != want && want > 0 {
			t.Errorf("q=%s finds %d items, and %d among all texts, want %d", q, list.Count, len(best.Items), want)
		}
	}
}

// The number of votes in the minority opens exactly these votes, two members can be compared where
// they differ, and a search can be limited to a member.
func TestFiltersByMember(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedWorld(t, 23, 60)
	srv := testServer(t, reader)
	api := documented(t, srv)
	count := func(path string, args ...any) (n int) {
		t.Helper()
		var list struct{ Count int }
		api.Get(t, fmt.Sprintf(path, args...)+"limit=200").JSON(t, &list)
		return list.Count
	}
	for _, m := range w.members {
		var profile struct{ Dissents int }
		api.Get(t, fmt.Sprintf("/v1/members/%d", m.id)).JSON(t, &profile)
		if n := count("/v1/members/%d/votes?minority=true&", m.id); n != profile.Dissents {
			t.Errorf("member %d: %d votes in the minority, and dissents %d", m.id, n, profile.Dissents)
		}
		all, others := count("/v1/members/%d/votes?", m.id), count("/v1/members/%d/votes?minority=false&", m.id)
		if all != profile.Dissents+others || all != count("/v1/search/votes?member=%d&", m.id) {
			t.Errorf("member %d: %d votes, %d of them in the majority", m.id, all, others)
		}
		page := browse(t, srv, fmt.Sprintf("/members/%d", m.id)).Body.String()
		if !strings.Contains(page, fmt.Sprintf(`href="/members/%d?minority=true#votes"`, m.id)) {
			t.Errorf("the page of member %d has no link to the votes in the minority", m.id)
		}
	}
	one, other := w.members[0].id, w.members[1].id
	same := count("/v1/members/%d/agreement/%d?include_consent=true&differ=false&", one, other)
	differ := count("/v1/members/%d/agreement/%d?include_consent=true&differ=true&", one, other)
	if all := count("/v1/members/%d/agreement/%d?include_consent=true&", one, other); all != same+differ || differ == 0 {
		t.Errorf("%d common votes, %d the same, %d different", all, same, differ)
	}
}

// The page of an error has the menu and the search of the others.
func TestErrorPagesLeadOn(t *testing.T) {
	t.Parallel()
	reader, _ := testDB(t)
	srv := testServer(t, reader)
	for _, path := range []string{"/votes/999999999", "/nothing/here"} {
		res := browse(t, srv, path)
		page := res.Body.String()
		if res.Code != 404 || !strings.Contains(page, `href="/meetings"`) || !strings.Contains(page, `action="/search"`) ||
			!strings.Contains(page, `name="q"`) {
			t.Errorf("%s: %d %s", path, res.Code, page)
		}
	}
}
