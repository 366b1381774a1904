package visit

import (
	"testing"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/services/council-ingest/internal/portal"
	"github.com/townline/townline/services/council-ingest/internal/publish"
	"github.com/townline/townline/services/council-ingest/internal/settings"
	"github.com/townline/townline/services/council-ingest/internal/writer"
)

// A vote that the portal corrects without a new time stamp is seen within a week: the record of a
// recent meeting is read in full at each visit, later on one day a week, and in the end never.
func TestRecordsAreReadInFullEachWeek(t *testing.T) {
	t.Parallel()
	set, err := settings.Read("", conf.Environ{})
	if err != nil {
		t.Fatal(err)
	}
	held := time.Date(2026, 7, 1, 18, 30, 0, 0, time.UTC)
	var now time.Time
	v := &visitor{Publisher: &publish.Publisher{Writer: &writer.Writer{Now: func() time.Time { return now }}},
		Portals: &Portals{set: set}}
	for id := int64(1_000_000_001); id < 1_000_000_015; id++ {
		row := listed{Meeting: portal.Meeting{Detail: portal.Detail{Starts: held}}, id: id}
		last := held
		for now = held; now.Sub(held) < recentFor; now = now.Add(24 * time.Hour) {
			if !v.isFresh(row) {
				continue
			}
			if now.Sub(last) > 7*24*time.Hour {
				t.Fatalf("meeting %d: the record was not read in full from %s to %s", id, last, now)
			}
			last = now
		}
		if now = held.Add(recentFor + 7*24*time.Hour); v.isFresh(row) {
			t.Errorf("meeting %d: the record is read in full after %s", id, now.Sub(held))
		}
	}
}
