package rows

import (
	"regexp"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
)

// Stated is a vote without a table: a sentence such as "The motion carried by the following vote:"
// above a roll call such as "Aye: 8 - Doe, …".
type Stated struct {
	Sentence string // without its colon; "" if there is only a roll call
	From, To int    // lines of the sentence
	Roll     []RollRow
	End      int // line after the roll call
}

const maxSentence = 5

func (doc *Document) findStated() {
	if slices.ContainsFunc(doc.Rows, func(r Row) bool { return r.Result }) {
		return
	}
	doc.markRunning()
	for i := 0; i < len(doc.Rows); i++ {
		t := doc.statedAt(i)
		if t == nil {
			continue
		}
		doc.Rows[t.From].Result, doc.Rows[t.From].Stated = true, t
		doc.Stating = true
		i = t.End - 1
	}
}

// markRunning marks headings at the top of a page that the previous page also has. If a roll call
// breaks over the pages, it continues below such a heading.
func (doc *Document) markRunning() {
	before := 0 // top of the previous page
	for i := range doc.Rows {
		if !doc.Rows[i].NewPage {
			continue
		}
		for k, j := before, i; k < i && j >= 0 && doc.Rows[k].Text == doc.Rows[j].Text && !doc.isVoteText(j); {
			doc.Rows[j].running = true
			k, j = doc.Next(k+1), doc.Next(j+1)
		}
		before = i
	}
}

// isVoteText reports whether line i may be part of a vote although it repeats.
func (doc *Document) isVoteText(i int) bool {
	text := doc.Rows[i].Text
	_, row := doc.rollLabel(i)
	return row || doc.StatesRoll(text, "") >= 0 || !doc.IsHeading(text) && doc.namesIn("", text)
}

// statedAt reads the vote whose sentence announces a roll call at line i, or whose roll call begins
// there with a count. It returns nil if there is none.
func (doc *Document) statedAt(i int) *Stated {
	text := doc.Rows[i].Text
	if text == "" {
		return nil
	}
	if row, ok := doc.rollLabel(i); ok && row.Kind == dialect.Aye && row.Count > 0 {
		return doc.withRoll(&Stated{From: i, To: i}, i)
	}
	below := ""
	if i+1 < len(doc.Rows) {
		below = doc.Rows[i+1].Text
	}
	at := doc.StatesRoll(text, below)
	if at < 0 {
		return nil
	}
	t := doc.sentenceAround(i, at)
	next := doc.Next(t.To)
	if next < 0 || next > t.To+maxGap {
		return nil
	}
	return doc.withRoll(t, next)
}

// withRoll adds the roll call at line i to a sentence. It returns nil if the roll call has no ayes
// and no nays.
func (doc *Document) withRoll(t *Stated, i int) *Stated {
	t.Roll, t.End = doc.Roll(i)
	if !slices.ContainsFunc(t.Roll, func(r RollRow) bool { return r.Kind == dialect.Aye || r.Kind == dialect.Nay }) {
		return nil
	}
	doc.readOutcome(t)
	return t
}

// readOutcome replaces a sentence without an outcome ("Roll call vote was as follows:") by the
// sentence directly below the roll call ("Motion carried 2-1.").
func (doc *Document) readOutcome(t *Stated) {
	next := doc.Next(t.End)
	if doc.Classify(t.Sentence) != council.Other || next < 0 || next > t.End+1 {
		return
	}
	text := doc.Rows[next].Text
	if low := strings.ToLower(text[:min(len(text), 10)]); len(text) < 100 && (strings.HasPrefix(low, "motion") ||
		strings.HasPrefix(low, "the motion")) && dialect.Decides(" "+text) {
		t.Sentence, t.End = strings.TrimSuffix(council.Fold(text), "."), next+1
	}
}

