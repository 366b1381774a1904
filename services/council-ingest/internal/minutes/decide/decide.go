// Package decide reads the decisions of a meeting, whatever the form in which its minutes print
// them: tables of RESULT, MOVER and AYES, "Motion by Doe, second by Roe, to … Carried 4-1", rows of
// ayes and noes, tables with a column for each position, roll calls in running text.
//
// It makes decisions, items and proofs out of the signals of package signal:
//
//   - outline*.go have the sections and items of a document: found by their numbers or file numbers in
//     documents with tables of RESULT or with file numbers, opened at headings (item.go) in all others;
//   - take*.go and resultvote.go make decisions out of the signals by their order: an outcome takes the
//     roll next to it and the nearest open motion above it; a table takes the motion of its mover;
//   - outlineconsent.go gives the vote on a list to its items, prove*.go prove each vote, whatever its
//     form, and write votes and anomalies.
//
// Every signal ends in one vote, in a motion without a vote, or in an anomaly that gives its page, line
// and words.
package decide

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lines"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

// Input is a document whose head was read.
type Input struct {
	Doc  *signal.Document
	Skip [2]int // lines of the attendance list
}

// Signal is a place that speaks of a decision, and where it ended.
type Signal struct {
	Line, Page int
	Kind       string // motion, second, outcome, roll, heading
	Text       string
	End        string
	Again      []string // further ends, which must not be
}

// reader makes decisions out of the signals of one document.
type reader struct {
	*signal.Scanner
	*record.Writer
	outline     *outline
	tables      map[int]*signal.Table
	place       int // number of places of the outline above the current paragraph
	said        []saying
	above       *draft // last table of the item, if no motion was made since
	movers      bool
	rolls       int
	votesOf     map[string]int // roll calls that name a member
	signals     []Signal
	items       []*item
	titles      map[int]bool   // their first lines
	item        int            // current item; -1 before the first
	telling     signal.Telling // of the section, or of the label in an item
	tellingIn   string         // its number
	open        []*signal.Motion
	draft       *draft
	done        []*draft
	voters      []signal.Entry // members whose position stands above the outcome, and its paragraph
	votersAt    int
	votersOf    int            // their signal
	rowsAbove   []signal.Entry // rows of members who did not vote, below an open motion, and their paragraph
	rowsAboveAt int
	announced   int // paragraph after the words that announce a roll
	// the text of a resolution that was read and not decided, and its paragraph
	resolution   string
	resolutionAt int
	// the sentence before, if neither a motion nor an outcome was read in it, and its paragraph
	before   signal.Span
	beforeAt int
}

// A draft is a vote while its parts are read.
type draft struct {
	signal.Outcome
	motion      *signal.Motion
	roll        signal.Roll
	from        int // first and last paragraph
	to          int
	rollAt      int // paragraph of the roll, if it stands below the outcome
	page        int
	line        int
	item        int
	raws        []string
	signals     []int
	resolved    bool                     // it is the text of a resolution
	casting     *signal.Entry            // the chair's casting vote
	unsure      map[council.Position]int // number of its names that no one member is sure to have
	table       *signal.Table            // set if the vote is printed as a table
	fate        council.Result           // by the words of its RESULT line; "" if it has none
	mover       string                   // by its rows
	seconder    string
	stated      []*signal.Outcome // sentences that count the vote of the table
	statedNames int               // number of names in the last of them; -1 if there are none
	telling     signal.Telling    // of its section
	lettered    bool              // its roll has the vote of a member before the name, on a line each
	answers     bool              // its roll has members' answers, and no word says that they are votes
	withheld    bool              // its roll is impossible, and not published
	sides       string            // what the first of two proposals is, if the vote was between them
	problems    []signal.Problem
	written     *record.Vote
	viaConsent  bool
	seen        int // current item when the last part was read
}

// Result is what was found in a document besides its record.
type Result struct {
	Signals []Signal
	Types   []Typed // of each line, if the document has an outline
	Tables  []Table
	Votes   []int // line of each vote; a vote on a list counts once
}

