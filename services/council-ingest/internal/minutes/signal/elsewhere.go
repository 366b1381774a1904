package signal

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// An Elsewhere says why the vote of a sentence was not taken in the meeting.
type Elsewhere struct {
	Why  string
	Sure bool // it cannot be a vote of the meeting
}

func sure(why string) Elsewhere { return Elsewhere{Why: why, Sure: true} }

// ElsewhereIn reports whether a sentence speaks of a vote that was not taken in the meeting: another body's, another
// day's, or one that did not happen. m is the motion in the sentence, or nil; near says that an open motion stands
// directly above.
//
// It reads who votes, when and where. Whatever is not this body is another one, so that no list of other bodies is
// needed.
func (r *Scanner) ElsewhereIn(p *Paragraph, s Span, m *Motion, near bool) Elsewhere {
	f := strings.TrimSpace(p.Fold[p.Folded(s.From):p.Folded(s.To)])
	if len(f) > 3_000 || !r.decides(f) {
		return Elsewhere{}
	}
	c := clauses{Scanner: r, moved: near || m != nil}
	if e := c.tells(p, s, f, m); e.Why != "" {
		return e
	}
	t := r.Words.Tally(f, lexicon.InSentence)
	var found Elsewhere
	own := false
	marks := r.marks(f, t)
	for i, v := range marks {
		e, ours := c.clauseOf(f, v, r.reach(f, marks[i:]))
		if own = own || ours; e.Why != "" && (found.Why == "" || !e.Sure) {
			found = e
		}
	}
	if r.outnumbers(t) && !c.opensOutcome(f, own) && !r.Words.Lead.MatchString(f) {
		return Elsewhere{Why: "more votes than the body has members", Sure: !own}
	}
	if own || m != nil && slices.ContainsFunc(m.people(), func(n *person.Name) bool { return r.isMember(*n) }) {
		return Elsewhere{}
	}
	if found.Why != "" && inClosedSession.MatchString(f) {
		found.Sure = false // nothing but this report says what was decided
	}
	if found.Why == "" && r.Words.Elsewhere.Earlier.MatchString(f) {
		return sure("a vote before the meeting")
	}
	return found
}

// inClosedSession matches a vote that was taken where nobody could see it.
var inClosedSession = lexicon.Compile(`\b{in closed session}\b`)

// clauses reads the clauses of a sentence. moved says that a motion stands in it or directly above.
type clauses struct {
	*Scanner
	moved bool
}

// opening matches the first words of a sentence.
var opening = words.Regexp(`^(?:{opening article} )?\S+(?: {opening body})?`)

// decidesHere matches the verb of the minutes behind a clause: "… algo que decir, y no habiéndolo, se aprueba".
var decidesHere = words.Regexp(`^[, ]*{decides here}\b`)

// opensOutcome reports whether a sentence begins like the outcome of the motion above it, or with the
// body that decides. own says that its words state a vote of the body.
func (r clauses) opensOutcome(f string, own bool) bool {
	subject := r.Words.Subject.FindStringIndex(f)
	return r.moved && (FirmAlone.MatchString(f) || subject != nil && subject[0] < 5) ||
		own && r.endsInBody(opening.FindString(f))
}

// decides reports whether a sentence has a word or a tally of a vote.
func (r *Scanner) decides(f string) bool {
	return slices.ContainsFunc(append(r.deciding(), r.Words.OfVote, r.Words.Position, r.Words.Moves),
		func(form *lexicon.Pattern) bool { return form.MatchString(f) })
}

// deciding returns the patterns of the words of a decision.
func (r *Scanner) deciding() []*lexicon.Pattern {
	x := &r.Words.Elsewhere
	return []*lexicon.Pattern{x.Acting, x.ActingOn, x.Acts, r.Words.Outcome, r.Words.Unanimous, r.Words.Majority}
}

