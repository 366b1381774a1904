package signal

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// valueOf returns the value of a label that ends before end: the list of names, over as many lines
// as it goes on.
func (r *Scanner) valueOf(p *Paragraph, h hit, end int) (value string, stop int) {
	text := p.Text[min(h.value, end):end]
	if h.inside != 0 {
		text = text[:closing(text)]
	}
	if i := closing(text); i < len(text) {
		text = text[:i]
	}
	if m := afterRow.FindStringIndex(text); m != nil {
		text = text[:m[0]]
	}
	lines := strings.Split(text, "\n")
	parts := []string{strings.TrimSpace(lines[0])}
	used := len(lines[0])
	for _, printed := range lines[1:] {
		line := lastFirst.ReplaceAllString(printed, "$2 $1")
		have := person.Join(parts)
		if rest, labelled := r.cutOffice(line); labelled && have != "" && !strings.HasSuffix(have, ",") {
			line = rest // "Madame la mairesse Doe" above "Messieurs les conseillers : Roe et Poe"
			parts[len(parts)-1] += ","
			have += ","
		}
		if have == "" && r.statesOutcome(line) {
			break // a row that nobody filled in
		}
		l := r.list(have)
		more := r.list(line)
		open := have == "" || l.Open || r.endsInOffice(l) && r.known(more.Names) ||
			r.people.IsHonorific(have[strings.LastIndexByte(have, ' ')+1:]) ||
			strings.Count(have, "(") > strings.Count(have, ")") || endsInInitial.MatchString(have) &&
			(r.wraps(l, have, line) || r.lacksLast(l, line)) || r.halfName(l, line)
		if l.Tail != "" || !open && (strings.HasSuffix(have, ".") || l.Nobody || len(more.Names) == 0 || len(more.Rest) > 0 ||
			!strings.Contains(line, ",") && !r.known(more.Names) || h.count >= 0 && len(l.Names) >= h.count) {
			break
		}
		if last := len(l.Names) - 1; !open && last >= 0 && len(l.Rest) == 0 && l.Names[last].Text != "" &&
			!strings.Contains(line, ",") && r.known(more.Names) &&
			!r.wraps(l, have, line) {
			parts[len(parts)-1] += "," // one member on each line
		}
		parts = append(parts, line)
		used += 1 + len(printed)
	}
	value = person.Join(parts)
	if used < len(text) {
		text = text[:used]
	}
	if gap := speakerGap(text); gap > 0 {
		text = text[:gap]
		value = person.Join(strings.Split(text, "\n"))
	}
	// the sentence of the list ends before other sentences
	if l := r.list(value); l.Tail != "" {
		behind := 0
		if last := len(l.Names) - 1; last >= 0 && l.Names[last].Text != "" {
			behind = strings.LastIndex(l.Names[last].Text, " ") + 1
			behind = max(strings.Index(text, l.Names[last].Text[behind:]), 0)
		}
		if at := wordAt(text[behind:], firstWords(l.Tail)); at > 0 {
			at += behind
			return strings.TrimSpace(text[:at]), h.value + at
		}
	}
	return value, min(h.value+len(text), end)
}

// wordAt returns where a word begins in a text, behind other words, or -1.
func wordAt(text, word string) int {
	for at := 1; at < len(text); at++ {
		if strings.HasPrefix(text[at:], word) && strings.IndexByte(" \n", text[at-1]) >= 0 {
			return at
		}
	}
	return -1
}

// addressed matches the words of an address before an office: "Mesdames et messieurs les".
var addressed = words.Regexp(`^(?i:(?:{address} )+)`)

// cutOffice cuts the label of an office from a list of those who hold it: "Directors: None".
func (r *Scanner) cutOffice(text string) (rest string, labelled bool) {
	label, rest, found := strings.Cut(text, ":")
	if label = strings.TrimSpace(label); !found || len(label) > 48 ||
		!r.people.IsOffice(addressed.ReplaceAllString(label, "")) {
		return text, false
	}
	return strings.TrimSpace(rest), true
}

