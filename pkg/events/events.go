// Package events is the NATS contract of Townline: the subject of each message, and two kinds of
// delivery.
//
// Announcements (Publish, Subscribe) are plain NATS: sent to all current subscribers, lost if there
// are none. They are hints that a table has changed; a subscriber also reads the tables every few
// seconds. Work (Submit, Consume) is JetStream. A request is stored until it is done and delivered
// to one worker at a time. It is delivered again if that worker dies, so work must be idempotent. A
// request ends as done, or refused with a reason that operators can read (Refusal). If a worker
// stops, the request stays.
//
// Work is not kept as rows that workers claim with SKIP LOCKED. Most imports have no request, because
// the schedule starts them, so the claim of a feed, its lease and the check for a lost claim would
// stay, and a row would save one of six guards: the id of the request in a version. A row would need
// its own lease, pause, count of failures, expiry and wake-up, in the schema of each half, and the
// right to write for whatever asks for work, while JetStream has all of these.
//
// The same code works with an embedded server, a single one and a cluster. A caller never waits for
// NATS: without it announcements are dropped, Submit returns an error, and Consume retries until
// NATS is connected. The messages are in proto/townline/events/v1.
package events

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/proto"

	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/pkg/wait"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
)

// subjectOf returns the subject of a message type. Subjects of work begin with "work." and the
// half, so that a deployment of one half needs permissions for its own subjects only.
func subjectOf(m proto.Message) string {
	switch m.(type) {
	case *eventsv1.FeedImported:
		return "transit.feed.imported"
	case *eventsv1.FeedRemoved:
		return "transit.feed.removed"
	case *eventsv1.RefreshSource:
		return "transit.source.refresh"
	case *eventsv1.SnapshotStored:
		return "transit.snapshot.stored"
	case *eventsv1.FeedsAsked:
		return "transit.feeds.asked"
	case *eventsv1.CouncilChanged:
		return "council.changed"
	case *eventsv1.ImportFeed:
		return "work.transit.import"
	case *eventsv1.IngestMeetings:
		return "work.council.ingest"
	}
	return ""
}

const (
	councilWork = "COUNCIL_WORK"
	transitWork = "TRANSIT_WORK"
)

func streamOf(m proto.Message) string {
	switch m.(type) {
	case *eventsv1.ImportFeed:
		return transitWork
	case *eventsv1.IngestMeetings:
		return councilWork
	}
	return ""
}

// Options are the settings of a Bus.
type Options struct {
	// URL of the server or servers, comma separated; may hold credentials.
	URL string `env:"NATS_URL" secret:"false" doc:"NATS servers, comma separated. townline up starts its own when empty."`
	// Replicas of the work streams: 1 on a single server, 3 in a cluster.
	Replicas int `env:"NATS_REPLICAS" envDefault:"1" doc:"Replicas of the durable work streams: 3 in a cluster."`
	// Name of the connection, as `nats server report connections` shows it.
	Name string `env:"-"`
	// Dial connects to a server in this process, such as natsd.Server.Connect; it overrides URL.
	Dial func(...nats.Option) (*nats.Conn, error) `env:"-"`
	// Traces makes spans of handled messages, in the traces of their senders. It may be nil.
	Traces trace.TracerProvider `env:"-"`
}

// A Bus is a connection to NATS that reconnects by itself. A nil *Bus drops announcements and
// returns an error for work.
type Bus struct {
	nc       *nats.Conn
	js       jetstream.JetStream
	log      *slog.Logger
	replicas int
	traces   trace.TracerProvider

	// Tests shorten these times; see the constants in work.go.
	pause         func(failures int) time.Duration // before the next try
	maxAge        time.Duration
	maxDeliveries uint64

	outcomes *prometheus.CounterVec // counts work requests by outcome
}

// Open returns a Bus that connects in the background until it is closed. An error means that the
// options are invalid.
func Open(opts Options, log *slog.Logger) (*Bus, error) {
	natsOpts := []nats.Option{
		nats.Name(opts.Name),
		nats.RetryOnFailedConnect(true),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(500 * time.Millisecond),
		nats.ReconnectJitter(250*time.Millisecond, 500*time.Millisecond),
		nats.Timeout(3 * time.Second),
		nats.PingInterval(10 * time.Second),
		// Old announcements are useless: do not keep them while disconnected.
		nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn("lost the connection to NATS; continuing without it", "error", err)
			}
		}),
		nats.ReconnectHandler(func(c *nats.Conn) { log.Info("reconnected to NATS", "server", c.ConnectedServerName()) }),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) {
			subject := ""
			if sub != nil {
				subject = sub.Subject
			}
			log.Warn("NATS reported an error", "subject", subject, "error", err)
		}),
	}
	dial := opts.Dial
	if dial == nil {
		dial = func(o ...nats.Option) (*nats.Conn, error) { return nats.Connect(opts.URL, o...) }
	}
	nc, err := dial(natsOpts...)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("open JetStream: %w", err)
	}
	return &Bus{nc: nc, js: js, log: log, replicas: max(opts.Replicas, 1), traces: opts.Traces,
		pause: retryAfter, maxAge: workMaxAge, maxDeliveries: maxDeliveries, outcomes: newOutcomes()}, nil
}

