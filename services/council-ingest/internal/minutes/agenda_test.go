package minutes

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// Votes that come back to an item are its votes. A numbered item behind a consent list is no part of it,
// but those below its number are. A vote under no item says its page.
func TestItemsOpenedAtHeadings(t *testing.T) {
	t.Parallel()
	r := Parse("LAKE CITY\nCITY COUNCIL\nMarch 3, 2026\n\nPresent: Jane Doe, Ann Roe, Eva Poe\n\fDoe moved to begin, "+
		"seconded by Roe. Carried 3-0.\n\nCOUNCIL BUSINESS\n\n7. Consent Agenda\n\nDoe moved to approve the consent agenda, "+
		"seconded by Roe. Carried 3-0.\n\n7.1 Minutes of February\n\nPoe moved to approve the minutes of February, "+
		"seconded by Roe. Carried 3-0.\n\n8. Pump Station\n\nDoe moved to buy a pump, seconded by Roe.\n\n9. Paving Contract\n\n"+
		"Roe moved to award the contract, seconded by Poe. Carried 3-0.\n\n10. Adjournment\n\nPoe moved to adjourn, seconded by "+
		"Doe. Carried 3-0.\n", Options{})
	var got []string
	for _, it := range r.Items {
		number := ""
		if it.ItemNumber != nil {
			number = *it.ItemNumber
		}
		got = append(got, fmt.Sprintf("%s %s: %d, consent %v", number, it.Title, len(it.Votes), it.IsConsent))
	}
	want := []string{" : 1, consent false", "7. Consent Agenda: 1, consent true",
		"7.1 Minutes of February: 1, consent true",
		"9. Paving Contract: 1, consent false", "10. Adjournment: 1, consent false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	for _, a := range r.Anomalies {
		if a.Code == "item-missing" && (a.Page == nil || *a.Page != 2) {
			t.Errorf("the vote under no item stands on page 2: %+v", a)
		}
	}
}

// A motion whose outcome is not printed does not take the outcome of a later item, which would then stand under the
// title of the motion.
func TestForgottenMotionTakesNoLaterVote(t *testing.T) {
	t.Parallel()
	r := Parse(formsHead+"Doe moved to rename the park, seconded by Roe.\n\n2. Elm Street\n\nMotion by Poe, second by Moe, to pave it. "+
		"Carried 4-1.\n\n3. Oak Street\n\nThe board spoke of the trees.\n\nMotion passed 5-0.\n", Options{})
	var got []string
	for _, it := range r.Items {
		for _, v := range it.Votes {
			got = append(got, fmt.Sprintf("%s %d-%d %s", it.Title, v.AyesCount, v.NaysCount, or(v.Mover)))
		}
	}
	if want := []string{"Elm Street 4-1 Poe", "Oak Street 5-0 nobody"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !slices.ContainsFunc(r.Anomalies, func(a record.Anomaly) bool { return a.Code == council.CodeResultMissing }) {
		t.Error("the motion without an outcome is not reported")
	}
}
