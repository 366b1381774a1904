package minutes

import (
	"fmt"
	"strings"
	"testing"
)

// Each text is a vote as clerks print it. The names are others. want has the result, the counts,
// the mover and seconder, and the positions that are printed.
var forms = map[string]struct{ text, want string }{
	"Spanish defeat": {"Propuesto por el regidor Doe y secundado por la regidora Roe, enmendar el acta. Derrotada la " +
		"enmienda.",
		"failed 0-0 Doe/Roe"},
	"motion by, tally":       {"Motion by Doe, second by Roe, to approve the plat. Carried 4-1.", "adopted 4-1 Doe/Roe"},
	"moved, seconded, voice": {"Trustee Doe moved to pay the bills. Trustee Roe seconded. Motion carried by voice vote.", "adopted 0-0 Doe/Roe"},
	"all ayes":               {"Motion by Doe, seconded by Poe, to recess. All ayes, motion carried.", "adopted 0-0 unanimous Doe/Poe"},
	"on motion of": {"On motion of Commissioner Doe, seconded by Commissioner Roe, it was resolved to adopt the budget. Motion carried unanimously.",
		"adopted 0-0 unanimous Doe/Roe"},
	"made by":        {"A motion to adopt the budget was made by Doe and seconded by Moe. All were in favor. Motion passes.", "adopted 0-0 unanimous Doe/Moe"},
	"roll in a line": {"Motion by Doe, second by Roe to hire. Roll call: Doe, aye; Roe, aye; Poe, nay; Moe, aye; Coe, absent. Motion carried.", "adopted 3-1 Doe/Roe aye Doe, Roe, Moe nay Poe absent Coe"},
	"dash roll":      {"Moved by Roe, seconded by Poe to hire. Doe – yes, Roe – yes, Poe – yes, Moe – no. Motion carried 3-1.", "adopted 3-1 Roe/Poe aye Doe, Roe, Poe nay Moe"},
	"rows below":     {"Moe moved to pave Elm Street, seconded by Coe. Motion carried by the following vote:\n\nAYES: Doe, Roe, Moe\nNAYS: Poe\nABSTAIN: Coe", "adopted 3-1 Moe/Coe aye Doe, Roe, Moe nay Poe abstain Coe"},
	"rows above":     {"Moved by Moe, supported by Coe, to pave Elm Street.\nYeas: Doe, Roe, Moe, Coe\nNays: None\nAbsent: Poe\nMotion carried.", "adopted 4-0 unanimous Moe/Coe aye Doe, Roe, Moe, Coe absent Poe"},
	"counts":         {"Councilmember Doe moved to adopt. Councilmember Roe seconded.\nVote: 5 ayes, 0 nays. Motion carried.", "adopted 5-0 unanimous Doe/Roe"},
	"those voting":   {"Doe moved to adopt, Roe seconded. Those voting yes: Doe, Roe and Coe. Those voting no: Moe and Poe. The motion passed.", "adopted 3-2 Doe/Roe aye Doe, Roe, Coe nay Moe, Poe"},
	"voting no":      {"Moved by Doe, seconded by Roe, to table. Carried with Poe voting no.", "tabled 0-1 Doe/Roe nay Poe"},
	"dissenting":     {"Motion by Doe, second by Roe to rezone the lot. Motion carried 4-1, Moe dissenting.", "adopted 4-1 Doe/Roe nay Moe"},
	"abstained":      {"Doe moved and Roe seconded to pay the claim. Motion carried 4-0 with Coe abstaining.", "adopted 4-0 Doe/Roe abstain Coe"},
	"opposed in parentheses": {"Moved by Doe, seconded by Poe that the report be received. Carried (Roe opposed).",
		"adopted 0-1 Doe/Poe nay Roe"},
	"Canada":         {"Moved by Councillor Doe\nSeconded by Councillor Roe\nThat By-law 12-2024 be read a third time.\n\nCARRIED", "adopted 0-0 Doe/Roe"},
	"Canada lost":    {"Moved by Councillor Doe\nSeconded by Councillor Roe\nThat the road be closed.\n\nLOST", "failed 0-0 Doe/Roe"},
	"Canada counts":  {"Moved by: Councillor Doe\nSeconded by: Councillor Roe\n\nThat the road be closed.\n\nYes (3): Doe, Roe, and Poe\nNo (2): Moe, and Coe\n\nCarried (3 to 2)", "adopted 3-2 Doe/Roe aye Doe, Roe, Poe nay Moe, Coe"},
	"United Kingdom": {"Proposed by Cllr Doe, seconded by Cllr Roe and RESOLVED to accept the quote.", "adopted 0-0 Doe/Roe"},
	"agreed":         {"It was proposed by Cllr Doe, seconded by Cllr Roe and unanimously agreed to accept the quote.", "adopted 0-0 unanimous Doe/Roe"},
	"tie":            {"Doe moved to buy the truck, second by Roe. The vote was a tie, 2-2. Motion failed.", "failed 2-2 Doe/Roe"},
	"failed roll":    {"Motion by Roe, second by Coe, to demolish. AYES: Roe, Coe. NOES: Doe, Poe, Moe. MOTION FAILED.", "failed 2-3 Roe/Coe aye Roe, Coe nay Doe, Poe, Moe"},
	"columns": {"Motion by Doe, second by Roe to adopt the fee.\n\nMEMBER      AYE    NAY    ABSENT\nDoe          X\nRoe          X\nPoe                 X\nMoe          X\nCoe                        X\n\nMotion carried.",
		"adopted 3-1 Doe/Roe aye Doe, Roe, Moe nay Poe absent Coe"},
	"name and vote in rows": {"Moved by Doe, seconded by Roe to adopt.\nDoe        Yes\nRoe        Yes\nPoe        No\nThe motion carried.", "adopted 2-1 Doe/Roe aye Doe, Roe nay Poe"},
	"M/S/C":                 {"M/S/C (Doe/Roe) to approve the minutes as presented.", "adopted 0-0 Doe/Roe"},
	"French":                {"Il est proposé par le conseiller Doe, appuyé par la conseillère Roe, d'adopter le budget. ADOPTÉE À L'UNANIMITÉ", "adopted 0-0 unanimous Doe/Roe"},
	"Spanish":               {"Propuesto por el regidor Doe y secundado por la regidora Roe. Aprobada por unanimidad.", "adopted 0-0 unanimous Doe/Roe"},
	"postponed":             {"Motion by Doe, second by Roe, to postpone the hearing to May 5. Motion carried 5-0.", "continued 5-0 unanimous Doe/Roe"},
	"denied":                {"Motion by Doe, seconded by Roe, to deny the variance. Motion passed 3-2.", "adopted 3-2 Doe/Roe"},
	"no second":             {"Moe moved to rename the park. The motion died for lack of a second.", ""},
	"withdrawn":             {"Moe moved to rename the park, seconded by Coe. Moe withdrew the motion.", ""},
	"no support":            {"Moe moved to buy a mower. Motion failed for lack of support.", ""},
	"moved, supported":      {"Doe moved, Roe supported, to table the bids. Motion carried.", "tabled 0-0 Doe/Roe"},
	"names without marks":   {"Moved by Doe, seconded by Roe to hire. Voting: Doe yes; Roe yes; Poe no; Moe abstain; Coe yes. Motion carried.", "adopted 3-1 Doe/Roe aye Doe, Roe, Coe nay Poe abstain Moe"},
	"slash tally":           {"Moved: Cr Doe         Seconded: Cr Roe\nThat the road be closed.\n\nCARRIED 5/0", "adopted 5-0 unanimous Doe/Roe"},
	"slash tally lost":      {"Moved: Cr Doe         Seconded: Cr Roe\n\nThat the motion be put.\n\nLOST 2/3", "failed 2-3 Doe/Roe"},
	"slash between":         {"Moved Cr Doe / Seconded Cr Roe\nTHAT the minutes be confirmed.\nCARRIED", "adopted 0-0 Doe/Roe"},
	"names in brackets":     {"RESOLVED                          (Cr Doe/Cr Roe)\nThat the apology be accepted.\nCARRIED", "adopted 0-0 Doe/Roe"},
	"division side by side": {"Moved (Cr Doe/Cr Roe)\nThat Council adopts Option 2.\nVoting was as follows:\nFor            Against\nCr Doe         Cr Moe\nCr Roe         Cr Coe\nCr Poe\nThe motion was declared CARRIED by 3 votes to 2.", "adopted 3-2 Doe/Roe aye Doe, Roe, Poe nay Moe, Coe"},
	"number of a resolution": {"24-04-053  Levée de la séance\nSur proposition de Mme Doe, il est résolu à l'unanimité de lever la séance.",
		"adopted 0-0 unanimous Doe/nobody"},
	"a number before the outcome": {"MOVED: CR DOE       SECONDED: CR ROE\nThat the minutes be confirmed.\nRES 114/24          CARRIED 3/2\nFor: Cr Doe, Cr Roe, Cr Poe\nAgainst: Cr Moe, Cr Coe", "adopted 3-2 Doe/Roe aye Doe, Roe, Poe nay Moe, Coe"},
	"a row without a full stop above": {"Motion to approve by Supervisor Bob Roe, seconded by Supervisor Cal Poe Ayes: Ann Doe, Bob Roe, Cal Poe, Dan Moe Absent: Eva Coe",
		"adopted 4-0 unanimous Bob Roe/Cal Poe aye Ann Doe, Bob Roe, Cal Poe, Dan Moe absent Eva Coe"},
	"a name on the line above":        {"The clerk read a letter of Ms. Zulich\nDoe moved and Roe seconded to adopt the plan. Motion carried 5-0.", "adopted 5-0 unanimous Doe/Roe"},
	"a pair before the outcome":       {"The plan was shown. Doe/Roe Unanimous", "adopted 0-0 unanimous Doe/Roe"},
	"all approve":                     {"Ms. Doe makes a motion to recess, Mr. Roe seconds the motion, all approve via roll call.", "adopted 0-0 unanimous Doe/Roe"},
	"a row that nobody filled in":     {"Doe moved, and Roe seconded, to recess.\nAyes: Doe, Roe, Poe – Three (3)\nNoes:\nAbstained:\nMotion passed 3/0", "adopted 3-0 unanimous Doe/Roe aye Doe, Roe, Poe"},
	"the resolution above its defeat": {"Introduced by Doe, seconded by Roe.\nRESOLVED that Local Law C be adopted.\nRoll call: Doe – aye, Roe – aye, Poe – nay, Moe – nay. Ayes 2 Nays 2. Motion defeated.", "failed 2-2 Doe/Roe aye Doe, Roe nay Poe, Moe"},
	"Spanish rows of names": {"Sometida a votación la moción.\nVotan a favor: D. Cal Poe y Dª. Eva Coe.\nVotan en contra: Dª. Ann Doe y D. Bob Roe.\nSe abstiene: D. Dan Moe.\nEn consecuencia, queda rechazada la moción.",
		"failed 2-2 nobody/nobody aye Cal Poe, Eva Coe nay Ann Doe, Bob Roe abstain Dan Moe"},
	"Spanish tally":               {"Sometida a votación la propuesta, se aprueba por tres votos a favor y dos en contra.", "adopted 3-2 nobody/nobody"},
	"Spanish assent":              {"Sometida a votación, se aprueba por unanimidad de los asistentes.", "adopted 0-0 unanimous nobody/nobody"},
	"no objection":                {"Cllr Doe proposed no objection, seconded by Cllr Roe and agreed by all.", "adopted 0-0 unanimous Doe/Roe"},
	"voters in a sentence":        {"A motion was made by Doe and seconded by Roe to ratify the contract. Ms. Doe, Mr. Roe and Mr. Poe voted in favor; Mr. Moe was opposed. Motion carried.", "adopted 3-1 Doe/Roe aye Doe, Roe, Poe nay Moe"},
	"the following voted against": {"Roe introduced the resolution and moved its adoption. The motion was duly seconded by Poe and upon vote being taken thereon, the following voted in favor thereof: Doe, Roe and Poe\nand the following voted against the same: Moe\nwhereupon said resolution was declared duly passed and adopted.", "adopted 3-1 Roe/Poe aye Doe, Roe, Poe nay Moe"},
	"slashed letters":             {"M/Doe S/Roe to adjourn at 7:15 p.m. MC, all ayes.", "adopted 0-0 unanimous Doe/Roe"},
	"a tally behind the answers":  {"M/S Doe/Roe to approve the bills. Roll call vote: Doe-yes, Roe-yes, Poe-yes. 3 ayes, 0 nays. Motion carried.", "adopted 3-0 unanimous Doe/Roe aye Doe, Roe, Poe"},
	"all with an exception":       {"Motion by Doe, second by Roe to adopt Ordinance 611. All members voted yea, with the exception of Poe, who voted nay. Motion carried 4-1.", "adopted 4-1 Doe/Roe nay Poe"},
	"unanimous in short":          {"Motion by Doe/Roe to convene as the Liquor Control Board. Unan.", "adopted 0-0 unanimous Doe/Roe"},
	"the following voted":         {"The motion for the adoption of the foregoing resolution was duly seconded by Roe, and upon vote being taken thereon, the following voted in favor thereof: Doe, Roe and Poe; and the following voted against the same: none; whereupon said resolution was declared duly passed and adopted.", "adopted 3-0 unanimous nobody/Roe aye Doe, Roe, Poe"},
	"letters":                     {"Moved by Doe, seconded by Roe to hire. Roll call: Doe – Y, Roe – Y, Poe – N. Motion carried.", "adopted 2-1 Doe/Roe aye Doe, Roe nay Poe"},
	"slash behind a motion":       {"Motion to approve warrants 24-31 and 24-32: Doe/Roe. Approved.", "adopted 0-0 Doe/Roe"},
	"slash labels":                {"Moved/Seconded: Doe/Roe\nRoll Call Vote\nDoe - Aye\nRoe - Aye\nPoe - Nay\nMotion carried.", "adopted 2-1 Doe/Roe aye Doe, Roe nay Poe"},
	"the absent are counted":      {"Motion by: Doe    Second by: Roe\nAye: Doe, Roe, Poe, Moe\nAbsent: Coe\nMotion passes 4-0-1", "adopted 4-0 unanimous Doe/Roe aye Doe, Roe, Poe, Moe absent Coe"},
	"what the board approved":     {"On a motion by Mr. Doe and a second by Ms. Roe, Council approved payment of bills.", "adopted 0-0 Doe/Roe"},
	"all yeas":                    {"Doe moved to approve the minutes. Roe seconded. Roll call: All yeas. Motion carried.", "adopted 0-0 unanimous Doe/Roe"},
	"capitals": {"COUNCILMEMBER DOE MOVED TO APPROVE THE PLAN. COUNCILMEMBER ROE SECONDED THE MOTION. MAYOR\nPOE, " +
		"COUNCILMEMBERS DOE, " +
		"ROE, AND MOE VOTED AYE. COUNCILMEMBER COE WAS ABSENT. THE MOTION CARRIED WITH ONE ABSENT.",
		"adopted 4-0 unanimous Doe/Roe aye Poe, Doe, Roe, Moe absent Coe"},
	"a comma behind an office": {"Motion: Commissioner Doe moved to deny. Commissioner Roe seconded.\n\nVote: " +
		"Commissioner Doe, yes; " +
		"Commissioner Roe, yes; Commissioner, Poe, no. The motion passed 2 – 1.", "adopted 2-1 Doe/Roe aye Doe, Roe nay Poe"},
	"counts behind the names": {"Motion by Doe, seconded by Roe, to hire.\nYEAS: Trustee Doe, Trustee Roe, Trustee Poe " +
		"3\nNAYS: Trustee Moe 1\n" +
		"ABSTAIN: None 0\nMOTION PASSED", "adopted 3-1 Doe/Roe aye Doe, Roe, Poe nay Moe"},
	"votes of an election": {"Ms. Roe gave the returns. Votes Against: 21,423. Votes For: 30,112.", ""},
	"answer":               {"Commissioner Roe – Is the trail a part of it?\n\nCarl Ode – Yes.", ""},
	"two motions": {"Doe moved to close the hearing. Roe seconded. All ayes.\n\nMotion to adjourn by Mr. Moe at 8:20 p.m., seconded by Mr. Poe and carried.",
		"adopted 0-0 unanimous Doe/Roe; adopted 0-0 Moe/Poe"},
	"ordinance adopted": {"Doe moved to adopt Ordinance 2024-05. Roe seconded. Roll call: Yeas – Doe, Poe. Nays – Moe. Ordinance 2024-05 adopted.", "adopted 2-1 Doe/Roe aye Doe, Poe nay Moe"},
	"result below its rows": {"MOTION: To buy the truck.\nMOVED BY: Doe\nSECONDED BY: Roe\nAYES: Doe, Roe, Poe\nNAYS: Moe, Coe\nRESULT: CARRIED",
		"adopted 3-2 Doe/Roe aye Doe, Roe, Poe nay Moe, Coe"},
	"result between its rows": {"MOTION: To buy the truck.\nMOVED BY: Doe\nSECONDED BY: Roe\nRESULT: CARRIED\nAYES: Doe, Roe, Poe, Moe, Coe\nNAYS: None",
		"adopted 5-0 unanimous Doe/Roe aye Doe, Roe, Poe, Moe, Coe"},
	"result in words": {"Motion by: Poe\nSecond by: Roe\nTo close the road.\nResult: Failed 2-3\n\nMotion by Doe, second by Roe, to adjourn. Carried 5-0.",
		"failed 2-3 Poe/Roe; adopted 5-0 unanimous Doe/Roe"},
	"two motions, two outcomes": {"A motion was made by Doe, seconded by Roe, that the fee be amended. The motion to amend carried by a voice vote.\n\n" +
		"A motion was made by Poe, seconded by Moe, that the fee be approved.\n\nThe motion to approve carried by the following vote:\n\nYes: 4 – Doe, Roe, Poe, Moe\nNo: 1 – Coe",
		"adopted 0-0 Doe/Roe; adopted 4-1 Poe/Moe aye Doe, Roe, Poe, Moe nay Coe"},
	"due to lack of a second": {"Motion by Moe to table. Motion failed due to lack of a second.", ""},
	"votes to": {"After discussion it was agreed by 3 votes to 1 to lodge an objection.",
		"adopted 3-1 nobody/nobody"},
	"amendment and motion": {"Cllr Doe proposed, and Cllr Roe seconded, that the precept be set at £84,500. " +
		"An amendment was proposed by Cllr Poe, seconded by Cllr Moe, that the precept be set at £80,000. On being put to " +
		"the vote the amendment was lost by 2 votes to 3. The substantive motion was then put to the vote and carried by " +
		"3 votes to 2.", "failed 2-3 Poe/Moe; adopted 3-2 Doe/Roe"},
	"approved, then moved": {"The minutes of 6th February were approved. Proposed by Ms. Doe, seconded by " +
		"Mr. Roe.", "adopted 0-0 Doe/Roe"},
	"made the second": {"Doe made the motion, Roe made the second, to approve the purchase.\nAYE: Doe, " +
		"Roe\nNAY: Poe\nMotion carried.", "adopted 2-1 Doe/Roe aye Doe, Roe nay Poe"},
	"an old vote":        {"Helen Marsh said the Council had voted 4-3 against the project in 2019.", ""},
	"what somebody said": {"Mr. Vance said that the motion should have carried 3-2 last year.", ""},
	"a list by its name": {"The chair asked for items A to K on the unanimous consent. He hopes for " +
		"unanimous consent.", ""},
	"count, then names": {"Motion by Doe, second by Roe to adopt. Roll call: Ayes 3, Noes 2 (Moe, Coe), " +
		"Excused 0. Motion carried.", "adopted 3-2 Doe/Roe nay Moe, Coe"},
	"no with a dash": {"Motion by Doe, second by Roe to adopt. Aye – Doe, Roe (2). No – Poe, Moe, Coe " +
		"(3). Motion lost.", "failed 2-3 Doe/Roe aye Doe, Roe nay Poe, Moe, Coe"},
	"a reason in parentheses": {"Motion by Doe, second by Roe to adopt. Roll call: Ayes 4; Noes 0; Abstaining " +
		"1 (Coe – her son is a deputy). Resolution adopted.", "adopted 4-0 Doe/Roe abstain Coe"},
	"a reason and an absence": {"Motion by Doe, second by Roe to adopt. Roll call: Ayes 3; Noes 0; Abstaining " +
		"1 (Coe – her son is a deputy); Excused 1 (Moe). Resolution adopted.", "adopted 3-0 Doe/Roe abstain Coe absent Moe"},
	"pass": {"Doe moved to adopt, Roe seconded. Roll call:\nAYES: 3 – Doe, Roe, Poe\nNAYS: " +
		"0 – None\nPASS: 1 – Moe\nABSENT: 1 – Coe\nMotion carried.",
		"adopted 3-0 Doe/Roe aye Doe, Roe, Poe abstain Moe absent Coe"},
	"pass is a result": {"Doe moved to adopt, Roe seconded. Motion to pass 5-0 carried.",
		"adopted 5-0 unanimous Doe/Roe"},
	"a word cut in two": {"Motion by Doe, second by Roe to adopt. Voting nay: Poe. Motion car-\nried " +
		"4-1.", "adopted 4-1 Doe/Roe nay Poe"},
	"an honorific on the next line": {"Doe moved to pave, seconded by Roe. Voting aye: Mr. Doe,\nMs. Roe, Mr. Coe. " +
		"Voting nay: Mr. Poe and Ms. Moe. Motion carried 3-2.", "adopted 3-2 Doe/Roe aye Doe, Roe, Coe nay Poe, Moe"},
	"fell": {"Cllr Doe proposed that the precept be raised, seconded by Cllr Roe. The " +
		"proposal fell.", "failed 0-0 Doe/Roe"},
	"an outcome a line": {"Moved: Cr Doe\nSeconded: Cr Roe\nThat the fee be waived.\nThe amendment was " +
		"put and LOST\nThe motion was put and CARRIED UNANIMOUSLY",
		"failed 0-0 Doe/Roe; adopted 0-0 unanimous nobody/nobody"},
	"two thirds": {"Motion by Doe, second by Roe to adopt. Roll call: Ayes 3, Noes 2 (Moe, " +
		"Coe).\nFailed for want of a two-thirds majority.", "failed 3-2 Doe/Roe nay Moe, Coe"},
	"tally with a colon": {"Doe moved to approve. Roe seconded. Motion carried by roll call vote 4:1.",
		"adopted 4-1 Doe/Roe"},
	"a time is no tally": {"Doe moved to recess, Roe seconded. Motion carried 7:15 p.m.",
		"adopted 0-0 Doe/Roe"},
	"yes before the number": {"Motion by Doe, second by Roe, to lease a bus.\nYes – 4      No – 1      " +
		"Motion Carried", "adopted 4-1 Doe/Roe"},
	"a tie on a denial": {"Doe moved to deny the variance. Roe seconded. Roll call: Doe – Yes; Roe – " +
		"Yes; Poe – No; Moe – No. Motion failed 2-2.", "failed 2-2 Doe/Roe aye Doe, Roe nay Poe, Moe"},
	"the motion to deny": {"On motion by Doe, seconded by Roe, the Council denied the permit by the " +
		"following vote:\nAye: Doe, Roe, Poe\nNay: Moe\nThe motion to deny carried.",
		"adopted 3-1 Doe/Roe aye Doe, Roe, Poe nay Moe"},
	"another body": {"The letter is a notice of the ZBA, which met on Monday. The Plan Commission " +
		"voted 5-3 against.", ""},
	"what voters did": {"Motion by Doe, second by Roe, to lease a bus. Moe said that the voters had " +
		"turned it down by a vote of 212 to 340. Motion carried.", "adopted 0-0 Doe/Roe"},
	"who was against, in parentheses": {"Motion by Doe, second by Roe, to pave Elm Street. Motion carried, 4-1 (Poe).",
		"adopted 4-1 Doe/Roe nay Poe"},
	"who was for, in parentheses": {"Motion by Doe, second by Roe, to pave Elm Street. Failed 2-3 (Doe, Roe for).",
		"failed 2-3 Doe/Roe aye Doe, Roe"},
	"names that no side counts": {"Motion by Doe, second by Roe, to pave Elm Street. Carried 3-2 (Poe).",
		"adopted 3-2 Doe/Roe"},
	"a voice, and who was against": {"Motion by Doe, second by Roe, to adopt. Carried on a voice vote, Moe voting " +
		"no.", "adopted 0-1 Doe/Roe nay Moe"},
	"asking that it be noted": {"It was proposed by Cllr Doe, seconded by Cllr Roe. Carried by 3 votes to 2, " +
		"Councillors Poe and Moe asking that it be noted that they voted against.", "adopted 3-2 Doe/Roe nay Poe, Moe"},
	"why they abstain": {"The minutes were proposed as a true record by Cllr Doe, seconded by Cllr Roe; " +
		"carried, Cllrs Poe and Moe abstaining as they were not present.", "adopted 0-0 Doe/Roe abstain Poe, Moe"},
	"motion carried in letters": {"Moved by Doe, seconded by Roe to approve the agenda. Ayes-4. MC.",
		"adopted 4-0 Doe/Roe"},
	"a clause that failed": {"Emergency clause: moved by Doe, second Roe. The emergency clause failed, 2 " +
		"yes, 3 no (4 needed).", "failed 2-3 Doe/Roe"},
	"two with one verb": {"Doe made a motion to raise the rate. Roe seconded the motion. Doe voted aye. " +
		"Roe and Poe voted nay. The motion failed.", "failed 1-2 Doe/Roe aye Doe nay Roe, Poe"},
	"for and against by name": {"Cllr Doe proposed and Cllr Roe seconded that the scheme proceed. A vote was " +
		"taken by roll call:\n\nCllr Doe      For\nCllr Roe      For\nCllr Moe      Against\nCllr Coe      Absent\n\nThe " +
		"Chair declared the proposal carried.", "adopted 2-1 Doe/Roe aye Doe, Roe nay Moe absent Coe"},
	"words and figures": {"Upon motion of Commissioner Doe, seconded by Commissioner Roe, that the " +
		"findings are met, the Board voted three (3) to two (2) in favor of the motion, with Commissioner Poe and " +
		"Commissioner Moe voting nay.", "adopted 3-2 Doe/Roe nay Poe, Moe"},
	"again opposed": {"Doe moved that the permit be granted. Roe seconded. The motion passed 3 – 2 " +
		"with Poe and Moe again opposed.", "adopted 3-2 Doe/Roe nay Poe, Moe"},
	"appointed by votes": {"On the motion of Councillor Doe, seconded by Councillor Roe, Councillor Poe " +
		"was appointed to the partnership by 3 votes to 2.", "adopted 3-2 Doe/Roe"},
	"in favor with all names": {"Motion by Doe, second by Roe. The motion was approved 4:1 with Councilors " +
		"Doe, Roe, Poe, and Coe in favor. Councilor Moe opposed.", "adopted 4-1 Doe/Roe aye Doe, Roe, Poe, Coe nay Moe"},
	"who cast the vote against": {"Doe moved, seconded by Roe, to approve the plan. The motion carried 4-1; Moe " +
		"cast the dissenting vote.", "adopted 4-1 Doe/Roe nay Moe"},
	"voting aye were": {"Motion by Doe, seconded by Roe, to adopt. Those voting aye were Doe, Roe and " +
		"Poe. Those voting nay were none. Motion carried.", "adopted 3-0 unanimous Doe/Roe aye Doe, Roe, Poe"},
	"verdicts by name": {"BOARD VOTE: Motion to Approve: Doe  Second: Roe\nMotion Passed: 4-1\nDoe: Approved  Roe: " +
		"Approved\n\nPoe : Approved  Coe:\nApproved\n\nMoe: Opposed",
		"adopted 4-1 Doe/Roe aye Doe, Roe, Poe, Coe nay Moe"},
	"for the amendment, by name": {"Amendment moved by Cllr Doe, seconded by Cllr Roe. The members voted as " +
		"follows:\n\nFor the Amendment (2)\nCouncillor Doe, Councillor Roe\n\nAgainst the Amendment (3)\nCouncillor Poe, " +
		"Councillor Moe,\nCouncillor Coe\n\nThe amendment fell by 3 votes to 2.",
		"failed 2-3 Doe/Roe aye Doe, Roe nay Poe, Moe, Coe"},
	"resolved by two": {"12/26  RESOLVED by Cr Doe and Cr Roe that the report be received.\n- CARRIED",
		"adopted 0-0 Doe/Roe"},
	"a roll that a page cuts": {"MOTION: Doe\nSECOND: Roe\nRoll Call Vote:\nDoe:     Yes\nRoe:     Yes\n\nPoe:     " +
		"Yes\nMoe:     No\nMotion carried.",
		"adopted 3-1 Doe/Roe aye Doe, Roe, Poe nay Moe"},
	"what the legislature did": {"House Bill 12 was about initiatives, but it did not pass. H.B. 242 had to do with " +
		"water metering and the bill passed.", ""},
	"a list below the outcome": {"Motion 1/2026 Moved by Doe, “That the minutes be accepted.”\nCarried\na) Cheque " +
		"listing\nMotion 2/2026 Moved by Roe, “That the listing be received.”\nCarried",
		"adopted 0-0 Doe/nobody; adopted 0-0 Roe/nobody"},
	"a list that voted": {"MOTION\nCommissioner Doe stated, “Based on the report, I move that the Board approve the " +
		"petition.”\nCommissioner Roe seconded the motion.\n\nVice-Chair Doe, and Commissioners, Roe, Poe, " +
		"and\nChairperson Moe voted “yes.” Commissioner Coe voted “no.”\nThe motion passed.",
		"adopted 4-1 Doe/Roe aye Doe, Roe, Poe, Moe nay Coe"},
	"two lists that voted": {"Motion by Doe, second by Roe. Upon vote, the motion failed, with Directors " +
		"Doe\nand Roe voting aye and Directors Poe and Moe voting nay.", "failed 2-2 Doe/Roe aye Doe, Roe nay Poe, Moe"},
	"a label below a name": {"MOTION: Ann Doe\nSECOND: Bob Roe\nVoice Vote:\nDoe:    Yes\nRoe:    Yes\nPoe:  " +
		"  No\nThe motion passed.", "adopted 2-1 Ann Doe/Bob Roe aye Doe, Roe nay Poe"},
	"an honorific at the line's end": {"Motion by Doe, second by Roe to approve.\nYEAS: Ms. Doe, Mr. Roe. NAYS: None. " +
		"ABSENT: Mr.\nCoe. The motion passed unanimously.", "adopted 2-0 unanimous Doe/Roe aye Doe, Roe absent Coe"},
	"a reason within a roll": {"Motion by Doe, second by Roe. Roll call: Doe-yes, Roe-yes, Moe-\nabstain " +
		"(brother), Poe-yes. Motion carried.", "adopted 3-0 Doe/Roe aye Doe, Roe, Poe abstain Moe"},
	"told of a list":   {"The vote on this consent item was ratified.", ""},
	"what is required": {"A motion to amend passes only if the vote is unanimous.", ""},
}