// marks returns where a sentence has words of a decision, in their order. "Vote" is one next to a tally.
func (r *Scanner) marks(f string, t lexicon.Tally) [][]int {
	forms := r.deciding()
	if t.Counted {
		forms = append(forms, r.Words.OfVote)
	}
	var all [][]int
	for _, form := range forms {
		for _, m := range form.FindAllStringIndex(f, 8) {
			if !slices.ContainsFunc(all, func(o []int) bool { return m[0] < o[1] && o[0] < m[1] }) {
				all = append(all, m)
			}
		}
	}
	slices.SortFunc(all, func(a, b []int) int { return a[0] - b[0] })
	return all
}

// behindThere matches what follows "there" where it is no place.
var behindThere = words.Regexp(`^{there is}\b`)

// decidesOn matches what follows a verb: a tally, or what is decided.
var decidesOn = words.Regexp(`^(?:\(?\d|{deciding to})`)

// reach returns where the first of some words of decisions ends to govern what follows: at the next verb that is not
// joined with it, "accepts the rule | adopted in 2021".
func (r *Scanner) reach(f string, marks [][]int) int {
	for _, m := range marks[1:] {
		word, between := f[m[0]:m[1]], strings.TrimSpace(f[marks[0][1]:m[0]])
		if r.Words.Unanimous.MatchString(word) || r.Words.Majority.MatchString(word) || r.Words.OfVote.MatchString(word) ||
			between == "" {
			continue
		}
		all := r.Words.Elsewhere.Clause.FindAllStringIndex(between, -1)
		if n := len(all); n > 0 && all[n-1][1] == len(between) {
			continue
		}
		return m[0]
	}
	return len(f)
}

// clauseOf reads the clause of a word of a decision, which governs the text up to an offset. ours says that the words
// state a vote of this body.
func (r clauses) clauseOf(f string, v []int, reach int) (e Elsewhere, ours bool) {
	x := &r.Words.Elsewhere
	from := sentencePart(f[:v[0]])
	before, word := f[from:v[0]], f[v[0]:v[1]]
	after := strings.TrimLeft(f[v[1]:], " ")
	chunk := before[lastComma(before):]
	if x.NotYet.MatchString(before) {
		return Elsewhere{}, false
	}
	if isQuoted(f, v) {
		return sure("what somebody said about a vote"), false
	}
	if x.Condition.MatchString(chunk) {
		return sure("a vote that did not happen"), false
	}
	at, who := r.subjectOf(before)
	if at >= 0 && x.Where.MatchString(before[:at]) || x.There.MatchString(after) && !behindThere.MatchString(after) ||
		strings.HasSuffix(chunk, " there ") {
		return sure("a vote of another meeting"), false
	}
	if r.isPast(before, chunk, strings.TrimLeft(f[v[1]:reach], " ")) {
		return sure("a vote of another day"), false
	}
	if had := x.Earlier.FindAllStringIndex(f[from:v[1]], -1); len(had) > 0 && from+had[len(had)-1][1] == v[1] {
		return sure("a vote before the meeting"), false
	}
	who = strings.TrimRight(who, " ,")
	for cut := x.Aside.FindStringIndex(who); cut != nil; cut = x.Aside.FindStringIndex(who) {
		who = strings.TrimRight(who[:cut[0]], " ,")
	}
	if x.Acting.MatchString(word) && (who == "" || r.Language != lexicon.English && saysHow.MatchString(who)) {
		who = r.apartFrom(before)
	}
	if of, is := strings.CutSuffix(who, "'s"); is && strings.HasPrefix(word, "vote") && !r.endsInSurname(of) &&
		!r.isOurs(of, false) {
		return sure("a vote of another body"), false
	}
	acts := x.Acts.MatchString(word) && !x.Acting.MatchString(word)
	if acts && (!r.endsInBody(who) || !decidesOn.MatchString(after) && !x.Object.MatchString(after)) {
		if r.otherRecommends(before) {
			return sure("a vote of another body"), false // "recommended the change by a vote of 4 to 1"
		}
		return Elsewhere{}, false // a noun: "called for a vote"
	}
	switch {
	case x.Passive.MatchString(who), who == "" && x.Object.MatchString(after):
	case x.Acting.MatchString(word), acts, x.ActingOn.MatchString(word) && who != "" && x.Object.MatchString(after):
		if !r.isOurs(who, true) {
			return sure("a vote of another body"), false
		}
		ours = who != ""
	}
	if agent := r.agentOf(after); agent != "" && !r.isOurs(agent, false) {
		return sure("a vote of another body"), false
	}
	if decidesHere.MatchString(chunk + f[v[0]:]) {
		return Elsewhere{}, true
	}
	if r.isReported(before) {
		ours = ours || r.Words.Subject.MatchString(chunk)
		return Elsewhere{Why: "what somebody said about a vote", Sure: !ours}, false
	}
	if where := r.placeOf(before); where != "" && !r.isOurs(where, false) || r.isTakenIn(after) ||
		r.otherRecommends(before) {
		return sure("a vote of another body"), false
	}
	firm := r.Words.Is(word, lexicon.Firm) && !x.Object.MatchString(after)
	return Elsewhere{}, ours || firm && (strings.TrimSpace(before) == "" || r.Words.Subject.MatchString(chunk))
}

