package access

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A Key is a new credential, "tl_ID_SECRET".
type Key struct {
	ID   string            // public
	Text string            // sent by the client; not stored
	Hash [sha256.Size]byte // SHA-256 of Text
}

const keyPrefix = "tl_"

var keyDigits = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)

// NewKey returns a key with a secret of 256 bits.
func NewKey() Key {
	var id [5]byte
	var secret [32]byte
	_, _ = rand.Read(id[:]) // crypto/rand never returns an error
	_, _ = rand.Read(secret[:])
	k := Key{ID: keyDigits.EncodeToString(id[:])}
	k.Text = keyPrefix + k.ID + "_" + keyDigits.EncodeToString(secret[:])
	k.Hash = sha256.Sum256([]byte(k.Text))
	return k
}

type storedKey struct {
	ID         string `db:"key_id"`
	Name       string
	Role       string
	Hash       []byte
	Requests   *int
	PerSeconds *int
	ExpiresAt  *time.Time
	rate       conf.Rate // 0 means the rate in transit.yaml
}

var liveKeys = rest.SQL[rest.None, storedKey](`
	SELECT key_id, name, role, hash, requests, per_seconds, expires_at
	FROM transit.api_key
	WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`)

var keysChanged = rest.SQL[rest.None, int64](`SELECT coalesce(max(changed), 0) FROM transit.api_key`)

// A Keyring holds the valid keys. Run keeps it up to date.
type Keyring struct {
	*replica.CountedTable
	db    rest.DB
	byID  atomic.Pointer[map[string]*storedKey] // nil until the table has been read
	asked atomic.Int64                          // when an unknown key last made the keyring read the table
}

// NewKeyring returns an empty keyring.
func NewKeyring(db rest.DB, log *slog.Logger) *Keyring {
	k := &Keyring{db: db}
	k.CountedTable = replica.NewCountedTable("keys", db, log, keysChanged, k.read)
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

// find returns the key of a request; nil if the request has none.
func (k *Keyring) find(r *http.Request, now time.Time) (*storedKey, error) {
	text, err := credential(r.Header)
	if text == "" || err != nil {
		return nil, err
	}
	all := k.byID.Load()
	if all == nil {
		return nil, rest.Unavailable(time.Second, "keys cannot be checked yet; try again soon")
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(text, keyPrefix), "_")
	key, known := (*all)[id]
	if !known && len(id) == keyIDLength && k.refreshForUnknown(r.Context(), now) {
		key, known = (*k.byID.Load())[id]
	}
	if !known {
		key = &storedKey{Hash: make([]byte, sha256.Size)} // timing must not reveal whether the id exists
	}
	hash := sha256.Sum256([]byte(text))
	if subtle.ConstantTimeCompare(hash[:], key.Hash) != 1 || !known || key.ExpiresAt != nil &&
		!now.Before(*key.ExpiresAt) {
		return nil, errUnknownKey
	}
	return key, nil
}

const (
	keyIDLength    = 8
	refreshAgain   = 250 * time.Millisecond // minimum time between reads of the table for unknown keys
	refreshTimeout = 2 * time.Second
)

// refreshForUnknown reads the table, because an unknown key may be new. To protect the database
// from guessed keys, it reads at most once per refreshAgain. If it does not read, a new key works
// after the next regular read.
func (k *Keyring) refreshForUnknown(ctx context.Context, now time.Time) bool {
	last := k.asked.Load()
	since := time.Duration(now.UnixNano() - last) // negative if the clock was set back
	if since.Abs() < refreshAgain || !k.asked.CompareAndSwap(last, now.UnixNano()) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	return k.Refresh(ctx) == nil
}

const maxKey = 256

// credential returns the key from Authorization: Bearer or X-Api-Key. Other schemes of
// Authorization are for proxies.
func credential(h http.Header) (string, error) {
	sent := h["X-Api-Key"]
	for _, v := range h["Authorization"] {
		if scheme, text, _ := strings.Cut(v, " "); strings.EqualFold(scheme, "Bearer") {
			sent = append(slices.Clip(sent), text)
		}
	}
	found := ""
	for i, text := range sent {
		text = strings.TrimSpace(text)
		if text == "" || len(text) > maxKey || i > 0 && text != found {
			return "", errUnknownKey
		}
		found = text
	}
	return found, nil
}
