package minutes

import (
	"strings"
	"testing"
)

// Each roll has one thing that is not as usual. want has what is printed with certainty.
var rolls = map[string]struct{ text, want string }{
	"all": {"AYES: All\nNAYS: None",
		"5-0 unanimous aye Ann Doe, Bob Roe, Cal Poe, Dan Moe, Eva Coe"},
	"all present": {"AYES: All present\nNAYS: None",
		"5-0 unanimous aye Ann Doe, Bob Roe, Cal Poe, Dan Moe, Eva Coe"},
	"unanimous as a name": {"AYES: Unanimous\nNAYS: None",
		"5-0 unanimous aye Ann Doe, Bob Roe, Cal Poe, Dan Moe, Eva Coe"},
	"a count":          {"AYES: 5\nNAYS: 0", "5-0 unanimous"},
	"a count in words": {"AYES: Five\nNAYS: None", "5-0 unanimous"},
	"a count and names": {"AYES: (4) Doe, Roe, Poe, Moe\nNAYS: (1) Coe",
		"4-1 aye Ann Doe, Bob Roe, Cal Poe, Dan Moe nay Eva Coe"},
	"a zero": {"AYES: Doe, Roe, Poe, Moe, Coe\nNAYS: -0-",
		"5-0 unanimous aye Ann Doe, Bob Roe, Cal Poe, Dan Moe, Eva Coe"},
	"a long dash": {"AYES: Doe, Roe, Poe, Moe, Coe\nNAYS: —",
		"5-0 unanimous aye Ann Doe, Bob Roe, Cal Poe, Dan Moe, Eva Coe"},
	"not applicable": {"AYES: Doe, Roe, Poe, Moe, Coe\nNAYS: N/A",
		"5-0 unanimous aye Ann Doe, Bob Roe, Cal Poe, Dan Moe, Eva Coe"},
	"no one": {"AYES: Doe, Roe, Poe, Moe, Coe\nNAYS: No one",
		"5-0 unanimous aye Ann Doe, Bob Roe, Cal Poe, Dan Moe, Eva Coe"},
	"not voting": {"AYES: Doe, Roe, Poe, Moe\nNAYS: None\nNOT VOTING: Coe",
		"4-0 unanimous aye Ann Doe, Bob Roe, Cal Poe, Dan Moe absent Eva Coe"},
	"disqualified": {"AYES: Doe, Roe, Poe, Moe\nNAYS: None\nDISQ: Coe",
		"4-0 unanimous aye Ann Doe, Bob Roe, Cal Poe, Dan Moe recused Eva Coe"},
	"conflict": {"AYES: Doe, Roe, Poe, Moe\nNAYS: None\nCONFLICT: Coe",
		"4-0 unanimous aye Ann Doe, Bob Roe, Cal Poe, Dan Moe recused Eva Coe"},
	"absent at the vote": {"AYES: Doe, Roe, Poe, Moe\nNAYS: None\nABSENT AT THE TIME OF THE VOTE: Coe",
		"4-0 unanimous aye Ann Doe, Bob Roe, Cal Poe, Dan Moe absent Eva Coe"},
	"absent for the vote": {"AYES: Doe, Roe, Poe, Moe\nNAYS: None\nABSENT FOR VOTE: Coe",
		"4-0 unanimous aye Ann Doe, Bob Roe, Cal Poe, Dan Moe absent Eva Coe"},
	"present": {"AYES: Doe, Roe, Poe, Moe\nNAYS: None\nPRESENT: Coe",
		"4-0 aye Ann Doe, Bob Roe, Cal Poe, Dan Moe abstain Eva Coe"},
	"present, not voting": {"AYES: Doe, Roe, Poe, Moe\nNAYS: None\nPRESENT, NOT VOTING: Coe",
		"4-0 unanimous aye Ann Doe, Bob Roe, Cal Poe, Dan Moe absent Eva Coe"},
	"no colon": {"AYES Doe, Roe, Poe, Moe\nNAYS None\nABSTAIN Coe",
		"4-0 aye Ann Doe, Bob Roe, Cal Poe, Dan Moe abstain Eva Coe"},
	"semicolons": {"AYES: Doe; Roe; Poe; Moe\nNAYS: Coe",
		"4-1 aye Ann Doe, Bob Roe, Cal Poe, Dan Moe nay Eva Coe"},
	"offices": {"AYES: Mayor Doe, Councilmember Roe, Councilmember Poe\nNAYS: Councilmembers Moe " +
		"and Coe", "3-2 aye Ann Doe, Bob Roe, Cal Poe nay Dan Moe, Eva Coe"},
	"one name a line": {"AYES: Doe\n      Roe\n      Poe\nNAYS: Moe\n      Coe",
		"3-2 aye Ann Doe, Bob Roe, Cal Poe nay Dan Moe, Eva Coe"},
	"a line cut at a name": {"AYES: Doe, Roe, Poe,\nMoe and Coe\nNAYS: None",
		"5-0 unanimous aye Ann Doe, Bob Roe, Cal Poe, Dan Moe, Eva Coe"},
	"full names": {"AYES: Ann Doe, Bob Roe, Cal Poe\nNAYS: Dan Moe, Eva Coe",
		"3-2 aye Ann Doe, Bob Roe, Cal Poe nay Dan Moe, Eva Coe"},
	"capitals": {"AYES: DOE, ROE, POE\nNAYS: MOE, COE",
		"3-2 aye Ann Doe, Bob Roe, Cal Poe nay Dan Moe, Eva Coe"},
	"a reason": {"AYES: Doe, Roe, Poe, Moe\nNAYS: Coe (too costly)",
		"4-1 aye Ann Doe, Bob Roe, Cal Poe, Dan Moe nay Eva Coe"},
	"side by side": {"AYES: Doe, Roe, Poe      NAYS: Moe, Coe",
		"3-2 aye Ann Doe, Bob Roe, Cal Poe nay Dan Moe, Eva Coe"},
	"the absent first": {"ABSENT: Coe\nAYES: Doe, Roe, Poe\nNAYS: Moe",
		"3-1 aye Ann Doe, Bob Roe, Cal Poe nay Dan Moe absent Eva Coe"},
	"fewer names than the count": {"AYES: 5 - Doe, Roe, Poe, Moe\nNAYS: 0", "5-0 aye Ann Doe, Bob Roe, Cal Poe, Dan Moe"},
	"a month": {"AYES: Doe, Roe, Poe, Moe, Coe\nNAYS: None\nMarch",
		"5-0 unanimous aye Ann Doe, Bob Roe, Cal Poe, Dan Moe, Eva Coe"},
}

func TestRollsWithOneThingUnusual(t *testing.T) {
	t.Parallel()
	for name, c := range rolls {
		r := Parse("TOWN OF ALDERBAY\nTOWN COUNCIL\nMarch 3, 2026\n\nPresent: Mayor Ann Doe, Bob Roe, Cal Poe, Dan Moe, "+
			"Eva Coe\n\n"+
			"1. New Business\n\nMotion by Doe, second by Roe, to pave Elm Street.\n\n"+c.text+"\n\nMotion carried.\n\n"+
			"2. Reports\n\nThe clerk reported.\n", Options{})
		var got []string
		for _, it := range r.Items {
			for _, v := range it.Votes {
				got = append(got, countsOf(&v)+rollOf(&v))
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q\n got %q\nwant %q", name, c.text, strings.Join(got, "; "), c.want)
		}
	}
}