// Read reads the decisions of a document into a record.
func Read(in Input, w *record.Writer) Result {
	r := &reader{Scanner: signal.NewScanner(in.Doc, w), Writer: w, item: -1, tables: map[int]*signal.Table{},
		titles: map[int]bool{}, outline: &outline{Document: in.Doc, Writer: w}}
	tables, whole := signal.TablesOf(in.Doc)
	if !whole {
		r.Report(council.CodeTextCut, -1, nil, 0, fmt.Sprintf("more than %d votes; what follows was not read",
			signal.MaxTables))
	}
	text := signal.Blanked(in.Doc.Lines, in.Skip)
	if len(tables) > 0 || in.Doc.Filed {
		r.outline = scan(in.Doc, w, tables, in.Skip)
		text = slices.Clone(text)
		for i, t := range r.outline.types {
			if t.Kind != "" && t.Kind != ofAttendance {
				text[i].Text = ""
			}
		}
		for _, t := range tables {
			r.tables[t.Line] = t
		}
	}
	var plain bool
	if r.Language, plain = lines.LanguageOf(text); plain {
		r.Words = r.Doc.English()
	} else if r.Language == lexicon.Spanish {
		r.Members.ReadSpanish()
	}
	r.Paras = r.Paragraphs(text, r.tables)
	for k := 0; k < len(r.Paras); {
		k = r.paragraph(k)
	}
	r.commit()
	r.release(nil)
	r.leave()
	r.holdBack()
	r.write()
	out := Result{Signals: r.signals, Types: r.types(), Tables: exported(tables)}
	for _, d := range r.done {
		if d.written != nil {
			out.Votes = append(out.Votes, d.line)
		}
	}
	return out
}

// leave closes the motions that are open.
func (r *reader) leave() {
	for len(r.open) > 0 {
		r.abandon(r.open[len(r.open)-1])
	}
}

// paragraph reads the signals of paragraph k, and returns the next one.
func (r *reader) paragraph(k int) int {
	p := r.Paras[k]
	r.enter(p.First)
	if telling, opens := r.TellingAt(p); opens {
		number := strings.Trim(sectionNumber.FindString(p.Text), ". ")
		if telling != signal.NoTelling || r.tellingIn == "" || !strings.HasPrefix(number, r.tellingIn+".") {
			r.telling, r.tellingIn = telling, number
		}
	}
	if p.Table != nil {
		r.onTable(k, p.Table)
		return k + 1
	}
	if signal.DatedLabel.MatchString(p.Text) {
		r.end(r.signal("outcome", k, 0, p.Text), "a vote of another day")
		return k + 1
	}
	if c := r.ChartAt(k); c != nil {
		r.sentences(k, 0, c.At)
		r.onChart(k, c)
		r.sentences(c.Last, c.Rest, len(r.Paras[c.Last].Text))
		return c.Last + 1
	}
	if entries, next := r.StackedAt(k); next > k {
		r.onRows(k, 0, entries, "")
		if r.draft != nil {
			r.draft.to = next - 1
		}
		return next
	}
	if rows := r.LetteredAt(k, r.draft != nil && r.draft.to >= k-2 && r.draft.lettered); len(rows) > 0 {
		for _, e := range rows {
			r.onRows(k, 0, []signal.Entry{e}, "")
			if r.draft != nil {
				r.draft.lettered = true
			}
		}
		if n := len(rows); n < len(p.Starts) {
			r.sentences(k, p.Starts[n], len(p.Text))
		}
		return k + 1
	}
	if m := r.NamedLine(k); m != nil {
		r.begin(m, k, signal.Span{From: 0, To: len(p.Text)})
		if line, _, _ := signal.CutLine(p.Text); m.Bare {
			return k + 1
		} else {
			r.sentences(k, len(line)+1, len(p.Text))
			return k + 1
		}
	}
	if votes, _ := r.bracketed(p, signal.Span{From: 0, To: len(p.Text)}); len(votes) > 0 {
		r.sentences(k, 0, len(p.Text))
		return k + 1
	}
	entries, ats, taken, next := r.Rows(k)
	if len(entries) == 0 && r.heading(k) {
		return k + 1
	}
	if len(entries) > 0 && ats[0] > 20 {
		r.heading(k)
	}
	if len(entries) > 0 && ats[0] > 0 {
		r.sentences(k, 0, ats[0])
	}
	for n, e := range entries {
		r.onRows(k, ats[n], []signal.Entry{e}, "")
		end := len(p.Text)
		if n+1 < len(entries) {
			end = ats[n+1]
		}
		if taken[n].To < end {
			r.sentences(k, taken[n].To, end)
		}
	}
	if len(entries) == 0 {
		r.sentences(k, 0, len(p.Text))
	}
	return k + 1 + next
}

