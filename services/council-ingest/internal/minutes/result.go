package minutes

import (
	"slices"
	"strings"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
)

// Agrees reports whether a result that somebody else printed, such as the portal
// beside an item, can be that of one of the item's votes. Wordings differ, and a
// motion to table that passed leaves the item tabled; so only this contradicts a
// vote: that one failed and the other did not, or other numbers.
func (p *Parser) Agrees(printed string, votes []Vote) bool {
	result, t := p.dialect.Classify(printed), shape.ReadTally(printed)
	return slices.ContainsFunc(votes, func(v Vote) bool {
		if strings.EqualFold(shape.Fold(printed), v.ResultRaw) {
			return true
		}
		if result != v.Result && result != council.Other && v.Result != council.Other && (result == council.Failed || v.Result == council.Failed) {
			return false
		}
		if t.Unanimous && (v.NaysCount > 0 || len(v.Positions.Abstain) > 0) {
			return false
		}
		if !t.Counted || len(v.Positions.all()) == 0 && !shape.ReadTally(v.ResultRaw).Counted {
			return true
		}
		return t.Ayes == v.AyesCount && t.Nays == v.NaysCount
	})
}
