package councilingest

import (
	"strings"
	"testing"
)

// The least certain votes come first, with reasons. Votes without anomalies are omitted.
func TestLeastSure(t *testing.T) {
	t.Parallel()
	_, deps, set := empty(t)
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
		item("1.", "2026-101", "Awards the Contract for Street Sweeping", unanimous),
		item("2.", "2026-102", "Sets the Fees of the Harbor", block("ADOPTED", "Ann Archer", "Ben Baker",
			"AYES:         Archer, Baker, De Witt, O'Dell")),
		item("3.", "2026-103", "Buys a Pump", block("ADOPTED [4 TO 0]", "Ann Archer", "Ben Baker", "AYES:         Archer, "+
			"Baker, De Witt", "NAYS:         Zimmermann"))))
	doubts, err := LeastSure(t.Context(), deps, 10)
	if err != nil || len(doubts) != 2 {
		t.Fatalf("%+v, %v", doubts, err)
	}
	first, second := doubts[0], doubts[1]
	if first.Title != "Buys a Pump" || first.Meeting != 7 || first.Date != "2026-03-10" || first.MotionSeq != 1 ||
		first.Weight <= second.Weight {
		t.Errorf("the first vote is %+v", first)
	}
	if why := strings.Join(first.Why, "\n"); !strings.HasPrefix(why, "tally-mismatch: ") ||
		!strings.Contains(why, "member-unknown: ") {
		t.Errorf("the reasons are %s", why)
	}
	if second.Title != "Sets the Fees of the Harbor" || len(second.Why) != 1 ||
		!strings.HasPrefix(second.Why[0], "tally-missing: ") {
		t.Errorf("the second vote is %+v", second)
	}
	if one, err := LeastSure(t.Context(), deps, 1); err != nil || len(one) != 1 || one[0].Title != first.Title {
		t.Errorf("LeastSure with limit 1 = %+v, %v", one, err)
	}
}
