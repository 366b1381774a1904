package rtpoller

import (
	"context"
	"slices"
	"sync"
	"time"
)

// demandTimeout is how long an unanswered request counts if it is not repeated.
const demandTimeout = 10 * time.Minute

// A demand measures how long readers or the schedule have been waiting for a good answer of a
// source. It uses the monotonic clock.
type demand struct {
	mu          sync.Mutex
	first, last time.Time // requests since the last good answer; zero if there are none
}

// add records a request. period is the time between scheduled polls.
func (d *demand) add(now time.Time, period time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isOver(now, period) {
		d.first = now
	}
	d.last = now
}

func (d *demand) answered() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.first = time.Time{}
}

// waiting returns how long the first request has been waiting; 0 without a request.
func (d *demand) waiting(now time.Time, period time.Duration) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isOver(now, period) {
		return 0
	}
	return now.Sub(d.first)
}

func (d *demand) isOver(now time.Time, period time.Duration) bool {
	return d.first.IsZero() || now.Sub(d.last) > max(demandTimeout, 2*period)
}

// smallAnswer is the largest answer that any number of polls may hold at once. Larger answers are
// held one at a time, so that memory does not grow with the number of broken sources.
const smallAnswer = 1 << 20

type answerBuffer struct {
	ctx      context.Context
	large    chan struct{}
	held     bool
	expected int // size of the last answer, to allocate the buffer once
	body     []byte
}

// Write implements io.Writer.
func (a *answerBuffer) Write(b []byte) (int, error) {
	if !a.held && len(a.body)+len(b) > smallAnswer {
		select {
		case a.large <- struct{}{}:
			a.held = true
			a.body = slices.Grow(a.body, max(0, a.expected+a.expected/16-len(a.body)))
		case <-a.ctx.Done():
			return 0, a.ctx.Err()
		}
	}
	a.body = append(a.body, b...)
	return len(b), nil
}

// release allows another poll to hold a large answer.
func (a *answerBuffer) release() {
	a.body = nil
	if a.held {
		<-a.large
	}
}
