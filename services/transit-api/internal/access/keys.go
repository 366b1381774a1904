package access

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A Key is a new credential of a client: "tl_ID_SECRET". Only its hash is ever stored.
type Key struct {
	// ID names the key; it is no secret.
	ID string
	// Text is what the client sends. It is known only now.
	Text string
	// Hash is what is stored: the SHA-256 of Text.
	Hash [sha256.Size]byte
}

const keyPrefix = "tl_"

var keyDigits = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)

// NewKey makes a key with 256 bits of secret.
func NewKey() Key {
	var id [5]byte
	var secret [32]byte
	_, _ = rand.Read(id[:]) // never fails (crypto/rand)
	_, _ = rand.Read(secret[:])
	k := Key{ID: keyDigits.EncodeToString(id[:])}
	k.Text = keyPrefix + k.ID + "_" + keyDigits.EncodeToString(secret[:])
	k.Hash = sha256.Sum256([]byte(k.Text))
	return k
}

// A storedKey is a key that may be in use.
type storedKey struct {
	ID         string `db:"key_id"`
	Name       string
	Role       string
	Hash       []byte
	Requests   *int
	PerSeconds *int
	ExpiresAt  *time.Time
	rate       conf.Rate // zero: what transit.yaml says
}

var liveKeys = rest.SQL[rest.None, storedKey](`
	SELECT key_id, name, role, hash, requests, per_seconds, expires_at
	FROM transit.api_key
	WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`)

var keysChanged = rest.SQL[rest.None, int64](`SELECT coalesce(max(changed), 0) FROM transit.api_key`)

// A Keyring knows the keys that may be in use. Requests read it from memory; Run keeps it up to date.
type Keyring struct {
	*replica.Counted
	db    rest.DB
	byID  atomic.Pointer[map[string]*storedKey] // nil until the table could be read
	asked atomic.Int64                          // when an unknown key last caused a reading
}

// NewKeyring makes an empty keyring.
func NewKeyring(db rest.DB, log *slog.Logger) *Keyring {
	k := &Keyring{db: db}
	k.Counted = replica.NewCounted("keys", db, log, keysChanged, k.read)
	return k
}

func (k *Keyring) read(ctx context.Context, _ int64) error {
	rows, err := liveKeys.List(ctx, k.db, rest.None{})
	if err != nil {
		return err
	}
	next := make(map[string]*storedKey, len(rows))
	for i := range rows {
		row := &rows[i]
		if row.Requests != nil && row.PerSeconds != nil {
			row.rate = conf.Rate{Requests: *row.Requests, Per: time.Duration(*row.PerSeconds) * time.Second}
		}
		next[row.ID] = row
	}
	k.byID.Store(&next)
	return nil
}

// find is the key of a request; nil without one.
func (k *Keyring) find(r *http.Request, now time.Time) (*storedKey, error) {
	text, err := credential(r.Header)
	if text == "" || err != nil {
		return nil, err
	}
	all := k.byID.Load()
	if all == nil {
		return nil, &rest.Error{Status: http.StatusServiceUnavailable, Detail: "keys cannot be checked yet; try again soon", Header: http.Header{"Retry-After": {"1"}}}
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(text, keyPrefix), "_")
	key, known := (*all)[id]
	if !known && len(id) == keyIDLength && k.refreshFor(r.Context(), now) {
		key, known = (*k.byID.Load())[id]
	}
	if !known {
		key = &storedKey{Hash: make([]byte, sha256.Size)} // so that an unknown id costs what a wrong secret does
	}
	hash := sha256.Sum256([]byte(text))
	if subtle.ConstantTimeCompare(hash[:], key.Hash) != 1 || !known || key.ExpiresAt != nil && !now.Before(*key.ExpiresAt) {
		return nil, errUnknownKey
	}
	return key, nil
}

const (
	// keyIDLength is how long the id of a key is.
	keyIDLength = 8
	// refreshAgain is how often unknown keys, all together, may cause a reading of the table, refreshWithin how long
	// the request that causes one waits for it.
	refreshAgain  = 250 * time.Millisecond
	refreshWithin = 2 * time.Second
)

// refreshFor reads the table for an unknown key, which may be new. Of many unknown keys few cause a reading, so
// that guessing buys no queries; a new key that comes at such a time is known after the next regular one.
func (k *Keyring) refreshFor(ctx context.Context, now time.Time) bool {
	last := k.asked.Load()
	if now.UnixNano()-last < int64(refreshAgain) || !k.asked.CompareAndSwap(last, now.UnixNano()) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, refreshWithin)
	defer cancel()
	return k.Refresh(ctx) == nil
}

// maxKey is longer than any key.
const maxKey = 256

// credential is the key that a request sends as Authorization: Bearer or X-Api-Key. Other schemes
// of Authorization are for proxies on the way.
func credential(h http.Header) (string, error) {
	found := ""
	take := func(text string) bool {
		text = strings.TrimSpace(text)
		ok := text != "" && len(text) <= maxKey && (found == "" || found == text)
		found = text
		return ok
	}
	for _, v := range h["Authorization"] {
		if scheme, text, _ := strings.Cut(v, " "); strings.EqualFold(scheme, "Bearer") && !take(text) {
			return "", errUnknownKey
		}
	}
	for _, v := range h["X-Api-Key"] {
		if !take(v) {
			return "", errUnknownKey
		}
	}
	return found, nil
}
