package events

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/wait"
)

// workers is the consumer that all replicas share.
const workers = "workers"

const (
	// After this time without progress, a worker counts as dead, and another gets its request.
	ackWait   = 30 * time.Second
	heartbeat = 10 * time.Second
	// A request is refused after this many failures.
	maxFailures = 5
	// Interruptions are not failures. But a request that is still unfinished after this many
	// deliveries is refused, because it may kill its worker.
	maxDeliveries = 30
	// The pause between two attempts to submit a request or to confirm its end.
	retryPause = 500 * time.Millisecond
	// Requests that have not started after this time are refused as out of date.
	workMaxAge = 24 * time.Hour
	// Largest number of waiting requests. Beyond it, Submit returns an error.
	workMaxWaiting = 10_000
)

// retryAfter returns the pause before the next attempt, by the number of failures.
func retryAfter(failures int) time.Duration {
	return min(5*time.Second<<min(failures, 6), 5*time.Minute)
}

// ensureStream creates or updates the stream for a type of work. Senders and workers both call it,
// so the order in which they start does not matter.
func (b *Bus) ensureStream(ctx context.Context, m proto.Message) error {
	name := streamOf(m)
	if name == "" {
		return fmt.Errorf("%T is not a work request: it has no stream", m)
	}
	_, err := b.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:        name,
		Description: "Work requests of Townline; each is removed once it is done.",
		Subjects:    []string{subjectOf(m), probeSubject(name)},
		Retention:   jetstream.WorkQueuePolicy,
		Storage:     jetstream.FileStorage,
		Discard:     jetstream.DiscardNew,
		MaxMsgs:     workMaxWaiting,
		MaxMsgSize:  64 << 10,
		Replicas:    b.replicas,
	})
	if err != nil {
		return fmt.Errorf("prepare stream %s: %w", name, err)
	}
	return nil
}

// Consume does work of type M, one request at a time, until ctx ends; then it returns nil. A failed
// request is delivered again later, to any free replica. After maxFailures failures, or a panic, it
// is refused with the reason (see Refusal). The end of ctx is not a failure.
func Consume[M any, P message[M]](ctx context.Context, b *Bus, fn func(context.Context, P) error) error {
	if b == nil {
		<-ctx.Done()
		return nil
	}
	var example P = new(M)
	for _, outcome := range []string{"done", "failed", "refused"} { // from 0, so that the first failure is an increase
		b.outcomes.WithLabelValues(subjectOf(example), outcome)
	}
	pause, logged := time.Second, ""
	for ctx.Err() == nil {
		start := time.Now()
		err := consume(ctx, b, example, func(ctx context.Context, data []byte) error {
			m := P(new(M))
			if err := proto.Unmarshal(data, m); err != nil {
				return fmt.Errorf("%w: it does not decode: %w", ErrFinal, err)
			}
			return fn(ctx, m)
		})
		if ctx.Err() != nil {
			return nil
		}
		if time.Since(start) > time.Minute {
			pause = time.Second
		}
		if text := err.Error(); text != logged {
			logged = text
			b.log.Warn("cannot receive work requests now", "stream", streamOf(example), "error", err)
		}
		wait.For(ctx, pause)
		pause = min(pause*2, 15*time.Second)
	}
	return nil
}

type requestID struct{}

// RequestID returns the id of the work request that ctx belongs to, which is the same in each
// delivery; "" outside of a worker.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestID{}).(string)
	return id
}

// ErrFinal refuses a work request at once if the error of the worker's function wraps it.
var ErrFinal = errors.New("not tried again")

func consume(ctx context.Context, b *Bus, example proto.Message, fn func(context.Context, []byte) error) error {
	setup, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := b.ensureStream(setup, example); err != nil {
		return err
	}
	stream := streamOf(example)
	failures, err := b.ensureFailures(setup, stream)
	if err != nil {
		return err
	}
	consumer, err := b.js.CreateOrUpdateConsumer(setup, stream, jetstream.ConsumerConfig{
		Durable:       workers,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       ackWait,
		MaxDeliver:    -1, // a delivery is not a failure; see work
		MaxAckPending: 64,
	})
	if err != nil {
		return fmt.Errorf("prepare consumer of %s: %w", stream, err)
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(1))
	if err != nil {
		return fmt.Errorf("pull from %s: %w", stream, err)
	}
	defer messages.Stop()
	stop := context.AfterFunc(ctx, messages.Stop)
	defer stop()
	for {
		// Do not pull after a stop: the request would be delivered here again, and wait for ackWait.
		if ctx.Err() != nil {
			return ctx.Err()
		}
		msg, err := messages.Next()
		if err != nil {
			return fmt.Errorf("next request from %s: %w", stream, err)
		}
		if msg.Subject() == probeSubject(stream) {
			_ = msg.Ack() // answers a probe
			continue
		}
		b.work(ctx, &request{Msg: msg, example: example, failures: failures}, fn)
	}
}

