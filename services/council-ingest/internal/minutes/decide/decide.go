// Package decide reads the decisions of a meeting, whatever the form in which its minutes print
// them: tables of RESULT, MOVER and AYES, "Motion by Doe, second by Roe, to … Carried 4-1", rows of
// ayes and noes, tables with a column for each position, roll calls in running text.
//
// It works in passes, each a function of the one before:
//
//   - result*.go read the layout of tables of RESULT: their lines, the value of each label, the names;
//   - outline*.go find sections and items by their numbers or file numbers, in documents with such
//     tables or with file numbers; item.go finds headings by their form in all others;
//   - text.go joins the other lines to paragraphs and splits them into sentences;
//   - roll.go, table.go, motion.go and outcome.go read the signals in them: rows of names, motions,
//     outcomes;
//   - take.go makes decisions out of the signals by their order: an outcome takes the roll next to it and
//     the nearest open motion above it; a table takes the motion of its mover (resultvote.go);
//   - outlineconsent.go gives the vote on a list to its items, prove.go proves each vote, whatever its form,
//     and writes votes and anomalies.
//
// Words are data (words.go), a table by language with samples. Every signal ends in one vote, in a
// motion without a vote, or in an anomaly that gives its page, line and words.
package decide

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
)

// Input is a document whose head was read.
type Input struct {
	Doc  *rows.Document
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
	*scanner
	*record.Writer
	outline     *outline      // nil if headings are found by their form
	numbers     map[*item]int // index of items of the outline
	tables      map[int]*table
	place       int // number of places of the outline above the current paragraph
	said        []saying
	above       *draft // last table of the item, if no motion was made since
	movers      bool
	rolls       int
	votesOf     map[string]int // roll calls that name a member
	signals     []Signal
	items       []*item
	item        int // current item; -1 before the first
	open        []*motion
	draft       *draft
	done        []*draft
	voters      []entry // members whose position stands above the outcome, and its paragraph
	votersAt    int
	rowsAbove   []entry // rows of members who did not vote, below an open motion, and their paragraph
	rowsAboveAt int
	announced   int // paragraph after the words that announce a roll
	// the text of a resolution that was read and not decided, and its paragraph
	resolution   string
	resolutionAt int
	// the sentence before, if neither a motion nor an outcome was read in it, and its paragraph
	before   span
	beforeAt int
}

// A draft is a vote while its parts are read.
type draft struct {
	outcome
	motion     *motion
	roll       roll
	from       int // first and last paragraph
	to         int
	rollAt     int // paragraph of the roll, if it stands below the outcome
	page       int
	line       int
	item       int
	raws       []string
	signals    []int
	resolved   bool       // it is the text of a resolution
	casting    *entry     // the chair's casting vote
	table      *table     // set if the vote is printed as a table
	told       []*outcome // sentences that count the vote of the table
	toldNames  int        // number of names in the last of them; -1 if there are none
	lettered   bool       // its roll has the vote of a member before the name, on a line each
	answers    bool       // its roll has members' answers, and no word says that they are votes
	withheld   bool       // its roll is impossible, and not published
	problems   []problem
	written    *record.Vote
	viaConsent bool
	seen       int // current item when the last part was read
}

// Result is what was found in a document besides its record.
type Result struct {
	Signals []Signal
	Types   []Typed // of each line, if the document has an outline
	Tables  []Table
	Votes   []int // line of each vote; a vote on a list counts once
}

