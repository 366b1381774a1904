package rest

import (
	"context"
	"errors"
	"net/http"
	"sync"
)

// What answers may cost while they are on their way: few large ones are built at a time, and what slow clients keep from
// being freed has a budget. Small answers are never refused for the load of large ones.

const (
	// largeFrom is the size in bytes from which an answer counts as large when it is written: smaller ones fit into
	// what a connection costs anyway.
	largeFrom = 64 << 10
	// wideFrom is the size in bytes from which an answer counts as large when it is built.
	wideFrom = 128 << 10
	// wideRows is the page size from which an answer counts as large before it is begun.
	wideRows = 1000
	// wideAtOnce is how many large answers are built at a time; more would need more memory and be no faster.
	wideAtOnce = 4
	// streamCost is what an open stream holds beside its content: what was read ahead, and a buffer.
	streamCost = 256 << 10
)

// A load counts the bytes that answers on their way hold beside the cache.
type load struct {
	most int64
	wide chan struct{} // a place each for a large answer that is built

	mu   sync.Mutex
	held int64 // bytes of replies that are being written and not kept, and of open streams
}

func newLoad(most int64) *load { return &load{most: most, wide: make(chan struct{}, wideAtOnce)} }

// holder is a reply's part in the load; load.mu guards it.
type holder struct {
	readers int // connections that it is being written to
	kept    int // entries of the cache
}

// errBusy is an answer for which there is no room now.
func errBusy() error {
	return &Error{Status: http.StatusServiceUnavailable, Detail: "too many large answers are on their way; try again soon", Header: http.Header{"Retry-After": {"5"}}}
}

// begin lets a reply be written: one that is kept costs nothing more, others are counted once, however many read them.
func (l *load) begin(r *reply) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.holder.readers == 0 && r.holder.kept == 0 {
		if l.held+r.size() > l.most {
			return errBusy()
		}
		l.held += r.size()
	}
	r.holder.readers++
	return nil
}

// end is told when one connection has taken a reply, or was let go.
func (l *load) end(r *reply) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.holder.readers--; r.holder.readers == 0 && r.holder.kept == 0 {
		l.held -= r.size()
	}
}

// keep tells whether the cache may take a reply, which it then has. While the budget is used up it takes nothing: what it would
// push out might be held by a client, so that memory would grow by it.
func (l *load) keep(r *reply) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held >= l.most {
		return false
	}
	if r.holder.kept++; r.holder.kept == 1 && r.holder.readers > 0 {
		l.held -= r.size()
	}
	return true
}

// drop is told of each reply that the cache has no more.
func (l *load) drop(r *reply) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.holder.kept--; r.holder.kept == 0 && r.holder.readers > 0 {
		l.held += r.size()
	}
}

// bytes is what is held, for the metrics.
func (l *load) bytes() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return float64(l.held)
}

// size is what a reply holds while it is written.
func (r *reply) size() int64 {
	if r.file != nil && r.file.Content != nil {
		return streamCost
	}
	return int64(len(r.body))
}

// widen waits for a place among the large answers that are built, unless this one has it already.
func (c *Call) widen(ctx context.Context) error {
	if c.wide {
		return nil
	}
	select {
	case c.s.load.wide <- struct{}{}:
		c.wide = true
		return nil
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			return errBusy()
		}
		return ctx.Err()
	}
}

// settle gives the place back, once the answer is refused, kept or counted as held.
func (c *Call) settle() {
	if c.wide {
		c.wide = false
		<-c.s.load.wide
	}
}

// Take counts bytes that a handler is about to hold for its answer beside the JSON that rest counts by itself: the rows that it
// makes, roughly. Call it before each part of what can become large, in loops over data from outside above all. Its error is the
// answer: the answer would be larger than Config.AnswerBytes, or its time is over, or nobody waits for it any more.
func (c *Call) Take(ctx context.Context, bytes int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.taken += bytes; c.taken > c.s.cfg.AnswerBytes {
		return c.tooLarge()
	}
	if c.taken > wideFrom {
		return c.widen(ctx)
	}
	return nil
}

// tooLarge refuses an answer and says what to narrow.
func (c *Call) tooLarge() error {
	e := &Error{Status: http.StatusInsufficientStorage, Detail: "the answer would be larger than " + megabytes(c.s.cfg.AnswerBytes) + ", which is more than one answer may have"}
	for i := range c.e.plan.params {
		p := &c.e.plan.params[i]
		switch {
		case p.name == "limit":
			return BadRequest(Fault{p.name, "asks for an answer of more than " + megabytes(c.s.cfg.AnswerBytes) + ": ask for fewer"})
		case !p.inPath && !p.paging:
			e.Faults = append(e.Faults, Fault{p.name, "can narrow the answer, which would be larger than " + megabytes(c.s.cfg.AnswerBytes)})
		}
	}
	if e.Faults != nil {
		return BadRequest(e.Faults...)
	}
	return e
}
