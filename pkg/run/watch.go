package run

import (
	"context"
	"errors"

	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/events"
)

// Watch calls look as the loop says until ctx ends, and also at once when a hint arrives. look
// reads the tables, so a lost event delays a change by at most one period.
func Watch(ctx context.Context, bus *events.Bus, l Loop, look func(context.Context) error, hints ...Hint) error {
	now := make(chan struct{}, 1)
	hinted := func() {
		select {
		case now <- struct{}{}:
		default: // the next call is already due
		}
	}
	var errs []error
	for _, subscribe := range hints {
		errs = append(errs, subscribe(ctx, bus, hinted))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	l.Now = now
	if l.MaxBackoff == 0 {
		l.MaxBackoff = 2 * l.Period
	}
	return Every(ctx, l, look)
}

// A Hint subscribes to an event. It calls hinted for each event, so that look runs.
type Hint func(ctx context.Context, bus *events.Bus, hinted func()) error

// On returns the hint for events of type M.
func On[M any, P interface {
	*M
	proto.Message
}](ctx context.Context, bus *events.Bus, hinted func()) error {
	return events.Subscribe(ctx, bus, func(P) { hinted() })
}
