package reply

import (
	"context"
	"errors"
	"sync"
)

const (
	// LargeWrite is the size in bytes from which an answer is treated as large when it is written:
	// smaller ones fit into the buffers of a connection.
	LargeWrite = 64 << 10
	// LargeBuild is the size in bytes from which an answer is treated as large when it is built.
	LargeBuild = 128 << 10
	// LargePage is the page size from which an answer is treated as large before it is built.
	LargePage = 1000
	// largeAtOnce is how many large answers are built at a time; more would need more memory and be
	// no faster.
	largeAtOnce = 4
	// streamCost is the memory of an open stream besides its content: a buffer and bytes read ahead.
	streamCost = 256 << 10
)

// A Load bounds the memory of answers until clients have read them: few large ones are built at a
// time, and those being written have a budget. Large answers never cause small ones to be refused.
type Load struct {
	most  int64
	large chan struct{} // places for large answers that are being built

	mu   sync.Mutex
	held int64 // bytes of replies that are being written, and of open streams
}

// NewLoad makes a load with a budget of bytes that clients may hold.
func NewLoad(most int64) *Load { return &Load{most: most, large: make(chan struct{}, largeAtOnce)} }

// ErrBusy means that the budget of large answers is used up.
var ErrBusy = errors.New("too many large answers at once")

// StartLarge waits for a place among the large answers that are built; EndLarge releases it.
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

// EndLarge releases the place.
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

// End is called when a client has received a reply or left.
func (l *Load) End(r *Reply) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if *r.readers--; *r.readers == 0 {
		l.held -= r.size()
	}
}

// Bytes returns the held bytes, for the metrics.
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
