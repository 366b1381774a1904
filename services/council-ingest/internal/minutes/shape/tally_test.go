package shape

import "testing"

func TestReadTally(t *testing.T) {
	t.Parallel()
	counted := func(ayes, nays, others int) Tally {
		return Tally{Ayes: ayes, Nays: nays, Others: others, Counted: true}
	}
	for raw, want := range map[string]Tally{
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
		"Filed [VV9]":                                   {Ayes: 9, Counted: true, Voice: true},
		"VV9":                                           {Ayes: 9, Counted: true, Voice: true},
		"ADOPTED [UNANIMOUS]":                           {Unanimous: true},
		"ADOPTED [UNANIMOUSLY]":                         {Unanimous: true},
		"ADOPTED UNANIMOUS":                             {Unanimous: true},
		"ADOPTED":                                       {},
		"ADOPTED [as read]":                             {},
		"ADOPTED [4]":                                   {},
		"ADOPTED [FOUR TO ONE]":                         counted(4, 1, 0),
		"ADOPTED (4-1)":                                 counted(4, 1, 0),
		"CARRIED 4 TO 1":                                counted(4, 1, 0),
		"CARRIED BY A VOTE OF 4-1":                      counted(4, 1, 0),
		"ADOPTED [4 AYES, 1 NAY]":                       counted(4, 1, 0),
		"ADOPTED [UNANIMOUS 7-0]":                       {Ayes: 7, Counted: true, Unanimous: true},
		"CONTINUED TO 5-19":                             {},
		"CONTINUED TO 5-19-2026":                        {},
		"CONTINUED [5/19/2026]":                         {},
		"CONTINUED [5/19/26]":                           {},
		"ADOPTED (as read)":                             {},
		"APPROVED BY VOICE VOTE":                        {Voice: true},
		"Referred to the 2-4-6 Club":                    {},
		"ADOPTED [99999 TO 1]":                          {},
		"[":                                             {},
		"":                                              {},
	} {
		got := ReadTally(raw)
		got.Bracket = ""
		if got != want {
			t.Errorf("%q: %+v, want %+v", raw, got, want)
		}
	}
}

func TestJoinNames(t *testing.T) {
	t.Parallel()
	for want, parts := range map[string][]string{
		"Joan Waters, Abe Lott": {"Joan", "Waters, Abe Lott"},
		"Ruiz-Santos, Lott":     {"Ruiz-", "Santos, Lott"},
		"Doe - Roe":             {"Doe -", "Roe"},
		"":                      nil,
	} {
		if got := JoinNames(parts); got != want {
			t.Errorf("%q: %q", parts, got)
		}
	}
}
