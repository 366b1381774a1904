package portal

import (
	"strings"
	"testing"
)

func TestBodyNamed(t *testing.T) {
	t.Parallel()
	const council = "City Council"
	for _, c := range []struct {
		boards string // of the rows of a calendar, parted by |
		want   string
		others string
	}{
		{"Parks|city council|Alder City Council", "city council", ""},
		{"Parks|Alder City Council|Parks", "Alder City Council", ""},
		{"Alder City Council|Birch City Council", "", `"Alder City Council" (1), "Birch City Council" (1)`},
		{"Parks|City Council Subcommittee|Parks", "", `"Parks" (2), "City Council Subcommittee" (1)`},
		{"Velocity Council|", "", `"Velocity Council" (1)`},
		{"|", "", ""},
	} {
		var rows []Meeting
		for board := range strings.SplitSeq(c.boards, "|") {
			rows = append(rows, Meeting{Detail: Detail{Body: board}})
		}
		if board, others := BodyNamed(CountBodies(rows), council); board != c.want || others != c.others {
			t.Errorf("%s: %q, others %s", c.boards, board, others)
		}
	}
}
