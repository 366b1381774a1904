package decide

import (
	"cmp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

// onMotion takes a motion, or a second of the open motion.
func (r *reader) onMotion(m *signal.Motion, k int, s signal.Span, o *signal.Outcome) {
	p := r.Paras[k]
	if d := r.draft; d != nil && d.to >= k-1 && d.motion != nil && d.motion.Seconder == nil &&
		(!d.Counted || d.motion.Para > d.from) && m.Mover == nil &&
		m.Seconder != nil && o == nil && len(r.open) == 0 {
		d.motion.Seconder = m.Seconder
		d.motion.Seconded = true
		d.to = k
		r.end(r.signal("second", k, s.From, m.Text), "seconds the motion above")
		return
	}
	if !m.Moved || m.Mover == nil && m.Seconder == nil && len(r.open) > 0 && r.near(k) && !m.Moved {
		if top := r.unseconded(k); top != nil {
			if top.Seconder == nil {
				top.Seconder = m.Seconder
			}
			top.Seconded = true
			top.EndPara, top.End = k, s
			r.end(r.signal("second", k, s.From, m.Text), "seconds the motion above")
			return
		}
		if o == nil && m.Mover == nil && !m.Moved {
			n := r.signal("second", k, s.From, m.Text)
			if m.Seconder == nil {
				r.end(n, "no motion stands above it")
				return
			}
			r.end(n, "seconds a motion whose sentence was not read")
		}
	}
	if m.Mover == nil && m.Moved && len(r.open) > 0 && r.near(k) && o == nil {
		top := r.open[len(r.open)-1]
		if top.Mover != nil || top.Seconded {
			if !m.Seconded || top.Seconded {
				return // it speaks of the motion above
			}
		} else if m.Seconded && !top.Seconded && top.EndPara >= k-1 {
			top.Seconded, top.Seconder = true, m.Seconder
			return
		}
	}
	f := p.Fold[p.Folded(s.From):p.Folded(s.To)]
	if d := r.draft; o != nil && d != nil && d.to >= k-3 && r.fits(d, o, k) && !otherSeconder(d.motion, m) &&
		!d.wholeAs(m, o) &&
		(m.Mover == nil && (!m.Named || m.Seconder != nil) || d.motion == nil && (d.roll.Positioned() || d.to == k &&
			(thatMotion.Begins(f) || proposes.Begins(f))) ||
			d.motion != nil && (samePerson(d.motion.Mover, m.Mover) ||
				d.motion.Mover == nil && samePerson(d.motion.Seconder, m.Seconder))) {
		if d.motion != nil && d.motion.Mover == nil {
			d.motion.Mover = m.Mover
		}
		if d.motion == nil && m.Mover != nil {
			r.moveDraft(d, m, k, s)
		}
		return
	}
	if d := r.draft; o == nil && d != nil && d.motion == nil && m.Bare && m.Mover != nil &&
		(d.resolved || agreedIn(r.Paras[d.from]) != "" || d.Worded && d.to == k) &&
		d.seen == r.item && d.to >= k-4 && len(r.open) == 0 && proposes.Begins(f) {
		d.to = k // "RESOLVED: That … Proposer: Cllr Doe"
		r.moveDraft(d, m, k, s)
		return
	}
	for i, other := range r.open {
		if samePerson(other.Mover, m.Mover) && samePerson(other.Seconder, m.Seconder) && m.Mover != nil &&
			m.Seconder != nil && o != nil && (m.Bare || other.Item == r.item) {
			r.open = append(append(r.open[:i:i], r.open[i+1:]...), other)
			other.EndPara, other.End = k, s
			return
		}
	}
	if top := r.topOpen(); top != nil && top.Mover == nil && m.Mover != nil && !top.Seconded && top.EndPara >= k-1 &&
		m.Bare {
		top.Mover = m.Mover
		top.Seconder = m.Seconder
		top.Seconded = m.Seconded
		top.EndPara, top.End = k, s
		return
	}
	if m.Mover == nil && o != nil && r.near(k) {
		return // "Upon motion duly made …" about the motion above
	}
	if len(r.tables) > 0 && m.Mover == nil && !(m.Moved && m.Seconded) {
		return // a label: "Motion to amend:"
	}
	r.begin(m, k, s)
}

// moveDraft gives a draft the motion that stands below it.
func (r *reader) moveDraft(d *draft, m *signal.Motion, k int, s signal.Span) {
	d.motion = m
	m.Place(k, s, r.item)
	m.Signal = r.signal("motion", k, s.From, m.Text)
	d.signals = append(d.signals, m.Signal)
}

func (r *reader) topOpen() *signal.Motion {
	if len(r.open) == 0 {
		return nil
	}
	return r.open[len(r.open)-1]
}

// otherSeconder reports whether two motions were seconded by different members.
func otherSeconder(a, b *signal.Motion) bool {
	return a != nil && a.Seconder != nil && b.Seconder != nil && !samePerson(a.Seconder, b.Seconder)
}

// wholeAs reports whether a sentence is another vote of those who moved and seconded the vote above: both name them and
// the outcome.
func (d *draft) wholeAs(m *signal.Motion, o *signal.Outcome) bool {
	return d.motion != nil && d.Worded && d.motion.Mover != nil && d.motion.Seconder != nil && m.Mover != nil &&
		(m.Seconder != nil || !m.Bare && m.Text != d.motion.Text) && !sameText(m, d.motion) &&
		o.Worded && !o.Counted && !d.roll.Positioned()
}

// sameText reports whether two sentences have the same motion behind "that".
func sameText(a, b *signal.Motion) bool {
	_, first, found := strings.Cut(a.Text, " that ")
	_, second, also := strings.Cut(b.Text, " that ")
	return found && also && strings.TrimRight(first, ". ") == strings.TrimRight(second, ". ")
}

func samePerson(a, b *person.Name) bool {
	if a == nil || b == nil {
		return a == b
	}
	return council.FoldName(council.LastName(a.Text)) == council.FoldName(council.LastName(b.Text)) && a.Text != ""
}

func (r *reader) unseconded(k int) *signal.Motion {
	for i := len(r.open) - 1; i >= 0; i-- {
		if m := r.open[i]; m.Seconder == nil && m.EndPara >= k-12 {
			return m
		}
	}
	return nil
}

// begin opens a motion.
func (r *reader) begin(m *signal.Motion, k int, s signal.Span) {
	r.commit()
	if r.release(nil); m.Mover != nil || m.Seconded {
		r.above = nil
	}
	m.Place(k, s, r.item)
	m.TextEnd = s.To
	if k > 0 && amendment.Is(strings.Trim(r.Paras[k-1].Fold, " :.")) {
		m.Kind = signal.Amendment // the label above its sentence
	}
	if list := r.consentItem(m.Text); list >= 0 {
		m.Item = list
	}
	proposer := strings.HasPrefix(r.Paras[k].Fold, "proposer")
	if m.Bare && r.resolution != "" && (r.resolutionAt >= k-1 || proposer && r.resolutionAt >= k-6) {
		if proposer && strings.HasPrefix(r.resolution, "RESOLVED") {
			m.Resolved = "RESOLVED"
		}
		m.Text, m.Bare = r.resolution+" "+m.Text, false
	}
	if proposer && m.Resolved == "" && k > 0 {
		if m.Resolved = agreedIn(r.Paras[k-1]); m.Resolved != "" {
			m.Text, m.Bare = m.Resolved, false
		}
	}
	if p := r.Paras[k]; r.Language == lexicon.French {
		if at := r.Words.Romance.Resolves.FindStringIndex(p.Fold); at != nil {
			m.Resolved = p.Text[p.Offset(at[0]):p.Offset(at[1])]
		}
	}
	m.Signal = r.signal("motion", k, s.From, m.Text)
	if len(r.open) >= 40 {
		r.abandon(r.open[0])
	}
	r.open = append(r.open, m)
}

// consentItem returns the consent calendar that a sentence speaks of as a whole, or -1.
func (r *reader) consentItem(text string) int {
	if f, _ := lexicon.FoldText(text); !consentWord.In(f) || asConsent.In(f) {
		return -1
	}
	for i := r.item; i >= 0 && i > r.item-60; i-- {
		if list, _ := council.ConsentHeading(r.items[i].title); list {
			return i
		}
	}
	return -1
}

// agreed matches what a council decides above the names of who proposed and seconded it.
var agreed = words.Regexp(`^(?:[^.;]{0,80}\b{and} )?{council agreed}\b`)

// agreedIn returns the first sentence of a paragraph by which the council agreed to something, or "".
func agreedIn(p *signal.Paragraph) string {
	for _, s := range signal.Sentences(p.Text, signal.Span{To: len(p.Text)}) {
		if agreed.MatchString(p.Fold[p.Folded(s.From):p.Folded(s.To)]) {
			return p.Words(s)
		}
	}
	return ""
}

// abandon closes a motion whose outcome is not printed.
func (r *reader) abandon(m *signal.Motion) {
	r.drop(m)
	if m.Signal >= len(r.signals) || r.signals[m.Signal].End != "" {
		return
	}
	if len(r.tables) > 0 {
		r.end(m.Signal, "no table stands below it")
		return
	}
	if m.Resolved != "" && m.Seconder != nil {
		ln := r.Paras[m.Para].Line(m.End.From)
		o := signal.Outcome{Sense: lexicon.Carried, Worded: true, Strong: true}
		f, _ := lexicon.FoldText(m.Resolved)
		r.Count(&o, f, false)
		r.done = append(r.done, &draft{from: m.Para, to: m.EndPara, page: ln.Page, line: ln.No, item: m.Item, motion: m,
			Outcome: o, raws: []string{m.Resolved}, signals: []int{m.Signal}})
		return
	}
	if m.Mover == nil && !m.Seconded || !m.Seconded && !saysMotion.In(strings.ToLower(m.Text)) {
		r.end(m.Signal, "no outcome and no second: not a motion that was put")
		return
	}
	sig := r.signals[m.Signal]
	r.end(m.Signal, "anomaly "+string(council.CodeResultMissing)+": no outcome stands below it")
	r.Report(council.CodeResultMissing, -1, nil, sig.Page, place(sig)+": no outcome of this motion was read: "+sig.Text)
}

func (r *reader) drop(m *signal.Motion) {
	for i, other := range r.open {
		if other == m {
			r.open = append(r.open[:i:i], r.open[i+1:]...)
			return
		}
	}
}

// take removes the motion that an outcome decides from the open ones. A motion of another item is given up, if a vote
// was taken since, unless the words say which motion it is.
func (r *reader) take(about signal.MotionKind, set bool) *signal.Motion {
	for _, m := range slices.Clone(r.open) {
		if m.Resolved != "" && m.Seconder != nil && r.Language == lexicon.English {
			r.abandon(m) // the words above its proposer decided it
			continue
		}
		if n := len(r.done); !set && m.Item != r.item && n > 0 && r.done[n-1].from > m.EndPara {
			r.abandon(m)
		}
	}
	if len(r.open) == 0 {
		return nil
	}
	pick := len(r.open) - 1
	if set && about.Ends() && !slices.ContainsFunc(r.open, func(m *signal.Motion) bool { return m.Kind == about }) {
		return nil // the motion above is still to be voted on
	}
	if set {
		for i := len(r.open) - 1; i >= 0; i-- {
			if r.open[i].Kind == about {
				pick = i
				break
			}
		}
	}
	m := r.open[pick]
	later := r.open[pick+1:]
	r.open = r.open[:pick:pick]
	for _, l := range later {
		r.end(l.Signal, "replaced by the motion that was put")
	}
	return m
}

// takeWithdrawn removes the motion that died: that of the member who withdraws it, or else the motion
// that was put.
func (r *reader) takeWithdrawn(p *signal.Paragraph, s signal.Span, o *signal.Outcome) *signal.Motion {
	f := p.Fold[p.Folded(s.From):p.Folded(s.To)]
	at, _ := withdraws.Find(f)
	if at <= 0 {
		return r.take(o.About, o.AboutSet)
	}
	for i, m := range slices.Backward(r.open) {
		if m.Mover != nil && m.Mover.Text != "" &&
			strings.Contains(f[:at], council.FoldName(council.LastName(m.Mover.Text))) {
			later := r.open[i+1:]
			r.open = r.open[:i:i]
			for _, l := range later {
				r.end(l.Signal, "replaced by the motion that was put")
			}
			return m
		}
	}
	if len(r.tables) > 0 {
		return nil
	}
	return r.take(o.About, o.AboutSet)
}

// onOutcome takes an outcome: it completes the draft, or begins one with the nearest open motion.
func (r *reader) onOutcome(o *signal.Outcome, k int, s signal.Span) {
	p := r.Paras[k]
	n := r.signal("outcome", k, s.From, p.Text[s.From:s.To])
	if len(r.tables) > 0 && o.Sense != lexicon.Died {
		if !o.Reported && (o.Worded || o.Tied || r.near(k)) {
			r.say(n, k, o, p.Text[s.From:s.To])
		} else {
			r.end(n, "speaks of another vote")
		}
		return
	}
	if o.Worded && o.Sense == lexicon.Died {
		if r.draft != nil && r.draft.seen != r.item {
			r.commit()
		}
		if m := r.takeWithdrawn(p, s, o); m != nil {
			r.end(m.Signal, "no vote: "+r.signals[n].Text)
		}
		r.end(n, "no vote: the motion died or was withdrawn")
		return
	}
	f := p.Fold[p.Folded(s.From):p.Folded(s.To)]
	if d := r.draft; d != nil && (d.Worded || d.Counted || d.Unanimous) && o.Unanimous &&
		signal.Nominated.MatchString(f) {
		r.commit() // each of several nominations is voted on
	}
	if r.restatesResolved(o) {
		r.merge(r.draft, o, r.draft.to, n)
		return
	}
	if d := r.draft; d != nil && r.fits(d, o, k) && !r.ofAnother(d, o) &&
		!(r.Language != lexicon.English && d.Worded && o.Worded && d.to < k &&
			s.To-s.From > 60) && !((d.Worded || o.Unanimous && o.Restates && d.roll.Positioned()) && o.Worded && d.to < k &&
		s.From > 40) {
		r.merge(d, o, k, n)
		return
	}
	if r.closes(o, f) {
		r.draft.to = k
		r.draft.signals = append(r.draft.signals, n)
		return
	}
	r.commit()
	if o.Reported && !r.near(k) {
		r.unread(n)
		return
	}
	if !o.Strong && len(r.open) == 0 {
		if o.Unanimous || o.Counted {
			r.unread(n)
		} else {
			r.end(n, "a decision without a motion or a tally")
		}
		return
	}
	d := r.newDraft(k, s.From, o.About, o.AboutSet)
	d.Bare = o.Bare && d.motion == nil
	if list := r.consentItem(p.Text[s.From:s.To]); list >= 0 && d.motion == nil {
		d.item = list
	}
	r.merge(d, o, k, n)
}

// ofAnother reports whether an outcome names another open motion than that of the draft: the main
// motion below its amendment.
func (r *reader) ofAnother(d *draft, o *signal.Outcome) bool {
	if !o.AboutSet || d.motion == nil || d.motion.Kind == o.About {
		return false
	}
	for _, m := range r.open {
		if m.Kind == o.About {
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

func (r *reader) newDraft(k, at int, about signal.MotionKind, set bool) *draft {
	ln := r.Paras[k].Line(at)
	d := &draft{from: k, to: k, page: ln.Page, line: ln.No, item: r.item, seen: r.item, telling: r.telling}
	if d.motion = r.take(about, set); d.motion != nil {
		d.item = d.motion.Item
		d.signals = append(d.signals, d.motion.Signal)
	}
	if r.votersAt >= k-1 {
		r.release(d)
	}
	r.release(nil)
	r.draft = d
	return d
}

// fits reports whether an outcome can belong to the draft, because it adds what is missing.
func (r *reader) fits(d *draft, o *signal.Outcome, k int) bool {
	apart := d.seen != r.item && !(d.lacksWord() && o.Worded && len(r.open) == 0 && r.belowPageHead())
	if d.to < k-3 || apart || d.Outcome.Item != "" && o.Item != "" && d.Outcome.Item != o.Item {
		return false
	}
	if o.Counted && d.Counted && (o.Ayes != d.Ayes || o.Nays != d.Nays) && !d.Tied {
		return false
	}
	if d.Worded && o.Worded && d.AboutSet && d.About != o.About && len(r.open) > 0 {
		return false // "The motion to amend carried." above "The motion to approve carried."
	}
	if d.denied(o) || d.decidedBelow(o) || d.carriedBelow(o) && len(r.open) == 0 {
		return d.to >= k-1
	}
	if d.Worded && o.Worded {
		return d.Sense == o.Sense && (o.Restates || !d.Counted && !d.roll.Positioned() || d.Counted && o.Counted ||
			d.roll.Positioned() && o.Counted) && d.to >= k-1
	}
	if d.Worded && !o.Worded && o.Counted && d.Counted && d.roll.Positioned() {
		return d.Ayes == o.Ayes && d.Nays == o.Nays
	}
	return true
}

// denied reports whether an outcome is that of the motion to deny, whose denial is read: "The motion to
// deny carried."
func (d *draft) denied(o *signal.Outcome) bool {
	return d.Worded && o.Worded && d.Sense == lexicon.Failed && o.Sense == lexicon.Carried && denies.MatchString(o.Raw)
}

// decidedBelow reports whether an outcome decides the resolution whose text was taken for its outcome:
// "Motion defeated." below "RESOLVED that the bylaw be adopted."
func (d *draft) decidedBelow(o *signal.Outcome) bool {
	return d.resolved && d.motion != nil && d.Worded && o.Worded && d.Sense != o.Sense
}

// lacksWord reports whether the votes are read, and the word for their outcome is not. A heading of a page or of a
// transcript can stand between them.
func (d *draft) lacksWord() bool { return !d.Worded && (d.Counted || d.roll.Positioned()) }

// belowPageHead reports whether the heading of the current item is the head of a page, or that of a transcript that
// stands above many of its parts.
func (r *reader) belowPageHead() bool {
	if r.item < 0 || r.items[r.item].number != "" {
		return false
	}
	it := r.items[r.item]
	return it.row < len(r.Doc.Lines) && r.Doc.Lines[it.row].NewPage ||
		slices.ContainsFunc(r.items[:r.item], func(o *item) bool { return o.title == it.title && it.title != "" })
}

// carriedBelow reports whether an outcome is that of the motion to table whose sentence says that its item was tabled.
func (d *draft) carriedBelow(o *signal.Outcome) bool {
	return d.motion != nil && d.Worded && d.Sense != lexicon.Carried && d.Sense != lexicon.Failed &&
		o.Sense == lexicon.Carried && !d.Counted && !d.roll.Positioned()
}

// merge adds an outcome to a draft.
func (r *reader) merge(d *draft, o *signal.Outcome, k, n int) {
	d.to = k
	if d.isOneAnswer() && o.Unanimous && !o.Counted {
		d.roll = signal.Roll{} // "Mayor Doe: Yes." answers a question above "All: Aye."
		d.Outcome.Unread = ""
	}
	d.signals = append(d.signals, n)
	if o.AboutSet {
		d.About, d.AboutSet = o.About, true
	}
	if o.Worded && (!d.Worded || d.Tied && o.Sense == lexicon.Carried || d.denied(o) || d.decidedBelow(o)) {
		d.Sense, d.Worded = o.Sense, true
		if d.loses(o) {
			d.Sense = lexicon.Failed
		}
	}
	d.Outcome.Item = cmp.Or(d.Outcome.Item, o.Item)
	d.Unanimous = d.Unanimous || o.Unanimous
	d.Voice = d.Voice || o.Voice
	d.Majority = d.Majority || o.Majority
	d.Tied = d.Tied || o.Tied
	if o.Counted && !d.Counted {
		d.Counted = true
		d.Ayes = o.Ayes
		d.Nays, d.BothSides = o.Nays, o.BothSides
	} else if !d.Counted {
		d.Nays = max(d.Nays, o.Nays)
	} else if d.Tied && o.Counted && o.Ayes+o.Nays == d.Ayes+d.Nays+1 {
		d.Ayes, d.Nays = o.Ayes, o.Nays // with the vote that breaks the tie
	} else if !d.BothSides && !o.Counted && o.Nays > 0 {
		d.Nays, d.BothSides = o.Nays, true // "Yes – 3." before "No – 2."
	}
	d.Others = max(d.Others, o.Others)
	for _, e := range o.Named {
		if !signal.HasSense(d.Named, e.Sense) {
			d.Named = append(d.Named, e)
		}
	}
	if o.Unread != "" {
		d.Outcome.Unread = o.Unread
	}
	if len(d.raws) == 0 || o.Counted || !o.Restates || len(d.raws) <= 2 {
		d.raws = append(d.raws, o.Raw)
	}
}

// closes reports whether a sentence is the decision of the French resolution whose tally was read: "Après en avoir
// délibéré, le conseil décide à l'unanimité …" below "À l'unanimité Pour : 11 Contre : 0".
func (r *reader) closes(o *signal.Outcome, f string) bool {
	d := r.draft
	return r.Language == lexicon.French && d != nil && d.seen == r.item && r.item >= 0 && !r.items[r.item].heading &&
		d.Counted &&
		!o.Counted && o.Sense == d.Sense && o.Unanimous == (d.Nays == 0 && d.Others == 0) && len(o.Named) == 0 &&
		signal.AfterDebate.MatchString(f)
}

// repeats reports whether an outcome without a motion is that of the resolution above it: "ADOPTÉE" below "résolu à
// l'unanimité que …".
func (r *reader) repeats(d *draft) bool {
	if len(r.done) == 0 || d.motion != nil {
		return false
	}
	above := r.done[len(r.done)-1]
	return above.motion != nil && above.seen == d.seen && above.Worded && above.Sense == d.Sense &&
		r.Words.Romance.Resolves.MatchString(council.FoldName(strings.Join(above.raws, " ")))
}

// restatesResolved reports whether an outcome repeats that of the resolution whose text stands between them: "ADOPTÉE
// À LA MAJORITÉ" below "résolu à la majorité que …".
func (r *reader) restatesResolved(o *signal.Outcome) bool {
	d := r.draft
	return r.Language != lexicon.English && d != nil && d.motion != nil && d.seen == r.item && len(r.open) == 0 &&
		o.Restates && o.Worded && d.Worded && d.Sense == o.Sense && (d.Unanimous || !o.Unanimous) &&
		!(d.Unanimous && o.Majority) && r.Words.Romance.Resolves.MatchString(council.FoldName(strings.Join(d.raws, " ")))
}

// isOneAnswer reports whether a vote has nothing but the answer of one person.
func (d *draft) isOneAnswer() bool {
	return d.answers && !d.Worded && !d.Counted && !d.Tied && !d.Unanimous && len(d.Named) == 0 &&
		len(d.roll.Entries) == 1 && len(d.roll.Entries[0].Names) == 1
}

// takeAbove gives a vote without an outcome the outcome that stands directly above its motion, and belongs to no other:
// "Motion carried. / Motion by Doe, seconded by Roe. / Yea: Doe, Roe".
func (r *reader) takeAbove(d *draft) {
	if len(r.done) == 0 || d.Worded || d.motion == nil || !d.roll.Positioned() {
		return
	}
	above := r.done[len(r.done)-1]
	if above.motion != nil || above.table != nil || above.roll.Positioned() || above.Counted || above.Unanimous ||
		above.seen != d.seen || above.to < d.motion.Para-1 {
		return
	}
	r.done = r.done[:len(r.done)-1]
	d.Sense, d.Worded = above.Sense, above.Worded
	d.Voice = d.Voice || above.Voice
	d.raws = append(above.raws, d.raws...)
	d.signals = append(above.signals, d.signals...)
}

// isTelling reports whether a vote stands in a section that tells of other votes, and nothing says that it is this
// body's: no member moves, votes or dissents. In a report the body itself can vote without a motion.
func (r *reader) isTelling(d *draft) bool {
	if d.table != nil || d.resolved || d.motion != nil && !r.OfStrangers(d.motion) {
		return false
	}
	if entries := slices.Concat(d.roll.Entries, d.Named); slices.ContainsFunc(entries, func(e signal.Entry) bool {
		return slices.ContainsFunc(e.Names, func(n person.Name) bool { return r.isListed(&n) })
	}) {
		return false
	}
	switch d.telling {
	case signal.History:
		return true
	case signal.Report:
		return d.motion != nil || !d.Strong
	}
	return false
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
	if d.Outcome.Bare && !d.Counted && !d.Unanimous && !d.roll.Positioned() {
		for _, n := range d.signals {
			if r.signals[n].Kind == ofOutcome && r.signals[n].End == "" {
				if r.repeats(d) {
					r.end(n, "repeats the outcome above")
				} else {
					r.unread(n)
				}
				return
			}
		}
	}
	if (d.motion == nil || d.motion.Seconder == nil && !d.motion.Seconded) && d.Worded &&
		d.Sense != lexicon.Carried && d.Sense != lexicon.Failed && !d.Counted && !d.Tied &&
		!d.Unanimous && !d.Voice && !d.roll.Positioned() {
		for _, n := range d.signals {
			r.unread(n) // an item was tabled, and no motion says so
		}
		return
	}
	if d.motion == nil && !d.Worded && !d.Counted && !d.Tied && !d.Unanimous && d.roll.Empty() {
		if d.Outcome.Unread != "" {
			r.unread(d.signals[0])
		}
		for _, n := range d.signals {
			r.end(n, "a roll without names")
		}
		return
	}
	if d.isOneAnswer() && r.Members.Len() > 2 {
		for _, n := range d.signals {
			r.unread(n) // "Mayor Doe: Yes." answers a question
		}
		return
	}
	if d.motion == nil && !d.Worded && !d.Counted && !d.Tied && !d.Unanimous && (d.answers || r.OfStranger(&d.roll)) {
		for _, n := range d.signals {
			r.unread(n) // "Ana Doe – Yes." answers a question, or is a list of those present
		}
		return
	}
	if r.isTelling(d) {
		for i, n := range d.signals {
			if i == len(d.signals)-1 {
				r.unread(n)
			} else {
				r.end(n, "no vote: a report tells of it")
			}
		}
		return
	}
	r.takeAbove(d)
	if len(r.done) == maxVotes {
		r.Report(council.CodeTextCut, -1, nil, d.page, "more votes than a meeting can have; what follows was not read")
	}
	if len(r.done) > maxVotes {
		return
	}
	r.done = append(r.done, d)
}