// sectionNumber matches the number of a section: "4.2 FINDINGS".
var sectionNumber = regexp.MustCompile(`^\d{1,3}(?:\.\d{1,3})*\.?\s`)

// sentences reads the sentences in a part of a paragraph, and the votes in brackets behind them.
func (r *reader) sentences(k, from, to int) {
	p := r.Paras[k]
	for {
		votes, at := r.bracketed(p, signal.Span{From: from, To: to})
		if len(votes) == 0 {
			break
		}
		r.paired(k, from, at.From)
		for _, v := range votes {
			r.onBracketed(k, at, &v)
		}
		if from = at.To; from < to && p.Text[from] == '.' {
			from++
		}
	}
	r.paired(k, from, to)
}

// paired reads the sentences in a part of a paragraph, and members with their votes in them.
func (r *reader) paired(k, from, to int) {
	for {
		found, took, unread := r.Pairs(r.Paras[k], signal.Span{From: from, To: to})
		if len(found) == 0 {
			r.plain(k, signal.Span{From: from, To: to})
			return
		}
		r.plain(k, signal.Span{From: from, To: took.From})
		r.onRows(k, took.From, found, unread)
		from = took.To
	}
}

// plain reads sentences that have no rows.
func (r *reader) plain(k int, part signal.Span) {
	p := r.Paras[k]
	if part.To <= part.From {
		return
	}
	from := part.From
	for _, m := range lexicon.Ballot.FindAllStringIndex(p.Fold[p.Folded(part.From):p.Folded(part.To)], 400) {
		at := p.Offset(p.Folded(part.From) + m[0])
		end := at
		for end < part.To && p.Text[end] != ')' {
			end++
		}
		end = min(end+1, part.To)
		r.commit()
		r.inline(p, signal.Span{From: from, To: end})
		r.sentencesOf(k, signal.Span{From: from, To: at})
		r.plainSentence(k, signal.Span{From: at, To: end})
		from = end
	}
	r.sentencesOf(k, signal.Span{From: from, To: part.To})
}

func (r *reader) sentencesOf(k int, part signal.Span) {
	for _, s := range signal.Sentences(r.Paras[k].Text, part) {
		r.plainSentence(k, s)
	}
}

// twoFates matches the outcome of an amendment before that of its motion: "The Amendment was defeated and,
// therefore, the original Motion carried."
var twoFates = words.Regexp(`\b{amendment fate}((?:[ ,]+{and so}\b)+)[ ,]*({amended motion})`)

