package signal

import (
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// inRomance reads the outcome that a French or Spanish sentence states. There the body decides, and seldom a
// member moves: "Le conseil, par 6 voix pour et 2 voix contre, décide …", "El Pleno, por unanimidad, acuerda …".
func (r *Scanner) inRomance(p *Paragraph, s Span, f string, at Setting) *Outcome {
	if len(f) > 3_000 || isRecital(f) {
		return nil
	}
	o := r.shortFate(p, s, f)
	if o != nil {
		return o
	}
	o = &Outcome{}
	if recitalNext.MatchString(f) && !r.Words.Romance.Resolves.MatchString(f) {
		return nil // "Considérant que le comité a recommandé, par 5 voix contre 2, …"
	}
	mark := -1
	tally, counted := r.Words.InWords(f)
	o.Tally = tally
	if m := ofVoters.FindStringSubmatch(f); m != nil && o.Counted && !o.BothSides && lexicon.ValueOf(m[1]) == o.Ayes {
		o.Unanimous, o.BothSides = true, true
	}
	if tie := tiedAt.FindAllStringSubmatchIndex(f, 1); tie != nil && !o.Counted {
		m := tie[0]
		n := lexicon.ValueOf(f[m[2]:m[3]])
		o.Count(n, n)
		counted, o.Tied = m[0], true
	} else if m := Casting.FindStringIndex(f); m != nil {
		mark, o.Tied = m[0], true
	}
	if m := r.Words.Romance.Unanimous.FindStringIndex(f); m != nil {
		o.Unanimous, mark = true, m[0]
	} else if m := r.Words.Romance.Majority.FindStringIndex(f); m != nil {
		mark, o.Majority = m[0], true
	}
	if counted >= 0 && (mark < 0 || counted < mark) {
		mark = counted
	}
	if mark < 0 {
		mark = r.dissents(p, s, f)
		o.Majority = mark >= 0
	}
	if mark < 0 && slices.ContainsFunc(r.romanceSides(p, f, p.Folded(s.From)), func(e Entry) bool { return !e.Answer }) {
		mark = r.Words.Romance.Side.FindStringIndex(f)[0]
	}
	if mark < 0 && r.bodyActs(f) && r.countsNext(p, s) {
		mark = 0
	}
	if mark < 0 && len(f) < 90 && at.open(2) && at.SameItem &&
		r.Words.Romance.No.MatchString(f) &&
		!r.Words.Romance.Doubtful.MatchString(f) {
		return &Outcome{Sense: lexicon.Failed, Worded: true, Strong: true, Restates: true,
			Raw: p.Words(s)}
	}
	if mark < 0 && at.open(2) && (at.Vote.Counted || at.Roll) && at.SameItem && len(f) < 300 &&
		(r.Words.Romance.Body.MatchString(f) || itemDecided.MatchString(f)) && r.Words.Romance.Yes.MatchString(f) &&
		!r.Words.Romance.Doubtful.MatchString(f) {
		return &Outcome{Sense: lexicon.Carried, Worded: true, Strong: true, Restates: true,
			Raw: p.Words(s)}
	}
	if m := r.Words.Romance.Resolves.FindStringIndex(f); at.Same && m != nil && mark == counted && mark > m[1]+60 {
		return nil // the text of the motion: "et résolu de l'accorder malgré l'avis défavorable, à 3 contre 2"
	}
	if m := putAndDecided.FindStringSubmatch(f); mark < 0 && m != nil && r.Words.Romance.Put.MatchString(f) &&
		!r.Words.Romance.Doubtful.MatchString(f) {
		o.Sense = lexicon.Carried
		if m[1] == "" {
			o.Sense = lexicon.Failed
		}
		o.Worded, o.Strong = true, true
		o.Restates, o.Raw = true, p.Words(s)
		return o // its votes can stand below
	}
	if mark < 0 || r.Words.Romance.Doubtful.MatchString(f[:mark]) {
		return nil
	}
	switch {
	case r.Words.Romance.No.MatchString(f):
		o.Sense, o.Worded = lexicon.Failed, true
	case r.beforeDecision(r.Words.Romance.PutOff, f):
		o.Sense, o.Worded = lexicon.Continued, true
	case r.Words.Romance.Yes.MatchString(f), o.Counted && o.Ayes > o.Nays && strings.HasSuffix(f, ":") &&
		r.Words.Romance.Body.MatchString(f), // what it decided are the points of the list below
		o.Unanimous && (r.Words.Romance.Body.MatchString(f) ||
			votWord.Begins(f)),
		mark >= 0 && counted < 0:
		o.Sense, o.Worded = lexicon.Carried, true
	case r.Words.Romance.Later.MatchString(f):
		o.Sense, o.Worded = lexicon.Continued, true
	case o.Counted && r.Words.Lead.MatchString(f):
	case !o.Counted, o.Nays == 0 && o.Others == 0 && !o.BothSides:
		return nil // a row of those in favor
	}
	if o.Counted && o.Nays > o.Ayes && o.Sense == lexicon.Carried && o.Worded {
		o.Worded = false // its words may be those of the motion
	}
	if o.Counted && o.Ayes == o.Nays && o.Ayes > 0 && o.Sense == lexicon.Carried && !Casting.MatchString(f) {
		o.Tied, o.Worded = true, false // what breaks the tie stands below
	}
	o.Strong = true
	base := p.Folded(s.From)
	r.NamedIn(o, p, s, f, base)
	r.romanceNames(o, p, f, base)
	o.Raw = p.Words(s)
	o.Restates = !o.Counted && len(o.Named) == 0 && len(f) < 60
	return o
}

// ofVoters matches the number of those who voted before the count of their votes.
var ofVoters = words.Regexp(`^(\d{1,3}) {voters} ?: ?\d`)

// bodyActs reports whether a short sentence begins with the body and the verb of its decision: "Le Conseil rejette".
func (r *Scanner) bodyActs(f string) bool {
	at := r.Words.Romance.Body.FindStringIndex(f)
	if at == nil || at[0] > 8 || len(f) > 200 {
		return false
	}
	f = f[at[1]:min(len(f), at[1]+28)]
	return r.Words.Romance.No.MatchString(f) || r.Words.Romance.Yes.MatchString(f)
}

// countsNext reports whether the next sentence has nothing but the tally of a decision: "Le Conseil rejette la motion.
// 14 votants : 4 votes positifs, 10 votes négatifs."
func (r *Scanner) countsNext(p *Paragraph, s Span) bool {
	next := strings.TrimLeft(p.Fold[p.Folded(s.To):], " .\n")
	if next == "" && p.Index+1 < len(r.Paras) {
		next = r.Paras[p.Index+1].Fold
	}
	next, _, _ = strings.Cut(next[:min(len(next), 160)], ".")
	_, counted := r.Words.InWords(next)
	return counted >= 0 && r.Words.CountedAlone(next)
}

// putAndDecided matches the end of a sentence that says what became of what was put to the vote: "Mis aux voix, le
// budget est adopté."
var putAndDecided = words.Regexp(`\b{item is} (?:({romance carried})|{romance failed})\.?$`)

// itemDecided matches the beginning of a sentence that says what became of its item: "La cession est approuvée".
var itemDecided = words.Regexp(`^{opening article} ?[a-z' -]{3,60} {item is}\b`)

// tiedAt matches the number of votes of each side of a tie: "un empate a cuatro votos".
var tiedAt = lexicon.Compile(`\b{tied at} (\d{1,3}|{one}|{number})\b`)

// exceptSome matches those who abstain or vote against in the sentence of an outcome: "adopté avec deux abstentions",
// "se aprueba la comunicación con la abstención de la concejal Doe".
var exceptSome = lexicon.Compile(`\b{with or by} (?:{some of them} )?{abstention or vote against}\b`)

// dissents returns where a sentence decides although no count is printed, because it or the next sentence says who did
// not vote in favor: "Le conseil approuve le tarif. Mme Doe s'abstient." It returns -1 for other sentences.
func (r *Scanner) dissents(p *Paragraph, s Span, f string) int {
	fate := r.Words.Outcome.FindStringIndex(f)
	if fate == nil {
		fate = r.Words.Elsewhere.Acts.FindStringIndex(f)
	}
	if fate == nil {
		return -1
	}
	if at := exceptSome.FindStringIndex(f[fate[1]:]); at != nil && at[0] < 90 {
		return fate[0]
	}
	next := p.Fold[p.Folded(s.To):]
	next, _, _ = strings.Cut(strings.TrimLeft(next[:min(len(next), 160)], " .\n"), ". ")
	if bodyVoted.MatchString(f) && r.Words.Romance.Verb.MatchString(next) && !r.Words.Romance.Doubtful.MatchString(f) {
		return fate[0]
	}
	return -1
}

// beforeDecision reports whether a text has a match above each verb of a decision: "queda aplazada por unanimidad".
func (r *Scanner) beforeDecision(what *lexicon.Pattern, f string) bool {
	at, verb := what.FindStringIndex(f), r.Words.Romance.Yes.FindStringIndex(f)
	return at != nil && (verb == nil || at[0] <= verb[0])
}

// RomanceVote reports whether a sentence that was not read may state a vote.
func (r *Scanner) RomanceVote(f string) bool {
	if r.Language == lexicon.English || len(f) >= 600 || recitalNext.MatchString(f) ||
		r.Words.Romance.Doubtful.MatchString(f) {
		return false
	}
	_, counted := r.Words.InWords(f)
	return counted >= 0 || r.Words.Romance.Unanimous.MatchString(f) || r.Words.Romance.Majority.MatchString(f)
}

// romanceNames reads who voted against or abstained, "1 en contra del regidor Doe", and those who voted alike:
// "votan por la afirmativa los Concejales Doe y Roe", "1 abstention : Mme Doe".
func (r *Scanner) romanceNames(o *Outcome, p *Paragraph, f string, base int) {
	for _, e := range r.romanceSides(p, f, base) {
		if len(e.Names) > 0 && !HasSense(o.Named, e.Sense) {
			o.Named = append(o.Named, e)
			if o.Counted && e.Sense == lexicon.Nay {
				o.Nays = max(o.Nays, len(e.Names)) // "con cinco votos afirmativos y el voto negativo de la concejala Doe"
			}
		}
		switch n := max(len(e.Names), 1); {
		case !e.Answer:
		case e.Sense == lexicon.Nay:
			o.Nays = max(o.Nays, n)
		case e.Sense == lexicon.Abstain:
			o.Others = max(o.Others, n)
		}
	}
}

// romanceSides reads the members behind their side: "con los votos a favor de los concejales Doe y Roe, y el voto en
// contra de la concejala Poe". A side that is no noun of votes, "1 en contra del regidor Doe", is an answer, and
// without names if they were not read.
func (r *Scanner) romanceSides(p *Paragraph, f string, base int) (out []Entry) {
	sides := r.Words.Romance.Side.FindAllStringSubmatchIndex(f, 6)
	for _, m := range r.Words.Romance.Of.FindAllStringSubmatchIndex(f, 6) {
		if !slices.ContainsFunc(sides, func(o []int) bool { return o[0] <= m[2] && m[3] <= o[1] }) {
			sides = append(sides, []int{m[0], m[1], m[2], m[3], -1, -1, m[0]})
		}
	}
	slices.SortFunc(sides, func(a, b []int) int { return a[0] - b[0] })
	for i, m := range sides {
		limit := len(f)
		if i+1 < len(sides) {
			limit = leadsToSide(f[:sides[i+1][0]], m[1])
		}
		e := Entry{Sense: r.Words.Side(f[max(m[2], m[4]):max(m[3], m[5])]), Count: -1, Answer: len(m) > 6}
		text := p.Text[p.Offset(base+m[1]):p.Offset(base+min(endOfNames(f, m[1]), limit))]
		e.Names = r.membersIn(text)
		if !r.persons(e.Names) {
			e.Names = r.membersOfGroups(p.Text[p.Offset(base+m[1]):p.Offset(base+limit)])
		}
		if n, length, ok := r.nameAt(text); e.Answer && e.Names == nil && ok && r.IsPerson(n) && n.Text != "" &&
			!goesOnBehind(text[length:]) {
			e.Names = []person.Name{n}
		}
		if e.Answer || len(e.Names) > 0 {
			out = append(out, e)
		}
	}
	return out
}

// goesOnBehind reports whether the text behind a name begins with what joins it to another.
func goesOnBehind(text string) bool {
	text = strings.TrimLeft(text, " \n")
	rest, comma := strings.CutPrefix(text, ",")
	word, _, _ := strings.Cut(text, " ")
	return comma && beginsUpper(strings.TrimLeft(rest, " \n")) || isAnd.Is(word)
}

// leadsToSide returns where the names end before the next side, without the words that lead to it: ", y con el".
func leadsToSide(f string, from int) int {
	for {
		rest := strings.TrimRight(f, " ,")
		word := lexicon.LastWord(rest)
		if !isAnd.Is(word) && !isArticle.Is(word) && !beforeSides.Is(word) {
			return max(len(rest), from)
		}
		f = rest[:len(rest)-len(word)]
	}
}

// membersOfGroups reads members in parentheses behind their groups: "de los concejales del Grupo Popular (Sres. Doe y
// Roe) y del Grupo Mixto (Sra. Poe)". It returns nil if a group has no names, or a member stands outside.
func (r *Scanner) membersOfGroups(text string) (out []person.Name) {
	for {
		before, rest, open := strings.Cut(text, "(")
		inside, behind, closed := strings.Cut(rest, ")")
		if !open {
			return out
		}
		names := r.membersIn(inside)
		if n, at := r.nameEnding(strings.TrimSpace(before)); !closed || !r.persons(names) || at >= 0 && r.isMember(n) {
			return nil
		}
		out, text = append(out, names...), behind
	}
}

// endOfNames returns where the names end that begin at an offset: at a mark or a figure, but not at the full stop of an
// abbreviation.
func endOfNames(f string, from int) int {
	end := from
	for end < len(f) && (!strings.ContainsAny(f[end:end+1], ";.):0123456789") ||
		f[end] == '.' && abbreviatedBefore(f[:end])) {
		end++
	}
	return end
}

// BehindNames reads the members whose position a verb behind their names states.
func (r *Scanner) BehindNames(o *Outcome, p *Paragraph, f string, base int) {
	last := 0
	for _, m := range r.Words.Romance.Verb.FindAllStringSubmatchIndex(f, 6) {
		s := lexicon.Abstain
		switch {
		case m[4] >= 0:
			s = lexicon.Nay
		case m[6] >= 0:
			s = lexicon.Aye
		case m[8] >= 0:
			s = lexicon.NotVoting
		}
		before := p.Text[p.Offset(base+last):p.Offset(base+m[0])]
		names := r.membersIn(before)
		if n, at := r.nameEnding(before); names == nil && at >= 0 && r.IsPerson(n) &&
			!isAnd.Is(lexicon.LastWord(strings.TrimRight(before[:at], " \n"))) {
			names = []person.Name{n}
		}
		last = m[1]
		if names != nil && !HasSense(o.Named, s) {
			o.Named = append(o.Named, Entry{Sense: s, Names: names, Count: -1})
		}
	}
}

var (
	votWord = words.Plain("begins vote")
	isAnd   = words.Plain("joins names")
	// isArticle is true for what stands before an office
	isArticle = words.Plain("article of office")
	// beforeSides is true for what leads to those of a side
	beforeSides = words.Plain("leads to side")
)

// shortSpanish matches an outcome that is a sentence: "Fue aprobado."
var shortSpanish = words.Regexp(`^{was in spanish} (?:({approved})|{refused})\.?$`)

// toVote matches words by which something is put to the vote.
var toVote = lexicon.Compile(`\b{put to vote}\b`)

// shortFate reads an outcome that is a sentence of its own. It is a vote only below words that put something to it.
func (r *Scanner) shortFate(p *Paragraph, s Span, f string) *Outcome {
	m := shortSpanish.FindStringSubmatch(strings.TrimLeft(f, ", "))
	if m == nil {
		return nil
	}
	o := &Outcome{Sense: lexicon.Failed, Worded: true, Raw: p.Words(s)}
	if m[1] != "" {
		o.Sense = lexicon.Carried
	}
	o.Strong = toVote.MatchString(p.Fold[:p.Folded(s.From)])
	o.Bare = !o.Strong
	return o
}

// romanceMark matches the number of an item of French and Spanish minutes: "PUNTO 2. Obra pública".
var romanceMark = words.Regexp(`^((?i:{item label}) (?:(?i:{numero})\.?)? ?:? ?[A-Z]{0,2}\d[\w/-]*)` +
	`[ .:–-]+(\S.*)$`)

// ordinalItem matches an item that is numbered in words, in capitals: "SEGUNDO.- APROBACIÓN DEL ACTA". In small letters
// they number the parts of a decision.
var ordinalItem = words.Regexp(`^((?:{POINT} )?{ORDINAL})[ .:–-]+(\p{Lu}\P{Ll}{3,})$`)

func (r *Scanner) romanceItem(line string) []string {
	if r.Language == lexicon.English {
		return nil
	}
	if m := dashedItem.FindStringSubmatch(line); m != nil {
		return m
	}
	if m := romanceMark.FindStringSubmatch(line); m != nil {
		return m
	}
	return ordinalItem.FindStringSubmatch(line)
}

// AfterDebate matches the formula that closes a French resolution, whose tally can stand at its head.
var AfterDebate = lexicon.Compile(`\b{debated}\b`)
