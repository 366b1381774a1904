package reply

import (
	"context"
	"errors"
	"sync"
)

const (
	// LargeWrite is the size in bytes from which an answer counts as large when it is written. A
	// smaller answer fits into the buffers of a connection.
	LargeWrite = 64 << 10
	// LargeBuild is the size in bytes from which an answer counts as large when it is built.
	LargeBuild = 128 << 10
	// LargePage is the page size from which an answer counts as large before it is built.
	LargePage = 1000
	// largeAtOnce is the number of large answers that are built at a time. More would need more memory
	// and would not be faster.
	largeAtOnce = 4
	// streamCost is the memory of an open stream in addition to its content: a buffer and bytes read
	// ahead.
	streamCost = 256 << 10
)

// A Load bounds the memory of answers until clients have read them. Few large answers are built at
// a time, and the answers that are being written have a budget. Large answers never cause small
// answers to be refused.
type Load struct {
	most  int64
	large chan struct{} // places for large answers that are being built

	mu   sync.Mutex
	held int64 // bytes of replies that are being written, and of open streams
}

// NewLoad makes a load. most is the budget in bytes of the answers that are being written.
func NewLoad(most int64) *Load { return &Load{most: most, large: make(chan struct{}, largeAtOnce)} }

// ErrBusy means that the budget of large answers is used up.
var ErrBusy = errors.New("too many large answers at once")

// StartLarge waits for a place to build a large answer. EndLarge releases the place.
func (l *Load) StartLarge(ctx context.Context) error {
	select {
	case l.large <- struct{}{}:
		return nil
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			return ErrBusy
		}
		return ctx.Err()
	}
}

func (l *Load) EndLarge() { <-l.large }

// Begin allows a reply to be written. A reply counts once, however many clients read it.
func (l *Load) Begin(r *Reply) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if *r.readers == 0 {
		if l.held+r.size() > l.most {
			return ErrBusy
		}
		l.held += r.size()
	}
	*r.readers++
	return nil
}

// End must be called when a client has received a reply or has left.
func (l *Load) End(r *Reply) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if *r.readers--; *r.readers == 0 {
		l.held -= r.size()
	}
}

// Bytes returns the number of held bytes, for the metrics.
func (l *Load) Bytes() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return float64(l.held)
}

func (r *Reply) size() int64 {
	if r.Content != nil {
		return streamCost
	}
	return int64(len(r.Body))
}
