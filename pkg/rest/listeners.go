package rest

import (
	"net/http"
	"sync"
	"sync/atomic"
)

// listeners counts open streams and ends them all.
type listeners struct {
	most int64
	open atomic.Int64
	once sync.Once
	done chan struct{}
}

func newListeners(most int) *listeners {
	return &listeners{most: int64(most), done: make(chan struct{})}
}

// stop ends every stream, and those that begin later.
func (l *listeners) stop() { l.once.Do(func() { close(l.done) }) }

// enter takes a place for a stream; leave gives it back.
func (l *listeners) enter() error {
	if l.open.Add(1) > l.most {
		l.open.Add(-1)
		return &Error{Status: http.StatusServiceUnavailable, Detail: "too many streams are open; try again soon", Header: http.Header{"Retry-After": {"30"}}}
	}
	return nil
}

func (l *listeners) leave() { l.open.Add(-1) }
