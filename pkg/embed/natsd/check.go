package natsd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const checkTimeout = 10 * time.Second

// errDamaged is wrapped by the error for a store that accepts messages but may fail to deliver them.
var errDamaged = errors.New("its store is damaged")

// stored lists the consumers of each stream in a store folder, including unreadable streams.
func stored(store string) (map[string][]string, error) {
	streams := filepath.Join(store, "jetstream", "$G", "streams")
	held := map[string][]string{}
	names, err := namesIn(streams)
	for _, name := range names {
		var consumers []string
		consumers, err = namesIn(filepath.Join(streams, name, "obs"))
		if err != nil {
			break
		}
		held[name] = consumers
	}
	return held, err
}

func namesIn(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// check asks the server for each stream and consumer that its store had before the start. A server
// skips files that it cannot read. Then a stream, a consumer or a message is missing, or a consumer
// gets no new messages because it counts them as delivered. If only messages are missing, check
// returns their number.
func (s *Server) check(held map[string][]string) (lost uint64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), checkTimeout)
	defer cancel()
	conn, err := s.Connect()
	if err != nil {
		return 0, fmt.Errorf("connect: %w", err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return 0, fmt.Errorf("open JetStream: %w", err)
	}
	for name, consumers := range held {
		stream, err := js.Stream(ctx, name)
		var missed uint64
		if err == nil {
			missed, err = checkStream(ctx, stream, consumers)
		}
		if err != nil {
			return 0, fmt.Errorf("%w: stream %s: %w", errDamaged, name, err)
		}
		lost += missed
	}
	return lost, nil
}

func checkStream(ctx context.Context, stream jetstream.Stream, consumers []string) (lost uint64, err error) {
	info := stream.CachedInfo()
	if info.State.Msgs > 0 {
		for _, seq := range []uint64{info.State.FirstSeq, info.State.LastSeq} {
			if _, err := stream.GetMsg(ctx, seq); err != nil {
				return 0, fmt.Errorf("message %d: %w", seq, err)
			}
		}
	}
	for _, name := range consumers {
		consumer, err := stream.Consumer(ctx, name)
		if err != nil {
			return 0, fmt.Errorf("consumer %s: %w", name, err)
		}
		c := consumer.CachedInfo()
		if c.Delivered.Stream > info.State.LastSeq {
			return 0, fmt.Errorf("consumer %s has seen message %d of %d", name, c.Delivered.Stream, info.State.LastSeq)
		}
		if info.Config.Retention != jetstream.WorkQueuePolicy || c.Config.MaxDeliver != -1 {
			continue // this consumer does not get every message
		}
		if due := c.NumPending + uint64(c.NumAckPending); due < info.State.Msgs {
			return 0, fmt.Errorf("consumer %s knows %d of %d messages", name, due, info.State.Msgs)
		}
		lost += info.State.LastSeq - c.Delivered.Stream - min(c.NumPending, info.State.LastSeq-c.Delivered.Stream)
	}
	return lost, nil
}

// setAside renames a damaged store. It replaces the store that it renamed last time.
func setAside(store string) (aside string, err error) {
	aside = store + ".damaged"
	if err := os.RemoveAll(aside); err != nil {
		return "", err
	}
	return aside, os.Rename(store, aside)
}
