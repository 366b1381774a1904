// Package proof says whether a vote can be true: against its own tally, the
// roster of the day, and the text beside it. A roll that cannot be true is
// withheld whole; everything else that fails becomes an anomaly. It puts nothing
// right.
package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/vote"
)

// maxRoll is how many names a roll can have.
const maxRoll = 500

// Judge is the one place that says whether a roll can be true. Columns that were
// taken apart wrongly make people absent who voted. So:
//
//   - who moves or seconds is there;
//   - where everybody voted aye and the RESULT line does not count more than are
//     named, a third of the roll is not absent whom the attendance list has present.
//
// A roll that breaks a rule is withheld whole: which of its names stand in the
// wrong row, nobody can tell.
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
		b.Withheld = fmt.Sprintf("the vote is unanimous, and %s stand among the absent, though present by the attendance list", strings.Join(there, ", "))
	}
}

// isPresent reports whether the attendance list has somebody present, if only
// for a part of the meeting; but is another status that does not count.
func isPresent(attendance []record.Attendee, name, but string) bool {
	return slices.ContainsFunc(attendance, func(a record.Attendee) bool {
		return a.Name == name && a.Status != nil && *a.Status != "Absent" && *a.Status != "Excused" && *a.Status != but
	})
}