const formsHead = "TOWN OF ALDERBAY\nTOWN COUNCIL\nMarch 3, 2026\n\nPresent: Doe, Roe, Poe, Moe, Coe\n\n1. New Business\n\n"

func TestFormsOfVotes(t *testing.T) {
	t.Parallel()
	for name, c := range forms {
		if got := votesIn(formsHead + c.text + "\n\n2. Reports\n\nThe clerk reported.\n"); got != c.want {
			t.Errorf("%s: %q\n got %q\nwant %q", name, c.text, got, c.want)
		}
	}
}

// French and Spanish minutes in which the body decides, and what they only tell.
var romanceForms = map[string]struct{ text, want string }{
	"vaudois":     {"L'amendement est refusé par 27 non contre 14 oui et 3 abstentions.", "failed 14-27"},
	"voix contre": {"Elles sont acceptées par 35 voix contre 6 et 3 abstentions.", "adopted 35-6"},
	"prépondérante": {"Par 22 oui et 22 non, la voix de la Présidente étant prépondérante, la motion est " +
		"acceptée.", "adopted 22-22"},
	"below its item": {"4 - Garantie d'emprunt\n    ADOPTÉ À L'UNANIMITÉ (13 votants)\n5 - Créances éteintes\n    " +
		"ADOPTÉ À L'UNANIMITÉ", "adopted 0-0; adopted 0-0"},
	"counts behind sides": {"Objet : Budget principal\nA l'unanimité Pour : 11 Contre : 0 Abstentions : 0\nLe maire " +
		"propose le budget.", "adopted 11-0"},
	"sides": {"Objet : Prêt\nVote : Pour : 9 Contre : 2 Abstentions : 1\nLe maire présente le prêt.",
		"adopted 9-2"},
	"resolved, then adopted": {"ATTENDU QUE la rue est étroite;\nIl est proposé par monsieur le conseiller Jean Doe, " +
		"appuyé par madame la conseillère Ana Roe\n" +
		"et résolu que la rue soit élargie.\n\nAdoptée à l'unanimité", "adopted 0-0"},
	"resolved": {"Sur la proposition de Monsieur Jean Doe, conseiller, appuyée par Madame Ana Roe, conseillère, il est " +
		"résolu d'élargir la rue.",
		"adopted 0-0"},
	"number before a title": {"26-104 11.1. Avis de motion – Règlement 12\n\nAvis de motion est donné par M. Jean " +
		"Doe.", ""},
	"a comma behind an office, and its outcome twice": {"Considérant que la rue est étroite;\nIl est proposé par Monsieur le " +
		"Conseiller, Jean Doe, appuyé par Madame la Conseillère,\nAna Roe;\nET RÉSOLU UNANIMEMENT:\nD'élargir la rue.\n" +
		"De prévoir un trottoir.\nDe la fermer en mai.\nD'en informer les riverains.\nADOPTÉE", "adopted 0-0"},
	"one for each street":  {"Le maire reçoit deux devis. Un pour les trottoirs de la rue Haute, un pour la place.", ""},
	"told of another year": {"Le maire répond que cette motion a été adoptée à l'unanimité en 2021.", ""},
}