// saysHow matches how a body decides, between commas behind its name: "El Pleno, por unanimidad, acordó …"
var saysHow = words.Regexp(`^{how a body decides}\b`)

// apartFrom returns the subject that commas part from its verb: "The club, met on Monday, voted".
func (r *Scanner) apartFrom(before string) string {
	x := &r.Words.Elsewhere
	for _, part := range slices.Backward(strings.Split(before, ",")) {
		if part = strings.TrimSpace(part); r.Language != lexicon.English && saysHow.MatchString(part) {
			continue
		}
		if !strings.ContainsAny(part, "0123456789") && (x.Object.MatchString(part) || r.endsInBody(part)) {
			return part
		}
	}
	return ""
}

// isQuoted reports whether a word stands in a quotation of several words.
func isQuoted(f string, v []int) bool {
	open := max(strings.LastIndex(f[:v[0]], "«"), strings.LastIndex(f[:v[0]], ` "`))
	return open >= 0 && !strings.ContainsAny(f[open+2:v[0]], "»\"") && len(strings.Fields(f[open+2:])) > 4
}

// placeOf returns the body in which a clause says that its vote was taken, or "": "Au conseil départemental, …".
func (r *Scanner) placeOf(before string) string {
	x := &r.Words.Elsewhere
	first, _, found := strings.Cut(strings.TrimLeft(before, " -"), ",")
	if at := x.Inside.FindString(first); found && at != "" {
		for _, w := range wordOf.FindAllString(first, 12) {
			if x.Collective.MatchString(w) {
				return first[len(at):]
			}
		}
	}
	return ""
}

// isTakenIn reports whether another body, in which a vote was taken, follows the vote: "approved by 5 to 4 at the
// school board".
func (r clauses) isTakenIn(after string) bool {
	rest := after[len(tallyBehind.FindString(after)):]
	at := r.Words.Elsewhere.Inside.FindString(rest)
	if at == "" {
		return false
	}
	where, _, _ := strings.Cut(strings.TrimLeft(rest[len(at):], " "), ",")
	all := strings.Fields(where)
	for i, w := range all[:min(len(all), 5)] {
		if r.Words.Elsewhere.Collective.MatchString(strings.Trim(w, ".;")) {
			return !r.isOurs(strings.Join(all[:min(len(all), i+4)], " "), false)
		}
	}
	return false
}

