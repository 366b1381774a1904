package councilingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/townline/townline/pkg/dataset/publish"
	"github.com/townline/townline/pkg/run"
)

const (
	// filesEvery is how often the dataset is compared with its files.
	filesEvery = 5 * time.Second
	// filesQuiet is the time without changes before new files, because an ingest raises the generation
	// with every meeting.
	filesQuiet = 10 * time.Second
	// filesPause is the shortest time between two publications, so that a download ends before the
	// versions of its file are deleted.
	filesPause = time.Minute
	// filesShare bounds the load: after each publication, the pause is this many times as long as it
	// took.
	filesShare = 5
)

// A filePublisher keeps the files of the dataset up to date. It writes them once after the start,
// because another version of this program may have written them.
type filePublisher struct {
	deps  run.Deps
	opts  publish.Options
	ended atomic.Bool // an ingest has ended since the last publication

	// Only the loop uses these.
	published publish.State
	at        time.Time // end of the last publication
	took      time.Duration
}

// newFilePublisher returns the publisher of files with a public base of the API. dir is Config.ExportDir.
func newFilePublisher(deps run.Deps, base, dir string, maxBytes int64) *filePublisher {
	dirs := []string{dir}
	if dir == "" {
		dirs = []string{os.TempDir(), "/dev/shm"} // the second is for images without a writable disk
	}
	return &filePublisher{deps: deps, opts: publish.Options{MaxBytes: maxBytes, Base: base, Dirs: dirs}}
}

func (p *filePublisher) run(ctx context.Context) error {
	loop := run.Loop{Name: "write the files of the dataset", Period: filesEvery, MaxBackoff: 10 * time.Minute,
		Log: p.deps.Log}
	return run.Every(ctx, loop, p.follow)
}

// follow publishes a generation that has lasted for filesQuiet. It does not wait after an ingest.
func (p *filePublisher) follow(ctx context.Context) error {
	ended := p.ended.Swap(false)
	if !p.at.IsZero() && !ended {
		state, err := publish.ReadState(ctx, p.deps.DB)
		if err != nil {
			return fmt.Errorf("look for changes since the last files: %w", err)
		}
		now := time.Now()
		if state == p.published || now.Sub(state.UpdatedAt) < filesQuiet ||
			now.Sub(p.at) < max(filesPause, filesShare*p.took) {
			return nil
		}
	}
	start := time.Now()
	state, err := publish.Publish(ctx, p.deps.DB, p.opts)
	if errors.Is(err, publish.ErrTooLarge) {
		return fmt.Errorf("%w: COUNCIL_EXPORT_BYTES is %d", err, p.opts.MaxBytes)
	}
	if err != nil {
		return err
	}
	p.published, p.at = state, time.Now()
	p.took = p.at.Sub(start)
	return nil
}
