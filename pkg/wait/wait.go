// Package wait pauses a loop until a time has passed or a context ends.
package wait

import (
	"context"
	"time"
)

// For waits for the duration d. It returns false if ctx ends first.
func For(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return ctx.Err() == nil
	}
}
