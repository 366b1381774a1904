// Package proof says whether a vote can be true: against its own tally, the roster of the day, and
// the text beside it. A roll that cannot be true is withheld whole; everything else that fails
// becomes an anomaly. It puts nothing right.
package proof

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/agenda"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/rows"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
	"github.com/townline/townline/services/council-ingest/internal/minutes/vote"
)

// maxRoll is how many names a roll can have.
const maxRoll = 500

// Judge is the one place that says whether a roll can be true. Columns that were taken apart
// wrongly make people absent who voted. So:
//
//   - who moves or seconds is there;
//   - where everybody voted aye and the RESULT line does not count more than are
//     named, a third of the roll is not absent whom the attendance list has present.
//
// A roll that breaks a rule is withheld whole: which of its names stand in the wrong row, nobody
// can tell.
func Judge(b *vote.Block, attendance []record.Attendee) {
	if n := len(b.Positions.All()); n > maxRoll {
		b.Withheld = fmt.Sprintf("it names %d people", n)
		return
	}
	for _, one := range []struct{ row, name string }{{"mover", b.Mover}, {"seconder", b.Seconder}} {
		if one.name != "" && slices.Contains(b.Positions.Absent, one.name) {
			b.Withheld = fmt.Sprintf("the %s %s stands among the absent", one.row, one.name)
			return
		}
	}
	proved := b.Tally.Counted && (b.Tally.Nays > 0 || b.Tally.Ayes <= len(b.Positions.Aye))
	if b.Tally.Voice || proved || !b.Tally.Counted && !b.Tally.Unanimous {
		return
	}
	var there []string
	for _, name := range b.Positions.Absent {
		if isPresent(attendance, name, "Late") { // who comes late is absent before
			there = append(there, name)
		}
	}
	members := len(b.Positions.All())
	if len(b.Positions.Aye) == 0 { // nobody says who else is a member
		members = max(members, len(attendance))
	}
	if len(there) > 0 && len(there)*3 >= members {
		b.Withheld = fmt.Sprintf("the vote is unanimous, and %s stand among the absent, though present by the attendance "+
			"list", strings.Join(there, ", "))
	}
}

// isPresent reports whether the attendance list has somebody present, if only for a part of the
// meeting; but is another status that does not count.
func isPresent(attendance []record.Attendee, name, but string) bool {
	return slices.ContainsFunc(attendance, func(a record.Attendee) bool {
		return a.Name == name && a.Status != nil && *a.Status != "Absent" && *a.Status != "Excused" && *a.Status != but
	})
}

// Prover proves the votes of one document.
type Prover struct {
	*rows.Doc
	*record.Writer

	movers   bool           // this document prints movers; some dialects do not
	rolls    int            // how many rolls it prints
	standing map[string]int // on how many of them somebody stands
}

// New looks at the votes of all items at once: does the document print movers, how many rolls are
// there, and on how many of them does everybody stand.
func New(doc *rows.Doc, w *record.Writer, items []*agenda.Item) *Prover {
	s := &Prover{Doc: doc, Writer: w, standing: map[string]int{}}
	seen := map[*vote.Block]bool{}
	for _, it := range items {
		for _, b := range it.Blocks {
			if seen[b] {
				continue
			}
			seen[b] = true
			s.movers = s.movers || b.Mover != ""
			if b.Rolled {
				s.rolls++
			}
			for _, name := range b.Positions.All() {
				s.standing[name]++
			}
		}
	}
	return s
}

// Prove checks every vote of the items against itself, the roster and the text around it. What
// fails becomes an anomaly; nothing is put right.
func (s *Prover) Prove(items []*agenda.Item) {
	proved := map[*vote.Block]bool{}
	for n, it := range items {
		for k, b := range it.Blocks {
			if it.Shared && proved[b] {
				continue // the consent vote is judged once
			}
			proved[b] = true
			s.prove(n, &s.Items[n].Votes[k], b)
			if k > 0 && vote.Same(b, it.Blocks[k-1]) && b.Motion == nil {
				s.Report(council.CodeBlockRepeated, n, &s.Items[n].Votes[k].MotionSeq, b.Page, "the same vote is printed twice: "+
					b.Result)
			}
		}
		if it.Title == "" && it.Number == "" {
			s.Report(council.CodeItemMissing, n, nil, it.Page, "a vote stands under no item")
		}
	}
}