// lastFirst matches a line of a list that has the initials behind the last name: "Doe, A".
var lastFirst = regexp.MustCompile(`^\s*((?:\p{Ll}{2,3} ){0,2}\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?), ((?:\p{Lu}\.? ?){1,3})\s*$`)

// endsInInitial matches a line that can end within a name: "Ann Doe, Bob R."
var endsInInitial = regexp.MustCompile(`\pL \p{Lu}\.$`)

// ofItsMotion matches the beginning of a line that states an outcome.
var ofItsMotion = words.Regexp(`^{its motion}\b`)

// statesOutcome reports whether a line is an outcome: "Motion passed 2-0".
func (r *Scanner) statesOutcome(line string) bool {
	f, _ := lexicon.FoldText(strings.TrimSpace(line))
	return FirmAlone.MatchString(f) || len(f) < 100 && ofItsMotion.MatchString(f) && r.Words.Outcome.MatchString(f)
}

// wraps reports whether the last name of a list goes on in the next line.
func (r *Scanner) wraps(l person.List, list, next string) bool {
	last := len(l.Names) - 1
	if last < 0 || l.Names[last].Text == "" || len(l.Rest) > 0 {
		return true // only the office stands on this line
	}
	joined := r.list(person.Join([]string{list, next})).Names
	return len(joined) > last && joined[last].Text != l.Names[last].Text &&
		strings.HasPrefix(joined[last].Text, l.Names[last].Text) && r.isMember(joined[last])
}

// endsInOffice reports whether a list ends in the office of a member whose name stands on the next line: "Doe, and
// Councillor⏎Roe".
func (r *Scanner) endsInOffice(l person.List) bool {
	last := len(l.Names) - 1
	return last >= 0 && l.Names[last].Text == "" && !ChiefOffice.MatchString(l.Names[last].Office)
}

// lacksLast reports whether the last name of a list has a first name and an initial, and the next line nothing but a
// last name.
func (r *Scanner) lacksLast(l person.List, next string) bool {
	last := len(l.Names) - 1
	return last > 0 && strings.Count(l.Names[0].Text, " ") > 0 && !strings.HasSuffix(l.Names[0].Text, ".") &&
		!r.isMember(l.Names[last]) && lastName.MatchString(next)
}

// halfName reports whether the last name of a list of full names is one word, and the next line nothing but the rest of
// the name: "D. Ann Doe Roe y D. Bob" above "Poe Coe."
func (r *Scanner) halfName(l person.List, next string) bool {
	last := len(l.Names) - 1
	return last > 0 && len(l.Rest) == 0 && lastNames.MatchString(next) && !r.isMember(l.Names[last]) &&
		!strings.Contains(l.Names[last].Text, " ") && !slices.ContainsFunc(l.Names[:last], func(n person.Name) bool {
		return !strings.Contains(n.Text, " ")
	})
}

// lastNames matches a line with nothing but one or two last names.
var lastNames = regexp.MustCompile(`^ *\p{Lu}\p{Ll}[\p{L}'’-]+(?: \p{Lu}\p{Ll}[\p{L}'’-]+)?\.? *$`)

// lastName matches a line with one word that can be a last name.
var lastName = regexp.MustCompile(`^ *\p{Lu}\p{Ll}[\p{L}'’-]+ *$`)

// afterRow matches what follows the names of a row within its sentence: "…; whereupon the resolution
// was declared adopted", or the word before the next row.
var afterRow = words.Regexp(`(?i)[;,.]?\s*(?:{and}\s+)?\b{whereupon}\b|\s{2,}[^\n]{0,40}?\b{declares}\b|` +
	`\s+{motion fate}\b|[;,]\s*{and}\s*$|[;,]\s*{outcome behind roll}\b`)

