package townline

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	transitapi "github.com/townline/townline/services/transit-api"
)

type keyCmd struct {
	Add    keyAddCmd    `cmd:"" help:"Make a key; it is shown once."`
	List   keyListCmd   `cmd:"" help:"All keys, without their secrets."`
	Revoke keyRevokeCmd `cmd:"" help:"Take keys out of service, for good."`
}

// Help is printed by `townline key --help`.
func (*keyCmd) Help() string {
	return `A key gives whoever sends it what its role in transit.yaml may read (access.roles), beside what everybody may. Clients send it as
Authorization: Bearer KEY or as X-Api-Key: KEY. Running APIs notice new and revoked keys within two seconds.

  townline key add lobby-screen --role kiosk --expires 365d --rate 120/1m`
}

type keyAddCmd struct {
	Name    string    `arg:"" help:"What the key is called; messages to its user name it."`
	Role    string    `required:"" help:"Role of transit.yaml."`
	Expires string    `placeholder:"WHEN" help:"Last day, as 2027-01-31, or a number of days, as 90d. Default: never."`
	Rate    conf.Rate `placeholder:"RATE" help:"How often it may be used, as 600/1m. Default: what transit.yaml says of keys."`
	JSON    bool      `name:"json" help:"Print JSON."`
}

// Help is printed by `townline key add --help`.
func (*keyAddCmd) Help() string {
	return `Prints the key alone on standard output, so that it can go straight into a file or a secret store. What is kept is its hash: a key that is lost
cannot be shown again, only revoked and replaced.

  townline key add kiosk-7 --role kiosk > kiosk-7.key`
}

// Run is `townline key add`.
func (c *keyAddCmd) Run(s *session) error {
	expires, err := expiry(c.Expires, time.Now())
	if err != nil {
		return err
	}
	if err := s.knownRole(c.Role); err != nil {
		return err
	}
	if strings.TrimSpace(c.Name) == "" || len(c.Name) > 100 {
		return errors.New("a key needs a name of at most 100 bytes")
	}
	key := transitapi.NewKey()
	var requests, seconds *int
	if c.Rate.Requests > 0 {
		per := int(c.Rate.Per / time.Second)
		requests, seconds = &c.Rate.Requests, &per
	}
	return s.with("key-add", func(deps run.Deps) error {
		err := s.operate(deps, "transit.api_key", func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `
				INSERT INTO transit.api_key (key_id, name, role, hash, requests, per_seconds, expires_at)
				VALUES ($1, $2, $3, $4, $5, $6, $7)`, key.ID, c.Name, c.Role, key.Hash[:], requests, seconds, expires)
			return err
		})
		if taken(err) {
			return fmt.Errorf("there is a key %q already; revoke it first, or choose another name", c.Name)
		}
		if err != nil {
			return fmt.Errorf("store the key: %w", err)
		}
		if c.JSON {
			return s.tell(true, map[string]any{"id": key.ID, "name": c.Name, "role": c.Role, "key": key.Text, "expires_at": expires}, "")
		}
		fmt.Fprintf(s.stderr, "The key of %s, role %s. It is not shown again. Running APIs take it within two seconds.\n", c.Name, c.Role)
		fmt.Fprintln(s.stdout, key.Text)
		return nil
	}, schema.Transit)
}

// taken tells whether err says that a unique name is in use.
func taken(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "23505"
}

// expiry reads a day or a number of days; the day itself is still good. Empty is never.
func expiry(text string, now time.Time) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	var at time.Time
	if n, ok := strings.CutSuffix(text, "d"); ok {
		count, err := strconv.Atoi(n)
		if err != nil || count < 1 || count > 36500 {
			return nil, fmt.Errorf("%q is no number of days, such as 90d", text)
		}
		at = now.AddDate(0, 0, count)
	} else {
		day, err := time.ParseInLocation(time.DateOnly, text, time.Local)
		if err != nil {
			return nil, fmt.Errorf("%q is neither a day, such as 2027-01-31, nor a number of days, such as 90d", text)
		}
		at = day.AddDate(0, 0, 1)
	}
	if !at.After(now) {
		return nil, fmt.Errorf("%s is over", text)
	}
	return &at, nil
}

// knownRole refuses a role that the configuration does not have; without a configuration any will do.
func (s *session) knownRole(role string) error {
	s.useDemo()
	if s.set.TransitConfig == "" {
		fmt.Fprintf(s.stderr, "townline: without a transit.yaml nothing says what the role %s may read\n", role)
		return nil
	}
	transit, err := conf.ReadTransit(s.set.TransitConfig, s.env)
	if err != nil {
		return err
	}
	if _, ok := transit.Access.Roles[role]; !ok {
		return fmt.Errorf("%s has no role %q (access.roles: %s)", s.set.TransitConfig, role, strings.Join(slices.Sorted(maps.Keys(transit.Access.Roles)), ", "))
	}
	return nil
}

