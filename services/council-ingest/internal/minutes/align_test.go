package minutes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A list is as long as it is: eight members or twenty, each on two lines of a narrow
// column with their office, and nobody against; a tally that miscounts moves nobody.
func TestAListLongerThanItsColumnIsWide(t *testing.T) {
	t.Parallel()
	given := strings.Fields("Odile Teodor Jan Suki Pilar Walter Ruth Bo Mei Ana Kwame Carla Sean Thomas Xenia Harold Leticia Ottilie Dara Ingmar")
	family := strings.Fields("Brandt Vance Meer Arano Ruiz Finch Ng Li Wu Pena Diaye Napoli Rios McKay Nunez Frost Vasquez Holm Okafor Lund")
	for _, members := range []int{8, 20} {
		given, family := given[:members], family[:members]
		var list, want []string
		for k := range given {
			list = append(list, "              Assemblymember "+given[k])
			comma := ","
			if k == len(given)-1 {
				comma = ""
			}
			list = append(list, "              "+family[k]+comma)
			want = append(want, given[k]+" "+family[k])
		}
		table := func(n int) string {
			return fmt.Sprintf("\n %d. Matter %d of the Day\n\n    MOTION:   Odile Brandt, Chair\n    SECOND:   Bo Li, Assemblymember\n    AYES:     %s\n    NAYS:     None\n    RESULT:   PASSED [%d-0]\n",
				n, n, strings.TrimLeft(strings.Join(list, "\n"), " "), members+1-n) // the second miscounts
		}
		r := Parse("Town of Ostrander\nTown Board\nMonday, February 9, 2026\n\nI. Call to Order\n\nII. New Business\n"+table(1)+table(2)+"\nIII. Adjournment\n", Options{})
		for _, it := range r.Items {
			if diff := cmp.Diff(want, it.Votes[0].Positions.Aye); diff != "" || len(it.Votes[0].Positions.Nay) > 0 {
				t.Errorf("%s: nays %v (-want +got):\n%s", it.Title, it.Votes[0].Positions.Nay, diff)
			}
		}
		if len(r.Items) != 2 {
			t.Errorf("%d items, %s", len(r.Items), codesOf(r))
		}
	}
}
