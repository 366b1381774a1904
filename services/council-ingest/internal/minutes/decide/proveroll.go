package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lines"
	"github.com/townline/townline/services/council-ingest/internal/minutes/person"
	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/signal"
)

// fillRoll writes the positions that are sure, and reports whether the roll was read whole.
func (r *reader) fillRoll(d *draft, v *record.Vote, report reportFunc) bool {
	whole := d.Outcome.Unread == ""
	if !whole {
		report(council.CodeNamesMissing, "part of the roll was not read: %s", signal.Clip(d.Outcome.Unread, 200))
	}
	entries := slices.Concat(d.roll.Entries, d.Named)
	if d.casting != nil && len(entries) > 0 && !(d.Counted && d.Ayes == d.Nays) {
		entries = append(entries, *d.casting)
	}
	seen, printed := map[string]council.Position{}, map[string]string{}
	d.unsure = map[council.Position]int{}
	var everyone []signal.Entry
	for _, e := range entries {
		position, ok := lexicon.PositionOf(e.Sense)
		if !ok {
			continue
		}
		if e.Unread != "" {
			whole = false
			report(council.CodeNamesMissing, "a row was not read whole: %s", signal.Clip(e.Unread, 200))
		}
		if e.Everyone {
			everyone = append(everyone, e)
			continue
		}
		read, unsure := 0, 0
		for _, n := range e.Names {
			if n.Advises() {
				continue
			}
			full, match := r.Resolve(n)
			switch {
			case match == council.MatchAmbiguous:
				report(council.CodeMemberAmbiguous, "%s can be several members", n.Text+n.Office)
				unsure++
				continue
			case match.Found():
			case n.Text == "":
				report(council.CodeMemberUnknown, "%s: who holds the office is not known", n.Office)
				if whole = false; signal.ChiefOffice.MatchString(n.Office) {
					unsure++ // one person, not "Councillors" or an honorific without its name
				}
				continue
			default:
				full = n.Text
			}
			key := council.FoldName(full)
			if was, twice := seen[key]; twice {
				if was != position {
					report(council.CodeMemberTwice, "%s stands in two rows", full)
					whole = false
				}
				if printed[key] != council.FoldName(n.Text) && was == position {
					report(council.CodeMemberAmbiguous, "%s stands twice in a row, once as %s", full, n.Text)
					whole = false
				}
				read++
				continue
			}
			seen[key], printed[key] = position, council.FoldName(n.Text)
			v.Roll = append(v.Roll, council.RollEntry{Member: full, Position: position})
			read++
		}
		d.unsure[position] += unsure
		whole = whole && unsure == 0
		if named := read + unsure; e.Count >= 0 && len(e.Names) > 0 && named != e.Count {
			whole = false
			report(council.CodeTallyMismatch, "a row counts %d and names %d", e.Count, named)
		}
	}
	for _, e := range everyone {
		position, _ := lexicon.PositionOf(e.Sense)
		d.Unanimous = d.Unanimous || e.Sense == lexicon.Aye
		for _, name := range r.Present {
			if _, twice := seen[council.FoldName(name)]; !twice {
				seen[council.FoldName(name)] = position
				v.Roll = append(v.Roll, council.RollEntry{Member: name, Position: position})
			}
		}
	}
	return whole
}

