package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

// enter makes the item at a line of the outline the current one. The motions of the item above end.
func (r *reader) enter(line int) {
	if !r.outline.numbered {
		return // a heading opens its item
	}
	places, before := r.outline.places, r.place
	for r.place < len(places) && places[r.place].line <= line {
		p := places[r.place]
		if top := r.topOpen(); top != nil && p.item != nil && p.sec.consent && p.sec.items[0] == p.item {
			p.sec.motion = top // the motion applies to all items
			r.end(top.Signal, "the motion on the list below")
		}
		r.place++
	}
	if r.place == before {
		return
	}
	if item := r.indexOf(places[r.place-1].itemAt()); item != r.item {
		r.commit()
		r.leave()
		r.item, r.above = item, nil
	}
}

// indexOf returns the index of an item of the outline, or -1.
func (r *reader) indexOf(it *item) int {
	if it == nil {
		return -1
	}
	if it.index == 0 {
		r.items, r.titles[it.row] = append(r.items, it), true
		it.index = len(r.items)
	}
	return it.index - 1
}

// onTable takes a vote that is printed as a table, with the motion that it decides.
func (r *reader) onTable(k int, t *signal.Table) {
	n := r.signal("table", k, 0, strings.TrimSpace("RESULT: "+t.Result))
	at := r.outline.placed[t]
	if at.stray {
		r.end(n, "the vote of an attachment")
		return
	}
	r.item = r.indexOf(at.item)
	d := &draft{from: k, to: k, page: t.Page, line: r.Paras[k].Lines[0].No, item: r.item, seen: r.item, table: t,
		roll: t.Roll, raws: []string{t.Result}, Outcome: signal.Outcome{Tally: t.Tally}, problems: t.Problems,
		fate: r.Doc.Classify(t.Result), mover: t.Mover, seconder: t.Seconder}
	d.motion = r.motionOf(t)
	if d.motion != nil {
		d.signals = append(d.signals, d.motion.Signal)
	}
	d.signals = append(d.signals, n)
	r.done = append(r.done, d)
	r.above = d
}

// A saying is an outcome or a roll that stands outside of the tables of a document that has tables.
type saying struct {
	signal  int
	para    int
	item    int
	motion  *signal.Motion // motion that was open
	above   *draft         // table above it, if no motion was made since
	roll    bool
	again   bool // it speaks of the same vote as the one before
	outcome *signal.Outcome
	names   int // number of those whom it names in favor
}

// say takes an outcome in a sentence, or a roll without RESULT if o is nil, in a document whose votes
// are tables.
func (r *reader) say(n, k int, o *signal.Outcome, text string) {
	s := saying{signal: n, para: k, item: r.item, motion: r.topOpen(), above: r.above, roll: o == nil, outcome: o,
		names: r.NamesInFavor(text)}
	if o != nil && o.AboutSet {
		for _, m := range slices.Backward(r.open) {
			if m.Kind == o.About {
				s.motion = m
				break
			}
		}
	}
	if s.above != nil && k-s.above.to > maxApart {
		s.above = nil
	}
	if last := len(r.said) - 1; last >= 0 && r.said[last].item == s.item && r.said[last].motion == s.motion &&
		k-r.said[last].para <= maxApart && r.said[last].above == s.above {
		s.again = true
	}
	r.said = append(r.said, s)
}

// maxApart is the largest number of paragraphs between a table and a sentence about its vote.
const maxApart = 6

// closeSayings ends the outcomes and rolls outside of tables: each repeats the vote of a table, or is
// reported. They are no votes of their own, because the clerk records votes as tables.
func (r *reader) closeSayings() {
	decided := map[*signal.Motion]*draft{}
	for _, d := range r.done {
		if d.motion != nil {
			decided[d.motion] = d
		}
	}
	for _, s := range r.said {
		d := r.tableOf(s, decided[s.motion])
		sig := r.signals[s.signal]
		switch {
		case d != nil:
			if s.outcome != nil && s.outcome.Counted && (d != s.above || r.inside(s)) {
				d.stated, d.statedNames = append(d.stated, s.outcome), s.names
			}
			r.end(s.signal, fmt.Sprintf("vote on line %d", d.line))
		case s.again:
			r.end(s.signal, "anomaly "+string(council.CodeVotesUnread)+" above: it speaks of the same vote")
		case !s.roll:
			r.unread(s.signal)
		default:
			r.end(s.signal, "anomaly "+string(council.CodeResultMissing))
			r.Report(council.CodeResultMissing, -1, nil, sig.Page, place(sig)+": a roll call without a RESULT line: "+sig.Text)
		}
	}
}