// answers finds the words in folded text that can be a member's vote: behind a dash, a comma or the like,
// a gap, "voted", or a blank. It returns where what stands between name and word begins, where the vote
// ends, and the word.
func (r *Scanner) answers(f string) (out [][4]int) {
	for _, m := range r.Words.Answer.FindAllStringIndex(f, 400) {
		from, end := m[0], m[1]
		if from > 0 && (f[from-1] == '"' || f[from-1] == '\'') {
			from--
		}
		for end < len(f) && strings.IndexByte(`"')`, f[end]) >= 0 {
			end++
		}
		before := strings.TrimRight(f[:from], " ")
		if above := strings.TrimRight(before, " \n"); lexicon.HasAnySuffix(above, "-", ":") {
			before = above // the vote stands on the next line
		}
		blanks := from - len(before)
		voted := strings.TrimRight(strings.TrimSuffix(before, ":"), " ")
		switch n := len(before); {
		case blanks > 0 && lexicon.HasAnySuffix(voted, " voted", " votes", " voting"):
			from = strings.LastIndexByte(voted, ' ')
		case n > 0 && strings.IndexByte("-:=,(", before[n-1]) >= 0:
			from = n - 1
		case blanks > 1 || blanks > 0 && from == m[0] && (r.Words.Is(f[m[0]:m[1]], lexicon.Spoken) ||
			m[1]-m[0] == 1 && r.Language == lexicon.English): // "Doe Y, Roe N"
			from = n
		default:
			continue
		}
		out = append(out, [4]int{len(strings.TrimRight(f[:from], " ")), end, m[0], m[1]})
	}
	return out
}

// numberCell matches the column of the district between a member and a vote: "Ann Doe    10    Yes".
var numberCell = words.Regexp(`[\t ]{2,}(?:(?i:{seat behind})\.? )?\d{1,2}[\t ]*$`)

