package merge

import (
	"fmt"
	"slices"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
)

// contradiction says how a vote contradicts itself, "" if it does not.
func contradiction(v *voteRow) string {
	ayes, nays := counted(v.Roll)
	switch {
	case ayes+nays > 0 && (ayes != v.AyesCount || nays != v.NaysCount):
		return fmt.Sprintf("the tally is %d to %d, and the roll names %d and %d", v.AyesCount, v.NaysCount, ayes, nays)
	case v.Result == council.Adopted && v.NaysCount > 0 && v.NaysCount >= v.AyesCount || v.Result == council.Failed &&
		v.AyesCount > v.NaysCount:
		return fmt.Sprintf("%s with %d ayes and %d nays", v.Result, v.AyesCount, v.NaysCount)
	}
	return ""
}

func counted(roll []clerk.RollEntry) (ayes, nays int) {
	for _, p := range roll {
		switch p.Position {
		case council.Aye:
			ayes++
		case council.Nay:
			nays++
		}
	}
	return ayes, nays
}

// unanimous is the rule of the API: an aye, no nay and no abstention, by the roll if it names any
// of them, else by the tally.
func unanimous(roll []clerk.RollEntry, ayes, nays int) bool {
	abstained := slices.ContainsFunc(roll, func(p clerk.RollEntry) bool { return p.Position == council.Abstain })
	if a, n := counted(roll); a+n > 0 || abstained {
		ayes, nays = a, n
	}
	return ayes > 0 && nays == 0 && !abstained
}

// rowOf is the index of a member's row in a roll, -1 if the roll does not name the member.
func rowOf(roll []clerk.RollEntry, member string) int {
	key := council.FoldName(member)
	return slices.IndexFunc(roll, func(p clerk.RollEntry) bool { return council.FoldName(p.Member) == key })
}

// withPosition is a roll in which a member has another position: at the end if it did not name the
// member, without the member for nil.
func withPosition(roll []clerk.RollEntry, member string, position *string) []clerk.RollEntry {
	at := rowOf(roll, member)
	switch {
	case position == nil && at < 0:
		return roll
	case position == nil && len(roll) == 1:
		return nil // as a roll that names nobody is read
	case position == nil:
		return slices.Delete(slices.Clone(roll), at, at+1)
	}
	roll = slices.Clone(roll)
	if at < 0 {
		return append(roll, clerk.RollEntry{Member: member, Position: council.Position(*position)})
	}
	roll[at].Position = council.Position(*position)
	return roll
}
