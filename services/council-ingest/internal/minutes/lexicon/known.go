package lexicon

var known = []Words{
	{
		Name:   "minutetraq",
		Source: "Riverhead NY, Town Board, minutes of 2025-01-07 and 2025-03-04 (riverheadny.iqm2.com)",
		Sample: `
      3. 2025-3  Acceptance of 2023 Audited Financial Statements
       RESULT:       ADOPTED [4 TO 1]
       MOVER:        Denise Merrifield, Councilwoman
       SECONDER:     Joann Waski, Councilwoman
       AYES:         Hubbard, Rothwell, Kern, Waski
       NAYS:         Merrifield`,
		Labels: map[string][]string{
			"result": {"RESULT"}, "next": {"NEXT"}, "remote": {"REMOTE"}, "present": {"PRESENT"},
			"away": {"AWAY", "EXCUSED"},
		},
		Status: map[string]string{"present": "Present", "absent": "Absent", "late": "Late", "excused": "Excused",
			"remote": "Remote", "away": "Absent"},
		Headings: []string{"RESOLUTIONS", "RECOMMENDED ACTION", "RECOMMENDED ACTIONS", "UNANIMOUS CONSENT",
			"COMMITTEE REPORTS"},
		BodyStarts: []string{"It is ", "For the ", "That the Board", "Recommendation:", "Motion", "Discussion", "Vote on",
			"The following", "Public Hearing Opened",
			"Chair ", "Staff presented", "Background", "Summary", "Presented by", "Recommended Action"},
		MotionStops: []string{"Vote on", "Vote On", "VOTE ON", "Discussion", "The motion ", "The main motion", "The vote ",
			"Motion to", "Motion To", "Motion as",
			"Motion:", "Call The", "Call the", "Roll Call", "Roll call", "ROLL CALL"},
	},
	{
		Name:   "civicclerk",
		Source: "Riverhead NY, Town Board, minutes of 2026-06-02 (riverheadny.portal.civicclerk.com)",
		Sample: `
 1. 2026-527 Authorizes Removal of Fixed Assets
RESULT: ADOPTED [UNANIMOUS]
MOVER: Councilman Kenneth Rothwell
SECONDER: Councilman Robert Kern
AYES: Jerry Halpin, Kenneth Rothwell, Robert Kern, Denise Merrifield,
Joann Waski`,
	},
	{
		Name:   "primegov",
		Source: "Cambridge MA, City Council, final actions of 2026-03-05 (cambridgema.primegov.com)",
		Sample: `
2.     TRANSMITTING A COMMUNICATION FROM CITY MANAGER, YI-AN HUANG,
       CMA 2026-34
       RESULT: CMA Placed on File [VV8]
       YEAS: Azeem, Flaherty, Simmons
       ABSENT: Councillor McGovern`,
		Labels: map[string][]string{"aye": {"YEAS"}, "nay": {"NAYS"}, "present": {"PRESENT"}},
		Headings: []string{"CONSENT AGENDA", "CHARTER RIGHT", "TABLED", "UNFINISHED BUSINESS", "AWAITING REPORT LIST",
			"COMMUNICATIONS"},
		Fates: []string{"CHARTER RIGHT EXERCISED", "PLACED ON THE TABLE", "PLACED ON FILE", "REFERRED TO", "NO ACTION TAKEN",
			"PASS TO A SECOND READING", "PASSED TO A SECOND READING", "ELIGIBLE TO BE ORDAINED", "TABLED IN COUNCIL",
			"ACCEPTED IN COUNCIL"},
	},
	{
		Name:   "legistar",
		Source: "Pittsburgh PA, City Council, minutes of 2026-06-23 (pittsburgh.legistar.com); the names are others",
		Sample: `
 2026-0592     Resolution providing for the sale of certain property.
               SPONSOR /S: COUNCIL MEMBER DOE
               A motion was made that this matter be Passed Finally. The motion carried by
               the following vote:
               Aye:   3 -  Council Member Doe, Council Member Roe, and Council
                           Member Poe
               No:    0
               Absent:   1 -  Council Member Moe`,
		Labels: map[string][]string{"aye": {"AYES BY ROLL CALL"}},
		Fates: []string{"SPONSOR", "SPONSORS", "CO-SPONSOR", "INDEXES", "ATTACHMENTS", "ENACTMENT", "READ AND REFERRED",
			"LEGISLATIVE HISTORY", "(PUBLIC HEARING",
			"(EXECUTIVE SESSION"},
		Rolls: []string{"by the following vote", "following roll call vote", "following vote",
			"by the following roll call"},
		Members: []string{"COUNCIL MEMBERS", "COUNCILMEMBERS", "COUNCILORS", "COUNCILLORS", "MEMBERS", "BOARD MEMBERS",
			"COMMISSIONERS", "COMMITTEE MEMBERS"},
	},
	{
		Name: "primegov, in sentences",
		Source: "Louisville KY, Metro Council, action summary of 2026-01-29 (louisvilleky.primegov.com); the names are " +
			"others",
		Sample: `
14.

O-003-26     AN ORDINANCE APPROPRIATING $60,000.

Sponsors: Jane Doe (R-23)

A motion was made by Council Member Doe, seconded by Council Member Roe, that this
Ordinance be approved.

The motion carried by the following vote and the Ordinance passed:

Yes: 3 – Doe (R-23), Roe (D-1), Poe (R-
12)
Excused: 1 – Moe (D-8)`,
		Fates: []string{"ACTION REQUIRED"},
		Rolls: []string{"vote was as follows", "votes were as follows"},
		Parts: []string{"Legislation forwarded from", "Legislation assigned to"},
	},
	{
		Name:   "elsewhere",
		Source: "forms that clerks of other towns print; none of their minutes is at hand",
		Labels: map[string][]string{
			"result": {"RESULTS", "VOTE RESULT", "RESULT OF VOTE", "OUTCOME", "DISPOSITION"},
			"motion": {"MOTION"},
			"mover":  {"MOTIONER"},
			"away":   {"ABSENT/EXCUSED", "EXCUSED ABSENCE", "EXCUSED ABSENT", "ABSENT EXCUSED", "UNEXCUSED"},
			"remote": {"REMOTELY"},
		},
		Headings: []string{"CONSENT CALENDAR", "CONSENT", "CONSENT ITEMS", "NEW BUSINESS", "OLD BUSINESS", "PUBLIC HEARINGS",
			"PUBLIC HEARING", "REGULAR CALENDAR",
			"REGULAR AGENDA", "DISCUSSION ITEMS", "ACTION ITEMS", "ORDINANCES", "REPORTS", "PROCLAMATION", "PROCLAMATIONS",
			"CLOSED SESSION", "BUSINESS ITEMS", "SCHEDULED ITEMS"},
	},
}

// Words of every dialect.
const (
	small = `a an and as at but by for from in into of on or nor per pro tem nunc re the to up via vs with within without
		under upon over between through during d/b/a dba de la del van der`
)
