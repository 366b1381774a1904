package minutes

import (
	"fmt"
	"strings"
	"testing"
)

// lastNames are members by their last names only, fullRoster those with offices.
const (
	lastNames  = "Doe, Roe, Poe, Moe, Coe"
	fullRoster = "Mayor Ann Doe, Councilmembers Bob Roe, Cal Poe, Dan Moe, Eva Coe"
)

// Each text is a roll that a page, an office or a name makes unlike others.
var rollKinds = map[string]struct{ present, text, want string }{
	"unanimous, and two are absent": {lastNames, "The motion carried unanimously by the following vote:\nAYES: " +
		"Doe, Roe, Poe\nNOES: None\n" +
		"ABSENT: Moe, Coe", "3-0 unanimous aye Doe, Roe, Poe absent Moe, Coe"},
	"a ledger": {lastNames, "Roll call. Ayes—Doe, Roe,\nPoe—3. Nays—Moe, Coe—2. Carried.", "3-2 aye Doe, Roe, Poe nay Moe, Coe"},
	"an office at the end of a line": {fullRoster, "AYES (4): Mayor Doe, Councilmember Roe, Councilmember Poe, and Councilmember\n" +
		"Moe\nNOES (1): Councilmember Coe", "4-1 aye Ann Doe, Bob Roe, Cal Poe, Dan Moe nay Eva Coe"},
	"a disqualified member": {lastNames, "AYES: Doe, Roe, Poe\nNOES: Moe\nDISQUALIFIED: Coe", "3-1 aye Doe, " +
		"Roe, Poe nay Moe recused Coe"},
	"accents": {"Díaz, Muñoz, Doe, Beltrán, Coe", "AYES: Diaz, Munoz, Doe\nNOES: Beltran, Coe",
		"3-2 aye Díaz, Muñoz, Doe nay Beltrán, Coe"},
	"arrived late": {lastNames, "AYES: Doe, Roe, Poe\nNOES: None\nABSENT: Moe (arrived at 7:25 p.m.), Coe",
		"3-0 unanimous aye Doe, Roe, Poe absent Moe, Coe"},
	"a number":          {fullRoster, "AYES: 5\nNOES: 0", "5-0 unanimous"},
	"a number in words": {fullRoster, "AYES: Five (5)\nNOES: None", "5-0 unanimous"},
	"all": {fullRoster, "AYES: All\nNOES: None", "5-0 unanimous aye Ann Doe, Bob Roe, Cal " +
		"Poe, Dan Moe, Eva Coe"},
	"all members present": {fullRoster, "AYES: All Councilmembers present\nNOES: None",
		"5-0 unanimous aye Ann Doe, Bob Roe, Cal Poe, Dan Moe, Eva Coe"},
	"unanimous": {fullRoster, "AYES: Unanimous\nNOES: None", "5-0 unanimous aye Ann Doe, Bob " +
		"Roe, Cal Poe, Dan Moe, Eva Coe"},
	"and the chair": {lastNames, "AYES: Doe, Roe, and Chair Poe\nNOES: Moe and Coe", "3-2 aye Doe, " +
		"Roe, Poe nay Moe, Coe"},
	"a number before a dash": {lastNames, "AYES: 3 - Doe, Roe, Poe\nNOES: 2 - Moe, Coe", "3-2 aye Doe, Roe, " +
		"Poe nay Moe, Coe"},
	"a number in parentheses": {lastNames, "AYES: (3) Doe, Roe, Poe\nNOES: (2) Moe, Coe", "3-2 aye Doe, Roe, " +
		"Poe nay Moe, Coe"},
	"a page between its rows": {lastNames, "AYES: Doe, Roe, Poe\nPage 4 of 9\n\n\fCity Council " +
		"Minutes\nMarch 3, 2026\nNOES: Moe, Coe", "3-2 aye Doe, Roe, Poe nay Moe, Coe"},
	"a page within its row": {lastNames, "AYES: Doe, Roe,\nMarch 3, 2026 City Council Minutes            " +
		"Page 4 of 9\n\n\fPoe\nNOES: Moe, Coe", "3-2 aye Doe, Roe, Poe nay Moe, Coe"},
	"a name cut at a line": {"Doe, Roe, Poe, Moberly, Hart-Olsen", "AYES: Doe, Roe, Poe, " +
		"Hart-\nOlsen\nNOES: Mober-\nly", "4-1 aye Doe, Roe, Poe, Hart-Olsen nay Moberly"},
	"Jr. behind a comma": {"Doe, Roe, Lang, Jr., Moe, Coe", "AYES: Doe, Roe, Lang, Jr.\nNOES: Moe, Coe",
		"3-2 aye Doe, Roe, Lang, Jr. nay Moe, Coe"},
	"Jr. and III of full names": {"Mayor Ann Doe, Councilmembers Bob Roe III, Cal Poe, Peter Lang, Jr., Eva Coe",
		"AYES: Doe, Roe, Poe\nNOES: Lang, Jr., Coe", "3-2 aye Ann Doe, Bob Roe III, Cal Poe nay Peter Lang, Jr., Eva Coe"},
	"ligatures": {"Doe, Griffith, Roe, Wakefield, Coe", "AYES: Doe, Grif\ufb01th, Roe\nNOES: " +
		"Wake\ufb01eld, Coe", "3-2 aye Doe, Griffith, Roe nay Wakefield, Coe"},
	"not applicable": {fullRoster, "AYES: Doe, Roe, Poe\nNOES: N/A\nABSENT AT THE TIME OF THE VOTE: " +
		"Moe, Coe", "3-0 unanimous aye Ann Doe, Bob Roe, Cal Poe absent Dan Moe, Eva Coe"},
	"a long reason": {lastNames, "AYES: Doe, Roe, Poe\nNOES: Moe (who said the price was too high, " +
		"and that the offer, of Hill Quarry, was late), Coe", "3-2 aye Doe, Roe, Poe nay Moe, Coe"},
	"no one, and abstentions": {fullRoster, "AYES: Doe, Roe, Poe\nNOES: No one\nABSTENTIONS: Moe, Coe", "3-0 " +
		"aye Ann Doe, Bob Roe, Cal Poe abstain Dan Moe, Eva Coe"},
	"not voting and recused": {lastNames, "AYES: Doe, Roe, Poe\nNOES: None\nNOT VOTING: Moe\nRECUSED: Coe",
		"3-0 unanimous aye Doe, Roe, Poe absent Moe recused Coe"},
	"a reason and not voting": {fullRoster, "AYES: Doe, Roe, Poe\nNOES: Moe (price)\nNOT VOTING: Coe", "3-1 " +
		"aye Ann Doe, Bob Roe, Cal Poe nay Dan Moe absent Eva Coe"},
	"offices alone": {"Mayor Ann Doe, Vice Mayor Bob Roe, Cal Poe, Dan Moe, Eva Coe", "AYES: Poe, " +
		"Moe, Vice Mayor, Mayor\nNOES: Coe", "4-1 aye Cal Poe, Dan Moe, Bob Roe, Ann Doe nay Eva Coe"},
	"one of two of a name": {"Amy Doe, Mark Doe, Bob Roe, Cal Poe", "AYES: Doe, Roe\nNOES: Poe", "2-1 aye " +
		"Bob Roe nay Cal Poe"},
	"two of a name, initials": {"A. Doe, M. Doe, Roe, Peña, Coe", "AYES: A. Doe, Roe, Peña\nNOES: M. Doe, Coe",
		"3-2 aye A. Doe, Roe, Peña nay M. Doe, Coe"},
	"semicolons": {lastNames, "AYES: Doe; Roe; Poe\nNOES: Moe; Coe", "3-2 aye Doe, Roe, Poe nay " +
		"Moe, Coe"},
	"who was in the chair": {lastNames, "AYES: Doe, Roe, Poe  In the Chair: Mayor Pro Tem Coe\nNOES: Moe",
		"3-1 aye Doe, Roe, Poe nay Moe"},
	"particles": {"Doe, Roe, de la Rosa, van Houten, St. Cloud, O’Hara III, Poe", "AYES: Doe, " +
		"De La Rosa, Van Houten, St. Cloud, O'Hara III\nNOES: Roe, Poe", "5-2 aye Doe, de la Rosa, van Houten, " +
		"St. Cloud, O’Hara III nay Roe, Poe"},
	"offices before names": {"Mayor Ann Doe, Mayor Pro Tem Bob Roe, Councilmember Cal Poe, Councilwoman " +
		"Dan Moe, Alderwoman Eva Coe", "AYES: Councilmember Poe, Mayor Pro Tem Roe, Mayor Doe\nNOES: Councilwoman " +
		"Moe, Alderwoman Coe", "3-2 aye Cal Poe, Bob Roe, Ann Doe nay Dan Moe, Eva Coe"},
	"two columns": {lastNames, "AYES: Doe, Roe, Poe          ABSENT: None\nNOES: Moe, Coe        " +
		"       ABSTAIN: None", "3-2 aye Doe, Roe, Poe nay Moe, Coe"},
	"a watermark": {lastNames, "AYES: Doe, Roe, Poe\nDRAFT\nNOES: Moe, Coe", "3-2 aye Doe, Roe, " +
		"Poe nay Moe, Coe"},
	"a watermark in letters": {lastNames, "AYES: Doe, Roe, Poe\n                    D R A F T\nNOES: Moe, Coe",
		"3-2 aye Doe, Roe, Poe nay Moe, Coe"},
	"a zero with dashes": {fullRoster, "AYES: Doe, Roe, Poe\nNOES: -0-\nABSTAINED: Moe\nEXCUSED: Coe",
		"3-0 aye Ann Doe, Bob Roe, Cal Poe abstain Dan Moe absent Eva Coe"},
}

