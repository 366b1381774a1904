package councilingest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/pgtest"
)

// told says when a line with a text is logged.
type told struct {
	text  string
	heard chan<- struct{}
}

func (l told) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(l.text)) {
		select {
		case l.heard <- struct{}{}:
		default:
		}
	}
	return len(line), nil
}

// Two replicas ask the portal for its calendar once, and no restart asks again before its time.
func TestReplicasIngestOnce(t *testing.T) {
	t.Parallel()
	p := newPortal(t, &fakeMeeting{id: 1, board: "City Council", kind: "Regular Meeting", starts: time.Now().Add(-200 * 24 * time.Hour).Truncate(time.Hour)})
	d := testDeps(t, pgtest.New(t))
	done := make(chan struct{}, 1)
	d.Log = slog.New(slog.NewTextHandler(told{"ingest done", done}, nil))
	file := filepath.Join(t.TempDir(), "council.yaml")
	text := fmt.Sprintf("portal: {url: %q, pause: 0s, contact: clerk@town.example}\nbody: City Council\ntime_zone: UTC\n", p.URL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func() func() {
		d := d // a process of its own
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
	case <-time.After(30 * time.Second):
		t.Error("no ingest within 30 s")
	}
	once := asked()
	first()
	second()
	if n := asked(); n != once || n == 0 {
		t.Errorf("the calendar was asked for %d times, and %d times by the first ingest", n, once)
	}
	s := &service{cfg: Config{Every: time.Hour}, deps: d}
	for _, test := range []struct {
		checked string
		want    bool
	}{{"checked_at", false}, {"checked_at - interval '2 hours'", true}, {"NULL", true}} {
		if _, err := d.DB.Exec(t.Context(), `UPDATE council.dataset SET checked_at = `+test.checked); err != nil {
			t.Fatal(err)
		}
		if due, err := s.due(t.Context()); err != nil || due != test.want {
			t.Errorf("checked_at = %s: due %v, %v", test.checked, due, err)
		}
	}
}
