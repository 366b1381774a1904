package decide

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

// onRows takes rows of names.
func (r *reader) onRows(k, at int, entries []signal.Entry, unread string) {
	single := !slices.ContainsFunc(entries, func(e signal.Entry) bool { return len(e.Names) != 1 }) && (len(entries) > 1 ||
		r.draft != nil && r.draft.lettered || entries[0].Answer)
	p := r.Paras[k]
	text := p.Text[at:]
	n := r.signal("roll", k, at, text)
	entries = signal.ByPosition(entries)
	voted := false
	for _, e := range entries {
		voted = voted || e.Sense == lexicon.Aye || e.Sense == lexicon.Nay || e.Sense == lexicon.Abstain
	}
	if len(r.tables) > 0 {
		if voted {
			r.say(n, k, nil, "")
		} else {
			r.end(n, "attendance, or no roll")
		}
		return
	}
	announced := announcedRoll.MatchString(p.Fold[:p.Folded(at)]) || r.announced > 0 && r.announced >= k-1
	if d := r.draft; d != nil && d.Worded && certified.MatchString(p.Fold[:p.Folded(at)]) {
		r.commit() // the certification of a closed meeting is a vote of its own
	}
	d := r.draft
	if d != nil && d.to >= k-6 && d.breaksTie(entries) {
		d.casting, d.Tied = &entries[0], true
		d.to = k
		d.signals = append(d.signals, n)
		return
	}
	if d != nil && d.to >= k-6 {
		d.between(entries)
		above := p.Text[:at]
		if at == 0 && d.to == k-1 {
			above = r.Paras[k-1].Text
		}
		opened := d.to >= k-1 && strings.HasSuffix(strings.TrimRight(above, " \n"), ":") // "by the following voice vote:"
		fit := (d.seen == r.item || d.roll.Positioned()) && (!(d.Voice && d.Worded) || opened || d.roll.Positioned())
		for _, e := range entries {
			fit = fit && (d.roll.Fits(e) || single && d.goesOn(e, k, len(r.open) > 0)) &&
				!(d.to < k-1 && d.roll.Counts(e)) && !(len(r.open) > 0 && d.outnumbers(e)) && !(d.Counted && d.to < k &&
				(e.Sense == lexicon.Aye && e.Count >= 0 && e.Count != d.Ayes || e.Sense == lexicon.Nay && e.Count >= 0 &&
					e.Count != d.Nays))
		}
		if fit {
			d.to = k
			if d.rollAt == 0 && len(d.roll.Entries) == 0 {
				d.rollAt = k
			}
			d.signals = append(d.signals, n)
			for _, e := range entries {
				d.roll.Put(e)
			}
			if unread != "" {
				d.Outcome.Unread = unread
			}
			return
		}
	}
	against := len(entries) == 1 && entries[0].Sense == lexicon.Nay && len(r.open) == 0 &&
		(r.announced == 0 || r.announced < k-1)
	if !voted || against && !r.opensWithNays(k) {
		if against && len(entries[0].Names) > 0 && r.IsPerson(entries[0].Names[0]) || r.belowRoll(k, entries) {
			r.unread(n)
		}
		if r.near(k) {
			r.rowsAbove, r.rowsAboveAt = entries, k
		}
		r.end(n, "attendance, or no roll")
		return
	}
	r.commit()
	about, set := signal.MainMotion, len(r.open) > 1 && entries[0].For != ""
	if amendment.Is(entries[0].For) {
		about = signal.Amendment
	}
	d = r.newDraft(k, at, about, set)
	if len(r.rowsAbove) > 0 && r.rowsAboveAt >= k-1 {
		d.roll.Entries = append(d.roll.Entries, r.rowsAbove...)
	}
	r.rowsAbove = nil
	d.signals = append(d.signals, n)
	d.roll.Entries = append(d.roll.Entries, entries...)
	d.Outcome.Unread = unread
	d.answers = single && !announced
}

var (
	// announcedRoll matches words before the members' votes that say what they are.
	announcedRoll = lexicon.Compile(`\b{announced roll}\b`)
	certified     = lexicon.Compile(`\b{certified}\b[^.;]{0,60}$`)
)

// opensWithNays reports whether the row against what a French or Spanish body decides stands above that in favor.
func (r *reader) opensWithNays(k int) bool {
	return r.Language != lexicon.English && (len(r.Hits(r.Paras[k])) > 1 ||
		k+1 < len(r.Paras) && r.Paras[k+1].Table == nil && r.BeginsRow(r.Paras[k+1]))
}

