// Package sighting remembers when named screens asked for their boards, and publishes it about once a minute, for operators who want
// to know which are alive.
//
// It knows the name of a screen, what was asked for and when; nothing of who asked. An API writes no table: services/rt-poller
// receives the messages and writes them to the table. Without NATS there are none, and screens are served all the same.
package sighting

import (
	"context"
	"sync"
	"time"

	"github.com/townline/townline/pkg/events"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// Forms of a screen.
const (
	Page    = "page"
	Rows    = "rows"
	Picture = "picture"
)

const (
	// every is how often a message is published, soon how long after the first request of a screen, which somebody may have just put up.
	every = time.Minute
	soon  = 2 * time.Second
	// lastly is how long the end of the program waits for the last message.
	lastly  = time.Second
	mostOne = 500 // screens of one message
)

// A Book has the last time of each form of each screen.
type Book struct {
	clock func() time.Time
	bus   *events.Bus

	fresh chan struct{} // a screen asks for the first time

	mu   sync.Mutex
	seen map[of]asked
}

type of struct{ name, form string }

type asked struct {
	at    time.Time
	build string
	sent  bool // in a message
}

// New makes an empty book.
func New(bus *events.Bus, clock func() time.Time) *Book {
	return &Book{clock: clock, bus: bus, fresh: make(chan struct{}, 1), seen: map[of]asked{}}
}

// Note writes down that a screen asks now. The caller knows that there is a screen of that name, which bounds the book.
func (b *Book) Note(name, form, build string) {
	now := b.clock()
	b.mu.Lock()
	defer b.mu.Unlock()
	key := of{name, form}
	if _, met := b.seen[key]; !met {
		select {
		case b.fresh <- struct{}{}:
		default:
		}
	}
	b.seen[key] = asked{at: now, build: build}
}

// Run publishes what was seen, until ctx ends; then once more.
func (b *Book) Run(ctx context.Context) error {
	next := time.NewTimer(every)
	defer next.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-b.fresh:
			next.Reset(soon)
		case <-next.C:
			b.publish(ctx)
			next.Reset(every)
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastly)
	defer cancel()
	b.publish(last)
	return nil
}

func (b *Book) publish(ctx context.Context) {
	for all := b.News(); len(all) > 0; {
		n := min(len(all), mostOne)
		b.bus.Publish(ctx, &eventsv1.ScreensSeen{Screens: all[:n]})
		all = all[n:]
	}
}

// News are the screens that asked since the last message about them.
func (b *Book) News() []*eventsv1.ScreenSeen {
	now := b.clock()
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []*eventsv1.ScreenSeen
	for key, a := range b.seen {
		if a.sent {
			continue
		}
		all = append(all, &eventsv1.ScreenSeen{Name: key.name, Form: key.form, AgeMs: max(0, now.Sub(a.at).Milliseconds()), Build: a.build})
		a.sent = true
		b.seen[key] = a
	}
	return all
}
