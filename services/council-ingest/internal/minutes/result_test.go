package minutes

import "testing"

func TestReadTally(t *testing.T) {
	t.Parallel()
	counted := func(ayes, nays, others int) tally {
		return tally{ayes: ayes, nays: nays, others: others, counted: true}
	}
	for raw, want := range map[string]tally{
		"ADOPTED [4 TO 1]":            counted(4, 1, 0),
		"[13 to 2]":                   counted(13, 2, 0),
		"[4 - 1]":                     counted(4, 1, 0),
		"[4–1]":                       counted(4, 1, 0),
		"Adopted [8-0-1-0]":           counted(8, 0, 0),
		"Adopted [4-1- 0-2]":          counted(4, 1, 0),
		"Adopted 7-2":                 counted(7, 2, 0),
		"PASSED [9 TO 2] WITH 1 AWAY": counted(9, 2, 0),
		"PASSED [9 TO 2 WITH 3 ABSTENTIONS AND 1 AWAY]": counted(9, 2, 3),
		"PASSED [9 TO 2] WITH 1 ABSENTION":              counted(9, 2, 1),
		"Filed [VV9]":                                   {ayes: 9, counted: true, voice: true},
		"VV9":                                           {ayes: 9, counted: true, voice: true},
		"ADOPTED [UNANIMOUS]":                           {unanimous: true},
		"ADOPTED [UNANIMOUSLY]":                         {unanimous: true},
		"ADOPTED UNANIMOUS":                             {unanimous: true},
		"ADOPTED":                                       {},
		"ADOPTED [as read]":                             {},
		"ADOPTED [4]":                                   {},
		"ADOPTED [FOUR TO ONE]":                         counted(4, 1, 0),
		"ADOPTED (4-1)":                                 counted(4, 1, 0),
		"CARRIED 4 TO 1":                                counted(4, 1, 0),
		"CARRIED BY A VOTE OF 4-1":                      counted(4, 1, 0),
		"ADOPTED [4 AYES, 1 NAY]":                       counted(4, 1, 0),
		"ADOPTED [UNANIMOUS 7-0]":                       {ayes: 7, counted: true, unanimous: true},
		"CONTINUED TO 5-19":                             {},
		"CONTINUED TO 5-19-2026":                        {},
		"CONTINUED [5/19/2026]":                         {},
		"CONTINUED [5/19/26]":                           {},
		"ADOPTED (as read)":                             {},
		"APPROVED BY VOICE VOTE":                        {voice: true},
		"Referred to the 2-4-6 Club":                    {},
		"ADOPTED [99999 TO 1]":                          {},
		"[":                                             {},
		"":                                              {},
	} {
		got := readTally(raw)
		got.bracket = ""
		if got != want {
			t.Errorf("%q: %+v, want %+v", raw, got, want)
		}
	}
}

func TestLooksLikeResult(t *testing.T) {
	t.Parallel()
	p := NewParser(Options{})
	for text, want := range map[string]bool{
		"ADOPTED [4 TO 1]":                   true,
		"[UNANIMOUS]":                        true,
		"Placed on File [9-0-0]":             true,
		"PASSED [9 TO 2] WITH 1 ABSTENTION":  true,
		"FAILED OF ADOPTION":                 true,
		"Tabled":                             true,
		"VV9":                                true,
		"The motion passed [4 TO 1] we hope": false,
		"The motion was adopted.":            false,
		"Jane Roe, Councilmember":            false,
		"see [1]":                            false,
		"":                                   false,
	} {
		if got := p.looksLikeResult(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestUnanimous(t *testing.T) {
	t.Parallel()
	some := []string{"x"}
	for name, c := range map[string]struct {
		b    block
		want bool
	}{
		"ayes alone":                     {block{positions: Positions{Aye: some}}, true},
		"a nay":                          {block{positions: Positions{Aye: some, Nay: some}, tally: tally{unanimous: true}}, false},
		"an abstention":                  {block{positions: Positions{Aye: some, Abstain: some}}, false},
		"an absence":                     {block{positions: Positions{Aye: some, Absent: some}}, true},
		"nays alone":                     {block{positions: Positions{Nay: some}}, false},
		"no names, the bracket says so":  {block{tally: tally{unanimous: true}}, true},
		"no names, a tally without nays": {block{tally: tally{counted: true, ayes: 9}}, true},
		"no names, a tally with nays":    {block{tally: tally{counted: true, ayes: 9, nays: 1}}, false},
		"no names, with abstentions":     {block{tally: tally{counted: true, ayes: 9, others: 1}}, false},
		"nothing at all":                 {block{}, false},
	} {
		if got := unanimous(c.b.positions, c.b.tally); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAgrees(t *testing.T) {
	t.Parallel()
	p := NewParser(Options{})
	vote := func(raw string, ayes, nays int) Vote {
		v := Vote{ResultRaw: raw, Result: p.results.Classify(raw), AyesCount: ayes, NaysCount: nays}
		for range ayes {
			v.Positions.Aye = append(v.Positions.Aye, "x")
		}
		return v
	}
	for _, c := range []struct {
		shown string
		votes []Vote
		want  bool
	}{
		{"ADOPTED [9 TO 0]", []Vote{vote("ADOPTED [9 TO 0]", 9, 0)}, true},
		{"Adopted [Unanimous]", []Vote{vote("ADOPTED [9 TO 0]", 9, 0)}, true},
		{"ADOPTED", []Vote{vote("APPROVED AS AMENDED [5-2]", 5, 2)}, true},
		{"Approved (5-2)", []Vote{vote("APPROVED AS AMENDED [5 TO 2]", 5, 2)}, true},
		{"ADOPTED [9 TO 0]", []Vote{vote("ADOPTED [UNANIMOUS]", 9, 0)}, true},
		{"ADOPTED [9 TO 0]", []Vote{vote("ADOPTED [UNANIMOUS]", 0, 0)}, true}, // nobody is named
		{"Held in Committee", []Vote{vote("PASSED [UNANIMOUS]", 7, 0)}, true}, // the motion to hold it
		{"Referred", []Vote{vote("ADOPTED [7 TO 0]", 7, 0)}, true},
		{"TABLED [7 TO 0]", []Vote{vote("FAILED [3 TO 4]", 3, 4), vote("TABLED [7 TO 0]", 7, 0)}, true},
		{"ADOPTED [8 TO 1]", []Vote{vote("ADOPTED [9 TO 0]", 9, 0)}, false},
		{"ADOPTED [9 TO 0]", []Vote{vote("FAILED [9 TO 0]", 9, 0)}, false},
		{"FAILED", []Vote{vote("ADOPTED [UNANIMOUS]", 9, 0)}, false},
		{"ADOPTED [UNANIMOUS]", []Vote{vote("ADOPTED [8 TO 1]", 8, 1)}, false},
		{"ADOPTED [9 TO 0]", []Vote{vote("ADOPTED [UNANIMOUS]", 8, 0)}, false},
	} {
		if got := p.Agrees(c.shown, c.votes); got != c.want {
			t.Errorf("%q beside %q: %v", c.shown, c.votes[len(c.votes)-1].ResultRaw, got)
		}
	}
}
