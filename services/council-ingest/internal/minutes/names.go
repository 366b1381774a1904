package minutes

import (
	"strings"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
)

// people resolves printed names: first by the attendance list of the document,
// then by the members that are known and by full names that stand elsewhere in
// its votes.
type people struct {
	dialect *dialect
	roster  council.Roster
	seen    council.Roster

	// What was worked out before: minutes print the same rolls again and again.
	cache map[string]resolved
	lists map[string][]printedName
	known map[string][2]int
}

type resolved struct {
	name    string
	match   council.NameMatch
	foreign bool // not on the roster, though there is one
}

// resolve finds the member that a printed name without title means.
func (p *people) resolve(printed string) resolved {
	if r, ok := p.cache[printed]; ok {
		return r
	}
	r := p.lookup(printed)
	if p.cache == nil {
		p.cache = map[string]resolved{}
	}
	p.cache[printed] = r
	return r
}

func (p *people) lookup(printed string) resolved {
	name, match := p.roster.Resolve(printed)
	if match <= council.MatchGiven || match == council.MatchAmbiguous {
		return resolved{name, match, false}
	}
	if name, other := p.seen.Resolve(printed); other <= council.MatchGiven {
		return resolved{name, other, p.roster.Len() > 0}
	}
	if match.Found() {
		return resolved{name, match, false}
	}
	name, match = p.seen.Resolve(printed)
	return resolved{name, match, p.roster.Len() > 0}
}

// maxPeople is how many people a document is thought to name in its votes.
const maxPeople = 300

// isUnread tells whether a name holds characters that nobody could read. Such a name is nobody's.
func isUnread(name string) bool { return strings.ContainsRune(name, utf8.RuneError) }

// learn puts a full name from a vote on the second roster, unless the first
// one knows it.
func (p *people) learn(full string) {
	if p.seen.Len() >= maxPeople || isUnread(full) {
		return
	}
	if _, match := p.roster.Resolve(full); match.Found() || match == council.MatchAmbiguous {
		return
	}
	part := council.FoldName(full) + " "
	for _, name := range p.roster.Names() {
		if strings.HasPrefix(council.FoldName(name), part) {
			return // the line broke within a name
		}
	}
	if p.splitUnparted(full) == nil && p.seen.Add(full) {
		p.forget()
	}
}

// forget drops what was worked out with fewer people.
func (p *people) forget() { p.cache, p.known = nil, nil }

// printedName is one name of a row.
type printedName struct {
	text string // without title
	note string // what stood in brackets after it
}

// splitNames cuts the value of a list row into names: at commas, semicolons
// and "and". Titles before and after names go, "None" is nobody, and a suffix
// ("Jr.") goes back to its name.
func (d *dialect) splitNames(value string) []printedName {
	value = d.and.Replace(value)
	out := make([]printedName, 0, strings.Count(value, ",")+1)
	for len(value) > 0 {
		piece := value
		if i := strings.IndexAny(value, ",;"); i >= 0 {
			piece, value = value[:i], value[i+1:]
		} else {
			value = ""
		}
		piece = cutAnd(strings.TrimSpace(piece))
		if isNobody(piece) {
			continue
		}
		var n printedName
		if i := strings.LastIndexByte(piece, '('); i > 0 && strings.HasSuffix(piece, ")") {
			n.note = strings.ToLower(strings.TrimSpace(piece[i+1 : len(piece)-1]))
			piece = strings.TrimSpace(piece[:i])
		}
		if isNameSuffix(piece) && len(out) > 0 {
			out[len(out)-1].text += ", " + piece
			continue
		}
		if d.isTitle(piece) {
			continue
		}
		n.text = d.stripTitle(piece)
		out = append(out, n)
	}
	return out
}

// cutAnd takes off the "and" at which a line of a list broke.
func cutAnd(piece string) string {
	for _, and := range []string{"and", "AND", "&"} {
		if rest, is := strings.CutPrefix(piece, and+" "); is {
			piece = rest
		}
		if rest, is := strings.CutSuffix(piece, " "+and); is {
			piece = rest
		}
	}
	return piece
}

// isOpenList reports whether a line of a list ends where another name follows.
func isOpenList(text string) bool {
	return strings.HasSuffix(text, ",") || strings.HasSuffix(text, ";") || strings.HasSuffix(text, " &") || strings.HasSuffix(text, " and") || strings.HasSuffix(text, " AND")
}

func isNobody(s string) bool {
	switch strings.ToLower(strings.Trim(s, ". -–—")) {
	case "", "none", "n/a", "na", "nobody", "no one", "0", "nil":
		return true
	}
	return false
}

