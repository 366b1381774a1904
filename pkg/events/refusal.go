package events

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// A Refusal records the failures of a work request. A key-value bucket keeps it, because the
// stream's delivery count does not distinguish failures from stops of the worker.
type Refusal struct {
	Subject string `json:"subject"`
	// Request is the request as JSON, such as {"alias":"metro"}.
	Request  string    `json:"request"`
	Failures int       `json:"failures"`
	Reason   string    `json:"reason"` // cause of the last failure
	At       time.Time `json:"at"`
	Refused  bool      `json:"refused"` // there will be no further attempt
}

const (
	// Operators can read a refusal for this long.
	keepRefusals = 7 * 24 * time.Hour
	// Longest stored text of a request or a reason, in bytes.
	maxText = 2000
)

func (b *Bus) ensureFailures(ctx context.Context, stream string) (jetstream.KeyValue, error) {
	kv, err := b.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket:       bucketOf(stream),
		Description:  "Work requests of Townline that failed, and why.",
		MaxValueSize: 16 << 10,
		TTL:          keepRefusals,
		Storage:      jetstream.FileStorage,
		Replicas:     b.replicas,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare bucket %s: %w", bucketOf(stream), err)
	}
	return kv, nil
}

func bucketOf(stream string) string { return stream + "_FAILED" }

// A request is a work request delivered to this process.
type request struct {
	jetstream.Msg
	example  proto.Message
	failures jetstream.KeyValue
}

// contentKey is the first half of the request's key. Requests with the same content share it.
func (r *request) contentKey() string {
	sum := sha256.Sum256(r.Data())
	return hex.EncodeToString(sum[:8])
}

// key returns the request's key in the bucket, from its content and the id of Submit.
func (r *request) key() string {
	id := sha256.Sum256([]byte(r.Headers().Get(jetstream.MsgIDHeader)))
	return r.contentKey() + "." + hex.EncodeToString(id[:8])
}

func (r *request) past(ctx context.Context, meta *jetstream.MsgMetadata) (Refusal, error) {
	var past Refusal
	if meta.NumDelivered == 1 {
		return past, nil
	}
	ctx, cancel := context.WithTimeout(ctx, ackWait/2)
	defer cancel()
	entry, err := r.failures.Get(ctx, r.key())
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return past, nil
	}
	if err == nil {
		err = json.Unmarshal(entry.Value(), &past)
	}
	if err != nil {
		return past, fmt.Errorf("read its failures: %w", err)
	}
	return past, nil
}

// storeFailure stores a failure, even while the process stops.
func (r *request) storeFailure(ctx context.Context, past Refusal, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ackWait/2)
	defer cancel()
	past.Subject = r.Subject()
	past.Request = r.text()
	past.Reason = reason(cause)
	past.At = time.Now().UTC()
	value, err := json.Marshal(past)
	if err == nil {
		_, err = r.failures.Put(ctx, r.key(), value)
	}
	if err != nil {
		return fmt.Errorf("store its failure: %w", err)
	}
	return nil
}

func (r *request) deleteFailures(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ackWait/2)
	defer cancel()
	keys, err := r.failures.ListKeysFiltered(ctx, r.contentKey()+".*")
	if err == nil {
		for key := range keys.Keys() {
			err = errors.Join(err, r.failures.Purge(ctx, key))
		}
	}
	if err != nil {
		return fmt.Errorf("delete its failures: %w", err)
	}
	return nil
}

func (r *request) text() string {
	m := r.example.ProtoReflect().New().Interface()
	if err := proto.Unmarshal(r.Data(), m); err != nil {
		return fmt.Sprintf("%d bytes", len(r.Data()))
	}
	text, err := protojson.Marshal(m)
	var compact bytes.Buffer
	if err != nil || json.Compact(&compact, text) != nil { // protojson varies its white space
		return fmt.Sprintf("%d bytes", len(r.Data()))
	}
	return short(compact.String())
}

func reason(cause error) string { return short(strings.Join(strings.Fields(cause.Error()), " ")) }

func short(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}

// refusals returns the refused requests of a stream, newest first.
func refusals(ctx context.Context, js jetstream.JetStream, stream string) ([]Refusal, error) {
	kv, err := js.KeyValue(ctx, bucketOf(stream))
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil, nil // the first worker creates the bucket
	}
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", bucketOf(stream), err)
	}
	watch, err := kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, fmt.Errorf("read bucket %s: %w", bucketOf(stream), err)
	}
	defer func() { _ = watch.Stop() }()
	var all []Refusal
	for {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("read bucket %s: %w", bucketOf(stream), ctx.Err())
		case entry := <-watch.Updates():
			if entry == nil { // the end of the bucket
				slices.SortFunc(all, func(a, b Refusal) int { return b.At.Compare(a.At) })
				return all, nil
			}
			var r Refusal
			if err := json.Unmarshal(entry.Value(), &r); err != nil {
				return nil, fmt.Errorf("read %s of bucket %s: %w", entry.Key(), bucketOf(stream), err)
			}
			if r.Refused {
				all = append(all, r)
			}
		}
	}
}
