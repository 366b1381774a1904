package pages

import (
	"fmt"
	"testing"

	"github.com/townline/townline/services/council-api/internal/civic"
)

// Items adopted by one consent vote form one block, including removed items between them.
func TestConsentBlock(t *testing.T) {
	t.Parallel()
	adopted := []civic.Vote{{ViaConsent: true, MotionText: "the calendar", AyesCount: 7}}
	other := []civic.Vote{{ViaConsent: true, MotionText: "another", AyesCount: 7}}
	alone := []civic.Vote{{MotionText: "the item", AyesCount: 7}}
	for _, c := range []struct {
		votes [][]civic.Vote
		want  string // ends of the blocks
	}{
		{[][]civic.Vote{nil, adopted, adopted, nil, adopted, alone, adopted}, "1 5 6 7"},
		{[][]civic.Vote{adopted, adopted, nil, nil}, "2 3 4"},
		{[][]civic.Vote{adopted, other, other}, "1 3"},
		{[][]civic.Vote{alone, nil}, "1 2"},
	} {
		items := make([]civic.AgendaItem, len(c.votes))
		for i := range items {
			items[i].Votes = c.votes[i]
		}
		got := ""
		for i := 0; i < len(items); {
			i = consentEnd(items, i)
			got += fmt.Sprint(i, " ")
		}
		if got[:len(got)-1] != c.want {
			t.Errorf("%v: blocks end at %s, want %s", c.votes, got, c.want)
		}
	}
}
