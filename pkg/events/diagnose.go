package events

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/townline/townline/pkg/wait"
)

// A Diagnosis is the state of the NATS servers, for operators.
type Diagnosis struct {
	Server  string // version of the server that answered
	Servers int    // number of servers in its cluster
	Streams []StreamDiagnosis
	Refused []Refusal // requests refused in the last keepRefusals
}

// A StreamDiagnosis is the state of one of the work streams.
type StreamDiagnosis struct {
	Name     string
	Replicas int
	Waiting  uint64 // unfinished requests
	State    StreamState
}

// A StreamState is the result of a probe of a stream.
type StreamState string

const (
	Answered StreamState = "answered" // a worker took the probe
	Busy     StreamState = "busy"     // all workers are busy
	Deserted StreamState = "deserted" // no worker requests work
	Stuck    StreamState = "stuck"    // workers request work but get none
	Unasked  StreamState = "unasked"  // the stream was created by a version without probes
)

// probeFor is the time for an idle worker to answer a probe.
const probeFor = 3 * time.Second

func probeSubject(stream string) string {
	if stream == councilWork {
		return "work.council.probe"
	}
	return "work.transit.probe"
}

// probe sends a message to a stream and waits until a worker has acknowledged it: a damaged stream
// may accept requests but deliver none.
func probe(ctx context.Context, js jetstream.JetStream, stream jetstream.Stream,
	within time.Duration) (StreamState, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*probeFor)
	defer cancel()
	name := stream.CachedInfo().Config.Name
	asked, err := js.Publish(ctx, probeSubject(name), nil)
	if errors.Is(err, jetstream.ErrNoStreamResponse) {
		return Unasked, nil
	}
	if err != nil {
		return "", fmt.Errorf("send a probe to stream %s: %w", name, err)
	}
	for start := time.Now(); time.Since(start) < within; {
		if _, err := stream.GetMsg(ctx, asked.Sequence); errors.Is(err, jetstream.ErrMsgNotFound) {
			return Answered, nil
		}
		if !wait.For(ctx, 20*time.Millisecond) {
			return "", fmt.Errorf("wait for an answer from stream %s: %w", name, ctx.Err())
		}
	}
	defer func() { _ = stream.DeleteMsg(ctx, asked.Sequence) }() // a worker that gets it later ignores it
	consumer, err := stream.Consumer(ctx, workers)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return Deserted, nil
	}
	if err != nil {
		return "", fmt.Errorf("read the workers of stream %s: %w", name, err)
	}
	info := consumer.CachedInfo()
	switch {
	case info.NumAckPending > 0:
		return Busy, nil
	case info.NumWaiting == 0:
		return Deserted, nil
	}
	return Stuck, nil
}

// ErrNoJetStream is wrapped by the error of Diagnose if the servers have no
// JetStream, or this account has no permission to use it.
var ErrNoJetStream = errors.New("no JetStream")

// Diagnose reads the state of the servers. It waits at most a few seconds for unreachable servers.
func Diagnose(ctx context.Context, opts Options) (Diagnosis, error) {
	return diagnose(ctx, opts, probeFor)
}

func diagnose(ctx context.Context, opts Options, within time.Duration) (Diagnosis, error) {
	var d Diagnosis
	nc, err := connectSoon(ctx, opts.URL)
	if err != nil {
		return d, fmt.Errorf("connect to NATS: %w", err)
	}
	defer nc.Close()
	d.Server, d.Servers = nc.ConnectedServerVersion(), max(len(nc.Servers()), 1)
	js, err := jetstream.New(nc)
	if err != nil {
		return d, fmt.Errorf("open JetStream: %w", err)
	}
	if _, err := js.AccountInfo(ctx); err != nil {
		return d, fmt.Errorf("%w: %w", ErrNoJetStream, err)
	}
	for _, name := range []string{councilWork, transitWork} {
		stream, err := js.Stream(ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			continue // the first process that needs the stream creates it
		}
		if err != nil {
			return d, fmt.Errorf("read stream %s: %w", name, err)
		}
		info := stream.CachedInfo()
		state, err := probe(ctx, js, stream, within)
		if err != nil {
			return d, err
		}
		d.Streams = append(d.Streams, StreamDiagnosis{name, info.Config.Replicas, info.State.Msgs, state})
		refused, err := refusals(ctx, js, name)
		if err != nil {
			return d, err
		}
		d.Refused = append(d.Refused, refused...)
	}
	return d, nil
}

// connectSoon retries for a few seconds, because a network policy may admit a new pod with a delay.
func connectSoon(ctx context.Context, url string) (*nats.Conn, error) {
	const tries = 4
	for try := 1; ; try++ {
		nc, err := nats.Connect(url, nats.Name("townline-doctor"), nats.NoReconnect())
		if err == nil || try == tries || errors.Is(err, nats.ErrAuthorization) || !wait.For(ctx, time.Second) {
			return nc, err
		}
	}
}
