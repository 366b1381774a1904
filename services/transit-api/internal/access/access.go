// Package access checks the permissions and quotas of requests.
//
// The permission of an endpoint is its id; a role is a list of permissions or groups of
// permissions. A request without a key has the role anonymous. If no role grants an endpoint, it
// cannot be read. Keys are rows of transit.api_key, which the operator's command writes; only
// hashes are stored.
//
// Start at [Control.Check].
package access

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

// anonymous is the role of a request without a key. Every key also has this role.
const anonymous = "anonymous"

// Description is the permission to read /openapi.json and /docs.
const Description = "discovery.description"

// Control allows or refuses requests.
type Control struct {
	grants  map[string]map[string]bool // by role: the permissions of endpoints
	keys    *Keyring
	limits  conf.Limits
	proxies proxies
	quotas  *quotas
}

// names returns the sorted permissions and groups that transit.yaml may grant.
func names(t rest.Table) []string {
	all := []string{Description, Group(Description)}
	for _, e := range t {
		all = append(all, e.Permission, Group(e.Permission))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Group returns the part of a permission before the dot.
func Group(permission string) string {
	g, _, _ := strings.Cut(permission, ".")
	return g
}

// New reads the roles of a configuration. The error lists every unknown permission.
func New(set conf.Access, t rest.Table, keys *Keyring) (*Control, error) {
	a := &Control{grants: map[string]map[string]bool{}, keys: keys, limits: set.Limits, proxies: set.Proxies,
		quotas: newQuotas()}
	known := names(t)
	var errs []error
	for _, role := range slices.Sorted(maps.Keys(set.Roles)) {
		a.grants[role] = map[string]bool{}
		for i, granted := range set.Roles[role] {
			if !slices.Contains(known, granted) {
				errs = append(errs, conf.Wrong(fmt.Sprintf("access.roles.%s[%d]", role, i), "unknown permission %q (known: %s)",
					granted, strings.Join(known, ", ")))
			}
			for _, p := range known {
				if p == granted || Group(p) == granted {
					a.grants[role][p] = true
				}
			}
		}
	}
	return a, errors.Join(errs...)
}

// GrantsNothing reports whether no role grants any permission.
func (a *Control) GrantsNothing() bool {
	for _, granted := range a.grants {
		if len(granted) > 0 {
			return false
		}
	}
	return true
}

// Check implements [rest.Config.Access].
func (a *Control) Check(r *http.Request, s *rest.Spec) (rest.Grant, error) {
	now := time.Now()
	key, err := a.keys.find(r, now)
	client, rate := "", a.limits.Address
	if key != nil {
		client, rate = "key "+key.ID, a.limits.Key
		if key.rate.Requests > 0 {
			rate = key.rate
		}
	}
	var grant rest.Grant
	if rate.Requests > 0 {
		if key == nil {
			client = a.proxies.client(r)
		}
		left, ok := a.quotas.use(client, rate, now)
		grant.Header = left.header(rate)
		if !ok {
			return grant, left.refusal()
		}
	}
	if err != nil {
		return grant, err
	}
	needed := s.Shows // a page needs the permissions of all data that it shows
	if s.Permission != "" {
		needed = append([]string{s.Permission}, needed...)
	}
	for _, p := range needed {
		switch {
		case a.may(key, p):
			grant.Private = grant.Private || !a.may(nil, p)
		case key == nil:
			return grant, rest.Unauthorized(challenge, "a key is needed: send Authorization: Bearer KEY, or X-Api-Key: KEY")
		default:
			return grant, rest.Forbidden("the key %s may not read %s", key.Name, p)
		}
	}
	for _, p := range s.MayShow {
		if a.may(key, p) {
			grant.Private = grant.Private || !a.may(nil, p)
		} else {
			grant.Lacks = append(grant.Lacks, p)
		}
	}
	return grant, nil
}

// CheckApp is Check for apps that always send key=, often a key of another server. A valid key of
// this server counts; any other key is ignored.
func (a *Control) CheckApp(r *http.Request, s *rest.Spec) (rest.Grant, error) {
	text := r.URL.Query().Get("key")
	if text != "" && r.Header["X-Api-Key"] == nil && r.Header["Authorization"] == nil {
		keyed := r.WithContext(r.Context())
		keyed.Header = http.Header{"X-Api-Key": {text}}
		maps.Copy(keyed.Header, r.Header)
		if _, err := a.keys.find(keyed, time.Now()); err == nil {
			r = keyed
		}
	}
	return a.Check(r, s)
}

func (a *Control) may(key *storedKey, permission string) bool {
	return a.grants[anonymous][permission] || key != nil && a.grants[key.Role][permission]
}

const challenge = `Bearer realm="transit"`

var errUnknownKey = rest.Unauthorized(challenge+`, error="invalid_token"`,
	"the key is not known, has expired or was revoked")
