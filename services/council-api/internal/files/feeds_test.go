package files

import (
	"strings"
	"testing"

	"github.com/townline/townline/services/council-api/internal/record"
)

func TestSummariesNameTheSource(t *testing.T) {
	t.Parallel()
	for origin, want := range map[record.VoteOrigin]string{
		record.FromMinutes: "Printed: Approved: Pass. Position: aye.",
		record.FromRecord:  "Recorded by the portal: Approved: Pass. Position: aye.",
	} {
		v := record.FoundVote{Vote: record.Vote{Origin: origin, ResultRaw: "Approved: Pass"}}
		if got := summary(&v, "Position: aye."); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s", origin, got)
		}
	}
}
