package rest

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/townline/townline/pkg/rest/internal/reply"
)

// Push: a client that accepts text/event-stream gets each new answer of an endpoint as a
// server-sent event (HTML Living Standard). The data of an event is the body of a plain request at
// that moment. Its id is the ETag of the body, so a client that reconnects with Last-Event-ID gets
// no body twice.

const (
	// Heartbeat is the interval of comments in an idle stream, because proxies close silent streams.
	Heartbeat  = 15 * time.Second
	streamLife = 30 * time.Minute // clients reconnect by themselves, and then access is checked again
)

type laterAnswer struct{}

// IsLaterAnswer reports whether ctx is that of a stream that answers after a change. Its client has an
// answer already, and gets the next one as soon as the data changes again: so nothing is awaited.
func IsLaterAnswer(ctx context.Context) bool { return ctx.Value(laterAnswer{}) != nil }

// wantsPush reports whether a request accepts a stream but not JSON.
func wantsPush(r *http.Request) bool {
	accept := r.Header["Accept"]
	return reply.Names(accept, "text/event-stream") && !reply.NamesJSON(accept)
}

// push answers a request with a stream until the client disconnects. current returns the answer of the
// moment. push returns an error only if it has not written anything.
func (c *Call) push(current func(context.Context, *Call) (*File, error)) error {
	select {
	case c.s.streams <- struct{}{}:
		defer func() { <-c.s.streams }()
	default:
		return Unavailable(30*time.Second, "too many streams are open; try again soon")
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), streamLife)
	defer cancel()
	changed := c.e.changed() // read before Now, so that no change is missed
	next, err := current(ctx, c)
	if err != nil {
		return err
	}
	h := c.w.Header()
	h["Content-Type"] = []string{"text/event-stream"}
	h["Cache-Control"] = noStore
	h["Access-Control-Expose-Headers"] = exposedHeaders
	h["X-Accel-Buffering"] = []string{"no"} // a buffering proxy would delay events
	c.w.WriteHeader(http.StatusOK)
	if c.r.Method == http.MethodHead {
		return nil
	}
	c.pushed = true
	out := newPacedWriter(c.w, c.s.pace, c.s.slow)
	// Otherwise the deadline of the request would end the stream. Writers of tests have no deadlines.
	_ = out.conn.SetReadDeadline(time.Time{})
	if next.Tag == c.r.Header.Get("Last-Event-Id") {
		err = out.send(comment)
	} else {
		err = c.event(ctx, out, next)
	}
	ctx = context.WithValue(ctx, laterAnswer{}, true)
	sent := next.Sum // a hash rather than the body, which would stay in memory while the stream is idle
	for err == nil && c.pause(ctx, out, changed) {
		changed = c.e.changed()
		if access := c.e.in.access; access != nil { // Access must allow each answer
			if _, err := access(c.r, &c.e.Spec); err != nil {
				return nil // the client gets the error when it reconnects
			}
		}
		next, err = current(ctx, c)
		if err == nil && next.Sum != sent {
			sent = next.Sum
			err = c.event(ctx, out, next)
		}
	}
	return nil
}

// pause sends heartbeats until the data changes or the generation expires. It reports whether the
// stream continues.
func (c *Call) pause(ctx context.Context, out *pacedWriter, changed <-chan struct{}) bool {
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
		case <-c.s.ended:
			return false
		case <-changed:
			return true
		case <-end:
			return true
		case <-beat.C:
			if out.send(comment) != nil {
				return false
			}
			c.e.changed() // reports to the source that a client still listens; the channel stays the same
		}
	}
}

var comment = []byte(":\n\n")

// event sends a body as one event. Its JSON has no line breaks.
func (c *Call) event(ctx context.Context, out *pacedWriter, f *File) error {
	if err := c.hold(ctx, len(f.Body), false); err != nil {
		return err // the client reconnects by itself
	}
	err := out.send([]byte("id: "+f.Tag+"\ndata: "), f.Body, []byte("\n\n"))
	return errors.Join(err, c.hold(ctx, 0, false))
}
