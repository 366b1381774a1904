package events

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/townline/townline/pkg/embed/natsd"
	"github.com/townline/townline/pkg/pgtest"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// A yard is a server with a bus, and counts refused requests.
type yard struct {
	*natsd.Server
	bus   *Bus
	ended chan struct{} // receives for each refused request
}

// openYard starts a server and a bus that retries at once.
func openYard(t *testing.T) *yard {
	t.Helper()
	srv := pgtest.NATS(t)
	bus, err := Open(Options{Dial: srv.Connect, Name: t.Name()}, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bus.Close)
	bus.pause = func(int) time.Duration { return time.Millisecond }
	y := &yard{srv, bus, make(chan struct{}, 10)}
	_, err = bus.nc.Subscribe("$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.>", func(*nats.Msg) { y.ended <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	return y
}

func (y *yard) submit(t *testing.T, alias string) {
	t.Helper()
	if err := y.bus.Submit(t.Context(), &eventsv1.ImportFeed{Alias: alias}); err != nil {
		t.Fatal(err)
	}
}

// consume does work until the caller calls the returned function, which waits for the end of the
// work.
func (y *yard) consume(t *testing.T, fn func(context.Context, *eventsv1.ImportFeed) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = Consume(ctx, y.bus, fn)
	}()
	return func() { cancel(); await(t, ended) }
}

func (y *yard) refused(t *testing.T) []Refusal {
	t.Helper()
	d, err := diagnose(t.Context(), Options{URL: y.URL()}, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	return d.Refused
}

// await waits for a message. It waits longer than ackWait: the server sometimes misses the timer of
// a delay of a millisecond, and then delivers the request again after ackWait.
func await[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(2 * ackWait):
		t.Fatalf("no message within %s", 2*ackWait)
		panic("unreachable")
	}
}

// If a stop interrupts work, that does not count as a failure.
func TestStopsAreNotFailures(t *testing.T) {
	t.Parallel()
	y := openYard(t)
	y.submit(t, "metro")
	for range 6 {
		begun := make(chan struct{})
		stop := y.consume(t, func(ctx context.Context, _ *eventsv1.ImportFeed) error {
			close(begun)
			<-ctx.Done()
			return ctx.Err()
		})
		await(t, begun)
		stop()
	}
	done := make(chan string)
	stop := y.consume(t, func(_ context.Context, m *eventsv1.ImportFeed) error { done <- m.GetAlias(); return nil })
	if alias := await(t, done); alias != "metro" {
		t.Errorf("did %q", alias)
	}
	stop()
	if refused := y.refused(t); len(refused) != 0 {
		t.Errorf("refused requests: %+v", refused)
	}
}

// A request that fails maxFailures times is refused with the reason; stops do not count. The
// refusal is deleted when an identical request is done.
func TestFailingWorkIsRefused(t *testing.T) {
	t.Parallel()
	y := openYard(t)
	y.submit(t, "metro")
	broken := true
	tries, interrupted := 0, make(chan struct{})
	work := func(ctx context.Context, m *eventsv1.ImportFeed) error {
		if m.GetAlias() != "metro" || !broken {
			return nil
		}
		if tries++; tries == 3 { // two failures were counted
			close(interrupted)
			<-ctx.Done()
			return ctx.Err()
		}
		return fmt.Errorf("import:\nthe table is gone: %w", context.Canceled) // canceled by another context
	}
	stop := y.consume(t, work)
	await(t, interrupted)
	stop()
	stop = y.consume(t, work)
	await(t, y.ended)
	stop()
	if tries != maxFailures+1 {
		t.Errorf("%d attempts in addition to the interrupted one", tries-1)
	}
	refused := y.refused(t)
	if len(refused) != 1 {
		t.Fatalf("refused requests: %+v", refused)
	}
	if r := refused[0]; r.Subject != "work.transit.import" || r.Request != `{"alias":"metro"}` ||
		r.Failures != maxFailures ||
		r.Reason != "import: the table is gone: context canceled" || r.At.IsZero() {
		t.Errorf("wrong refusal: %+v", r)
	}

	broken = false
	y.submit(t, "metro")
	y.submit(t, "tram") // starts after the other request is done
	last := make(chan struct{})
	stop = y.consume(t, func(ctx context.Context, m *eventsv1.ImportFeed) error {
		if m.GetAlias() == "tram" {
			close(last)
		}
		return work(ctx, m)
	})
	await(t, last)
	stop()
	if refused := y.refused(t); len(refused) != 0 {
		t.Errorf("still refused: %+v", refused)
	}
}

// A panic refuses only the request that caused it.
func TestPanicRefusesItsRequestOnly(t *testing.T) {
	t.Parallel()
	y := openYard(t)
	y.submit(t, "hostile")
	y.submit(t, "metro")
	done := make(chan struct{})
	stop := y.consume(t, func(_ context.Context, m *eventsv1.ImportFeed) error {
		if m.GetAlias() == "hostile" {
			panic("index out of range")
		}
		close(done)
		return nil
	})
	await(t, y.ended)
	await(t, done)
	stop()
	if refused := y.refused(t); len(refused) != 1 || !strings.Contains(refused[0].Reason, "panic: index out of range") {
		t.Errorf("refused requests: %+v", refused)
	}
}

func TestPanicLosesItsAnnouncementOnly(t *testing.T) {
	t.Parallel()
	y := openYard(t)
	heard := make(chan string, 1)
	err := Subscribe(t.Context(), y.bus, func(m *eventsv1.FeedRemoved) {
		if m.GetAlias() == "hostile" {
			panic("index out of range")
		}
		heard <- m.GetAlias()
	})
	if err != nil {
		t.Fatal(err)
	}
	y.bus.Publish(t.Context(), &eventsv1.FeedRemoved{Alias: "hostile"})
	y.bus.Publish(t.Context(), &eventsv1.FeedRemoved{Alias: "metro"})
	if alias := await(t, heard); alias != "metro" {
		t.Errorf("handled %q", alias)
	}
}

// Final errors, outdated requests and requests that kill their workers are refused at once.
func TestRefusedAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		before func(*testing.T, *yard)
		err    error
		want   string
	}{
		{"final", func(*testing.T, *yard) {}, fmt.Errorf("%w: no such feed", ErrFinal), "no such feed"},
		{"old", func(_ *testing.T, y *yard) { y.bus.maxAge = 0 }, nil, "no worker started it"},
		{"deadly", func(t *testing.T, y *yard) {
			t.Helper()
			worker, err := y.bus.js.CreateOrUpdateConsumer(t.Context(), transitWork, jetstream.ConsumerConfig{Durable: workers,
				AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxDeliver: -1, MaxAckPending: 64})
			if err != nil {
				t.Fatal(err)
			}
			y.bus.maxDeliveries = 3
			for range 3 {
				m, err := worker.Next(jetstream.FetchMaxWait(2 * time.Minute))
				if err == nil {
					err = m.Nak() // delivers it again, as the end of a process does after ackWait
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}, nil, "started 3 times"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			y := openYard(t)
			y.submit(t, "metro")
			c.before(t, y)
			stop := y.consume(t, func(context.Context, *eventsv1.ImportFeed) error { return c.err })
			await(t, y.ended)
			stop()
			if refused := y.refused(t); len(refused) != 1 || !strings.Contains(refused[0].Reason, c.want) {
				t.Errorf("refused requests: %+v", refused)
			}
		})
	}
}

