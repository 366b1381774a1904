package signal

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// People resolves the names of one document.
type People struct {
	Present council.Roster // from the attendance list
	Seen    council.Roster // from votes and council.yaml; used after Present
	dialect *lexicon.Dialect

	// The results are cached, because minutes repeat the same names.
	cache map[string]Resolved
	lists map[string][]lexicon.Name
	known map[string][2]int
}

// Resolved is the result for a printed name.
type Resolved struct {
	Name    string
	Match   council.NameMatch
	Foreign bool // there is an attendance list, but it does not have the member
}

// NewPeople returns the names of a document in which nobody is known yet.
func NewPeople(d *lexicon.Dialect) *People { return &People{dialect: d} }

// Resolve finds the member with a printed name, which must have no office before it.
func (p *People) Resolve(printed string) Resolved {
	return memo(&p.cache, printed, func() Resolved { return p.lookup(printed) })
}

func memo[V any](cache *map[string]V, key string, f func() V) V {
	v, ok := (*cache)[key]
	if !ok {
		v = f()
		if *cache == nil {
			*cache = map[string]V{}
		}
		(*cache)[key] = v
	}
	return v
}

func (p *People) lookup(printed string) Resolved {
	name, match := p.Present.Resolve(printed)
	if match <= council.MatchGiven || match == council.MatchAmbiguous {
		return Resolved{name, match, false}
	}
	if name, other := p.Seen.Resolve(printed); other <= council.MatchGiven {
		return Resolved{name, other, p.Present.Len() > 0}
	}
	if match.Found() {
		return Resolved{name, match, false}
	}
	name, match = p.Seen.Resolve(printed)
	return Resolved{name, match, p.Present.Len() > 0}
}

// Learn adds a full name from a vote to Seen, unless Present has it.
func (p *People) Learn(full string) {
	if p.Seen.Len() >= person.MaxPeople || person.IsUnread(full) {
		return
	}
	if _, match := p.Present.Resolve(full); match.Found() || match == council.MatchAmbiguous {
		return
	}
	part := council.FoldName(full) + " "
	for _, name := range p.Present.Names() {
		if strings.HasPrefix(council.FoldName(name), part) {
			return // the line was broken within a name
		}
	}
	if p.SplitUnparted(full) == nil && p.Seen.Add(full) {
		p.Forget()
	}
}

// Forget clears the cached names. Call it after the roster has changed.
func (p *People) Forget() { p.cache, p.known = nil, nil }

// Split is like Dialect.SplitNames, with a cache. The caller must not change the result.
func (p *People) Split(value string) []lexicon.Name {
	return memo(&p.lists, value, func() []lexicon.Name { return p.dialect.SplitNames(value) })
}

// Known returns how many names in a line are members and how many are not.
func (p *People) Known(text string) (known, unknown int) {
	counts := memo(&p.known, text, func() (k [2]int) {
		for _, n := range p.Split(text) {
			if r := p.Resolve(n.Text); r.Match.Found() || r.Match == council.MatchAmbiguous {
				k[0]++
			} else if many := p.SplitUnparted(n.Text); many != nil {
				k[0] += len(many)
			} else {
				k[1]++
			}
		}
		return k
	})
	return counts[0], counts[1]
}

// Whole reports whether a member's name is split over two lines, as in "…, Suki" and "Arano".
func (p *People) Whole(before, text string) bool {
	before = strings.TrimSpace(before[strings.LastIndexAny(before, ",;")+1:])
	if i := strings.IndexAny(text, ",;"); i >= 0 {
		text = text[:i]
	}
	r := p.Resolve(p.dialect.StripTitle(lexicon.JoinNames([]string{before, text})))
	if !r.Match.Found() {
		return false
	}
	// "Vance" and "Suki Arano" are two people, not one.
	alone := p.Resolve(p.dialect.StripTitle(before))
	return !alone.Match.Found() || alone.Name == r.Name
}

// SplitUnparted splits a list of members without commas ("Brandt Vance Arano"). It returns nil
// unless each part is a member.
func (p *People) SplitUnparted(text string) []string {
	words := strings.Fields(text)
	if len(words) < 2 || len(words) > 40 {
		return nil
	}
	var out []string
	for len(words) > 0 {
		n := min(4, len(words))
		r := p.Resolve(strings.Join(words[:n], " "))
		for ; n > 1 && r.Match > council.MatchGiven; n-- {
			r = p.Resolve(strings.Join(words[:n-1], " "))
		}
		if r.Match > council.MatchGiven {
			return nil
		}
		out, words = append(out, r.Name), words[n:]
	}
	if len(out) < 2 {
		return nil
	}
	return out
}
