package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon/words"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

// place says where a signal stands.
func place(s Signal) string {
	if s.Page > 0 {
		return fmt.Sprintf("page %d, line %d", s.Page, s.Line)
	}
	return fmt.Sprintf("line %d", s.Line)
}

// write turns the drafts into votes of items.
func (r *reader) write() {
	r.learn()
	for _, d := range r.done {
		r.movers = r.movers || d.mover != "" || d.table == nil && r.Mover(d.motion) != ""
	}
	r.writeItems()
	if len(r.done) == 0 {
		r.silent()
	}
	unprinted := 0
	for _, it := range r.Items {
		for _, v := range it.Votes {
			if len(v.Roll) == 0 && v.AyesCount == 0 && v.NaysCount == 0 && !v.Unanimous {
				unprinted++
			}
		}
	}
	if unprinted > 0 && len(r.tables) == 0 {
		r.Report(council.CodeTallyNotPrinted, -1, nil, 0, fmt.Sprintf("%s of the document print neither a tally nor names",
			council.Count(unprinted, "vote")))
	}
}

// writeItems turns the drafts into votes of the items.
func (r *reader) writeItems() {
	o := r.outline
	r.closeSayings()
	slices.SortStableFunc(r.done, func(a, b *draft) int { return a.from - b.from })
	var last *item // of the draft before
	for _, d := range r.done {
		it := last
		if d.item >= 0 && !r.items[d.item].nameless() {
			it = r.items[d.item]
		} else if last == nil || !last.nameless() {
			first := d.from
			if d.motion != nil {
				first = min(first, d.motion.Para)
			}
			it = (&section{page: d.page, line: r.Paras[first].First}).ownItem()
			o.sections = append(o.sections, it.sec)
		}
		it.votes = append(it.votes, d)
		last = it
	}
	if o.numbered {
		o.spreadConsent()
	}
	items := o.votedItems()
	index := map[*item]int{}
	r.countRolls(items)
	for n, it := range items {
		index[it] = n
		r.Items = append(r.Items, it.record())
	}
	if o.numbered {
		o.compareAttachments(index)
	}
	for n, it := range items {
		for k, d := range it.votes {
			r.Items[n].Votes = append(r.Items[n].Votes, r.vote(d, n, k+1))
			v := &r.Items[n].Votes[k]
			v.ViaConsent = it.consent && (it.shared || d.viaConsent)
			if k > 0 && signal.Same(d.table, it.votes[k-1].table) && d.motion == nil {
				r.Report(council.CodeBlockRepeated, n, &v.MotionSeq, d.page, "the same vote is printed twice: "+d.table.Result)
			}
		}
		if it.nameless() {
			r.Report(council.CodeItemMissing, n, nil, it.page, "a vote stands under no item")
		}
	}
	if o.numbered {
		o.reportPending()
		r.checkNames()
	}
}

// nameless reports whether an item has neither a title nor a number.
func (it *item) nameless() bool { return it.title == "" && it.number == "" }

// record returns an item without its votes.
func (it *item) record() record.Item {
	section := ""
	switch {
	case !it.heading:
		section = it.sec.title
	case it.sec.parent != nil:
		section = it.sec.parent.title
	}
	return record.Item{ItemNumber: council.Some(it.number), FileNumber: council.Some(it.file), Title: it.title,
		Section: council.Some(section), Page: record.Page(it.page), IsConsent: it.consent, Votes: []record.Vote{}}
}

// silent reports the motions of a document of which no vote was read.
func (r *reader) silent() {
	for i, a := range r.Anomalies {
		if a.Code == council.CodeResultMissing {
			r.Anomalies[i].Code, r.Anomalies[i].Kind = council.CodeVotesUnread, council.KindOf(council.CodeVotesUnread)
		}
	}
}

