package minutes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
)

// inCapitals are minutes without a small letter.
const inCapitals = `TOWN OF ALDER
TOWN COUNCIL
TUESDAY, MARCH 3, 2026

PRESENT: MAYOR ANN DOE, COUNCIL MEMBERS BOB ROE, CY VAN POE, JEAN-LUC MOE AND EVE O'COE
ALSO PRESENT: CLERK DAN KOE

1. CALL TO ORDER
MAYOR DOE CALLED THE MEETING TO ORDER AT 6:00 P.M. COUNCIL MEMBER ROE THANKED THE STAFF FOR THE REPORT.

2. ELM STREET
COUNCIL MEMBER ROE FOUND MORE INFORMATION ON THE BIDS AND MEMBER VAN POE NOTED THE PRICE. MEMBER ROE REGARDING
THE SIGNS ASKED FOR A NEW PLAN. SAM KELLER OF OAK STREET OPPOSED IT.
MOTION BY ROE, SECONDED BY VAN POE TO PAVE ELM STREET. CARRIED 4-1.
AYES: DOE, ROE, VAN POE, MOE
NAYS: O'COE

3. PARK HOURS
MOE MOVED TO CLOSE THE PARK AT DUSK. SECONDED BY O'COE. THE MOTION FAILED BY THE FOLLOWING VOTE:
AYES: MOE, O'COE
NAYS: DOE, ROE, VAN POE

4. ADJOURNMENT
COUNCIL MEMBER ROE MOVED TO ADJOURN, SECONDED BY COUNCIL MEMBER MOE. MOTION CARRIED UNANIMOUSLY.
`

// In a text in capitals, the letters do not say where a name ends. What stands in no name's place is no part of one,
// and all texts are as printed.
func TestMinutesInCapitals(t *testing.T) {
	t.Parallel()
	rec := NewParser(Options{}).Parse(inCapitals)
	var got []string
	for _, a := range rec.Attendance {
		got = append(got, a.Name)
	}
	for _, it := range rec.Items {
		for _, v := range it.Votes {
			got = append(got, fmt.Sprintf("%s %d-%d %s/%s %v", v.Result, v.AyesCount, v.NaysCount, council.Text(v.Mover),
				council.Text(v.Seconder), v.Roll))
			if printed := it.Title + v.MotionText + v.ResultRaw; printed != strings.ToUpper(printed) {
				t.Errorf("not as printed: %s", printed)
			}
		}
	}
	want := []string{"ANN DOE", "BOB ROE", "CY VAN POE", "JEAN-LUC MOE", "EVE O'COE",
		"adopted 4-1 BOB ROE/CY VAN POE [{ANN DOE aye} {BOB ROE aye} {CY VAN POE aye} {JEAN-LUC MOE aye} {EVE O'COE nay}]",
		"failed 2-3 JEAN-LUC MOE/EVE O'COE [{JEAN-LUC MOE aye} {EVE O'COE aye} {ANN DOE nay} {BOB ROE nay} {CY VAN POE nay}]",
		"adopted 0-0 BOB ROE/JEAN-LUC MOE []"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}