// Read reads the decisions of a document into a record.
func Read(g *Grammar, in Input, w *record.Writer) Result {
	r := &reader{scanner: newScanner(g, in.Doc, w), Writer: w, item: -1, numbers: map[*item]int{}, tables: map[int]*table{}}
	tables, whole := tablesOf(in.Doc)
	if !whole {
		r.Report(council.CodeTextCut, -1, nil, 0, fmt.Sprintf("more than %d votes; what follows was not read", MaxTables))
	}
	lines := blanked(in.Doc.Lines, in.Skip)
	if len(tables) > 0 || in.Doc.Filed {
		r.outline = scan(in.Doc, w, tables, in.Skip)
		lines = slices.Clone(lines)
		for i, t := range r.outline.types {
			if t.Kind != "" && t.Kind != "attendance" {
				lines[i].Text = ""
			}
		}
		for _, t := range tables {
			r.tables[t.line] = t
		}
	}
	plain := false
	if r.language, plain = languageOf(lines); plain {
		r.x = g.english
	}
	r.paras = r.paragraphs(lines, r.tables)
	for k := 0; k < len(r.paras); {
		k = r.paragraph(k)
	}
	r.commit()
	r.leave()
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
	p := r.paras[k]
	r.enter(p.first)
	if p.table != nil {
		r.onTable(k, p.table)
		return k + 1
	}
	if c := r.chartAt(k); c != nil {
		r.sentences(k, []span{{0, c.at}})
		r.onChart(k, c)
		r.sentences(c.last, []span{{c.rest, len(r.paras[c.last].text)}})
		return c.last + 1
	}
	if entries, next := r.stackedAt(k); next > k {
		r.onRows(k, 0, entries, "")
		if r.draft != nil {
			r.draft.to = next - 1
		}
		return next
	}
	if rows := r.letteredAt(k, r.draft != nil && r.draft.to >= k-2 && r.draft.lettered); len(rows) > 0 {
		for _, e := range rows {
			r.onRows(k, 0, []entry{e}, "")
			if r.draft != nil {
				r.draft.lettered = true
			}
		}
		if n := len(rows); n < len(p.starts) {
			r.sentences(k, []span{{p.starts[n], len(p.text)}})
		}
		return k + 1
	}
	if m := r.namedLine(k); m != nil {
		r.begin(m, k, span{0, len(p.text)})
		if line, _, _ := cutLine(p.text); m.bare {
			return k + 1
		} else {
			r.sentences(k, []span{{len(line) + 1, len(p.text)}})
			return k + 1
		}
	}
	entries, ats, taken, next := r.rows(k)
	if len(entries) == 0 && r.heading(k) {
		return k + 1
	}
	if len(entries) > 0 && ats[0] > 20 {
		r.heading(k)
	}
	if len(entries) > 0 && ats[0] > 0 {
		r.sentences(k, []span{{0, ats[0]}})
	}
	for n, e := range entries {
		r.onRows(k, ats[n], []entry{e}, "")
		end := len(p.text)
		if n+1 < len(entries) {
			end = ats[n+1]
		}
		if taken[n].to < end {
			r.sentences(k, []span{{taken[n].to, end}})
		}
	}
	if len(entries) == 0 {
		r.sentences(k, []span{{0, len(p.text)}})
	}
	return k + 1 + next
}

// sentences reads the sentences in parts of a paragraph.
func (r *reader) sentences(k int, within []span) {
	p := r.paras[k]
	for _, part := range within {
		found, took, unread := r.pairs(p, part)
		if len(found) > 0 {
			r.plain(k, span{part.from, took.from})
			r.onRows(k, took.from, found, unread)
			r.sentences(k, []span{{took.to, part.to}})
			continue
		}
		r.plain(k, part)
	}
}

// plain reads sentences that have no rows.
func (r *reader) plain(k int, part span) {
	p := r.paras[k]
	if part.to <= part.from {
		return
	}
	from := part.from
	for _, m := range yTally.FindAllStringIndex(p.fold[p.folded(part.from):p.folded(part.to)], 400) {
		at := p.offset(p.folded(part.from) + m[0])
		end := at
		for end < part.to && p.text[end] != ')' {
			end++
		}
		end = min(end+1, part.to)
		r.commit()
		r.inline(p, span{from, end})
		r.sentencesOf(k, span{from, at})
		r.plainSentence(k, span{at, end})
		from = end
	}
	r.sentencesOf(k, span{from, part.to})
}

func (r *reader) sentencesOf(k int, part span) {
	for _, s := range sentences(r.paras[k].text, part) {
		r.plainSentence(k, s)
	}
}

// twoFates matches the outcome of an amendment before that of its motion: "The Amendment was defeated and,
// therefore, the original Motion carried."
var twoFates = regexp.MustCompile(`\bamendments? (?:was |were )?(?:then |declared )?(?:defeated|lost|carried|adopted|rejected|failed)` +
	`((?:[ ,]+(?:and|therefore|so)\b)+)[ ,]*((?:the )?(?:original|substantive|main|amended) (?:motion|proposal))`)

// plainSentence reads one sentence.
func (r *reader) plainSentence(k int, s span) {
	p := r.paras[k]
	if m := twoFates.FindStringSubmatchIndex(p.fold[p.folded(s.from):p.folded(s.to)]); m != nil {
		from := p.folded(s.from)
		r.plainSentence(k, span{s.from, p.offset(from + m[2])})
		r.plainSentence(k, span{p.offset(from + m[4]), s.to})
		return
	}
	{
		if r.resolved(k, s) {
			return
		}
		m := r.motionIn(p, s)
		moved := m != nil || r.near(k)
		o := r.outcomeIn(p, s, r.setting(p, m != nil, m != nil))
		if o == nil && m != nil && m.fate != "" {
			o = &outcome{sense: carried, worded: true, strong: true, unanimous: strings.Contains(m.fate[2:], "u"),
				raw: p.words(s)}
		}
		if o == nil && m != nil && m.bare && m.mover != nil && r.before.to > r.before.from && r.beforeAt == k {
			if o = r.outcomeIn(p, r.before, r.setting(p, true, true)); o != nil && !o.worded {
				o = nil // "The minutes were approved. Proposed by Doe, seconded by Roe."
			}
		}
		r.before, r.beforeAt = s, k
		if o != nil || m != nil {
			r.before = span{}
		}
		if o == nil && moved && m == nil {
			o = r.outcomeIn(p, s, r.setting(p, true, false))
			if o != nil && !o.strong && !o.worded {
				o = nil
			}
		}

		if m != nil {
			r.onMotion(m, k, s, o)
		}
		if o != nil {
			r.onOutcome(o, k, s)
		} else if m == nil && !r.onPosition(k, s) && !r.onVoters(k, s) {
			f := p.fold[p.folded(s.from):p.folded(s.to)]
			if d := r.draft; d != nil && (d.roll.positioned() && openedVote.MatchString(f) || d.worded &&
				r.x.romance.put.MatchString(f)) {
				r.commit() // the next roll begins
			}
			if openedVote.MatchString(f) {
				r.announced = k + 1
				if d := r.draft; d != nil && d.seen == r.item && !d.roll.positioned() {
					d.to = k // the text of the resolution stands between
				}
			}
			if len(r.tables) == 0 && (r.speaksOfVote(f) || r.romanceVote(f)) && !r.opensRoll(k, f) {
				r.unread(r.signal("sentence", k, s.from, p.text[s.from:s.to]))
			}
		}
	}
}