// endsInBody reports whether a text ends with the noun of a body or of its members, and words that belong to it.
func (r *Scanner) endsInBody(who string) bool {
	x := &r.Words.Elsewhere
	for _, w := range slices.Backward(wordOf.FindAllString(who, 40)) {
		if x.Collective.MatchString(w) || x.OfTheBody.MatchString(w) {
			return true
		}
		if !x.Place.MatchString(w) && !x.Self.MatchString(w) {
			return false
		}
	}
	return false
}

// sentencePart returns where the part of a sentence begins that a text ends with.
func sentencePart(before string) int { return strings.LastIndexAny(before, ";:.!?()[]\"«»") + 1 }

func lastComma(before string) int { return strings.LastIndexByte(before, ',') + 1 }

// subjectOf returns the noun at the end of a text before its verb, and where it begins.
func (r *Scanner) subjectOf(before string) (at int, subject string) {
	end := len(before)
	for range 3 {
		at = max(lastComma(strings.TrimRight(before[:end], " ,")), strings.LastIndex(before[:end], " - ")+1)
		all := r.Words.Elsewhere.Clause.FindAllStringIndex(before[:end], -1)
		related := false
		if n := len(all); n > 0 && all[n-1][1] >= at {
			at = all[n-1][1]
			related = r.Words.Elsewhere.Relative.MatchString(before[:at])
			end = all[n-1][0]
		}
		subject = strings.TrimLeft(before[at:], " -")
		if !related || strings.TrimSpace(strings.TrimLeft(before[at:max(at, end)], " ,")) != "" {
			break
		}
		if head := strings.TrimRight(before[:end], " ,"); head != "" {
			start := sentencePart(head)
			inner, noun := r.subjectOf(head[start:])
			return start + inner, noun
		}
	}
	return at, subject
}

var (
	quantity = words.Regexp(`^(?:\d{1,3}|{one}|{number})$`)
	wordOf   = regexp.MustCompile(`[a-z0-9]+`)
)

// isOurs reports whether a noun can be this body, its members or some of them. If counted is true, a number can be
// theirs.
func (r clauses) isOurs(who string, counted bool) bool {
	x := &r.Words.Elsewhere
	all := wordOf.FindAllString(who, 24)
	if len(all) == 0 {
		return true
	}
	noun := -1
	for i, w := range all {
		if x.Collective.MatchString(w) || x.OfTheBody.MatchString(w) {
			noun = i
		}
	}
	if noun < 0 {
		return r.isVoter(who, all, counted)
	}
	from := noun
	for from > 0 && all[from-1] != "showing" && all[from-1] != "including" && !x.Object.MatchString(all[from]) {
		from--
	}
	for _, w := range all[from : noun+1] {
		if x.OfOthers.MatchString(w) || !r.isOwnWord(w) {
			return false
		}
	}
	if noun+1 < len(all) && x.OfTheBody.MatchString(all[noun]) && !x.Self.MatchString(all[noun+1]) {
		return true // the name of a member
	}
	for _, w := range all[noun+1:] {
		if !r.isOwnWord(w) {
			return false
		}
	}
	return true
}

// isVoter reports whether a noun that names no body can be somebody who votes in the meeting.
func (r clauses) isVoter(who string, all []string, counted bool) bool {
	x := &r.Words.Elsewhere
	if r.Words.Subject.MatchString(who) || r.Words.Named.MatchString(who) || r.hasSurname(all) {
		return true
	}
	if x.OfOthers.MatchString(all[0]) {
		return false
	}
	if counted && quantity.MatchString(all[0]) {
		return !slices.ContainsFunc(all[1:], func(w string) bool {
			return !r.isOwnWord(w) && !r.Words.Position.MatchString(w)
		})
	}
	for _, w := range all {
		if x.Somebody.MatchString(w) || counted && quantity.MatchString(w) || len(w) > 3 && r.people.IsOffice(w) {
			return true
		}
	}
	return r.Members.Len() < 3
}

