package decide

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/lexicon"
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
	if d.casting != nil && len(d.roll.Entries) > 0 {
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
		which = v.ResultRaw + ": "
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
	if d.table != nil && r.Doc.People.Present.Len() == 0 {
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
		if i := v.Roll.Index(name); i >= 0 && v.Roll[i].Position != council.Absent && v.Roll[i].Position != council.Recused {
			report(council.CodeAttendanceMismatch, "%s votes, but is absent by the attendance list", name)
		}
	}
}

// learn adds the full names in rolls to the roster, if the document has no attendance list.
func (r *reader) learn() {
	if len(r.Attendance) > 0 {
		return
	}
	for _, d := range r.done {
		for _, e := range slices.Concat(d.roll.Entries, d.Named) {
			for _, n := range e.Names {
				if strings.Contains(n.Text, " ") && r.Members.Len() < person.MaxPeople {
					r.Members.Add(n.Text, n.Office)
				}
			}
		}
	}
}