// votedIn writes the counts and positions of the votes of a text.
func votedIn(text string) string {
	var got []string
	for _, it := range Parse(text, Options{}).Items {
		for _, v := range it.Votes {
			got = append(got, countsOf(&v)+rollOf(&v))
		}
	}
	return strings.Join(got, "; ")
}

func rollMinutes(present, text string) string {
	return "REGULAR MEETING OF THE CITY COUNCIL\nMarch 3, 2026\n\nCALL TO ORDER\n\nRoll Call\nPresent: " + present +
		"\nAbsent: None\n\nNEW BUSINESS\n\n5.1. Barn sale\n\nA motion was made by Councilmember Doe and seconded " +
		"by Councilmember " +
		"Roe to sell the barn.\n\n" + text + "\n\n5.2. Update on the library\n\nThe director gave an " +
		"update.\n\nADJOURNMENT\n"
}

func TestKindsOfRollsOnPages(t *testing.T) {
	t.Parallel()
	for name, c := range rollKinds {
		text := c.text
		if !strings.HasPrefix(text, "The motion") {
			text = "The motion carried by the following vote:\n" + text
		}
		if got := votedIn(rollMinutes(c.present, text)); got != c.want {
			t.Errorf("%s: %q\n got %q\nwant %q", name, c.text, got, c.want)
		}
	}
}

