package walk

import (
	"testing"

	"github.com/townline/townline/services/council-ingest/internal/minutes/record"
	"github.com/townline/townline/services/council-ingest/internal/minutes/shape"
	"github.com/townline/townline/services/council-ingest/internal/minutes/vote"
)

func TestUnanimous(t *testing.T) {
	t.Parallel()
	some := []string{"x"}
	for name, c := range map[string]struct {
		b    vote.Block
		want bool
	}{
		"ayes alone":                     {vote.Block{Positions: record.Positions{Aye: some}}, true},
		"a nay":                          {vote.Block{Positions: record.Positions{Aye: some, Nay: some}, Tally: shape.Tally{Unanimous: true}}, false},
		"an abstention":                  {vote.Block{Positions: record.Positions{Aye: some, Abstain: some}}, false},
		"an absence":                     {vote.Block{Positions: record.Positions{Aye: some, Absent: some}}, true},
		"nays alone":                     {vote.Block{Positions: record.Positions{Nay: some}}, false},
		"no names, the bracket says so":  {vote.Block{Tally: shape.Tally{Unanimous: true}}, true},
		"no names, a tally without nays": {vote.Block{Tally: shape.Tally{Counted: true, Ayes: 9}}, true},
		"no names, a tally with nays":    {vote.Block{Tally: shape.Tally{Counted: true, Ayes: 9, Nays: 1}}, false},
		"no names, with abstentions":     {vote.Block{Tally: shape.Tally{Counted: true, Ayes: 9, Others: 1}}, false},
		"nothing at all":                 {vote.Block{}, false},
	} {
		if got := unanimous(c.b.Positions, c.b.Tally); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
