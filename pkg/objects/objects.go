// Package objects keeps documents in an S3-compatible object store. The name of an object is the
// SHA-256 of its bytes.
//
// Archived documents take most of the disk space of Postgres, so operators can move them to an
// object store. Then the rows in the tables have no bytes. A writer stores the object before the
// row, so every row has its document.
//
// The package never deletes an object, overwrites it with other bytes, or creates a bucket. Whole
// documents are checked against their hash.
package objects

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Config has the store's address and credentials. The zero value means no store.
type Config struct {
	// Endpoint is a URL such as https://s3.eu-central-1.amazonaws.com. If empty, there is no store.
	Endpoint string `env:"ARCHIVE_S3_ENDPOINT" doc:"Object store for archived documents: https://s3.example. Empty keeps them in Postgres."`
	Bucket   string `env:"ARCHIVE_S3_BUCKET" doc:"The bucket of the object store; it must exist."`
	// Prefix is the beginning of all object names, for a bucket with other contents.
	Prefix string `env:"ARCHIVE_S3_PREFIX" doc:"Prefix of the names of all objects, such as townline/."`
	Region string `env:"ARCHIVE_S3_REGION" envDefault:"us-east-1" doc:"The region of the object store; most stores other than Amazon's ignore it."`
	Key    string `env:"ARCHIVE_S3_KEY" secret:"true" doc:"Access key; it needs to read and write objects, and nothing else."`
	Secret string `env:"ARCHIVE_S3_SECRET" secret:"true" doc:"Secret of the access key."`
	// PathStyle puts the bucket into the path instead of the host name.
	PathStyle bool `env:"ARCHIVE_S3_PATH_STYLE" envDefault:"true" doc:"Put the bucket into the path, not into the host name."`
}

func (c *Config) Validate() error {
	if c.Endpoint == "" {
		return nil
	}
	var errs []error
	if u, err := url.Parse(c.Endpoint); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
		strings.Trim(u.Path, "/") != "" || u.User != nil {
		errs = append(errs, errors.New("ARCHIVE_S3_ENDPOINT: not an http or https URL of a host alone"))
	}
	for _, required := range []struct{ name, value string }{
		{"ARCHIVE_S3_BUCKET", c.Bucket}, {"ARCHIVE_S3_KEY", c.Key}, {"ARCHIVE_S3_SECRET", c.Secret},
	} {
		if required.value == "" {
			errs = append(errs, fmt.Errorf("%s: required with ARCHIVE_S3_ENDPOINT", required.name))
		}
	}
	return errors.Join(errs...)
}

// A Store is one bucket. A nil Store has no documents.
type Store struct {
	client         *minio.Client
	bucket, prefix string
}

// ErrNoStore means that a document is in an object store, but no store is configured.
var ErrNoStore = errors.New("the document is in an object store, but ARCHIVE_S3_ENDPOINT is not set")

const (
	tries = 3
	// timeout bounds one transfer. The largest objects have a hundred megabytes.
	timeout = 5 * time.Minute
)

// Open returns the configured store, or nil if there is none. It sends no request.
func Open(c Config) (*Store, error) {
	if err := c.Validate(); err != nil || c.Endpoint == "" {
		return nil, err
	}
	u, _ := url.Parse(c.Endpoint) // valid, see Validate
	lookup := minio.BucketLookupDNS
	if c.PathStyle {
		lookup = minio.BucketLookupPath
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(c.Key, c.Secret, ""), Secure: u.Scheme == "https", Region: c.Region,
		BucketLookup: lookup, MaxRetries: tries,
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			TLSHandshakeTimeout:   10 * time.Second,
			ResponseHeaderTimeout: time.Minute,
			IdleConnTimeout:       time.Minute,
			MaxIdleConnsPerHost:   16,
			DisableCompression:    true, // the hash is computed from the stored bytes
		},
	})
	if err != nil {
		return nil, fmt.Errorf("open the object store: %w", err)
	}
	return &Store{client: client, bucket: c.Bucket, prefix: c.Prefix}, nil
}

// Errors of [Store.Probe] if the store answers.
var (
	ErrNoBucket = errors.New("the store has no bucket of that name")
	ErrKey      = errors.New("the store does not know the key, or the secret is another")
	// ErrDenied may be harmless: some stores return it for a missing object if the key has no right to
	// list objects.
	ErrDenied = errors.New("the store denies the key an object that is not there")
)

// Probe checks that documents can be read. It requests a document that does not exist.
func (s *Store) Probe(ctx context.Context) error {
	object, err := s.client.GetObject(ctx, s.bucket, s.name(make([]byte, sha256.Size)), minio.GetObjectOptions{})
	if err == nil {
		_, err = object.Read(make([]byte, 1)) // not Stat, because the answer to a HEAD has no error code
		_ = object.Close()
	}
	switch minio.ToErrorResponse(err).Code {
	case "NoSuchKey":
		return nil
	case "NoSuchBucket", "InvalidBucketName":
		return ErrNoBucket
	case "InvalidAccessKeyId", "SignatureDoesNotMatch":
		return ErrKey
	case "AccessDenied":
		return ErrDenied
	}
	if err != nil {
		return fmt.Errorf("ask the object store: %w", err)
	}
	return nil
}

// name returns the object name of a document: its hash, divided into folders for people who browse
// the bucket.
func (s *Store) name(sum []byte) string {
	h := hex.EncodeToString(sum)
	return s.prefix + h[:2] + "/" + h
}

// Put stores data unless the store already has it.
func (s *Store) Put(ctx context.Context, data []byte, mediaType string) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	sum := sha256.Sum256(data)
	name := s.name(sum[:])
	if have, err := s.client.StatObject(ctx, s.bucket, name, minio.StatObjectOptions{}); err == nil &&
		have.Size == int64(len(data)) {
		return nil
	}
	_, err := s.client.PutObject(ctx, s.bucket, name, bytes.NewReader(data), int64(len(data)),
		minio.PutObjectOptions{ContentType: mediaType, DisableMultipart: true, SendContentMd5: true})
	if err != nil {
		return fmt.Errorf("put document %x into the object store: %w", sum[:4], err)
	}
	return nil
}

// Get returns the document with the given hash and checks its hash and size.
func (s *Store) Get(ctx context.Context, sum []byte, size int64) ([]byte, error) {
	data, err := s.Slice(ctx, sum, 0, size)
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(data); !bytes.Equal(got[:], sum) {
		return nil, fmt.Errorf("get document %x from the object store: it has another SHA-256", sum[:4])
	}
	return data, nil
}

// Slice returns length bytes of a document from the offset from.
func (s *Store) Slice(ctx context.Context, sum []byte, from, length int64) ([]byte, error) {
	if s == nil {
		return nil, ErrNoStore
	}
	if length == 0 {
		return []byte{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	fail := func(err error) ([]byte, error) {
		return nil, fmt.Errorf("get document %x from the object store: %w", sum[:4], err)
	}
	var opts minio.GetObjectOptions
	if err := opts.SetRange(from, from+length-1); err != nil {
		return fail(err)
	}
	object, err := s.client.GetObject(ctx, s.bucket, s.name(sum), opts)
	if err != nil {
		return fail(err)
	}
	defer func() { _ = object.Close() }()
	out := make([]byte, length)
	if n, err := io.ReadFull(object, out); err != nil {
		return fail(fmt.Errorf("%d of %d bytes: %w", n, length, err))
	}
	return out, nil
}
