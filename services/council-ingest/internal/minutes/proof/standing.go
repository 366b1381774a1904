package proof

import (
	"fmt"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// manyRolls is how many rolls show who the members of the day are, where there
// is no attendance list.
const manyRolls = 5

// proveStanding checks a roll where no attendance list says who was there:
// then the members are those who stand in the votes, and somebody who stands in
// a single one of many is none of them, or somebody else by another name.
func (s *Prover) proveStanding(p record.Positions, say sayFunc) {
	if s.rolls < manyRolls {
		return
	}
	for _, name := range p.All() {
		if s.standing[name] == 1 && s.People.Resolve(name).Match == council.MatchFull {
			say(council.CodeMemberUnknown, "%s stands in no other vote of the day", name)
		}
	}
}

// ProveNames tells of a word that stands before all names of many, where no
// attendance list says who they are: it is rather an office than a given name,
// "Jurat Odile Brandt".
func (s *Prover) ProveNames() {
	if s.People.Present.Len() > 0 {
		return
	}
	first := map[string]int{}
	for _, name := range s.People.Seen.Names() {
		if word, rest, _ := strings.Cut(name, " "); strings.Contains(rest, " ") {
			first[word]++
			if first[word] == 3 {
				s.Report(council.CodeMemberUnknown, -1, nil, 0, fmt.Sprintf("several names begin with %q, as with an office that is not known", word))
			}
		}
	}
}