// prove checks a vote of item n.
func (s *Prover) prove(n int, v *record.Vote, b *vote.Block) {
	seq := v.MotionSeq
	say := func(code council.AnomalyCode, format string, args ...any) {
		s.Report(code, n, &seq, b.Page, fmt.Sprintf(format, args...))
	}
	for _, p := range b.Problems {
		say(p.Code, "%s", p.Message)
	}
	if b.Withheld != "" {
		say(council.CodeRollWithheld, "%s: %s; nobody's position is published", v.ResultRaw, b.Withheld)
	}
	s.proveTally(v, b, say)
	s.proveResult(v, b, say)
	s.provePeople(v, b, say)
	proveProse(v, b, say)
}

type sayFunc func(code council.AnomalyCode, format string, args ...any)

func (s *Prover) proveTally(v *record.Vote, b *vote.Block, say sayFunc) {
	p := v.Positions
	ayes, nays := len(p.Aye), len(p.Nay)
	switch {
	case b.Tally.Voice && ayes+nays == 0:
	case b.Tally.Counted:
		if ayes != b.Tally.Ayes && (ayes > 0 || b.Tally.Ayes > 0) && (ayes+nays+len(p.Abstain) > 0) {
			say(council.CodeTallyMismatch, "%s, but %s named", v.ResultRaw, council.Count(ayes, "aye"))
		}
		if nays != b.Tally.Nays && (ayes+nays+len(p.Abstain) > 0) {
			say(council.CodeTallyMismatch, "%s, but %s named", v.ResultRaw, council.Count(nays, "nay"))
		}
	case b.Tally.Unanimous:
		if nays > 0 || len(p.Abstain) > 0 {
			say(council.CodeUnanimousMismatch, "%s, but %s and %s named", v.ResultRaw, council.Count(nays, "nay"),
				council.Count(len(p.Abstain), "abstention"))
		}
	case b.Tally.Bracket != "":
		say(council.CodeTallyUnreadable, "%s: the bracket is no tally", v.ResultRaw)
	case ayes+nays == 0 && v.Result != council.Other && v.Result != council.NoAction || ayes+nays > 0:
		say(council.CodeTallyMissing, "%q has no tally", v.ResultRaw)
	}
	if b.Tally.Others > 0 && b.Tally.Others != len(p.Abstain) && b.Tally.Others != len(p.Abstain)+len(p.Recused) &&
		ayes+nays > 0 {
		say(council.CodeTallyMismatch, "%s, but %s named", v.ResultRaw, council.Count(len(p.Abstain), "abstention"))
	}
	if ayes+nays+len(p.Abstain) == 0 && b.Withheld == "" && !b.Tally.Voice && v.Result != council.NoAction &&
		(v.Result != council.Other || b.Tally.Counted || b.Tally.Unanimous || b.Rolled) {
		say(council.CodeNamesMissing, "%s: nobody is named", v.ResultRaw)
	}
}

func (s *Prover) proveResult(v *record.Vote, b *vote.Block, say sayFunc) {
	words := shape.ResultWords(b.Result)
	if strings.HasPrefix(words, "VV") || !strings.ContainsFunc(words, unicode.IsLetter) {
		say(council.CodeResultWordMissing, "%q has no word for the result", v.ResultRaw)
	}
	if b.Stated {
		words = "" // a sentence has words that no table has
	}
	if printed, meant := s.Dialect.Misprint(words); printed != "" {
		say(council.CodeResultWordMisspelt, "%q looks like a misprint of %q", printed, meant)
	} else if strings.Contains(strings.ToUpper(b.Tally.Bracket), "UNANIMOUSLY") {
		say(council.CodeResultWordMisspelt, "[%s] for [UNANIMOUS]", b.Tally.Bracket)
	} else if w := misspeltAbstention(b.Result); w != "" {
		say(council.CodeResultWordMisspelt, "%q looks like a misprint of \"abstention\"", w)
	}
	// Two thirds or charter majorities can make a majority fail; that is said, not put right.
	ayes, nays := v.AyesCount, v.NaysCount
	if v.Result == council.Adopted && nays >= ayes && nays > 0 || v.Result == council.Failed && ayes > nays {
		say(council.CodeResultCounts, "%s, but %s against %s", v.ResultRaw, council.Count(ayes, "aye"),
			council.Count(nays, "nay"))
	}
}

