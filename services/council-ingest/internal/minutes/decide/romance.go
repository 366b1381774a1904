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

// languageOf returns the language in which most of the first lines are written.
func languageOf(lines []rows.Line) language {
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
	best := english
	for _, l := range []language{french, spanish} {
		if counts[l] > counts[best] && counts[l] > 2 {
			best = l
		}
	}
	return best
}

// In French and Spanish minutes the body decides, and seldom a member moves: "Le conseil, par 6 voix
// pour et 2 voix contre, décide …", "El Pleno, por unanimidad, acuerda …".
var (
	romanceUnanimous = compile(`\ba l'unanimite\b|\bunanimement\b|\bunanimite des\b|\bpar acclamations?\b|` +
		`\b(?:por|con la) unanimidad\b|\bunanimemente\b|\bunanime\b|\bpor asentimiento\b|\bunanimidad de (?:los|las|sus)\b`)
	romanceMajority = compile(`\ba la majorite\b|\bpor (?:amplia )?mayoria\b`)
	romanceCount    = compile(`\b(` + figure + `|aucune?|ningun[oa]?|cero)[ (]{1,2}(?:\d{1,3}\)? )?(?:voix |votos? |votes? |suffrages? |bulletins? )?(?:des? \w+ )?` +
		`(pour|contre|oui|non|abstentions?|favorables?|defavorables?|a favor|en contra|afirmativos?|negativos?|positivos?|abstenci(?:on|ones))\b`)
	romanceRow = compile(`\b(pour|contre|abstentions?|a favor|en contra|abstenci(?:on|ones)|afirmativos?|negativos?)(?: ?\(s\))?\s*[:=,-]?\s*(\d{1,3})\b`)
	romanceNo  = compile(`\b(?:rejete|rejette|refusee?s?|refuse d|repousse|defavorable|rechaz|desestim|denieg|denegad|no (?:se )?(?:aprueb|aprob|prosper)|n'est pas (?:adopte|approuve)|` +
		`n'a pas (?:ete )?(?:adopte|approuve))`)
	romanceYes = compile(`\b(?:adopt|approuv|accept|decid|resol|resuel|vote\b|valid|autoris|autoriz|attribu|accord|ratifi|entérin|donne\b|fixe\b|emet|designe|elit|elu\b|` +
		`aprob|aprueb|acuerd|acord|otorg|nombr|queda)`)
	romanceLater = compile(`\b(?:reportee?s?|ajournee?s?|differee?s?|aplazad[oa]s?|pospuest[oa]s?|sobre la mesa)\b`)
	// romanceDoubt stands before what was decided on another day, by another body, or not yet.
	romanceDoubt = compile(`\b(?:avait|avaient|aurait|devra|devront|pourra|pourraient|sera|seront|serait|si le conseil|requiert|necessite|par deliberation (?:n|du|en date)|` +
		`(?:rappel\w*|repond|indique|precise|explique|informe|signale|souligne|responde|recuerda|informa|explica|senala|manifiesta) qu[e'’]|habia|habian|debera|podra|requiere|necesita|exige|ya se|contesta|pregunta|dice que|demande si)\b`)
	romanceOther = compile(`\b(?:la commission|le comite|le bureau|la comision|comision informativa|comisiones)\b`)
	romanceBody  = compile(`\b(?:conseil(?:lers)?|assemblee|deliberation|proposition|pleno|corporacion|ayuntamiento|cabildo|concejo|junta de gobierno|mocion|propuesta|asistentes|presentes|presents)\b`)
)

