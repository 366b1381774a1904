package pages

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/services/council-api/internal/review"
)

// The first publication of a meeting is one line. Corrections are separate lines. Nothing is lost,
// and the order stays the same.
func TestPublishedAsOne(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"": "",
		"a vote 1, a vote 1, a member 1, a meeting 1, a meeting 2": "a vote 1+a vote 1+a member 1+a meeting 1 | a meeting 2",
		"a meeting 3, a status 2, a meeting 1, a vote 1":           "a meeting 3+a status 2 | a meeting 1+a vote 1",
		"a meeting 3, a meeting 2, b meeting 1":                    "a meeting 3+a meeting 2 | b meeting 1",
		"a vote 1, a changed 1, a vote 1":                          "a vote 1 | a changed 1 | a vote 1",
		"a changed 1, a changed 1, a removed 1":                    "a changed 1 | a changed 1 | a removed 1",
		"a meeting 3, a cancelled 2, a meeting 1":                  "a meeting 3 | a cancelled 2 | a meeting 1",
		"a left 1, a member 1":                                     "a left 1 | a member 1",
		"a vote 1, a vote 2":                                       "a vote 1 | a vote 2",
	} {
		var changes []review.Change
		for i, text := range strings.Split(list, ", ") {
			var run, kind string
			var meeting int64
			if n, _ := fmt.Sscan(text, &run, &kind, &meeting); n < 3 {
				continue
			}
			one := review.Change{ID: int64(i), RunID: run, MeetingID: &meeting, Reason: text}
			switch kind {
			case "cancelled", "status":
				status := map[string]council.Status{"cancelled": council.StatusCancelled, "status": council.StatusComplete}[kind]
				one.Kind, one.After = "meeting_status", &review.Reading{Status: &status}
			default:
				one.Kind = map[string]review.ChangeKind{"vote": "vote_added", "member": "member_added", "left": "member_removed",
					"meeting": "meeting_added", "changed": "vote_changed", "removed": "vote_removed"}[kind]
			}
			changes = append(changes, one)
		}
		say := func(groups [][]review.Change) string {
			var lines []string
			for _, g := range groups {
				var words []string
				for i := range g {
					words = append(words, g[i].Reason)
				}
				lines = append(lines, strings.Join(words, "+"))
			}
			return strings.Join(lines, " | ")
		}
		if got := say(published(changes)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", list, got, want)
		}
	}
	if !slices.ContainsFunc(review.ChangeKind("").Values(), func(k string) bool { return k == "vote_removed" }) {
		t.Error("the form lacks kinds of changes")
	}
}
