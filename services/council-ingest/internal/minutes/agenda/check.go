package agenda

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lex"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
)

// withhold withholds an impossible roll call. If the columns were separated wrongly, members who
// voted appear as absent. So there are two rules:
//
//   - the mover and the seconder must not be absent;
//   - if the vote is unanimous, and the RESULT line counts no more ayes than the roll call names,
//     less than a third of the roll call may be absent but present in the attendance list.
//
// The whole roll call is withheld, because it is unknown which row is wrong.
func withhold(b *Block, attendance []record.Attendee) {
	if n := len(b.Roll); n > council.MaxRoll {
		b.Withheld = fmt.Sprintf("it names %d people", n)
		return
	}
	for _, one := range []struct{ row, name string }{{"mover", b.Mover}, {"seconder", b.Seconder}} {
		if one.name != "" && slices.Contains(b.Roll.Of(council.Absent), one.name) {
			b.Withheld = fmt.Sprintf("the %s %s stands among the absent", one.row, one.name)
			return
		}
	}
	proved := b.Tally.Counted && (b.Tally.Nays > 0 || b.Tally.Ayes <= b.Roll.Count(council.Aye))
	if b.Tally.Voice || proved || !b.Tally.Counted && !b.Tally.Unanimous {
		return
	}
	var there []string
	for _, name := range b.Roll.Of(council.Absent) {
		if isPresent(attendance, name, "Late") { // may have been absent until then
			there = append(there, name)
		}
	}
	members := len(b.Roll)
	if b.Roll.Count(council.Aye) == 0 { // the roll call names no other members
		members = max(members, len(attendance))
	}
	if len(there) > 0 && len(there)*3 >= members {
		b.Withheld = fmt.Sprintf("the vote is unanimous, and %s stand among the absent, though present by the attendance "+
			"list", strings.Join(there, ", "))
	}
}

// isPresent reports whether a member was present for at least a part of the meeting, according to
// the attendance list. It ignores entries with the status except.
func isPresent(attendance []record.Attendee, name, except string) bool {
	return slices.ContainsFunc(attendance, func(a record.Attendee) bool {
		return a.Name == name && a.Status != nil && *a.Status != "Absent" && *a.Status != "Excused" && *a.Status != except
	})
}

type checker struct {
	*Reader
	movers bool // the document prints movers, as most dialects do
	rolls  int
	votes  map[string]int // number of roll calls that name a member
}

func newChecker(r *Reader) *checker {
	s := &checker{Reader: r, votes: map[string]int{}}
	seen := map[*Block]bool{}
	for _, it := range r.items {
		for _, b := range it.Blocks {
			if seen[b] {
				continue
			}
			seen[b] = true
			s.movers = s.movers || b.Mover != ""
			if b.Rolled {
				s.rolls++
			}
			for _, name := range b.Roll.Members() {
				s.votes[name]++
			}
		}
	}
	return s
}

func (s *checker) checkItems() {
	checked := map[*Block]bool{}
	for n, it := range s.items {
		for k, b := range it.Blocks {
			if it.Shared && checked[b] {
				continue // it is the consent vote
			}
			checked[b] = true
			s.checkVote(n, &s.Items[n].Votes[k], b)
			if k > 0 && same(b, it.Blocks[k-1]) && b.Motion == nil {
				s.Report(council.CodeBlockRepeated, n, &s.Items[n].Votes[k].MotionSeq, b.Page, "the same vote is printed twice: "+
					b.Result)
			}
		}
		if it.Title == "" && it.Number == "" {
			s.Report(council.CodeItemMissing, n, nil, it.Page, "a vote stands under no item")
		}
	}
}

func (s *checker) checkVote(n int, v *record.Vote, b *Block) {
	seq := v.MotionSeq
	report := func(code council.AnomalyCode, format string, args ...any) {
		s.Report(code, n, &seq, b.Page, fmt.Sprintf(format, args...))
	}
	for _, p := range b.Problems {
		report(p.Code, "%s", p.Message)
	}
	if b.Withheld != "" {
		report(council.CodeRollWithheld, "%s: %s; nobody's position is published", v.ResultRaw, b.Withheld)
	}
	checkTally(v, b, report)
	s.checkResult(v, b, report)
	s.checkPeople(v, b, report)
	checkProse(v, b, report)
}

type reportFunc func(code council.AnomalyCode, format string, args ...any)

func checkTally(v *record.Vote, b *Block, report reportFunc) {
	ayes, nays, abstained := v.Roll.Count(council.Aye), v.Roll.Count(council.Nay), v.Roll.Count(council.Abstain)
	switch {
	case b.Tally.Voice && ayes+nays == 0:
	case b.Tally.Counted:
		if ayes != b.Tally.Ayes && (ayes > 0 || b.Tally.Ayes > 0) && (ayes+nays+abstained > 0) {
			report(council.CodeTallyMismatch, "%s, but %s named", v.ResultRaw, council.Count(ayes, "aye"))
		}
		if nays != b.Tally.Nays && (ayes+nays+abstained > 0) {
			report(council.CodeTallyMismatch, "%s, but %s named", v.ResultRaw, council.Count(nays, "nay"))
		}
	case b.Tally.Unanimous:
		if nays > 0 || abstained > 0 {
			report(council.CodeUnanimousMismatch, "%s, but %s and %s named", v.ResultRaw, council.Count(nays, "nay"),
				council.Count(abstained, "abstention"))
		}
	case b.Tally.Bracket != "":
		report(council.CodeTallyUnreadable, "%s: the bracket is no tally", v.ResultRaw)
	case ayes+nays == 0 && v.Result != council.Other && v.Result != council.NoAction || ayes+nays > 0:
		report(council.CodeTallyMissing, "%q has no tally", v.ResultRaw)
	}
	if b.Tally.Others > 0 && b.Tally.Others != abstained && b.Tally.Others != abstained+v.Roll.Count(council.Recused) &&
		ayes+nays > 0 {
		report(council.CodeTallyMismatch, "%s, but %s named", v.ResultRaw, council.Count(abstained, "abstention"))
	}
	if ayes+nays+abstained == 0 && b.Withheld == "" && !b.Tally.Voice && v.Result != council.NoAction &&
		(v.Result != council.Other || b.Tally.Counted || b.Tally.Unanimous || b.Rolled) {
		report(council.CodeNamesMissing, "%s: nobody is named", v.ResultRaw)
	}
}

