package minutes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

const tableHead = `City of Marrow Bay
City Council
Tuesday, May 5, 2026

I. Call to Order
Attendee Name Title Status Arrived
Odile Brandt Mayor Present
Teodor Vance Vice Mayor Present
Jan van der Meer Councilmember, Ward 2 Present
Suki Arano Councilmember Present
Pilar Ruiz-Santos Councilmember Present
Walter Finch Jr. Councilmember Absent

II. Action Items
1. Contract for the Harbor Study
`

const oneRowALine = `
RESULT: ADOPTED [4 TO 1]
MOVER: Odile Brandt, Mayor
SECONDER: Jan van der Meer, Councilmember, Ward 2
AYES: Odile Brandt, Teodor Vance, Jan van der Meer, Suki Arano
NAYS: Pilar Ruiz-Santos
ABSENT: Walter Finch Jr.`

// The test has one vote in the layouts of many producers.
func TestOneVoteInManyLayouts(t *testing.T) {
	t.Parallel()
	want := council.NewRoll([]string{"Odile Brandt", "Teodor Vance", "Jan van der Meer", "Suki Arano"},
		[]string{"Pilar Ruiz-Santos"}, nil, []string{"Walter Finch Jr."})
	for name, table := range map[string]string{
		"one row a line": oneRowALine,
		"every name behind its office, after RESULT in a column of its own": `
  RESULT:      ADOPTED [4 TO 1]
  MOVER:       Mayor Odile Brandt
  SECONDER:    Ward 2 Council Member Jan van der Meer
  AYES:        Mayor Odile Brandt, Vice Mayor Teodor Vance, Ward 2 Council Member Jan van
               der Meer, Ward 3 Council Member Suki
               Arano
  NAYS:        Ward 4 Council Member Pilar Ruiz-Santos
  ABSENT:      Ward 5 Council Member Walter Finch Jr.`,
		"lists that break at and": `
RESULT: ADOPTED [4 TO 1]
MOVER: Odile Brandt, Mayor
SECONDER: Jan van der Meer, Councilmember, Ward 2
AYES: Odile Brandt, Teodor Vance, Jan van der Meer
and Suki Arano
NAYS: Pilar Ruiz-Santos
ABSENT: Walter Finch Jr.`,
		"columns": `
  RESULT:      ADOPTED [4 TO 1]
  MOVER:       Odile Brandt, Mayor
  SECONDER:    Jan van der Meer, Councilmember, Ward 2
  AYES:        Brandt, Vance, van der Meer, Arano
  NAYS:        Ruiz-Santos
  ABSENT:      Finch Jr.`,
		"lists that wrap in their column": `
  RESULT:      ADOPTED [4
               TO 1]
  MOVER:       Odile Brandt,
               Mayor
  SECONDER:    Jan van der
               Meer,
               Councilmember,
               Ward 2
  AYES:        Odile Brandt,
               Teodor Vance,
               Jan van der
               Meer, Suki
               Arano
  NAYS:        Pilar Ruiz-
               Santos
  ABSENT:      Walter Finch
               Jr.`,
		"lists that wrap to the margin": `
RESULT: ADOPTED [4 TO 1]
MOVER: Odile Brandt, Mayor
SECONDER: Jan van der Meer, Councilmember, Ward
2
AYES: Odile Brandt, Teodor Vance, Jan van der Meer, Suki
Arano
NAYS: Pilar Ruiz-
Santos
ABSENT: Walter Finch Jr.`,
		"a row with the motion": strings.Replace(oneRowALine, "MOVER:",
			"MOTION: To award the contract as recommended by staff.\nMOVER:", 1),
		"labels of other towns": strings.NewReplacer("RESULT:", "VOTE RESULT:", "MOVER:", "OFFERED BY:", "SECONDER:",
			"SECONDED BY:", "AYES:", "VOTING AYE:", "NAYS:", "DISSENTING:",
			"ABSENT:", "EXCUSED ABSENCE:").Replace(oneRowALine),
		"counts after labels and in lists": `
RESULT: ADOPTED [4 TO 1]
MOVER: Odile Brandt, Mayor
SECONDER: Jan van der Meer, Councilmember, Ward 2
AYES (4): Brandt, Vance, van der Meer, Arano
NAYS: 1 - Ruiz-Santos
ABSENT: (1) Finch
ABSTAIN: 0`,
		"names broken within a word": `
RESULT:    ADOPTED [4 TO 1]
MOVER:     Odile Brandt, Mayor
SECONDER:  Jan van der Meer, Councilmember, Ward 2
AYES:      Brandt, Vance, van der Meer, Ara-
           no
NAYS:      Ruiz-Santos
ABSENT:    Finch`,
		"blank lines between the rows": `
RESULT: ADOPTED [4 TO 1]

MOVER: Odile Brandt, Mayor

SECONDER: Jan van der Meer, Councilmember, Ward 2

AYES: Odile Brandt, Teodor Vance, Jan van der Meer, Suki Arano

NAYS: Pilar Ruiz-Santos

ABSENT: Walter Finch Jr.`,
		"a label, then its value": `
RESULT:
ADOPTED [4 TO 1]
MOVER:
Odile Brandt, Mayor
SECONDER:
Jan van der Meer, Councilmember, Ward 2
AYES:
Odile Brandt, Teodor Vance, Jan van der Meer,
Suki Arano
NAYS:
Pilar Ruiz-Santos
ABSENT:
Walter Finch Jr.`,
		"all labels, then all values": `
RESULT:
MOVER:
SECONDER:
AYES:
NAYS:
ABSENT:

ADOPTED [4 TO 1]
Odile Brandt, Mayor
Jan van der Meer, Councilmember, Ward 2
Odile Brandt, Teodor Vance, Jan van der Meer,
Suki Arano
Pilar Ruiz-Santos
Walter Finch Jr.`,
		"a sentence between labels and values": `
RESULT:
MOVER:
SECONDER:
AYES:
NAYS:
ABSENT:

The motion passed with 4 in favor (Brandt, Vance, van der Meer,
Arano) and 1 opposed (Ruiz-Santos).

ADOPTED [4 TO 1]
Odile Brandt, Mayor
Jan van der Meer, Councilmember, Ward 2
Odile Brandt, Teodor Vance, Jan van der Meer, Suki Arano
Pilar Ruiz-Santos
Walter Finch Jr.`,
		"the last labels behind their values": `
RESULT: ADOPTED [4 TO 1]
MOVER: Odile Brandt, Mayor
SECONDER: Jan van der Meer, Councilmember, Ward 2
AYES:

Odile Brandt, Teodor Vance, Jan van der Meer, Suki Arano
NAYS:
ABSENT:

Pilar Ruiz-Santos
Walter Finch Jr.`,
		"a page ends in the roll": "\nRESULT: ADOPTED [4 TO 1]\nMOVER: Odile Brandt, Mayor\nSECONDER: Jan van der Meer, " +
			"Councilmember, Ward 2\n" +
			"AYES: Odile Brandt, Teodor Vance, Jan\n\nPage 1 of 2\n\fvan der Meer, Suki Arano\nNAYS: Pilar " +
			"Ruiz-Santos\nABSENT: Walter Finch Jr.\nIII. Adjournment\n\nPage 2 of 2\n",
		"centred labels": `
  RESULT:      ADOPTED [4 TO 1]
  MOVER:       Odile Brandt, Mayor
               Jan van der Meer,
  SECONDER:    Councilmember, Ward 2
               Odile Brandt, Teodor Vance,
  AYES:        Jan van der Meer, Suki
               Arano
  NAYS:        Pilar Ruiz-Santos
  ABSENT:      Walter Finch Jr.`,
		"other words, title first, capitals": `
RESULT: ADOPTED [4-1-1]
MOVED BY: MAYOR BRANDT
SECONDED BY: COUNCILMEMBER VAN DER MEER
YEAS: MAYOR BRANDT, VICE MAYOR VANCE, COUNCILMEMBERS VAN DER MEER AND ARANO
NOES: COUNCILMEMBER RUIZ-SANTOS
ABSTAIN: NONE
EXCUSED: COUNCILMEMBER FINCH`,
		"labels without colons": `
RESULT:     ADOPTED [4 TO 1]
MOVER       Odile Brandt, Mayor
SECONDER    Jan van der Meer, Councilmember, Ward 2
AYES        Brandt, Vance, van der Meer, Arano
NAYS        Ruiz-Santos
AWAY        Finch`,
		"commas are missing": `
RESULT: ADOPTED [4 TO 1]
MOVER: Odile Brandt, Mayor
SECONDER: Jan van der Meer, Councilmember, Ward 2
AYES: Brandt Vance van der Meer Arano
NAYS: Ruiz-Santos
ABSENT: Finch`,
		"put off to a day": `
RESULT: ADOPTED [4 TO 1]      Next: 6/2/2026 6:00 PM
MOVER: Odile Brandt, Mayor
SECONDER: Jan van der Meer, Councilmember, Ward 2
AYES: Brandt, Vance, van der Meer, Arano
NAYS: Ruiz-Santos
ABSENT: Finch`,
		"the day on a row of its own": `
RESULT: ADOPTED [4 TO 1]

Next: 6/2/2026 6:00 PM
MOVER: Odile Brandt, Mayor
SECONDER: Jan van der Meer, Councilmember, Ward 2
AYES: Brandt, Vance, van der Meer, Arano
NAYS: Ruiz-Santos
ABSENT: Finch`,
	} {
		text := tableHead + table
		if !strings.Contains(table, "\f") {
			text += "\nIII. Adjournment\n"
		}
		r := Parse(text, Options{})
		if len(r.Items) != 1 || len(r.Items[0].Votes) != 1 {
			t.Errorf("%s: the record has %d items", name, len(r.Items))
			continue
		}
		v := r.Items[0].Votes[0]
		if diff := cmp.Diff(want, v.Roll); diff != "" {
			t.Errorf("%s: positions (-want +got):\n%s", name, diff)
		}
		if v.Mover == nil || *v.Mover != "Odile Brandt" || v.Seconder == nil || *v.Seconder != "Jan van der Meer" ||
			v.AyesCount != 4 || v.NaysCount != 1 ||
			v.Result != "adopted" || v.Unanimous || !strings.HasPrefix(v.ResultRaw, "ADOPTED [4") ||
			strings.Contains(v.ResultRaw, "Next") {
			t.Errorf("%s: wrong vote %+v", name, v)
		}
		if title := r.Items[0].Title; title != "Contract for the Harbor Study" {
			t.Errorf("%s: title %q", name, title)
		}
		if len(r.Anomalies) > 0 && name != "commas are missing" {
			t.Errorf("%s: anomalies %v", name, r.Anomalies)
		}
	}
}

