package rtpoller

import "context"

// usual is the size of answers that any number of polls may hold at once. Only one poll at a time may hold a larger one, so memory
// does not grow with the number of broken sources.
const usual = 1 << 20

// An answer collects the body of an answer. It is dropped when the poll ends.
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

// drop allows the next large answer.
func (a *answer) drop() {
	a.body = nil
	if a.held {
		<-a.large
	}
}