func TestFormsOfFrenchVotes(t *testing.T) {
	t.Parallel()
	for name, c := range romanceForms {
		r := Parse("COMMUNE DE VALMARAIS\nPROCÈS-VERBAL DU CONSEIL MUNICIPAL DU 3 MARS 2026\n\n1. Affaires de la commune\n\n"+
			"Le conseil se réunit dans la salle des fêtes de la mairie.\n\n"+c.text+"\n\n9. Divers\n\nLa séance est levée.\n", Options{})
		var got []string
		for _, it := range r.Items {
			for _, v := range it.Votes {
				got = append(got, fmt.Sprintf("%s %d-%d", v.Result, v.AyesCount, v.NaysCount))
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q\n got %q\nwant %q", name, c.text, strings.Join(got, "; "), c.want)
		}
	}
}

// A row of those absent within a vote does not make the list of those present end below it.
func TestAttendanceEndsAtTheFirstMotion(t *testing.T) {
	t.Parallel()
	r := Parse("TOWN OF ALDERBAY\nTOWN COUNCIL\nMarch 3, 2026\n\nMEMBERS PRESENT: Jane Doe, Ann Roe, Eva Poe\nMEMBERS ABSENT: Ida Moe\n\n"+
		"APPROVAL OF AGENDA\nMotion by Doe, supported by Roe, to approve the agenda.\nMotion carried unanimously.\n\n"+
		"CONSENT AGENDA\nMotion by Roe, supported by Poe, to approve the consent agenda.\n"+
		"AYES: Doe, Roe, Poe. NAYS: None.\nABSENT: Moe. Motion carried.\n", Options{})
	votes := 0
	for _, it := range r.Items {
		votes += len(it.Votes)
	}
	if votes != 2 || len(r.Attendance) != 4 {
		t.Errorf("%d votes and %d names, want 2 and 4", votes, len(r.Attendance))
	}
}

func or(s *string) string {
	if s == nil {
		return "nobody"
	}
	return *s
}
