package operator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pg"
)

// A Key is a client's credential without its secret.
type Key struct {
	ID        string     `json:"id" db:"key_id"`
	Name      string     `json:"name"`
	Role      string     `json:"role"`
	Rate      string     `json:"rate,omitempty"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
	RevokedAt *time.Time `json:"revoked_at"`
}

// ErrNameTaken means that another active key has the name.
var ErrNameTaken = errors.New("the name is taken")

// AddKey stores a key with its ID, Name, Role and ExpiresAt, and the hash of its text. A zero rate
// stands for the default in transit.yaml.
func AddKey(ctx context.Context, db *pgxpool.Pool, k Key, hash []byte, rate conf.Rate) error {
	var requests, seconds *int
	if rate.Requests > 0 {
		per := int(rate.Per / time.Second)
		requests, seconds = &rate.Requests, &per
	}
	err := change(ctx, db, "transit.api_key", func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO transit.api_key (key_id, name, role, hash, requests, per_seconds, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`, k.ID, k.Name, k.Role, hash, requests, seconds, k.ExpiresAt)
		return err
	})
	var e *pgconn.PgError
	if errors.As(err, &e) && e.Code == "23505" {
		return fmt.Errorf("store the key %q: %w", k.Name, ErrNameTaken)
	}
	if err != nil {
		return fmt.Errorf("store the key: %w", err)
	}
	return nil
}

// ListKeys returns the active keys by name. If all is true, it includes revoked and expired keys.
func ListKeys(ctx context.Context, db *pgxpool.Pool, all bool) ([]Key, error) {
	keys, err := pg.List[Key](ctx, db, `
		SELECT key_id, name, role, coalesce(requests || '/' || per_seconds || 's', '') AS rate, created_at, expires_at,
		       revoked_at
		FROM transit.api_key
		WHERE $1 OR revoked_at IS NULL AND coalesce(expires_at > now(), true)
		ORDER BY name, created_at`, all)
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	return keys, nil
}

// RevokeKeys revokes keys by name or id. If one is unknown, it revokes none.
func RevokeKeys(ctx context.Context, db *pgxpool.Pool, keys []string) error {
	return change(ctx, db, "transit.api_key", func(tx pgx.Tx) error {
		for _, key := range keys {
			tag, err := tx.Exec(ctx, `
				UPDATE transit.api_key
				SET revoked_at = now(), changed = nextval('transit.operator_change')
				WHERE revoked_at IS NULL AND (name = $1 OR key_id = $1)`, key)
			if err != nil {
				return fmt.Errorf("revoke %s: %w", key, err)
			}
			if tag.RowsAffected() == 0 {
				return fmt.Errorf("there is no key %q, or it is revoked already; no key was revoked", key)
			}
		}
		return nil
	})
}