// tableOf returns the table whose vote a saying repeats: the table above or below it, or that of its motion.
// The tally decides between them.
func (r *reader) tableOf(s saying, decided *draft) *draft {
	if r.inside(s) {
		return s.above
	}
	var found *draft
	for _, d := range []*draft{s.above, decided, r.tableBelow(s)} {
		if d != nil && s.outcome != nil && s.outcome.Counted && s.outcome.Ayes == d.Ayes && s.outcome.Nays == d.Nays {
			return d
		}
		if found == nil {
			found = d
		}
	}
	return found
}

// inside reports whether a saying stands between the labels and the values of the table above it.
func (r *reader) inside(s saying) bool {
	return s.above != nil && r.Paras[s.para].First < s.above.table.End
}

// tableBelow returns the table of the same item that follows a saying, if no motion stands between.
func (r *reader) tableBelow(s saying) *draft {
	for _, d := range r.done {
		if (d.item == s.item || s.item < 0) && d.from > s.para && d.from-s.para <= maxApart && (d.motion == nil ||
			d.motion.Para <= s.para) {
			return d
		}
	}
	return nil
}

// motionOf finds the motion that a table decides. The label above the table decides ("VOTE ON THE
// MAIN MOTION"), then the mover, then the order: the last motion is voted on first.
func (r *reader) motionOf(t *signal.Table) *signal.Motion {
	pick := func(fits func(*signal.Motion) bool) *signal.Motion {
		for _, m := range slices.Backward(r.open) {
			if fits(m) {
				return m
			}
		}
		return nil
	}
	byMover := func(m *signal.Motion) bool { return t.Mover != "" && r.Mover(m) == t.Mover }
	var m *signal.Motion
	kind, known := r.labelledKind(t)
	if known {
		fits := func(m *signal.Motion) bool {
			return (m.Kind == signal.MainMotion) == (kind == signal.MainMotion) && (kind != signal.Amendment ||
				m.Kind == signal.Amendment)
		}
		m = pick(func(m *signal.Motion) bool { return fits(m) && byMover(m) })
		if m == nil {
			m = pick(fits)
		}
	}
	if m == nil {
		m = pick(byMover)
	}
	if m == nil {
		if known || len(r.open) == 0 {
			return nil // the motion that the label names was not read
		}
		m = r.topOpen()
	}
	at := slices.Index(r.open, m)
	for _, later := range r.open[at+1:] {
		r.end(later.Signal, "replaced by the motion that was put")
	}
	r.open = r.open[:at:at]
	return m
}

// labelledKind reads the label above a table: "VOTE ON THE MOTION TO AMEND".
func (r *reader) labelledKind(t *signal.Table) (signal.MotionKind, bool) {
	label := ""
	for j, left := t.Line-1, 24; j >= 0 && left > 0 && j >= r.outline.placed[t].from; j, left = j-1, left-1 {
		text := r.Doc.Rows[j].Text
		l := strings.ToLower(text)
		if i, _ := voteOn.Find(l); i >= 0 && (i == 0 || text[i] == 'V') {
			label = l[i:]
			for k := j + 1; k < t.Line && k < j+4 && r.Doc.Rows[k].Text != "" && !strings.Contains(label, ":"); k++ {
				label += " " + strings.ToLower(r.Doc.Rows[k].Text)
			}
			break
		}
	}
	label, _, _ = strings.Cut(label, ":")
	switch {
	case asAmended.In(label):
		return signal.MainMotion, true
	case amend.In(label):
		return signal.Amendment, true
	case mainMotion.In(label):
		return signal.MainMotion, true
	case procedural.In(label):
		return signal.Procedural, true
	}
	return signal.MainMotion, false
}

// key is equal for votes on one list: mover, seconder and result. The rolls may differ, because a
// member may be recused on only one item.
func (d *draft) key() [3]string {
	if t := d.table; t != nil {
		return [3]string{t.Mover, t.Seconder, strings.ToUpper(lexicon.ResultWords(t.Result))}
	}
	return [3]string{fmt.Sprintf("%p", d)}
}

// Table is a table that was read.
type Table struct {
	Line   int // index of the line of RESULT
	Result string
	Roll   council.Roll
}

func exported(tables []*signal.Table) []Table {
	out := make([]Table, 0, len(tables))
	for _, t := range tables {
		out = append(out, Table{Line: t.Line, Result: t.Result, Roll: t.Roll.Members()})
	}
	return out
}

func (r *reader) types() []Typed {
	return r.outline.types
}

// note adds a problem of a vote.
func (d *draft) note(code council.AnomalyCode, message string) {
	d.problems = append(d.problems, signal.Problem{Code: code, Message: message})
}
