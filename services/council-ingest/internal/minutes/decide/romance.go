package decide

import (
	"regexp"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

// language is the language of a document.
type language int

const (
	english language = iota
	french
	spanish
)

// common are frequent words of each language, of which no other language has many.
var common = map[language]string{
	english: " the of and was were to by that with ",
	french:  " le les des du est et au aux une par sur dans de la ",
	spanish: " el los del las que por con una para de la en se y ",
}

// languageOf returns the language in which most of the first lines are written, and whether that is
// plain English, without many words of another language.
func languageOf(lines []rows.Line) (best language, plain bool) {
	counts := [3]int{}
	for _, ln := range lines[:min(len(lines), 400)] {
		f, _ := foldText(ln.Text)
		for w := range strings.FieldsSeq(f) {
			if len(w) > 4 {
				continue
			}
			for l, list := range common {
				if strings.Contains(list, " "+w+" ") {
					counts[l]++
				}
			}
		}
	}
	for _, l := range []language{french, spanish} {
		if counts[l] > counts[best] && counts[l] > 2 {
			best = l
		}
	}
	return best, best == english && max(counts[french], counts[spanish])*4 < counts[english]
}

// inRomance reads the outcome that a French or Spanish sentence states. There the body decides, and seldom a
// member moves: "Le conseil, par 6 voix pour et 2 voix contre, décide …", "El Pleno, por unanimidad, acuerda …".
func (r *scanner) inRomance(p *paragraph, s span, f string, at setting) *outcome {
	if len(f) > 3_000 {
		return nil
	}
	o := &outcome{}
	mark := -1
	if m := r.x.romance.unanimous.FindStringIndex(f); m != nil {
		o.unanimous, mark = true, m[0]
	} else if m := r.x.romance.majority.FindStringIndex(f); m != nil {
		mark, o.majority = m[0], true
	}
	counted := o.romanceTally(r.x, f)
	if counted >= 0 && (mark < 0 || counted < mark) {
		mark = counted
	}
	if mark < 0 && len(f) < 90 && at.open(2) && at.sameItem &&
		r.x.romance.no.MatchString(f) &&
		!r.x.romance.doubtful.MatchString(f) {
		return &outcome{sense: failed, worded: true, strong: true, restates: true,
			raw: p.words(s)}
	}
	if mark < 0 && at.open(2) && (at.vote.counted || at.roll) && at.sameItem && len(f) < 300 &&
		r.x.romance.body.MatchString(f) && r.x.romance.yes.MatchString(f) && !r.x.romance.doubtful.MatchString(f) {
		return &outcome{sense: carried, worded: true, strong: true, restates: true,
			raw: p.words(s)}
	}
	if mark < 0 || r.x.romance.doubtful.MatchString(f[:mark]) {
		return nil
	}
	if r.x.romance.another.MatchString(f[:mark]) && !r.x.romance.body.MatchString(f) {
		return nil
	}
	switch {
	case r.x.romance.no.MatchString(f):
		o.sense, o.worded = failed, true
	case r.x.romance.yes.MatchString(f), o.unanimous && (r.x.romance.body.MatchString(f) || strings.HasPrefix(f, "vot")),
		mark >= 0 && counted < 0:
		o.sense, o.worded = carried, true
	case r.x.romance.later.MatchString(f):
		o.sense, o.worded = continued, true
	case !o.counted, o.nays == 0 && o.others == 0 && !o.bothSides:
		return nil // a row of those in favor
	}
	if o.counted && o.nays > o.ayes && o.sense == carried && o.worded {
		o.worded = false // its words may be those of the motion
	}
	o.strong = true
	base := p.folded(s.from)
	r.namedIn(o, p, s, f, base)
	r.romanceNames(o, p, s, f, base)
	o.raw = p.words(s)
	o.restates = !o.counted && len(o.named) == 0 && len(f) < 60
	return o
}

// romanceVote reports whether a sentence that was not read may state a vote.
func (r *scanner) romanceVote(f string) bool {
	return r.language != english && len(f) < 600 && !r.x.romance.doubtful.MatchString(f) &&
		(r.x.romance.unanimous.MatchString(f) || r.x.romance.majority.MatchString(f) || r.x.romance.counted.MatchString(f))
}

// romanceNames reads who voted against or abstained, "1 en contra del regidor Doe", and those who voted alike:
// "votan por la afirmativa los Concejales Doe y Roe", "1 abstention : Mme Doe".
func (r *scanner) romanceNames(o *outcome, p *paragraph, s span, f string, base int) {
	for _, m := range r.x.romance.side.FindAllStringSubmatchIndex(f, 4) {
		sense := r.x.side(f[max(m[2], m[4]):max(m[3], m[5])])
		end := m[1]
		for end < len(f) && !strings.ContainsAny(f[end:end+1], ";.):") {
			end++
		}
		if names := r.membersIn(p.text[p.offset(base+m[1]):p.offset(base+end)]); names != nil && !hasSense(o.named, sense) {
			o.named = append(o.named, entry{sense: sense, names: names, count: -1})
		}
	}
	for _, m := range r.x.romance.of.FindAllStringSubmatchIndex(f, 4) {
		sense := r.x.side(f[m[2]:m[3]])
		if sense == nay {
			o.nays = max(o.nays, 1)
		} else {
			o.others = max(o.others, 1)
		}
		if n, _, ok := r.nameAt(p.text[p.offset(base+m[1]):s.to]); ok && r.isPerson(n) && n.Text != "" &&
			!hasSense(o.named, sense) {
			o.named = append(o.named, entry{sense: sense, names: []person.Name{n}, count: -1})
		}
	}
}

// behindName matches what a member does, behind the name: "Mme Doe s'abstient de voter".
var behindName = compile(`\b(?:(s'abstien(?:t|nent)|s'est abstenue?|se sont abstenue?s|se abstiene[n]?|se abstuvo|se abstuvieron)|` +
	`((?:a|ont) vote contre|vote(?:nt)? contre|s'oppose(?:nt)?|(?:enregistre|inscrit|exprime|manifeste)(?:nt)? sa dissidence|` +
	`vota(?:n|ron)? en contra|voto en contra)|` +
	`((?:a|ont) vote pour|vote(?:nt)? pour|vota(?:n|ron)? a favor|voto a favor)|` +
	`(ne (?:participe|prend|prennent)(?:nt)? pas (?:part )?au vote|n'(?:a|ont) pas (?:participe|pris part) au vote|no participan? en la votacion))\b`)

// behindNames reads the members whose position a verb behind their names states.
func (r *scanner) behindNames(o *outcome, p *paragraph, f string, base int) {
	last := 0
	for _, m := range behindName.FindAllStringSubmatchIndex(f, 6) {
		s := abstain
		switch {
		case m[4] >= 0:
			s = nay
		case m[6] >= 0:
			s = aye
		case m[8] >= 0:
			s = notVoting
		}
		before := p.text[p.offset(base+last):p.offset(base+m[0])]
		names := r.membersIn(before)
		if n, at := r.nameEnding(before); names == nil && at >= 0 && r.isPerson(n) &&
			!strings.HasSuffix(strings.TrimRight(before[:at], " \n"), " et") {
			names = []person.Name{n}
		}
		last = m[1]
		if names != nil && !hasSense(o.named, s) {
			o.named = append(o.named, entry{sense: s, names: names, count: -1})
		}
	}
}

// versus matches the tally "35 voix contre 6", in which no 35 are against.
var versus = compile(`\b(` + figure + `) (?:voix|votos?|oui) contr[ea] (` + figure + `)\b`)

// romanceTally reads counts such as "6 voix pour et 2 contre", and returns where the first stands, or
// -1.
func (o *outcome) romanceTally(x *expr, f string) int {
	ayes, nays, others, at := -1, -1, -1, -1
	take := func(word, number string, from int) {
		n := valueOf(number)
		if strings.HasPrefix(number, "aucun") || strings.HasPrefix(number, "ning") || number == "o" || number == "q" {
			n = 0
		}
		if n < 0 || n > 300 {
			return
		}
		switch x.side(word) {
		case abstain:
			others = max(others, n)
		case aye:
			ayes = max(ayes, n)
		default:
			nays = max(nays, n)
		}
		if at < 0 || from < at {
			at = from
		}
	}
	for _, m := range versus.FindAllStringSubmatchIndex(f, 1) {
		take("pour", f[m[2]:m[3]], m[0])
		take("contre", f[m[4]:m[5]], m[0])
	}
	counted, rows := x.romance.counted.FindAllStringSubmatchIndex(f, 8), x.romance.rows.FindAllStringSubmatchIndex(f, 8)
	if len(rows) > 0 && len(counted) > 0 && rows[0][0] < counted[0][0] {
		counted = nil // "Pour : 11 Contre : 0" has no eleven against
	}
	for _, m := range counted {
		if ayes >= 0 && nays >= 0 && x.side(f[m[4]:m[5]]) != abstain {
			continue
		}
		if m[2] > 0 && strings.ContainsAny(f[m[2]-1:m[2]], ".,$/-") ||
			strings.HasPrefix(f[m[2]:], "un pour ") || strings.HasPrefix(f[m[2]:], "une pour ") {
			continue // "un pour les branchements" counts nobody
		}
		take(f[m[4]:m[5]], f[m[2]:m[3]], m[0])
	}
	if ayes < 0 && nays < 0 {
		for _, m := range rows {
			take(f[m[2]:m[3]], f[max(m[4], m[6]):max(m[5], m[7])], m[0]) // a scanned zero is read as "O" or "Q"
		}
	}
	if ayes < 0 {
		o.nays, o.others = max(nays, 0), max(others, 0)
		if nays < 0 {
			return -1
		}
		return at
	}
	o.count(ayes, nays)
	o.others, o.bothSides = max(others, 0), nays >= 0 || others >= 0
	return at
}

// honorifics are French and Spanish ones, some of which look like initials.
var honorifics = regexp.MustCompile(`(^|[\s,;:(–-])(?:Mmes et MM\.|MM\. et Mmes|MM?\.|Mmes?|Mlles?|D\.ª|Dª\.?|Dña\.?|D\.|Sr\.ª?|Sra\.|Sres\.|Sras\.)\s+(\p{Lu})`)

// withoutHonorifics removes the honorifics from a list of names.
func (r *scanner) withoutHonorifics(text string) string {
	if r.language == english || !strings.ContainsAny(text, ".Mª") {
		return text
	}
	return honorifics.ReplaceAllString(text, "$1$2")
}

// romanceMark matches the number of an item of French and Spanish minutes: "PUNTO 2. Obra pública".
var romanceMark = regexp.MustCompile(`^((?i:d[ée]lib[ée]ration|r[ée]solution|point|punto|asunto|rapport|affaire) (?:n°|N°|nº|No\.?|num\.)? ?:? ?[A-Z]{0,2}\d[\w/-]*)[ .:–-]+(\S.*)$`)

func (r *scanner) romanceItem(line string) []string {
	if r.language == english {
		return nil
	}
	if m := dashedItem.FindStringSubmatch(line); m != nil {
		return m
	}
	return romanceMark.FindStringSubmatch(line)
}

// isHonorific reports whether what looks like a letter of an outline is an honorific: "M. Dupont".
func (r *scanner) isHonorific(mark string) bool {
	return r.language == french && (mark == "M." || mark == "MM.") || r.language == spanish && mark == "D."
}

// afterDebate matches the formula that closes a French resolution, whose tally can stand at its head.
var afterDebate = compile(`\bapres (?:en )?avoir delibere\b`)
