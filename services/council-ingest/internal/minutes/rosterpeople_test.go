package minutes_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

func TestNamesWithoutCommas(t *testing.T) {
	t.Parallel()
	p := signal.NewPeople(lexicon.New(lexicon.Words{}, nil))
	for _, name := range []string{"Odile Brandt", "Teodor Vance", "Jan van der Meer", "Agnes Marlow", "Bertram Marlow"} {
		p.Present.Add(name)
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
	p := signal.NewPeople(lexicon.New(lexicon.Words{}, nil))
	p.Present.Add("Odile Brandt")
	p.Learn("Suki Arano")
	p.Learn("O. Brandt")
	for printed, want := range map[string]signal.Resolved{
		"Brandt":       {Name: "Odile Brandt", Match: council.MatchLast},
		"Odile Brandt": {Name: "Odile Brandt", Match: council.MatchFull},
		"Arano":        {Name: "Suki Arano", Match: council.MatchLast, Foreign: true},
		"Odile Brnadt": {Name: "Odile Brandt", Match: council.MatchMisspelt},
		"Quist":        {Name: "Quist", Match: council.MatchNone, Foreign: true},
	} {
		if got := p.Resolve(printed); got != want {
			t.Errorf("%q: %+v, want %+v", printed, got, want)
		}
	}
	p.Present.Add("Solveig Brandt")
	p.Forget()
	if got := p.Resolve("Brandt"); got.Match != council.MatchAmbiguous || got.Name != "Brandt" {
		t.Errorf("Resolve with two Brandts = %+v", got)
	}
}

func TestPeopleAreBounded(t *testing.T) {
	t.Parallel()
	p := signal.NewPeople(lexicon.New(lexicon.Words{}, nil))
	for i := range 2 * person.MaxPeople {
		p.Learn("Citizen " + string(rune('A'+i%26)) + string(rune('a'+i/26)) + "xyz")
	}
	if p.Seen.Len() != person.MaxPeople {
		t.Errorf("%d people, want at most %d", p.Seen.Len(), person.MaxPeople)
	}
}
