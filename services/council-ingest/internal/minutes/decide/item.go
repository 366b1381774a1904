package decide

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
)

// An item is a heading with what follows it.
type item struct {
	number  string
	file    string
	title   string
	section string
	page    int
	line    int
	consent bool
	votes   []*draft

	// for headings of any form
	strong bool // it has a number
	head   bool // it stands at the top of the document, and may be a body's name

	// for items of an outline
	row     int // index of the line
	sec     *section
	heading bool // it is a heading with its own vote
	pulled  bool // it was removed from the consent calendar
	kind    lex.MarkerStyle
	tables  []*table
	shared  bool  // the vote on the consent calendar adopted it
	parent  *item // set if it may be an entry of a list in the text of this item
	moved   bool  // it has its own motion, in minutes that state votes in sentences
	alone   bool  // only its title was read so far
}

var (
	marker = regexp.MustCompile(`^(\*?\(?(?:\d{1,3}(?:\.\d{1,3}){0,3}[.)]?|[A-Z]{1,2}[.)]|\([A-Za-z0-9]{1,3}\)|[IVXL]{1,6}[.)]|[A-Z]{1,4}-?\d{1,4}(?:[.-]\d{1,4})?[a-z]?[.):]?|` +
		`\d{1,3}/\d{2,4}|\d{1,2}\.?[ºª°]\.?[ –-]{0,3}|[A-Za-z]{1,4}/?\d{1,4}(?:[/:.]\d{1,4}){1,3}|[A-Z]{1,3}/\d{1,4}|\d{1,3}\.?[A-Za-z]{1,2}[.)]|\d{4}-\d{2}-\d{2,4}|(?:[Rr]es|[Oo]rd|[Bb]ill|RES|ORD)\. ?No\. ?[\d-]+\.?))\s+(\S.*)$`)
	labelled = regexp.MustCompile(`^(?:(?:D[ée]lib[ée]ration|DÉLIBÉRATION|DELIBERATION|Résolution|RÉSOLUTION|Point|POINT|Punto|PUNTO|Asunto|ASUNTO|Rapport|RAPPORT|Affaire|AFFAIRE) (?:n°|N°|nº|No\.?|num\.)? ?\d[\w./-]*|APPLICATION|ITEM|AGENDA ITEM|CASE|BILL|SUBJECT|Item|Agenda Item|Case|ORDINANCE|RESOLUTION|Subject)\b(?: (?:NO|No)\.?)?[ :#]+\S`)
	tailCode = regexp.MustCompile(`^(\S.{3,120}?) \(([A-Z]-?\d{0,3}[a-z]?(?:/[A-Z]-?\d{1,3})?)\)$`)
)

// ofVote matches a label within an item, which is no title.
var ofVote = regexp.MustCompile(`^(?i:motion|main motion|vote|vote on(?: .*)?|discussion|recommended actions?|second|action|roll call vote|decision|staff report|` +
	`background|summary|recommendation|amendment|public comments?):?$`)

// ofBody matches a line of the letterhead: the name of a body or a place, or the kind of meeting.
var ofBody = regexp.MustCompile(`(?i)\b(?:council|board|commission|committee|minutes|meeting|(?:city|town|village|county|municipality|township|corporation|province) of|authority|` +
	`district|agency|conseil|province|proces-verbal|ayuntamiento|acta)\b`)

