package merge

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// Programs of the previous version read and write rows without corrections as council.laid, while
// this version uses council.uncorrected. Each sees what the other has written. testdata/laid.json is
// a row of the previous version.
func TestRowsWithoutCorrectionsInBothForms(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/laid.json")
	if err != nil {
		t.Fatal(err)
	}
	want := uncorrectedRows{
		Items: []itemRow{
			{ID: 11, Ord: 1, Item: record.Item{LegifileID: new(int64(52)), FileNumber: council.Some("2026-1"),
				ItemNumber: council.Some("1."), Section: council.Some("Consent Calendar"), Title: "Sweeping", IsConsent: true,
				URL: council.Some("https://portal.example/52"), Page: new(3)}},
			{ID: 12, Ord: 2, Item: record.Item{Title: "Adjournment"}},
		},
		Votes: []council.StoredVote{
			{ID: 21, ItemID: 11, Ord: 1, ParseSource: council.SourcePDF, Origin: "minutes",
				Vote: council.Vote{MotionSeq: 1, MotionText: "to adopt", Result: council.Adopted, ResultRaw: "ADOPTED [2 TO 1]",
					AyesCount: 2, NaysCount: 1, ViaConsent: true, Mover: council.Some("Ann Archer"),
					Seconder: council.Some("Jane Doe"), Page: new(4),
					Roll: council.NewRoll([]string{"Jane Doe", "Ann Archer"}, []string{"Raymond Foe"})}},
			{ID: 22, ItemID: 12, Ord: 2, ParseSource: council.SourceHTML, Origin: "record",
				Vote: council.Vote{MotionSeq: 1, Result: council.Other, ResultRaw: "VOICE", Unanimous: true}},
		},
	}
	db := pgtest.New(t)
	read := func(meeting int64) (correction int64, rows uncorrectedRows) {
		t.Helper()
		if err := db.QueryRow(t.Context(), `SELECT correction_id, meeting_rows FROM council.uncorrected
			WHERE iqm2_id = $1`, meeting).Scan(&correction, &rows); err != nil {
			t.Fatal(err)
		}
		return correction, rows
	}
	for _, correction := range []int64{5, 6} { // inserted, then updated
		if _, err := db.Exec(t.Context(), `INSERT INTO council.laid VALUES (1, $1, $2) ON CONFLICT (iqm2_id)
			DO UPDATE SET correction_id = excluded.correction_id, reading = excluded.reading`, correction, text); err != nil {
			t.Fatal(err)
		}
		is, got := read(1)
		if diff := cmp.Diff(want, got); diff != "" || is != correction {
			t.Errorf("written by the previous version (-want +got)\n%s", diff)
		}
		// The order of a roll that changes between positions is kept.
		v := &got.Votes[0]
		v.Roll[0], v.Roll[2] = v.Roll[2], v.Roll[0]
		if _, err := db.Exec(t.Context(), `INSERT INTO council.uncorrected VALUES (2, $1, $2) ON CONFLICT (iqm2_id)
			DO UPDATE SET correction_id = excluded.correction_id, meeting_rows = excluded.meeting_rows`, correction,
			got); err != nil {
			t.Fatal(err)
		}
		if _, again := read(2); cmp.Diff(got, again) != "" {
			t.Errorf("read again: %s", cmp.Diff(got, again))
		}
		var laid string
		if err := db.QueryRow(t.Context(), `SELECT reading FROM council.laid WHERE iqm2_id = 2 AND correction_id = $1`,
			correction).Scan(&laid); err != nil {
			t.Fatal(err)
		}
		var before, after map[string]any
		if err := json.Unmarshal(text, &before); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(laid), &after); err != nil {
			t.Fatal(err)
		}
		rolls := before["Rolls"].([]any)
		rolls[0], rolls[2] = rolls[2], rolls[0]
		absent := cmpopts.IgnoreMapEntries(func(_ string, value any) bool { return value == nil || value == 0.0 })
		if diff := cmp.Diff(before, after, absent); diff != "" {
			t.Errorf("read by the previous version (-want +got)\n%s", diff)
		}
	}
}
