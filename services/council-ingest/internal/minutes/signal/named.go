package signal

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// NamedIn reads the members whom the sentence of an outcome names with a position of their own.
func (r *Scanner) NamedIn(o *Outcome, p *Paragraph, s Span, f string, base int) {
	original := func(i int) int { return p.Offset(base + i) }
	add := func(sense lexicon.Sense, names []person.Name) {
		o.Named = append(o.Named, Entry{Sense: sense, Names: names, Count: -1})
	}
	last := 0
	for _, m := range votedHow.FindAllStringSubmatchIndex(f, 12) {
		var sense lexicon.Sense
		switch {
		case m[2] >= 0:
			sense, _ = r.Words.SenseOf(f[m[2]:m[3]], lexicon.Aye, lexicon.Nay)
			if strings.HasPrefix(f[m[2]:m[3]], "in the aff") {
				sense = lexicon.Aye
			}
			if strings.HasPrefix(f[m[2]:m[3]], "in the neg") || strings.HasPrefix(f[m[2]:m[3]], "in diss") {
				sense = lexicon.Nay
			}
		case m[4] >= 0 || m[12] >= 0:
			sense = lexicon.Nay
		case m[6] >= 0:
			sense = lexicon.Abstain
		case m[8] >= 0:
			sense = lexicon.Absent
		case m[10] >= 0:
			sense = lexicon.Recused
		case m[14] >= 0:
			sense = lexicon.Aye
		}
		if behindNames := !strings.HasPrefix(strings.TrimLeft(f[m[1]:], " "), ":"); !behindNames {
			continue // "Abstention: 1 (Doe)"
		}
		if m[12] >= 0 && strings.Trim(f[m[1]:], " .)\"'") != "" {
			continue // "no" counts only at the end: "4-1, Evans no."
		}
		start, until := last, m[0]
		if tail := ofThemselves.FindStringIndex(f[last:m[0]]); tail != nil {
			until = last + tail[0] // "Doe and Roe asking that it be noted that they voted against"
		}
		var names []person.Name
		for _, e := range append(nameEdge.FindAllStringIndex(f[last:until], -1), []int{0, until - last}) {
			if word := f[last+e[0] : last+e[1]]; word == "." && (!strings.HasPrefix(f[last+e[1]:], " ") ||
				abbreviatedBefore(f[:last+e[0]])) {
				continue
			}
			if names = r.membersIn(p.Text[original(start):original(until)]); names != nil {
				break // the most names that end here
			}
			if e[1] < until-last {
				start = last + e[1]
			}
		}
		if names == nil {
			names = r.membersEnding(p.Text[original(start):original(until)])
		}
		if names != nil && (m[14] < 0 || r.known(names)) {
			add(sense, names)
			last = m[1]
			continue
		}
		// "2 abstentions (Doe, Roe)", "Nays – 1 (Doe)"
		rest := f[m[1]:]
		if lexicon.HasAnyPrefix(strings.TrimLeft(rest, " -:0123456789"), "(", "[") {
			open := m[1] + strings.IndexAny(rest, "([") + 1
			if end := closing(f[open:]); end > 0 {
				inside := p.Text[original(open):original(open+end)]
				if names := r.membersIn(inside); r.persons(names) {
					add(sense, names)
					last = open + end
				} else if r.namesSome(inside) {
					o.Unread = inside
				}
			}
		}
	}
	for _, m := range ofDissent.FindAllStringSubmatch(p.Text[s.From:s.To], 4) {
		n, sense := person.Name{Text: m[1]}, lexicon.Abstain
		if m[2] != "" {
			sense = lexicon.Nay
		}
		if r.isMember(n) {
			add(sense, []person.Name{n})
		}
	}
	if r.Language != lexicon.English {
		r.BehindNames(o, p, f, base)
	}
	if m := approvedBy.FindStringIndex(f); m != nil && !HasSense(o.Named, lexicon.Aye) {
		if names := r.membersIn(p.Text[original(m[1]):s.To]); len(names) > 1 && r.known(names) {
			add(lexicon.Aye, names)
		}
	}
	if m := exception.FindStringIndex(f); m != nil {
		sense := lexicon.Nay
		if strings.Contains(f[m[0]:m[1]], "abst") {
			sense = lexicon.Abstain
		}
		if n, length, ok := r.nameAt(p.Text[original(m[1]):s.To]); ok {
			if who := didOtherwise.FindStringSubmatch(f[min(m[1]+length, len(f)):]); who != nil {
				sense, _ = r.Words.SenseOf(who[1], lexicon.Abstain, lexicon.Absent, lexicon.Recused)
			}
			if sense == lexicon.Nay || sense == lexicon.Abstain {
				o.Unanimous = false // "all voted yea, with the exception of Doe"
			}
			add(sense, []person.Name{n})
		}
	}
	if strings.ContainsAny(f, "([") {
		r.countedNames(o, p, f, base)
		r.minority(o, p.Text[original(0):s.To])
	}
}

