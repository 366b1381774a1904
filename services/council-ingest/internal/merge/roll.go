package merge

import (
	"fmt"

	"github.com/townline/townline/pkg/council"
)

// contradiction describes how a vote contradicts itself, or returns "" if it does not.
func contradiction(v *council.StoredVote) string {
	ayes, nays := v.Roll.Count(council.Aye), v.Roll.Count(council.Nay)
	switch {
	case ayes+nays > 0 && (ayes != v.AyesCount || nays != v.NaysCount):
		return fmt.Sprintf("the tally is %d to %d, and the roll names %d and %d", v.AyesCount, v.NaysCount, ayes, nays)
	case v.Result.Contradicts(v.AyesCount, v.NaysCount):
		return fmt.Sprintf("%s with %d ayes and %d nays", v.Result, v.AyesCount, v.NaysCount)
	}
	return ""
}
