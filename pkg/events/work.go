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
)

// workers is the consumer that all replicas share.
const workers = "workers"

const (
	// A worker says every heartbeat that it is still at it; one that is silent for
	// ackWait is taken for dead and the work is given to another.
	ackWait   = 30 * time.Second
	heartbeat = 10 * time.Second
	// Work that failed so often is refused: the request is wrong, or what it asks for is.
	maxFailures = 5
	// Work that a stop interrupts has not failed, so it is given again for nothing. Only
	// a request that has never come to an end in so many deliveries is refused: it may
	// well end the process that does it.
	maxDeliveries = 30
	// What is done is confirmed until the server has heard it, for at most ackWait: then the
	// request has been given to somebody else anyway.
	settlePause = 500 * time.Millisecond
	// Requests that nobody began for so long have lost their meaning.
	workMaxAge = 24 * time.Hour
	// So many requests may wait; a further one is not taken, and who asks is told.
	workMaxWaiting = 10_000
)

// retryAfter is the pause before work that has failed so often is tried again.
func retryAfter(failures int) time.Duration {
	return min(5*time.Second<<min(failures, 6), 5*time.Minute)
}

// ensureStream creates or updates the stream for a kind of work. Both sides
// call it, so that neither has to be started first.
func (b *Bus) ensureStream(ctx context.Context, m proto.Message) error {
	name := streamOf(m)
	if name == "" {
		return fmt.Errorf("%T is not work: it has no stream", m)
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

// Consume does work of type M, one request at a time, until ctx ends; then it
// returns nil. fn gets a context that ends with ctx. When fn fails, the request
// is given again later, to whichever replica is free; after maxFailures, or a panic,
// it is refused with the reason (see Refusal). An end of ctx is no failure.
// While NATS is away Consume waits for it.
func Consume[M any, P message[M]](ctx context.Context, b *Bus, fn func(context.Context, P) error) error {
	if b == nil {
		<-ctx.Done()
		return nil
	}
	var example P = new(M)
	b.expect(subjectOf(example))
	pause, told := time.Second, ""
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
		if text := err.Error(); text != told {
			told = text
			b.log.Warn("cannot do work now", "stream", streamOf(example), "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(pause*2, 15*time.Second)
	}
	return nil
}

// ErrFinal refuses the request at once where the error of a consumer's function wraps it: another try cannot help.
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
		MaxDeliver:    -1, // deliveries say nothing of failures: see work
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
		// After a stop no request may be asked for: the one that was given back would be sent here again, and wait for ackWait.
		if ctx.Err() != nil {
			return ctx.Err()
		}
		msg, err := messages.Next()
		if err != nil {
			return fmt.Errorf("next request from %s: %w", stream, err)
		}
		if msg.Subject() == probeSubject(stream) {
			_ = msg.Ack() // which is the answer; see probe
			continue
		}
		b.work(ctx, &request{Msg: msg, example: example, failures: failures}, fn)
	}
}

// work runs fn for one request and settles it.
func (b *Bus) work(ctx context.Context, req *request, fn func(context.Context, []byte) error) {
	settled := b.heartbeat(ctx, req)
	defer settled()
	if err := b.settle(ctx, req, fn); err != nil {
		b.log.Warn("cannot settle a work request; it will come again", "subject", req.Subject(), "error", err)
	}
}

// heartbeat says that the request is being worked at until the returned function is called.
func (b *Bus) heartbeat(ctx context.Context, req *request) func() {
	alive, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(heartbeat)
		defer tick.Stop()
		for {
			select {
			case <-alive.Done():
				return
			case <-tick.C:
				_ = req.InProgress()
			}
		}
	}()
	return func() { cancel(); <-done }
}

// settle does the request, unless too much speaks against it, and tells the server what came of it.
func (b *Bus) settle(ctx context.Context, req *request, fn func(context.Context, []byte) error) error {
	meta, err := req.Metadata()
	if err != nil {
		return fmt.Errorf("read what the server says of it: %w", err)
	}
	past, err := req.past(ctx, meta)
	switch {
	case err != nil:
		return errors.Join(err, req.NakWithDelay(b.pause(1)))
	case past.Refused: // and the process ended before the server heard it
		return req.TermWithReason(past.Reason)
	case meta.NumDelivered > b.maxDeliveries:
		return b.refuse(ctx, req, past, fmt.Errorf("begun %d times and never ended: it may end the process that does it", meta.NumDelivered-1))
	case meta.NumDelivered == 1 && time.Since(meta.Timestamp) > b.maxAge:
		return b.refuse(ctx, req, past, fmt.Errorf("nobody began it within %s", b.maxAge))
	}
	traced, handled := b.receive(ctx, req.Subject(), req.Headers())
	err = b.attempt(traced, req, fn)
	handled(err)
	switch {
	case err == nil:
		b.count(req.Subject(), "done")
		if err := confirm(ctx, req); err != nil {
			return err
		}
		return req.forgive(ctx)
	case ctx.Err() != nil:
		return req.Nak() // we are stopping: somebody else, at once
	}
	past.Failures++
	if errors.Is(err, ErrFinal) || past.Failures >= maxFailures {
		return b.refuse(ctx, req, past, err)
	}
	b.log.Warn("work request failed; it will be tried again", "subject", req.Subject(), "failures", past.Failures, "error", err)
	b.count(req.Subject(), "failed")
	return errors.Join(req.remember(ctx, past, err), req.NakWithDelay(b.pause(past.Failures)))
}

// refuse ends a request that is not done. Its reason is stored first: if that fails, the request comes again.
func (b *Bus) refuse(ctx context.Context, req *request, past Refusal, cause error) error {
	past.Refused = true
	if err := req.remember(ctx, past, cause); err != nil {
		return errors.Join(err, req.NakWithDelay(b.pause(past.Failures)))
	}
	b.log.Error("work request refused", "subject", req.Subject(), "request", req.text(), "failures", past.Failures, "error", cause)
	b.count(req.Subject(), "refused")
	return req.TermWithReason(reason(cause))
}

// attempt runs fn. While there is no database the request is not at fault: it waits
// here, in hand, and its deliveries are left for what is.
func (b *Bus) attempt(ctx context.Context, msg jetstream.Msg, fn func(context.Context, []byte) error) error {
	for pause := time.Second; ; pause = min(2*pause, 15*time.Second) {
		err := guarded(ctx, msg.Data(), fn)
		if ctx.Err() != nil || !pg.Unavailable(err) {
			return err
		}
		b.log.Warn("work request waits for the database", "subject", msg.Subject(), "error", err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// guarded runs fn; a panic costs the request and not the process.
func guarded(ctx context.Context, data []byte, fn func(context.Context, []byte) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %w", ErrFinal, panics.Error(p))
		}
	}()
	return fn(ctx, data)
}

// confirm tells the server that the work is done, until it has answered: a confirmation
// that is lost on the way to a dying server would have the work done twice.
func confirm(ctx context.Context, msg jetstream.Msg) error {
	wait := ackWait
	if ctx.Err() != nil {
		wait = 3 * time.Second // we are stopping
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), wait)
	defer cancel()
	for {
		try, cancel := context.WithTimeout(ctx, 3*time.Second)
		err := msg.DoubleAck(try)
		cancel()
		if err == nil || errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(settlePause):
		}
	}
}
