package councilapi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/services/council-api/internal/review"
)

// addStatements stores corrections of a vote, of which one is withdrawn, and a review of an
// anomaly.
func addStatements(t *testing.T, db *pgxpool.Pool, w *world, v *wVote, n *wNote) {
	t.Helper()
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	name, failed := w.name(v.roll[0].member), "failed"
	title := "A Title as It Should Be"
	was, nay := string(v.roll[0].position), "nay"
	all := []clerk.Correction{
		{Kind: clerk.Position, Meeting: v.item.meeting.id, VoteID: &v.id, Member: &name, Was: &was, Becomes: &nay,
			AnomalyID: &n.id},
		{Kind: clerk.Result, Meeting: v.item.meeting.id, VoteID: &v.id, Becomes: &failed},
		{Kind: clerk.Title, Meeting: v.item.meeting.id, ItemID: &v.item.id, Was: &v.item.title, Becomes: &title},
	}
	for i := range all {
		all[i].Author, all[i].Reason = "Ann Clerk, City Clerk", "read from the wrong row"
		all[i].Document = "minutes, page 4"
	}
	if err := clerk.AddCorrections(t.Context(), db, all, now, nil); err != nil {
		t.Fatal(err)
	}
	withdraw(t, db, all[1].ID, "Bo Deputy", "the minutes were right", now.Add(time.Hour))
	reviewed(t, db, n.id, clerk.Accepted, "as approved", now)
	reviewed(t, db, n.id, clerk.Replied, "A clerical error;\nthe council voted 4 to 1.", now)
	reviewed(t, db, n.id, clerk.Rejected, "", now)
	reviewed(t, db, n.id, clerk.Undone, "the wrong one", now)
}

