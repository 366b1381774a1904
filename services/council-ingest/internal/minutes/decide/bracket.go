package decide

import (
	"regexp"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// slashedPair matches two names with a slash between them: "Doe/Roe", "Cr Doe / Cr Roe".
var slashedPair = regexp.MustCompile(`([A-Z][\p{L}'’.-]*(?: [A-Z][\p{L}'’.-]*){0,3}) ?/ ?([A-Z][\p{L}'’.-]*(?: [A-Z][\p{L}'’.-]*){0,3})(?:$|[\s,.;:)])`)

// inBrackets matches who moved and who seconded in brackets: "(Cr Doe/Cr Roe)".
var inBrackets = regexp.MustCompile(`\((?:Moved:? )?([A-Z][^()/\n]{2,40}?) ?/ ?([A-Z][^()/\n]{2,40}?)\)`)

// spokenMotion matches a text that speaks of a motion.
var spokenMotion = regexp.MustCompile(`(?i)\bmo(?:ved|tion)\b|\bm/s\b`)

// bracketIn reads who moved and who seconded in brackets or with a slash between them. Both must be
// members or have an office, because other words stand so, too: "(Building/Fire)".
func (r *reader) bracketIn(text string, m *motion) {
	if m.mover != nil || !strings.Contains(text, "/") {
		return
	}
	pairs := inBrackets.FindAllStringSubmatch(text, 8)
	for _, x := range slashedPair.FindAllStringSubmatch(text, 8) {
		if spokenMotion.MatchString(text) || strings.Contains("\n"+text+"\n", "\n"+strings.TrimSpace(x[0])+"\n") {
			pairs = append(pairs, x)
		}
	}
	for _, x := range pairs {
		first, then := strings.TrimRight(x[1], "."), strings.TrimRight(x[2], ".")
		mover, a, ok := r.nameAt(first)
		second, b, too := r.nameAt(then)
		if ok && too && a == len(first) && b == len(then) && r.isPerson(mover) && r.isPerson(second) {
			m.mover, m.seconder, m.moved, m.seconded = &mover, &second, true, true
			return
		}
	}
}

// isPerson reports whether a name is that of a member, or stands behind an office.
func (r *reader) isPerson(n person.Name) bool {
	return n.Text != "" && (n.Office != "" || r.isMember(n))
}
