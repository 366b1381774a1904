package clerk

import (
	"fmt"
	"strings"

	"github.com/townline/townline/services/townline/demo/town"
)

// Stranger is in a roll call by mistake: no member has this name.
const Stranger = "Pemberton"

// Row is a label, like "AYES:", and its value in a vote block.
type Row struct{ Label, Value string }

// vote is a motion with its printed block: the rows, and the date of the next hearing.
type vote struct {
	*town.Motion
	form
	Rows []Row
	Next string
}

// Vote returns the printed block of a motion, with the clerk's mistake.
func (f form) Vote(m *town.Motion) vote {
	v := vote{Motion: m, form: f, Rows: []Row{{"RESULT:", m.Word + f.tally(m)}}}
	if m.Slip == town.BareBracket {
		v.Rows[0].Value = strings.TrimSpace(f.tally(m))
	}
	if m.Next != "" {
		v.Next = "Next: " + m.Next
	}
	if m.Mover != nil {
		v.Rows = append(v.Rows, f.movers(m)...)
	}
	for _, roll := range m.Rolls {
		var names []string
		for i, person := range roll.Members {
			switch {
			case m.Slip == town.WrongName && roll.Position == town.Aye && i == 1:
				names = append(names, Stranger)
			case len(roll.Members) > 4: // longer rows have last names only
				names = append(names, person.Last)
			default:
				names = append(names, f.Name(person))
			}
		}
		v.Rows = append(v.Rows, Row{string(roll.Position) + ":", strings.Join(names, ", ")})
	}
	return v
}

// movers returns the rows of the mover and the seconder.
func (f form) movers(m *town.Motion) []Row {
	mover, second := f.Name(m.Mover), f.Name(m.Seconder)
	seconder := Row{"SECONDER:", second + ", " + m.Seconder.Title}
	switch m.Slip {
	case town.NoMover:
		return []Row{seconder}
	case town.TwoMovers:
		return []Row{{"MOVER:", mover + ", " + second}, seconder}
	case town.NoColon:
		seconder.Label = "SECONDER"
	}
	return []Row{{"MOVER:", mover + ", " + m.Mover.Title}, seconder}
}

// tally returns the printed count after a result.
func (f form) tally(m *town.Motion) string {
	ayes, nays, abstained := len(m.Of(town.Aye)), len(m.Of(town.Nay)), len(m.Of(town.Abstain))
	switch {
	case m.Slip == town.Misspelt:
		return fmt.Sprintf(" [%d TO %d] WITH %d ABSENTION", ayes, nays, abstained)
	case !m.Tally || m.Slip == town.NoTally:
		return ""
	case m.Slip == town.BareBracket, ayes > 0 && nays+abstained == 0 && f.bracket:
		return " [UNANIMOUS]"
	case m.Slip == town.WrongTally:
		return fmt.Sprintf(" [%d TO %d]", ayes+1, nays-1)
	case abstained > 0 && f.ruled:
		return fmt.Sprintf(" [%d TO %d WITH %d ABSTENTION]", ayes, nays, abstained)
	}
	return fmt.Sprintf(" [%d TO %d]", ayes, nays)
}

// VoteRecords returns the rows of each vote on an item, as the minutes print them, for a portal's
// HTML.
func VoteRecords(m *town.Meeting, s *town.Section, it *town.Item) [][]Row {
	f := of(m)
	var out [][]Row
	for _, motion := range s.Votes(it) {
		v := f.Vote(motion)
		if v.Next != "" {
			v.Rows[0].Value += " " + v.Next
		}
		for i := range v.Rows {
			v.Rows[i].Value = f.set(v.Rows[i].Value)
		}
		out = append(out, v.Rows)
	}
	return out
}
