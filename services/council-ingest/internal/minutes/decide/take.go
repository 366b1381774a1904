package decide

import (
	"cmp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

// onMotion takes a motion, or a second of the open motion.
func (r *reader) onMotion(m *motion, k int, s span, o *outcome) {
	p := r.paras[k]
	if d := r.draft; d != nil && d.to >= k-1 && d.motion != nil && d.motion.seconder == nil &&
		!d.counted && m.mover == nil &&
		m.seconder != nil && o == nil && len(r.open) == 0 {
		d.motion.seconder, d.motion.seconded, d.to = m.seconder, true, k
		r.end(r.signal("second", k, s.from, m.text), "seconds the motion above")
		return
	}
	if !m.moved || m.mover == nil && m.seconder == nil && len(r.open) > 0 && r.near(k) && !m.moved {
		if top := r.unseconded(k); top != nil {
			if top.seconder == nil {
				top.seconder = m.seconder
			}
			top.seconded = true
			top.endPara, top.end = k, s
			r.end(r.signal("second", k, s.from, m.text), "seconds the motion above")
			return
		}
		if o == nil && m.mover == nil && !m.moved {
			n := r.signal("second", k, s.from, m.text)
			if m.seconder == nil {
				r.end(n, "no motion stands above it")
				return
			}
			r.end(n, "seconds a motion whose sentence was not read")
		}
	}
	if m.mover == nil && m.moved && len(r.open) > 0 && r.near(k) && o == nil {
		top := r.open[len(r.open)-1]
		if top.mover != nil || top.seconded {
			if !m.seconded || top.seconded {
				return // it speaks of the motion above
			}
		} else if m.seconded && !top.seconded && top.endPara >= k-1 {
			top.seconded, top.seconder = true, m.seconder
			return
		}
	}
	if d := r.draft; o != nil && d != nil && d.to >= k-3 && r.fits(d, o, k) && !otherSeconder(d.motion, m) &&
		(m.mover == nil && (!m.named || m.seconder != nil) || d.motion == nil && d.roll.positioned() ||
			d.motion != nil && (samePerson(d.motion.mover, m.mover) ||
				d.motion.mover == nil && samePerson(d.motion.seconder, m.seconder))) {
		if d.motion != nil && d.motion.mover == nil {
			d.motion.mover = m.mover
		}
		if d.motion == nil && m.mover != nil {
			r.moveDraft(d, m, k, s)
		}
		return
	}
	if d := r.draft; o == nil && d != nil && d.resolved && d.motion == nil && m.bare && m.mover != nil &&
		d.seen == r.item && d.to >= k-4 && len(r.open) == 0 && strings.HasPrefix(p.fold, "propos") {
		d.to = k // "RESOLVED: That … Proposer: Cllr Doe"
		r.moveDraft(d, m, k, s)
		return
	}
	for i, other := range r.open {
		if samePerson(other.mover, m.mover) && samePerson(other.seconder, m.seconder) && m.mover != nil &&
			m.seconder != nil && o != nil {
			r.open = append(append(r.open[:i:i], r.open[i+1:]...), other)
			other.endPara, other.end = k, s
			return
		}
	}
	if top := r.topOpen(); top != nil && top.mover == nil && m.mover != nil && !top.seconded && top.endPara >= k-1 &&
		m.bare {
		top.mover, top.seconder, top.seconded = m.mover, m.seconder, m.seconded
		top.endPara, top.end = k, s
		return
	}
	if m.mover == nil && o != nil && r.near(k) {
		return // "Upon motion duly made …" about the motion above
	}
	if len(r.tables) > 0 && m.mover == nil && !(m.moved && m.seconded) {
		return // a label: "Motion to amend:"
	}
	r.begin(m, k, s)
}

// moveDraft gives a draft the motion that stands below it.
func (r *reader) moveDraft(d *draft, m *motion, k int, s span) {
	d.motion = m
	m.place(k, s, r.item)
	m.signal = r.signal("motion", k, s.from, m.text)
	d.signals = append(d.signals, m.signal)
}

func (r *reader) topOpen() *motion {
	if len(r.open) == 0 {
		return nil
	}
	return r.open[len(r.open)-1]
}

// otherSeconder reports whether two motions were seconded by different members.
func otherSeconder(a, b *motion) bool {
	return a != nil && a.seconder != nil && b.seconder != nil && !samePerson(a.seconder, b.seconder)
}

func samePerson(a, b *person.Name) bool {
	if a == nil || b == nil {
		return a == b
	}
	return council.FoldName(council.LastName(a.Text)) == council.FoldName(council.LastName(b.Text)) && a.Text != ""
}

func (r *reader) unseconded(k int) *motion {
	for i := len(r.open) - 1; i >= 0; i-- {
		if m := r.open[i]; m.seconder == nil && m.endPara >= k-12 {
			return m
		}
	}
	return nil
}

// begin opens a motion.
func (r *reader) begin(m *motion, k int, s span) {
	r.commit()
	if r.voters = nil; m.mover != nil || m.seconded {
		r.above = nil
	}
	m.place(k, s, r.item)
	m.textEnd = s.to
	if f, _ := foldText(m.text); strings.Contains(f, "consent ") {
		for i := r.item; i >= 0 && i > r.item-60; i-- {
			if list, _ := council.ConsentHeading(r.items[i].title); list {
				m.item = i // the motion is about the whole list
				break
			}
		}
	}
	proposer := strings.HasPrefix(r.paras[k].fold, "proposer")
	if m.bare && r.resolution != "" && (r.resolutionAt >= k-1 || proposer && r.resolutionAt >= k-6) {
		if proposer && strings.HasPrefix(r.resolution, "RESOLVED") {
			m.resolved = "RESOLVED"
		}
		m.text, m.bare = r.resolution+" "+m.text, false
	}
	if p := r.paras[k]; r.language == french {
		if at := r.x.romance.resolves.FindStringIndex(p.fold); at != nil {
			m.resolved = p.text[p.offset(at[0]):p.offset(at[1])]
		}
	}
	m.signal = r.signal("motion", k, s.from, m.text)
	if len(r.open) >= 40 {
		r.abandon(r.open[0])
	}
	r.open = append(r.open, m)
}

// abandon closes a motion whose outcome is not printed.
func (r *reader) abandon(m *motion) {
	r.drop(m)
	if m.signal >= len(r.signals) || r.signals[m.signal].End != "" {
		return
	}
	if len(r.tables) > 0 {
		r.end(m.signal, "no table stands below it")
		return
	}
	if m.resolved != "" && m.seconder != nil {
		ln := r.paras[m.para].line(m.end.from)
		r.done = append(r.done, &draft{from: m.para, to: m.endPara, page: ln.Page, line: ln.No, item: m.item, motion: m,
			outcome: outcome{sense: carried, worded: true, strong: true}, raws: []string{m.resolved}, signals: []int{m.signal}})
		return
	}
	if m.mover == nil && !m.seconded || !m.seconded && !strings.Contains(strings.ToLower(m.text), "mo") {
		r.end(m.signal, "no outcome and no second: not a motion that was put")
		return
	}
	sig := r.signals[m.signal]
	r.end(m.signal, "anomaly "+string(council.CodeResultMissing)+": no outcome stands below it")
	r.Report(council.CodeResultMissing, -1, nil, sig.Page, place(sig)+": no outcome of this motion was read: "+sig.Text)
}

func (r *reader) drop(m *motion) {
	for i, other := range r.open {
		if other == m {
			r.open = append(r.open[:i:i], r.open[i+1:]...)
			return
		}
	}
}

// take removes the motion that an outcome decides from the open ones.
func (r *reader) take(about motionKind, set bool) *motion {
	if len(r.open) == 0 {
		return nil
	}
	pick := len(r.open) - 1
	if set {
		for i := len(r.open) - 1; i >= 0; i-- {
			if r.open[i].kind == about {
				pick = i
				break
			}
		}
	}
	m := r.open[pick]
	later := r.open[pick+1:]
	r.open = r.open[:pick:pick]
	for _, l := range later {
		r.end(l.signal, "replaced by the motion that was put")
	}
	return m
}

// takeWithdrawn removes the motion that died: that of the member who withdraws it, or else the motion
// that was put.
func (r *reader) takeWithdrawn(p *paragraph, s span, o *outcome) *motion {
	f := p.fold[p.folded(s.from):p.folded(s.to)]
	at := strings.Index(f, "withdr")
	if at <= 0 {
		return r.take(o.about, o.aboutSet)
	}
	for i, m := range slices.Backward(r.open) {
		if m.mover != nil && m.mover.Text != "" &&
			strings.Contains(f[:at], council.FoldName(council.LastName(m.mover.Text))) {
			later := r.open[i+1:]
			r.open = r.open[:i:i]
			for _, l := range later {
				r.end(l.signal, "replaced by the motion that was put")
			}
			return m
		}
	}
	if len(r.tables) > 0 {
		return nil
	}
	return r.take(o.about, o.aboutSet)
}

// onOutcome takes an outcome: it completes the draft, or begins one with the nearest open motion.
func (r *reader) onOutcome(o *outcome, k int, s span) {
	p := r.paras[k]
	n := r.signal("outcome", k, s.from, p.text[s.from:s.to])
	if len(r.tables) > 0 && o.sense != died {
		if !o.reported && (o.worded || o.tied || r.near(k)) {
			r.say(n, k, o, p.text[s.from:s.to])
		} else {
			r.end(n, "speaks of another vote")
		}
		return
	}
	if o.worded && o.sense == died {
		if m := r.takeWithdrawn(p, s, o); m != nil {
			r.end(m.signal, "no vote: "+r.signals[n].Text)
		}
		r.end(n, "no vote: the motion died or was withdrawn")
		return
	}
	if d := r.draft; d != nil && r.fits(d, o, k) && !r.ofAnother(d, o) &&
		!(r.language != english && d.worded && o.worded && d.to < k &&
			s.to-s.from > 60) && !(d.worded && o.worded && d.to < k && s.from > 40) {
		r.merge(d, o, k, n)
		return
	}
	if r.closes(o, p.fold[p.folded(s.from):p.folded(s.to)]) {
		r.draft.to = k
		r.draft.signals = append(r.draft.signals, n)
		return
	}
	r.commit()
	if o.reported {
		r.unread(n)
		return
	}
	if !o.strong && len(r.open) == 0 {
		if o.unanimous || o.counted {
			r.unread(n)
		} else {
			r.end(n, "a decision without a motion or a tally")
		}
		return
	}
	d := r.newDraft(k, s.from, o.about, o.aboutSet)
	d.bare = o.bare && d.motion == nil
	r.merge(d, o, k, n)
}

// ofAnother reports whether an outcome names another open motion than that of the draft: the main
// motion below its amendment.
func (r *reader) ofAnother(d *draft, o *outcome) bool {
	if !o.aboutSet || d.motion == nil || d.motion.kind == o.about {
		return false
	}
	for _, m := range r.open {
		if m.kind == o.about {
			return true
		}
	}
	return false
}

// unread reports a signal that did not become a vote.
func (r *reader) unread(n int) {
	sig := r.signals[n]
	r.end(n, "anomaly "+string(council.CodeVotesUnread))
	r.Report(council.CodeVotesUnread, -1, nil, sig.Page, place(sig)+": not read as a vote: "+sig.Text)
}

func (r *reader) newDraft(k, at int, about motionKind, set bool) *draft {
	ln := r.paras[k].line(at)
	d := &draft{from: k, to: k, page: ln.Page, line: ln.No, item: r.item, seen: r.item}
	if d.motion = r.take(about, set); d.motion != nil {
		d.item = d.motion.item
		d.signals = append(d.signals, d.motion.signal)
	}
	if len(r.voters) > 0 && r.votersAt >= k-1 {
		d.named = append(d.named, r.voters...)
	}
	r.voters = nil
	r.draft = d
	return d
}

// fits reports whether an outcome can belong to the draft, because it adds what is missing.
func (r *reader) fits(d *draft, o *outcome, k int) bool {
	if d.to < k-3 || d.seen != r.item || d.outcome.item != "" && o.item != "" && d.outcome.item != o.item {
		return false
	}
	if o.counted && d.counted && (o.ayes != d.ayes || o.nays != d.nays) && !d.tied {
		return false
	}
	if d.worded && o.worded && d.aboutSet && d.about != o.about && len(r.open) > 0 {
		return false // "The motion to amend carried." above "The motion to approve carried."
	}
	if d.denied(o) {
		return d.to >= k-1
	}
	if d.worded && o.worded {
		return d.sense == o.sense && (o.restates || !d.counted && !d.roll.positioned() || d.counted && o.counted ||
			d.roll.positioned() && o.counted) && d.to >= k-1
	}
	if d.worded && !o.worded && o.counted && d.counted && d.roll.positioned() {
		return d.ayes == o.ayes && d.nays == o.nays
	}
	return true
}

// denied reports whether an outcome is that of the motion to deny, whose denial is read: "The motion to
// deny carried."
func (d *draft) denied(o *outcome) bool {
	return d.worded && o.worded && d.sense == failed && o.sense == carried && denies.MatchString(o.raw)
}

// merge adds an outcome to a draft.
func (r *reader) merge(d *draft, o *outcome, k, n int) {
	d.to = k
	d.signals = append(d.signals, n)
	if o.aboutSet {
		d.about, d.aboutSet = o.about, true
	}
	if o.worded && (!d.worded || d.tied && o.sense == carried || d.denied(o)) {
		d.sense, d.worded = o.sense, true
	}
	d.outcome.item = cmp.Or(d.outcome.item, o.item)
	d.unanimous = d.unanimous || o.unanimous
	d.voice = d.voice || o.voice
	d.majority = d.majority || o.majority
	d.tied = d.tied || o.tied
	if o.counted && !d.counted {
		d.counted, d.ayes, d.nays = true, o.ayes, o.nays
	} else if !d.counted {
		d.nays = max(d.nays, o.nays)
	}
	d.others = max(d.others, o.others)
	for _, e := range o.named {
		if !hasSense(d.named, e.sense) {
			d.named = append(d.named, e)
		}
	}
	if o.unread != "" {
		d.outcome.unread = o.unread
	}
	if len(d.raws) == 0 || o.counted || !o.restates || len(d.raws) <= 2 {
		d.raws = append(d.raws, o.raw)
	}
}

// closes reports whether a sentence is the decision of the French resolution whose tally was read: "Après en avoir
// délibéré, le conseil décide à l'unanimité …" below "À l'unanimité Pour : 11 Contre : 0".
func (r *reader) closes(o *outcome, f string) bool {
	d := r.draft
	return r.language == french && d != nil && d.seen == r.item && r.item >= 0 && r.items[r.item].strong && d.counted &&
		!o.counted && o.sense == d.sense && o.unanimous == (d.nays == 0 && d.others == 0) && len(o.named) == 0 &&
		afterDebate.MatchString(f)
}

// repeats reports whether an outcome without a motion is that of the resolution above it: "ADOPTÉE" below "résolu à
// l'unanimité que …".
func (r *reader) repeats(d *draft) bool {
	if len(r.done) == 0 || d.motion != nil {
		return false
	}
	above := r.done[len(r.done)-1]
	return above.motion != nil && above.seen == d.seen && above.worded && above.sense == d.sense &&
		r.x.romance.resolves.MatchString(council.FoldName(strings.Join(above.raws, " ")))
}

// maxVotes bounds the votes of hostile texts.
const maxVotes = 2_000

// commit ends the draft.
func (r *reader) commit() {
	d := r.draft
	r.draft = nil
	if d == nil {
		return
	}
	if d.table != nil {
		r.done = append(r.done, d)
		return
	}
	if d.outcome.bare && !d.counted && !d.unanimous && !d.roll.positioned() {
		for _, n := range d.signals {
			if r.signals[n].Kind == "outcome" && r.signals[n].End == "" {
				if r.repeats(d) {
					r.end(n, "repeats the outcome above")
				} else {
					r.unread(n)
				}
				return
			}
		}
	}
	if d.motion == nil && !d.worded && !d.counted && !d.tied && !d.unanimous && d.roll.empty() {
		if d.outcome.unread != "" {
			r.unread(d.signals[0])
		}
		for _, n := range d.signals {
			r.end(n, "a roll without names")
		}
		return
	}
	if d.motion == nil && !d.worded && !d.counted && !d.tied && !d.unanimous && (d.answers || r.ofStranger(&d.roll)) {
		for _, n := range d.signals {
			r.unread(n) // "Ana Doe – Yes." answers a question, or is a list of those present
		}
		return
	}
	if len(r.done) == maxVotes {
		r.Report(council.CodeTextCut, -1, nil, d.page, "more votes than a meeting can have; what follows was not read")
	}
	if len(r.done) > maxVotes {
		return
	}
	r.done = append(r.done, d)
}
