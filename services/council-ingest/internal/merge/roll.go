package merge

import (
	"fmt"
	"slices"

	"github.com/townline/townline/pkg/council"
)

// contradiction says how a vote contradicts itself, "" if it does not.
func contradiction(v *voteRow) string {
	ayes, nays := counted(v.Roll)
	result := council.Result(v.Result)
	switch {
	case ayes+nays > 0 && (ayes != v.AyesCount || nays != v.NaysCount):
		return fmt.Sprintf("the tally is %d to %d, and the roll names %d and %d", v.AyesCount, v.NaysCount, ayes, nays)
	case result == council.Adopted && v.NaysCount > 0 && v.NaysCount >= v.AyesCount || result == council.Failed && v.AyesCount > v.NaysCount:
		return fmt.Sprintf("%s with %d ayes and %d nays", result, v.AyesCount, v.NaysCount)
	}
	return ""
}

func counted(roll []positionRow) (ayes, nays int32) {
	for _, p := range roll {
		switch council.Position(p.Position) {
		case council.Aye:
			ayes++
		case council.Nay:
			nays++
		}
	}
	return ayes, nays
}

// unanimous is the rule of the API: an aye, no nay and no abstention, by the roll where it names any of them, else by the tally.
func unanimous(roll []positionRow, ayes, nays int32) bool {
	named := slices.ContainsFunc(roll, func(p positionRow) bool {
		return slices.Contains([]council.Position{council.Aye, council.Nay, council.Abstain}, council.Position(p.Position))
	})
	if !named {
		return ayes > 0 && nays == 0
	}
	a, n := counted(roll)
	return a > 0 && n == 0 && !slices.ContainsFunc(roll, func(p positionRow) bool { return p.Position == string(council.Abstain) })
}

func positionOf(roll []positionRow, member int64) *string {
	for i := range roll {
		if roll[i].MemberID == member {
			return &roll[i].Position
		}
	}
	return nil
}

// withPosition is a roll in which a member has another position: at the end if it did not name the member, without the member for nil.
func withPosition(roll []positionRow, member int64, position *string) []positionRow {
	at := slices.IndexFunc(roll, func(p positionRow) bool { return p.MemberID == member })
	switch {
	case position == nil && at < 0:
		return roll
	case position == nil && len(roll) == 1:
		return nil // as a roll that names nobody is read
	case position == nil:
		return slices.Delete(slices.Clone(roll), at, at+1)
	case at < 0:
		last := int16(0)
		for _, p := range roll {
			last = max(last, p.Ord)
		}
		return append(slices.Clone(roll), positionRow{member, last + 1, *position})
	}
	roll = slices.Clone(roll)
	roll[at].Position = *position
	return roll
}
