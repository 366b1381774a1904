package councilingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/pkg/objects/objectstest"
)

func openObjects(t *testing.T, fake *objectstest.Server, change func(*objects.Config)) *objects.Store {
	t.Helper()
	c := objects.Config{Endpoint: fake.URL, Bucket: objectstest.Bucket, Region: "us-east-1", Key: objectstest.Key,
		Secret: objectstest.Secret, PathStyle: true}
	if change != nil {
		change(&c)
	}
	s, err := objects.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func random(n int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// TestStoreOfObjects stores documents of many sizes and reads them completely and in parts.
func TestStoreOfObjects(t *testing.T) {
	t.Parallel()
	ctx, fake := context.Background(), objectstest.New(t)
	s := openObjects(t, fake, func(c *objects.Config) { c.Prefix = "town/" })
	for _, n := range []int{1, 1000, 65535, 65536, 65537, 2 << 20} {
		data := random(n)
		for range 2 { // the second time, the store already has it
			if err := s.Put(ctx, data, "application/pdf"); err != nil {
				t.Fatal(err)
			}
		}
		sum := sha256.Sum256(data)
		got, err := s.Get(ctx, sum[:], int64(n))
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("stored %d bytes, got %d, %v", n, len(got), err)
		}
		from, length := int64(n/3), int64(n-n/3)/2
		got, err = s.Slice(ctx, sum[:], from, length)
		if err != nil || !bytes.Equal(got, data[from:from+length]) {
			t.Fatalf("slice of %d bytes: %d, %v", n, len(got), err)
		}
	}
	if puts := fake.Puts(); puts != 6 {
		t.Errorf("the store got %d puts for 6 documents", puts)
	}
	for _, name := range fake.Names() {
		if !strings.HasPrefix(name, "town/") {
			t.Errorf("%s is not under the prefix", name)
		}
	}
}

// Requests that fail are retried. Missing, damaged or forbidden objects are errors.
func TestObjectStoreInTrouble(t *testing.T) {
	t.Parallel()
	ctx, fake := context.Background(), objectstest.New(t)
	s := openObjects(t, fake, nil)
	data := []byte("minutes")
	sum := sha256.Sum256(data)
	if _, err := s.Get(ctx, sum[:], 7); err == nil {
		t.Error("got a document that was never stored")
	}
	fake.Fail(2, http.StatusServiceUnavailable)
	if err := s.Put(ctx, data, "text/plain"); err != nil {
		t.Errorf("Put after two answers of 503: %v", err)
	}
	if _, err := s.Get(ctx, sum[:], 8); err == nil {
		t.Error("no error for a truncated document")
	}
	fake.Spoil()
	if _, err := s.Get(ctx, sum[:], 7); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("Get of a damaged document: %v", err)
	}
	stranger := openObjects(t, fake, func(c *objects.Config) { c.Secret = "not-it" })
	if err := stranger.Put(ctx, []byte("other"), "text/plain"); err == nil {
		t.Error("a wrong secret was accepted")
	} else if strings.Contains(err.Error(), "not-it") {
		t.Errorf("the error contains the secret: %v", err)
	}
	var none *objects.Store
	if _, err := none.Get(ctx, sum[:], 7); !errors.Is(err, objects.ErrNoStore) {
		t.Errorf("Get without a store: %v", err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.Put(over, random(10), "text/plain"); !errors.Is(err, context.Canceled) {
		t.Errorf("Put after the context ended: %v", err)
	}
}

func TestObjectSettings(t *testing.T) {
	t.Parallel()
	if s, err := objects.Open(objects.Config{}); s != nil || err != nil {
		t.Errorf("Open without settings = %v, %v", s, err)
	}
	for want, c := range map[string]objects.Config{
		"ARCHIVE_S3_ENDPOINT": {Endpoint: "s3.example", Bucket: "b", Key: "k", Secret: "s"},
		"ARCHIVE_S3_BUCKET":   {Endpoint: "https://s3.example", Key: "k", Secret: "s"},
		"ARCHIVE_S3_KEY":      {Endpoint: "https://s3.example", Bucket: "b", Secret: "s"},
		"ARCHIVE_S3_SECRET":   {Endpoint: "https://s3.example", Bucket: "b", Key: "k"},
	} {
		if _, err := objects.Open(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Probe distinguishes the problems that an operator can fix.
func TestProbeOfObjects(t *testing.T) {
	t.Parallel()
	fake := objectstest.New(t)
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	for name, c := range map[string]struct {
		change func(*objects.Config)
		want   error
	}{
		"well":         {nil, nil},
		"no bucket":    {func(c *objects.Config) { c.Bucket = "other" }, objects.ErrNoBucket},
		"other key":    {func(c *objects.Config) { c.Key = "other" }, objects.ErrKey},
		"other secret": {func(c *objects.Config) { c.Secret = "other" }, objects.ErrKey},
	} {
		err := openObjects(t, fake, c.change).Probe(t.Context())
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // the client would retry
	defer cancel()
	if err := openObjects(t, fake, func(c *objects.Config) { c.Endpoint = away.URL }).Probe(ctx); err == nil {
		t.Error("no error for an unreachable store")
	}
}
