package minutes

import (
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/services/council-ingest/internal/minutes/missed"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

// TestSigns has lines that begin a roll call or state an outcome, and similar lines that do not.
func TestSigns(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Aye:   8 -  Council Member Doe, Council Member Roe":    "roll",
		"Yes: 24 – Doe (D-1), Roe (D-2)":                        "roll",
		"AYES (5): Doe, Roe, Poe, Moe and Zoe":                  "roll",
		"AYES: Doe, Roe":                                        "roll",
		"Ayes: Doe, Roe, and Poe":                               "roll",
		"Yea   5  -  Doe, Roe":                                  "roll",
		"For: 5 - Doe, Roe":                                     "roll",
		"No:   0":                                               "roll",
		"NAYS: None":                                            "roll",
		"Brandt – aye, Vance – nay, Arano – aye":                "roll",
		"RESULT: ADOPTED [4 TO 1]":                              "roll",
		"Result: Motion carried":                                "roll",
		"Placed on File [9-0-0]":                                "roll",
		"The motion carried by the following vote:":             "roll",
		"The motion carried by the following\nvote:":            "roll",
		"A roll call vote was taken; the votes were as follows": "roll",
		"The Motion passed.":                                    "sentence",
		"A motion was made to adopt. The motion\ncarried.":      "sentence",
		"The minutes were unanimously approved.":                "sentence",
		"It was adopted by a voice vote.":                       "sentence",
		"Yea - Doe, Roe":                                        "roll",
		"Nay – Doe and Roe":                                     "roll",
		"Roll Call: Passed 5-0-1":                               "roll",
		"Carried 7 – 2.":                                        "roll",
		"MOTION CARRIED (5-0)":                                  "roll",
		"No - the clerk said":                                   "",
		"For - see page 5":                                      "",
		"The fee was raised and passed 5-10 years ago":          "",
		"AYES: ________":                                        "",
		"AYES:\nNOES:":                                          "",
		"Aye":                                                   "",
		"No. 5 of the list":                                     "",
		"No 12th Street bridge":                                 "",
		"For: the residents of the town of Alderbay":            "",
		"For 5 - 7 years":                                       "",
		"Yes: we can, she said, if the weather holds":           "",
		"She asked for a vote on the motion":                    "",
		"A budget passed to the Council":                        "",
		"The result of the survey":                              "",
		"[Resolution amending Resolution 12 of 2026]":           "",
	} {
		lines, _ := rows.Split(text, false)
		f, got := missed.Find(lines, nil, true, func(int) bool { return false }), ""
		if len(f.Rolls) > 0 {
			got = "roll"
		} else if len(f.Spoken) > 0 {
			got = "sentence"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

const meeting = `
Item one
A motion was made. The motion carried by the following vote:
Aye: 3 - Doe, Roe, Poe
No: 0

Item two
AYES: Doe, Roe
NAYS: Poe

Item three
RESULT: ADOPTED [3 TO 0]
AYES: Doe, Roe, Poe
RESULT: FAILED [1 TO 2]
AYES: Doe
NAYS: Roe, Poe
`

// TestRolls counts each roll call once, and omits roll calls that were read.
func TestRolls(t *testing.T) {
	t.Parallel()
	lines, _ := rows.Split(meeting+strings.Repeat("\ntext", 40)+"\nThe motion to adjourn carried.", false)
	f := missed.Find(lines, nil, true, func(int) bool { return false })
	if len(f.Rolls) != 4 || f.Read != 0 || len(f.Spoken) != 1 || f.Rolls[0].Line != 3 || f.Rolls[0].Lines != 3 {
		t.Errorf("got the roll calls %+v and the sentences %+v", f.Rolls, f.Spoken)
	}
	f = missed.Find(lines, nil, true, func(no int) bool { return no >= 12 && no <= 14 })
	if len(f.Rolls) != 2 || f.Read != 2 {
		t.Errorf("after two roll calls were read: %+v, %d read", f.Rolls, f.Read)
	}
	// Lines at the edges of pages may have been removed as furniture.
	f = missed.Find(nil, lines, true, func(int) bool { return false })
	if len(f.Rolls) != 4 {
		t.Errorf("roll calls in removed lines: %+v", f.Rolls)
	}
}

// Rows of a parsed roll call may remain unread, such as the absent members on the next page. An
// attendance list is not a roll call.
func TestRowsOfARoll(t *testing.T) {
	t.Parallel()
	const yes = "Absent: Poe and Moe\n\nYES: Doe, Roe\n\nCASE NO. 12\n\n"
	for below, want := range map[string]int{
		"ABSENT: Members Poe, and Moe":               1,
		"Absent: Poe":                                1,
		"Excused: 1 - Poe":                           1,
		"NO: Member Poe":                             1,
		"RECUSED: Poe\nABSTAIN: Moe":                 2,
		"ABSENT: ________":                           0,
		"Absent members send letters":                0,
		strings.Repeat("text\n", 20) + "ABSENT: Poe": 0,
	} {
		lines, _ := rows.Split(yes+below, false)
		f := missed.Find(lines, nil, false, func(no int) bool { return no == 3 })
		if len(f.Rows) != want || len(f.Rolls) != 0 || f.Read != 1 {
			t.Errorf("%q: %d unread rows, want %d; %d unread rolls, %d read", below, len(f.Rows), want, len(f.Rolls), f.Read)
		}
		if f = missed.Find(lines, nil, false, func(int) bool { return true }); len(f.Rows) != 0 {
			t.Errorf("%q: %d unread rows after all lines were read", below, len(f.Rows))
		}
	}
}

// The cost grows linearly with the length of hostile texts.
func TestFindIsLinear(t *testing.T) {
	t.Parallel()
	const n = 300_000
	lines := make([]rows.Line, n)
	for i := range lines {
		lines[i] = rows.Line{Text: "RESULT: ADOPTED", No: i}
		if i%2 == 1 {
			lines[i].Text = "The motion carried unanimously."
		}
	}
	start := time.Now()
	f := missed.Find(lines, nil, true, func(int) bool { return false })
	if len(f.Rolls) != n/2 || len(f.Spoken) != 0 {
		t.Errorf("%d rolls, %d sentences", len(f.Rolls), len(f.Spoken))
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("Find took %s", took)
	}
}