// isOwnWord reports whether a word can stand in the name of this body, or next to it.
func (r clauses) isOwnWord(w string) bool {
	x := &r.Words.Elsewhere
	name := r.nameOfBody()
	switch {
	case x.OfTheBody.MatchString(w), x.Self.MatchString(w), x.Somebody.MatchString(w), x.Aside.MatchString(w),
		quantity.MatchString(w), name[w], r.hasSurname([]string{w}),
		len(w) > 3 && r.people.IsOffice(w) && !x.Place.MatchString(w):
		return true
	case x.Collective.MatchString(w):
		// "the Board", above whose vote is a motion
		return r.body == "" || strings.Contains(r.body, w) || r.moved || !r.namesCollective(name)
	case x.Place.MatchString(w):
		for other := range name {
			if x.Place.MatchString(other) {
				return false
			}
		}
		return true
	}
	return false
}

// namesCollective reports whether the name of this body says what kind of body it is.
func (r *Scanner) namesCollective(name map[string]bool) bool {
	for w := range name {
		if r.Words.Elsewhere.Collective.MatchString(w) || bodyThatDecides.MatchString(w) {
			return true
		}
	}
	return false
}

// bodyThatDecides matches the name of a body in French and Spanish.
var bodyThatDecides = words.Regexp(`^{deciding body}$`)

// nameOfBody returns the words of the name of this body; if that was not read, those of the head.
func (r *Scanner) nameOfBody() map[string]bool {
	if r.named != nil {
		return r.named
	}
	r.named = map[string]bool{}
	text := r.body
	for i := 0; text == "" || r.body == "" && i < 8; i++ {
		if i >= len(r.Doc.Lines) {
			break
		}
		f, _ := lexicon.FoldText(r.Doc.Lines[i].Text)
		text += " " + f
	}
	for _, w := range wordOf.FindAllString(text, 80) {
		r.named[w] = true
	}
	return r.named
}

// hasSurname reports whether one of some words is the last name of a member.
func (r *Scanner) hasSurname(all []string) bool {
	if n := r.Members.Len(); r.surnames == nil || r.surnamesOf != n {
		r.surnames, r.surnamesOf = map[string]bool{}, n
		for _, name := range r.Members.Names() {
			printed, _ := lexicon.FoldText(name)
			for _, w := range wordOf.FindAllString(council.FoldName(name)+" "+printed, 12) {
				r.surnames[w] = len(w) > 1
			}
		}
	}
	return slices.ContainsFunc(all, func(w string) bool { return r.surnames[w] })
}

// endsInSurname reports whether the last word of a noun is the last name of a member.
func (r *Scanner) endsInSurname(who string) bool {
	all := wordOf.FindAllString(who, 24)
	return len(all) > 0 && r.hasSurname(all[len(all)-1:])
}

// tallyBehind matches a tally between a verb and what follows it.
var tallyBehind = words.Regexp(`^(?:[ (]*(?:{as one}|(?:{with votes} )?\d{1,3} ?(?:-|{to votes}) ?\d{1,3}\)?))* *`)

// isPast reports whether a clause says that its decision is of another day.
func (r *Scanner) isPast(before, chunk, after string) bool {
	x := &r.Words.Elsewhere
	if m := x.LongAgo.FindStringIndex(before); m != nil && m[0] < 8 {
		chunk = before // "Back in 1998, the council rejected it."
	}
	rest := after[len(tallyBehind.FindString(after)):]
	if x.Recent.MatchString(rest) {
		return true
	}
	rest, _, _ = strings.Cut(rest, ",")
	rest, _, _ = strings.Cut(rest[:min(len(rest), 60)], ".")
	for _, part := range []string{chunk, rest} {
		for _, m := range x.LongAgo.FindAllStringIndex(part, 4) {
			if year := yearIn.FindString(part[m[0]:m[1]]); year != "" && year >= r.year {
				continue
			}
			if !strings.Contains(part[:m[0]], " to ") {
				return true
			}
		}
	}
	return false
}

var yearIn = regexp.MustCompile(`\d{4}`)

