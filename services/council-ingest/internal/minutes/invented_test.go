package minutes

import (
	"fmt"
	"strings"
	"testing"
)

// Each text has what looks like a vote and is none, or is one vote that is printed twice.
var notVotes = map[string]struct{ text, want string }{
	"a list of those present": {"LAKE COUNTY MEMBERS\nJan Hill, FHWA\nKim Vale\nyes\nLea Dune, UDOT\nMia Ford\nno\nNed Lane\nyes", ""},
	"a vote of the commission that advises": {"On May 3 the plan was heard. Planning Commissioners vote (6-0).",
		""},
	"an amendment that is a document": {"Al Hart is against the homes. The General Plan Amendment was approved with a park " +
		"on the corner. He asks for a smaller building.", ""},
	"no objections to an application": {"E/40554\nStorey Extension\nHill Farm\nR Doe\nNO OBJECTIONS", ""},
	"a vote of another day": {"Ordinance 12\nActions on Legislation:\nCouncil Action (June 10, 2026): Passed Ayes: 5 (Doe, Roe, Poe, " +
		"Moe, Coe);\nNays: 4 (Hill, Vale, Lane, Dune); 0\nMayor Veto (June 19, 2026)\nDoe moved and Roe seconded that it be " +
		"adopted. The motion received a roll call vote of Ayes: 3, Nays: 0.", "adopted 3-0 unanimous Doe/Roe"},
	"a tie in theory":         {"The attorney explained that the Mayor can vote on all matters or only in case of a tie.", ""},
	"an answer to a question": {"Doe: I move to begin at eight.\n\nRoe: Is this for the next meeting?\n\nPoe: Yes. Yes.", ""},
	"an election that the motion certifies": {"Doe moved to certify the returns of Question 2 and declare Proposition 2; " +
		"Alder School District failed. Roe seconded the motion. Those voting aye: Doe, Roe and Poe. The motion passed.",
		"adopted 3-0 unanimous Doe/Roe aye Doe, Roe, Poe"},
	"what a committee recommended": {"COMMITTEE RECOMMENDATION: On a motion by Councilor Doe, seconded by Councilor Roe, the " +
		"Ordinance Committee voted 3 in favor, 0 opposed, to recommend the appointment.", ""},
	"what a French committee decided": {"Le Conseil municipal est informé. \n\nLe comité syndical a approuvé la convention le 12 mars par 14 voix contre 2 et le syndicat des eaux est dans le projet.", ""},
	"a word of another language":      {"REFUSE\nThe Town collects refuse on Monday. Ms. Doe noted that the unanimous view is to keep it.", ""},
	"a foot within a roll": {"Doe moved to recess; Roe seconded; Passed 3, 0.\n\n6 March 2026" + strings.Repeat(" ", 40) +
		"Lake County Planning Commission Minutes" + strings.Repeat(" ", 40) + "Page 4 of 7\n\nAyes: Doe, Roe, Poe\nNays: 0\n06:54:00",
		"adopted 3-0 unanimous Doe/Roe aye Doe, Roe, Poe"},
	"the certification of a closed meeting": {"Motion (Doe/Roe) to convene. Approved 3-0. Certified by roll call: Doe aye, " +
		"Roe aye, Poe aye.", "adopted 3-0 unanimous Doe/Roe; adopted 3-0 unanimous nobody/nobody aye Doe, Roe, Poe"},
}

func TestNoVoteIsInvented(t *testing.T) {
	t.Parallel()
	for name, c := range notVotes {
		if got := votesIn(formsHead + c.text + "\n\n2. Reports\n\nThe clerk reported on the work of the town.\n"); got != c.want {
			t.Errorf("%s: %q\n got %q\nwant %q", name, c.text, got, c.want)
		}
	}
}

// The vote below the last item of a consent list is the list's, and so that item's, too.
func TestLastItemOfAConsentListHasItsVote(t *testing.T) {
	t.Parallel()
	r := Parse("LAKE CITY\nCITY COUNCIL\nMarch 3, 2026\n\nPresent: Jane Doe, Ann Roe, Eva Poe\n\nCONSENT AGENDA\n"+
		"26-0611      Approval of the Minutes of February 2\n             This item was Approved on the Consent Agenda.\n"+
		"26-0602      Resolution to close Elm Street\n             This Resolution was Adopted on the Consent Agenda.\n"+
		"26-0605      Award of the contract for leaves\n             This item was Approved on the Consent Agenda.\n\n"+
		"A motion was made by Council Member Doe, seconded by Council Member Roe, to approve the Consent Agenda.\n"+
		"The motion carried by the following vote:\n   Yea:      3 -  Doe, Roe and Poe\n\nPUBLIC HEARINGS\n"+
		"26-0577      Ordinance to rezone 14 Water Street\n"+
		"A motion was made by Council Member Poe, seconded by Council Member Roe, that this Ordinance be passed.\n"+
		"The motion carried by the following vote:\n   Yea:      2 -  Roe and Poe\n   Nay:      1 -  Doe\n", Options{})
	for _, it := range r.Items {
		if len(it.Votes) != 1 {
			t.Errorf("%s has %d votes", it.Title, len(it.Votes))
		}
	}
	if len(r.Items) != 4 {
		t.Errorf("%d items, want 4", len(r.Items))
	}
}

// A text without line breaks is read by sentences. Its resolutions print the tally at their head and decide at
// their end; a scanned zero is an "O".
func TestOneLineIsReadBySentences(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("Commune de Valmarais Procès-verbal du conseil municipal du 3 mars 2026. ")
	for n := range 9 {
		fmt.Fprintf(&b, "Délibération n° : D20260%d Objet de la délibération Travaux de la rue %d A l'unanimité Pour : 11 "+
			"Contre : O Abstentions : 0 Le maire présente %s. Après en avoir délibéré, le conseil municipal décide à l’unanimité "+
			"d'adopter les travaux proposés par le maire. ", n, n, strings.Repeat("les plans de la rue et des trottoirs ", 12))
	}
	r := Parse(b.String(), Options{})
	votes := 0
	for _, it := range r.Items {
		for _, v := range it.Votes {
			if votes++; v.AyesCount != 11 || v.NaysCount != 0 || !v.Unanimous || len(it.Votes) != 1 {
				t.Errorf("%s: %d-%d, want 11-0", it.Title, v.AyesCount, v.NaysCount)
			}
		}
	}
	if votes != 9 {
		t.Errorf("%d votes, want 9", votes)
	}
}

// What a committee recommends is the vote of its own minutes.
func TestRecommendationInTheMinutesOfItsCommittee(t *testing.T) {
	t.Parallel()
	text := "LAKE CITY\nORDINANCE COMMITTEE\nMarch 3, 2026\n\nPresent: Ann Doe, Bob Roe, Cal Poe\n\n1. Appointment\n\n" +
		notVotes["what a committee recommended"].text + "\n"
	if got, want := votesIn(text), "adopted 3-0 unanimous Ann Doe/Bob Roe"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
