package events

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Diagnosis is what the NATS servers say of themselves, for operators.
type Diagnosis struct {
	// Server is the version of the one that answered; Servers how many its cluster has.
	Server  string
	Servers int
	Streams []StreamDiagnosis
}

// A StreamDiagnosis is the state of one of the work streams.
type StreamDiagnosis struct {
	Name     string
	Replicas int
	Waiting  uint64 // requests that nobody has done yet
}

// ErrNoJetStream is wrapped by the error of Diagnose where the servers have no
// JetStream, or this account may not use it.
var ErrNoJetStream = errors.New("no JetStream")

// Diagnose asks the servers once and does not wait for ones that are away.
func Diagnose(ctx context.Context, opts Options) (Diagnosis, error) {
	var d Diagnosis
	nc, err := nats.Connect(opts.URL, nats.Name("townline-doctor"), nats.NoReconnect())
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
			continue // made by whoever needs it first
		}
		if err != nil {
			return d, fmt.Errorf("look at stream %s: %w", name, err)
		}
		info := stream.CachedInfo()
		d.Streams = append(d.Streams, StreamDiagnosis{name, info.Config.Replicas, info.State.Msgs})
	}
	return d, nil
}