func misspeltAbstention(raw string) string {
	for _, w := range strings.Fields(strings.NewReplacer("[", " ", "]", " ", ",", " ").Replace(strings.ToLower(raw))) {
		if strings.HasPrefix(w, "abs") && len(w) > 6 && w != "abstention" && w != "abstentions" && w != "abstaining" &&
			w != "abstained" &&
			council.EditDistance(strings.TrimSuffix(w, "s"), "abstention") <= 3 {
			return w
		}
	}
	return ""
}

func (s *Prover) provePeople(v *record.Vote, b *vote.Block, say sayFunc) {
	p := v.Positions
	named := len(p.Aye) + len(p.Nay) + len(p.Abstain)
	if v.Mover == nil && (v.Seconder != nil || named > 0 && s.movers) {
		say(council.CodeMoverMissing, "%s: no mover is printed", v.ResultRaw)
	}
	if v.Seconder == nil && v.Mover != nil {
		say(council.CodeSeconderMissing, "%s: no seconder is printed", v.ResultRaw)
	}
	if b.Motion != nil && b.Motion.Who != "" && v.Mover != nil && *v.Mover != b.Motion.Who {
		say(council.CodeMoverDiffers, "the block names %s as mover, the sentence %s", *v.Mover, b.Motion.Who)
	}
	if named == 0 {
		return
	}
	if s.People.Present.Len() == 0 {
		s.proveStanding(p, say)
		return
	}
	in := map[string]bool{}
	for _, name := range p.All() {
		in[name] = true
	}
	var missing []string
	for _, a := range s.Attendance {
		if !in[a.Name] && isPresent(s.Attendance, a.Name, "") {
			missing = append(missing, a.Name)
		}
	}
	if len(missing) > 0 && !b.Tally.Voice {
		say(council.CodeMemberUncounted, "in no row: %s", strings.Join(missing, ", "))
	}
	for _, list := range [][]string{p.Aye, p.Nay, p.Abstain} {
		for _, name := range list {
			for _, a := range s.Attendance {
				if a.Name == name && a.Status != nil && *a.Status == "Absent" {
					say(council.CodeAttendanceMismatch, "%s votes, but is absent by the attendance list", name)
				}
			}
		}
	}
}

// proveProse compares the table with the sentence about the vote.
func proveProse(v *record.Vote, b *vote.Block, say sayFunc) {
	t := b.Prose
	if t == nil {
		return
	}
	if t.Ayes != v.AyesCount || t.Nays >= 0 && t.Nays != v.NaysCount {
		nays := ""
		if t.Nays >= 0 {
			nays = fmt.Sprintf(" to %d", t.Nays)
		}
		say(council.CodeProseMismatch, "the sentence beside the table counts %d%s, the table %d to %d", t.Ayes, nays,
			v.AyesCount, v.NaysCount)
	} else if t.Named >= 0 && t.Named != t.Ayes {
		say(council.CodeProseMismatch, "the sentence beside the table counts %d in favor and names %d", t.Ayes, t.Named)
	}
}

// manyRolls is how many rolls show who the members of the day are, where there is no attendance
// list.
const manyRolls = 5

// proveStanding checks a roll where no attendance list says who was there: then the members are
// those who stand in the votes, and somebody who stands in a single one of many is none of them, or
// somebody else by another name.
func (s *Prover) proveStanding(p record.Positions, say sayFunc) {
	if s.rolls < manyRolls {
		return
	}
	for _, name := range p.All() {
		if s.standing[name] == 1 && s.People.Resolve(name).Match == council.MatchFull {
			say(council.CodeMemberUnknown, "%s stands in no other vote of the day", name)
		}
	}
}

// ProveNames reports a word that stands before all names of many, where no attendance list says who
// they are: it is rather an office than a given name, "Jurat Odile Brandt".
func (s *Prover) ProveNames() {
	if s.People.Present.Len() > 0 {
		return
	}
	first := map[string]int{}
	for _, name := range s.People.Seen.Names() {
		if word, rest, _ := strings.Cut(name, " "); strings.Contains(rest, " ") {
			first[word]++
			if first[word] == 3 {
				s.Report(council.CodeMemberUnknown, -1, nil, 0,
					fmt.Sprintf("several names begin with %q, as with an office that is not known", word))
			}
		}
	}
}
