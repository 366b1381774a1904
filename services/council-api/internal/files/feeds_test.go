package files

import (
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-api/internal/civic"
)

func TestSummariesNameTheSource(t *testing.T) {
	t.Parallel()
	for origin, want := range map[council.VoteOrigin]string{
		council.FromMinutes: "Printed: Approved: Pass. Position: aye.",
		council.FromRecord:  "Recorded by the portal: Approved: Pass. Position: aye.",
	} {
		v := civic.FoundVote{Vote: civic.Vote{Origin: origin, ResultRaw: "Approved: Pass"}}
		if got := summary(&v, "Position: aye."); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s", origin, got)
		}
	}
}
