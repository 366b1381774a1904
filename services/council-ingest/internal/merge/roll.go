package merge

import (
	"fmt"
	"slices"

	"github.com/townline/townline/pkg/council"
)

// contradiction describes how a vote contradicts itself, or returns "" if it does not.
func contradiction(v *voteRow) string {
	ayes, nays := v.Roll.Count(council.Aye), v.Roll.Count(council.Nay)
	switch {
	case ayes+nays > 0 && (ayes != v.AyesCount || nays != v.NaysCount):
		return fmt.Sprintf("the tally is %d to %d, and the roll names %d and %d", v.AyesCount, v.NaysCount, ayes, nays)
	case v.Result.Contradicts(v.AyesCount, v.NaysCount):
		return fmt.Sprintf("%s with %d ayes and %d nays", v.Result, v.AyesCount, v.NaysCount)
	}
	return ""
}

// withPosition returns a roll in which a member has another position. It appends a member whom the
// roll does not name, and removes the member if position is nil.
func withPosition(roll council.Roll, member string, position *string) council.Roll {
	at := roll.Index(member)
	switch {
	case position == nil && at < 0:
		return roll
	case position == nil && len(roll) == 1:
		return nil // the tables return nil for an empty roll
	case position == nil:
		return slices.Delete(slices.Clone(roll), at, at+1)
	}
	roll = slices.Clone(roll)
	if at < 0 {
		return append(roll, council.RollEntry{Member: member, Position: council.Position(*position)})
	}
	roll[at].Position = council.Position(*position)
	return roll
}
