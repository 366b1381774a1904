package decide

import (
	"strings"
	"unicode"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/head"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

// heading opens an item if paragraph k is the heading of one.
func (r *reader) heading(k int) bool {
	if r.outline.numbered {
		return false
	}
	p := r.Paras[k]
	if title := r.RunInTitle(p); title != "" {
		r.item = r.indexOf(r.outline.openHeading(p.First, title))
		r.end(r.signal("heading", k, 0, title), "opens an item")
		return false
	}
	h := r.HeadingAt(p, p.Blank || k > 0 && r.isTitle(r.Paras[k-1]))
	if h == nil {
		return false
	}
	if r.numbersDecision(h.Line) {
		r.end(r.signal("heading", k, 0, h.Line), "numbers the decision of its item")
		r.sentences(k, min(len(h.Line)+1, len(p.Text)), len(p.Text))
		return true
	}
	title := strings.TrimSpace(strings.Trim(council.Fold(h.Title), " :"))
	if !h.Strong && lexicon.IsCapitals(h.Line) && h.More && lexicon.IsCapitals(h.Rest) {
		title = council.Fold(h.Line + " " + h.Rest)
	}
	spoken := r.signalIn(k)
	if spoken && (!h.Strong || signal.Starter.MatchString(title) && !voteOf.MatchString(title) ||
		r.Words.Lead.MatchString(p.Fold) || r.near(k) && !p.Blank) {
		return false
	}
	if spoken {
		all := signal.Sentences(p.Text, signal.Span{From: 0, To: len(p.Text)})
		s := all[0]
		if len(all) > 1 && strings.Trim(p.Text[s.From:s.To], " .") == strings.Trim(h.Number, " .") {
			s = all[1]
		}
		sentence := strings.TrimPrefix(council.Fold(p.Text[s.From:s.To]), h.Number)
		if sentence = strings.TrimLeft(sentence, " .:–-"); sentence != "" {
			title = signal.Clip(signal.BehindTitle.ReplaceAllString(sentence, ""), 160)
		}
	}
	switch o := r.outline; {
	case h.Strong:
		r.item = r.indexOf(o.openNumbered(p.First, h.Number, signal.Clip(title, 500)))
	case k < 8 && !h.Label && (signal.OfBody.MatchString(title) || head.BeginsWithDate(title)):
		r.item = r.indexOf(o.openHeading(p.First, "")) // the letterhead
	default:
		r.item = r.indexOf(o.openHeading(p.First, signal.Clip(title, 500)))
	}
	n := r.signal("heading", k, 0, h.Line)
	r.end(n, "opens an item")
	if !spoken && r.Words.Outcome.MatchString(p.Fold) && r.Words.Tally(p.Fold, lexicon.InSentence).Counted {
		r.unread(r.signal("outcome", k, 0, p.Text)) // "Item 3, approved 4-1 in May"
	}
	if h.More && !spoken && !strings.Contains(title, signal.Clip(council.Fold(h.Rest), 20)) {
		r.sentences(k, len(h.Line)+1, len(p.Text))
	}
	return !spoken
}

// decisionNumber matches a line that has nothing but the number of a decision.
var decisionNumber = words.Regexp(`^(?i:{numbered decision}) (?:(?i:{numero})\.?)? ?\d[\d/.-]*\s*[:.]?$`)

// numbersDecision reports whether a line numbers the first decision of the current item, which has a title of its own:
// "ACUERDO N° 142/2024". The others begin items.
func (r *reader) numbersDecision(line string) bool {
	return r.item >= 0 && r.items[r.item].title != "" && decisionNumber.MatchString(line) &&
		!decisionNumber.MatchString(r.items[r.item].title) && (len(r.done) == 0 || r.done[len(r.done)-1].seen != r.item) &&
		(r.draft == nil || r.draft.lacksWord())
}

// voteOf matches the title of an item that begins with a word of a vote: "Vote du budget primitif".
var voteOf = words.Regexp(`^(?i:{vote of})\b`)

// openHeading opens a heading without a number that was found by its form. It returns the item of the
// votes on the heading itself.
func (o *outline) openHeading(i int, title string) *item {
	sec := &section{}
	o.enter(i, i+1, sec, title)
	own := sec.ownItem()
	own.consent = sec.consent && !sec.removed
	return own
}

// openNumbered opens an item that was found by the form of its heading.
func (o *outline) openNumbered(i int, number, title string) *item {
	if o.sec == nil {
		o.enter(i, i, &section{}, "")
	}
	it := &item{number: number, title: title}
	o.enterItem(i, i+1, it)
	list, removed := council.ConsentHeading(title)
	if list = list && !removed; list {
		o.consent = strings.TrimRight(number, ".")
	}
	it.consent = list || o.sec.consent || o.isPart(number)
	return it
}

// isPart reports whether a number is below that of the consent calendar: "6.1" and "6a" below "6".
func (o *outline) isPart(number string) bool {
	rest, found := strings.CutPrefix(number, o.consent)
	return found && o.consent != "" && rest != "" && !unicode.IsDigit(rune(rest[0])) && strings.Trim(rest, ".) ") != ""
}

// moves reports whether somebody moves in a part of a paragraph.
func (r *reader) moves(p *signal.Paragraph, s signal.Span) bool {
	m := r.MotionIn(p, s)
	return m != nil && (m.Mover != nil || m.Seconder != nil || m.Moved && m.Seconded)
}

// signalIn reports whether a paragraph that looks like a heading has a motion or an outcome.
func (r *reader) signalIn(k int) bool {
	p := r.Paras[k]
	s := signal.Span{From: 0, To: len(p.Text)}
	if found, _, _ := r.Pairs(p, s); len(found) > 0 {
		return true
	}
	if resolvedMark.MatchString(p.Fold) || r.Language != lexicon.English && r.Words.Romance.Verb.MatchString(p.Fold) {
		return true
	}
	if signal.FirmAlone.MatchString(p.Fold) && r.item >= 0 {
		return true
	}
	if lexicon.IsCapitals(p.Text) && len(r.open) == 0 && r.draft == nil && !r.Words.Lead.MatchString(p.Fold) &&
		!signal.Starter.MatchString(p.Text) && !motionWord.In(p.Fold) &&
		!strings.ContainsAny(p.Fold, "0123456789") {
		return false
	}
	if r.moves(p, s) {
		return true
	}
	for _, s := range signal.Sentences(p.Text, s) {
		if r.ElsewhereIn(p, s, nil, r.near(k)).Why != "" {
			continue
		}
		if s.From > 0 && r.moves(p, s) {
			return true
		}
		if o := r.OutcomeIn(p, s, r.setting(p, r.near(k), false)); o != nil && (o.Strong || r.near(k)) {
			return true
		}
	}
	return false
}
