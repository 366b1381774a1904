package lexicon

import "testing"

// One reader has the tallies of every language, in figures and in words.
func TestTally(t *testing.T) {
	t.Parallel()
	x := New(Words{}, nil).Patterns()
	type tally struct {
		ayes, nays, others int
		counted, unanimous bool
	}
	for text, want := range map[string]tally{
		"motion carried 3-0 with 3 abstentions":                     {ayes: 3, others: 3, counted: true},
		"the motion passed 4 to 1":                                  {ayes: 4, nays: 1, counted: true},
		"motion carried by four votes to one":                       {ayes: 4, nays: 1, counted: true},
		"carried 6/1":                                               {ayes: 6, nays: 1, counted: true},
		"vote: 7 yes, 0 no":                                         {ayes: 7, counted: true},
		"ayes - 4; nays - 1":                                        {ayes: 4, nays: 1, counted: true},
		"six were in favour, one abstained":                         {ayes: 6, others: 1, counted: true},
		"carried unanimously":                                       {unanimous: true},
		"par 6 voix pour et 2 voix contre":                          {ayes: 6, nays: 2, counted: true},
		"35 voix contre 6":                                          {ayes: 35, nays: 6, counted: true},
		"pour : 11 contre : o":                                      {ayes: 11, counted: true},
		"se registran 8 (ocho) votos a favor":                       {ayes: 8, counted: true},
		"un pour les branchements et un pour les bornes":            {},
		"votes against: 21,423":                                     {},
		"continued to section 4-1 of the code, which was adopted":   {},
		"items on the unanimous consent agenda were read":           {},
		"a motion to amend passes only if the vote is unanimous":    {},
		"five were in favour of the motion, six in favour of the x": {},
	} {
		got := x.Tally(text, InSentence)
		if g := (tally{got.Ayes, got.Nays, got.Others, got.Counted, got.Unanimous}); g != want {
			t.Errorf("%q: %+v, want %+v", text, g, want)
		}
	}
}