// work runs fn for one request and reports progress and the outcome to the server.
func (b *Bus) work(ctx context.Context, req *request, fn func(context.Context, []byte) error) {
	alive, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for wait.For(alive, heartbeat) {
			_ = req.InProgress()
		}
	}()
	if err := b.handle(ctx, req, fn); err != nil {
		b.log.Warn("cannot report the outcome of a work request; it will be delivered again",
			"subject", req.Subject(), "error", err)
	}
}

// handle does the request and reports the outcome. It refuses requests that are out of date or
// failed too often.
func (b *Bus) handle(ctx context.Context, req *request, fn func(context.Context, []byte) error) error {
	meta, err := req.Metadata()
	if err != nil {
		return fmt.Errorf("read the request's metadata: %w", err)
	}
	past, err := req.past(ctx, meta)
	switch {
	case err != nil:
		return errors.Join(err, req.NakWithDelay(b.pause(1)))
	case past.Refused: // the process ended before it reported the refusal to the server
		return req.TermWithReason(past.Reason)
	case meta.NumDelivered > b.maxDeliveries:
		return b.refuse(ctx, req, past, fmt.Errorf("started %d times and never finished: it may kill the process that "+
			"works on it", meta.NumDelivered-1))
	case meta.NumDelivered == 1 && time.Since(meta.Timestamp) > b.maxAge:
		return b.refuse(ctx, req, past, fmt.Errorf("no worker started it within %s", b.maxAge))
	}
	traced, handled := b.receive(ctx, req.Subject(), req.Headers())
	err = b.attempt(context.WithValue(traced, requestID{}, req.Headers().Get(jetstream.MsgIDHeader)), req, fn)
	handled(err)
	switch {
	case err == nil:
		b.count(req.Subject(), "done")
		if err := confirm(ctx, req); err != nil {
			return err
		}
		return req.deleteFailures(ctx)
	case ctx.Err() != nil:
		return req.Nak() // this worker stops: deliver it to another at once
	}
	past.Failures++
	if errors.Is(err, ErrFinal) || past.Failures >= maxFailures {
		return b.refuse(ctx, req, past, err)
	}
	b.log.Warn("work request failed; it will be tried again", "subject", req.Subject(), "failures", past.Failures, "error",
		err)
	b.count(req.Subject(), "failed")
	return errors.Join(req.storeFailure(ctx, past, err), req.NakWithDelay(b.pause(past.Failures)))
}

// refuse ends a request. It stores the reason first. If that fails, the request is delivered again.
func (b *Bus) refuse(ctx context.Context, req *request, past Refusal, cause error) error {
	past.Refused = true
	if err := req.storeFailure(ctx, past, cause); err != nil {
		return errors.Join(err, req.NakWithDelay(b.pause(past.Failures)))
	}
	b.log.Error("work request refused", "subject", req.Subject(), "request", req.text(), "failures", past.Failures,
		"error", cause)
	b.count(req.Subject(), "refused")
	return req.TermWithReason(reason(cause))
}

// attempt runs fn. It waits while the database is unreachable, which is not a failure of the
// request.
func (b *Bus) attempt(ctx context.Context, msg jetstream.Msg, fn func(context.Context, []byte) error) error {
	for pause := time.Second; ; pause = min(2*pause, 15*time.Second) {
		err := panics.Safely(func() error { return fn(ctx, msg.Data()) })
		if errors.Is(err, panics.ErrPanic) {
			return fmt.Errorf("%w: %w", ErrFinal, err)
		}
		if ctx.Err() != nil || !pg.Unavailable(err) {
			return err
		}
		b.log.Warn("work request waits for the database", "subject", msg.Subject(), "error", err)
		if !wait.For(ctx, pause) {
			return err
		}
	}
}

// confirm retries until the server knows that the work is done. Unconfirmed work is repeated.
func confirm(ctx context.Context, msg jetstream.Msg) error {
	within := ackWait
	if ctx.Err() != nil {
		within = 3 * time.Second // because this worker stops
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	for {
		try, cancel := context.WithTimeout(ctx, 3*time.Second)
		err := msg.DoubleAck(try)
		cancel()
		if err == nil || errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
			return nil
		}
		if !wait.For(ctx, retryPause) {
			return err
		}
	}
}