// A full stream refuses new requests and keeps the old ones.
func TestFullStreamRefusesRequests(t *testing.T) {
	t.Parallel()
	y := openYard(t)
	y.submit(t, "metro")
	stream, err := y.bus.js.Stream(t.Context(), transitWork)
	if err != nil {
		t.Fatal(err)
	}
	cfg := stream.CachedInfo().Config
	if cfg.Discard != jetstream.DiscardNew || cfg.MaxAge != 0 {
		t.Errorf("%+v", cfg)
	}
	cfg.MaxMsgs = 1
	if _, err := y.bus.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	var full *jetstream.APIError
	if err := y.bus.Submit(t.Context(), &eventsv1.ImportFeed{Alias: "tram"}); !errors.As(err, &full) {
		t.Errorf("Submit to a full stream: %v", err)
	}
}

// A probe distinguishes a stream that delivers nothing from a stream whose workers are busy or
// absent. All probe messages are deleted.
func TestDiagnoseProbesStreams(t *testing.T) {
	t.Parallel()
	y := openYard(t)
	state := func(want StreamState) {
		t.Helper()
		patience := 200 * time.Millisecond
		if want == Answered {
			patience = probeFor
		}
		d, err := diagnose(t.Context(), Options{URL: y.URL()}, patience)
		if err != nil || len(d.Streams) != 1 || d.Streams[0].State != want {
			t.Fatalf("%+v, %v; want %s", d, err, want)
		}
	}
	y.submit(t, "metro")
	state(Deserted)
	begun, finish := make(chan struct{}), make(chan struct{})
	stop := y.consume(t, func(context.Context, *eventsv1.ImportFeed) error { close(begun); <-finish; return nil })
	await(t, begun)
	state(Busy)
	close(finish)
	state(Answered)
	stream, err := y.bus.js.Stream(t.Context(), transitWork)
	if err != nil || stream.CachedInfo().State.Msgs != 0 {
		t.Errorf("%+v, %v", stream.CachedInfo().State, err)
	}
	// A paused consumer receives nothing, like a consumer that lost its state.
	if _, err := y.bus.js.PauseConsumer(t.Context(), transitWork, workers, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	state(Stuck)
	stop()
}

// The first packets of a new pod may be lost.
func TestDiagnoseRetriesToConnect(t *testing.T) {
	t.Parallel()
	y := openYard(t)
	address, err := url.Parse(y.URL())
	if err != nil {
		t.Fatal(err)
	}
	server := address.Host
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for refused := false; ; refused = true {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			if !refused {
				_ = client.Close()
				continue
			}
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server)
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, client); _ = conn.Close() }()
			go func() { _, _ = io.Copy(client, conn); _ = client.Close() }()
		}
	}()
	address.Host = ln.Addr().String()
	if _, err := diagnose(t.Context(), Options{URL: address.String()}, time.Millisecond); err != nil {
		t.Error(err)
	}
}
