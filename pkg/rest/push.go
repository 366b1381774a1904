package rest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/pkg/rest/internal/reply"
)

// Push: a client that accepts text/event-stream gets each new answer of an endpoint
// as an event. Its data is the body that a plain request would get at that moment
// (HTML Living Standard, server-sent events). Its id is the body's ETag, so that a client that reconnects with
// Last-Event-ID does not get the same body again.

const (
	// Heartbeat is how often an idle stream sends a comment: proxies close silent streams.
	Heartbeat  = 15 * time.Second
	streamLife = 30 * time.Minute // clients reconnect by themselves, and access is checked again
)

// wantsPush reports whether a request accepts a stream and not JSON.
func wantsPush(r *http.Request) bool {
	accept := r.Header["Accept"]
	return reply.Names(accept, "text/event-stream") && !reply.NamesJSON(accept)
}

// push answers a request as a stream. It returns an error only if nothing was written. The stream continues in a new goroutine
// on the bare connection: the server's buffers and the deep stack of the handler would be most of the memory of a stream.
func (s *Server) push(c *Call) error {
	if err := s.listeners.enter(); err != nil {
		return err
	}
	changed := c.e.Source.Changed() // before Now, so that no change is missed
	first, err := s.current(c.r.Context(), c)
	if err == nil && c.r.Method == http.MethodHead {
		s.streamHeader(c.w.Header())
		c.w.WriteHeader(http.StatusOK)
	} else if err == nil {
		var out *eventStream
		if out, err = s.takeOver(c); err == nil {
			c.endLarge()
			c.pushed = true
			own := *c // gin uses the request's writer again once the handler has returned
			own.w, own.r, own.span = nil, c.r.WithContext(out.ctx), nil
			go s.listen(&own, out, first, changed)
			return nil
		}
	}
	s.listeners.leave()
	return err
}

// listen sends the first answer and each new one until the client leaves.
func (s *Server) listen(c *Call, out *eventStream, first *reply.Reply, changed <-chan struct{}) {
	defer s.listeners.leave()
	defer out.end()
	defer func() {
		if p := recover(); p != nil {
			s.cfg.Log.Error("an event stream broke off", "api", s.cfg.Name, "request_id", c.id[0], "route", c.e.ID, "error", panics.Error(p))
		}
	}()
	sent := first.Sum // of the body: the bytes would stay in memory while the stream is idle
	var err error
	if first.Tag == c.r.Header.Get("Last-Event-Id") {
		err = out.send(comment)
	} else {
		err = s.event(c, out, first)
	}
	for err == nil && s.pause(c, out, changed) {
		changed = c.e.Source.Changed()
		if s.mayStill(c) != nil {
			return // a client that may no longer read gets the error when it reconnects
		}
		var next *reply.Reply
		if next, err = s.currentApart(out.ctx, c); err == nil && next.Sum != sent {
			sent = next.Sum
			err = s.event(c, out, next)
		}
		c.endLarge()
	}
}

// mayStill calls Access again, because it must allow each answer of a stream.
func (s *Server) mayStill(c *Call) error {
	if s.cfg.Access == nil {
		return nil
	}
	_, err := s.cfg.Access(c.r, &c.e.Spec)
	return err
}

// currentApart is current in a new goroutine: building needs a deep stack, which the stream would keep while it waits.
func (s *Server) currentApart(ctx context.Context, c *Call) (kept *reply.Reply, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = panics.Safely(func() (err error) {
			kept, err = s.current(ctx, c)
			return err
		})
	}()
	<-done
	return kept, err
}

// current returns the plain reply of this moment.
func (s *Server) current(ctx context.Context, c *Call) (*reply.Reply, error) {
	gen, err := c.e.Source.Now(ctx, c)
	if err != nil {
		return nil, err
	}
	c.gen = gen
	c.chooseLanguage()
	return s.keptOrBuilt(ctx, c, reply.Key{Gen: gen.N, Request: string(c.canonical(nil))})
}

// pause waits for a change, or for the end of the generation by the clock, and keeps the stream alive
// meanwhile. It reports whether to continue.
func (s *Server) pause(c *Call, out *eventStream, changed <-chan struct{}) bool {
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
		case <-out.ctx.Done():
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
			c.e.Source.Changed() // a client still waits; the channel is the same
		}
	}
}

func (s *Server) streamHeader(h http.Header) {
	h["Content-Type"] = []string{"text/event-stream"}
	h["Cache-Control"] = noStore
	h["Access-Control-Expose-Headers"] = exposedHeaders
	h["X-Accel-Buffering"] = []string{"no"} // a proxy that buffers answers would delay events
}

// comment is a line that clients skip.
var comment = []byte(":\n\n")

// event sends a body as one event. The JSON has no line breaks. All listeners share the bytes of the reply.
func (s *Server) event(c *Call, out *eventStream, r *reply.Reply) error {
	if len(r.Body) > reply.LargeWrite {
		if err := s.hold(c, r); err != nil {
			return err // the client reconnects by itself
		}
		defer s.load.End(r)
	}
	return out.send([]byte("id: "+r.Tag+"\ndata: "), r.Body, []byte("\n\n"))
}

// An eventStream is a connection that was taken over from the HTTP server. It ends with the connection (RFC 9112 section 6.3).
type eventStream struct {
	conn  net.Conn
	paced *pacedWriter
	ctx   context.Context // ends when the client leaves, and after streamLife
	end   func()
}

// takeOver takes the connection of a request and sends the header of a stream.
func (s *Server) takeOver(c *Call) (*eventStream, error) {
	h := c.w.Header()
	s.streamHeader(h)
	conn, _, err := http.NewResponseController(c.w).Hijack()
	if err != nil {
		return nil, fmt.Errorf("take over the connection of an event stream: %w", err)
	}
	h["Connection"] = closing
	h["Date"] = []string{time.Now().UTC().Format(http.TimeFormat)}
	head := bytes.NewBufferString("HTTP/1.1 200 OK\r\n")
	_ = h.Write(head) // a buffer has no errors
	head.WriteString("\r\n")

	out := &eventStream{conn: conn, paced: &pacedWriter{conn, conn.SetWriteDeadline, s}}
	var cancel context.CancelFunc
	out.ctx, cancel = context.WithTimeout(context.WithoutCancel(c.r.Context()), streamLife)
	out.end = sync.OnceFunc(func() {
		cancel()
		_ = conn.Close() // the client may have left
	})
	go out.watch(cancel)
	if err := out.send(head.Bytes()); err != nil {
		cancel() // and listen ends at once
	}
	return out, nil
}

// watch waits until the client closes the connection. A client that sends more than its request is cut off.
func (o *eventStream) watch(cancel context.CancelFunc) {
	defer cancel()
	_ = o.conn.SetReadDeadline(time.Time{}) // that of the request
	_, _ = o.conn.Read(make([]byte, 1))
}

// send writes parts at the pace of all answers, in one write if they are small enough.
func (o *eventStream) send(parts ...[]byte) error {
	total := 0
	for _, b := range parts {
		total += len(b)
	}
	if total <= pace {
		_ = o.conn.SetWriteDeadline(time.Now().Add(o.paced.s.cfg.Pace))
		all := net.Buffers(parts)
		_, err := all.WriteTo(o.conn)
		return o.paced.failed(err)
	}
	for _, b := range parts {
		if _, err := o.paced.Write(b); err != nil {
			return err
		}
	}
	return nil
}
