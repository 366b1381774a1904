package signal

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// isGiven reports whether a word is the given name of a member.
func (r *Scanner) isGiven(word string) bool {
	return slices.ContainsFunc(r.Members.Names(), func(name string) bool {
		given, _, _ := strings.Cut(name, " ")
		return council.FoldName(given) == council.FoldName(word)
	})
}

// byGiven returns the only member with a given name, or "".
func (r *Scanner) byGiven(word string) string {
	if r.Members == nil {
		return ""
	}
	found, want := "", council.FoldName(word)
	for _, name := range r.Members.Names() {
		if given, _, more := strings.Cut(name, " "); more && council.FoldName(given) == want {
			if found != "" {
				return ""
			}
			found = name
		}
	}
	return found
}

// bySurname returns the only member one of whose two last names is the word, or "". Spanish minutes
// print the first of them.
func (r *Scanner) bySurname(word string) string {
	if r.Members == nil || r.Language != spanish {
		return ""
	}
	found, want := "", strings.Fields(council.FoldName(word))
	if len(want) == 0 {
		return ""
	}
	for _, name := range r.Members.Names() {
		words := strings.Fields(council.FoldName(name))
		if len(words) > 2 && slices.Contains(words[1:], want[len(want)-1]) && (len(want) == 1 || words[0] == want[0]) {
			if found != "" {
				return ""
			}
			found = name
		}
	}
	return found
}

// plausible drops a single word that is no member's name, where the members are known.
func (r *Scanner) plausible(n *person.Name) *person.Name {
	if n == nil || n.Office != "" || strings.Contains(n.Text, " ") || r.Members.Len() < 3 || r.isMember(*n) ||
		initials.MatchString(n.Text) || r.isGiven(n.Text) {
		return n
	}
	return nil
}

func (r *Scanner) isMember(n person.Name) bool {
	_, match := r.Resolve(n)
	return match <= council.MatchGiven
}

// Resolve finds the member whom a printed name means. The initial of a given name decides between
// two members of one last name, even if it is the middle initial of the other.
func (r *Scanner) Resolve(n person.Name) (string, council.NameMatch) {
	full, match := r.Members.Resolve(n)
	words := strings.Fields(n.Text)
	if name := r.byInitial(words); name != "" && match != council.MatchFull {
		return name, council.MatchGiven
	}
	if match == council.MatchNone && r.Language == spanish && len(words) == 2 {
		if name := r.bySurname(n.Text); name != "" {
			return name, council.MatchGiven
		}
	}
	if match == council.MatchNone && len(words) == 1 {
		if name := r.byGiven(n.Text); name != "" && n.Office == "" {
			return name, council.MatchGiven
		}
		if name := r.bySurname(n.Text); name != "" {
			return name, council.MatchGiven
		}
	}
	return full, match
}

// first returns the first letter of a name, without its accent.
func first(name string) string {
	name = council.FoldName(name)
	return name[:min(1, len(name))]
}

// byInitial returns the only member of a last name whose given name has the initial before it: "A. Doe" is not
// Mark A. Doe, if there is an Amy Doe.
func (r *Scanner) byInitial(words []string) string {
	if len(words) != 2 || !isInitialWord(words[0]) || r.Members == nil {
		return ""
	}
	found, last := "", council.FoldName(words[1])
	for _, name := range r.Members.Names() {
		if first(name) == first(words[0]) && council.FoldName(council.LastName(name)) == last {
			if found != "" {
				return ""
			}
			found = name
		}
	}
	return found
}

// Printed returns the full name of a mover, or nil if only an unknown office is printed.
func (r *Scanner) Printed(n *person.Name) *string {
	if n == nil {
		return nil
	}
	full, match := r.Resolve(*n)
	if !match.Found() {
		if full = n.Text; initials.MatchString(full) {
			full = r.byInitials(full)
		}
	}
	return council.Some(full)
}

// initials matches a member who is printed with initials only.
var initials = regexp.MustCompile(`^[A-Z]\.? ?[A-Z]\.?(?: ?[A-Z]\.?)?$`)

// byInitials returns the only member with the initials, or "".
func (r *Scanner) byInitials(printed string) string {
	want := strings.NewReplacer(".", "", " ", "").Replace(printed)
	found := ""
	for _, name := range r.Members.Names() {
		got := ""
		for word := range strings.FieldsSeq(name) {
			got += word[:1]
		}
		if got == want {
			if found != "" {
				return ""
			}
			found = name
		}
	}
	return found
}

// Mover returns the full name of a motion's mover, or "".
func (r *Scanner) Mover(m *Motion) string {
	if m == nil {
		return ""
	}
	if name := r.Printed(m.Mover); name != nil {
		return *name
	}
	return ""
}