// heading opens an item if paragraph k is the heading of one.
func (r *reader) heading(k int, alone bool) bool {
	if r.outline != nil {
		return false
	}
	p := r.paras[k]
	line, rest, more := cutLine(p.text)
	number, title := "", line
	strong := false
	if f, _ := foldText(line); firmAlone.MatchString(f) {
		return false
	}
	m := marker.FindStringSubmatch(line)
	if m != nil {
		m[2] = strings.TrimLeft(m[2], ":–- ")
	}
	if m != nil && isItemTitle(firstSentence(m[2])) && !r.isHonorific(m[1]) {
		number, title, strong = strings.Trim(m[1], " "), m[2], true
		if more && len(line) > 50 && len(rest) < 400 && !sentenceLike(rest) {
			title = council.Fold(title + " " + rest)
		}
	} else if m := r.romanceItem(line); m != nil && isItemTitle(clip(firstSentence(m[2]), 200)) {
		number, title, strong = m[1], firstSentence(m[2]), true
	} else if m := tailCode.FindStringSubmatch(line); m != nil && !more {
		number, title, strong = m[2], m[1], true
	} else if !isHeading(p, line, more, p.blank || k > 0 && r.isTitle(r.paras[k-1])) {
		return false
	}
	if !alone {
		return false
	}
	title = strings.TrimSpace(strings.Trim(council.Fold(title), " :"))
	if !strong && isCapitals(line) && more && isCapitals(rest) {
		title = council.Fold(line + " " + rest)
	}
	signal := r.signalIn(k)
	if signal && (!strong || starter.MatchString(title) || r.x.lead.MatchString(p.fold) || r.near(k) && !p.blank) {
		return false
	}
	if signal {
		all := sentences(p.text, span{0, len(p.text)})
		s := all[0]
		if len(all) > 1 && strings.Trim(p.text[s.from:s.to], " .") == strings.Trim(number, " .") {
			s = all[1]
		}
		if told := strings.TrimSpace(strings.TrimPrefix(council.Fold(p.text[s.from:s.to]), number)); told != "" {
			title = clip(behindTitle.ReplaceAllString(told, ""), 160)
		}
	}
	ln := p.lines[0]
	head := k < 8 && !strong && ofBody.MatchString(title)
	it := &item{number: number, title: clip(title, 500), page: ln.Page, line: ln.No, strong: strong, head: head}
	list, removed := council.ConsentHeading(title)
	it.consent = list && !removed
	if r.item >= 0 {
		above := r.items[r.item]
		switch {
		case !strong:
		case above.head:
		case above.strong:
			it.section, it.consent = above.section, it.consent || above.consent && above.section != ""
		default:
			it.section, it.consent = above.title, it.consent || above.consent
		}
	}
	r.items = append(r.items, it)
	r.item = len(r.items) - 1
	n := r.signal("heading", k, 0, line)
	r.end(n, "opens an item")
	if more && !signal && !strings.Contains(title, clip(council.Fold(rest), 20)) {
		r.sentences(k, []span{{len(line) + 1, len(p.text)}})
	}
	return !signal
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

// behindTitle matches a motion or a decision that follows the title of an item within its sentence.
var behindTitle = regexp.MustCompile(`(?i)\s*[:.–—-]\s*(?:it was|(?:up)?on (?:a )?motion|(?:a )?motion|moved|proposed|resolved|that)\b.*$`)

// firstSentence returns the first sentence of a line.
func firstSentence(text string) string {
	s := sentences(text, span{0, len(text)})
	if len(s) == 0 {
		return text
	}
	return text[s[0].from:s[0].to]
}

// firmAlone matches a line that has nothing but an outcome: it is no heading.
var firmAlone = regexp.MustCompile(`^[\s(\["'*-]*(?:motion )?(?:carried|lost|defeated|failed|passed)(?: unanimously)?[\s\d.,:;()\[\]/"'*!-]*$`)

// signalIn reports whether a paragraph that looks like a heading has a motion or an outcome.
func (r *reader) signalIn(k int) bool {
	p := r.paras[k]
	s := span{0, len(p.text)}
	if found, _, _ := r.pairs(p, s); len(found) > 0 {
		return true
	}
	if resolvedMark.MatchString(p.fold) || r.language != english && behindName.MatchString(p.fold) {
		return true
	}
	if firmAlone.MatchString(p.fold) && r.item >= 0 {
		return true
	}
	if isCapitals(p.text) && len(r.open) == 0 && r.draft == nil && !r.x.lead.MatchString(p.fold) &&
		!strings.Contains(p.fold, "motion") && !strings.ContainsAny(p.fold, "0123456789") {
		return false
	}
	if m := r.motionIn(p, s); m != nil && (m.mover != nil || m.seconder != nil || m.moved && m.seconded) {
		return true
	}
	for _, s := range sentences(p.text, s) {
		if o := r.outcomeIn(p, s, r.setting(p, r.near(k), false)); o != nil && (o.strong || r.near(k)) {
			return true
		}
	}
	return false
}

// isItemTitle reports whether the text behind a number can be the title of an item.
func isItemTitle(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, "\"“‘'([$*"))
	if !unicode.IsUpper(first) && !unicode.IsDigit(first) || strings.HasPrefix(text, "That ") ||
		strings.HasPrefix(text, "THAT ") {
		return false
	}
	return !(strings.HasSuffix(text, ".") && sentenceLike(text))
}

// sentenceLike reports whether most words of a text are in lower case.
func sentenceLike(text string) bool {
	lower, words := 0, 0
	for w := range strings.FieldsSeq(text) {
		words++
		if w[0] >= 'a' && w[0] <= 'z' && len(w) > 3 {
			lower++
		}
	}
	return lower >= 3 && lower*2 > words
}

// isHeading reports whether a line without a number is a heading.
func isHeading(p *paragraph, line string, more, apart bool) bool {
	if p.hashed {
		return true
	}
	if len(line) < 4 || len(line) > 140 || ofVote.MatchString(line) || strings.HasSuffix(line, ",") {
		return false
	}
	if labelled.MatchString(line) {
		return true
	}
	if isCapitals(line) && letters(line) > 3 {
		return !strings.HasSuffix(line, ".") || len(line) < 60
	}
	if !apart || more || strings.ContainsAny(line[len(line)-1:], ".;,?!:)") || len(line) > 100 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(line)
	return unicode.IsUpper(first) && !sentenceLike(line) && len(strings.Fields(line)) <= 14
}
