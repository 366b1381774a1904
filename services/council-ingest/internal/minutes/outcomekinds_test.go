package minutes

import "testing"

// Each text has one sentence of an outcome, in the words of clerks, and what is printed with certainty. The
// members are those of kindsHeads.
var outcomeKinds = map[string]struct{ text, want string }{
	"all in favor below its motion": {"MOTION: Vice Mayor Doe motioned to buy the pump, and Council Member Roe " +
		"seconded.\n\nVOTE: All in favor.",
		"adopted 0-0 unanimous Doe/Roe"},
	"upon vote": {"Upon vote, motion carried. Ayes – 4; Nays – 1 (Coe).", "adopted 4-1 nobody/nobody nay Coe"},
	"rows and an outcome on one line": {"AYES: Roe, Poe, Moe.  NAYS: Coe.  ABSENT: Doe.  MOTION CARRIED.",
		"adopted 3-1 nobody/nobody aye Roe, Poe, Moe nay Coe absent Doe"},
	"unanimous consent be granted": {"The ordinance was read by the City Clerk, whereupon Councilmember Roe " +
		"made a motion that unanimous " +
		"consent be granted, which motion was seconded by Councilmember Poe, and upon the roll being called, the " +
		"vote was as follows:\n" +
		"Ayes: Roe, Poe, Moe\nNays: None\nThe vote was then announced by the City Clerk, whereupon the Presiding " +
		"Officer declared the " +
		"motion adopted.", "adopted 3-0 unanimous Roe/Poe aye Roe, Poe, Moe"},
	"by unanimous vote, the board did": {"ACTION: On motion of Supervisor Doe, seconded by Supervisor Roe, and " +
		"by unanimous vote, the Board " +
		"sold the old truck.", "adopted 0-0 unanimous Doe/Roe"},
	"M/S/C with a tally": {"M/S/C Doe/Roe to sell the truck. 4-1, Coe no.", "adopted 4-1 Doe/Roe nay Coe"},
	"unanimously on a voice vote": {"Motion made by Councilmember Doe to lease the barn. Councilmember Roe " +
		"seconded. The motion passed " +
		"unanimously on a voice vote.", "adopted 0-0 unanimous Doe/Roe"},
	"a roll with offices behind its outcome": {"Motion made by Councilmember Doe to lease the barn. " +
		"Councilmember Roe seconded. The motion " +
		"passed on a roll call vote: Councilmember Doe - Aye; Councilmember Roe - Aye; Councilmember Poe - Nay; " +
		"and Mayor Moe - Aye.",
		"adopted 3-1 Doe/Roe aye Doe, Roe, Moe nay Poe"},
	"read and passed": {"Read third time in full. Passed.\nYeas 5. Nays 0.", "adopted 5-0 unanimous nobody/nobody"},
	"read and passed, with names": {"Read third time in full. Passed.\nYeas 3. Nays 2.\nThose voting yea: " +
		"Council Members Doe, Roe, and Poe.\n" +
		"Those voting nay: Council Members Moe and Coe.", "adopted 3-2 nobody/nobody aye Doe, Roe, Poe nay Moe, Coe"},
	"duly made and seconded": {"Upon motion duly made and seconded, the Board unanimously accepted the deed.",
		"adopted 0-0 unanimous nobody/nobody"},
	"a roll in parentheses behind its tally": {"The motion carried 5-0. (Deputy Mayor Roe – Aye; Commissioner " +
		"Poe – Aye; Commissioner Moe – " +
		"Aye; Commissioner Coe – Aye; Mayor Doe – Aye)", "adopted 5-0 unanimous nobody/nobody aye Roe, Poe, Moe, Coe, Doe"},
	"died":      {"Councilmember Doe moved to sell the barn. The motion died for lack of a second.", ""},
	"withdrawn": {"Councilmember Doe withdrew the motion.", ""},
	"initials": {"Moved by: A. Doe\nSeconded by: B. Roe\nThat the barn be sold.\nIn Favour (3)   A. Doe, B. " +
		"Roe, and C. Poe\n" +
		"Opposed (2)   D. Moe, and E. Coe\nMotion Carried (3 to 2)", "adopted 3-2 Doe/Roe aye Doe, Roe, Poe nay Moe, Coe"},
	"with one dissenting": {"The motion carried 4-1 with Commissioner Coe dissenting.", "adopted 4-1 " +
		"nobody/nobody nay Coe"},
	"résolu, puis adoptée": {"Il est proposé par la conseillère Doe, appuyé par le conseiller Roe et résolu à " +
		"l'unanimité des conseillers " +
		"présents de vendre la grange. ADOPTÉE À L'UNANIMITÉ", "adopted 0-0 unanimous Doe/Roe"},
	"a recorded vote behind carried": {"It was moved by Alderman Doe and seconded by Alderman Roe that the " +
		"barn be sold. CARRIED.\n" +
		"Recorded vote. YEAS: Mayor Coe, Aldermen Doe, Roe. NAYS: Aldermen Poe, Moe.", "adopted 3-2 Doe/Roe aye " +
		"Coe, Doe, Roe nay Poe, Moe"},
	"columns with a caption": {"ROLL CALL VOTE        YES   NO   ABSTAIN   ABSENT\nDoe                    " +
		"X\nRoe                          X\n" +
		"Poe                    X\nCoe                                         X\nMotion carried.",
		"adopted 2-1 nobody/nobody aye Doe, Poe nay Roe absent Coe"},
	"hyphens": {"Motion by Doe, seconded by Roe, to sell. Roll call: Doe-aye, Roe-aye, Poe-nay, Coe-aye. Motion passed.",
		"adopted 3-1 Doe/Roe aye Doe, Roe, Coe nay Poe"},
	"lists below their labels": {"The Mayor then directed that a vote be taken, and the result of the vote was " +
		"as follows:\n\nIn Favour:\n\n" +
		"Councillors Doe, Roe, Poe (3)\n\nAgainst:\n\nCouncillors Moe, Coe (2)\n\nThe Mayor declared the proposal " +
		"as carried.",
		"adopted 3-2 nobody/nobody aye Doe, Roe, Poe nay Moe, Coe"},
	"and resolved": {"Proposed by Councillor Doe;\nSeconded by Councillor Roe;\nAnd Resolved:\n“That the barn " +
		"be sold.”", "adopted 0-0 Doe/Roe"},
	"a name a line": {"ACTION. Motion by Councilmember Doe seconded by Councilmember Roe to approve Ordinance " +
		"2026-08. Motion carried by " +
		"roll call vote.\nDoe: Aye\nRoe: Aye\nPoe: Nay\nCoe: Aye", "adopted 3-1 Doe/Roe aye Doe, Roe, Coe nay Poe"},
	"voted with a tally": {"VOTED: 4-1 (Coe opposed) to sell the barn.", "adopted 4-1 nobody/nobody nay Coe"},
	"showing that one did": {"The motion passed 4 to 1, showing Council Member Coe voted 'Nay'.", "adopted " +
		"4-1 nobody/nobody nay Coe"},
	"voting in opposition": {"The motion passed 3 to 2, with Council Members Roe and Coe voting in opposition.",
		"adopted 3-2 nobody/nobody nay Roe, Coe"},
	"a tie that is broken": {"The vote was tied 2-2. Mayor Doe voted aye to break the tie. The motion carried.",
		"adopted 2-2 nobody/nobody"},
	"supported by": {"Moved by Doe, supported by Roe, to sell the barn.\nYeas: Doe, Roe, Poe\nNays: " +
		"Coe\nAbsent: None\nMOTION CARRIED", "adopted 3-1 Doe/Roe aye Doe, Roe, Poe nay Coe"},
	"rows in a sentence": {"Motion by Alderman Doe, second by Alderman Roe. Motion carried on roll call " +
		"with the following votes: Ayes: Doe, Roe, Poe; nays: Coe.", "adopted 3-1 Doe/Roe aye Doe, Roe, Poe nay Coe"},
	"which motion carried": {"Alderman Doe moved to grant the petition, which motion carried 5-0.", "adopted " +
		"5-0 unanimous Doe/nobody"},
	"a vote and abstention": {"VOTE: 4-0-1 (Coe abstained)", "other 4-0 nobody/nobody abstain Coe"},
	"a number and two members": {"R2026-063 A. Doe, B. Roe:\nThat we buy the gravel of Hill Quarry. Carried.",
		"adopted 0-0 Doe/Roe"},
	"a roll call alone": {"ROLL CALL: Ms. Doe, yes; Mr. Roe, yes; Mr. Poe, no; Mayor Coe, yes", "other 3-1 " +
		"nobody/nobody aye Doe, Roe, Coe nay Poe"},
	"RC": {"RC: Doe - yes; Roe - yes; Poe - no; Coe - abstain. Motion carried.", "adopted 2-1 " +
		"nobody/nobody aye Doe, Roe nay Poe abstain Coe"},
	"motion called": {"Motion made to sell the barn. Motion duly seconded. Motion called and passed with 3-abstentions.",
		"adopted 0-0 nobody/nobody"},
	"a board vote below its resolution": {"1) Barn sale – Resolution Passed\n   BOARD VOTE: 16 In Favor 15 " +
		"Opposed 6 Abstained 1 Recused",
		"adopted 16-15 nobody/nobody"},
	"abstentions with names": {"Vote: Passed, with 3 Board members in favor and 2 abstentions (D. Moe, E. Coe).",
		"adopted 3-0 nobody/nobody abstain Moe, Coe"},
	"those voting yes": {"Mr. Doe moved to sell the barn, seconded by Mr. Roe. Those voting yes: Ann Doe, Roe, " +
		"Poe and Moe. Those voting no: " +
		"Coe. The motion passed.", "adopted 4-1 Doe/Roe aye Doe, Roe, Poe, Moe nay Coe"},
	"it passed": {"Councilor Doe moved to accept the April accounts as submitted. Mayor Roe seconded. It " +
		"passed 4-0. Councilor Poe abstained.",
		"adopted 4-0 Doe/Roe abstain Poe"},
	"moved, in the end": {"Motion: Councilor Doe moved to close the hearing. Councilor Roe seconded. Moved 5-0.",
		"adopted 5-0 unanimous Doe/Roe"},
	"propuso y secundó": {"El regidor Doe propuso y la regidora Roe secundó vender el granero. Votos a favor: " +
		"Doe, Roe, Poe. Votos en contra: " +
		"Coe. Aprobado por mayoría.", "adopted 3-1 Doe/Roe aye Doe, Roe, Poe nay Coe"},
	"rows of offices and names": {"MOTION:   Councilmember Doe moved to sell the barn. The motion was seconded " +
		"by Councilmember Roe.\n\n" +
		"Councilmember Doe          Yes\nCouncilmember Roe          Yes\nCouncilmember Poe          " +
		"No\nCouncilmember Coe          Yes\n\n" +
		"The motion passed 3-1", "adopted 3-1 Doe/Roe aye Doe, Roe, Coe nay Poe"},
	"voting aye": {"Motion was made by Council Member Doe, seconded by Council Member Roe. Voting Aye: " +
		"Doe, Roe, Poe. Voting Nay: Coe. Motion carried 3-1.", "adopted 3-1 Doe/Roe aye Doe, Roe, Poe nay Coe"},
	"vote unanimous": {"MOTION by Doe, SECOND by Roe. VOTE: unanimous; motion carried.", "adopted 0-0 " +
		"unanimous Doe/Roe"},
}

func TestKindsOfOutcomes(t *testing.T) {
	t.Parallel()
	for name, c := range outcomeKinds {
		if got := fullNames.Replace(votesIn(kindsHeads["English"] + c.text + "\n\n2. Reports\n\nThe clerk " +
			"reported.\n")); got != c.want {
			t.Errorf("%s: %q\n got %q\nwant %q", name, c.text, got, c.want)
		}
	}
}
