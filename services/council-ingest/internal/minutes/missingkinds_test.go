package minutes

import (
	"strings"
	"testing"
)

// The second line of a roll that stands alike at the foot of two pages belongs to the roll, and is no footer.
func TestSecondLineOfARollAtTheFootOfPages(t *testing.T) {
	t.Parallel()
	item := func(number, title string) string {
		return number + " " + title + "\n\n" + strings.Repeat("The clerk read a letter about the item.\n", 12) +
			"\nA motion was made by Councilmember Doe and seconded by Councilmember Roe to approve it.\n\n" +
			"The motion carried by the following vote:\nAYES: Doe, Roe, Poe,\n      Moe, Coe\n"
	}
	text := "REGULAR MEETING OF THE CITY COUNCIL\nMarch 3, 2026\n\nRoll Call\nPresent: " +
		lastNames + "\nAbsent: None\n\n" +
		item("5.1.", "Roof contract") + "\f" + item("5.2.", "Dog park") + "\f6. ADJOURNMENT\nThe meeting ended.\n"
	const roll = "5-0 unanimous aye Doe, Roe, Poe, Moe, Coe"
	if got, want := votedIn(text), roll+"; "+roll; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The chair who stands in the head, and not in the row of those present, is one person, whom the rolls name.
func TestChairOfTheHead(t *testing.T) {
	t.Parallel()
	r := Parse("CITY COUNCIL\nMarch 3, 2026\n\nMayor Ann Doe called the meeting to order at 7:00 p.m.\n\nRoll Call\n"+
		"Present: Councilmembers Roe, Poe, Moe\nAbsent: Councilmember Coe\n\n5.1. Barn sale\n\nA motion was made by "+
		"Councilmember Roe and seconded by Councilmember Poe to sell the barn.\n\n"+
		"The motion carried by the following vote:\n"+
		"AYES: Doe, Roe, Poe\nNOES: Moe\nABSENT: Coe\n", Options{})
	var names []string
	for _, a := range r.Attendance {
		names = append(names, a.Name)
	}
	if got := strings.Join(names, ", "); got != "Roe, Poe, Moe, Coe, Ann Doe" {
		t.Errorf("attendance: %s", got)
	}
	if got, want := rollOf(&r.Items[0].Votes[0]), " aye Ann Doe, Roe, Poe nay Moe absent Coe"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
