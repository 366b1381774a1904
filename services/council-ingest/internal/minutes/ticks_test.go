package minutes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// A table of marks gives positions where it is understood and its tally agrees.
func TestTablesOfMarks(t *testing.T) {
	t.Parallel()
	want := record.Positions{Aye: []string{"Odile Brandt", "Jan van der Meer", "Suki Arano"}, Nay: []string{"Teodor Vance"}, Abstain: []string{},
		Absent: []string{"Pilar Ruiz-Santos", "Walter Finch Jr."}, Recused: []string{}}
	const result = "\n  RESULT:   ADOPTED [3 TO 1]\n  MOVER:    Odile Brandt, Mayor\n  SECONDER: Suki Arano, Councilmember\n\n"
	for name, text := range map[string]string{
		"columns": result + `
   Member               YES     NO      ABSENT
   Odile Brandt          X
   Teodor Vance                  X
   Jan van der Meer      X
   Suki Arano            X
   Pilar Ruiz-                            X
   Santos
   Walter Finch Jr.                       X
`,
		"boxes": result + `
   Member YEA NAY ABSTAIN ABSENT
   Brandt ☒ ☐ ☐ ☐
   Vance ☐ ☒ ☐ ☐
   van der Meer ☒ ☐ ☐ ☐
   Arano ☒ ☐ ☐ ☐
   Ruiz-Santos ☐ ☐ ☐ ☒
   Finch ☐ ☐ ☐ ☒
`,
		"with mover and seconder, before RESULT": `
   Council Member       Motion  Second  Aye     Nay     Absent
   Mayor Brandt          ✓               ✓
   Vice Mayor Vance                              ✓
   van der Meer                          ✓
   Arano                         ✓       ✓
   Ruiz-Santos                                   ` + "        ✓" + `
   Finch                                         ` + "        ✓" + `

   RESULT:   ADOPTED [3 TO 1]
`,
	} {
		r := Parse(tableHead+text+"\nIII. Adjournment\n", Options{})
		v := r.Items[0].Votes[0]
		if diff := cmp.Diff(want, v.Positions); diff != "" || v.Mover == nil || *v.Mover != "Odile Brandt" || v.Seconder == nil || *v.Seconder != "Suki Arano" || strings.Contains(codesOf(r), string(council.CodeLayoutUnclear)) {
			t.Errorf("%s (-want +got):\n%s%v", name, diff, r.Anomalies)
		}
	}
}

// What a table of marks does not prove is no position, and it is an anomaly.
func TestDoubtfulMarksAreNoPositions(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"another tally": `
   RESULT:   ADOPTED [4 TO 0]
   Member               YES     NO
   Odile Brandt          X
   Teodor Vance          X
   Jan van der Meer      X
   Suki Arano                    X
`,
		"no tally": `
   RESULT:   ADOPTED
   Member               YES     NO
   Odile Brandt          X
   Teodor Vance          X
`,
		"between two columns": `
   RESULT:   ADOPTED [2 TO 0]
   Member               YES     NO
   Odile Brandt          X
   Teodor Vance             X
`,
		"columns lost": `
   RESULT:   ADOPTED [1 TO 1]
   Member YES NO
   Odile Brandt X
   Teodor Vance X
`,
		"two marks": `
   RESULT:   ADOPTED [2 TO 1]
   Member               YES     NO    ABSENT
   Odile Brandt          X
   Teodor Vance          X       X
`,
		"a stranger": `
   RESULT:   ADOPTED [2 TO 0]
   Member               YES     NO
   Odile Brandt          X
   Lucian Thorne         X
`,
		"no mark": `
   RESULT:   ADOPTED [2 TO 0]
   Member               YES     NO
   Odile Brandt          X
   Suki Arano
   Teodor Vance          X
`,
	} {
		r := Parse(tableHead+text+"\nIII. Adjournment\n", Options{})
		p := r.Items[0].Votes[0].Positions
		if len(p.All()) > 0 || !strings.Contains(codesOf(r), string(council.CodeLayoutUnclear)) {
			t.Errorf("%s: %v, %s", name, p, codesOf(r))
		}
	}
	r := Parse(tableHead+"\n   Member               YES     NO\n   Odile Brandt          X\n   Teodor Vance          X\n\n   Motion carried.\n", Options{})
	if len(r.Items) > 0 || !strings.Contains(codesOf(r), string(council.CodeResultMissing)) {
		t.Errorf("without RESULT: %v, %s", r.Items, codesOf(r))
	}
}