// A table ends before the text that follows, and that text adds no names.
func TestWhatFollowsATable(t *testing.T) {
	t.Parallel()
	const table = `
RESULT: ADOPTED [UNANIMOUS]
MOVER: Odile Brandt, Mayor
SECONDER: Suki Arano, Councilmember
AYES: Odile Brandt, Teodor Vance, Jan van der Meer, Suki Arano, Pilar Ruiz-Santos
ABSENT: Walter Finch Jr.
`
	want := Parse(tableHead+table, Options{}).Items[0].Votes[0]
	for _, next := range []string{
		"Mayor Brandt declared the motion ADOPTED.",
		"\nVance, Arano and others spoke.",
		"2. Teodor Vance Bridge",
		"\n2. Suki Arano",
		"III. Adjournment",
		"NOTE: the clerk left.",
		"\nODILE BRANDT PARK",
		"\n\nPage 4 of 9\nThe Mayor thanked Suki Arano.",
		"THE VOTE WAS RECORDED BY THE CLERK",
	} {
		got := Parse(tableHead+table+next+"\n", Options{}).Items[0].Votes
		if diff := cmp.Diff([]record.Vote{want}, got[:1], cmpopts.IgnoreUnexported(record.Vote{})); diff != "" {
			t.Errorf("before %q (-want +got):\n%s", next, diff)
		}
	}
}

