package minutes_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

func TestNamesWithoutCommas(t *testing.T) {
	t.Parallel()
	p := person.NewPeople(person.NewWords())
	for _, name := range []string{"Odile Brandt", "Teodor Vance", "Jan van der Meer", "Agnes Marlow", "Bertram Marlow"} {
		p.Add(name, "")
	}
	for text, want := range map[string][]string{
		"Brandt Vance van der Meer":   {"Odile Brandt", "Teodor Vance", "Jan van der Meer"},
		"Odile Brandt Teodor Vance":   {"Odile Brandt", "Teodor Vance"},
		"Agnes Marlow Bertram Marlow": {"Agnes Marlow", "Bertram Marlow"},
		"Brandt Marlow":               nil, // two members have the last name Marlow
		"Brandt Quist":                nil,
		"Odile Brandt":                nil, // one member, not two
		"Brandt":                      nil,
		"":                            nil,
	} {
		if diff := cmp.Diff(want, p.SplitUnparted(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// The attendance list takes precedence over full names in votes.
func TestPeopleResolve(t *testing.T) {
	t.Parallel()
	p := person.NewPeople(person.NewWords())
	p.Add("Odile Brandt", "")
	p.Learn("Suki Arano", "")
	p.Learn("O. Brandt", "")
	type resolved struct {
		name    string
		match   council.NameMatch
		foreign bool
	}
	for printed, want := range map[string]resolved{
		"Brandt":       {name: "Odile Brandt", match: council.MatchLast},
		"Odile Brandt": {name: "Odile Brandt", match: council.MatchFull},
		"Arano":        {name: "Suki Arano", match: council.MatchLast, foreign: true},
		"Odile Brnadt": {name: "Odile Brandt", match: council.MatchMisspelt},
		"Quist":        {name: "Quist", match: council.MatchNone, foreign: true},
	} {
		name, match := p.Resolve(person.Name{Text: printed})
		if got := (resolved{name, match, p.IsForeign(name)}); got != want {
			t.Errorf("%q: %+v, want %+v", printed, got, want)
		}
	}
	p.Add("Solveig Brandt", "")
	if name, match := p.Resolve(person.Name{Text: "Brandt"}); match != council.MatchAmbiguous || name != "Brandt" {
		t.Errorf("Resolve with two Brandts = %s, %v", name, match)
	}
}
