package unread

import (
	"strings"
	"testing"

	"github.com/townline/townline/services/council-ingest/internal/minutes/layout"
)

// TestSigns reads lines that begin a roll or state an outcome, and lines that look like it and do not.
func TestSigns(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]sign{
		"Aye:   8 -  Council Member Doe, Council Member Roe":    ayes,
		"Yes: 24 – Doe (D-1), Roe (D-2)":                        ayes,
		"AYES (5): Doe, Roe, Poe, Moe and Zoe":                  ayes,
		"AYES: Doe, Roe":                                        ayes,
		"Ayes: Doe, Roe, and Poe":                               ayes,
		"Yea   5  -  Doe, Roe":                                  ayes,
		"For: 5 - Doe, Roe":                                     ayes,
		"No:   0":                                               others,
		"NAYS: None":                                            others,
		"Brandt – aye, Vance – nay, Arano – aye":                ayes,
		"RESULT: ADOPTED [4 TO 1]":                              result,
		"Result: Motion carried":                                result,
		"Placed on File [9-0-0]":                                result,
		"The motion carried by the following vote:":             intro,
		"The motion carried by the following\nvote:":            intro,
		"A roll call vote was taken; the votes were as follows": intro,
		"The Motion passed.":                                    outcome,
		"A motion was made to adopt. The motion\ncarried.":      outcome,
		"The minutes were unanimously approved.":                outcome,
		"It was adopted by a voice vote.":                       outcome,
		"Yea - Doe, Roe":                                        ayes,
		"Nay – Doe and Roe":                                     others,
		"Roll Call: Passed 5-0-1":                               result,
		"Carried 7 – 2.":                                        result,
		"MOTION CARRIED (5-0)":                                  result,
		"No - the clerk said":                                   none,
		"For - see page 5":                                      none,
		"The fee was raised and passed 5-10 years ago":          none,
		"AYES: ________":                                        none,
		"AYES:\nNOES:":                                          none,
		"Aye":                                                   none,
		"No. 5 of the list":                                     none,
		"No 12th Street bridge":                                 none,
		"For: the residents of the town of Alderbay":            none,
		"For 5 - 7 years":                                       none,
		"Yes: we can, she said, if the weather holds":           none,
		"She asked for a vote on the motion":                    none,
		"A budget passed to the Council":                        none,
		"The result of the survey":                              none,
		"[Resolution amending Resolution 12 of 2026]":           none,
	} {
		lines, _ := layout.Split(text, false)
		if got := signOf(lines, 0, true); got != want {
			t.Errorf("%q: sign %d, want %d", text, got, want)
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

// TestRolls counts each printed roll once, however many lines show it, and leaves out those that were read.
func TestRolls(t *testing.T) {
	t.Parallel()
	lines, _ := layout.Split(meeting+strings.Repeat("\ntext", 40)+"\nThe motion to adjourn carried.", false)
	f := Look(lines, nil, true, func(int) bool { return false })
	if len(f.Rolls) != 4 || f.Read != 0 || len(f.Spoken) != 1 || f.Rolls[0].Line != 3 || f.Rolls[0].Lines != 3 {
		t.Errorf("rolls %+v, spoken %+v", f.Rolls, f.Spoken)
	}
	f = Look(lines, nil, true, func(no int) bool { return no >= 12 && no <= 14 })
	if len(f.Rolls) != 2 || f.Read != 2 {
		t.Errorf("with two of them read: %+v, %d read", f.Rolls, f.Read)
	}
	// What stands at the edge of every page may have been taken for furniture.
	f = Look(nil, lines, true, func(int) bool { return false })
	if len(f.Rolls) != 4 {
		t.Errorf("among dropped lines: %+v", f.Rolls)
	}
}