// approvedBy matches the words before those who were in favor: "and was approved by Members Doe, Roe and Poe".
var approvedBy = lexicon.Compile(`\b{approved by}`)

// castAs matches how a tie was broken: "Mayor Doe broke the tie by voting aye".
var castAs = lexicon.Compile(`\b{cast} ["']?({cast side})\b`)

var (
	brokenBy = words.Regexp(`(?i)\b{broken by} `)
	ofOne    = regexp.MustCompile(`['’]s\b`) // Mayor Doe's vote
)

// CastBy reads who broke a tie, and how.
func (r *Scanner) CastBy(p *Paragraph, s Span) (e Entry, ok bool) {
	f := p.Fold[p.Folded(s.From):p.Folded(s.To)]
	side := castAs.FindStringSubmatch(f)
	if side == nil || !Casting.MatchString(f) {
		return Entry{}, false
	}
	from := s.From
	n, ok := r.casterBefore(p, s, f)
	if loc := brokenBy.FindStringIndex(p.Text[s.From:s.To]); loc != nil || !ok {
		if loc != nil {
			from += loc[1]
		}
		n, _, ok = r.nameAt(ofOne.ReplaceAllString(p.Text[from:s.To], ","))
	}
	e = Entry{Names: []person.Name{n}, Count: -1}
	e.Sense, _ = r.Words.SenseOf(side[1], lexicon.Aye, lexicon.Nay)
	return e, ok
}

// casterBefore reads who breaks a tie, before the words that say so or before the vote: "there being a tie, Mayor Doe
// voted nay".
func (r *Scanner) casterBefore(p *Paragraph, s Span, f string) (person.Name, bool) {
	for _, form := range []*lexicon.Pattern{Casting, castAs} {
		at := form.FindStringIndex(f)
		n, ok := r.nameBefore(strings.TrimRight(p.Text[s.From:p.Offset(p.Folded(s.From)+at[0])], " ,\n"))
		if ok && (n.Office != "" || r.isMember(n)) {
			return n, true
		}
	}
	return person.Name{}, false
}

// didOtherwise matches what an exception did, behind the name: "except Doe, who abstained".
var didOtherwise = words.Regexp(`^,? (?:{who} )?(?:{was} )?({did otherwise})\b`)

// ofDissent matches a member's dissent: "with Doe's dissent noted".
var ofDissent = words.Regexp(`(\p{Lu}[\p{L}'’-]*\pL)['’]s (?i:({dissent})|{abstention})\b`)

// ofThemselves matches what members ask for behind their names, up to the pronoun for them.
var ofThemselves = words.Regexp(`,? {asks}\b[^.;]{0,60} {pronoun} $`)

