package councilingest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// lineWatch signals when a line with the given text is logged.
type lineWatch struct {
	text  string
	heard chan<- struct{}
}

func (l lineWatch) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(l.text)) {
		select {
		case l.heard <- struct{}{}:
		default:
		}
	}
	return len(line), nil
}

// Two replicas request the calendar only once, and a restart does not request it early.
func TestReplicasIngestOnce(t *testing.T) {
	t.Parallel()
	p := newPortal(t, &fakeMeeting{id: 1, board: "City Council", kind: "Regular Meeting",
		starts: time.Now().Add(-200 * 24 * time.Hour).Truncate(time.Hour)})
	d := testDeps(t, pgtest.New(t))
	done := make(chan struct{}, 1)
	d.Log = slog.New(slog.NewTextHandler(lineWatch{"ingest done", done}, nil))
	file := filepath.Join(t.TempDir(), "council.yaml")
	text := fmt.Sprintf("portal: {url: %q, pause: 0s, contact: clerk@town.example}\nbody: City Council\ntime_zone: UTC\n",
		p.URL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func() func() {
		d := d // stands for a separate process
		d.Metrics = prometheus.NewRegistry()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- Run(ctx, Config{File: file, AllowPrivate: true, Every: time.Hour}, d)
		}()
		return func() {
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	}
	asked := func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.requests["/Citizens/Calendar.aspx"]
	}
	first, second := start(), start()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Error("no ingest within two minutes")
	}
	once := asked()
	first()
	second()
	if n := asked(); n != once || n == 0 {
		t.Errorf("the calendar was requested %d times, and %d times by the first ingest", n, once)
	}
	d.Metrics = prometheus.NewRegistry()
	s, err := newScheduler(Config{Every: time.Hour}, d, testSettings(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		checked string
		want    bool
	}{{"checked_at", false}, {"checked_at - interval '2 hours'", true}, {"NULL", true},
		{"now() + interval '2 days'", true}} { // the last one comes from a wrong clock
		mustExec(t, d.DB, `UPDATE council.dataset SET checked_at = `+test.checked)
		if due, err := s.isDue(t.Context()); err != nil || due != test.want {
			t.Errorf("checked_at = %s: isDue = %v, %v", test.checked, due, err)
		}
	}
}

// Meetings with new feed entries are visited, even old ones.
func TestFeedEntriesOfOldMinutes(t *testing.T) {
	t.Parallel()
	m := &fakeMeeting{id: 7, board: "City Council", kind: "Regular Meeting",
		starts: time.Now().UTC().Add(-240 * 24 * time.Hour).Truncate(time.Hour), minutesType: 15, minutesID: 70,
		minutes: minutesText("x", item("1.", "2026-101", "Awards", split))}
	p := newPortal(t, m)
	deps, set := testDeps(t, pgtest.New(t)), portalSettings(t, p.URL)
	mustIngest(t, deps, set, Request{})
	p.mu.Lock()
	m.minutes = minutesText("x", item("1.", "2026-101", "Awards", split), item("2.", "2026-102", "Accepts", unanimous))
	p.mu.Unlock()
	if sum := mustIngest(t, deps, set, Request{}); sum.Meetings != 0 {
		t.Errorf("without an entry in the feed: %+v", sum)
	}
	if sum := mustIngest(t, deps, set, Request{Again: []int64{0, 7}}); sum.Changed != 1 || sum.Votes != 2 {
		t.Errorf("after the requested visit: %+v", sum)
	}
}

func TestNewEntries(t *testing.T) {
	t.Parallel()
	old := portal.FeedEntry{MeetingID: "7", Headline: "City Council - Minutes", Published: "Mon, 02 Mar 2026 10:00:00 GMT"}
	replaced, agenda := old, portal.FeedEntry{Headline: "City Council - Agenda",
		Published: "Tue, 03 Mar 2026 10:00:00 GMT"}
	replaced.Published = "Wed, 04 Mar 2026 10:00:00 GMT"
	seen := []portal.FeedEntry{old}
	if fresh := newEntries([]portal.FeedEntry{old}, seen); fresh != nil {
		t.Errorf("newEntries without a new entry = %v", fresh)
	}
	if fresh := newEntries([]portal.FeedEntry{replaced, agenda}, seen); !slices.Equal(fresh, []int64{7, 0}) {
		t.Errorf("%v", fresh)
	}
}
