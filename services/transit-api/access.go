package transitapi

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest"
)

// Access: every endpoint takes the permission that is its id, a role is a list of permissions or of their groups, and whoever brings no
// key has the role anonymous. What no role grants, nobody reads.

// anonymous is the role of whoever brings no key. Keys may read what it grants, too.
const anonymous = "anonymous"

// descriptionPermission is what reading /openapi.json and /docs takes.
const descriptionPermission = "discovery.description"

// access decides who may read what, and how often.
type access struct {
	grants  map[string]map[string]bool // by role: the permissions of endpoints
	keys    *keyring
	limits  conf.Limits
	proxies proxies
	quotas  *quotas
}

// permissions are the names that transit.yaml may grant, in alphabetical order: those of a table's endpoints and their groups.
func permissions(t rest.Table) []string {
	names := map[string]bool{descriptionPermission: true}
	for _, e := range t {
		names[e.Permission] = true
	}
	for name := range maps.Clone(names) {
		names[group(name)] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// group is the word before the dot.
func group(permission string) string {
	g, _, _ := strings.Cut(permission, ".")
	return g
}

// newAccess reads the roles of a configuration; its error names every key with a permission that there is not.
func newAccess(set conf.Access, t rest.Table, keys *keyring) (*access, error) {
	a := &access{grants: map[string]map[string]bool{}, keys: keys, limits: set.Limits, proxies: set.Proxies, quotas: newQuotas()}
	known := permissions(t)
	var errs []error
	for _, role := range slices.Sorted(maps.Keys(set.Roles)) {
		a.grants[role] = map[string]bool{}
		for i, granted := range set.Roles[role] {
			if !slices.Contains(known, granted) {
				errs = append(errs, fmt.Errorf("access.roles.%s[%d]: unknown permission %q (known: %s)", role, i, granted, strings.Join(known, ", ")))
			}
			for _, p := range known {
				if p == granted || group(p) == granted {
					a.grants[role][p] = true
				}
			}
		}
	}
	return a, errors.Join(errs...)
}

// nothing tells whether no role grants anything.
func (a *access) nothing() bool {
	for _, granted := range a.grants {
		if len(granted) > 0 {
			return false
		}
	}
	return true
}

// check is [rest.Config.Access].
func (a *access) check(r *http.Request, s *rest.Spec) (rest.Grant, error) {
	now := time.Now()
	key, err := a.keys.of(r, now)
	who, rate := "", a.limits.Key
	switch {
	case key == nil:
		rate = a.limits.Address
		if rate.Requests > 0 {
			who = a.proxies.client(r)
		}
	case key.rate.Requests > 0:
		who, rate = "key "+key.ID, key.rate
	default:
		who = "key " + key.ID
	}
	var grant rest.Grant
	if rate.Requests > 0 {
		left, ok := a.quotas.take(who, rate, now)
		grant.Header = left.header(rate)
		if !ok {
			return grant, left.refusal()
		}
	}
	open := a.grants[anonymous][s.Permission]
	switch {
	case err != nil:
		return grant, err
	case open:
		return grant, nil
	case key == nil:
		return grant, rest.Unauthorized(challenge, "a key is needed: send Authorization: Bearer KEY, or X-Api-Key: KEY")
	case !a.grants[key.Role][s.Permission]:
		return grant, rest.Forbidden("the key %s may not read %s", key.Name, s.Permission)
	}
	grant.Private = true
	return grant, nil
}

const challenge = `Bearer realm="transit"`

var errUnknownKey = rest.Unauthorized(challenge+`, error="invalid_token"`, "the key is not known, has expired or was revoked")
