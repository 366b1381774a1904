package events

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"google.golang.org/protobuf/proto"

	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// quiet is how long AskServed waits for another answer.
const quiet = 200 * time.Millisecond

// AskServed asks all transit APIs which feeds they serve. It waits at most within for the first
// answer. It returns none if no API answers or NATS is not configured.
func (b *Bus) AskServed(ctx context.Context, within time.Duration) ([]*eventsv1.FeedsServed, error) {
	if b == nil {
		return nil, nil
	}
	subject, inbox := subjectOf(&eventsv1.FeedsAsked{}), b.nc.NewInbox()
	sub, err := b.nc.SubscribeSync(inbox)
	if err == nil {
		defer func() { _ = sub.Unsubscribe() }()
		err = b.nc.PublishRequest(subject, inbox, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", subject, err)
	}
	var all []*eventsv1.FeedsServed
	for {
		raw, err := sub.NextMsg(within)
		if err != nil || ctx.Err() != nil {
			return all, ctx.Err()
		}
		if raw.Header.Get("Status") == "503" { // the server reports that no process answers
			return nil, nil
		}
		served := &eventsv1.FeedsServed{}
		if err := proto.Unmarshal(raw.Data, served); err != nil {
			return nil, fmt.Errorf("answer to %s: %w", subject, err)
		}
		all, within = append(all, served), quiet
	}
}

// AnswerServed answers AskServed until ctx ends.
func (b *Bus) AnswerServed(ctx context.Context, served func() *eventsv1.FeedsServed) error {
	if b == nil {
		return nil
	}
	return b.subscribe(ctx, subjectOf(&eventsv1.FeedsAsked{}), func(raw *nats.Msg) {
		_ = b.announce(raw.Subject, func() {
			data, err := proto.Marshal(served())
			if err == nil {
				err = raw.Respond(data)
			}
			if err != nil {
				b.log.Debug("request not answered", "subject", raw.Subject, "error", err)
			}
		})
	})
}