// plainSentence reads one sentence.
func (r *reader) plainSentence(k int, s signal.Span) {
	p := r.Paras[k]
	if m := twoFates.FindStringSubmatchIndex(p.Fold[p.Folded(s.From):p.Folded(s.To)]); m != nil {
		from := p.Folded(s.From)
		r.plainSentence(k, signal.Span{From: s.From, To: p.Offset(from + m[2])})
		r.plainSentence(k, signal.Span{From: p.Offset(from + m[4]), To: s.To})
		return
	}
	if line, below, more := signal.CutLine(p.Text[s.From:s.To]); more && alone(line) &&
		!strings.ContainsAny(below[:min(len(below), 60)], "0123456789") {
		r.plainSentence(k, signal.Span{From: s.From, To: s.From + len(line)})
		r.plainSentence(k, signal.Span{From: s.From + len(line) + 1, To: s.To})
		return // "CARRIED" above the next heading
	}
	if r.resolved(k, s) || r.takenIn(k, s) {
		return
	}
	r.becomesMain(k, s)
	m := r.MotionIn(p, s)
	if r.elsewhere(k, s, m) {
		return
	}
	moved := m != nil || r.near(k)
	o := r.OutcomeIn(p, withoutAside(p, s, m), r.setting(p, m != nil, m != nil))
	if o == nil && m != nil && m.Fate != "" {
		o = r.FateOf(p, s, m)
	}
	bracketed := o == nil && m != nil && m.Mover != nil && m.Seconder != nil && r.resolvedBy(p, s)
	if bracketed {
		o = &signal.Outcome{Sense: lexicon.Carried, Worded: true, Strong: true, Raw: p.Words(s)}
	}
	if o == nil && m != nil && m.Bare && m.Mover != nil && r.before.To > r.before.From && r.beforeAt == k {
		if o = r.OutcomeIn(p, r.before, r.setting(p, true, true)); o != nil && !o.Worded {
			o = nil // "The minutes were approved. Proposed by Doe, seconded by Roe."
		}
	}
	r.before, r.beforeAt = s, k
	if o != nil || m != nil {
		r.before = signal.Span{}
	}
	if o == nil && moved && m == nil {
		o = r.OutcomeIn(p, s, r.setting(p, true, false))
		if o != nil && !o.Strong && !o.Worded {
			o = nil
		}
	}

	if o != nil && !o.Worded && signal.Casting.MatchString(p.Fold[p.Folded(s.From):p.Folded(s.To)]) && r.onPosition(k, s) {
		return // how the tie was broken
	}
	whole := m != nil && signal.WholeMotion.MatchString(p.Fold[p.Folded(s.From):p.Folded(s.To)])
	if whole && o == nil {
		o = &signal.Outcome{Sense: lexicon.Carried, Worded: true, Strong: true, Raw: p.Words(s)}
	}
	if whole && o.Worded && m.Mover == nil {
		r.begin(m, k, s) // it is no other word for the vote above
	} else if m != nil {
		r.onMotion(m, k, s, o)
	}
	if o != nil {
		r.onOutcome(o, k, s)
		r.onCasting(k, s)
		if bracketed && r.draft != nil {
			r.draft.resolved = true
		}
	} else if m == nil && !r.onPosition(k, s) && !r.onVoters(k, s) {
		f := p.Fold[p.Folded(s.From):p.Folded(s.To)]
		if d := r.draft; d != nil && (d.opensMain(f) || d.roll.Positioned() && signal.OpenedVote.MatchString(f) ||
			d.Worded && (aboutLabel.Begins(f) || r.Words.Romance.Put.MatchString(f))) {
			r.commit() // the next roll begins
		}
		if signal.OpenedVote.MatchString(f) {
			r.announced = k + 1
			if d := r.draft; d != nil && d.seen == r.item && !d.roll.Positioned() {
				d.to = k // the text of the resolution stands between
			}
		}
		if len(r.tables) == 0 && (r.SpeaksOfVote(f) || r.RomanceVote(f)) && !r.opensRoll(k, f) {
			r.unread(r.signal("sentence", k, s.From, p.Text[s.From:s.To]))
		}
	}
}

// takenInto matches how an amendment becomes a part of its motion without a vote.
var takenInto = lexicon.Compile(`\b{taken into the motion}\b`)

// takenIn ends an amendment that the mover of its motion accepts.
func (r *reader) takenIn(k int, s signal.Span) bool {
	p, top := r.Paras[k], r.topOpen()
	if top == nil || !r.near(k) || !takenInto.MatchString(p.Fold[p.Folded(s.From):p.Folded(s.To)]) {
		return false
	}
	if o := r.OutcomeIn(p, s, r.setting(p, true, true)); r.MotionIn(p, s) != nil &&
		(o == nil || !o.Counted && !o.Unanimous) {
		r.end(r.signal("motion", k, s.From, p.Text[s.From:s.To]), "became a part of its motion without a vote")
		return true
	}
	if top.Kind != signal.Amendment || len(r.open) < 2 {
		return false
	}
	r.drop(top)
	r.end(top.Signal, "became a part of its motion without a vote")
	r.topOpen().EndPara = k
	return true
}

// becomeMotion matches an amendment that is put to the vote as the motion.
var becomeMotion = lexicon.Compile(`\b{amendment becomes the motion}\b`)

// becomesMain opens the motion of an amendment that was carried, where it is put to the vote as the motion.
func (r *reader) becomesMain(k int, s signal.Span) {
	p, d := r.Paras[k], r.draft
	if d == nil && len(r.done) > 0 {
		d = r.done[len(r.done)-1]
	}
	if d == nil || d.motion == nil || d.motion.Kind != signal.Amendment || d.Sense != lexicon.Carried || d.to < k-3 ||
		!becomeMotion.MatchString(p.Fold[p.Folded(s.From):p.Folded(s.To)]) {
		return
	}
	for _, m := range slices.Clone(r.open) {
		r.drop(m)
		r.end(m.Signal, "replaced by its amendment")
	}
	m := *d.motion
	m.Kind = signal.MainMotion
	r.begin(&m, k, s)
}