// A vote on a voice vote has the one who is named.
func TestAVoiceVoteHasTheNamedOne(t *testing.T) {
	t.Parallel()
	got := votedIn(rollMinutes(lastNames, "The motion carried on a voice vote with Councilmember Coe voting no."))
	if want := "0-1 nay Coe"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What stands on each page is no part of the rolls that it interrupts: running heads, also those that page 1
// lacks, feet, watermarks, and numbers of lines.
func TestRollsOverPages(t *testing.T) {
	t.Parallel()
	const roll = "3-2 aye Ann Doe, Bob Roe, Cal Poe nay Dan Moe, Eva Coe"
	for name, c := range map[string]struct{ within, between, foot, head string }{
		"foot and head within a row": {within: "Poe", foot: "March 3, 2026 City Council Minutes               " +
			"Page %d of 5", head: "CITY OF ALDERBAY"},
		"foot and head between rows": {between: "y", foot: "March 3, 2026 City Council Minutes               Page " +
			"%d of 5", head: "CITY OF ALDERBAY"},
		"head of a date and a page": {between: "y", head: "City Council Minutes\nMarch 3, 2026\nPage %d"},
		"head of a page":            {between: "y", head: "Page %d"},
		"head in three parts":       {between: "y", head: "City of Alderbay          Minutes          Page %d"},
		"watermark":                 {between: "y", foot: "                         DRAFT", head: ""},
	} {
		var b strings.Builder
		b.WriteString("REGULAR MEETING OF THE CITY COUNCIL\nMarch 3, 2026\n\nRoll Call\nPresent: " +
			"" + fullRoster + "\nAbsent: None\n\nNEW BUSINESS\n\n")
		page := func(s string, n int) string {
			if strings.Contains(s, "%d") {
				return fmt.Sprintf(s, n)
			}
			return s
		}
		for i, title := range []string{"Roof contract", "Dog park", "Barn sale", "Bus shelter"} {
			turn := page(c.foot, i+1) + "\n\f" + page(c.head, i+2) + "\n"
			fmt.Fprintf(&b, "5.%d. %s\n\nA motion was made by Councilmember Doe and seconded by Councilmember Roe to "+
				"go on.\n\n"+
				"The motion carried by the following vote:\n", i+1, title)
			if c.within != "" {
				b.WriteString("AYES: Doe, Roe,\n" + turn + " Poe\nNOES: Moe, Coe\n\n")
			} else {
				b.WriteString("AYES: Doe, Roe, Poe\n" + turn + "NOES: Moe, Coe\n\n")
			}
		}
		want := strings.Join([]string{roll, roll, roll, roll}, "; ")
		if got := votedIn(b.String() + "ADJOURNMENT\n\nThe meeting adjourned.\n"); got != want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, want)
		}
	}
}