// breaksTie reports whether rows below a tied roll have nothing but the vote of one more person.
func (d *draft) breaksTie(entries []signal.Entry) bool {
	if len(entries) != 1 || len(entries[0].Names) != 1 || d.casting != nil || d.Worded {
		return false
	}
	sides := map[lexicon.Sense]int{}
	for _, e := range d.roll.Entries {
		for _, n := range e.Names {
			if n.Text == entries[0].Names[0].Text {
				return false
			}
			sides[e.Sense]++
		}
	}
	s := entries[0].Sense
	return sides[lexicon.Aye] > 1 && sides[lexicon.Aye] == sides[lexicon.Nay] && (s == lexicon.Aye || s == lexicon.Nay) &&
		d.roll.Has(s)
}

// between makes the second of two rows that are each in favor of something a row against the first: "For the Motion:
// Doe, Roe / For the Amendment: Poe".
func (d *draft) between(entries []signal.Entry) {
	for i, e := range entries {
		for _, o := range d.roll.Entries {
			if e.Sense == lexicon.Aye && o.Sense == lexicon.Aye && e.For != "" && o.For != "" && e.For != o.For &&
				!d.roll.Has(lexicon.Nay) {
				entries[i].Sense, d.sides = lexicon.Nay, o.For
			}
		}
	}
}

// outnumbers reports whether a row has another number of ayes than the tally of an outcome that is read: it belongs to
// the next vote, on the motion that was amended.
func (d *draft) outnumbers(e signal.Entry) bool {
	return d.Worded && d.Counted && e.Sense == lexicon.Aye && len(e.Names) > 1 && len(e.Names) != d.Ayes
}

// loses reports whether an outcome says that the second of two proposals won.
func (d *draft) loses(o *signal.Outcome) bool {
	return d.sides != "" && o.AboutSet && o.Sense == lexicon.Carried &&
		(o.About == signal.Amendment) != amendment.Is(d.sides)
}

// onChart takes a chart, and who moved and seconded by it.
func (r *reader) onChart(k int, c *signal.Chart) {
	m := &c.Motion
	if d := r.draft; d != nil && d.to >= k-1 && d.motion != nil && samePerson(d.motion.Mover, m.Mover) {
		m = &signal.Motion{} // it is the motion of the outcome above
	}
	if top := r.topOpen(); m.Mover != nil && top == nil {
		r.begin(m, k, signal.Span{From: c.At, To: c.At})
	} else if top != nil && top.Mover == nil && (m.Mover != nil || m.Seconder != nil) {
		top.Mover, top.Seconder = m.Mover, m.Seconder
	}
	if len(c.Entries) == 0 {
		r.unread(r.signal("roll", k, c.At, r.Paras[k].Text[c.At:]))
		return
	}
	r.onRows(k, c.At, c.Entries, c.Unread)
}

// goesOn reports whether a row of single members' votes goes on with that of the paragraph above, because
// it has other members, and the tally does not count fewer.
func (d *draft) goesOn(e signal.Entry, k int, open bool) bool {
	if d.to < k-2 || e.Count >= 0 || e.Everyone || d.Counted && e.Sense == lexicon.Abstain || !d.Counted &&
		(d.Worded || open) && !d.lettered {
		return false
	}
	want, have := d.Ayes, map[string]bool{}
	if e.Sense == lexicon.Nay {
		want = d.Nays
	}
	for _, o := range d.roll.Entries {
		if o.Count >= 0 {
			return false
		}
		for _, n := range o.Names {
			have[n.Text] = o.Sense == e.Sense
		}
	}
	named := len(e.Names)
	for name, same := range have {
		if same {
			named++
		}
		if slices.ContainsFunc(e.Names, func(n person.Name) bool { return n.Text == name }) {
			return false
		}
	}
	return named <= want || !d.Counted
}

