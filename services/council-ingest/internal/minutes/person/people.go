package person

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// People are the people of one document: how its names are read, and who they are.
type People struct {
	*Words
	Roster

	// The results are cached, because minutes repeat the same names.
	lists map[string][]Name
	known map[string][2]int
	of    int // people in the roster when they were read
}

// NewPeople returns the people of a document in which nobody is known yet.
func NewPeople(w *Words) *People { return &People{Words: w} }

func (p *People) refresh() {
	if n := p.Len(); n != p.of || p.lists == nil {
		p.lists, p.known = map[string][]Name{}, map[string][2]int{}
		p.of = n
	}
}

// Split returns each name of a row, even one that no person has, but no office behind its name. The caller must
// not change the result.
func (p *People) Split(value string) []Name {
	p.refresh()
	names, ok := p.lists[value]
	if !ok {
		names = slices.DeleteFunc(p.Row(value, &p.Roster).Names, func(n Name) bool { return n.Text == "" })
		p.lists[value] = names
	}
	return names
}

// Known returns how many names in a line are members and how many are not.
func (p *People) Known(text string) (known, unknown int) {
	p.refresh()
	k, ok := p.known[text]
	if !ok {
		for _, n := range p.Split(text) {
			if _, match := p.Resolve(n); match.Found() || match == council.MatchAmbiguous {
				k[0]++
			} else if many := p.SplitUnparted(n.Text); many != nil {
				k[0] += len(many)
			} else {
				k[1]++
			}
		}
		p.known[text] = k
	}
	return k[0], k[1]
}

// seatFirst matches the end of an office, before a name on the next line: "Ward 2 Odile Brandt".
var seatFirst = words.Regexp(`^` + seat + ` (?:\d{1,3}|[A-Z]) `)

// NameOf returns the name behind an office, or the last word of a text that is nothing but an office.
func (p *People) NameOf(text string) string {
	_, name := p.CutOffice(seatFirst.ReplaceAllString(text, ""))
	if name == "" {
		name = text[strings.LastIndexByte(text, ' ')+1:]
	}
	if p.endsAbbreviated(name) {
		return name
	}
	return strings.TrimSuffix(name, ".")
}

// Whole reports whether a member's name is split over two lines, as in "…, Suki" and "Arano".
func (p *People) Whole(before, text string) bool {
	before = strings.TrimSpace(before[strings.LastIndexAny(before, ",;")+1:])
	if i := strings.IndexAny(text, ",;"); i >= 0 {
		text = text[:i]
	}
	whole, match := p.Resolve(Name{Text: p.NameOf(Join([]string{before, text}))})
	if !match.Found() {
		return false
	}
	// "Vance" and "Suki Arano" are two people, not one.
	alone, match := p.Resolve(Name{Text: p.NameOf(before)})
	return !match.Found() || alone == whole
}
