package decide

import (
	"cmp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

// maxBehind is the number of paragraphs between what was decided and the brackets with its votes.
const maxBehind = 14

// bracketed returns the next votes in brackets in a part of a paragraph. A document with tables has none.
func (r *reader) bracketed(p *signal.Paragraph, within signal.Span) ([]signal.Bracketed, signal.Span) {
	if len(r.tables) > 0 {
		return nil, signal.Span{}
	}
	return r.BracketedIn(p, within)
}

// onBracketed takes a vote in brackets. It is that of the outcome above it, or of the open motion; else the words
// before the brackets are its motion.
func (r *reader) onBracketed(k int, at signal.Span, b *signal.Bracketed) {
	p := r.Paras[k]
	words := p.Text[at.From:at.To]
	n := r.signal("roll", k, at.From, words)
	m := &b.Motion
	m.Text = strings.TrimSpace(b.Label + " " + r.sentenceBefore(k, at.From))
	d, top := r.draft, r.topOpen()
	switch {
	case d != nil && d.seen == r.item && d.to >= k-maxBehind && !d.roll.Positioned() && d.casting == nil && top == nil &&
		(d.motion == nil || d.motion.Mover == nil || r.Mover(d.motion) == r.Mover(m)):
		if d.motion == nil {
			r.moveDraft(d, m, k, at)
		} else if d.motion.Mover == nil {
			d.motion.Mover, d.motion.Seconder = m.Mover, m.Seconder
		}
	case top != nil && top.Item == r.item && top.EndPara >= k-maxBehind &&
		(top.Mover == nil || r.Mover(top) == r.Mover(m)):
		top.Mover, top.Seconder = m.Mover, m.Seconder
		top.Seconded = true
		top.EndPara, top.End = k, at
		r.commit()
		d = r.newDraft(k, at.From, signal.MainMotion, false)
	default:
		r.begin(m, k, at)
		d = r.newDraft(k, at.From, signal.MainMotion, false)
	}
	d.to = k
	d.signals = append(d.signals, n)
	d.raws = append(d.raws, council.Fold(words))
	for _, e := range b.Entries {
		d.roll.Put(e)
	}
}

// sentenceBefore returns the sentence above an offset that says that the body voted, or else the last one.
func (r *reader) sentenceBefore(k, at int) string {
	last := ""
	for n := k; n >= 0 && n > k-maxBehind; n-- {
		p := r.Paras[n]
		if n < k {
			at = len(p.Text)
		}
		for _, s := range slices.Backward(signal.Sentences(p.Text, signal.Span{From: 0, To: at})) {
			text := council.Fold(p.Text[s.From:s.To])
			if votedTo.MatchString(strings.ToLower(text)) {
				return text
			}
			last = cmp.Or(last, text)
		}
		if r.isTitle(p) || last != "" && p.Blank {
			break
		}
	}
	return last
}

// votedTo matches what a body decided.
var votedTo = words.Regexp(`\b{voted so}\b`)