func (doc *Document) sentenceAround(i, at int) *Stated {
	from := i
	for from > 0 && i-from < 3 && doc.Rows[from-1].Text != "" && !strings.HasSuffix(doc.Rows[from-1].Text, ":") &&
		!doc.Rows[from].NewPage {
		from--
	}
	to := i
	for to+1 < len(doc.Rows) && to-i < maxSentence-1 && !lex.HasAnySuffix(doc.Rows[to].Text, ":", ".") &&
		doc.Rows[to+1].Text != "" {
		if _, row := doc.rollLabel(to + 1); row {
			break
		}
		to++
	}
	// The beginning of the sentence may be on an earlier line.
	head := ""
	for j := from; j < i; j++ {
		head += doc.Rows[j].Text + " "
	}
	whole := head + doc.Rows[i].Text
	start := SentenceStart(whole, len(head)+at)
	t := &Stated{From: from, To: to + 1}
	for t.From < i && start >= len(doc.Rows[t.From].Text)+1 {
		start -= len(doc.Rows[t.From].Text) + 1
		t.From++
	}
	parts := []string{doc.Rows[t.From].Text[min(start, len(doc.Rows[t.From].Text)):]}
	for j := t.From + 1; j <= to; j++ {
		parts = append(parts, doc.Rows[j].Text)
	}
	t.Sentence = strings.TrimRight(lex.Join(parts), ": ")
	return t
}

// RollRow is a row of a roll call in prose, such as "Aye: 8 - Council Member Doe, … and Council
// Member Roe". A row may break over lines and pages; its count says where it ends.
type RollRow struct {
	Kind      dialect.Label
	Label     string
	Count     int    // printed number of names; -1 if it is not printed
	Names     string // as printed, with its lines joined
	Line, End int    // first line of the row, and line after the row

	below int // line of the first names, if the label is alone on its line
}

const (
	maxRollLines = 40 // largest number of lines of one row
	maxGap       = 3  // largest number of blank lines that text extraction puts into a row
)

// rollMark matches a label, a count in parentheses, a colon and the rest of the line.
var rollMark = regexp.MustCompile(`^([A-Za-z/]+(?: [A-Za-z/]+)*) *(?:\((\d{1,2})\) *)?(:?) *(.*)$`)

func (doc *Document) rollLabel(i int) (row RollRow, ok bool) {
	text := doc.Rows[i].Text
	m := rollMark.FindStringSubmatch(text)
	if m == nil {
		return RollRow{}, false
	}
	kind, _ := doc.RowOf(m[1])
	if !kind.IsList() {
		return RollRow{}, false
	}
	row = RollRow{Kind: kind, Label: m[1], Count: -1, Line: i, Names: m[4]}
	colon := m[3] != ""
	if m[2] != "" {
		row.Count = lex.Atoi(m[2]) // as in "AYES (5): Doe"
	} else if n := lex.LeadingDigits(m[4], 3); n > 0 {
		behind := strings.TrimLeft(m[4][n:], " ")
		row.Count, row.Names = lex.Atoi(m[4][:n]), strings.TrimLeft(behind, "-–—: ")
		if behind != "" && row.Names == behind || !colon && behind == "" && !strings.HasPrefix(text[len(m[1]):], "  ") {
			return RollRow{}, false // as in "For 5 years" and "No 7"
		}
	} else if !colon {
		return RollRow{}, false
	}
	if below := countBelow.FindStringSubmatch(doc.below(i)); row.Names == "" && row.Count < 0 && below != nil {
		row.Count, row.Names, row.below = lex.Atoi(below[1]), below[2], doc.Next(i+1)
	}
	return row, true
}

// countBelow matches the line below a label that is alone, such as "10 - Chair Doe, …".
var countBelow = regexp.MustCompile(`^(\d{1,3}) *[-–—][-–— ]*(.+)$`)

func (doc *Document) below(i int) string {
	if next := doc.Next(i + 1); next >= 0 && next <= i+maxGap {
		return doc.Rows[next].Text
	}
	return ""
}

