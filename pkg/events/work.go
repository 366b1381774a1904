package events

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/pg"
)

const (
	// A worker says every heartbeat that it is still at it; one that is silent for
	// ackWait is taken for dead and the work is given to another.
	ackWait   = 30 * time.Second
	heartbeat = 10 * time.Second
	// Work that fails is tried again after these pauses; after the last it is
	// dropped with a log line, for a request that has failed so often is wrong.
	maxDeliver = 5
	// What is done is confirmed until the server has heard it, for at most ackWait: then the
	// request has been given to somebody else anyway.
	settlePause = 500 * time.Millisecond
	// Requests older than this have lost their meaning.
	workMaxAge = 24 * time.Hour
)

func retryAfter(delivered uint64) time.Duration {
	return min(5*time.Second<<min(delivered, 6), 5*time.Minute)
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
		Subjects:    []string{subjectOf(m)},
		Retention:   jetstream.WorkQueuePolicy,
		Storage:     jetstream.FileStorage,
		MaxAge:      workMaxAge,
		MaxMsgs:     10_000,
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
// is given again later, to whichever replica is free. While NATS is away Consume
// waits for it.
func Consume[M any, P message[M]](ctx context.Context, b *Bus, fn func(context.Context, P) error) error {
	if b == nil {
		<-ctx.Done()
		return nil
	}
	var example P = new(M)
	b.expect(subjectOf(example))
	pause := time.Second
	for ctx.Err() == nil {
		start := time.Now()
		err := consume(ctx, b, example, func(ctx context.Context, data []byte) error {
			m := P(new(M))
			if err := proto.Unmarshal(data, m); err != nil {
				return errUndecodable
			}
			return fn(ctx, m)
		})
		if ctx.Err() != nil {
			return nil
		}
		if time.Since(start) > time.Minute {
			pause = time.Second
		}
		b.log.Debug("cannot consume work now", "stream", streamOf(example), "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(pause*2, 15*time.Second)
	}
	return nil
}

var errUndecodable = errors.New("work request does not decode")

func consume(ctx context.Context, b *Bus, example proto.Message, fn func(context.Context, []byte) error) error {
	setup, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := b.ensureStream(setup, example); err != nil {
		return err
	}
	stream := streamOf(example)
	consumer, err := b.js.CreateOrUpdateConsumer(setup, stream, jetstream.ConsumerConfig{
		Durable:       "workers",
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       ackWait,
		MaxDeliver:    maxDeliver,
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
		msg, err := messages.Next()
		if err != nil {
			return fmt.Errorf("next request from %s: %w", stream, err)
		}
		b.work(ctx, msg, fn)
	}
}

// work runs fn for one message and settles it.
func (b *Bus) work(ctx context.Context, msg jetstream.Msg, fn func(context.Context, []byte) error) {
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
				_ = msg.InProgress()
			}
		}
	}()
	traced, handled := b.receive(ctx, msg.Subject(), msg.Headers())
	err := b.attempt(traced, msg, fn)
	handled(err)
	var settle error
	switch meta, metaErr := msg.Metadata(); {
	case err == nil:
		b.count(msg.Subject(), "done")
		settle = confirm(ctx, msg)
	case ctx.Err() != nil:
		settle = msg.Nak() // we are stopping: somebody else, at once
	case errors.Is(err, errUndecodable), metaErr == nil && meta.NumDelivered >= maxDeliver:
		b.log.Error("work request dropped", "subject", msg.Subject(), "error", err)
		b.count(msg.Subject(), "dropped")
		settle = msg.Term()
	default:
		b.log.Warn("work request failed; it will be tried again", "subject", msg.Subject(), "error", err)
		b.count(msg.Subject(), "failed")
		settle = msg.NakWithDelay(retryAfter(meta.NumDelivered))
	}
	cancel()
	<-done
	if settle != nil {
		b.log.Warn("cannot settle a work request; it will come again", "subject", msg.Subject(), "error", settle)
	}
}

// attempt runs fn. While there is no database the request is not at fault: it waits
// here, in hand, and its deliveries are left for what is.
func (b *Bus) attempt(ctx context.Context, msg jetstream.Msg, fn func(context.Context, []byte) error) error {
	for pause := time.Second; ; pause = min(2*pause, 15*time.Second) {
		err := fn(ctx, msg.Data())
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
