package decide

import (
	"github.com/townline/townline/pkg/council"
)

// onPosition reads a sentence behind an outcome that only names a member's position: "Councilor Doe
// abstained."
func (r *reader) onPosition(k int, s span) bool {
	d := r.draft
	if d == nil || d.to < k-1 || s.to-s.from > 160 {
		return false
	}
	p := r.paras[k]
	f := p.fold[p.folded(s.from):p.folded(s.to)]
	o := &outcome{}
	r.namedIn(o, p, s, f, p.folded(s.from))
	if len(o.named) == 0 || len(unanimousRest.FindAllString(f, 40)) > 14 {
		return false
	}
	n := r.signal("position", k, s.from, p.text[s.from:s.to])
	if casting.MatchString(f) {
		d.casting = &o.named[0]
	} else {
		d.named = append(d.named, o.named...)
	}
	d.signals = append(d.signals, n)
	d.raws = append(d.raws, council.Fold(p.text[s.from:s.to]))
	d.to = k
	return true
}

// onVoters reads a sentence below an open motion that says how its members voted: "Doe and Roe voted
// in favor; Poe was opposed."
func (r *reader) onVoters(k int, s span) bool {
	if !r.near(k) || s.to-s.from > 400 {
		return false
	}
	p := r.paras[k]
	f := p.fold[p.folded(s.from):p.folded(s.to)]
	o := &outcome{}
	r.namedIn(o, p, s, f, p.folded(s.from))
	if len(o.named) == 0 || speech.MatchString(f) {
		return false
	}
	for _, e := range o.named {
		for _, n := range e.names {
			if !r.isPerson(n) {
				return false
			}
		}
	}
	if !hasSense(o.named, aye) {
		r.end(r.signal("position", k, s.from, p.text[s.from:s.to]), "belongs to the outcome below")
		r.voters, r.votersAt = o.named, k
		return true
	}
	r.onRows(k, s.from, o.named, "")
	return true
}
