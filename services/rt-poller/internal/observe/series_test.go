package observe

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/townline/townline/pkg/gtfsrt"
	"github.com/townline/townline/pkg/gtfsrt/judge"
	"github.com/townline/townline/pkg/sample"
)

// none is a timetable without trips.
type none struct{}

func (none) Trip(string) *Trip { return nil }

// read returns an encoded message of a mixed source.
func read(t testing.TB, data []byte) *Message {
	t.Helper()
	calls := judge.NewCalls(len(data))
	feed, err := gtfsrt.ScanCalls(data, calls.Add)
	if err != nil {
		t.Fatal(err)
	}
	return &Message{Source: "mixed/0", At: gtfsrt.Seconds(int64(feed.Timestamp)), Feed: feed, Calls: &calls,
		Updates: true, Moves: true}
}

// Of the stops that the trains of a subway reached, by its predictions, one in fifty may have no visit:
// the first message has no message before it.
func TestSubway(t *testing.T) {
	t.Parallel()
	files := sample.Glob(t, "gtfs-rt/nyct-ace-series/*.pb")
	slices.Sort(files)
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	o := New(Zone{zone}, none{})
	j := newJournal()
	for _, file := range files {
		data, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			t.Fatal(err)
		}
		m := read(t, data)
		j.read(m)
		o.Observe(m)
	}
	for _, r := range o.runs {
		last := None
		for i := range r.calls {
			c := &r.calls[i]
			if !c.seen.IsVisit() || c.first() == None {
				continue
			}
			if c.first() < last {
				t.Errorf("%s: the times turn round at %s", r.Trip, c.stop)
			}
			last = c.last()
		}
	}
	near, seen := j.near(o)
	t.Logf("%d of %d arrivals are within a minute of the last prediction", near, seen)
	if seen < 900 || 100*near < 93*seen { // the messages are a minute apart
		t.Errorf("%d of %d arrivals are within a minute of the last prediction", near, seen)
	}
	missing, all := j.missing(o)
	t.Logf("%d of %d stops have no visit", missing, all)
	if len(o.Gaps) != 1 || all < 900 || 50*missing > all {
		t.Errorf("%d of %d stops have no visit; gaps %v", missing, all, o.Gaps)
	}
}
