package minutes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// judge is the one place that says whether a roll can be true. Columns that were
// taken apart wrongly make people absent who voted. So:
//
//   - who moves or seconds is there;
//   - where everybody voted aye and the RESULT line does not count more than are
//     named, a third of the roll is not absent whom the attendance list has present.
//
// A roll that breaks a rule is withheld whole: which of its names stand in the
// wrong row, nobody can tell.
func (s *scan) judge(b *block) {
	if n := len(b.positions.all()); n > maxRoll {
		b.withheld = fmt.Sprintf("it names %d people", n)
		return
	}
	for _, one := range []struct{ row, name string }{{"mover", b.mover}, {"seconder", b.seconder}} {
		if one.name != "" && slices.Contains(b.positions.Absent, one.name) {
			b.withheld = fmt.Sprintf("the %s %s stands among the absent", one.row, one.name)
			return
		}
	}
	proved := b.tally.Counted && (b.tally.Nays > 0 || b.tally.Ayes <= len(b.positions.Aye))
	if b.tally.Voice || proved || !b.tally.Counted && !b.tally.Unanimous {
		return
	}
	var there []string
	for _, name := range b.positions.Absent {
		if s.isPresent(name, "Late") { // who comes late is absent before
			there = append(there, name)
		}
	}
	members := len(b.positions.all())
	if len(b.positions.Aye) == 0 { // nobody says who else is a member
		members = max(members, len(s.record.Attendance))
	}
	if len(there) > 0 && len(there)*3 >= members {
		b.withheld = fmt.Sprintf("the vote is unanimous, and %s stand among the absent, though present by the attendance list", strings.Join(there, ", "))
	}
}

// isPresent reports whether the attendance list has somebody present, if only
// for a part of the meeting; but is another status that does not count.
func (s *scan) isPresent(name, but string) bool {
	return slices.ContainsFunc(s.record.Attendance, func(a Attendee) bool {
		return a.Name == name && a.Status != nil && *a.Status != "Absent" && *a.Status != "Excused" && *a.Status != but
	})
}

// prove checks every vote of an item against itself, the roster and the text
// around it. What fails becomes an anomaly; nothing is put right.
func (s *scan) prove(n int, it *item) {
	for k := range s.record.Items[n].Votes {
		v := &s.record.Items[n].Votes[k]
		b := v.block
		seq := v.MotionSeq
		say := func(code council.AnomalyCode, format string, args ...any) {
			s.report(code, n, &seq, b.Page, fmt.Sprintf(format, args...))
		}
		if it.shared && s.proved[b] {
			continue // the consent vote is judged once
		}
		if s.proved == nil {
			s.proved = map[*block]bool{}
		}
		s.proved[b] = true
		for _, p := range b.problems {
			say(p.code, "%s", p.message)
		}
		if b.withheld != "" {
			say(council.CodeRollWithheld, "%s: %s; nobody's position is published", v.ResultRaw, b.withheld)
		}
		s.proveTally(v, b, say)
		s.proveResult(v, b, say)
		s.provePeople(v, b, say)
		proveProse(v, b, say)
		if k > 0 && sameTable(b, it.blocks[k-1]) && b.motion == nil {
			say(council.CodeBlockRepeated, "the same vote is printed twice: %s", v.ResultRaw)
		}
	}
	if it.title == "" && it.number == "" {
		s.report(council.CodeItemMissing, n, nil, it.Page, "a vote stands under no item")
	}
}

type sayFunc func(code council.AnomalyCode, format string, args ...any)

func (s *scan) proveTally(v *Vote, b *block, say sayFunc) {
	p := v.Positions
	ayes, nays := len(p.Aye), len(p.Nay)
	switch {
	case b.tally.Voice && ayes+nays == 0:
	case b.tally.Counted:
		if ayes != b.tally.Ayes && (ayes > 0 || b.tally.Ayes > 0) && (ayes+nays+len(p.Abstain) > 0) {
			say(council.CodeTallyMismatch, "%s, but %s named", v.ResultRaw, council.Count(ayes, "aye"))
		}
		if nays != b.tally.Nays && (ayes+nays+len(p.Abstain) > 0) {
			say(council.CodeTallyMismatch, "%s, but %s named", v.ResultRaw, council.Count(nays, "nay"))
		}
	case b.tally.Unanimous:
		if nays > 0 || len(p.Abstain) > 0 {
			say(council.CodeUnanimousMismatch, "%s, but %s and %s named", v.ResultRaw, council.Count(nays, "nay"), council.Count(len(p.Abstain), "abstention"))
		}
	case b.tally.Bracket != "":
		say(council.CodeTallyUnreadable, "%s: the bracket is no tally", v.ResultRaw)
	case ayes+nays == 0 && v.Result != council.Other && v.Result != council.NoAction || ayes+nays > 0:
		say(council.CodeTallyMissing, "%q has no tally", v.ResultRaw)
	}
	if b.tally.Others > 0 && b.tally.Others != len(p.Abstain) && b.tally.Others != len(p.Abstain)+len(p.Recused) && ayes+nays > 0 {
		say(council.CodeTallyMismatch, "%s, but %s named", v.ResultRaw, council.Count(len(p.Abstain), "abstention"))
	}
	if ayes+nays+len(p.Abstain) == 0 && b.withheld == "" && !b.tally.Voice && v.Result != council.NoAction && (v.Result != council.Other || b.tally.Counted || b.tally.Unanimous || b.rolled) {
		say(council.CodeNamesMissing, "%s: nobody is named", v.ResultRaw)
	}
}

