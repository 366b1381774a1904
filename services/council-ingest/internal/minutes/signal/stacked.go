package signal

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// maxLabels bounds the labels that stand above each other before their lists.
const maxLabels = 5

// StackedAt reads labels without a colon and the lists below them, each in a paragraph of its own: "For", "Doe, Roe
// (2)", "Against", "Poe (1)"; or all labels first, where columns were lost. It returns the paragraph behind
// the lists, or k if there are none.
func (r *Scanner) StackedAt(k int) (entries []Entry, next int) {
	var labels []lexicon.Sense
	for next = k; next < len(r.Paras) && len(labels) < maxLabels; next++ {
		s, ok := r.labelOnly(r.Paras[next])
		if !ok {
			break
		}
		labels = append(labels, s)
	}
	if len(labels) == 0 || len(labels) == 1 && strings.Contains(r.Paras[k].Text, ":") {
		return nil, k
	}
	for _, s := range labels {
		e, behind, ok := r.listAt(next)
		if !ok {
			return nil, k
		}
		e.Sense = s
		entries = append(entries, e)
		next = behind
	}
	return entries, next
}

// labelOnly returns the position that a paragraph of one line has as its only word.
func (r *Scanner) labelOnly(p *Paragraph) (lexicon.Sense, bool) {
	if len(p.Lines) != 1 || len(p.Fold) > 60 {
		return 0, false
	}
	return r.Words.SenseOf(strings.Trim(p.Fold, " :.-*"), lexicon.Aye, lexicon.Nay, lexicon.Abstain, lexicon.Recused,
		lexicon.NotVoting)
}

// countBelow matches the number of names below a list or at its end.
var countBelow = regexp.MustCompile(`\s*\((\d{1,2})\)\.?$`)

// listAt reads paragraphs that have nothing but the names of members, up to a number behind them.
func (r *Scanner) listAt(k int) (e Entry, next int, ok bool) {
	e.Count = -1
	var parts []string
	for next = k; next < len(r.Paras) && next < k+maxLabels; next++ {
		p := r.Paras[next]
		if _, label := r.labelOnly(p); label || len(p.Text) > MaxNamed {
			break
		}
		one := make([]string, 0, len(p.Lines))
		for line := range strings.SplitSeq(p.Text, "\n") {
			if n, single := r.oneName(line); !single || n.Text == "" {
				one = nil
				break
			}
			one = append(one, line)
		}
		text := person.Join(strings.Split(p.Text, "\n"))
		if len(one) > 1 {
			text = strings.Join(one, ", ") // one member on each line
		}
		if parts = append(parts, text); !r.list(person.Join(parts)).Open {
			next++
			break
		}
	}
	text := person.Join(parts)
	if next < len(r.Paras) && !countBelow.MatchString(text) && strings.HasPrefix(r.Paras[next].Text, "(") &&
		countBelow.FindString(r.Paras[next].Text) == r.Paras[next].Text {
		text += " " + r.Paras[next].Text
		next++
	}
	if m := countBelow.FindStringSubmatchIndex(text); m != nil {
		e.Count = lexicon.ValueOf(text[m[2]:m[3]])
		text = text[:m[0]]
	}
	l := r.list(text)
	e.Names, e.Nobody = l.Names, l.Nobody
	ok = l.Nobody || len(l.Names) > 0 && len(l.Rest) == 0 && !l.Open && l.Tail == "" && l.Count < 0
	for _, n := range l.Names {
		ok = ok && r.IsPerson(n)
	}
	return e, next, ok
}

// letteredRow matches the vote of a member before the name: "A     Doe", "Nay   Roe", "- Yes: Mr. Poe".
var letteredRow = words.Regexp(`^[•*·-]? *({VOTE LETTERS}|{Vote letters})(?: {2,}| ?[-–:] ?)(\p{Lu}.*)$`)

// LetteredAt reads lines that begin with the vote of a member, below the words that announce a roll or, if goesOn is
// true, below other such lines. Without such words, two of the lines have the same vote.
func (r *Scanner) LetteredAt(k int, goesOn bool) []Entry {
	p := r.Paras[k]
	lines := strings.Split(p.Text, "\n")
	var entries []Entry
	for _, line := range lines {
		e, ok := r.voteBefore(line)
		if !ok {
			break
		}
		entries = append(entries, e)
	}
	announced := goesOn || k > 0 && announcesRoll.MatchString(r.Paras[k-1].Fold) || len(lines) == 1 && r.repeats(k) ||
		len(entries) == len(lines) && slices.ContainsFunc(entries[min(1, len(entries)):],
			func(e Entry) bool { return e.Sense == entries[0].Sense })
	if !announced || len(entries) == 0 || !goesOn && len(entries) < len(lines) && len(entries) == 1 &&
		!r.known(entries[0].Names) {
		return nil
	}
	return entries
}

// voteBefore reads a line that has the vote of a member and the name.
func (r *Scanner) voteBefore(line string) (Entry, bool) {
	m := letteredRow.FindStringSubmatch(line)
	if m == nil {
		return Entry{}, false
	}
	n, ok := r.oneName(m[2])
	return Entry{Sense: r.voteOf(strings.ToLower(m[1])), Names: []person.Name{n}, Count: -1}, ok && n.Text != ""
}

// repeats reports whether paragraph k and those directly below it have a member's vote each, and the first is cast
// again: a row of a position has all its members.
func (r *Scanner) repeats(k int) bool {
	first, ok := r.voteBefore(r.Paras[k].Text)
	for n := k + 1; ok && n < len(r.Paras) && n < k+maxSeats; n++ {
		next, is := r.voteBefore(r.Paras[n].Text)
		if !is || next.Sense == first.Sense {
			return is
		}
	}
	return false
}

// maxSeats bounds the lines of a roll that has a line for each member.
const maxSeats = 40

// announcesRoll matches the end of a paragraph that announces a roll: "Seconded by Doe. Roll Call Vote:".
var announcesRoll = lexicon.Compile(`\b{announces roll}\s*[:.]?\s*$`)
