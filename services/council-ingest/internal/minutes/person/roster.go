package person

import (
	"strings"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
)

// Roster resolves printed names and offices to people. The zero value is empty; a nil roster knows
// nobody. It is not safe for concurrent use.
type Roster struct {
	names   council.Roster
	holders map[string][]string // full names by office
	french  bool                // somebody holds an office with a French name, so "M." is no initial
}

// Add adds a person with the full name and, if known, the office. It reports whether the person is
// new.
func (r *Roster) Add(full, office string) bool {
	if len(full) > maxName || r.names.Len() >= maxNames {
		return false
	}
	added := r.names.Add(full)
	if name, match := r.names.Resolve(full); match == council.MatchFull {
		full = name
	}
	for _, word := range strings.Fields(fold(office)) {
		r.french = r.french || isFrench(word)
	}
	for part := range strings.FieldsFuncSeq(office, func(r rune) bool { return r == ',' || r == '/' || r == '&' }) {
		if o := officeKey(part); o != "" && !contains(r.holders[o], full) {
			if r.holders == nil {
				r.holders = map[string][]string{}
			}
			r.holders[o] = append(r.holders[o], full)
		}
	}
	return added
}

// Len returns the number of people.
func (r *Roster) Len() int { return r.names.Len() }

// Names lists the people in the order of addition.
func (r *Roster) Names() []string { return r.names.Names() }

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
// holds decides; the French M. may look like an initial.
func (r *Roster) name(n Name) (full string, match council.NameMatch) {
	full, match = r.names.Resolve(n.Text)
	if match == council.MatchNone && r.french {
		if rest, found := strings.CutPrefix(n.Text, "M. "); found {
			return r.names.Resolve(rest)
		}
	}
	if match != council.MatchAmbiguous || n.Office == "" {
		return full, match
	}
	holders := r.holders[officeKey(n.Office)]
	if len(holders) != 1 {
		return full, match
	}
	var one council.Roster
	one.Add(holders[0])
	if name, m := one.Resolve(n.Text); m <= council.MatchGiven {
		return name, m
	}
	return full, match
}

// has reports whether a name is that of exactly one person or of several, as printed.
func (r *Roster) has(name string) bool {
	if r == nil || r.names.Len() == 0 || name == "" || len(name) > maxName {
		return false
	}
	_, match := r.names.Resolve(name)
	return match <= council.MatchGiven || match == council.MatchAmbiguous
}

func isFrench(office string) bool {
	switch office {
	case "maire", "mairesse", "conseiller", "conseillere", "conseillers", "conseilleres", "echevin", "echevine", "prefet":
		return true
	}
	return false
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// officeKey makes spellings of one office equal: "the Chairwoman" is the chair, "Mayor Pro Tem" the
// vice mayor. An office that many people hold has no key.
func officeKey(office string) string {
	var words []string
	for word := range strings.FieldsSeq(fold(office)) {
		switch word {
		case "the", "city", "town", "village", "county", "council", "board", "commission", "committee", "township", "of",
			"acting", "m", "mr", "mme", "madame", "madam", "monsieur", "le", "la", "el":
		case "chairman", "chairwoman", "chairperson":
			words = append(words, "chair")
		case "vicechair", "vicechairman", "vicechairwoman":
			words = append(words, "vice", "chair")
		case "mairesse":
			words = append(words, "maire")
		case "alcaldesa":
			words = append(words, "alcalde")
		case "presidente", "presidenta":
			words = append(words, "president")
		case "deputy":
			words = append(words, "vice")
		default:
			words = append(words, word)
		}
	}
	switch k := strings.Join(words, " "); k {
	case "mayor pro tem", "mayor pro tempore", "mayor protem", "vicemayor":
		return "vice mayor"
	case "chair pro tem", "chair pro tempore":
		return "vice chair"
	case "president pro tem", "president pro tempore", "vicepresident":
		return "vice president"
	case "maire suppleant", "maire suppleante":
		return "maire suppleant"
	case "mayor", "vice mayor", "chair", "vice chair", "president", "vice president", "reeve", "vice reeve", "warden",
		"vice warden", "maire", "alcalde", "moderator", "speaker", "secretary", "treasurer", "clerk", "prefet":
		return k
	}
	return ""
}

// MaxPeople bounds the number of members of one document.
const MaxPeople = 300

// IsUnread reports whether a name has unreadable characters. Such a name matches no member.
func IsUnread(name string) bool { return strings.ContainsRune(name, utf8.RuneError) }