// belowRoll reports whether rows of members who did not vote stand so close below a roll that they can
// be its end, on the next page and below another heading.
func (r *reader) belowRoll(k int, entries []signal.Entry) bool {
	d := r.draft
	if d == nil && len(r.done) > 0 {
		d = r.done[len(r.done)-1]
	}
	if d == nil || d.seen == r.item || !d.roll.Positioned() || d.to < k-maxApart {
		return false
	}
	for _, e := range entries {
		if len(e.Names) == 0 || d.roll.Has(e.Sense) {
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
	if !signal.OpenedVote.MatchString(f) {
		return false
	}
	return len(r.Hits(r.Paras[k])) > 0 || k+1 < len(r.Paras) && len(r.Hits(r.Paras[k+1])) > 0
}

// onPosition reads a sentence behind an outcome that only names a member's position: "Councilor Doe
// abstained."
func (r *reader) onPosition(k int, s signal.Span) bool {
	d := r.draft
	if d == nil || d.to < k-1 || d.seen != r.item || s.To-s.From > signal.MaxNamed {
		return false
	}
	p := r.Paras[k]
	f := p.Fold[p.Folded(s.From):p.Folded(s.To)]
	o := &signal.Outcome{}
	r.NamedIn(o, p, s, f, p.Folded(s.From))
	if e, ok := r.CastBy(p, s); ok && len(o.Named) == 0 {
		o.Named = []signal.Entry{e}
	}
	names := 0
	for _, e := range o.Named {
		names += len(e.Names)
	}
	if names == 0 || len(lexicon.LatinWord.FindAllString(f, 200)) > 12+3*names {
		return false
	}
	n := r.signal("position", k, s.From, p.Text[s.From:s.To])
	if signal.Casting.MatchString(f) {
		d.casting = &o.Named[0]
	} else {
		d.Named = append(d.Named, o.Named...)
	}
	d.signals = append(d.signals, n)
	d.raws = append(d.raws, council.Fold(p.Text[s.From:s.To]))
	d.to = k
	return true
}

// onCasting reads the casting vote that the sentence of an outcome names: "The Mayor broke the tie by voting yes and
// the motion carried."
func (r *reader) onCasting(k int, s signal.Span) {
	if d := r.draft; d != nil && d.casting == nil && d.to == k {
		if e, ok := r.CastBy(r.Paras[k], s); ok {
			d.casting = &e
		}
	}
}

// votersEnd matches the end of a sentence that has nothing but members and their vote. It can stand
// further below the motion.
var votersEnd = words.Regexp(`\w{2} {voted} ["']?{voter answer}[.,"' ]*$`)

// onVoters reads a sentence below an open motion that says how its members voted: "Doe and Roe voted
// in favor; Poe was opposed."
func (r *reader) onVoters(k int, s signal.Span) bool {
	p := r.Paras[k]
	f := p.Fold[p.Folded(s.From):p.Folded(s.To)]
	top := r.topOpen()
	if r.Language != lexicon.English && top == nil && r.Words.Romance.Verb.MatchString(f) &&
		s.To-s.From <= signal.MaxNamed {
		o := &signal.Outcome{}
		if r.BehindNames(o, p, f, p.Folded(s.From)); signal.HasSense(o.Named, lexicon.Aye) {
			r.onRows(k, s.From, o.Named, "")
			return true
		}
		if len(o.Named) > 0 {
			r.hold(k, s, o.Named)
			return true
		}
	}
	if top == nil && votersEnd.MatchString(f) && s.To-s.From <= signal.MaxNamed {
		o := &signal.Outcome{}
		if r.NamedIn(o, p, s, f, p.Folded(s.From)); len(o.Named) > 0 && r.areMembers(o.Named) {
			r.hold(k, s, o.Named) // of a motion that nobody is named for
			return true
		}
	}
	if top == nil || s.To-s.From > signal.MaxNamed || !r.near(k) && (top.Item != r.item || !votersEnd.MatchString(f)) {
		return false
	}
	o := &signal.Outcome{}
	r.NamedIn(o, p, s, f, p.Folded(s.From))
	if len(o.Named) == 0 || signal.Speech.MatchString(f) {
		return false
	}
	if !r.areMembers(o.Named) {
		return false
	}
	if !signal.HasSense(o.Named, lexicon.Aye) {
		r.hold(k, s, o.Named)
		return true
	}
	r.onRows(k, s.From, o.Named, "")
	return true
}

// areMembers reports whether everyone in some rows is a member.
func (r *reader) areMembers(entries []signal.Entry) bool {
	return !slices.ContainsFunc(entries, func(e signal.Entry) bool {
		return slices.ContainsFunc(e.Names, func(n person.Name) bool { return !r.IsPerson(n) })
	})
}

// hold keeps members whose position stands above the outcome of their vote. Those of one paragraph belong together.
func (r *reader) hold(k int, s signal.Span, named []signal.Entry) {
	if len(r.voters) > 0 && r.votersAt == k {
		r.voters = append(r.voters, named...)
		r.end(r.signal("position", k, s.From, r.Paras[k].Text[s.From:s.To]), "belongs to the outcome below")
		return
	}
	r.release(nil)
	r.voters, r.votersAt = named, k
	r.votersOf = r.signal("position", k, s.From, r.Paras[k].Text[s.From:s.To])
}

// release gives the members who are held to a vote, or reports them if there is none.
func (r *reader) release(d *draft) {
	switch {
	case len(r.voters) == 0:
	case d != nil:
		d.Named = append(d.Named, r.voters...)
		r.end(r.votersOf, "belongs to the outcome below")
	default:
		r.unread(r.votersOf)
	}
	r.voters = nil
}
