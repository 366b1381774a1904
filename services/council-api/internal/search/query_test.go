package search

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for exact, want := range map[string]struct {
		words  string
		phrase bool
		stems  []string
	}{
		``:                     {},
		`'hous'`:               {`'hous'`, false, []string{"hous"}},
		`'street' & 'sweep'`:   {`'street' & 'sweep'`, false, []string{"street", "sweep"}},
		`'street' <-> 'sweep'`: {`'street' & 'sweep'`, true, []string{"street", "sweep"}},
		`'chief' <2> 'polic' & 'x' | 'a' <-> 'b'`: {`'chief' & 'polic' & 'x' | 'a' & 'b'`, true,
			[]string{"chief", "polic", "x", "a", "b"}},
		`'a' & !'b'`:              {`'a' & !'b'`, false, []string{"a"}},
		`'a' & !( 'b' <-> 'c' )`:  {`'a'`, true, []string{"a"}}, // a text may have the two words apart
		`!( 'b' <-> 'c' )`:        {`!( 'b' <-> 'c' )`, true, nil},
		`'a' | !( 'b' <-> 'c' )`:  {`'a' | !( 'b' <-> 'c' )`, true, []string{"a"}},
		`!( 'b' <-> 'c' ) | 'a'`:  {`!( 'b' <-> 'c' ) | 'a'`, true, nil},
		`'o''b' <-> 'c\\d & | !'`: {`'o''b' & 'c\\d & | !'`, true, []string{"o", "b", "c", "d"}},
		`'24' <-> '/7' & '3.5'`:   {`'24' & '/7' & '3.5'`, true, []string{"24", "7", "3", "5"}},
		`'open`:                   {`'open'`, false, []string{"open"}}, // the database never returns such a text
	} {
		got := parse(exact)
		if got.Exact != exact || got.Words != want.words || got.Phrase != want.phrase ||
			!slices.Equal(got.Stems, want.stems) {
			t.Errorf("%s: %+v, want %+v", exact, got, want)
		}
	}
}

func TestNearestCountsLetters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ word, like, want string }{
		{"huosing", "housing", "housing"},
		{"parks", "perk", ""},
		{"àéîõü", "aeîõü", ""}, // five letters allow one mistake, however many bytes they have
		{"àéîõü", "aéîõü", "aéîõü"},
	} {
		if got := nearest(c.word, []string{c.like}); got != c.want {
			t.Errorf("%s, %s: %q", c.word, c.like, got)
		}
	}
}

// A snippet marks typed words, with endings too, but not every word with the same stem.
func TestExtends(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]bool{
		"housing housing": true, "permits permit": true, "permit permits": true, "adopted adopt": true,
		"house housing": false, "zone zoning": false,
	} {
		word, typed, _ := strings.Cut(words, " ")
		if extends(word, typed) != want {
			t.Errorf("extends(%q, %q) = %t", word, typed, !want)
		}
	}
}