// rollRow reads the row at line i. It reads as many names as the row counts, or the whole list if
// there is no count.
func (doc *Document) rollRow(i int) (RollRow, bool) {
	row, ok := doc.rollLabel(i)
	if !ok || row.Count < 0 && !lex.IsNobody(row.Names) && !doc.namesIn("", row.Names) {
		return RollRow{}, false
	}
	row.End = max(i, row.below) + 1
	gap := 0
	for j := row.End; j < len(doc.Rows) && j < i+maxRollLines; j++ {
		text := doc.Rows[j].Text
		if doc.Rows[j].running {
			continue
		}
		if text == "" {
			if gap++; gap > maxGap || !row.goesOn(doc) {
				break
			}
			continue
		}
		if _, next := doc.rollLabel(j); next || doc.Rows[j].Result || !doc.namesIn(row.Names, text) {
			break
		}
		if !row.goesOn(doc) && (gap > 0 || !doc.carriesName(row, j)) {
			break
		}
		row.Names = lex.JoinNames([]string{row.Names, text})
		row.End, gap = j+1, 0
	}
	return row, true
}

// goesOn reports whether a row has fewer names than it counts, or ends in the middle of its list.
func (row *RollRow) goesOn(doc *Document) bool {
	if row.Names == "" && row.Count <= 0 {
		return false
	}
	if lex.IsOpenList(row.Names) || lex.EndsInHyphen(row.Names) ||
		strings.LastIndexByte(row.Names, '(') > strings.LastIndexByte(row.Names, ')') {
		return true
	}
	return row.Count >= 0 && len(doc.SplitNames(row.Names)) < row.Count
}

// carriesName reports whether line j continues the last name of a row that has all its names: the
// line above wrapped, or the parenthesis after the name is missing. No further name may follow.
func (doc *Document) carriesName(row RollRow, j int) bool {
	text := doc.Rows[j].Text
	if row.Count == 0 || row.Names == "" || strings.HasSuffix(row.Names, ")") {
		return false
	}
	name, _, bracket := strings.Cut(text, "(")
	bracket = bracket && strings.Contains(row.Names, ")") && strings.HasSuffix(text, ")") && strings.Count(name, " ") <= 2
	if doc.Fits(j-1, text) && !bracket && !doc.People.Whole(row.Names, text) {
		return false
	}
	return row.Count < 0 || len(doc.SplitNames(lex.JoinNames([]string{row.Names, text}))) == row.Count
}

// namesIn reports whether a line can continue a list of names with offices and parentheses. A
// parenthesis may begin on the previous line.
func (doc *Document) namesIn(before, text string) bool {
	if strings.LastIndexByte(before, '(') > strings.LastIndexByte(before, ')') {
		i := strings.IndexByte(text, ')')
		if i < 0 || i > 30 {
			return false
		}
		text = text[i+1:]
	}
	for {
		from := strings.IndexByte(text, '(')
		if from < 0 {
			break
		}
		to := strings.IndexByte(text[from:], ')')
		if to < 0 {
			to = len(text) - from - 1
		}
		if to > 30 {
			return false
		}
		text = text[:from] + text[from+to+1:]
	}
	text = strings.Trim(text, " ,;")
	return text == "" || doc.IsPersonShaped(text) && !lex.IsSentence(text)
}

// Roll reads the rows of a roll call from line i, each position once. It returns the line after
// them.
func (doc *Document) Roll(i int) (roll []RollRow, end int) {
	end = i
	seen := map[dialect.Label]bool{}
	for j, gap := i, 0; j < len(doc.Rows) && gap <= maxGap; {
		if doc.Rows[j].Text == "" {
			j, gap = j+1, gap+1
			continue
		}
		if doc.Rows[j].running {
			j, gap = j+1, 0
			continue
		}
		row, ok := doc.rollRow(j)
		if !ok || seen[row.Kind] {
			break
		}
		seen[row.Kind] = true
		roll = append(roll, row)
		j, end, gap = row.End, row.End, 0
	}
	return roll, end
}