// operate changes a table that only this command writes. The lock makes changes visible in the order of their numbers,
// by which the APIs notice them.
func (s *session) operate(deps run.Deps, table string, fn func(context.Context, pgx.Tx) error) error {
	return pg.Tx(s.ctx, deps.DB, func(tx pgx.Tx) error {
		if _, err := tx.Exec(s.ctx, `LOCK TABLE `+table+` IN SHARE ROW EXCLUSIVE MODE`); err != nil {
			return err
		}
		return fn(s.ctx, tx)
	})
}

type keyListCmd struct {
	All  bool `help:"Revoked and expired keys, too."`
	JSON bool `name:"json" help:"Print JSON."`
}

// keyRow is a key as it is listed.
type keyRow struct {
	ID        string     `json:"id" db:"key_id"`
	Name      string     `json:"name" db:"name"`
	Role      string     `json:"role" db:"role"`
	Rate      string     `json:"rate,omitempty" db:"rate"`
	CreatedAt time.Time  `json:"created_at" db:"created_at"`
	ExpiresAt *time.Time `json:"expires_at" db:"expires_at"`
	RevokedAt *time.Time `json:"revoked_at" db:"revoked_at"`
}

// Run is `townline key list`.
func (c *keyListCmd) Run(s *session) error {
	return s.with("key-list", func(deps run.Deps) error {
		found, err := deps.DB.Query(s.ctx, `
			SELECT key_id, name, role, coalesce(requests || '/' || per_seconds || 's', '') AS rate, created_at, expires_at, revoked_at
			FROM transit.api_key
			WHERE $1 OR revoked_at IS NULL AND coalesce(expires_at > now(), true)
			ORDER BY name, created_at`, c.All)
		if err != nil {
			return fmt.Errorf("read keys: %w", err)
		}
		rows, err := pgx.CollectRows(found, pgx.RowToStructByName[keyRow])
		if err != nil {
			return fmt.Errorf("read keys: %w", err)
		}
		if c.JSON {
			return s.tell(true, rows, "")
		}
		if len(rows) == 0 {
			fmt.Fprintln(s.stdout, "no keys; townline key add NAME --role ROLE makes one")
			return nil
		}
		w := tabwriter.NewWriter(s.stdout, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "NAME\tID\tROLE\tRATE\tMADE\tUSABLE")
		for _, k := range rows {
			usable := "yes"
			switch {
			case k.RevokedAt != nil:
				usable = "revoked " + clock(k.RevokedAt)
			case k.ExpiresAt != nil && !k.ExpiresAt.After(time.Now()):
				usable = "expired " + clock(k.ExpiresAt)
			case k.ExpiresAt != nil:
				usable = "until " + clock(k.ExpiresAt)
			}
			if k.Rate == "" {
				k.Rate = "-"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", k.Name, k.ID, k.Role, k.Rate, clock(&k.CreatedAt), usable)
		}
		return w.Flush()
	}, schema.Transit)
}

type keyRevokeCmd struct {
	Keys []string `arg:"" name:"key" help:"Name or id of a key."`
	JSON bool     `name:"json" help:"Print JSON."`
}

// Help is printed by `townline key revoke --help`.
func (*keyRevokeCmd) Help() string {
	return `A revoked key is refused within two seconds and cannot come back; its name is free for another one. Of several keys either all are
revoked or, if one is unknown, none.`
}

// Run is `townline key revoke`.
func (c *keyRevokeCmd) Run(s *session) error {
	return s.with("key-revoke", func(deps run.Deps) error {
		err := s.operate(deps, "transit.api_key", func(ctx context.Context, tx pgx.Tx) error {
			for _, key := range c.Keys {
				tag, err := tx.Exec(ctx, `
					UPDATE transit.api_key
					SET revoked_at = now(), changed = nextval('transit.operator_change')
					WHERE revoked_at IS NULL AND (name = $1 OR key_id = $1)`, key)
				if err != nil {
					return fmt.Errorf("revoke %s: %w", key, err)
				}
				if tag.RowsAffected() == 0 {
					return fmt.Errorf("no key in service is called %q; nothing was revoked", key)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return s.tell(c.JSON, map[string]any{"revoked": c.Keys}, "revoked: "+strings.Join(c.Keys, ", ")+"; running APIs refuse what was revoked within two seconds")
	}, schema.Transit)
}
