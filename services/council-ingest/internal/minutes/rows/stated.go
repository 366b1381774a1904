package rows

import (
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/dialect"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// Stated is a vote that a sentence states, with a roll below it, instead of a table: "The motion carried by the following vote:" and "Aye: 8 -
// Doe, …". Documents of some products print all their votes so.
type Stated struct {
	Sentence string // without its colon; empty where a roll stands alone
	From, To int    // the lines of the sentence
	Roll     []RollRow
	End      int // the line after the roll
}

// maxSentence is how many lines the sentence can have.
const maxSentence = 5

// findStated finds the votes that are stated, in a document without tables.
func (doc *Doc) findStated() {
	for i := range doc.Rows {
		if doc.Rows[i].Result {
			return
		}
	}
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

// statedAt reads the vote whose sentence says at line i that a roll follows, or whose roll begins there with a count; nil when none does.
func (doc *Doc) statedAt(i int) *Stated {
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

// withRoll gives a sentence the roll that begins at line i; nil when there is none in which somebody votes.
func (doc *Doc) withRoll(t *Stated, i int) *Stated {
	t.Roll, t.End = doc.Roll(i)
	for _, row := range t.Roll {
		if row.Kind == dialect.Aye || row.Kind == dialect.Nay {
			doc.takeOutcome(t)
			return t
		}
	}
	return nil
}

// takeOutcome takes the sentence right below a roll for that of the vote, where the one above it does not say what came of it: "Roll call
// vote was as follows:", the roll, and "Motion carried 2-1."
func (doc *Doc) takeOutcome(t *Stated) {
	next := doc.Next(t.End)
	if doc.Classify(t.Sentence) != council.Other || next < 0 || next > t.End+1 {
		return
	}
	text := doc.Rows[next].Text
	if low := strings.ToLower(text[:min(len(text), 10)]); len(text) < 100 && (strings.HasPrefix(low, "motion") || strings.HasPrefix(low, "the motion")) && dialect.Decides(" "+text) {
		t.Sentence, t.End = strings.TrimSuffix(shape.Fold(text), "."), next+1
	}
}

// sentenceAround is the sentence that says at column at of line i that a roll follows.
func (doc *Doc) sentenceAround(i, at int) *Stated {
	from := i
	for from > 0 && i-from < 3 && doc.Rows[from-1].Text != "" && !strings.HasSuffix(doc.Rows[from-1].Text, ":") && !doc.Rows[from].NewPage {
		from--
	}
	to := i
	for to+1 < len(doc.Rows) && to-i < maxSentence-1 && !shape.HasAnySuffix(doc.Rows[to].Text, ":", ".") && doc.Rows[to+1].Text != "" {
		if _, row := doc.rollLabel(to + 1); row {
			break
		}
		to++
	}
	// Where the sentence begins, counted over the lines before it.
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
	t.Sentence = strings.TrimRight(shape.Join(parts), ": ")
	return t
}

// learnStated learns the full names that stand in the roll of a stated vote.
func (doc *Doc) learnStated(t *Stated) {
	for _, row := range t.Roll {
		for _, n := range doc.SplitNames(row.Names) {
			if k := len(strings.Fields(n.Text)); k >= 2 && k <= 5 && doc.IsPersonShaped(n.Text) {
				doc.People.Learn(n.Text)
			}
		}
	}
}

// NamesAbove are the full names of members that a document lists above line to, on its cover: behind "Council Members:", and with an office
// behind a name.
func (doc *Doc) NamesAbove(to int) []string {
	var names []string
	add := func(list string) {
		for _, n := range doc.SplitNames(list) {
			if k := len(strings.Fields(n.Text)); k >= 2 && k <= 5 && doc.IsPersonShaped(n.Text) {
				names = append(names, n.Text)
			}
		}
	}
	for i := 0; i < to; i++ {
		text := doc.Rows[i].Text
		if label, list, found := strings.Cut(text, ":"); found && doc.ListsMembers(label) {
			for i+1 < to && doc.Rows[i+1].Text != "" && doc.namesIn(list, doc.Rows[i+1].Text) {
				list = shape.JoinNames([]string{list, doc.Rows[i+1].Text})
				i++
			}
			add(list)
			continue
		}
		if name, office, found := strings.Cut(text, ", "); found && doc.IsTitle(office) && doc.IsPersonShaped(name) {
			add(name)
		}
	}
	return names
}