// inRomance reads the outcome that a French or Spanish sentence states.
func (r *reader) inRomance(p *paragraph, s span, f string) *outcome {
	if len(f) > 3_000 {
		return nil
	}
	o := &outcome{}
	mark := -1
	if m := romanceUnanimous.FindStringIndex(f); m != nil {
		o.unanimous, mark = true, m[0]
	} else if m := romanceMajority.FindStringIndex(f); m != nil {
		mark = m[0]
	}
	counted := o.romanceTally(f)
	if counted >= 0 && (mark < 0 || counted < mark) {
		mark = counted
	}
	if d := r.draft; mark < 0 && len(f) < 90 && d != nil && !d.worded && d.seen == r.item && d.to >= p.index-2 &&
		romanceNo.MatchString(f) &&
		!romanceDoubt.MatchString(f) {
		return &outcome{sense: failed, worded: true, strong: true, restates: true,
			raw: p.words(s)}
	}
	if d := r.draft; mark < 0 && d != nil && !d.worded && (d.counted || d.roll.positioned()) && d.seen == r.item &&
		d.to >= p.index-2 && len(f) < 300 &&
		romanceBody.MatchString(f) && romanceYes.MatchString(f) && !romanceDoubt.MatchString(f) {
		return &outcome{sense: carried, worded: true, strong: true, restates: true,
			raw: p.words(s)}
	}
	if mark < 0 || romanceDoubt.MatchString(f[:mark]) {
		return nil
	}
	if romanceOther.MatchString(f[:mark]) && !romanceBody.MatchString(f) {
		return nil
	}
	switch {
	case romanceNo.MatchString(f):
		o.sense, o.worded = failed, true
	case romanceYes.MatchString(f), o.unanimous && (romanceBody.MatchString(f) || strings.HasPrefix(f, "vot")),
		mark >= 0 && counted < 0:
		o.sense, o.worded = carried, true
	case romanceLater.MatchString(f):
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
func (r *reader) romanceVote(f string) bool {
	return r.language != english && len(f) < 600 && !romanceDoubt.MatchString(f) &&
		(romanceUnanimous.MatchString(f) || romanceMajority.MatchString(f) || romanceCount.MatchString(f))
}

// nextVote matches words with which a vote begins, so that the vote above them is over.
var nextVote = compile(`\b(?:soumis(?:e|es)? (?:au vote|aux voix|au scrutin)|mis(?:e|es)? aux? (?:voix|votes?)|sometid[oa]s? a votacion|se somete a votacion)\b`)

// romanceOf stands before those who voted against or abstained: "1 en contra del regidor Doe".
var romanceOf = compile(`\b(contre|en contra|abstention|abstencion)(?:es|s)?,? (?:del|de los|de las|de la|de|du|des) `)

// romanceSide stands before the names of those who voted alike: "votan por la afirmativa los
// Concejales Doe y Roe", "1 abstention : Mme Doe".
var romanceSide = compile(`\b(?:vota(?:n|ron)?|voto) (?:por la )?(afirmativa|negativa|a favor|en contra),? (?:(?:los|las|el|la) )?|\b(abstention|contre|abstencion|en contra)(?:es|s)? ?: `)

func (r *reader) romanceNames(o *outcome, p *paragraph, s span, f string, base int) {
	for _, m := range romanceSide.FindAllStringSubmatchIndex(f, 4) {
		word := f[max(m[2], m[4]):max(m[3], m[5])]
		sense := nay
		switch {
		case strings.HasPrefix(word, "abst"):
			sense = abstain
		case word == "afirmativa", word == "a favor":
			sense = aye
		}
		end := m[1]
		for end < len(f) && !strings.ContainsAny(f[end:end+1], ";.):") {
			end++
		}
		if names := r.membersIn(p.text[p.offset(base+m[1]):p.offset(base+end)]); names != nil && !hasSense(o.named, sense) {
			o.named = append(o.named, entry{sense: sense, names: names, count: -1})
		}
	}
	for _, m := range romanceOf.FindAllStringSubmatchIndex(f, 4) {
		sense := nay
		if strings.HasPrefix(f[m[2]:m[3]], "abs") {
			sense = abstain
		}
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

// versus matches the tally "35 voix contre 6", in which no 35 are against.
var versus = compile(`\b(` + figure + `) (?:voix|votos?|oui) contr[ea] (` + figure + `)\b`)

// romanceTally reads counts such as "6 voix pour et 2 contre", and returns where the first stands, or
// -1.
func (o *outcome) romanceTally(f string) int {
	if !strings.Contains(f, "pour") && !strings.Contains(f, "contr") && !strings.Contains(f, "abst") &&
		!strings.Contains(f, "favor") &&
		!strings.Contains(f, "tivo") && !strings.Contains(f, " oui") {
		return -1
	}
	ayes, nays, others, at := -1, -1, -1, -1
	take := func(word, number string, from int) {
		n := valueOf(number)
		if strings.HasPrefix(number, "aucun") || strings.HasPrefix(number, "ning") || number == "cero" {
			n = 0
		}
		if n < 0 || n > 300 {
			return
		}
		switch {
		case strings.HasPrefix(word, "abst"):
			others = max(others, n)
		case word == "pour", word == "oui", word == "a favor",
			strings.HasPrefix(word, "favor"), strings.HasPrefix(word, "afirm"),
			strings.HasPrefix(word, "posit"):
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
	for _, m := range romanceCount.FindAllStringSubmatchIndex(f, 8) {
		if ayes >= 0 && nays >= 0 && !strings.HasPrefix(f[m[4]:m[5]], "abst") {
			continue
		}
		if m[2] > 0 && strings.ContainsAny(f[m[2]-1:m[2]], ".,$/-") {
			continue
		}
		take(f[m[4]:m[5]], f[m[2]:m[3]], m[0])
	}
	if ayes < 0 && nays < 0 {
		for _, m := range romanceRow.FindAllStringSubmatchIndex(f, 8) {
			take(f[m[2]:m[3]], f[m[4]:m[5]], m[0])
		}
	}
	if ayes < 0 {
		o.nays, o.others = max(nays, 0), max(others, 0)
		if nays < 0 {
			return -1
		}
		return at
	}
	o.bothSides = nays >= 0 || others >= 0
	o.ayes, o.nays, o.others, o.counted = ayes, max(nays, 0), max(others, 0), true
	return at
}

// honorifics are French and Spanish ones, some of which look like initials.
var honorifics = regexp.MustCompile(`(^|[\s,;:(–-])(?:Mmes et MM\.|MM\. et Mmes|MM?\.|Mmes?|Mlles?|D\.ª|Dª\.?|Dña\.?|D\.|Sr\.ª?|Sra\.|Sres\.|Sras\.)\s+(\p{Lu})`)

// withoutHonorifics removes the honorifics from a list of names.
func (r *reader) withoutHonorifics(text string) string {
	if r.language == english || !strings.ContainsAny(text, ".Mª") {
		return text
	}
	return honorifics.ReplaceAllString(text, "$1$2")
}