// minority reads the names in parentheses behind a tally: "Carried 4-1 (Doe)", "Failed 2-3 (Doe, Roe
// for)". Without a word they are the side that has as many as they are and fewer than the other.
func (r *Scanner) minority(o *Outcome, text string) {
	if !o.Counted {
		return
	}
	for _, m := range inParentheses.FindAllStringSubmatchIndex(text, 4) {
		inside := text[m[2]:m[3]]
		if before := strings.TrimRight(text[:m[0]], " \n"); before == "" ||
			!strings.ContainsAny(before[len(before)-1:], "0123456789") {
			continue
		}
		word := inside[strings.LastIndexAny(inside, " \n")+1:]
		s, said := r.Words.SenseOf(strings.ToLower(word), lexicon.Aye, lexicon.Nay, lexicon.Abstain)
		if said {
			inside = strings.TrimSuffix(inside, word)
		}
		names := r.membersIn(inside)
		if names == nil || !r.known(names) {
			continue
		}
		switch {
		case said:
		case len(names) == o.Nays && o.Nays < o.Ayes:
			s = lexicon.Nay
		case len(names) == o.Ayes && o.Ayes < o.Nays:
			s = lexicon.Aye
		case o.Nays == 0 && len(names) == o.Others:
			s = lexicon.Abstain
		default:
			o.Unread = text[m[2]:m[3]]
			continue
		}
		if !HasSense(o.Named, s) {
			o.Named = append(o.Named, Entry{Sense: s, Names: names, Count: -1})
		}
	}
}

// inParentheses matches a text in parentheses without figures.
var inParentheses = regexp.MustCompile(`[(\[]([^()\[\]0-9]{3,120})[)\]]`)

// membersEnding reads the members at the end of a text, behind other words and a comma.
func (r *Scanner) membersEnding(text string) []person.Name {
	for {
		before, after, found := strings.Cut(text, ",")
		if !found {
			return nil
		}
		text = after
		if names := r.membersIn(text); r.known(names) {
			if n, at := r.nameEnding(before); at >= 0 && r.isMember(n) && !secondEnds.MatchString(before[:at]) {
				return nil // it is one of them, and which of the words before are others is not known
			}
			return names
		}
	}
}

// secondEnds matches the end of a text before the name of a seconder.
var secondEnds = words.Regexp(`(?i)\b{before seconder} $`)

func abbreviatedBefore(f string) bool {
	word := f[strings.LastIndexAny(f, " (")+1:]
	return len(word) == 1 || strings.Contains(abbreviations, " "+word+" ")
}

// countedNames reads names in parentheses behind a count: "nays – 1 (Doe)".
func (r *Scanner) countedNames(o *Outcome, p *Paragraph, f string, base int) {
	counts := append(r.Words.Counts.FindAllStringSubmatchIndex(f, 8),
		swapped(r.Words.Counted.FindAllStringSubmatchIndex(f, 8))...)
	for _, m := range counts {
		rest := strings.TrimLeft(votesBehind.ReplaceAllString(f[m[1]:], " "), " ")
		if !lexicon.HasAnyPrefix(rest, "(", "[") {
			continue
		}
		open := m[1] + strings.IndexAny(f[m[1]:], "([") + 1
		end := closing(f[open:])
		if open+end == len(f) {
			continue
		}
		sense, ok := r.Words.SenseOf(f[m[2]:m[3]], lexicon.Aye, lexicon.Nay, lexicon.Abstain, lexicon.Absent, lexicon.Recused,
			lexicon.AyeVotes, lexicon.NayVotes)
		switch sense {
		case lexicon.AyeVotes:
			sense = lexicon.Aye
		case lexicon.NayVotes:
			sense = lexicon.Nay
		}
		inside := p.Text[p.Offset(base+open):p.Offset(base+open+end)]
		names := r.membersIn(inside)
		count := -1
		if m[4] >= 0 {
			count = lexicon.ValueOf(f[m[4]:m[5]])
		}
		if names == nil && count >= 0 {
			names = r.lastNames(inside, count)
		}
		switch {
		case !ok || HasSense(o.Named, sense):
		case r.persons(names), len(names) == count && r.members(names)*2 > len(names):
			o.Named = append(o.Named, Entry{Sense: sense, Names: names, Count: count})
		case r.members(names) > 0, r.namesSome(inside):
			o.Unread = inside
		}
	}
}

// votesBehind matches the noun behind a side: "one nay vote (Doe)".
var votesBehind = words.Regexp(`^ {counted votes}\b`)

