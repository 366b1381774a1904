package minutes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

const spokenHead = "  RESULT:   ADOPTED [4 TO 1]\n  MOVER:    Odile Brandt, Mayor\n  SECONDER: Suki Arano, Councilmember\n"

// What every member said is read where the tally agrees, before RESULT and after.
func TestSpokenRolls(t *testing.T) {
	t.Parallel()
	want := record.Positions{Aye: []string{"Odile Brandt", "Jan van der Meer", "Suki Arano", "Pilar Ruiz-Santos"}, Nay: []string{"Teodor Vance"}, Abstain: []string{},
		Absent: []string{"Walter Finch Jr."}, Recused: []string{}}
	for name, roll := range map[string]string{
		"a list with dashes":      "  Brandt – aye, Vance – nay, van der Meer – aye, Arano – aye, Ruiz-Santos – aye, Finch – absent\n",
		"over a line's end":       "  Brandt - aye, Vance - nay, van der Meer -\n  aye, Arano - aye, Ruiz-Santos - aye, Finch - absent\n",
		"behind a label":          "  ROLL CALL: Brandt – aye, Vance – nay, van der Meer – aye, Arano – aye, Ruiz-Santos – aye, Finch – absent.\n",
		"behind a label of a row": "  AYES:     Brandt – aye, Vance – nay, van der Meer – aye, Arano – aye, Ruiz-Santos – aye, Finch – absent\n",
		"in brackets":             "  Brandt (aye), Vance (nay), van der Meer (aye), Arano (aye), Ruiz-Santos (aye), Finch (absent)\n",
		"with semicolons":         "  Brandt, aye; Vance, nay; van der Meer, aye; Arano, aye; Ruiz-Santos, aye; Finch, absent\n",
		"one a line":              "  Brandt: Aye\n  Vance: Nay\n  van der Meer: Aye\n  Arano: Aye\n  Ruiz-Santos: Aye\n  Finch: Absent\n",
		"one a line, with offices": "  Mayor Brandt                YES\n  Vice Mayor Vance            NO\n  Councilmember van der Meer  YES\n  Councilmember Arano         YES\n" +
			"  Councilmember Ruiz-Santos   YES\n  Councilmember Finch         ABSENT\n",
		"members as columns":                  "  Brandt   Vance   van der Meer   Arano   Ruiz-Santos   Finch\n  Aye      Nay     Aye            Aye     Aye           Absent\n",
		"members as columns that are lost":    "Brandt Vance van der Meer Arano Ruiz-Santos Finch\nAye Nay Aye Aye Aye Absent\n",
		"members as columns, with full names": "  Odile Brandt   Teodor Vance   Jan van der Meer   Suki Arano   Pilar Ruiz-Santos   Walter Finch Jr.\n  Yea   Nay   Yea   Yea   Yea   Absent\n",
	} {
		for where, text := range map[string]string{"after": spokenHead + roll, "below": spokenHead + "\n" + roll, "before": roll + "\n" + spokenHead} {
			r := Parse(tableHead+"\n"+text+"\nIII. Adjournment\n", Options{})
			if diff := cmp.Diff(want, r.Items[0].Votes[0].Positions); diff != "" || codesOf(r) != "" {
				t.Errorf("%s, %s RESULT (-want +got):\n%s%s", name, where, diff, codesOf(r))
			}
		}
	}
}

// What a roll does not prove is no position, and it is an anomaly.
func TestDoubtfulSpokenRollsAreNoPositions(t *testing.T) {
	t.Parallel()
	for name, roll := range map[string]string{
		"another tally":             "  Brandt – aye, Vance – aye, van der Meer – aye, Arano – aye, Ruiz-Santos – aye\n",
		"a stranger":                "  Brandt – aye, Thorne – nay, van der Meer – aye, Arano – aye, Ruiz-Santos – aye\n",
		"twice the same":            "  Brandt: Aye\n  Vance: Nay\n  Vance: Aye\n  Arano: Aye\n  Ruiz-Santos: Aye\n",
		"a column without position": "  Brandt   Vance   van der Meer   Arano   Ruiz-Santos\n  Aye      Nay     Aye            Aye\n",
		"marks under members":       "            Brandt   Vance   van der Meer   Arano   Ruiz-Santos\n  Aye        X                X              X       X\n  Nay                 X\n",
	} {
		r := Parse(tableHead+"\n"+spokenHead+roll+"\nIII. Adjournment\n", Options{})
		codes := codesOf(r)
		if p := r.Items[0].Votes[0].Positions; len(p.All()) > 0 || !strings.Contains(codes, string(council.CodeLayoutUnclear)) && !strings.Contains(codes, string(council.CodeNamesMissing)) {
			t.Errorf("%s: %v, %s", name, p, codes)
		}
	}
	// Somebody who is not known ends no unanimous roll early.
	r := Parse(tableHead+"\n"+strings.Replace(spokenHead, "4 TO 1", "UNANIMOUS", 1)+"  Brandt: Aye\n  Vance: Aye\n  Thorne: Nay\n\nIII. Adjournment\n", Options{})
	if p := r.Items[0].Votes[0].Positions; len(p.All()) > 0 || !strings.Contains(codesOf(r), string(council.CodeLayoutUnclear)) {
		t.Errorf("a stranger at the end: %v, %s", p, codesOf(r))
	}
	// Who is there is no vote.
	r = Parse(tableHead+"\nBrandt – present, Vance – absent, Arano – present\n\n"+oneRowALine+"\nIII. Adjournment\n", Options{})
	if strings.Contains(codesOf(r), string(council.CodeResultMissing)) || len(r.Items[0].Votes) != 1 {
		t.Errorf("a roll call of who is there: %s", codesOf(r))
	}
}
