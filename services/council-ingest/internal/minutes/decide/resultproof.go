package decide

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
func (t *table) withhold(attendance []record.Attendee) {
	if n := len(t.roll); n > council.MaxRoll {
		t.withheld = fmt.Sprintf("it names %d people", n)
		return
	}
	for _, one := range []struct{ row, name string }{{"mover", t.mover}, {"seconder", t.seconder}} {
		if one.name != "" && slices.Contains(t.roll.Of(council.Absent), one.name) {
			t.withheld = fmt.Sprintf("the %s %s stands among the absent", one.row, one.name)
			return
		}
	}
	proved := t.tally.Counted && (t.tally.Nays > 0 || t.tally.Ayes <= t.roll.Count(council.Aye))
	if t.tally.Voice || proved || !t.tally.Counted && !t.tally.Unanimous {
		return
	}
	var there []string
	for _, name := range t.roll.Of(council.Absent) {
		if isPresent(attendance, name, "Late") { // may have been absent until then
			there = append(there, name)
		}
	}
	members := len(t.roll)
	if t.roll.Count(council.Aye) == 0 { // the roll call names no other members
		members = max(members, len(attendance))
	}
	if len(there) > 0 && len(there)*3 >= members {
		t.withheld = fmt.Sprintf("the vote is unanimous, and %s stand among the absent, though present by the attendance "+
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

// unanimous reports whether there are ayes but no nays or abstentions. It counts the names, or uses
// the tally if there are none.
func unanimousRoll(roll council.Roll, t lex.Tally) bool {
	switch {
	case roll.Count(council.Nay) > 0 || roll.Count(council.Abstain) > 0:
		return false
	case roll.Count(council.Aye) > 0:
		return true
	case t.Unanimous:
		return true
	}
	return t.Counted && t.Ayes > 0 && t.Nays == 0 && t.Others == 0
}

// tabled returns the vote of a table.
func (r *reader) tabled(d *draft, seq int) record.Vote {
	t := d.table
	v := record.Vote{MotionSeq: seq, ResultRaw: t.result, Result: r.doc.Classify(t.result), Page: record.Page(t.page),
		Mover: council.Some(t.mover), Seconder: council.Some(t.seconder), Roll: t.roll, MotionText: t.moved}
	if t.withheld != "" {
		v.Roll = nil
	}
	if d.motion != nil {
		v.MotionText = d.motion.text
		if who := r.mover(d.motion); slices.Contains(t.movers, who) {
			v.Mover = &who
		}
	}
	v.AyesCount, v.NaysCount = v.Roll.Count(council.Aye), v.Roll.Count(council.Nay)
	if t.tally.Counted {
		v.AyesCount, v.NaysCount = t.tally.Ayes, t.tally.Nays
	}
	v.Unanimous = unanimousRoll(v.Roll, t.tally)
	return v
}

// checkTable reports the contradictions of a table.
func (r *reader) checkTable(d *draft, v *record.Vote, item int) {
	t, seq := d.table, v.MotionSeq
	report := func(code council.AnomalyCode, format string, args ...any) {
		r.Report(code, item, &seq, t.page, fmt.Sprintf(format, args...))
	}
	for _, p := range slices.Concat(t.problems, d.problems) {
		report(p.code, "%s", p.message)
	}
	if t.withheld != "" {
		report(council.CodeRollWithheld, "%s: %s; nobody's position is published", v.ResultRaw, t.withheld)
	}
	checkTally(v, t, report)
	r.checkResult(v, t, report)
	r.checkRoll(d, v, report)
	checkProse(v, r.proseOf(t), report)
}

func checkTally(v *record.Vote, t *table, report reportFunc) {
	ayes, nays, abstained := v.Roll.Count(council.Aye), v.Roll.Count(council.Nay), v.Roll.Count(council.Abstain)
	switch {
	case t.tally.Voice && ayes+nays == 0:
	case t.tally.Counted:
		if ayes != t.tally.Ayes && (ayes > 0 || t.tally.Ayes > 0) && (ayes+nays+abstained > 0) {
			report(council.CodeTallyMismatch, "%s, but %s named", v.ResultRaw, council.Count(ayes, "aye"))
		}
		if nays != t.tally.Nays && (ayes+nays+abstained > 0) {
			report(council.CodeTallyMismatch, "%s, but %s named", v.ResultRaw, council.Count(nays, "nay"))
		}
	case t.tally.Unanimous:
		if nays > 0 || abstained > 0 {
			report(council.CodeUnanimousMismatch, "%s, but %s and %s named", v.ResultRaw, council.Count(nays, "nay"),
				council.Count(abstained, "abstention"))
		}
	case t.tally.Bracket != "":
		report(council.CodeTallyUnreadable, "%s: the bracket is no tally", v.ResultRaw)
	case ayes+nays == 0 && v.Result != council.Other && v.Result != council.NoAction || ayes+nays > 0:
		report(council.CodeTallyMissing, "%q has no tally", v.ResultRaw)
	}
	if t.tally.Others > 0 && t.tally.Others != abstained && t.tally.Others != abstained+v.Roll.Count(council.Recused) &&
		ayes+nays > 0 {
		report(council.CodeTallyMismatch, "%s, but %s named", v.ResultRaw, council.Count(abstained, "abstention"))
	}
	if ayes+nays+abstained == 0 && t.withheld == "" && !t.tally.Voice && v.Result != council.NoAction &&
		(v.Result != council.Other || t.tally.Counted || t.tally.Unanimous || t.rolled) {
		report(council.CodeNamesMissing, "%s: nobody is named", v.ResultRaw)
	}
}

func (r *reader) checkResult(v *record.Vote, t *table, report reportFunc) {
	words := lex.ResultWords(t.result)
	if strings.HasPrefix(words, "VV") || !strings.ContainsFunc(words, unicode.IsLetter) {
		report(council.CodeResultWordMissing, "%q has no word for the result", v.ResultRaw)
	}
	if printed, meant := r.doc.Misprint(words); printed != "" {
		report(council.CodeResultWordMisspelt, "%q looks like a misprint of %q", printed, meant)
	} else if strings.Contains(strings.ToUpper(t.tally.Bracket), "UNANIMOUSLY") {
		report(council.CodeResultWordMisspelt, "[%s] for [UNANIMOUS]", t.tally.Bracket)
	} else if w := misspeltAbstention(t.result); w != "" {
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

func (r *reader) checkRoll(d *draft, v *record.Vote, report reportFunc) {
	voted := slices.Concat(v.Roll.Of(council.Aye), v.Roll.Of(council.Nay), v.Roll.Of(council.Abstain))
	named := len(voted)
	if v.Mover == nil && (v.Seconder != nil || named > 0 && r.movers) {
		report(council.CodeMoverMissing, "%s: no mover is printed", v.ResultRaw)
	}
	if v.Seconder == nil && v.Mover != nil {
		report(council.CodeSeconderMissing, "%s: no seconder is printed", v.ResultRaw)
	}
	if who := r.mover(d.motion); who != "" && v.Mover != nil && *v.Mover != who {
		report(council.CodeMoverDiffers, "the block names %s as mover, the sentence %s", *v.Mover, who)
	}
	if named == 0 {
		return
	}
	if r.doc.People.Present.Len() == 0 {
		r.checkStrangers(v.Roll, report)
		return
	}
	in := map[string]bool{}
	for _, name := range v.Roll.Members() {
		in[name] = true
	}
	var missing []string
	for _, a := range r.Attendance {
		if !in[a.Name] && isPresent(r.Attendance, a.Name, "") {
			missing = append(missing, a.Name)
		}
	}
	if len(missing) > 0 && !d.table.tally.Voice {
		report(council.CodeMemberUncounted, "in no row: %s", strings.Join(missing, ", "))
	}
	for _, name := range voted {
		for _, a := range r.Attendance {
			if a.Name == name && a.Status != nil && *a.Status == "Absent" {
				report(council.CodeAttendanceMismatch, "%s votes, but is absent by the attendance list", name)
			}
		}
	}
}

// countRolls counts the roll calls of tables, and those that name each member.
func (r *reader) countRolls(items []*item) {
	r.votesOf = map[string]int{}
	seen := map[*table]bool{}
	for _, it := range items {
		for _, d := range it.votes {
			t := d.table
			if t == nil || seen[t] {
				continue
			}
			seen[t] = true
			if t.rolled {
				r.rolls++
			}
			for _, name := range t.roll.Members() {
				r.votesOf[name]++
			}
		}
	}
}

// checkStrangers checks a roll call if there is no attendance list. A name that is in only one of
// five or more roll calls is not a member's, or is misspelt.
func (r *reader) checkStrangers(roll council.Roll, report reportFunc) {
	if r.rolls < 5 {
		return
	}
	for _, name := range roll.Members() {
		if r.votesOf[name] == 1 && r.doc.People.Resolve(name).Match == council.MatchFull {
			report(council.CodeMemberUnknown, "%s stands in no other vote of the day", name)
		}
	}
}

// checkNames reports a word with which three names begin, if there is no attendance list. The word
// is more likely an office than a given name, as in "Jurat Odile Brandt".
func (r *reader) checkNames() {
	if r.doc.People.Present.Len() > 0 {
		return
	}
	first := map[string]int{}
	for _, name := range r.doc.People.Seen.Names() {
		if word, rest, _ := strings.Cut(name, " "); strings.Contains(rest, " ") {
			first[word]++
			if first[word] == 3 {
				r.Report(council.CodeMemberUnknown, -1, nil, 0,
					fmt.Sprintf("several names begin with %q, as with an office that is not known", word))
			}
		}
	}
}
