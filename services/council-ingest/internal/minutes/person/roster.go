package person

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
)

// Roster resolves printed names and offices to people. Those of the attendance list come first. The zero
// value is empty; a nil roster knows nobody. It is not safe for concurrent use.
type Roster struct {
	listed  council.Roster      // those of the attendance list
	seen    council.Roster      // from votes and settings; none of them is listed
	holders map[string][]string // full names by office
	french  bool                // somebody holds an office with a French name, so "M." is no initial
	spanish bool                // Spanish minutes print the first of two last names
	cache   map[string]found    // what was resolved since somebody was added
}

type found struct {
	name  string
	match council.NameMatch
}

// Add adds a person of the attendance list with the full name and, if known, the office. It reports
// whether the person is new.
func (r *Roster) Add(full, office string) bool {
	if len(full) > maxName || r.Len() >= maxNames {
		return false
	}
	added := r.listed.Add(full)
	if name, match := r.listed.Resolve(full); match == council.MatchFull {
		full = name
	}
	r.holds(full, office)
	return added
}

// Learn adds the full name of a person who is not on the attendance list, unless it can be that of
// somebody who is.
func (r *Roster) Learn(full, office string) {
	if r.seen.Len() >= MaxPeople || len(full) > maxName || IsUnread(full) {
		return
	}
	if _, match := r.listed.Resolve(full); match.Found() || match == council.MatchAmbiguous {
		return
	}
	part := council.FoldName(full) + " "
	for _, name := range r.listed.Names() {
		if strings.HasPrefix(council.FoldName(name), part) {
			return // the line was broken within a name
		}
	}
	if r.SplitUnparted(full) == nil && r.seen.Add(full) {
		r.holds(full, office)
	}
}

// holds notes the office of a person.
func (r *Roster) holds(full, office string) {
	r.cache = nil
	for _, word := range strings.Fields(fold(office)) {
		r.french = r.french || isFrench(word)
	}
	for part := range strings.FieldsFuncSeq(office, func(r rune) bool { return r == ',' || r == '/' || r == '&' }) {
		if o := officeKey(part); o != "" && !slices.Contains(r.holders[o], full) {
			if r.holders == nil {
				r.holders = map[string][]string{}
			}
			r.holders[o] = append(r.holders[o], full)
		}
	}
}

// Len returns the number of people.
func (r *Roster) Len() int { return r.listed.Len() + r.seen.Len() }

// Listed returns the number of people of the attendance list.
func (r *Roster) Listed() int { return r.listed.Len() }

// Names lists the people in the order of addition, those of the attendance list first.
func (r *Roster) Names() []string { return slices.Concat(r.listed.Names(), r.seen.Names()) }

// Seen lists those who are not on the attendance list.
func (r *Roster) Seen() []string { return r.seen.Names() }

// IsForeign reports whether there is an attendance list that does not have a person.
func (r *Roster) IsForeign(full string) bool {
	if r.listed.Len() == 0 {
		return false
	}
	_, match := r.listed.Resolve(full)
	return match != council.MatchFull && match != council.MatchAmbiguous
}

// ReadSpanish makes the first of two last names that of its person.
func (r *Roster) ReadSpanish() { r.spanish, r.cache = true, nil }

// Resolve finds the person whom a printed name means, or the only holder of a printed office. If
// nobody or several people fit, it returns the printed name.
func (r *Roster) Resolve(n Name) (full string, match council.NameMatch) {
	if r == nil {
		return n.Text, council.MatchNone
	}
	if n.Text != "" {
		return r.name(n)
	}
	switch holders := r.holders[officeKey(n.Office)]; len(holders) {
	case 0:
		return "", council.MatchNone
	case 1:
		return holders[0], council.MatchFull
	}
	return "", council.MatchAmbiguous
}

// name resolves a printed name. Where two people share a last name, an office that only one of them
// holds decides.
func (r *Roster) name(n Name) (full string, match council.NameMatch) {
	full, match = r.lookup(n.Text)
	if match == council.MatchNone && n.Office == "" {
		given := council.FoldName(n.Text)
		if name := r.only(func(words []string) bool { return len(words) > 1 && words[0] == given }); name != "" {
			return name, council.MatchGiven
		}
	}
	holders := r.holders[officeKey(n.Office)]
	if officeKey(n.Office) == "" && n.Office != "" {
		holders = r.others(n.Text) // Commissioner Doe, and Judge Doe
	}
	if match == council.MatchAmbiguous && len(holders) == 1 {
		var one council.Roster
		one.Add(holders[0])
		if name, m := one.Resolve(n.Text); m <= council.MatchGiven {
			return name, m
		}
	}
	return full, match
}

