package rest

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
)

// listeners counts open streams and ends them all.
type listeners struct {
	most int64
	open atomic.Int64
	all  sync.WaitGroup // the open ones
	once sync.Once
	done chan struct{}
}

func newListeners(most int) *listeners {
	return &listeners{most: int64(most), done: make(chan struct{})}
}

// stop ends every stream, and those that begin later.
func (l *listeners) stop() { l.once.Do(func() { close(l.done) }) }

// wait waits until every stream has ended, after stop: the server no longer knows of their connections.
func (l *listeners) wait(ctx context.Context) error {
	ended := make(chan struct{})
	go func() {
		l.all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%d event streams did not end: %w", l.open.Load(), ctx.Err())
	}
}

// enter takes a place for a stream; leave gives it back.
func (l *listeners) enter() error {
	if l.open.Add(1) > l.most {
		l.open.Add(-1)
		return &Error{Status: http.StatusServiceUnavailable, Detail: "too many streams are open; try again soon", Header: http.Header{"Retry-After": {"30"}}}
	}
	l.all.Add(1)
	return nil
}

func (l *listeners) leave() {
	l.all.Done()
	l.open.Add(-1)
}