// agentOf returns who decided, behind a verb in the passive.
func (r *Scanner) agentOf(after string) string {
	x := &r.Words.Elsewhere
	rest := after[len(tallyBehind.FindString(after)):]
	by := x.Agent.FindString(rest)
	if by == "" {
		return ""
	}
	rest = strings.TrimLeft(rest[len(by):], " ")
	first, _, _ := strings.Cut(rest, " ")
	if end := strings.IndexAny(rest, ",;.()"); end >= 0 {
		rest = rest[:end]
	}
	agent := strings.Fields(rest)
	switch {
	case len(agent) < 2, x.How.MatchString(first), x.How.MatchString(agent[1]):
		return ""
	case quantity.MatchString(first):
		if r.Words.Position.MatchString(rest) || r.Words.OfVote.MatchString(rest) || yearIn.MatchString(first) {
			return ""
		}
	case !x.Object.MatchString(first):
		return ""
	}
	return strings.Join(agent[:min(len(agent), 6)], " ")
}

// isReported reports whether a clause is what somebody says.
func (r clauses) isReported(before string) bool {
	x := &r.Words.Elsewhere
	all := x.That.FindAllStringIndex(before, -1)
	if len(all) == 0 {
		return false
	}
	m := all[len(all)-1]
	governing := before[:m[0]]
	return strings.TrimSpace(governing) != "" && !x.RulesThat.MatchString(governing) &&
		!(r.moved && r.Words.Subject.MatchString(before[m[1]:]))
}

// openMeeting matches a meeting in which everyone votes.
var openMeeting = lexicon.Compile(`\b{open meeting}\b`)

// memberCount matches the number of members in the head.
var memberCount = words.Regexp(`\b(\d{1,3}) {members counted}\b|` +
	`\b{and} (\d{1,3}) {others counted}\b|\b{number of members}\)? ?:? ?(\d{1,3})\b`)

// outnumbers reports whether a tally has more votes than the body has members and a casting vote.
func (r *Scanner) outnumbers(t lexicon.Tally) bool {
	listed := r.Members.Listed()
	sum := t.Ayes + t.Nays + t.Others
	if listed < 3 || sum <= listed+1 || sum <= r.Members.Len() {
		return false
	}
	if !r.counted {
		r.counted = true
		r.seats = r.countSeats()
	}
	most := max(r.seats, listed)
	if r.Language == lexicon.French {
		most = 2 * most // each of them can have the proxy of somebody who is absent
	}
	return r.seats > 0 && sum > most+1
}

// countSeats returns how many members the document speaks of: 0 if everyone votes.
func (r *Scanner) countSeats() int {
	for i := 0; i < len(r.Doc.Lines) && i < 4; i++ {
		if f, _ := lexicon.FoldText(r.Doc.Lines[i].Text); openMeeting.MatchString(f) {
			return 0
		}
	}
	seats := r.Members.Listed()
	totals := map[int]int{}
	for _, line := range r.Doc.Lines[:min(len(r.Doc.Lines), 80)] {
		f, _ := lexicon.FoldText(line.Text)
		for _, m := range memberCount.FindAllStringSubmatch(f, 8) {
			n := max(lexicon.ValueOf(m[1]), lexicon.ValueOf(m[3]), r.Members.Listed()+lexicon.ValueOf(m[2]))
			if n <= 4*r.Members.Listed() {
				seats = max(seats, n)
			}
		}
	}
	for _, p := range r.Paras {
		if p.Table != nil {
			continue
		}
		for _, s := range Sentences(p.Text, Span{To: len(p.Text)}) {
			f := p.Fold[p.Folded(s.From):p.Folded(s.To)]
			if t := r.Words.Tally(f, lexicon.InSentence); t.Counted && t.BothSides {
				totals[t.Ayes+t.Nays+t.Others]++
			}
		}
	}
	for total, n := range totals {
		if n > 1 {
			seats = max(seats, total)
		}
	}
	return seats
}