func TestRosterResolvesLastNames(t *testing.T) {
	t.Parallel()
	text := "City Council\nMay 5, 2026\nI. Call to Order\nII. Bills\n1. Pays Bills\nRESULT: ADOPTED [2 TO 0]\nAYES: " +
		"Quist, Tull\n"
	r := Parse(text, Options{Roster: []string{"Victor Quist", "Roberta “Bobbie” Tull"}})
	if diff := cmp.Diff([]string{"Victor Quist", "Roberta “Bobbie” Tull"},
		r.Items[0].Votes[0].Roll.Of(council.Aye)); diff != "" || len(r.Anomalies) > 0 {
		t.Errorf("ayes (-want +got):\n%s\nanomalies %v", diff, r.Anomalies)
	}
	if got := codesOf(Parse(text, Options{})); got != "member-unknown member-unknown" {
		t.Errorf("anomalies without a roster: %s", got)
	}
}

func TestOwnWordsAndFurniture(t *testing.T) {
	t.Parallel()
	text := "City Council\nMay 5, 2026\nI. Call to Order\nII. Bills\n1. Pays Bills and\nCRIER COPY 5\nNothing " +
		"Else\nRESULT: ORDAINED [2 TO 0]\nAYES: Victor Quist,\nCRIER COPY 5\nSuki Arano\n"
	r := Parse(text, Options{Results: map[string]council.Result{"ordained": council.Adopted},
		Furniture: []string{"CRIER COPY"}})
	v := r.Items[0].Votes[0]
	if r.Items[0].Title != "Pays Bills and Nothing Else" || v.Result != council.Adopted || v.Roll.Count(council.Aye) != 2 {
		t.Errorf("%+v", r.Items[0])
	}
}

// A RESULT without a value does not use the heading below it. Members next to a list who are not in
// it are reported.
func TestNeighbouringTextIsNotUsed(t *testing.T) {
	t.Parallel()
	r := Parse(tableHead+"\nRESULT:\nIII. CHARTER RIGHT\n1. Second Thing\nRESULT: TABLED [5 TO 0]\n", Options{})
	if raw := r.Items[0].Votes[0].ResultRaw; raw != "" {
		t.Errorf("the result is %q", raw)
	}
	if got := codesOf(r); !strings.Contains(got, string(council.CodeResultWordMissing)) {
		t.Errorf("the anomalies are %s", got)
	}
	r = Parse(tableHead+"\nRESULT: ADOPTED [UNANIMOUS]\nMOVER: Odile Brandt, Mayor\nSECONDER: Suki Arano, "+
		"Councilmember\nAYES: Odile Brandt, Teodor Vance\nSuki Arano\n\nIII. Adjournment\n", Options{})
	if v := r.Items[0].Votes[0]; v.Roll.Count(council.Aye) != 3 &&
		!strings.Contains(codesOf(r), string(council.CodeLayoutUnclear)) {
		t.Errorf("roll %v, anomalies %s", v.Roll, codesOf(r))
	}
}
