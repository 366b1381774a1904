package decide

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

// moversOf takes the mover and the seconder of a table. A sentence decides between several movers.
func (r *reader) moversOf(d *draft, v *record.Vote) {
	t := d.table
	if t == nil {
		return
	}
	if who := v.Mover; who == nil || !slices.Contains(t.Movers, *who) {
		v.Mover = council.Some(t.Mover)
	}
	v.Seconder = council.Some(t.Seconder)
	if d.motion == nil {
		v.MotionText = t.Moved
	}
	v.MotionText = secondCut.ReplaceAllString(v.MotionText, "$1")
}

// secondCut matches who seconded a motion, behind its text, and keeps the full stop of the text.
var secondCut = regexp.MustCompile(`,? (?:and )?(?:was )?seconded by` + printedNames + `{0,7}$|` +
	`(?:,|(\.))` + printedNames + `{1,6} seconded the motion\.$`)

const printedNames = `(?: (?:de|der|den|del|la|van|von)\b| \p{Lu}[\p{L}.'’-]*)`

// withhold withholds an impossible roll call. If the columns of a table were separated wrongly, members who
// voted appear as absent. So there are two rules for tables:
//
//   - the mover and the seconder must not be absent;
//   - if the vote is unanimous, and the RESULT line counts no more ayes than the roll call names,
//     less than a third of the roll call may be absent but present in the attendance list.
//
// The whole roll call is withheld, because it is unknown which row is wrong.
func (r *reader) withhold(d *draft, v *record.Vote, report reportFunc) {
	why := ""
	switch {
	case len(v.Roll) > council.MaxRoll:
		why = fmt.Sprintf("it names %d people", len(v.Roll))
	case d.table == nil:
	case d.table.Withheld != "":
		why = d.table.Withheld
	default:
		why = r.impossible(d, v)
	}
	if d.withheld = why != ""; d.withheld {
		report(council.CodeRollWithheld, "%s: %s; nobody's position is published", v.ResultRaw, why)
		v.Roll, d.unsure = nil, nil
	}
}

// impossible returns why the roll call of a table is impossible, or "".
func (r *reader) impossible(d *draft, v *record.Vote) string {
	away := v.Roll.Of(council.Absent)
	for _, one := range []struct{ row, name string }{{"mover", d.table.Mover}, {"seconder", d.table.Seconder}} {
		if one.name != "" && slices.Contains(away, one.name) {
			return fmt.Sprintf("the %s %s stands among the absent", one.row, one.name)
		}
	}
	ayes := v.Roll.Count(council.Aye)
	if proved := d.Counted && (d.Nays > 0 || d.Ayes <= ayes); d.Voice || proved || !d.Counted && !d.Unanimous {
		return ""
	}
	var there []string
	for _, name := range away {
		if isPresent(r.Attendance, name, "Late") { // may have been absent until then
			there = append(there, name)
		}
	}
	members := len(v.Roll)
	if ayes == 0 { // the roll call names no other members
		members = max(members, len(r.Attendance))
	}
	if len(there) > 0 && len(there)*3 >= members {
		return fmt.Sprintf("the vote is unanimous, and %s stand among the absent, though present by the attendance list",
			strings.Join(there, ", "))
	}
	return ""
}

// isPresent reports whether a member was present for at least a part of the meeting, according to
// the attendance list. It ignores entries with the status except.
func isPresent(attendance []record.Attendee, name, except string) bool {
	return slices.ContainsFunc(attendance, func(a record.Attendee) bool {
		return a.Name == name && a.Status != nil && *a.Status != "Absent" && *a.Status != "Excused" && *a.Status != except
	})
}

