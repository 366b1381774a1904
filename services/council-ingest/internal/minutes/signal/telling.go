package signal

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
)

// A Telling says whether a section tells of votes that were taken elsewhere.
type Telling int

// The sections that tell of other votes: in a report the body can still vote, in a history it does not unless a
// member moves.
const (
	NoTelling Telling = iota
	Report
	History
)

var (
	reportTitle     = lexicon.Compile(`\b{report title}\b`)
	historyTitle    = words.Regexp(`^[^a-z]{0,8}(?:[a-z]\. ?)?{history title}[^a-z]*$`)
	bodyMet         = lexicon.Compile(`\b{body met}`)
	spoken          = regexp.MustCompile(`[a-z]: $`)
	quoting         = lexicon.Compile(`\b{quoting}\b`)
	ruleOfVotes     = lexicon.Compile(`\b{rule of votes}\b`)
	inCaseOfTie     = lexicon.Compile(`\b{in case of tie}\b`)
	recommends      = lexicon.Compile(`\b{recommends}\b`)
	recited         = words.Regexp(`^[^a-z]{0,8}{recited}\b`)
	thenDecides     = words.Regexp(`[,;:] ?{then decides}\b`)
	asideInBrackets = regexp.MustCompile(`\([^()]{0,120}\)`)
)

// TellingAt returns what the heading or the label at the beginning of a paragraph says of the votes below it. opens is
// false for text that goes on.
func (r *Scanner) TellingAt(p *Paragraph) (t Telling, opens bool) {
	line, _, _ := CutLine(p.Text)
	label, _, labelled := strings.Cut(line, ":")
	if !labelled {
		label = line
	}
	if goesOn := !labelled && lexicon.HasAnySuffix(line, ",", ";"); len(label) > 70 || goesOn {
		return NoTelling, r.HeadingAt(p, p.Blank) != nil
	}
	f, _ := lexicon.FoldText(strings.TrimSpace(label))
	switch {
	case historyTitle.MatchString(f):
		return History, true
	case reportTitle.MatchString(f):
		return Report, true
	case ofVote.MatchString(label), labelled && lexicon.IsCapitals(label), r.HeadingAt(p, p.Blank) != nil:
		return NoTelling, true
	}
	return NoTelling, false
}

// tells returns why a sentence tells of a vote that was taken elsewhere, by what stands around it: the quotation in
// which it stands, a rule, the meeting of another body, or a year and people who are no members.
func (r clauses) tells(p *Paragraph, s Span, f string, m *Motion) Elsewhere {
	above := p.Fold[:p.Folded(s.From)]
	stranger := r.OfStrangers(m)
	switch {
	case inQuotation(p.Fold, len(above)):
		return sure("what somebody read")
	case m == nil && (ruleOfVotes.MatchString(f) || inCaseOfTie.MatchString(f)):
		return sure("a rule about votes")
	case stranger && r.Words.Elsewhere.LongAgo.MatchString(f):
		return sure("a vote of another day")
	case !r.moved && r.beginsWithOther(f):
		return Elsewhere{Why: "a vote of another body"}
	case r.Language != lexicon.English && r.countsOther(f):
		return sure("a vote of another body")
	case (stranger || !r.moved) && r.otherMet(above+f):
		return Elsewhere{Why: "a vote of another body, whose meeting the paragraph tells"}
	}
	return Elsewhere{}
}

// OfStrangers reports whether nobody who moves or seconds a motion is a member, although the members are known.
func (r *Scanner) OfStrangers(m *Motion) bool {
	if m == nil || r.Members.Listed() < 3 {
		return false
	}
	named := false
	for _, n := range m.people() {
		if r.isMember(*n) || n.Text == "" {
			return false
		}
		named = true
	}
	return named
}

// inQuotation reports whether a place stands in a quotation of several sentences that is read aloud.
func inQuotation(fold string, at int) bool {
	open := strings.LastIndexByte(fold[:at], '"')
	if open < 0 || strings.Count(fold[:at], `"`)%2 == 0 || !strings.Contains(fold[at:], `"`) {
		return false
	}
	intro := fold[max(0, open-80):open]
	return quoting.MatchString(intro) || spoken.MatchString(intro) && !strings.Contains(intro, "move")
}

// otherMet reports whether a text says that another body met.
func (r clauses) otherMet(f string) bool {
	for _, at := range bodyMet.FindAllStringIndex(f, 4) {
		from := strings.LastIndexAny(f[:at[0]], ".;:!?\"") + 1
		_, who := r.subjectOf(asideInBrackets.ReplaceAllString(f[from:at[0]], " "))
		if r.namesBody(who) && !r.isOurs(who, false) {
			return true
		}
	}
	return false
}

// countsOther reports whether the body whose votes a French or Spanish sentence counts follows them, and is another
// one: "por 3 votos a favor en la Comisión de Hacienda".
func (r clauses) countsOther(f string) bool {
	return slices.ContainsFunc(r.Words.Position.FindAllStringIndex(f, 6), func(m []int) bool {
		return r.isTakenIn(strings.TrimLeft(f[m[1]:], " "))
	})
}

// beginsWithOther reports whether the subject that a sentence begins with is another body: "The school committee of
// Birch, by unanimous vote, has invited us."
func (r clauses) beginsWithOther(f string) bool {
	m := subjectWords.FindString(f)
	all := wordOf.FindAllString(m, 8)
	for i, w := range all {
		if i == 0 && !r.Words.Elsewhere.Object.MatchString(w) {
			return false
		}
		if r.Words.Elsewhere.Collective.MatchString(w) {
			at := strings.Index(f, w) + len(w)
			return behindBody.MatchString(f[at:]) && !r.isOurs(strings.Join(all[:i+1], " "), false)
		}
	}
	return false
}

// subjectWords matches the first words of a sentence, up to its first comma.
var subjectWords = regexp.MustCompile(`^["' ]*(?:[a-z'-]+ ?){1,7}`)

// behindBody matches what follows a body that acts, and not what belongs to it: "the committee's report".
var behindBody = words.Regexp(`^(?:,| {acts as body}\b)`)

// namesBody reports whether a noun has the word for a body.
func (r *Scanner) namesBody(who string) bool {
	x := &r.Words.Elsewhere
	for _, w := range wordOf.FindAllString(who, 24) {
		if x.Collective.MatchString(w) {
			return true
		}
	}
	return false
}

// otherRecommends reports whether another body recommends something in a sentence.
func (r clauses) otherRecommends(f string) bool {
	at := recommends.FindStringIndex(f)
	if at == nil {
		return false
	}
	_, who := r.subjectOf(f[sentencePart(f[:at[0]]):at[0]])
	return r.namesBody(who) && !r.isOurs(who, false)
}

// isRecital reports whether a French or Spanish sentence only recites what was decided before: "Vu la délibération,
// adoptée par 4 voix". Where the body decides in the same sentence, its decision is what stands behind.
func isRecital(f string) bool { return recited.MatchString(f) && !thenDecides.MatchString(f) }
