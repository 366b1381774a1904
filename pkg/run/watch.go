package run

import (
	"context"
	"errors"

	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/events"
)

// Watch calls look by the loop's rules until ctx ends, and at once when a hint arrives. look reads
// the tables, so a lost event only delays a change by one period.
func Watch(ctx context.Context, bus *events.Bus, l Loop, look func(context.Context) error, hints ...Hint) error {
	now := make(chan struct{}, 1)
	hinted := func() {
		select {
		case now <- struct{}{}:
		default: // the next call is already requested
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

// A Hint subscribes to an event after which look should run.
type Hint func(ctx context.Context, bus *events.Bus, hinted func()) error

// On makes the hint of one kind of event.
func On[M any, P interface {
	*M
	proto.Message
}](ctx context.Context, bus *events.Bus, hinted func()) error {
	return events.Subscribe(ctx, bus, func(P) { hinted() })
}