func isNameSuffix(s string) bool {
	switch strings.ToLower(strings.Trim(s, ".")) {
	case "jr", "sr", "ii", "iii", "iv", "esq", "ph.d", "phd", "md", "m.d":
		return true
	}
	return false
}

// isSentenceEnd reports whether text ends with a full stop that is not that of
// a name ("Jr.").
func isSentenceEnd(text string) bool {
	return strings.HasSuffix(text, ".") && !isNameSuffix(lastWord(text))
}

// stripTitle takes the words of an office off the front of a name: "Vice Mayor
// Vance", "Councilwoman Odile Brandt". A name of title words only stays.
func (d *dialect) stripTitle(s string) string {
	rest := s
	for {
		i := strings.IndexByte(rest, ' ')
		if i < 0 || !d.isTitleWord(rest[:i]) && (rest == s || !allDigits(rest[:i])) { // Ward 3 Council Member Brandt
			break
		}
		rest = strings.TrimLeft(rest[i:], " ")
	}
	if isNameSuffix(lastWord(rest)) {
		return rest
	}
	return strings.TrimSuffix(rest, ".")
}

// isPersonShaped reports whether text can be a list of names that nobody knows
// yet: pieces of one to five capitalised words, without figures and without
// the words of a sentence.
func (d *dialect) isPersonShaped(text string) bool {
	if len(text) > 200 || strings.ContainsAny(text, ":[]$?!") {
		return false
	}
	names := 0
	for _, piece := range strings.FieldsFunc(d.and.Replace(text), func(r rune) bool { return r == ',' || r == ';' }) {
		words := strings.Fields(piece)
		if len(words) == 0 {
			continue
		}
		offices := 0
		for k, w := range words {
			if k > 0 && allDigits(w) && d.isTitleWord(words[k-1]) {
				offices++
				continue // Ward 3 Council Member
			}
			c := w[0]
			if strings.ContainsAny(w, "0123456789") || !(c >= 'A' && c <= 'Z' || c >= 0x80 || c == '"' || c == '(' || c == '\'' || w == "and" || w == "&" || isNameParticle(w)) {
				return false
			}
			if d.isTitleWord(w) {
				offices++
			}
		}
		if len(words)-offices > 7 {
			return false
		}
		names++
	}
	return names > 0
}

func isNameParticle(w string) bool {
	switch w {
	case "de", "del", "der", "den", "di", "du", "da", "dos", "la", "le", "van", "von":
		return true
	}
	return false
}

// split is splitNames with a memory; the caller leaves the result as it is.
func (p *people) split(value string) []printedName {
	if names, ok := p.lists[value]; ok {
		return names
	}
	names := p.dialect.splitNames(value)
	if p.lists == nil {
		p.lists = map[string][]printedName{}
	}
	p.lists[value] = names
	return names
}

// knownNames counts the pieces of a line that are members and those that are
// not. A piece that a line break cut in two counts as unknown.
func (p *people) knownNames(text string) (known, unknown int) {
	if k, ok := p.known[text]; ok {
		return k[0], k[1]
	}
	defer func() {
		if p.known == nil {
			p.known = map[string][2]int{}
		}
		p.known[text] = [2]int{known, unknown}
	}()
	for _, n := range p.split(text) {
		if r := p.resolve(n.text); r.match.Found() || r.match == council.MatchAmbiguous {
			known++
		} else if many := p.splitUnparted(n.text); len(many) > 0 {
			known += len(many)
		} else {
			unknown++
		}
	}
	return known, unknown
}

// splitUnparted reads several members between whom the commas are missing
// ("Brandt Vance Arano"); it returns nil unless every word finds its member.
func (p *people) splitUnparted(text string) []string {
	words := strings.Fields(text)
	if len(words) < 2 || len(words) > 40 {
		return nil
	}
	var out []string
	for i := 0; i < len(words); {
		took := 0
		for n := min(4, len(words)-i); n >= 1; n-- {
			r := p.resolve(strings.Join(words[i:i+n], " "))
			if r.match == council.MatchFull || r.match == council.MatchLast || r.match == council.MatchGiven {
				out = append(out, r.name)
				took = n
				break
			}
		}
		if took == 0 {
			return nil
		}
		i += took
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// joinNames puts the wrapped lines of a list together. A name broken at its
// hyphen is whole again.
func joinNames(parts []string) string {
	s := ""
	for _, part := range parts {
		switch {
		case s == "":
			s = part
		case strings.HasSuffix(s, "-") && !strings.HasSuffix(s, " -"):
			s += part
		default:
			s += " " + part
		}
	}
	return fold(s)
}
