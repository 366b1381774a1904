package merge

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/townline/townline/pkg/council"
)

// Programs of the previous version read and write council.laid too. testdata/laid.json is such a
// row.
func TestArchivedRowsKeepTheirForm(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/laid.json")
	if err != nil {
		t.Fatal(err)
	}
	var stored archivedRows
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	want := rows{
		items: []itemRow{
			{ID: 11, Ord: 1, itemFields: itemFields{LegifileID: new(int64(52)), FileNumber: council.Some("2026-1"),
				ItemNumber: council.Some("1."), Section: council.Some("Consent Calendar"), Title: "Sweeping", IsConsent: true,
				URL: council.Some("https://portal.example/52"), Page: new(3)}},
			{ID: 12, Ord: 2, itemFields: itemFields{Title: "Adjournment"}},
		},
		votes: []voteRow{
			{ID: 21, ItemID: 11, Ord: 1, ParseSource: council.SourcePDF, Origin: "minutes",
				voteFields: voteFields{MotionSeq: 1, MotionText: "to adopt", Result: council.Adopted, ResultRaw: "ADOPTED [2 TO 1]",
					AyesCount: 2, NaysCount: 1, ViaConsent: true, Mover: council.Some("Ann Archer"),
					Seconder: council.Some("Jane Doe"), Page: new(4),
					Roll: council.NewRoll([]string{"Jane Doe", "Ann Archer"}, []string{"Raymond Foe"})}},
			{ID: 22, ItemID: 12, Ord: 2, ParseSource: council.SourceHTML, Origin: "record",
				voteFields: voteFields{MotionSeq: 1, Result: council.Other, ResultRaw: "VOICE", Unanimous: true}},
		},
	}
	got := rows{items: stored.Items, votes: stored.votes()}
	if diff := same(want, got); diff != "" {
		t.Errorf("the rows differ (-want +got)\n%s", diff)
	}
	written, err := json.Marshal(newArchivedRows(want))
	if err != nil {
		t.Fatal(err)
	}
	var before, after any
	if err := errors.Join(json.Unmarshal(text, &before), json.Unmarshal(written, &after)); err != nil {
		t.Fatal(err)
	}
	ignoreNull := cmpopts.IgnoreMapEntries(func(_ string, value any) bool { return value == nil })
	if diff := cmp.Diff(before, after, ignoreNull); diff != "" {
		t.Errorf("the JSON differs (-stored +written)\n%s\n%s", diff, written)
	}
}
