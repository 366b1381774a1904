package signal

import (
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
)

func (doc *Document) beginsVote(i int) bool {
	text := doc.Rows[i].Text
	row, value, ok := doc.Dialect.Label(text, false)
	switch {
	case !ok && (strings.HasPrefix(text, "RESULT  ") || text == "RESULT"): // RESULT without its colon
		return doc.LabelFollows(i)
	case !ok || row != lexicon.Result:
		return false
	case strings.HasPrefix(text, "RESULT") && text[len("RESULT")] != 'S', strings.HasPrefix(text, "VOTE RESULT"):
		return true
	}
	// "Result:" may also begin a sentence. In a table, a label or a result follows.
	return doc.LabelFollows(i) || doc.LooksLikeResult(value)
}

// keepTables takes back results that begin no table. A clerk's system prints RESULT above the other
// rows, or a tally in brackets. Where the rows stand above it, or no row stands below it, the words
// behind "Result:" are an outcome as in a sentence.
func (doc *Document) keepTables() {
	results, above := 0, 0
	for i, r := range doc.Rows {
		if !r.Result {
			continue
		}
		if strings.Contains(r.Text, "[") || strings.Contains(r.Text, "VV") {
			return
		}
		results++
		if doc.rowAbove(i) {
			above++
		}
	}
	for i := range doc.Rows {
		if r := &doc.Rows[i]; r.Result && (above*2 > results || !strings.HasPrefix(r.Text, "RESULT") && !doc.rowBelow(i)) {
			r.Result = false
		}
	}
}

// rowAbove reports whether the rows above a result belong to it: they do not begin with another
// result.
func (doc *Document) rowAbove(i int) bool {
	found := false
	for i--; i >= 0 && doc.Rows[i].Text != "" && doc.Rows[i].labelled && doc.Rows[i].label > lexicon.Next; i-- {
		found = true
	}
	return found && (i < 0 || !doc.Rows[i].Result)
}

// rowBelow reports whether a row stands on one of the two lines below a result, and no item before it.
func (doc *Document) rowBelow(i int) bool {
	for range 2 {
		if i = doc.Next(i + 1); i < 0 {
			return false
		}
		if _, marked := doc.MarkerAt(i); marked {
			return false
		}
		if r := doc.Rows[i]; r.labelled && r.label > lexicon.Next {
			return true
		}
	}
	return false
}

// LabelFollows reports whether one of the next three lines begins with a label of a vote.
func (doc *Document) LabelFollows(i int) bool {
	for j, left := i+1, 3; j < len(doc.Rows) && left > 0; j++ {
		if doc.Rows[j].Text == "" {
			continue
		}
		if kind, _, ok := doc.Label(j); ok && kind > lexicon.Next {
			return true
		}
		left--
	}
	return false
}

// Moves reports whether a motion begins at line i: a member moves, or nobody who is named.
func (doc *Document) Moves(i int) bool {
	text := doc.Rows[i].Text
	if !strings.Contains(text, "mo") && !strings.HasSuffix(text, " made") {
		return false
	}
	f, offsets := lexicon.FoldText(text)
	if doc.Filed && doc.passive(f) {
		return true
	}
	at, verb := doc.English().FindMotion(f)
	if at < 0 && i+1 < len(doc.Rows) && doc.Rows[i+1].Text != "" && lexicon.HasAnySuffix(text, " made", " made the",
		" made a", " moved") {
		below, _ := lexicon.FoldText(doc.Rows[i+1].Text)
		at, verb = doc.English().FindMotion(f + " " + below) // the line was broken within these words
	}
	if at < 0 || at >= len(f) {
		return false
	}
	if offsets != nil {
		at = offsets[at]
	}
	// "The item moved to the consent list" is no motion.
	return strings.HasPrefix(verb, "made ") || doc.names(text[sentenceStart(text, at):at])
}

// passive reports whether a motion is stated of which the mover is not the subject: "A motion was made",
// "motion by Doe".
func (doc *Document) passive(f string) bool {
	if unnamedMotion.MatchString(f) {
		return true
	}
	m := doc.English().MovedBy.FindStringIndex(f)
	return m != nil && strings.HasPrefix(strings.TrimRight(f[m[0]:m[1]], " :.-"), "motion ")
}

// names reports whether the subject of a sentence is a member.
func (doc *Document) names(subject string) bool {
	name := doc.People.NameOf(strings.TrimSpace(subject))
	if name == "" || len(name) > 60 {
		return false
	}
	_, whole := doc.People.Resolve(person.Name{Text: name})
	_, last := doc.People.Resolve(person.Name{Text: lexicon.LastWord(strings.TrimRight(name, " ,"))})
	return whole.Found() || last.Found()
}

// sentenceStart returns the beginning of the sentence around position at, which is after a label or
// a full stop.
func sentenceStart(text string, at int) int {
	start := 0
	if i := strings.Index(text[:at], ": "); i >= 0 {
		start = i + 2
	}
	for _, s := range Sentences(text, Span{start, len(text)}) {
		if s.From <= at {
			start = s.From
		}
	}
	for start < at && text[start] == ' ' {
		start++
	}
	return start
}

// learnNames adds the full names in all votes to the roster before the votes are read.
func (doc *Document) learnNames() {
	for i := range doc.Rows {
		if !doc.Rows[i].Result {
			continue
		}
		who := lexicon.Unknown
		for j := i; j < min(len(doc.Rows), i+24); j++ {
			text := doc.Rows[j].Text
			row, value, ok := doc.Label(j)
			if ok && row == lexicon.Result && j > i {
				break
			}
			if !ok {
				row, value = who, text
			}
			who = lexicon.Unknown
			name, office, _ := strings.Cut(text, ", ")
			switch {
			case (row == lexicon.Mover || row == lexicon.Seconder) && value == "":
				who = row
			case row == lexicon.Mover || row == lexicon.Seconder:
				doc.learn(value, 1, true)
			case row.IsList():
				doc.learn(value, maxRow, doc.rowEnds(j))
			case doc.People.IsOffice(office) && strings.Contains(name, " "):
				doc.learn(text, 1, true) // the label is on another line
			}
		}
	}
}

const maxRow = 100

// learn adds the first full names in a list, at most the given number. It adds the last name only
// if the list is complete.
func (doc *Document) learn(list string, most int, whole bool) {
	names := doc.People.Split(list)
	for i, n := range names[:min(len(names), most)] {
		if doc.isFullName(n.Text) && (whole || i < len(names)-1) {
			doc.People.Learn(n.Text, n.Office)
		}
	}
}

func (doc *Document) isFullName(name string) bool {
	words := len(strings.Fields(name))
	return words >= 2 && words <= 5 && doc.People.IsFragment(name)
}

// Learn adds the known members and the names in votes to the roster.
func (doc *Document) Learn(members []string) {
	for _, name := range members {
		doc.People.Learn(name, "")
	}
	doc.learnNames()
}

func (doc *Document) rowEnds(j int) bool {
	if j+1 >= len(doc.Rows) || doc.Rows[j+1].Text == "" || doc.Rows[j+1].labelled {
		return true
	}
	_, ok := doc.MarkerAt(j + 1)
	return ok
}
