// Package wait waits in loops that end with a context. It knows nothing of what is waited for.
package wait

import (
	"context"
	"time"
)

// For waits for d or until ctx ends, and reports whether it waited to the end.
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