// asideHad matches a clause about what was decided before, behind a motion.
var asideHad = lexicon.Compile(`\b{relative} {earlier}\b`)

// withoutAside cuts such a clause off: "… the recommendation of the Cabinet, which had agreed the grant by 5 votes to
// 1."
func withoutAside(p *signal.Paragraph, s signal.Span, m *signal.Motion) signal.Span {
	if m != nil {
		from := p.Folded(s.From)
		if at := asideHad.FindStringIndex(p.Fold[from:p.Folded(s.To)]); at != nil {
			s.To = p.Offset(from + at[0])
		}
	}
	return s
}

// opensMain reports whether a sentence announces the vote on the main motion, below the outcome of its amendment.
func (d *draft) opensMain(f string) bool {
	about, set := signal.AboutOf(f)
	return d.Worded && set && about == signal.MainMotion && signal.OpenedVote.MatchString(f) &&
		(d.About == signal.Amendment || d.motion != nil && d.motion.Kind == signal.Amendment)
}

// elsewhere ends a sentence about a vote that was not taken in the meeting. It is no outcome of an open motion.
func (r *reader) elsewhere(k int, s signal.Span, m *signal.Motion) bool {
	p := r.Paras[k]
	e := r.ElsewhereIn(p, s, m, r.near(k))
	if e.Why == "" {
		return false
	}
	r.before = signal.Span{}
	if behind := namedBehind.FindStringIndex(p.Text[s.From:s.To]); behind != nil &&
		signal.NamesMovers(p.Text[s.From+behind[0]:s.To]) {
		s.To = s.From + behind[0] // "The county voted 4-1. (Doe/Roe) to table"
		defer r.plainSentence(k, signal.Span{From: s.To, To: s.From + behind[1]})
	}
	if n := r.signal("outcome", k, s.From, p.Text[s.From:s.To]); e.Sure {
		r.end(n, "no vote: "+e.Why)
	} else {
		r.unread(n)
	}
	return true
}

// namedBehind matches names in brackets behind the full stop of another sentence.
var namedBehind = regexp.MustCompile(`\.\s*\([^()]{3,60}\)\.?$`)

// alone reports whether a line has nothing but an outcome.
func alone(line string) bool {
	f, _ := lexicon.FoldText(line)
	return signal.FirmAlone.MatchString(f)
}

var resolvedMark = words.Regexp(`^["' ]*(?:\d{1,4}/\d{2,4} )?{resolved mark}\b`)

// resolvedByAll matches a resolution of everyone: "Resolved unanimously to accept the tender."
var resolvedByAll = words.Regexp(`^["' ]*{resolved by all}\b`)

// Kinds of signals and lines.
const (
	ofOutcome    = "outcome"
	ofAttendance = "attendance"
	ofLabel      = "label"
)

// bodyDecided matches what a body decided: "The Library Board approved the policy".
var bodyDecided = words.Regexp(`(?:^["' ]*|\b{the} )(?:[a-z.'-]+ ){0,4}{body decided}\b`)

// resolvedBy reports whether a sentence says that its motion is resolved, and names in brackets who moved and
// seconded it: "RESOLVED (Doe/Roe) that …", "The Board approved the policy (Doe/Roe)."
func (r *reader) resolvedBy(p *signal.Paragraph, s signal.Span) bool {
	f := p.Fold[p.Folded(s.From):p.Folded(s.To)]
	return (resolvedMark.MatchString(f) || bodyDecided.MatchString(f)) && signal.NamesMovers(p.Text[s.From:s.To])
}

