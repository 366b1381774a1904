package transitcmd

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/operator"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/services/townline/internal/session"
	transitapi "github.com/townline/townline/services/transit-api"
)

// Key has the sub-commands of `townline key`.
type Key struct {
	Add    keyAddCmd    `cmd:"" help:"Create a key; it is shown once."`
	List   keyListCmd   `cmd:"" help:"List all keys, without their secrets."`
	Revoke keyRevokeCmd `cmd:"" help:"Revoke keys. This cannot be undone."`
}

func (*Key) Help() string {
	return `A key gives a client the permissions of a role in transit.yaml (access.roles), in addition to those of the
role anonymous. Clients send it as Authorization: Bearer KEY or as X-Api-Key: KEY. Running APIs apply new and
revoked keys within two seconds.

  townline key add lobby-screen --role kiosk --expires 365d --rate 120/1m`
}

type keyAddCmd struct {
	Name    string `arg:"" help:"Name of the key. Error messages of the API contain it."`
	Role    string `required:"" help:"Role of transit.yaml."`
	Expires string `placeholder:"WHEN" help:"Last day, as 2027-01-31, or a number of days, as 90d. Default: never."`
	Rate    conf.
		Rate `placeholder:"RATE" help:"Largest number of requests, as 600/1m. Default: the rate of keys in transit.yaml."`
	JSON bool `name:"json" help:"Print JSON."`
}

func (*keyAddCmd) Help() string {
	return `Prints only the key on standard output, so you can write it straight into a file or a secret store. The
database has only its hash: a lost key cannot be shown again, only revoked and replaced.

  townline key add kiosk-7 --role kiosk > kiosk-7.key`
}

func (c *keyAddCmd) Run(s *session.Session) error {
	expires, err := expiry(c.Expires, time.Now())
	if err != nil {
		return err
	}
	if err := knownRole(s, c.Role); err != nil {
		return err
	}
	if strings.TrimSpace(c.Name) == "" || len(c.Name) > 100 {
		return errors.New("a key needs a name of at most 100 bytes")
	}
	key := transitapi.NewKey()
	return s.With("key-add", func(deps run.Deps) error {
		err := operator.AddKey(s.Ctx, deps.DB, operator.Key{ID: key.ID, Name: c.Name, Role: c.Role, ExpiresAt: expires},
			key.Hash[:], c.Rate)
		if errors.Is(err, operator.ErrNameTaken) {
			return fmt.Errorf("a key %q exists already; revoke it first, or choose another name", c.Name)
		}
		if err != nil {
			return err
		}
		if c.JSON {
			return s.Print(true, map[string]any{"id": key.ID, "name": c.Name, "role": c.Role, "key": key.Text,
				"expires_at": expires}, "")
		}
		fmt.Fprintf(s.Stderr, "The key of %s, role %s. It is not shown again. Running APIs accept it within two seconds.\n",
			c.Name, c.Role)
		fmt.Fprintln(s.Stdout, key.Text)
		return nil
	}, schema.Transit)
}

// expiry parses a day or a number of days. The key is still valid on that day. Empty means never.
func expiry(text string, now time.Time) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	var at time.Time
	if n, ok := strings.CutSuffix(text, "d"); ok {
		count, err := strconv.Atoi(n)
		if err != nil || count < 1 || count > 36500 {
			return nil, fmt.Errorf("%q is not a number of days, such as 90d", text)
		}
		at = now.AddDate(0, 0, count)
	} else {
		day, err := time.ParseInLocation(time.DateOnly, text, time.Local)
		if err != nil {
			return nil, fmt.Errorf("write a day, such as 2027-01-31, or a number of days, such as 90d, not %q", text)
		}
		at = day.AddDate(0, 0, 1)
	}
	if !at.After(now) {
		return nil, fmt.Errorf("%s is in the past", text)
	}
	return &at, nil
}

// knownRole returns an error if transit.yaml does not have the role. Without the file it accepts
// any role.
func knownRole(s *session.Session, role string) error {
	s.UseDemo()
	if s.Set.TransitConfig == "" {
		fmt.Fprintf(s.Stderr, "townline: there is no transit.yaml, so the role %s has no permissions\n", role)
		return nil
	}
	transit, err := conf.ReadTransit(s.Set.TransitConfig, s.Env)
	if err != nil {
		return err
	}
	if _, ok := transit.Access.Roles[role]; !ok {
		return fmt.Errorf("%s has no role %q: add it to access.roles, or use one of %s", s.Set.TransitConfig, role,
			strings.Join(slices.Sorted(maps.Keys(transit.Access.Roles)), ", "))
	}
	return nil
}

type keyListCmd struct {
	All  bool `help:"Include revoked and expired keys."`
	JSON bool `name:"json" help:"Print JSON."`
}

func (c *keyListCmd) Run(s *session.Session) error {
	return s.With("key-list", func(deps run.Deps) error {
		keys, err := operator.ListKeys(s.Ctx, deps.DB, c.All)
		if err != nil {
			return err
		}
		return session.List(s, c.JSON, keys, "no keys; add one with townline key add NAME --role ROLE",
			"NAME, ID, ROLE, RATE, MADE, USABLE", func(k operator.Key) []any {
				return []any{k.Name, k.ID, k.Role, cmp.Or(k.Rate, "-"), session.Clock(&k.CreatedAt), usable(k)}
			})
	}, schema.Transit)
}

func usable(k operator.Key) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked " + session.Clock(k.RevokedAt)
	case k.ExpiresAt == nil:
		return "yes"
	case !k.ExpiresAt.After(time.Now()):
		return "expired " + session.Clock(k.ExpiresAt)
	}
	return "until " + session.Clock(k.ExpiresAt)
}

type keyRevokeCmd struct {
	Keys []string `arg:"" name:"key" help:"Name or id of a key."`
	JSON bool     `name:"json" help:"Print JSON."`
}

func (*keyRevokeCmd) Help() string {
	return `Running APIs refuse a revoked key within two seconds. A key cannot be restored; its name can be used for
another one. If one of several keys is unknown, none is revoked.`
}

func (c *keyRevokeCmd) Run(s *session.Session) error {
	return s.With("key-revoke", func(deps run.Deps) error {
		if err := operator.RevokeKeys(s.Ctx, deps.DB, c.Keys); err != nil {
			return err
		}
		return s.Print(c.JSON, map[string]any{"revoked": c.Keys}, "revoked: "+strings.Join(c.Keys, ", ")+
			"; running APIs refuse it within two seconds")
	}, schema.Transit)
}