func (s *scan) proveResult(v *Vote, b *block, say sayFunc) {
	words := shape.ResultWords(b.result)
	if words == "" || strings.HasPrefix(words, "VV") || !strings.ContainsFunc(words, isLetter) {
		say(council.CodeResultWordMissing, "%q has no word for the result", v.ResultRaw)
	}
	if printed, meant := s.p.dialect.Misprint(words); printed != "" {
		say(council.CodeResultWordMisspelt, "%q looks like a misprint of %q", printed, meant)
	} else if strings.Contains(strings.ToUpper(b.tally.Bracket), "UNANIMOUSLY") {
		say(council.CodeResultWordMisspelt, "[%s] for [UNANIMOUS]", b.tally.Bracket)
	} else if w := misspeltAbstention(b.result); w != "" {
		say(council.CodeResultWordMisspelt, "%q looks like a misprint of \"abstention\"", w)
	}
	// Two thirds or charter majorities can make a majority fail; that is said,
	// not put right.
	ayes, nays := v.AyesCount, v.NaysCount
	if v.Result == council.Adopted && nays >= ayes && nays > 0 {
		say(council.CodeResultCounts, "%s, but %s against %s", v.ResultRaw, council.Count(ayes, "aye"), council.Count(nays, "nay"))
	}
	if v.Result == council.Failed && ayes > nays {
		say(council.CodeResultCounts, "%s, but %s against %s", v.ResultRaw, council.Count(ayes, "aye"), council.Count(nays, "nay"))
	}
}

func isLetter(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= 0x80 }

func misspeltAbstention(raw string) string {
	for _, w := range strings.Fields(strings.NewReplacer("[", " ", "]", " ", ",", " ").Replace(strings.ToLower(raw))) {
		if strings.HasPrefix(w, "abs") && len(w) > 6 && w != "abstention" && w != "abstentions" && w != "abstaining" && w != "abstained" &&
			council.EditDistance(strings.TrimSuffix(w, "s"), "abstention") <= 3 {
			return w
		}
	}
	return ""
}

func (s *scan) provePeople(v *Vote, b *block, say sayFunc) {
	p := v.Positions
	named := len(p.Aye) + len(p.Nay) + len(p.Abstain)
	if v.Mover == nil && (v.Seconder != nil || named > 0 && s.movers) {
		say(council.CodeMoverMissing, "%s: no mover is printed", v.ResultRaw)
	}
	if v.Seconder == nil && v.Mover != nil {
		say(council.CodeSeconderMissing, "%s: no seconder is printed", v.ResultRaw)
	}
	if b.motion != nil && b.motion.who != "" && v.Mover != nil && *v.Mover != b.motion.who {
		say(council.CodeMoverDiffers, "the block names %s as mover, the sentence %s", *v.Mover, b.motion.who)
	}
	if named == 0 {
		return
	}
	if s.people.Present.Len() == 0 {
		s.proveStanding(p, say)
		return
	}
	in := map[string]bool{}
	for _, name := range p.all() {
		in[name] = true
	}
	var missing []string
	for _, a := range s.record.Attendance {
		if !in[a.Name] && s.isPresent(a.Name, "") {
			missing = append(missing, a.Name)
		}
	}
	if len(missing) > 0 && !b.tally.Voice {
		say(council.CodeMemberUncounted, "in no row: %s", strings.Join(missing, ", "))
	}
	for _, list := range [][]string{p.Aye, p.Nay, p.Abstain} {
		for _, name := range list {
			for _, a := range s.record.Attendance {
				if a.Name == name && a.Status != nil && *a.Status == "Absent" {
					say(council.CodeAttendanceMismatch, "%s votes, but is absent by the attendance list", name)
				}
			}
		}
	}
}

// manyRolls is how many rolls show who the members of the day are, where there
// is no attendance list.
const manyRolls = 5

// proveStanding checks a roll where no attendance list says who was there:
// then the members are those who stand in the votes, and somebody who stands in
// a single one of many is none of them, or somebody else by another name.
func (s *scan) proveStanding(p Positions, say sayFunc) {
	if s.rolls < manyRolls {
		return
	}
	for _, name := range p.all() {
		if s.standing[name] == 1 && s.people.Resolve(name).Match == council.MatchFull {
			say(council.CodeMemberUnknown, "%s stands in no other vote of the day", name)
		}
	}
}

// proveNames tells of a word that stands before all names of many, where no
// attendance list says who they are: it is rather an office than a given name,
// "Jurat Odile Brandt".
func (s *scan) proveNames() {
	if s.people.Present.Len() > 0 {
		return
	}
	first := map[string]int{}
	for _, name := range s.people.Seen.Names() {
		if word, rest, _ := strings.Cut(name, " "); strings.Contains(rest, " ") {
			first[word]++
			if first[word] == 3 {
				s.report(council.CodeMemberUnknown, -1, nil, 0, fmt.Sprintf("several names begin with %q, as with an office that is not known", word))
			}
		}
	}
}