// resolved reads a sentence such as "RESOLVED: That …": the outcome of the bare motion above it, the
// text of the motion below it, or the text of the vote that was read.
func (r *reader) resolved(k int, s signal.Span) bool {
	p := r.Paras[k]
	f := p.Fold[p.Folded(s.From):p.Folded(s.To)]
	if !resolvedMark.MatchString(f) || r.ResolvedBy(p.Text[s.From:s.To]) || secondedOrProposed.In(f) ||
		signal.NamesMovers(p.Text[s.From:s.To]) {
		return false
	}
	if len(r.tables) > 0 {
		r.end(r.signal("resolution", k, s.From, p.Text[s.From:s.To]), "the text of a motion")
		return true
	}
	if d := r.draft; d != nil && d.to >= k-2 && d.seen == r.item && !(d.Worded && d.to < k && s.From > 0) {
		if d.to = k; !d.Worded {
			d.Sense = lexicon.Carried
			d.Worded = true
			d.resolved = true
		}
		return true
	}
	if top := r.topOpen(); top != nil && top.Seconded && top.EndPara >= k-2 {
		o := &signal.Outcome{Sense: lexicon.Carried, Worded: true, Strong: true, Raw: p.Words(s)}
		if head := f[:min(len(f), 160)]; strings.Contains(head, "(") {
			r.Count(o, head, true)
		}
		o.Unanimous = o.Unanimous || resolvedByAll.MatchString(f)
		r.onOutcome(o, k, s)
		if r.draft != nil {
			r.draft.resolved = true
		}
		return true
	}
	if r.Words.Unanimous.MatchString(f) && len(r.open) == 0 {
		r.onOutcome(&signal.Outcome{Sense: lexicon.Carried, Worded: true, Strong: true,
			Tally: lexicon.Tally{Unanimous: true}, Raw: p.Words(s)}, k, s)
		if r.draft != nil {
			r.draft.resolved = true
		}
		return true
	}
	r.resolution, r.resolutionAt = council.Fold(p.Text[s.From:s.To]), k
	r.end(r.signal("resolution", k, s.From, p.Text[s.From:s.To]),
		"a resolution without a vote, or the text of the motion below")
	return true
}

// inline opens the item whose number and title stand before a tally in running text.
func (r *reader) inline(p *signal.Paragraph, s signal.Span) {
	all := inlineItem.FindAllStringSubmatch(strings.ReplaceAll(p.Text[s.From:s.To], "\n", " "), -1)
	if len(all) == 0 {
		return
	}
	m := all[len(all)-1]
	title := m[2]
	for {
		next := inlineItem.FindStringSubmatch(title)
		if next == nil {
			break
		}
		m, title = next, next[2]
	}
	title, _, _ = strings.Cut(title, "(Y-")
	r.commit()
	it := r.outline.openNumbered(p.First, m[1], signal.Clip(council.Fold(title), 500))
	it.page = p.Line(s.From).Page
	r.item = r.indexOf(it)
}

// inlineItem matches the number and title of an item within running text.
var inlineItem = regexp.MustCompile(`(?:^|\s)(\*?(?:S-)?\d{1,4})\s{1,3}([A-Z][^\n]{8,})`)

// setting returns what stands around a sentence of a paragraph.
func (r *reader) setting(p *signal.Paragraph, moved, same bool) signal.Setting {
	at := signal.Setting{Moved: moved, Same: same}
	if d := r.draft; d != nil {
		at.Vote = &d.Outcome
		at.Roll = d.roll.Positioned()
		at.Apart = p.Index - d.to
		at.SameItem = d.seen == r.item
	}
	if r.item >= 0 {
		at.Item = r.items[r.item].title
	}
	return at
}

// near reports whether an open motion stands in this paragraph or the one above.
func (r *reader) near(k int) bool {
	if len(r.open) == 0 {
		return false
	}
	top := r.open[len(r.open)-1]
	return top.EndPara >= k-1
}

func (r *reader) signal(kind string, k, at int, text string) int {
	if len(r.signals) >= maxSignals {
		return len(r.signals) - 1
	}
	ln := r.Paras[k].Line(at)
	r.signals = append(r.signals, Signal{Line: ln.No, Page: ln.Page, Kind: kind, Text: signal.Clip(council.Fold(text),
		160)})
	return len(r.signals) - 1
}

const maxSignals = 20_000

func (r *reader) end(n int, how string) {
	if n < 0 || n >= len(r.signals) {
		return
	}
	if s := &r.signals[n]; s.End == "" {
		s.End = how
	} else if s.End != how {
		s.Again = append(s.Again, how)
	}
}
