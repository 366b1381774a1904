package minutes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
)

const explained = `City Council
May 5, 2026
I. Call to Order
PRESENT: Mayor Ann Lee, Councilor Bo Ray, Councilor Cy Dow
II. Business
1. Pays Bills
Councilor Ray moved to approve the bills.
RESULT: ADOPTED [2 TO 1]
MOVER: Bo Ray, Councilor
SECONDER: Cy Dow, Councilor
THUMBS UP: Ray,
Dow
NAYS: Lee
see www.t.example
The mayor thanked all.
see www.t.example
2) is no item
see www.t.example
`

// Each line has a kind. A town's own words can change it.
func TestExplain(t *testing.T) {
	t.Parallel()
	kinds := func(opt Options) string {
		var out []string
		for _, ln := range NewParser(opt).Explain(explained) {
			if ln.Why == "" {
				t.Errorf("line %d has no reason: %+v", ln.Line, ln)
			}
			out = append(out, strings.TrimSpace(fmt.Sprintf("%d %s %s", ln.Line, ln.Kind, ln.Row)))
		}
		return strings.Join(out, "\n")
	}
	want := "1 prose\n2 prose\n3 heading\n4 attendance\n5 heading\n6 item\n7 motion\n8 label result\n9 label mover\n10 " +
		"label seconder\n11 label unknown\n12 value unknown\n13 label nay\n" +
		"14 furniture\n15 prose\n16 furniture\n17 prose\n18 furniture"
	if diff := cmp.Diff(want, kinds(Options{})); diff != "" {
		t.Errorf("kinds of lines (-want +got):\n%s", diff)
	}
	own := Options{Dialect: lexicon.Words{Labels: map[string][]string{"aye": {"Thumbs Up"}}}}
	if diff := cmp.Diff(strings.ReplaceAll(want, "unknown", "aye"), kinds(own)); diff != "" {
		t.Errorf("kinds of lines with own words (-want +got):\n%s", diff)
	}
	if v := NewParser(own).Parse(explained).Items[0].Votes[0]; v.Roll.Count(council.Aye) != 2 {
		t.Errorf("%+v", v.Roll)
	}
}
