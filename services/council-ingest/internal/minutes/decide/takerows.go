package decide

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// onRows takes rows of names.
func (r *reader) onRows(k, at int, entries []entry, unread string) {
	single := (len(entries) > 1 || r.draft != nil && r.draft.lettered) && !slices.ContainsFunc(entries, func(e entry) bool { return len(e.names) != 1 })
	p := r.paras[k]
	text := p.text[at:]
	n := r.signal("roll", k, at, text)
	entries = byPosition(entries)
	voted := false
	for _, e := range entries {
		voted = voted || e.sense == aye || e.sense == nay || e.sense == abstain
	}
	if len(r.tables) > 0 {
		if voted {
			r.say(n, k, nil, "")
		} else {
			r.end(n, "attendance, or no roll")
		}
		return
	}
	announced := announcedRoll.MatchString(p.fold[:p.folded(at)]) || r.announced > 0 && r.announced >= k-1
	if d := r.draft; d != nil && d.worded && certified.MatchString(p.fold[:p.folded(at)]) {
		r.commit() // the certification of a closed meeting is a vote of its own
	}
	d := r.draft
	if d != nil && d.to >= k-6 {
		fit := (d.seen == r.item || d.roll.positioned()) && !(d.voice && d.worded)
		for _, e := range entries {
			fit = fit && (d.roll.fits(e) || single && d.goesOn(e, k, len(r.open) > 0)) && !(d.counted && d.to < k &&
				(e.sense == aye && e.count >= 0 && e.count != d.ayes || e.sense == nay && e.count >= 0 && e.count != d.nays))
		}
		if fit {
			d.to = k
			if d.rollAt == 0 && len(d.roll.entries) == 0 {
				d.rollAt = k
			}
			d.signals = append(d.signals, n)
			for _, e := range entries {
				d.roll.put(e)
			}
			if unread != "" {
				d.outcome.unread = unread
			}
			return
		}
	}
	if !voted || len(entries) == 1 && entries[0].sense == nay && len(r.open) == 0 &&
		(r.announced == 0 || r.announced < k-1) {
		if r.belowRoll(k, entries) {
			r.unread(n)
		}
		if r.near(k) {
			r.rowsAbove, r.rowsAboveAt = entries, k
		}
		r.end(n, "attendance, or no roll")
		return
	}
	r.commit()
	d = r.newDraft(k, at, mainMotion, false)
	if len(r.rowsAbove) > 0 && r.rowsAboveAt >= k-1 {
		d.roll.entries = append(d.roll.entries, r.rowsAbove...)
	}
	r.rowsAbove = nil
	d.signals = append(d.signals, n)
	d.roll.entries = append(d.roll.entries, entries...)
	d.outcome.unread = unread
	d.answers = single && !announced
}

var (
	// announcedRoll matches words before the members' votes that say what they are.
	announcedRoll = compile(`\b(?:roll|vot(?:es?|ed|ing)|poll(?:ed)?|certif\w+|motion|ayes?|vota\w*)\b`)
	certified     = compile(`\bcertif(?:ied|ication|y|ying)\b[^.;]{0,60}$`)
)

// onChart takes a chart, and who moved and seconded by it.
func (r *reader) onChart(k int, c *chart) {
	m := &c.motion
	if top := r.topOpen(); m.mover != nil && top == nil {
		r.begin(m, k, span{c.at, c.at})
	} else if top != nil && top.mover == nil && (m.mover != nil || m.seconder != nil) {
		top.mover, top.seconder = m.mover, m.seconder
	}
	if len(c.entries) == 0 {
		r.unread(r.signal("roll", k, c.at, r.paras[k].text[c.at:]))
		return
	}
	r.onRows(k, c.at, c.entries, c.unread)
}

// goesOn reports whether a row of single members' votes goes on with that of the paragraph above, because
// it has other members, and the tally does not count fewer.
func (d *draft) goesOn(e entry, k int, open bool) bool {
	if d.to < k-2 || e.count >= 0 || e.everyone || d.counted && e.sense == abstain || !d.counted && (d.worded || open) {
		return false
	}
	want, have := d.ayes, map[string]bool{}
	if e.sense == nay {
		want = d.nays
	}
	for _, o := range d.roll.entries {
		if o.count >= 0 {
			return false
		}
		for _, n := range o.names {
			have[n.Text] = o.sense == e.sense
		}
	}
	named := len(e.names)
	for name, same := range have {
		if same {
			named++
		}
		if slices.ContainsFunc(e.names, func(n person.Name) bool { return n.Text == name }) {
			return false
		}
	}
	return named <= want || !d.counted
}

// belowRoll reports whether rows of members who did not vote stand so close below a roll that they can
// be its end, on the next page and below another heading.
func (r *reader) belowRoll(k int, entries []entry) bool {
	d := r.draft
	if d == nil && len(r.done) > 0 {
		d = r.done[len(r.done)-1]
	}
	if d == nil || d.seen == r.item || !d.roll.positioned() || d.to < k-maxApart {
		return false
	}
	for _, e := range entries {
		if len(e.names) == 0 || d.roll.has(e.sense) {
			return false
		}
	}
	return true
}

// opensRoll reports whether a sentence announces the roll behind it.
func (r *reader) opensRoll(k int, f string) bool {
	if strings.HasSuffix(strings.TrimSpace(f), ":") {
		return true
	}
	if !openedVote.MatchString(f) {
		return false
	}
	return len(r.hits(r.paras[k])) > 0 || k+1 < len(r.paras) && len(r.hits(r.paras[k+1])) > 0
}

// onPosition reads a sentence behind an outcome that only names a member's position: "Councilor Doe
// abstained."
func (r *reader) onPosition(k int, s span) bool {
	d := r.draft
	if d == nil || d.to < k-1 || d.seen != r.item || s.to-s.from > maxNamed {
		return false
	}
	p := r.paras[k]
	f := p.fold[p.folded(s.from):p.folded(s.to)]
	o := &outcome{}
	r.namedIn(o, p, s, f, p.folded(s.from))
	names := 0
	for _, e := range o.named {
		names += len(e.names)
	}
	if names == 0 || len(unanimousRest.FindAllString(f, 200)) > 12+3*names {
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

// votersEnd matches the end of a sentence that has nothing but members and their vote. It can stand
// further below the motion.
var votersEnd = regexp.MustCompile(`\w{2} voted ["']?(?:aye|yes|yea|nay|no)[.,"' ]*$`)

// onVoters reads a sentence below an open motion that says how its members voted: "Doe and Roe voted
// in favor; Poe was opposed."
func (r *reader) onVoters(k int, s span) bool {
	p := r.paras[k]
	f := p.fold[p.folded(s.from):p.folded(s.to)]
	top := r.topOpen()
	if r.language != english && top == nil && behindName.MatchString(f) && s.to-s.from <= maxNamed {
		o := &outcome{}
		if r.behindNames(o, p, f, p.folded(s.from)); len(o.named) > 0 && !hasSense(o.named, aye) {
			r.end(r.signal("position", k, s.from, p.text[s.from:s.to]), "belongs to the outcome below")
			r.voters, r.votersAt = o.named, k
			return true
		}
	}
	if top == nil || s.to-s.from > maxNamed || !r.near(k) && (top.item != r.item || !votersEnd.MatchString(f)) {
		return false
	}
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