// Pairs reads members with their vote: "Trustee Doe – yes, Trustee Roe – no". A single pair counts
// only if it is the whole text.
func (r *Scanner) Pairs(p *Paragraph, within Span) (found []Entry, took Span, unread string) {
	from, to := p.Folded(within.From), p.Folded(within.To)
	if from >= to {
		return nil, Span{}, ""
	}
	f := p.Fold[from:to]
	marks := r.answers(f)
	last, first := 0, -1
	var misses []string
	for _, m := range marks {
		after := f[m[1]:]
		if !r.endsVote(after, p.Text[p.Offset(from+m[1]):]) || m[3]-m[2] == 1 && !isUpper(p.Text[p.Offset(from+m[2])]) {
			continue
		}
		if f[m[2]:m[3]] == "no" && numero.MatchString(after) && !r.endsInMember(p.Text[p.Offset(from):p.Offset(from+m[0])]) {
			continue // "Bill No. 24-15"
		}
		start := last
		if first < 0 {
			start = nameStart(f[:m[0]])
		}
		name := p.Text[p.Offset(from+start):p.Offset(from+m[0])]
		if i := strings.LastIndexByte(name, ':'); i >= 0 && i < 30 && first >= 0 && !strings.Contains(name[:i], ".") {
			name = name[i+1:]
		}
		name = numberCell.ReplaceAllString(strings.TrimSpace(seatBehind.ReplaceAllString(name, "")), "")
		if at := strings.LastIndex(name, "\n"); first >= 0 && at >= 0 && strings.IndexByte(",;", name[0]) >= 0 &&
			!beginsUpper(name[1:]) {
			name = name[at+1:] // the reason of the vote before ends its line: "no, because it is late"
		}
		if first >= 0 && strings.HasPrefix(name, "(") { // the reason of the vote before
			name = name[min(strings.IndexByte(name+")", ')')+1, len(name)):]
		}
		l := r.list(strings.Trim(name, " ,;.&\n-–—"))
		joinOffice(&l)
		if first < 0 && start > 0 && strings.Contains(f[m[0]:m[2]], "vot") {
			before := strings.TrimRight(p.Text[p.Offset(from):p.Offset(from+start)], " \n")
			if n, ok := r.nameBefore(strings.TrimSuffix(before, ",")); ok && strings.HasSuffix(before, ",") && r.isMember(n) {
				return nil, Span{}, "" // Doe, Roe and Poe voted aye: a list, which onVoters reads
			}
		}
		if first < 0 && start > 0 && !strings.Contains(f[m[0]:m[2]], ",") {
			if names, at := r.listBefore(p.Text[p.Offset(from):p.Offset(from+m[0])]); len(names) > 1 {
				l.Names = names
				l.Rest = nil
				l.Open = false // Doe, Roe, Poe - yes
				start = p.Folded(p.Offset(from)+at) - from
			}
		}
		if len(l.Names) > 1 && len(l.Rest) == 0 && !l.Open && r.known(l.Names) && !strings.Contains(f[m[0]:m[2]], ",") {
			found = append(found, Entry{Sense: r.voteOf(f[m[2]:m[3]]), Names: l.Names, Count: -1})
			if first < 0 {
				first = start
			}
			last = m[1]
			continue // Doe and Roe voted aye
		}
		if r.Words.Is(f[m[2]:m[3]], lexicon.Verdict) && !r.known(l.Names) {
			continue
		}
		if len(l.Names) == 1 && len(l.Rest) == 0 && l.Count < 0 &&
			(l.Names[0].Text != "" || ChiefOffice.MatchString(l.Names[0].Office)) && len(strings.Fields(name)) <= 7 &&
			(first >= 0 || !strings.ContainsAny(name, ":")) {
			s := r.voteOf(f[m[2]:m[3]])
			if note := advises.FindStringSubmatch(after); note != nil {
				l.Names[0].Note = note[1]
			}
			found = append(found, Entry{Sense: s, Names: l.Names, Count: -1, Answer: true})
			if first < 0 {
				first = start
			}
			last = m[1]
			continue
		}
		n, ok := r.misspeltOffice(name)
		if !ok && len(found) > 0 && found[len(found)-1].Answer && r.Members.Len() < 3 {
			n, ok = r.bareLastName(name)
		}
		if ok && first >= 0 {
			found = append(found, Entry{Sense: r.voteOf(f[m[2]:m[3]]), Names: []person.Name{n}, Count: -1})
			last = m[1]
			continue
		}
		if first < 0 {
			if n, at := r.nameEnding(numberCell.ReplaceAllString(p.Text[p.Offset(from):p.Offset(from+m[0])], "")); at >= 0 &&
				n.Text != "" {
				before := person.Join(strings.Split(p.Text[p.Offset(from):p.Offset(from)+at], "\n"))
				if strings.HasSuffix(before, " and") ||
					strings.HasSuffix(before, ",") {
					return nil, Span{}, "" // one of several
				}
				s := r.voteOf(f[m[2]:m[3]])
				found = append(found, Entry{Sense: s, Names: []person.Name{n}, Count: -1})
				first, last = p.Folded(p.Offset(from)+at)-from, m[1]
				continue
			}
		}
		if first >= 0 && (r.endsPairs(name) || lexicon.Letters(name) == 0 ||
			quantity.MatchString(strings.ToLower(strings.Trim(name, " ,;.&\n")))) { // ". 5 ayes, 0 nays", ". Five ayes, no nays"
			break
		}
		if first >= 0 && len(name) < 60 {
			misses = append(misses, strings.TrimSpace(name))
			last = m[1]
		}
	}
	if len(found) == 0 {
		return nil, Span{}, ""
	}
	line, _, _ := strings.Cut(p.Text[p.Offset(from+last):p.Offset(to)], "\n")
	if len(found) == 1 && (!sideLabel.MatchString(strings.Trim(f[:first], " -•*")) || strings.Trim(line, " .;,") != "") {
		return nil, Span{}, ""
	}
	end := last
	return found, Span{p.Offset(from + first), p.Offset(from + end)}, strings.Join(misses, "; ")
}

// advises matches the remark behind the vote of somebody who only advises: "Doe: Yes (advisory)".
var advises = words.Regexp(`^ ?\(([a-z -]*{advises}[a-z -]*)\)`)

// seatBehind matches the seat of a member behind the name: "Doe, Pct. 1   For".
var seatBehind = words.Regexp(`,? {Seat behind} #?\d{1,2}\b`)

// listBefore reads the members at the end of a text, up to its last clause, and returns where they begin.
func (r *Scanner) listBefore(text string) (names []person.Name, at int) {
	at = strings.LastIndexAny(text, ".;:(") + 1
	names = r.membersIn(text[at:])
	if !r.known(names) {
		return nil, 0
	}
	for at < len(text) && (text[at] == ' ' || text[at] == '\n') {
		at++
	}
	return names, at
}

