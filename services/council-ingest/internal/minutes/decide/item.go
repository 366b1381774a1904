package decide

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
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
	kind    lexicon.MarkerStyle
	tables  []*signal.Table
	shared  bool  // the vote on the consent calendar adopted it
	parent  *item // set if it may be an entry of a list in the text of this item
	moved   bool  // it has its own motion, in minutes that state votes in sentences
	alone   bool  // only its title was read so far
}

// heading opens an item if paragraph k is the heading of one.
func (r *reader) heading(k int) bool {
	if r.outline != nil {
		return false
	}
	p := r.Paras[k]
	h := r.HeadingAt(p, p.Blank || k > 0 && r.isTitle(r.Paras[k-1]))
	if h == nil {
		return false
	}
	title := strings.TrimSpace(strings.Trim(council.Fold(h.Title), " :"))
	if !h.Strong && signal.IsCapitals(h.Line) && h.More && signal.IsCapitals(h.Rest) {
		title = council.Fold(h.Line + " " + h.Rest)
	}
	spoken := r.signalIn(k)
	if spoken && (!h.Strong || signal.Starter.MatchString(title) || r.Words.Lead.MatchString(p.Fold) || r.near(k) &&
		!p.Blank) {
		return false
	}
	if spoken {
		all := signal.Sentences(p.Text, signal.Span{From: 0, To: len(p.Text)})
		s := all[0]
		if len(all) > 1 && strings.Trim(p.Text[s.From:s.To], " .") == strings.Trim(h.Number, " .") {
			s = all[1]
		}
		if told := strings.TrimSpace(strings.TrimPrefix(council.Fold(p.Text[s.From:s.To]), h.Number)); told != "" {
			title = signal.Clip(signal.BehindTitle.ReplaceAllString(told, ""), 160)
		}
	}
	ln := p.Lines[0]
	head := k < 8 && !h.Strong && signal.OfBody.MatchString(title)
	it := &item{number: h.Number, title: signal.Clip(title, 500), page: ln.Page, line: ln.No, strong: h.Strong, head: head}
	list, removed := council.ConsentHeading(title)
	it.consent = list && !removed
	if r.item >= 0 {
		above := r.items[r.item]
		switch {
		case !h.Strong:
		case above.head:
		case above.strong:
			it.section, it.consent = above.section, it.consent || above.consent && above.section != ""
		default:
			it.section, it.consent = above.title, it.consent || above.consent
		}
	}
	r.items = append(r.items, it)
	r.item = len(r.items) - 1
	n := r.signal("heading", k, 0, h.Line)
	r.end(n, "opens an item")
	if h.More && !spoken && !strings.Contains(title, signal.Clip(council.Fold(h.Rest), 20)) {
		r.sentences(k, len(h.Line)+1, len(p.Text))
	}
	return !spoken
}

// signalIn reports whether a paragraph that looks like a heading has a motion or an outcome.
func (r *reader) signalIn(k int) bool {
	p := r.Paras[k]
	s := signal.Span{From: 0, To: len(p.Text)}
	if found, _, _ := r.Pairs(p, s); len(found) > 0 {
		return true
	}
	if resolvedMark.MatchString(p.Fold) || r.Language != signal.English && signal.BehindName.MatchString(p.Fold) {
		return true
	}
	if signal.FirmAlone.MatchString(p.Fold) && r.item >= 0 {
		return true
	}
	if signal.IsCapitals(p.Text) && len(r.open) == 0 && r.draft == nil && !r.Words.Lead.MatchString(p.Fold) &&
		!strings.Contains(p.Fold, "motion") && !strings.ContainsAny(p.Fold, "0123456789") {
		return false
	}
	if m := r.MotionIn(p, s); m != nil && (m.Mover != nil || m.Seconder != nil || m.Moved && m.Seconded) {
		return true
	}
	for _, s := range signal.Sentences(p.Text, s) {
		if o := r.OutcomeIn(p, s, r.setting(p, r.near(k), false)); o != nil && (o.Strong || r.near(k)) {
			return true
		}
	}
	return false
}
