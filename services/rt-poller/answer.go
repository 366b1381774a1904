package rtpoller

import "context"

// usual is the size of answers that any number of sources may give at once. A larger one waits until no other larger one is in hand, so
// that memory does not grow with the number of sources that have lost their measure.
const usual = 1 << 20

// An answer collects the body of one. It is dropped when the poll is over.
type answer struct {
	ctx   context.Context
	large chan struct{}
	held  bool
	body  []byte
}

// Write is part of io.Writer.
func (a *answer) Write(b []byte) (int, error) {
	if !a.held && len(a.body)+len(b) > usual {
		select {
		case a.large <- struct{}{}:
			a.held = true
		case <-a.ctx.Done():
			return 0, a.ctx.Err()
		}
	}
	a.body = append(a.body, b...)
	return len(b), nil
}

// drop lets the next large answer come.
func (a *answer) drop() {
	a.body = nil
	if a.held {
		<-a.large
	}
}
