package decide

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// namedIn reads the members whom the sentence of an outcome names with a position of their own.
func (r *reader) namedIn(o *outcome, p *paragraph, s span, f string, base int) {
	original := func(i int) int { return p.offset(base + i) }
	add := func(sense sense, names []person.Name) {
		o.named = append(o.named, entry{sense: sense, names: names, count: -1})
	}
	last := 0
	for _, m := range votedHow.FindAllStringSubmatchIndex(f, 12) {
		var sense sense
		switch {
		case m[2] >= 0:
			sense, _ = r.x.senseOf(f[m[2]:m[3]], aye, nay)
			if strings.HasPrefix(f[m[2]:m[3]], "in the aff") {
				sense = aye
			}
			if strings.HasPrefix(f[m[2]:m[3]], "in the neg") || strings.HasPrefix(f[m[2]:m[3]], "in diss") {
				sense = nay
			}
		case m[4] >= 0 || m[12] >= 0:
			sense = nay
		case m[6] >= 0:
			sense = abstain
		case m[8] >= 0:
			sense = absent
		case m[10] >= 0:
			sense = recused
		}
		if m[12] >= 0 && strings.Trim(f[m[1]:], " .)\"'") != "" {
			continue // "no" counts only at the end: "4-1, Evans no."
		}
		start := last
		for _, e := range nameEdge.FindAllStringIndex(f[last:m[0]], -1) {
			if word := f[last+e[0] : last+e[1]]; word == "." && !strings.HasPrefix(f[last+e[1]:], " ") ||
				word == "." && abbreviatedBefore(f[:last+e[0]]) {
				continue
			}
			start = last + e[1]
		}
		if names := r.membersIn(p.text[original(start):original(m[0])]); names != nil {
			add(sense, names)
			last = m[1]
			continue
		}
		// "2 abstentions (Doe, Roe)", "Nays – 1 (Doe)"
		rest := f[m[1]:]
		if strings.HasPrefix(strings.TrimLeft(rest, " -:0123456789"), "(") {
			open := m[1] + strings.IndexByte(rest, '(') + 1
			if end := strings.IndexByte(f[open:], ')'); end > 0 {
				if names := r.membersIn(p.text[original(open):original(open+end)]); names != nil {
					add(sense, names)
					last = open + end
				}
			}
		}
	}
	if m := exception.FindStringIndex(f); m != nil {
		sense := nay
		if strings.Contains(f[m[0]:m[1]], "abst") {
			sense = abstain
		}
		if n, _, ok := r.nameAt(p.text[original(m[1]):s.to]); ok {
			add(sense, []person.Name{n})
		}
	}
	if strings.Contains(f, "(") {
		r.countedNames(o, p, f, base)
	}
}

func abbreviatedBefore(f string) bool {
	word := f[strings.LastIndexAny(f, " (")+1:]
	return len(word) == 1 || strings.Contains(abbreviations, " "+word+" ")
}

// countedNames reads names in parentheses behind a count: "nays – 1 (Doe)".
func (r *reader) countedNames(o *outcome, p *paragraph, f string, base int) {
	for _, m := range append(r.x.counts.FindAllStringSubmatchIndex(f, 8),
		swapped(r.x.counted.FindAllStringSubmatchIndex(f, 8))...) {
		rest := strings.TrimLeft(f[m[1]:], " ")
		if !strings.HasPrefix(rest, "(") {
			continue
		}
		open := m[1] + strings.IndexByte(f[m[1]:], '(') + 1
		end := strings.IndexByte(f[open:], ')')
		if end < 0 {
			continue
		}
		sense, ok := r.x.senseOf(f[m[2]:m[3]], aye, nay, abstain, absent, recused)
		names := r.membersIn(p.text[p.offset(base+open):p.offset(base+open+end)])
		if ok && names != nil && !hasSense(o.named, sense) {
			o.named = append(o.named, entry{sense: sense, names: names, count: -1})
		}
	}
}

// swapped puts the position before the number in the places of a match.
func swapped(ms [][]int) [][]int {
	for _, m := range ms {
		m[2], m[3], m[4], m[5] = m[4], m[5], m[2], m[3]
	}
	return ms
}

func hasSense(entries []entry, s sense) bool {
	for _, e := range entries {
		if e.sense == s {
			return true
		}
	}
	return false
}

// membersIn reads a text that has nothing but names.
func (r *reader) membersIn(text string) []person.Name {
	text = strings.Trim(strings.Join(strings.Fields(text), " "), " ,;:.–—-&\"“”")
	for _, word := range []string{"and ", "but ", "showing ", "member "} {
		if rest, found := strings.CutPrefix(text, word); found {
			text = rest
		}
	}
	for _, word := range []string{" was", " were", " is", " who", " had", " has", " being", " having"} {
		text = strings.TrimSuffix(text, word)
	}
	if text == "" || len(text) > 300 {
		return nil
	}
	l := r.list(text)
	if len(l.Names) == 0 || len(l.Rest) > 0 || l.Open || l.Tail != "" || l.Count >= 0 {
		return nil
	}
	return l.Names
}