func withdraw(t *testing.T, db *pgxpool.Pool, which int64, author, reason string, now time.Time) {
	t.Helper()
	back, err := clerk.Withdrawal(t.Context(), db, which, author, reason)
	if err == nil {
		err = clerk.AddCorrections(t.Context(), db, []clerk.Correction{back}, now, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func reviewed(t *testing.T, db *pgxpool.Pool, anomaly int64, act clerk.Act, text string, now time.Time) {
	t.Helper()
	if _, err := clerk.AddReview(t.Context(), db, anomaly, act, text, "Ann Clerk, City Clerk", now, nil); err != nil {
		t.Fatal(err)
	}
}

// The state of an anomaly follows from its reviews. Anomaly and reviews remain when the anomaly
// changes or disappears.
func TestStatesOfAnAnomaly(t *testing.T) {
	t.Parallel()
	w, reader, writer := storedWorld(t, 17, 40)
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	id, vote := w.notes[0].id, w.votes[0].id
	raised := 0
	want := func(state clerk.State, reply string, acts int) review.AnomalyDetail {
		t.Helper()
		raised++
		api := documented(t, testServer(t, reader)) // a new server has no cached answers
		var a review.AnomalyDetail
		res := api.Get(t, fmt.Sprintf("/v1/anomalies/%d", id))
		res.JSON(t, &a)
		got := ""
		if a.Reply != nil {
			got = a.Reply.Text
		}
		if res.Status != 200 || a.State != state || got != reply || len(a.History) != acts || a.ID != id ||
			a.Links.Meeting == "" {
			t.Fatalf("step %d: %d %s", raised, res.Status, res.Body)
		}
		one := id
		found, err := clerk.Anomalies(t.Context(), writer, clerk.Filter{ID: &one, Limit: 1})
		if err != nil || len(found) != 1 || found[0].State != state {
			t.Fatalf("step %d: %+v, %v", raised, found, err)
		}
		return a
	}
	want(clerk.Open, "", 0)
	reviewed(t, writer, id, clerk.Replied, "We look into it.", now)
	want(clerk.Open, "We look into it.", 1)
	reviewed(t, writer, id, clerk.Accepted, "", now)
	reviewed(t, writer, id, clerk.Replied, "It is as printed.", now)
	want(clerk.IsAccepted, "It is as printed.", 3)
	reviewed(t, writer, id, clerk.Undone, "", now)
	want(clerk.IsAccepted, "We look into it.", 4)
	reviewed(t, writer, id, clerk.Undone, "", now)
	want(clerk.Open, "We look into it.", 5)
	reviewed(t, writer, id, clerk.Rejected, "", now)
	want(clerk.IsRejected, "We look into it.", 6)
	execSQL(t, writer, `UPDATE council.anomaly SET message = 'says something else' WHERE id = $1`, id)
	want(clerk.Reopened, "We look into it.", 6)
	result := "failed"
	fix := []clerk.Correction{{Kind: clerk.Result, Meeting: w.votes[0].item.meeting.id, VoteID: &vote, Becomes: &result,
		AnomalyID: &id, Author: "Ann", Reason: "so", Document: "page 1"}}
	if err := clerk.AddCorrections(t.Context(), writer, fix, now, nil); err != nil {
		t.Fatal(err)
	}
	if a := want(clerk.IsCorrected, "We look into it.", 6); len(a.Corrections) != 1 ||
		a.Corrections[0].State != "in_force" {
		t.Errorf("%+v", a.Corrections)
	}
	withdraw(t, writer, fix[0].ID, "Ann", "not so", now)
	if a := want(clerk.Reopened, "We look into it.", 6); len(a.Corrections) != 1 ||
		a.Corrections[0].State != "withdrawn" || a.Corrections[0].Withdrawn.Author != "Ann" {
		t.Errorf("%+v", a.Corrections)
	}
	execSQL(t, writer, `DELETE FROM council.anomaly WHERE id = $1`, id)
	want(clerk.Gone, "We look into it.", 6)
	// The acts can be undone one after another.
	reviewed(t, writer, id, clerk.Undone, "", now)
	want(clerk.Gone, "We look into it.", 7)
	reviewed(t, writer, id, clerk.Undone, "", now)
	want(clerk.Gone, "", 8)
	if _, err := clerk.AddReview(t.Context(), writer, id, clerk.Undone, "", "Ann", now, nil); err == nil {
		t.Error("an undo without acts has no error")
	}
}

// The clerk's reply is shown with the anomaly: on the pages of the meeting, the item and the vote.
func TestRepliesAreShownWithTheVote(t *testing.T) {
	t.Parallel()
	w, reader, writer := storedWorld(t, 17, 40)
	var note *wNote
	var vote int64
	for i := range w.notes {
		if n := &w.notes[i]; n.item != nil && n.motion > 0 && note == nil {
			err := writer.QueryRow(t.Context(), `SELECT id FROM council.vote WHERE item_id = $1
				AND motion_seq = $2`, n.item.id, n.motion).Scan(&vote)
			if err == nil {
				note = n
			}
		}
	}
	if note == nil {
		t.Fatal("no vote has an anomaly")
	}
	reviewed(t, writer, note.id, clerk.Replied, "A clerical <error>.", time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC))
	srv := testServer(t, reader)
	for path, times := range map[string]int{
		fmt.Sprintf("/votes/%d", vote):               1,
		fmt.Sprintf("/meetings/%d", note.meeting.id): 2, // once in the list of anomalies, once at the item
		fmt.Sprintf("/anomalies/%d", note.id):        2, // once as the answer, once in the history
	} {
		body := browse(t, srv, path).Body.String()
		if n := strings.Count(body, "A clerical &lt;error&gt;."); n != times ||
			!strings.Contains(body, "Ann Clerk, City Clerk") {
			t.Errorf("%s has the reply %d times, want %d", path, n, times)
		}
		if strings.Contains(body, "not reviewed yet") || !strings.Contains(body, "answered by the clerk") {
			t.Errorf("%s does not show the clerk's answer", path)
		}
	}
	var list review.ReviewedList
	documented(t, srv).Get(t, fmt.Sprintf("/v1/meetings/%d/reviews", note.meeting.id)).JSON(t, &list)
	if len(list.Data) != 1 || list.Data[0].AnomalyID != note.id || *list.Data[0].VoteID != vote ||
		list.Data[0].Reply.Text != "A clerical <error>." || list.Data[0].State != clerk.Open {
		t.Errorf("%+v", list)
	}
}