// lookup resolves a name, first among those of the attendance list. The initial of a given name decides
// between two people of one last name, even if it is the middle initial of the other.
func (r *Roster) lookup(printed string) (string, council.NameMatch) {
	if f, ok := r.cache[printed]; ok {
		return f.name, f.match
	}
	name, match := r.listed.Resolve(printed)
	if match > council.MatchGiven && match != council.MatchAmbiguous {
		other, m := r.seen.Resolve(printed)
		if m <= council.MatchGiven || !match.Found() {
			name, match = other, m
		}
	}
	words := strings.Fields(council.FoldName(printed))
	switch {
	case match == council.MatchFull:
	case len(words) == 2 && utf8.RuneCountInString(words[0]) == 1:
		if one := r.only(func(of []string) bool {
			return of[0][:1] == words[0] && council.LastName(strings.Join(of, " ")) == words[1]
		}); one != "" {
			name, match = one, council.MatchGiven
		}
	case match == council.MatchNone && r.spanish && len(words) > 0 && len(words) < 3:
		if one := r.only(func(of []string) bool {
			return len(of) > 2 && slices.Contains(of[1:], words[len(words)-1]) && (len(words) == 1 || of[0] == words[0])
		}); one != "" {
			name, match = one, council.MatchGiven
		}
	}
	if rest, found := strings.CutPrefix(printed, "M. "); found && r.french && match == council.MatchNone {
		name, match = r.lookup(rest)
	}
	if r.cache == nil {
		r.cache = map[string]found{}
	}
	r.cache[printed] = found{name, match}
	return name, match
}

// only returns the only person whose folded name fits, or "".
func (r *Roster) only(fits func(words []string) bool) string {
	one := ""
	for _, name := range r.Names() {
		if words := strings.Fields(council.FoldName(name)); len(words) > 0 && fits(words) {
			if one != "" {
				return ""
			}
			one = name
		}
	}
	return one
}

// IsGiven reports whether a word is the given name of somebody.
func (r *Roster) IsGiven(word string) bool {
	return slices.ContainsFunc(r.Names(), func(name string) bool {
		given, _, _ := strings.Cut(name, " ")
		return council.FoldName(given) == council.FoldName(word)
	})
}

// ByInitials returns the only person with the initials, or "". Two of them can be the first and any later one: "MD" is
// Mia Del Poe, if no other name begins so.
func (r *Roster) ByInitials(printed string) string {
	want := council.FoldName(strings.NewReplacer(".", "", " ", "").Replace(printed))
	letters := func(words []string) (got string) {
		for _, word := range words {
			got += word[:1]
		}
		return got
	}
	if one := r.only(func(words []string) bool { return letters(words) == want }); one != "" || len(want) != 2 {
		return one
	}
	return r.only(func(words []string) bool {
		got := letters(words)
		return len(got) > 2 && got[:1] == want[:1] && strings.Contains(got[1:], want[1:])
	})
}

// SplitUnparted splits a list of people without commas ("Brandt Vance Arano"). It returns nil unless
// each part is a person.
func (r *Roster) SplitUnparted(text string) []string {
	words := strings.Fields(text)
	if r == nil || len(words) < 2 || len(words) > 40 {
		return nil
	}
	var out []string
	for len(words) > 0 {
		n := min(4, len(words))
		name, match := r.lookup(strings.Join(words[:n], " "))
		for ; n > 1 && match > council.MatchGiven; n-- {
			name, match = r.lookup(strings.Join(words[:n-1], " "))
		}
		if match > council.MatchGiven {
			return nil
		}
		out, words = append(out, name), words[n:]
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// others returns the people of a last name who hold none of the offices that one person has.
func (r *Roster) others(last string) (out []string) {
	last = council.FoldName(last)
	for _, name := range r.Names() {
		if council.FoldName(council.LastName(name)) != last {
			continue
		}
		chief := false
		for _, holders := range r.holders {
			chief = chief || slices.Contains(holders, name)
		}
		if !chief {
			out = append(out, name)
		}
	}
	return out
}

// has reports whether a name is that of exactly one person or of several, as printed.
func (r *Roster) has(name string) bool {
	if r == nil || r.Len() == 0 || name == "" || len(name) > maxName {
		return false
	}
	_, match := r.lookup(name)
	return match <= council.MatchGiven || match == council.MatchAmbiguous
}

func isFrench(office string) bool { return french.Is(office) }

// officeKey makes spellings of one office equal: "the Chairwoman" is the chair, "Mayor Pro Tem" the
// vice mayor. An office that many people hold has no key.
func officeKey(office string) string {
	var own []string
	isDeputy := false
	for word := range strings.FieldsSeq(fold(office)) {
		base, glued := deputy.CutPrefix(word) // vicechair
		switch {
		case filler.Is(word):
		case deputy.Is(word), actingFor.Is(word):
			isDeputy = true
		case glued:
			own, isDeputy = append(own, base), true
		default:
			own = append(own, word)
		}
	}
	if len(own) != 1 {
		return ""
	}
	if n, found := withDeputy[own[0]]; found {
		return fmt.Sprint(n, isDeputy)
	}
	if n, found := single[own[0]]; found && !isDeputy {
		return fmt.Sprint("single ", n)
	}
	return ""
}

// MaxPeople bounds the number of members of one document.
const MaxPeople = 300

// IsUnread reports whether a name has unreadable characters. Such a name matches no member.
func IsUnread(name string) bool { return strings.ContainsRune(name, utf8.RuneError) }
