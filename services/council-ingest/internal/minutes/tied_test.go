package minutes

import (
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
)

// If all labels come before their values and a value is missing, it is unknown which row is empty.
// In that case no position is published, unless a row counts its names.
func TestAmbiguousValuesAreWithheld(t *testing.T) {
	t.Parallel()
	const head = "Village Board\nMonday, February 9, 2026\n\nI. Call to Order\nAttendee Name Title Status Arrived\nCora " +
		"Quist Trustee Present\nEdith Yu Trustee Present\n" +
		"Agnes Finch Trustee Present\nII. Business\n1. 2026-41 Pays Bills\nRESULT:\nMOVER:\nSECONDER:\nAYES:\n"
	const values = "ADOPTED [2 TO 0]\nCora Quist\nEdith Yu\nCora Quist, Edith Yu\nAgnes Finch\nIII. Adjournment\n"
	for labels, withheld := range map[string]bool{"ABSTAIN:\n": false, "ABSTAIN:\nRECUSED:\n": true,
		"ABSTAIN (1):\nRECUSED:\n": false} {
		r := Parse(head+labels+values, Options{})
		if len(r.Items) != 1 || len(r.Items[0].Votes) != 1 {
			t.Fatalf("%q: the record has %d items", labels, len(r.Items))
		}
		v := r.Items[0].Votes[0]
		if got := len(v.Roll) == 0 && strings.Contains(codesOf(r), "roll-withheld"); got != withheld ||
			v.AyesCount != 2 {
			t.Errorf("%q: positions %v, %d ayes, anomalies %s", labels, v.Roll, v.AyesCount, codesOf(r))
		}
	}
}

func TestListDoesNotFillTheEmptyRowBelow(t *testing.T) {
	t.Parallel()
	r := Parse("Village Board\nMonday, February 9, 2026\n\nI. Call to Order\nAttendee Name Title Status Arrived\nCora "+
		"Quist Trustee Present\nEdith Yu Trustee Present\n"+
		"Agnes Finch Trustee Absent\nDean Okafor Trustee Absent\nII. Business\n1. 2026-41 Pays Bills\nRESULT:     ADOPTED "+
		"[2 TO 0]\nMOVER:      Cora Quist\nSECONDER:   Edith Yu\n"+
		"AYES:       Cora Quist, Edith Yu\nABSENT:     Agnes Finch,\n            Dean Okafor\nRECUSED:\nIII. Adjournment\n",
		Options{})
	if p := r.Items[0].Votes[0].Roll; p.Count(council.Absent) != 2 || p.Count(council.Recused) != 0 {
		t.Errorf("the positions are %v", p)
	}
}

// The seconder's name could go on with the line below, and "None" then stand for the ayes. The tally
// counts one aye.
func TestTallyContradictsNone(t *testing.T) {
	t.Parallel()
	r := Parse("Village Board\nMonday, February 9, 2026\n\nI. Call to Order\nAttendee Name Title Status Arrived\nCora "+
		"Quist Trustee Present\nEdith Yu Trustee Present\n"+
		"Agnes Finch Trustee Present\nII. Business\n1. 2026-41 Pays Bills\nRESULT:\nMOVER:\nSECONDER:\nAYES:\nNAYS:\nABSTAIN:\n"+
		"ADOPTED [1 TO 0] WITH 2 ABSTENTIONS\nTrustee Cora Quist\nTrustee Cora Quist\nQuist\nNone\nYu, Finch\nIII. Adjournment\n",
		Options{})
	want := council.NewRoll([]string{"Cora Quist"}, nil, []string{"Edith Yu", "Agnes Finch"})
	if got := r.Items[0].Votes[0].Roll; !slices.Equal(got, want) {
		t.Errorf("the positions are %v, want %v; anomalies %s", got, want, codesOf(r))
	}
}
