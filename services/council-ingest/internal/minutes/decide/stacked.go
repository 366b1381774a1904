package decide

import (
	"regexp"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// maxLabels bounds the labels that stand above each other before their lists.
const maxLabels = 5

// stackedAt reads labels without a colon and the lists below them, each in a paragraph of its own: "For", "Doe, Roe
// (2)", "Against", "Poe (1)"; or all labels first, where columns were lost. It returns the paragraph behind
// the lists, or k if there are none.
func (r *scanner) stackedAt(k int) (entries []entry, next int) {
	var labels []sense
	for next = k; next < len(r.paras) && len(labels) < maxLabels; next++ {
		s, ok := r.labelOnly(r.paras[next])
		if !ok {
			break
		}
		labels = append(labels, s)
	}
	if len(labels) == 0 || len(labels) == 1 && strings.Contains(r.paras[k].text, ":") {
		return nil, k
	}
	for _, s := range labels {
		e, behind, ok := r.listAt(next)
		if !ok {
			return nil, k
		}
		e.sense = s
		entries = append(entries, e)
		next = behind
	}
	return entries, next
}

// labelOnly returns the position that a paragraph of one line has as its only word.
func (r *scanner) labelOnly(p *paragraph) (sense, bool) {
	if len(p.lines) != 1 || len(p.fold) > 60 {
		return 0, false
	}
	return r.x.senseOf(strings.Trim(p.fold, " :.-*"), aye, nay, abstain, recused, notVoting)
}

// countBelow matches the number of names below a list or at its end.
var countBelow = regexp.MustCompile(`\s*\((\d{1,2})\)\.?$`)

// listAt reads paragraphs that have nothing but the names of members, up to a number behind them.
func (r *scanner) listAt(k int) (e entry, next int, ok bool) {
	e.count = -1
	var parts []string
	for next = k; next < len(r.paras) && next < k+maxLabels; next++ {
		p := r.paras[next]
		if _, label := r.labelOnly(p); label || len(p.text) > maxNamed {
			break
		}
		one := make([]string, 0, len(p.lines))
		for line := range strings.SplitSeq(p.text, "\n") {
			if n, single := r.oneName(line); !single || n.Text == "" {
				one = nil
				break
			}
			one = append(one, line)
		}
		text := person.Join(strings.Split(p.text, "\n"))
		if len(one) > 1 {
			text = strings.Join(one, ", ") // one member on each line
		}
		if parts = append(parts, text); !r.list(person.Join(parts)).Open {
			next++
			break
		}
	}
	text := person.Join(parts)
	if next < len(r.paras) && !countBelow.MatchString(text) && strings.HasPrefix(r.paras[next].text, "(") &&
		countBelow.FindString(r.paras[next].text) == r.paras[next].text {
		text += " " + r.paras[next].text
		next++
	}
	if m := countBelow.FindStringSubmatchIndex(text); m != nil {
		e.count = valueOf(text[m[2]:m[3]])
		text = text[:m[0]]
	}
	l := r.list(text)
	e.names, e.nobody = l.Names, l.Nobody
	ok = l.Nobody || len(l.Names) > 0 && len(l.Rest) == 0 && !l.Open && l.Tail == "" && l.Count < 0
	for _, n := range l.Names {
		ok = ok && r.isPerson(n)
	}
	return e, next, ok
}

// letteredRow matches the vote of a member before the name: "A     Doe", "Nay   Roe".
var letteredRow = regexp.MustCompile(`^(A|Y|N|AB|Ab|Aye|AYE|Yea|YEA|Yes|YES|Nay|NAY|No|NO|Abs|ABS|Abstain|ABSTAIN|Absent|ABSENT)` +
	`(?: {2,}| ?[-–:] ?)(\p{Lu}.*)$`)

// letteredAt reads lines that begin with the vote of a member, below the words that announce a roll or, if goesOn is
// true, below other such lines.
func (r *scanner) letteredAt(k int, goesOn bool) []entry {
	p := r.paras[k]
	if !goesOn && (k == 0 || !announcesRoll.MatchString(r.paras[k-1].fold)) {
		return nil
	}
	var entries []entry
	lines := strings.Split(p.text, "\n")
	for _, line := range lines {
		m := letteredRow.FindStringSubmatch(line)
		if m == nil {
			break
		}
		n, ok := r.oneName(m[2])
		if !ok || n.Text == "" {
			break
		}
		entries = append(entries, entry{sense: r.letter(m[1]), names: []person.Name{n}, count: -1})
	}
	if len(entries) == 0 || !goesOn && len(entries) < len(lines) && len(entries) == 1 && !r.known(entries[0].names) {
		return nil
	}
	return entries
}

// announcesRoll matches the end of a paragraph that announces a roll: "Seconded by Doe. Roll Call Vote:".
var announcesRoll = compile(`\b(?:roll call|roll|vote|votes|voting|recorded|as follows)(?: vote)?(?: as follows| was taken)?\s*[:.]?\s*$`)

// letter returns the position of a letter or a word before a name.
func (r *scanner) letter(word string) sense {
	switch strings.ToLower(word) {
	case "a", "y":
		return aye
	case "n":
		return nay
	case "ab", "abs":
		return abstain
	}
	return r.voteOf(strings.ToLower(word))
}