// vote proves one vote: its names against its tally and the roster.
func (r *reader) vote(d *draft, item, seq int) record.Vote {
	if d.written != nil { // the vote on a list
		v := *d.written
		v.MotionSeq = seq
		return v
	}
	for _, n := range d.signals {
		r.end(n, fmt.Sprintf("vote on line %d", d.line))
	}
	v := record.Vote{MotionSeq: seq, Page: record.Page(d.page),
		ResultRaw: strings.TrimRight(signal.Clip(council.Fold(strings.Join(d.raws, " ")), 600), ".: "), Roll: council.Roll{}}
	where := place(Signal{Page: d.page, Line: d.line}) + ": "
	if d.table != nil {
		where = "" // a table shows its words
	}
	report := func(code council.AnomalyCode, format string, args ...any) {
		r.Report(code, item, &seq, d.page, where+fmt.Sprintf(format, args...))
	}
	for _, p := range d.problems {
		report(p.Code, "%s", p.Message)
	}
	if m := d.motion; m != nil {
		v.MotionText = signal.Clip(r.motionText(m, d), signal.MaxMotion)
		v.Mover, v.Seconder = r.Printed(m.Mover), r.Printed(m.Seconder)
	}
	r.moversOf(d, &v)
	d.roll.Settle()
	whole := r.fillRoll(d, &v, report)
	r.withhold(d, &v, report)
	r.count(d, &v, whole, report)
	v.Result = r.result(d, &v, whole)
	r.checkWords(d, &v, report)
	raw, _ := lexicon.FoldText(v.ResultRaw)
	broken := d.Tied && (d.casting != nil || signal.Casting.MatchString(raw))
	if v.Result.Contradicts(v.AyesCount, v.NaysCount) && !broken && (d.Counted || d.roll.Has(lexicon.Aye)) {
		report(council.CodeResultCounts, "%s, but %s against %s", v.ResultRaw, council.Count(v.AyesCount, "aye"),
			council.Count(v.NaysCount, "nay"))
	}
	r.checkPeople(d, &v, whole, report)
	checkTold(d, &v, report)
	if v.ResultRaw == "" && d.table == nil {
		v.ResultRaw = signal.Clip(council.Fold(r.signals[d.signals[len(d.signals)-1]].Text), 300)
	}
	d.written = &v
	return v
}

// sentencesBehind returns the sentences of a motion behind its first, up to that of the seconder: those of its
// paragraph, and the next paragraphs of a list. Another speaker ends them, too.
func (r *reader) sentencesBehind(m *signal.Motion) string {
	seconded := m.EndPara > m.Para || m.End.From > m.TextEnd
	if m.Bare || !seconded && len(r.tables) == 0 {
		return ""
	}
	last, text := m.Text, ""
	for k := m.Para; k <= m.EndPara && (k == m.Para || r.goesOn(last, r.Paras[k])); k++ {
		part := signal.Span{From: 0, To: len(r.Paras[k].Text)}
		if k == m.Para {
			part.From = m.TextEnd
		}
		if k == m.EndPara && seconded {
			part.To = m.End.From
		}
		for _, s := range signal.Sentences(r.Paras[k].Text, part) {
			last = council.Fold(r.Paras[k].Text[s.From:s.To])
			if quoted := strings.Count(m.Text+text, "“") > strings.Count(m.Text+text, "”"); !quoted && r.OpensAnother(last) {
				return text
			}
			text = strings.TrimSpace(text + " " + last)
		}
	}
	return text
}

// goesOn reports whether the text of a motion goes on in the next paragraph: on the next page, behind a colon,
// or in a list.
func (r *reader) goesOn(last string, next *signal.Paragraph) bool {
	return strings.HasSuffix(last, ":") || strings.HasSuffix(last, "•") || next.Lines[0].NewPage ||
		signal.Bullet.MatchString(next.Text+" ")
}

// motionText returns the text of a motion: its sentence, or the text next to it if the sentence has
// only names.
func (r *reader) motionText(m *signal.Motion, d *draft) string {
	text := m.Text
	if more := r.sentencesBehind(m); more != "" {
		return text + " " + more
	}
	if !m.Bare && !strings.HasSuffix(text, ":") {
		return text
	}
	first, last := m.EndPara, max(d.from, d.rollAt)
	start := m.End.To
	if !m.Bare {
		first, start = m.Para, m.TextEnd
	}
	var parts []string
	for k := first; k <= last && k < len(r.Paras) && len(parts) < 60; k++ {
		p := r.Paras[k]
		from, to := 0, len(p.Text)
		if k == first {
			from = min(start, to)
		}
		seconded := first < m.EndPara && k == m.EndPara
		switch {
		case seconded:
			to = m.End.From
		case k == last:
			to = r.lineStart(p, d.line)
		}
		if from < to && !signal.OpenedVote.MatchString(p.Fold) && (k != d.from || last == d.from || k == first) {
			parts = append(parts, p.Text[from:to])
		}
		if seconded {
			break
		}
	}
	below := council.Fold(strings.Join(parts, " "))
	if below == "" && m.Para >= 0 {
		p := r.Paras[m.Para]
		below = council.Fold(p.Text[:min(m.End.From, len(p.Text))])
		if below == "" && m.Para > 0 && !r.isTitle(r.Paras[m.Para-1]) && !r.BeginsRow(r.Paras[m.Para-1]) {
			below = council.Fold(r.Paras[m.Para-1].Text)
		}
		if i := strings.LastIndex(strings.TrimRight(below, "."), ". "); i > 0 {
			below = below[i+2:]
		}
		return council.Fold(below + " " + text)
	}
	return council.Fold(text + " " + below)
}

