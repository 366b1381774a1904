package events_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/townline/townline/pkg/embed/natsd"
	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/pgtest"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

func open(t *testing.T, srv *natsd.Server) *events.Bus {
	t.Helper()
	bus, err := events.Open(events.Options{Dial: srv.Connect, Name: t.Name()}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bus.Close)
	return bus
}

// receive waits for a message. It waits longer than the 30 s after which a lost request is
// delivered again.
func receive[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(time.Minute):
		t.Fatal("no message within a minute")
		panic("unreachable")
	}
}

func TestAnnouncementReachesSubscribers(t *testing.T) {
	t.Parallel()
	srv := pgtest.NATS(t)
	got := make(chan *eventsv1.FeedImported, 10)
	reader := open(t, srv)
	if err := events.Subscribe(t.Context(), reader, func(m *eventsv1.FeedImported) { got <- m }); err != nil {
		t.Fatal(err)
	}
	// A round trip ensures that the server has the subscription.
	if err := reader.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	open(t, srv).Publish(t.Context(), &eventsv1.FeedImported{Alias: "metro", VersionId: 7, Generation: 3})
	if m := receive(t, got); m.GetAlias() != "metro" || m.GetVersionId() != 7 || m.GetGeneration() != 3 {
		t.Fatalf("got %v", m)
	}
}

// Two workers share the requests, and each request is done once. The first request of each worker
// lasts until the other worker has one too, so the test ends only if both work.
func TestTwoWorkersShareTheWork(t *testing.T) {
	t.Parallel()
	srv := pgtest.NATS(t)
	const n = 20
	begun := [2]chan struct{}{make(chan struct{}), make(chan struct{})}
	done := make(chan int64, 2*n)
	for i := range begun {
		bus := open(t, srv)
		var first sync.Once
		go func() {
			_ = events.Consume(t.Context(), bus, func(ctx context.Context, m *eventsv1.IngestMeetings) error {
				first.Do(func() {
					close(begun[i])
					select {
					case <-begun[1-i]:
					case <-ctx.Done():
					}
				})
				done <- m.GetMeetingId()
				return ctx.Err()
			})
		}()
	}
	bus := open(t, srv)
	for i := range n {
		if err := bus.Submit(t.Context(), &eventsv1.IngestMeetings{MeetingId: int64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	times := map[int64]int{}
	for range n {
		times[receive(t, done)]++
	}
	if len(times) != n {
		t.Errorf("%d distinct requests of %d were done: %v", len(times), n, times)
	}
}

// A request waits while the database is unreachable, and that does not count as a failure.
func TestWorkWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	srv := pgtest.NATS(t)
	bus := open(t, srv)
	if err := bus.Submit(t.Context(), &eventsv1.ImportFeed{Alias: "metro"}); err != nil {
		t.Fatal(err)
	}
	var tries atomic.Int64
	got := make(chan struct{})
	go func() {
		_ = events.Consume(t.Context(), bus, func(context.Context, *eventsv1.ImportFeed) error {
			if tries.Add(1) < 3 {
				return fmt.Errorf("import: %w", &pgconn.PgError{Code: "57P03"}) // cannot_connect_now
			}
			close(got)
			return nil
		})
	}()
	receive(t, got)
}

func TestWithoutNATS(t *testing.T) {
	t.Parallel()
	var none *events.Bus
	none.Publish(t.Context(), &eventsv1.FeedImported{}) // must not block or panic
	if err := none.Submit(t.Context(), &eventsv1.ImportFeed{}); err == nil {
		t.Error("work without NATS must be refused")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := events.Consume(ctx, none, func(context.Context, *eventsv1.ImportFeed) error {
		return errors.New("called")
	}); err != nil {
		t.Error(err)
	}
	// No call waits for an unreachable server.
	gone, err := events.Open(events.Options{URL: "nats://127.0.0.1:1"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	gone.Publish(t.Context(), &eventsv1.CouncilChanged{})
	if gone.Check(t.Context()) == nil {
		t.Error("Check of a bus without a server must fail")
	}
	gone.Close()
}