// members returns how many of the names are members'.
func (r *Scanner) members(names []person.Name) (n int) {
	for _, name := range names {
		if r.isMember(name) {
			n++
		}
	}
	return n
}

// namesSome reports whether one of the names of a French or Spanish text is a member's, or stands behind an honorific.
func (r *Scanner) namesSome(text string) bool {
	return r.Language != lexicon.English && (slices.ContainsFunc(r.list(text).Names, r.isMember) ||
		r.Language.IsHonorific(text))
}

// lastNames reads as many last names as are counted before them, though one can be another word: "3
// opposed (Doe, Grace,
// Page)".
func (r *Scanner) lastNames(text string, count int) (names []person.Name) {
	for part := range strings.SplitSeq(text, ",") {
		n, ok := r.oneName("Member " + strings.TrimSpace(part))
		if !ok || n.Text == "" || strings.Contains(n.Text, " ") {
			return nil
		}
		names = append(names, person.Name{Text: n.Text})
	}
	if len(names) != count {
		return nil
	}
	return names
}

// persons reports whether names in parentheses are those of people. Others may be groups: "una abstención (Agrupación
// Vecinal)", "tres votos en contra (PGV)".
func (r *Scanner) persons(names []person.Name) bool {
	return len(names) > 0 && (r.Language == lexicon.English ||
		!slices.ContainsFunc(names, func(n person.Name) bool {
			return r.Members.Len() > 2 && !r.IsPerson(n) || n.Office == "" && groupName.MatchString(n.Text) && !r.isMember(n)
		}))
}

// groupName matches the letters or the name of a group.
var groupName = words.Regexp(`^(?:\p{Lu}{2,6}|{Group}\b.*)$`)

// swapped puts the position before the number in the places of a match.
func swapped(ms [][]int) [][]int {
	for _, m := range ms {
		m[2], m[4] = m[4], m[2]
		m[3], m[5] = m[5], m[3]
	}
	return ms
}

// HasSense reports whether one of the rows has a position.
func HasSense(entries []Entry, s lexicon.Sense) bool {
	for _, e := range entries {
		if e.Sense == s {
			return true
		}
	}
	return false
}

// reason matches why a member did not vote, behind the name: "Doe – her son is a deputy".
var reason = regexp.MustCompile(`\s[–—-]\s+\p{Ll}.*$`)

// MaxNamed bounds the names in a sentence.
const MaxNamed = 1_000

// membersIn reads a text that has nothing but names.
func (r *Scanner) membersIn(text string) []person.Name {
	text = strings.Trim(strings.Join(strings.Fields(text), " "), " ,;:.–—-&\"“”")
	for _, word := range []string{"and ", "but ", "only ", "showing ", "member "} {
		if n := len(word); n <= len(text) && strings.EqualFold(text[:n], word) {
			text = text[n:]
		}
	}
	for _, word := range []string{" cast the", " cast a", " again", " also", " both", " all", " each", " was", " were",
		" is", " who", " had", " has", " being", " having"} {
		if n := len(text) - len(word); n >= 0 && strings.EqualFold(text[n:], word) {
			text = text[:n]
		}
	}
	if text == "" || len(text) > MaxNamed {
		return nil
	}
	l := r.list(reason.ReplaceAllString(text, ""))
	if len(l.Names) == 0 || len(l.Rest) > 0 || l.Open || l.Tail != "" || l.Count >= 0 {
		return nil
	}
	return l.Names
}

// NamesInFavor counts the names in parentheses behind "in favor". It returns -1 if there are none.
func (r *Scanner) NamesInFavor(text string) int {
	_, rest, _ := strings.Cut(text, "in favor")
	rest, open := strings.CutPrefix(strings.TrimLeft(rest, " ,\n"), "(")
	end := strings.IndexAny(rest, "()")
	if !open || end < 0 || rest[end] != ')' {
		return -1
	}
	l := r.list(strings.ReplaceAll(rest[:end], ". ", ", "))
	return len(l.Names) + len(l.Rest)
}