var resolvedMark = regexp.MustCompile(`^["' ]*(?:(?:and )?(?:it was )?(?:therefore |then |further |unanimously |duly |accordingly )*resolved\b|and (?:unanimously |it was )?agreed\b)`)

// resolved reads a sentence such as "RESOLVED: That …": the outcome of the bare motion above it, the
// text of the motion below it, or the text of the vote that was read.
func (r *reader) resolved(k int, s span) bool {
	p := r.paras[k]
	f := p.fold[p.folded(s.from):p.folded(s.to)]
	if !resolvedMark.MatchString(f) || r.resolvedBy(p.text[s.from:s.to]) || strings.Contains(f, "seconded") ||
		strings.Contains(f, "proposed") ||
		inBrackets.MatchString(p.text[s.from:s.to]) {
		return false
	}
	if len(r.tables) > 0 {
		r.end(r.signal("resolution", k, s.from, p.text[s.from:s.to]), "the text of a motion")
		return true
	}
	if d := r.draft; d != nil && d.to >= k-2 && d.seen == r.item && !(d.worded && d.to < k && s.from > 0) {
		if d.to = k; !d.worded {
			d.sense, d.worded, d.resolved = carried, true, true
		}
		return true
	}
	if top := r.topOpen(); top != nil && top.seconded && top.endPara >= k-2 {
		o := &outcome{sense: carried, worded: true, strong: true, raw: p.words(s)}
		if head := f[:min(len(f), 160)]; strings.Contains(head, "(") {
			o.tally(head, true)
			o.unanimity(r.x, head)
			r.countedWords(o, head)
		}
		r.onOutcome(o, k, s)
		return true
	}
	if r.x.unanimous.MatchString(f) && len(r.open) == 0 {
		r.onOutcome(&outcome{sense: carried, worded: true, strong: true, unanimous: true,
			raw: p.words(s)}, k, s)
		if r.draft != nil {
			r.draft.resolved = true
		}
		return true
	}
	r.resolution, r.resolutionAt = council.Fold(p.text[s.from:s.to]), k
	r.end(r.signal("resolution", k, s.from, p.text[s.from:s.to]),
		"a resolution without a vote, or the text of the motion below")
	return true
}

// inline opens the item whose number and title stand before a tally in running text.
func (r *reader) inline(p *paragraph, s span) {
	all := inlineItem.FindAllStringSubmatch(strings.ReplaceAll(p.text[s.from:s.to], "\n", " "), -1)
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
	ln := p.line(s.from)
	r.commit()
	r.items = append(r.items, &item{number: m[1], title: clip(council.Fold(title), 500), page: ln.Page, line: ln.No,
		strong: true})
	r.item = len(r.items) - 1
}

// inlineItem matches the number and title of an item within running text.
var inlineItem = regexp.MustCompile(`(?:^|\s)(\*?(?:S-)?\d{1,4})\s{1,3}([A-Z][^\n]{8,})`)

// setting returns what stands around a sentence of a paragraph.
func (r *reader) setting(p *paragraph, moved, same bool) setting {
	at := setting{moved: moved, same: same}
	if d := r.draft; d != nil {
		at.vote, at.roll, at.apart, at.sameItem = &d.outcome, d.roll.positioned(), p.index-d.to, d.seen == r.item
	}
	if r.item >= 0 {
		at.item = r.items[r.item].title
	}
	return at
}

// near reports whether an open motion stands in this paragraph or the one above.
func (r *reader) near(k int) bool {
	if len(r.open) == 0 {
		return false
	}
	top := r.open[len(r.open)-1]
	return top.endPara >= k-1
}

func (r *reader) signal(kind string, k, at int, text string) int {
	if len(r.signals) >= maxSignals {
		return len(r.signals) - 1
	}
	ln := r.paras[k].line(at)
	r.signals = append(r.signals, Signal{Line: ln.No, Page: ln.Page, Kind: kind, Text: clip(council.Fold(text), 160)})
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
