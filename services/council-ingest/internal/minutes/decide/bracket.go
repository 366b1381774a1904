package decide

import (
	"regexp"

	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// inBrackets matches who moved and who seconded in brackets: "(Cr Doe/Cr Roe)".
var inBrackets = regexp.MustCompile(`\((?:Moved:? )?([A-Z][^()/\n]{2,40}?) ?/ ?([A-Z][^()/\n]{2,40}?)\)`)

// bracketIn reads who moved and who seconded in brackets. Both must be members or have an office,
// because other words stand so, too: "(Building/Fire)".
func (r *reader) bracketIn(text string, m *motion) {
	x := inBrackets.FindStringSubmatch(text)
	if x == nil || m.mover != nil {
		return
	}
	mover, a, ok := r.nameAt(x[1])
	second, b, too := r.nameAt(x[2])
	if ok && too && a == len(x[1]) && b == len(x[2]) && r.isPerson(mover) && r.isPerson(second) {
		m.mover, m.seconder, m.moved, m.seconded = &mover, &second, true, true
	}
}

// isPerson reports whether a name is that of a member, or stands behind an office.
func (r *reader) isPerson(n person.Name) bool {
	return n.Text != "" && (n.Office != "" || r.isMember(n))
}
