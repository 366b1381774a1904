package rest

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Push: whoever asks for text/event-stream gets an endpoint's answers one after the other,
// each as an event whose data is the body that a plain request would get at that moment
// (HTML Living Standard, server-sent events). The event's id is the body's ETag, so that a client that comes back with
// Last-Event-ID is not told the same again.

const (
	// Heartbeat is how often an idle stream says that it lives: proxies close silent ones.
	Heartbeat  = 15 * time.Second
	streamLife = 30 * time.Minute // clients come back by themselves, and are let in anew
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

// enter takes a place; leave gives it back.
func (l *listeners) enter() error {
	if l.open.Add(1) > l.most {
		l.open.Add(-1)
		return &Error{Status: http.StatusServiceUnavailable, Detail: "too many streams are open; try again soon", Header: http.Header{"Retry-After": {"30"}}}
	}
	return nil
}

func (l *listeners) leave() { l.open.Add(-1) }

// pushes tells whether the endpoint can push.
func (e *Endpoint) pushes() bool { return e.Source != nil && e.Source.Changed != nil && e.body != nil }

// wantsPush tells whether a request asks for a stream and not for JSON.
func wantsPush(r *http.Request) bool {
	accept := r.Header["Accept"]
	for _, line := range accept {
		for elem := range strings.SplitSeq(line, ",") {
			if name, q := weighted(elem); q > 0 && strings.EqualFold(name, "text/event-stream") {
				return !namesJSON(accept)
			}
		}
	}
	return false
}

// push answers a request as a stream. It returns an error only as long as nothing was written.
func (s *Server) push(c *Call) error {
	if err := s.listeners.enter(); err != nil {
		return err
	}
	defer s.listeners.leave()
	ctx, cancel := context.WithTimeout(c.r.Context(), streamLife)
	defer cancel()
	out := &stream{paced: s.paced(c)}
	last := c.r.Header.Get("Last-Event-Id")
	var sent uint64 // of the body: the bytes themselves would stay for as long as the stream is idle
	for first := true; ; first = false {
		changed := c.e.Source.Changed() // before Now, so that no change falls between
		if !first {
			if err := s.mayStill(ctx, c); err != nil {
				return nil // whoever may no longer read, or has had enough, learns it by asking again
			}
		}
		kept, err := s.current(ctx, c)
		switch {
		case err != nil && first:
			return err
		case err != nil:
			return nil
		case first:
			c.pushed = true
			if c.r.Method == http.MethodHead {
				s.streamHeader(c)
				return nil
			}
			s.streamHeader(c)
		}
		switch {
		case (!first || kept.tag != last) && kept.sum != sent:
			sent = kept.sum
			if s.event(c, out, kept) != nil {
				return nil
			}
		case first:
			if out.send(comment) != nil {
				return nil
			}
		}
		c.settle()
		if !s.pause(ctx, c, out, changed) {
			return nil
		}
	}
}

// mayStill asks Access again: a stream is many answers, and each is one that it must allow.
func (s *Server) mayStill(ctx context.Context, c *Call) error {
	if s.cfg.Access == nil {
		return ctx.Err()
	}
	_, err := s.cfg.Access(c.r, &c.e.Spec)
	return err
}

// current is the plain reply of this moment.
func (s *Server) current(ctx context.Context, c *Call) (*reply, error) {
	gen, err := c.e.Source.Now(ctx, c)
	if err != nil {
		return nil, err
	}
	c.gen = gen
	key := bodyKey{gen.N, string(c.e.plan.canonical(nil, c, true)), identity}
	if kept, ok := s.bodies.get(key); ok {
		s.metrics.hit()
		return kept, nil
	}
	s.metrics.miss()
	return s.build(ctx, c, key)
}

// pause waits for a change, or for the moment when the generation ends by the clock, and keeps the stream alive
// meanwhile. It tells whether to go on.
func (s *Server) pause(ctx context.Context, c *Call, out *stream, changed <-chan struct{}) bool {
	beat := time.NewTicker(Heartbeat)
	defer beat.Stop()
	var end <-chan time.Time
	if until := c.gen.Until; !until.IsZero() {
		t := time.NewTimer(time.Until(until))
		defer t.Stop()
		end = t.C
	}
	for {
		select {
		case <-ctx.Done():
			return false
		case <-s.listeners.done:
			return false
		case <-changed:
			return true
		case <-end:
			return true
		case <-beat.C:
			if out.send(comment) != nil {
				return false
			}
			c.e.Source.Changed() // somebody still waits; of the channel that is waited for nothing is new
		}
	}
}

func (s *Server) streamHeader(c *Call) {
	h := c.w.Header()
	h["Content-Type"] = []string{"text/event-stream"}
	h["Cache-Control"] = noStore
	h["Access-Control-Expose-Headers"] = exposedHeaders
	h["X-Content-Type-Options"] = nosniff
	h["X-Accel-Buffering"] = []string{"no"} // a proxy that gathers answers would hold events back
	c.w.WriteHeader(http.StatusOK)
}

// comment is a line that clients skip.
var comment = []byte(":\n\n")

// event sends a body as one event. JSON as we write it has no line breaks. The bytes are the reply's own, whoever else listens.
func (s *Server) event(c *Call, out *stream, r *reply) error {
	if len(r.body) > largeFrom {
		if err := s.hold(c, r); err != nil {
			return err // the client comes back by itself
		}
		defer s.load.end(r)
	}
	return out.send([]byte("id: "+r.tag+"\ndata: "), r.body, []byte("\n\n"))
}

// A stream writes events at the pace of all answers.
type stream struct {
	paced   *pacedWriter
	reading bool // the deadline of reading the request is lifted
}

func (o *stream) send(parts ...[]byte) error {
	if !o.reading {
		// Errors mean that the writer has no deadlines, as in tests.
		_ = o.paced.rc.SetReadDeadline(time.Time{}) // else the server would take the stream for a slow request
		o.reading = true
	}
	for _, b := range parts {
		if _, err := o.paced.Write(b); err != nil {
			return err
		}
	}
	return o.paced.rc.Flush()
}