// Numbers of lines, a tie, a motion to reconsider, and a second body that meets within the meeting.
func TestSeveralRollsOfAMeeting(t *testing.T) {
	t.Parallel()
	tied := "SPECIAL MEETING OF THE CITY COUNCIL\nMarch 3, 2026\n\nCALL TO ORDER\n\nRoll Call\nPresent: Doe, " +
		"Roe, Poe, Moe, Coe, Loe, Zoe\n" +
		"Absent: None\n\n7.1. Request to rename the park\n\nA motion was made by Councilmember Poe and seconded " +
		"by Councilmember Roe to set\n" +
		"a hearing about the name of the park.\n\nThe motion failed due to a tied vote:\nAYES: Roe, Poe, " +
		"Coe\nNOES: Doe, Moe, Zoe\nABSENT: Loe\n\n" +
		"7.2. Request about the pier\n\nA motion was made by Councilmember Moe and seconded by Councilmember Coe " +
		"to\nhear the request about the pier.\n\n" +
		"The motion carried by the following vote:\nAYES: Doe, Roe, Poe, Moe, Coe, Zoe\nNOES: None\nABSENT: Loe\n"
	wantTied := "3-3 aye Roe, Poe, Coe nay Doe, Moe, Zoe absent Loe; 6-0 unanimous aye Doe, Roe, Poe, Moe, " +
		"Coe, Zoe absent Loe"
	var numbered strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(tied, "\n"), "\n") {
		fmt.Fprintf(&numbered, "%2d   %s\n", i+1, line)
	}
	motion := "A motion was made by Councilmember Poe and seconded by Councilmember Coe to sell the barn.\n\n" +
		"The motion carried by the following vote:\nAYES: Doe, Roe, Poe\nNOES: Moe, Coe\n\n"
	for name, c := range map[string]struct{ text, want string }{
		"a tie":            {tied, wantTied},
		"numbers of lines": {numbered.String(), wantTied},
		"reconsidered": {rollMinutes(lastNames, motion+"A motion was made by Councilmember Roe and seconded by "+
			"Councilmember Doe to reconsider the vote.\n\n"+
			"The motion to reconsider carried by the following vote:\nAYES: Doe, Roe, Moe, Coe\nNOES: Poe\n\nA "+
			"motion was made by Councilmember Roe "+
			"and seconded by Councilmember Doe to sell the barn to the guild.\n\nThe motion failed by the following "+
			"vote:\nAYES: Doe, Roe\nNOES: Moe, Coe, Poe"),
			"3-2 aye Doe, Roe, Poe nay Moe, Coe; 4-1 aye Doe, Roe, Moe, Coe nay Poe; 2-3 aye Doe, Roe nay Moe, Coe, Poe"},
		"two bodies": {rollMinutes(fullRoster, motion+"The council recessed and convened as the Housing Authority "+
			"at 11:40 p.m.\n\nHOUSING AUTHORITY\n\n"+
			"1. Budget of the authority\n\n"+motion+"The council reconvened at 12:10 a.m. on March 4, 2026.\n\n6. "+
			"Late item\n\n"+motion),
			strings.Repeat("; 3-2 aye Ann Doe, Bob Roe, Cal Poe nay Dan Moe, Eva Coe", 3)[2:]},
	} {
		if got := votedIn(c.text); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}
