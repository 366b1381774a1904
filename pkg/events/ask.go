package events

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"google.golang.org/protobuf/proto"
)

// quiet is how long Ask waits for another answer.
const quiet = 200 * time.Millisecond

// Ask sends a request to all processes and returns their answers. It waits at most within for the
// first answer. It returns none if no process answers or NATS is not configured.
func Ask[M any, P message[M]](ctx context.Context, b *Bus, question proto.Message, within time.Duration) ([]P, error) {
	if b == nil {
		return nil, nil
	}
	data, err := proto.Marshal(question)
	if err != nil {
		return nil, fmt.Errorf("ask: %w", err)
	}
	inbox := b.nc.NewInbox()
	sub, err := b.nc.SubscribeSync(inbox)
	if err == nil {
		defer func() { _ = sub.Unsubscribe() }()
		err = b.nc.PublishRequest(subjectOf(question), inbox, data)
	}
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", subjectOf(question), err)
	}
	var all []P
	for {
		raw, err := sub.NextMsg(within)
		if err != nil || ctx.Err() != nil { // no more answers
			return all, ctx.Err()
		}
		if raw.Header.Get("Status") == "503" { // the server reports that no process answers
			return nil, nil
		}
		m := P(new(M))
		if err := proto.Unmarshal(raw.Data, m); err != nil {
			return nil, fmt.Errorf("answer to %s: %w", subjectOf(question), err)
		}
		all, within = append(all, m), quiet
	}
}

// Answer answers requests of type Q until ctx ends, as [Subscribe] handles announcements.
func Answer[Q, M any, P message[Q], R message[M]](ctx context.Context, b *Bus, fn func(P) R) error {
	if b == nil {
		return nil
	}
	subject := subjectOf(P(new(Q)))
	sub, err := b.nc.Subscribe(subject, func(raw *nats.Msg) {
		_ = b.announce(subject, func() {
			q := P(new(Q))
			data, err := []byte(nil), proto.Unmarshal(raw.Data, q)
			if err == nil {
				data, err = proto.Marshal(fn(q))
			}
			if err == nil {
				err = raw.Respond(data)
			}
			if err != nil {
				b.log.Debug("request not answered", "subject", subject, "error", err)
			}
		})
	})
	if err != nil {
		return fmt.Errorf("subscribe to %s: %w", subject, err)
	}
	context.AfterFunc(ctx, func() { _ = sub.Unsubscribe() })
	return nil
}
