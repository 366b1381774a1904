package signal

import (
	"regexp"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// plausible drops a single word that is no member's name, where the members are known. The last names in the rolls of
// the document are those of members, too.
func (r *Scanner) plausible(n *person.Name) *person.Name {
	if n == nil || n.Office != "" || strings.Contains(n.Text, " ") || r.Members.Len() < 3 || r.isFound(*n) ||
		initials.MatchString(n.Text) || r.Members.IsGiven(n.Text) || r.hasVoted(n.Text) {
		return n
	}
	return nil
}

// hasVoted reports whether a last name stands in a roll of the document.
func (r *Scanner) hasVoted(name string) bool {
	if r.voters == nil {
		r.voters = map[string]bool{}
		for k, p := range r.Paras {
			rows, _, _, _ := r.Rows(k)
			pairs, _, _ := r.Pairs(p, Span{From: 0, To: len(p.Text)})
			for _, e := range append(rows, pairs...) {
				for _, n := range e.Names {
					if e.Unread == "" && !strings.Contains(n.Text, " ") && (len(e.Names) > 1 || len(pairs) > 2) {
						r.voters[council.FoldName(n.Text)] = true
					}
				}
			}
		}
	}
	return r.voters[council.FoldName(name)]
}

// isFound reports whether a name is a member's, even if it is misspelt.
func (r *Scanner) isFound(n person.Name) bool {
	_, match := r.Resolve(n)
	return match.Found()
}

func (r *Scanner) isMember(n person.Name) bool {
	_, match := r.Resolve(n)
	return match <= council.MatchGiven
}

// Resolve finds the member whom a printed name means.
func (r *Scanner) Resolve(n person.Name) (string, council.NameMatch) { return r.Members.Resolve(n) }

// Printed returns the full name of a mover, or nil if only an unknown office is printed.
func (r *Scanner) Printed(n *person.Name) *string {
	if n == nil {
		return nil
	}
	full, match := r.Resolve(*n)
	if !match.Found() {
		if full = n.Text; initials.MatchString(full) {
			full = r.Members.ByInitials(full)
		}
	}
	return council.Some(full)
}

// initials matches a member who is printed with initials only.
var initials = regexp.MustCompile(`^[A-Z]\.? ?[A-Z]\.?(?: ?[A-Z]\.?)?$`)

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