// isTitle reports whether a paragraph is the title of an item.
func (r *reader) isTitle(p *signal.Paragraph) bool { return r.titles[p.First] }

func (r *reader) lineStart(p *signal.Paragraph, no int) int {
	for i, ln := range p.Lines {
		if ln.No == no {
			return p.Starts[i]
		}
	}
	return 0
}

type reportFunc func(code council.AnomalyCode, format string, args ...any)

// count sets the counts and whether the vote was unanimous.
func (r *reader) count(d *draft, v *record.Vote, whole bool, report reportFunc) {
	named := func(p council.Position) int { return v.Roll.Count(p) + d.unsure[p] }
	ayes, nays := named(council.Aye), named(council.Nay)
	printedAyes := -1
	printedNays := -1
	others := d.Others
	counted := 0 // abstentions of a row that has only their number
	if d.Counted {
		printedAyes, printedNays = d.Ayes, d.Nays
	}
	for _, e := range d.roll.Entries {
		switch {
		case e.Sense == lexicon.Nay && e.Nobody && printedNays < 0:
			printedNays = 0
		case e.Count < 0:
		case e.Sense == lexicon.Aye && printedAyes < 0:
			printedAyes = e.Count
		case e.Sense == lexicon.Nay && printedNays < 0:
			printedNays = e.Count
		case e.Sense == lexicon.Abstain && len(e.Names) == 0:
			counted = max(counted, e.Count)
		}
	}
	others = max(others, counted)
	if d.Sense == lexicon.Failed && printedAyes == nays && printedNays == ayes {
		printedAyes, printedNays = ayes, nays // "The amendment fell by 3 votes to 2."
	}
	rolled := d.roll.Positioned()
	v.AyesCount, v.NaysCount = ayes, nays
	if d.casting != nil && rolled {
		// the casting vote is counted with the roll
	} else {
		if printedAyes >= 0 {
			v.AyesCount = printedAyes
		}
		if printedNays >= 0 {
			v.NaysCount = printedNays
		} else if !d.Counted && d.Nays > 0 {
			v.NaysCount = max(nays, d.Nays)
		}
	}
	if !rolled && printedAyes < 0 && !signal.HasSense(d.Named, lexicon.Aye) {
		v.AyesCount = 0
	}
	abstained := named(council.Abstain)
	differs := func(printed, got int, s lexicon.Sense, word string) {
		if rolled && d.casting == nil && printed >= 0 && printed != got && (got > 0 && d.roll.Has(s) ||
			ayes > 0 || d.table != nil && (nays > 0 || abstained > 0 && !d.Voice)) {
			report(council.CodeTallyMismatch, "%s, but %s named", v.ResultRaw, council.Count(got, word))
			whole = false
		}
	}
	differs(printedAyes, ayes, lexicon.Aye, "aye")
	differs(printedNays, nays, lexicon.Nay, "nay")
	if whole && rolled && abstained+counted == 0 && v.Roll.Count(council.Absent) > 0 &&
		others == v.Roll.Count(council.Absent)+v.Roll.Count(council.Recused) {
		others = 0 // 4-0-1 counts those who are absent
	}
	if rolled && others > 0 && others != abstained && others != abstained+v.Roll.Count(council.Recused) && ayes+nays > 0 {
		report(council.CodeTallyMismatch, "%s, but %s named", v.ResultRaw, council.Count(abstained, "abstention"))
	}
	split := v.NaysCount > 0 || nays > 0 || abstained > 0 || others > 0
	switch {
	case split || d.Tied:
		if d.Unanimous && nays+abstained > 0 {
			report(council.CodeUnanimousMismatch, "%s, but %s and %s named", v.ResultRaw, council.Count(nays, "nay"),
				council.Count(abstained, "abstention"))
		}
	case d.Sense == lexicon.Failed && d.Worded && !d.Unanimous:
	case !whole, d.Majority:
	case d.Unanimous:
		v.Unanimous = true
	case rolled && ayes > 0:
		v.Unanimous = true
	default:
		v.Unanimous = printedAyes > 0 && printedNays == 0 && (!d.Counted || d.BothSides || d.table != nil ||
			r.areAll(printedAyes))
	}
}