func (s *checker) checkResult(v *record.Vote, b *Block, report reportFunc) {
	words := lex.ResultWords(b.Result)
	if strings.HasPrefix(words, "VV") || !strings.ContainsFunc(words, unicode.IsLetter) {
		report(council.CodeResultWordMissing, "%q has no word for the result", v.ResultRaw)
	}
	if b.Stated {
		words = "" // the text is a sentence
	}
	if printed, meant := s.Dialect.Misprint(words); printed != "" {
		report(council.CodeResultWordMisspelt, "%q looks like a misprint of %q", printed, meant)
	} else if strings.Contains(strings.ToUpper(b.Tally.Bracket), "UNANIMOUSLY") {
		report(council.CodeResultWordMisspelt, "[%s] for [UNANIMOUS]", b.Tally.Bracket)
	} else if w := misspeltAbstention(b.Result); w != "" {
		report(council.CodeResultWordMisspelt, "%q looks like a misprint of \"abstention\"", w)
	}
	// A motion that needs two thirds may fail despite a majority.
	if v.Result.Contradicts(v.AyesCount, v.NaysCount) {
		report(council.CodeResultCounts, "%s, but %s against %s", v.ResultRaw, council.Count(v.AyesCount, "aye"),
			council.Count(v.NaysCount, "nay"))
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

func (s *checker) checkPeople(v *record.Vote, b *Block, report reportFunc) {
	voted := slices.Concat(v.Roll.Of(council.Aye), v.Roll.Of(council.Nay), v.Roll.Of(council.Abstain))
	named := len(voted)
	if v.Mover == nil && (v.Seconder != nil || named > 0 && s.movers) {
		report(council.CodeMoverMissing, "%s: no mover is printed", v.ResultRaw)
	}
	if v.Seconder == nil && v.Mover != nil {
		report(council.CodeSeconderMissing, "%s: no seconder is printed", v.ResultRaw)
	}
	if b.Motion != nil && b.Motion.Who != "" && v.Mover != nil && *v.Mover != b.Motion.Who {
		report(council.CodeMoverDiffers, "the block names %s as mover, the sentence %s", *v.Mover, b.Motion.Who)
	}
	if named == 0 {
		return
	}
	if s.People.Present.Len() == 0 {
		s.checkStrangers(v.Roll, report)
		return
	}
	in := map[string]bool{}
	for _, name := range v.Roll.Members() {
		in[name] = true
	}
	var missing []string
	for _, a := range s.Attendance {
		if !in[a.Name] && isPresent(s.Attendance, a.Name, "") {
			missing = append(missing, a.Name)
		}
	}
	if len(missing) > 0 && !b.Tally.Voice {
		report(council.CodeMemberUncounted, "in no row: %s", strings.Join(missing, ", "))
	}
	for _, name := range voted {
		for _, a := range s.Attendance {
			if a.Name == name && a.Status != nil && *a.Status == "Absent" {
				report(council.CodeAttendanceMismatch, "%s votes, but is absent by the attendance list", name)
			}
		}
	}
}

func checkProse(v *record.Vote, b *Block, report reportFunc) {
	t := b.Prose
	if t == nil {
		return
	}
	if t.Ayes != v.AyesCount || t.Nays >= 0 && t.Nays != v.NaysCount {
		nays := ""
		if t.Nays >= 0 {
			nays = fmt.Sprintf(" to %d", t.Nays)
		}
		report(council.CodeProseMismatch, "the sentence beside the table counts %d%s, the table %d to %d", t.Ayes, nays,
			v.AyesCount, v.NaysCount)
	} else if t.Named >= 0 && t.Named != t.Ayes {
		report(council.CodeProseMismatch, "the sentence beside the table counts %d in favor and names %d", t.Ayes, t.Named)
	}
}

// checkStrangers checks a roll call if there is no attendance list. A name that is in only one of
// five or more roll calls is not a member's, or is misspelt.
func (s *checker) checkStrangers(roll council.Roll, report reportFunc) {
	if s.rolls < 5 {
		return
	}
	for _, name := range roll.Members() {
		if s.votes[name] == 1 && s.People.Resolve(name).Match == council.MatchFull {
			report(council.CodeMemberUnknown, "%s stands in no other vote of the day", name)
		}
	}
}

// checkNames reports a word with which three names begin, if there is no attendance list. The word
// is more likely an office than a given name, as in "Jurat Odile Brandt".
func (s *checker) checkNames() {
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
