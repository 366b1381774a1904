package councilingest

import (
	"slices"
	"testing"

	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// What is new in the feed is visited, however old it is.
func TestUnread(t *testing.T) {
	t.Parallel()
	old := portal.FeedEntry{MeetingID: "7", Headline: "City Council - Minutes", Published: "Mon, 02 Mar 2026 10:00:00 GMT"}
	replaced, agenda := old, portal.FeedEntry{Headline: "City Council - Agenda", Published: "Tue, 03 Mar 2026 10:00:00 GMT"}
	replaced.Published = "Wed, 04 Mar 2026 10:00:00 GMT"
	seen := []portal.FeedEntry{old}
	if fresh := newEntries([]portal.FeedEntry{old}, seen); fresh != nil {
		t.Errorf("nothing new, and %v", fresh)
	}
	if fresh := newEntries([]portal.FeedEntry{replaced, agenda}, seen); !slices.Equal(fresh, []int64{7, 0}) {
		t.Errorf("%v", fresh)
	}
}