// areAll reports whether so many ayes are those of everyone who is present: "5 for" says nothing of those who did not
// vote.
func (r *reader) areAll(ayes int) bool { return len(r.Present) > 0 && ayes >= len(r.Present) }

// motionFails matches words that only a motion can be subject of: an application that is "denied" is no
// motion that failed.
var motionFails = words.Regexp(`\b{motion fails}\b`)

// result returns the fate of the motion.
func (r *reader) result(d *draft, v *record.Vote, whole bool) council.Result {
	switch {
	case d.fate != "":
		return d.fate
	case !d.Worded && d.Tied:
		return council.Failed
	case !d.Worded:
		if v.Unanimous && v.AyesCount > 0 {
			return r.carriedResult(v.MotionText)
		}
		if v.AyesCount > v.NaysCount && (decided.MatchString(v.MotionText) || whole && d.countsMotion(v)) {
			return r.carriedResult(v.MotionText)
		}
		return council.Other
	case d.isLost(v):
		return council.Failed
	case d.Sense == lexicon.Failed && v.AyesCount >= v.NaysCount &&
		!motionFails.MatchString(strings.ToLower(v.ResultRaw)) && (denies.MatchString(v.MotionText) ||
		d.motion == nil && v.AyesCount > v.NaysCount && requestDenied.MatchString(strings.ToLower(v.ResultRaw))):
		return council.Adopted
	case d.Sense == lexicon.Failed:
		return council.Failed
	case d.Sense == lexicon.Tabled:
		return council.Tabled
	case d.Sense == lexicon.Continued:
		return council.Continued
	case d.Sense == lexicon.Referred:
		return council.Other
	}
	return r.carriedResult(v.MotionText)
}

// countsMotion reports whether both sides of the vote on a motion are counted, and no word speaks of more than a
// majority.
func (d *draft) countsMotion(v *record.Vote) bool {
	return d.motion != nil && d.motion.Seconded && !d.withheld && (d.Counted && d.BothSides || d.roll.Has(lexicon.Nay)) &&
		!needsMore.MatchString(strings.ToLower(v.MotionText+" "+v.ResultRaw))
}

// needsMore matches words for more than a majority.
var needsMore = words.Regexp(`\b{more than a majority}\b`)

// requestDenied matches an application that was denied. It is no motion, so those who voted for the denial won.
var requestDenied = words.Regexp(`\b{request}(?: [a-z]+){0,2} {denied}\b`)

// isLost reports whether RESOLVED is only the text of the motion, which the votes did not carry.
func (d *draft) isLost(v *record.Vote) bool {
	return d.resolved && d.Sense == lexicon.Carried && v.NaysCount > 0 && v.NaysCount >= v.AyesCount &&
		(v.AyesCount > 0 || d.Counted) && // else only those who dissent are named
		!signal.Casting.MatchString(strings.ToLower(v.ResultRaw))
}

// denies matches a motion to deny: carried, its item is "DENIED".
var denies = words.Regexp(`(?i)\b{to deny}\b`)

// decided matches the text of a motion that says that it was carried.
var decided = words.Regexp(`\b(?:{RESOLVED WORD}|{Resolved word}):|\b{was decided}\b|\b{voted so}\b`)

// refers matches a motion to refer, which decides nothing about the item.
var refers = words.Regexp(`(?i)\b{to refer}\b`)

// tables matches a motion that leaves its subject on the table, and has no other parts.
var tables = words.Regexp(`(?i)^[^:;)]*\b{to table}\b`)

func (r *reader) carriedResult(text string) council.Result {
	if tables.MatchString(text) {
		return council.Tabled
	}
	if text != "" {
		switch res, ok := r.Doc.Moved(text); {
		case !ok:
		case res == council.Tabled || res == council.Continued:
			return res
		case res == council.Other && refers.MatchString(text):
			return council.Other
		}
	}
	return council.Adopted
}