// checkWords reports what is missing or misprinted in the words of a table, which prints them in a form of
// its own.
func (r *reader) checkWords(d *draft, v *record.Vote, report reportFunc) {
	t := d.table
	if t == nil {
		return
	}
	ayes, nays := v.Roll.Count(council.Aye), v.Roll.Count(council.Nay)
	abstained := v.Roll.Count(council.Abstain)
	voted := ayes + nays
	switch {
	case d.Counted || d.Unanimous || d.Voice && voted == 0:
	case t.Tally.Bracket != "":
		report(council.CodeTallyUnreadable, "%s: the bracket is no tally", v.ResultRaw)
	case voted == 0 && v.Result != council.Other && v.Result != council.NoAction || voted > 0:
		report(council.CodeTallyMissing, "%q has no tally", v.ResultRaw)
	}
	if voted+abstained == 0 && !d.withheld && !d.Voice && v.Result != council.NoAction &&
		(v.Result != council.Other || d.Counted || d.Unanimous || len(d.roll.Entries) > 0) {
		report(council.CodeNamesMissing, "%s: nobody is named", v.ResultRaw)
	}
	words := lexicon.ResultWords(t.Result)
	if strings.HasPrefix(words, "VV") || !strings.ContainsFunc(words, unicode.IsLetter) {
		report(council.CodeResultWordMissing, "%q has no word for the result", v.ResultRaw)
	}
	if printed, meant := r.Doc.Misprint(words); printed != "" {
		report(council.CodeResultWordMisspelt, "%q looks like a misprint of %q", printed, meant)
	} else if strings.Contains(strings.ToUpper(t.Tally.Bracket), "UNANIMOUSLY") {
		report(council.CodeResultWordMisspelt, "[%s] for [UNANIMOUS]", t.Tally.Bracket)
	} else if w := misspeltAbstention(t.Result); w != "" {
		report(council.CodeResultWordMisspelt, "%q looks like a misprint of \"abstention\"", w)
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

// checkTold compares the vote of a table with the only sentence that counts it: "The motion passed with 14
// in favor (Brandt, …) and 1 opposed (Vance)."
func checkTold(d *draft, v *record.Vote, report reportFunc) {
	if len(d.stated) != 1 {
		return
	}
	o := d.stated[0]
	if o.Ayes != v.AyesCount || o.BothSides && o.Nays != v.NaysCount {
		nays := ""
		if o.BothSides {
			nays = fmt.Sprintf(" to %d", o.Nays)
		}
		report(council.CodeProseMismatch, "the sentence beside the table counts %d%s, the table %d to %d", o.Ayes, nays,
			v.AyesCount, v.NaysCount)
		return
	}
	if n := d.statedNames; n >= 0 && n != o.Ayes {
		report(council.CodeProseMismatch, "the sentence beside the table counts %d in favor and names %d", o.Ayes, n)
	}
}

// countRolls counts the roll calls of tables, and those that name each member.
func (r *reader) countRolls(items []*item) {
	r.votesOf = map[string]int{}
	seen := map[*signal.Table]bool{}
	for _, it := range items {
		for _, d := range it.votes {
			if d.table == nil || seen[d.table] {
				continue
			}
			seen[d.table] = true
			if len(d.roll.Entries) > 0 {
				r.rolls++
			}
			for _, name := range d.roll.Members().Members() {
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
		if r.votesOf[name] == 1 && r.Doc.People.Resolve(name).Match == council.MatchFull {
			report(council.CodeMemberUnknown, "%s stands in no other vote of the day", name)
		}
	}
}

// checkNames reports a word with which three names begin, if there is no attendance list. The word
// is more likely an office than a given name, as in "Jurat Odile Brandt".
func (r *reader) checkNames() {
	if r.Doc.People.Present.Len() > 0 {
		return
	}
	first := map[string]int{}
	for _, name := range r.Doc.People.Seen.Names() {
		if word, rest, _ := strings.Cut(name, " "); strings.Contains(rest, " ") {
			first[word]++
			if first[word] == 3 {
				r.Report(council.CodeMemberUnknown, -1, nil, 0,
					fmt.Sprintf("several names begin with %q, as with an office that is not known", word))
			}
		}
	}
}
