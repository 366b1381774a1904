package minutes

import (
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

func TestAgrees(t *testing.T) {
	t.Parallel()
	p := NewParser(Options{})
	vote := func(raw string, ayes, nays int) record.Vote {
		v := record.Vote{ResultRaw: raw, Result: p.dialect.Classify(raw), AyesCount: ayes, NaysCount: nays}
		for range ayes {
			v.Roll = append(v.Roll, council.RollEntry{Member: "x", Position: council.Aye})
		}
		return v
	}
	for _, c := range []struct {
		shown string
		votes []record.Vote
		want  bool
	}{
		{"ADOPTED [9 TO 0]", []record.Vote{vote("ADOPTED [9 TO 0]", 9, 0)}, true},
		{"Adopted [Unanimous]", []record.Vote{vote("ADOPTED [9 TO 0]", 9, 0)}, true},
		{"ADOPTED", []record.Vote{vote("APPROVED AS AMENDED [5-2]", 5, 2)}, true},
		{"Approved (5-2)", []record.Vote{vote("APPROVED AS AMENDED [5 TO 2]", 5, 2)}, true},
		{"ADOPTED [9 TO 0]", []record.Vote{vote("ADOPTED [UNANIMOUS]", 9, 0)}, true},
		{"ADOPTED [9 TO 0]", []record.Vote{vote("ADOPTED [UNANIMOUS]", 0, 0)}, true}, // the minutes name no members
		{"Held in Committee", []record.Vote{vote("PASSED [UNANIMOUS]", 7, 0)}, true}, // on the motion to hold the item
		{"Referred", []record.Vote{vote("ADOPTED [7 TO 0]", 7, 0)}, true},
		{"TABLED [7 TO 0]", []record.Vote{vote("FAILED [3 TO 4]", 3, 4), vote("TABLED [7 TO 0]", 7, 0)}, true},
		{"ADOPTED [8 TO 1]", []record.Vote{vote("ADOPTED [9 TO 0]", 9, 0)}, false},
		{"ADOPTED [9 TO 0]", []record.Vote{vote("FAILED [9 TO 0]", 9, 0)}, false},
		{"FAILED", []record.Vote{vote("ADOPTED [UNANIMOUS]", 9, 0)}, false},
		{"ADOPTED [UNANIMOUS]", []record.Vote{vote("ADOPTED [8 TO 1]", 8, 1)}, false},
		{"ADOPTED [9 TO 0]", []record.Vote{vote("ADOPTED [UNANIMOUS]", 8, 0)}, false},
	} {
		if got := p.Agrees(c.shown, c.votes); got != c.want {
			t.Errorf("Agrees(%q, %q) = %v", c.shown, c.votes[len(c.votes)-1].ResultRaw, got)
		}
	}
}

// The names decide whether a vote is unanimous. If there are none, the tally decides.
func TestUnanimous(t *testing.T) {
	t.Parallel()
	const head = "City Council\nMay 5, 2026\nI. Call to Order\nII. Bills\n1. Pays Bills\nRESULT: "
	for table, want := range map[string]bool{
		"ADOPTED\nAYES: Ann Lee":                           true,
		"ADOPTED [UNANIMOUS]\nAYES: Ann Lee\nNAYS: Bo Roe": false,
		"ADOPTED\nAYES: Ann Lee\nABSTAIN: Bo Roe":          false,
		"ADOPTED\nAYES: Ann Lee\nABSENT: Bo Roe":           true,
		"FAILED\nNAYS: Ann Lee":                            false,
		"ADOPTED [UNANIMOUS]":                              true,
		"ADOPTED [9 TO 0]":                                 true,
		"ADOPTED [9 TO 1]":                                 false,
		"ADOPTED [9 TO 0] WITH 1 ABSTENTION":               false,
		"ADOPTED":                                          false,
	} {
		if got := Parse(head+table+"\n", Options{}).Items[0].Votes[0].Unanimous; got != want {
			t.Errorf("%q: %v", table, got)
		}
	}
}
