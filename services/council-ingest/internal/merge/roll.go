package merge

import (
	"fmt"
	"slices"

	"github.com/townline/townline/pkg/clerk"
	"github.com/townline/townline/pkg/council"
)

// contradiction describes how a vote contradicts itself; "" if it does not.
func contradiction(v *voteRow) string {
	ayes, nays := countRoll(v.Roll)
	switch {
	case ayes+nays > 0 && (ayes != v.AyesCount || nays != v.NaysCount):
		return fmt.Sprintf("the tally is %d to %d, and the roll names %d and %d", v.AyesCount, v.NaysCount, ayes, nays)
	case v.Result.Contradicts(v.AyesCount, v.NaysCount):
		return fmt.Sprintf("%s with %d ayes and %d nays", v.Result, v.AyesCount, v.NaysCount)
	}
	return ""
}

func countRoll(roll []clerk.RollEntry) (ayes, nays int) {
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

// isUnanimous is the rule of the API: an aye, no nay and no abstention, by the roll if it names any
// of them, else by the tally.
func isUnanimous(roll []clerk.RollEntry, ayes, nays int) bool {
	abstained := slices.ContainsFunc(roll, func(p clerk.RollEntry) bool { return p.Position == council.Abstain })
	if a, n := countRoll(roll); a+n > 0 || abstained {
		ayes, nays = a, n
	}
	return ayes > 0 && nays == 0 && !abstained
}

// rollIndex returns the index of a member in a roll, or -1.
func rollIndex(roll []clerk.RollEntry, member string) int {
	key := council.FoldName(member)
	return slices.IndexFunc(roll, func(p clerk.RollEntry) bool { return council.FoldName(p.Member) == key })
}

// withPosition returns a roll with another position for a member: appended if the roll does not
// name the member, removed if the position is nil.
func withPosition(roll []clerk.RollEntry, member string, position *string) []clerk.RollEntry {
	at := rollIndex(roll, member)
	switch {
	case position == nil && at < 0:
		return roll
	case position == nil && len(roll) == 1:
		return nil // as an empty roll is read from the tables
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
