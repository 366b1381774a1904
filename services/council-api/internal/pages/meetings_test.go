package pages

import (
	"fmt"
	"testing"

	"github.com/townline/townline/services/council-api/internal/record"
)

// Items adopted by one consent vote form one block, including removed items between them.
func TestConsentBlock(t *testing.T) {
	t.Parallel()
	adopted := []record.Vote{{ViaConsent: true, MotionText: "the calendar", AyesCount: 7}}
	other := []record.Vote{{ViaConsent: true, MotionText: "another", AyesCount: 7}}
	alone := []record.Vote{{MotionText: "the item", AyesCount: 7}}
	for _, c := range []struct {
		votes [][]record.Vote
		want  string // ends of the blocks
	}{
		{[][]record.Vote{nil, adopted, adopted, nil, adopted, alone, adopted}, "1 5 6 7"},
		{[][]record.Vote{adopted, adopted, nil, nil}, "2 3 4"},
		{[][]record.Vote{adopted, other, other}, "1 3"},
		{[][]record.Vote{alone, nil}, "1 2"},
	} {
		items := make([]record.AgendaItem, len(c.votes))
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
