package run

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/townline/townline/pkg/panics"
)

// A Loop calls a function regularly.
type Loop struct {
	// Name identifies the loop in log lines.
	Name string
	// Period is the time from the end of one call to the start of the next.
	Period time.Duration
	// Jitter bounds the random part of each pause, so that replicas do not run in step. The first call
	// waits only for the jitter.
	Jitter time.Duration
	// Timeout bounds one call. 0 means no bound.
	Timeout time.Duration
	// MaxBackoff bounds the pause after failures, which doubles from Period. 0 means ten periods.
	MaxBackoff time.Duration
	// Now starts the next call at once. It may be nil.
	Now <-chan struct{}
	Log *slog.Logger
}

// Every calls fn as the loop says until ctx ends, and then returns nil. It logs failures and
// panics, equal ones in a row only once. They do not end the loop.
func Every(ctx context.Context, l Loop, fn func(context.Context) error) error {
	maxBackoff := l.MaxBackoff
	if maxBackoff == 0 {
		maxBackoff = 10 * l.Period
	}
	if !l.wait(ctx, jitter(l.Jitter)) {
		return nil
	}
	failures, last := 0, ""
	for {
		start := time.Now()
		err := call(ctx, l.Timeout, fn)
		if ctx.Err() != nil {
			return nil
		}
		pause := l.Period
		if err != nil {
			pause = min(l.Period<<min(failures, 16), maxBackoff)
			failures++
			if text := err.Error(); text != last {
				l.Log.Error(l.Name+" failed", "error", err, "took", time.Since(start).Round(time.Millisecond), "next_try_in", pause)
				last = text
			}
		} else if failures > 0 {
			l.Log.Info(l.Name+" works again", "failures", failures)
			failures, last = 0, ""
		}
		if !l.wait(ctx, pause+jitter(l.Jitter)) {
			return nil
		}
	}
}

func (l Loop) wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
	case <-l.Now:
	}
	return ctx.Err() == nil
}

func call(ctx context.Context, timeout time.Duration, fn func(context.Context) error) error {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	return panics.Safely(func() error { return fn(ctx) })
}

func jitter(limit time.Duration) time.Duration {
	if limit <= 0 {
		return 0
	}
	return rand.N(limit)
}
