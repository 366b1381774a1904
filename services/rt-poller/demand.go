package rtpoller

import (
	"context"
	"sync"
	"time"
)

// wantedFor is how long a request counts at least without being repeated: then the reader has gone.
const wantedFor = 10 * time.Minute

// wanted is since when readers or the schedule wait for a good answer of a source, by the monotonic
// clock.
type wanted struct {
	mu          sync.Mutex
	first, last time.Time // question without an answer; zero: none
}

// ask notes a request. every is how often the schedule makes one.
func (w *wanted) ask(now time.Time, every time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over(now, every) {
		w.first = now
	}
	w.last = now
}

func (w *wanted) answered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.first = time.Time{}
}

// since is how long a request has been waiting; 0 if there is none.
func (w *wanted) since(now time.Time, every time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over(now, every) {
		return 0
	}
	return now.Sub(w.first)
}

func (w *wanted) over(now time.Time, every time.Duration) bool {
	return w.first.IsZero() || now.Sub(w.last) > max(wantedFor, 2*every)
}

// usual is the size of answers that any number of polls may hold at once. Only one poll at a time
// may hold a larger one, so memory does not grow with the number of broken sources.
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