// Close drains subscriptions, for a few seconds at most, and closes the connection.
func (b *Bus) Close() {
	if b == nil {
		return
	}
	closed := b.nc.StatusChanged(nats.CLOSED)
	if err := b.nc.Drain(); err != nil {
		b.nc.Close()
		return
	}
	select {
	case <-closed:
	case <-time.After(5 * time.Second):
		b.nc.Close()
	}
}

// Flush waits until the server has received everything sent so far, including subscriptions.
func (b *Bus) Flush(ctx context.Context) error {
	if b == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := b.nc.FlushWithContext(ctx); err != nil {
		return fmt.Errorf("flush NATS: %w", err)
	}
	return nil
}

// Check returns an error unless the bus is connected.
func (b *Bus) Check(context.Context) error {
	if b == nil {
		return errors.New("no NATS configured")
	}
	if s := b.nc.Status(); s != nats.CONNECTED {
		return fmt.Errorf("NATS connection is %s", s)
	}
	return nil
}

// Publish sends an announcement to all current subscribers, with the trace of ctx. It never blocks
// and never fails: the announced change is already in the tables.
func (b *Bus) Publish(ctx context.Context, m proto.Message) {
	if b == nil {
		return
	}
	subject := subjectOf(m)
	data, err := proto.Marshal(m)
	if err == nil {
		msg := &nats.Msg{Subject: subject, Data: data}
		sent := send(ctx, msg)
		err = b.nc.PublishMsg(msg)
		sent(err)
	}
	if err != nil {
		b.log.Debug("announcement dropped", "subject", subject, "error", err)
	}
}

// A message is a pointer to a generated protobuf struct M.
type message[M any] interface {
	*M
	proto.Message
}

// Subscribe calls fn for each announcement of type M until ctx ends. Calls do not overlap; fn
// should be quick. Messages that do not decode, or for which fn panics, are logged and dropped.
func Subscribe[M any, P message[M]](ctx context.Context, b *Bus, fn func(P)) error {
	if b == nil {
		return nil
	}
	return b.subscribe(ctx, subjectOf(P(new(M))), func(raw *nats.Msg) {
		m := P(new(M))
		if err := proto.Unmarshal(raw.Data, m); err != nil {
			b.log.Warn("announcement does not decode", "subject", raw.Subject, "error", err)
			return
		}
		_, done := b.receive(ctx, raw.Subject, raw.Header)
		done(b.announce(raw.Subject, func() { fn(m) }))
	})
}

func (b *Bus) subscribe(ctx context.Context, subject string, fn nats.MsgHandler) error {
	sub, err := b.nc.Subscribe(subject, fn)
	if err != nil {
		return fmt.Errorf("subscribe to %s: %w", subject, err)
	}
	context.AfterFunc(ctx, func() { _ = sub.Unsubscribe() })
	return nil
}

// announce calls fn for an announcement. A panic of fn loses the announcement but does not end the
// process.
func (b *Bus) announce(subject string, fn func()) error {
	err := panics.Safely(func() error { fn(); return nil })
	if err != nil {
		b.count(subject, "panicked")
		b.log.Error("announcement not handled", "subject", subject, "error", err)
	}
	return err
}

// submitTimeout bounds the retries of Submit. A cluster takes a few seconds to elect a new leader.
const submitTimeout = 20 * time.Second

// storeFailed is the error code of a full stream (JSStreamStoreFailedF of the server).
const storeFailed jetstream.ErrorCode = 10077

// Submit stores a work request. If it returns nil, the request is stored once, and a worker will do
// the work at least once.
func (b *Bus) Submit(ctx context.Context, m proto.Message) error {
	if b == nil {
		return errors.New("submit work: no NATS configured")
	}
	data, err := proto.Marshal(m)
	if err != nil {
		return fmt.Errorf("submit work: %w", err)
	}
	subject := subjectOf(m)
	ctx, cancel := context.WithTimeout(ctx, submitTimeout)
	defer cancel()
	msg := &nats.Msg{Subject: subject, Data: data}
	sent := send(ctx, msg)
	// The id prevents a second copy if a request was stored but its confirmation was lost.
	id := jetstream.WithMsgID(rand.Text())
	for {
		err := b.store(ctx, m, msg, id)
		var answer *jetstream.APIError
		switch {
		case err == nil:
		case errors.As(err, &answer) && answer.ErrorCode == storeFailed:
			err = fmt.Errorf("submit %s: the stream is full: %w", subject, err)
		case wait.For(ctx, retryPause):
			continue
		default:
			err = fmt.Errorf("submit %s: %w", subject, err)
		}
		sent(err)
		return err
	}
}

// store tries once to store a work request, and creates the stream if necessary. Its timeout is
// short, because a cluster without a leader does not answer.
func (b *Bus) store(ctx context.Context, m proto.Message, msg *nats.Msg, id jetstream.PublishOpt) error {
	ctx, cancel := context.WithTimeout(ctx, submitTimeout/5)
	defer cancel()
	_, err := b.js.PublishMsg(ctx, msg, id)
	if !errors.Is(err, jetstream.ErrNoStreamResponse) {
		return err
	}
	if err := b.ensureStream(ctx, m); err != nil {
		return err
	}
	_, err = b.js.PublishMsg(ctx, msg, id)
	return err
}
