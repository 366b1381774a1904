package decide

import (
	"strings"

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

// heading opens an item if paragraph k is the heading of one.
func (r *reader) heading(k int) bool {
	if r.outline != nil {
		return false
	}
	p := r.paras[k]
	h := r.headingAt(p, p.blank || k > 0 && r.isTitle(r.paras[k-1]))
	if h == nil {
		return false
	}
	title := strings.TrimSpace(strings.Trim(council.Fold(h.title), " :"))
	if !h.strong && isCapitals(h.line) && h.more && isCapitals(h.rest) {
		title = council.Fold(h.line + " " + h.rest)
	}
	spoken := r.signalIn(k)
	if spoken && (!h.strong || starter.MatchString(title) || r.x.lead.MatchString(p.fold) || r.near(k) && !p.blank) {
		return false
	}
	if spoken {
		all := sentences(p.text, span{0, len(p.text)})
		s := all[0]
		if len(all) > 1 && strings.Trim(p.text[s.from:s.to], " .") == strings.Trim(h.number, " .") {
			s = all[1]
		}
		if told := strings.TrimSpace(strings.TrimPrefix(council.Fold(p.text[s.from:s.to]), h.number)); told != "" {
			title = clip(behindTitle.ReplaceAllString(told, ""), 160)
		}
	}
	ln := p.lines[0]
	head := k < 8 && !h.strong && ofBody.MatchString(title)
	it := &item{number: h.number, title: clip(title, 500), page: ln.Page, line: ln.No, strong: h.strong, head: head}
	list, removed := council.ConsentHeading(title)
	it.consent = list && !removed
	if r.item >= 0 {
		above := r.items[r.item]
		switch {
		case !h.strong:
		case above.head:
		case above.strong:
			it.section, it.consent = above.section, it.consent || above.consent && above.section != ""
		default:
			it.section, it.consent = above.title, it.consent || above.consent
		}
	}
	r.items = append(r.items, it)
	r.item = len(r.items) - 1
	n := r.signal("heading", k, 0, h.line)
	r.end(n, "opens an item")
	if h.more && !spoken && !strings.Contains(title, clip(council.Fold(h.rest), 20)) {
		r.sentences(k, []span{{len(h.line) + 1, len(p.text)}})
	}
	return !spoken
}

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