// checkPeople compares the people of a vote with those who are present.
func (r *reader) checkPeople(d *draft, v *record.Vote, whole bool, report reportFunc) {
	named := v.Roll.Count(council.Aye) + v.Roll.Count(council.Nay) + v.Roll.Count(council.Abstain)
	which := ""
	if d.table != nil {
		which = v.ResultRaw + ": " // a table shows its words
	}
	if v.Mover == nil && (v.Seconder != nil || named > 0 && r.movers) {
		report(council.CodeMoverMissing, "%sno mover is printed", which)
	}
	if v.Mover != nil && v.Seconder == nil {
		report(council.CodeSeconderMissing, "%sno seconder is printed", which)
	}
	if who := r.Mover(d.motion); who != "" && v.Mover != nil && *v.Mover != who {
		report(council.CodeMoverDiffers, "the block names %s as mover, the sentence %s", *v.Mover, who)
	}
	if named == 0 || d.table == nil && (!whole || !d.roll.Positioned() || named == v.Roll.Count(council.Abstain)) {
		return
	}
	if d.table != nil && r.Members.Listed() == 0 {
		r.checkStrangers(v.Roll, report)
		return
	}
	var missing []string
	for _, name := range r.Present {
		if v.Roll.Index(name) < 0 {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 && !d.Voice {
		report(council.CodeMemberUncounted, "in no row: %s", strings.Join(missing, ", "))
	}
	for _, name := range r.Away {
		if i := v.Roll.Index(name); i >= 0 && v.Roll[i].Position != council.Absent &&
			v.Roll[i].Position != council.Recused && !r.byProxy() {
			report(council.CodeAttendanceMismatch, "%s votes, but is absent by the attendance list", name)
		}
	}
}

// byProxy reports whether those who are absent can vote by somebody who is present.
func (r *reader) byProxy() bool {
	return slices.ContainsFunc(r.Doc.Lines[:min(len(r.Doc.Lines), 120)], func(ln lines.Line) bool {
		return r.Language.NamesProxy(ln.Text)
	})
}

// learn adds the full names in rolls to the roster, if the document has no attendance list.
func (r *reader) learn() {
	if len(r.Attendance) > 0 {
		return
	}
	for _, d := range r.done {
		for _, e := range slices.Concat(d.roll.Entries, d.Named) {
			for _, n := range e.Names {
				if strings.Contains(n.Text, " ") {
					r.Members.Learn(n.Text, n.Office)
				}
			}
		}
	}
}

// withhold withholds an impossible roll call. If the columns of a table were separated wrongly, members who
// voted appear as absent. So there are two rules for tables:
//
//   - the mover and the seconder must not be absent;
//   - if the vote is unanimous, and its tally counts no more ayes than the roll call names, less than a
//     third of the roll call may be absent but present in the attendance list.
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

// impossible returns why the roll call is impossible, or "".
func (r *reader) impossible(d *draft, v *record.Vote) string {
	away := v.Roll.Of(council.Absent)
	if v.Mover != nil && slices.Contains(away, *v.Mover) {
		return fmt.Sprintf("the mover %s stands among the absent", *v.Mover)
	}
	if v.Seconder != nil && slices.Contains(away, *v.Seconder) {
		return fmt.Sprintf("the seconder %s stands among the absent", *v.Seconder)
	}
	ayes := v.Roll.Count(council.Aye)
	if proved := d.Counted && (d.Nays > 0 || d.Ayes <= ayes); d.Voice || proved || !d.Counted && !d.Unanimous {
		return ""
	}
	var there []string
	for _, name := range away {
		if isPresent(r.Attendance, name, record.Late) { // may have been absent until then
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
		return a.Name == name && a.Status != nil && !record.IsAway(*a.Status) && *a.Status != except
	})
}

// countRolls counts the roll calls of tables, and those that name each member.
func (r *reader) countRolls(items []*item) {
	r.votesOf = map[string]int{}
	seen := map[*draft]bool{}
	for _, it := range items {
		for _, d := range it.votes {
			if d.table == nil || seen[d] || len(d.roll.Entries) == 0 {
				continue
			}
			seen[d] = true
			r.rolls++
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
		if _, match := r.Members.Resolve(person.Name{Text: name}); r.votesOf[name] == 1 && match == council.MatchFull {
			report(council.CodeMemberUnknown, "%s stands in no other vote of the day", name)
		}
	}
}

// checkNames reports a word with which three names begin, if there is no attendance list. The word
// is more likely an office than a given name, as in "Jurat Odile Brandt".
func (r *reader) checkNames() {
	if r.Members.Listed() > 0 {
		return
	}
	first := map[string]int{}
	for _, name := range r.Members.Seen() {
		if word, rest, _ := strings.Cut(name, " "); strings.Contains(rest, " ") {
			first[word]++
			if first[word] == 3 {
				r.Report(council.CodeMemberUnknown, -1, nil, 0,
					fmt.Sprintf("several names begin with %q, as with an office that is not known", word))
			}
		}
	}
}