// misspeltOffice reads a member behind an office that a scan misread: "Gouncil Member Doe".
func (r *Scanner) misspeltOffice(text string) (person.Name, bool) {
	words := strings.Fields(text)
	for i := 1; i < len(words) && i < 4 && r.people.IsLikeOffice(words[i]); i++ {
		if n, ok := r.oneName(strings.Join(words[i+1:], " ")); ok && r.isMember(n) {
			return n, true
		}
	}
	return person.Name{}, false
}

// bareLastName reads a last name that can be another word, between members who have votes: "Doe – aye, Page – aye".
func (r *Scanner) bareLastName(text string) (person.Name, bool) {
	text = strings.Trim(text, " ,;.&\n-–—")
	if !lastName.MatchString(text) {
		return person.Name{}, false
	}
	n, ok := r.oneName("Member " + text)
	return person.Name{Text: n.Text}, ok && n.Text == text
}

// endsPairs reports whether the text behind a member's vote is another sentence: ". Motion carried: 4
// ayes".
func (r *Scanner) endsPairs(text string) bool {
	f, _ := lexicon.FoldText(text)
	return r.Words.Outcome.MatchString(f) || r.Words.Subject.MatchString(f) || Casting.MatchString(f)
}

// voteOf returns the position of a member's vote. Some words and letters are votes only here.
func (r *Scanner) voteOf(word string) lexicon.Sense {
	s, _ := r.Words.SenseOf(word, lexicon.AyeAnswer, lexicon.NayAnswer, lexicon.AbstainAnswer, lexicon.Aye, lexicon.Nay,
		lexicon.Abstain, lexicon.Absent, lexicon.Recused, lexicon.NotVoting)
	switch s {
	case lexicon.AyeAnswer:
		return lexicon.Aye
	case lexicon.NayAnswer:
		return lexicon.Nay
	case lexicon.AbstainAnswer:
		return lexicon.Abstain
	}
	return s
}

// sideLabel matches what can stand before a single member's vote.
var sideLabel = words.Regexp(`^(?:{side label}\s*:?)?$`)

// endsVote reports whether a member's vote ends here, so that "no" is not the beginning of "no
// one".
func (r *Scanner) endsVote(fold, text string) bool {
	trimmed := strings.TrimLeft(fold, " ")
	if trimmed == "" || strings.ContainsAny(trimmed[:1], ".,;()]\"'|-") || strings.HasPrefix(trimmed, "and ") ||
		strings.HasPrefix(fold, "  ") || strings.HasPrefix(text, "\n") {
		return true
	}
	next := strings.TrimLeft(text, " \n")
	for r.people.IsParticle(next[:max(strings.IndexByte(next, ' '), 0)]) {
		next = next[strings.IndexByte(next, ' ')+1:]
	}
	first, _ := utf8.DecodeRuneInString(next)
	return unicode.IsUpper(first)
}

// numero matches what follows "No" where it is no vote.
var numero = regexp.MustCompile(`^\.? ?#?\d`)

// nameStart returns where the name at the end of a text begins at the earliest.
func nameStart(f string) int {
	at := 0
	for i := len(f) - 1; i >= 0; i-- {
		c := f[i]
		if c == ':' || c == ';' || c == '(' || c == ',' {
			at = i + 1
			break
		}
		if c == '.' && i+1 < len(f) && f[i+1] == ' ' {
			k := i
			for k > 0 && f[k-1] != ' ' {
				k--
			}
			if i-k > 1 && !strings.Contains(abbreviations, " "+f[k:i]+" ") {
				at = i + 1
				break
			}
		}
	}
	for at < len(f) && f[at] == ' ' {
		at++
	}
	return at
}

// ByPosition joins the rows of one position that single members' votes have become.
func ByPosition(entries []Entry) []Entry {
	var out []Entry
	for _, e := range entries {
		if i := slices.IndexFunc(out, func(o Entry) bool { return o.Sense == e.Sense }); i >= 0 {
			out[i].Names = append(out[i].Names, e.Names...)
			continue
		}
		out = append(out, e)
	}
	return out
}
