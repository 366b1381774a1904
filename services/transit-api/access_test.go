package transitapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/rest/resttest"
	"github.com/townline/townline/services/transit-api/internal/access"
)

// key stores a new key with a role and returns its text. more is SQL that sets other columns, such
// as "expires_at = now()".
func (w *world) key(t *testing.T, name, role, more string) string {
	t.Helper()
	k := NewKey()
	_, err := w.db.Exec(t.Context(), `INSERT INTO transit.api_key (key_id, name, role, hash)
		VALUES ($1, $2, $3, $4)`, k.ID, name, role, k.Hash[:])
	if err == nil && more != "" {
		_, err = w.db.Exec(t.Context(), `UPDATE transit.api_key SET changed = nextval('transit.operator_change'), `+more+
			` WHERE key_id = $1`, k.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return k.Text
}

// everywhere returns, by endpoint id, an address with status 200.
func everywhere(w *world) map[string]string {
	all := map[string]string{"getDescription": "/openapi.json", "getDocumentation": "/docs"}
	query := map[string]string{"static.stop_search": "?q=a", "realtime.departures": "?stop_id=metro:100",
		"realtime.map": "?feed=metro", "realtime.nearby": "?near=54.7,-25.3"}
	for _, e := range w.api.table {
		all[e.ID] = expanded(e.Path) + query[e.ID]
	}
	return all
}

// expanded fills the parameters of a path with ids of the test's world.
func expanded(path string) string {
	values := map[string]string{"feed_alias": "metro", "agency_id": "M T", "route_id": "R/1", "trip_id": "late",
		"stop_id": "B 50%/x", "service_id": "wk", "shape_id": "sh 1", "direction_id": "0", "direction_ids": "0,1",
		"entity_type": "stops", "entity_id": "100", "file": "wagons.txt", "z": "0", "x": "0", "y": "0",
		"date": "2026-03-03"}
	return regexp.MustCompile(`\{[a-z_]+\}`).ReplaceAllStringFunc(path, func(name string) string {
		return url.PathEscape(values[name[1:len(name)-1]])
	})
}

// with returns another API on the same database with different access settings.
func (w *world) with(t *testing.T, access string) *world {
	t.Helper()
	a, srv, err := newAPI(Config{PublicURL: "https://transit.example", File: configFile(t, "access:\n"+access),
		AccessLog: "off"}, testDeps(w.db))
	if err != nil {
		t.Fatal(err)
	}
	refreshFeeds(t, a)
	// The description may need a key, so check answers against the description of a world without
	// keys.
	next := &world{db: w.db, api: a, srv: srv, API: w.For(srv)}
	next.refresh(t)
	return next
}

// Without a grant, an endpoint only refuses, for any key, method, condition or format, cached or
// not.
func TestDeniedByDefault(t *testing.T) {
	t.Parallel()
	open := newWorld(t, nil)
	open.exec(t, `INSERT INTO transit.export_piece (version_id, at, bytes, data) VALUES (2, 0, 3, 'zip')`)
	full, kiosk, stops, expired, revoked, lost := open.key(t, "full", "full", ""), open.key(t, "kiosk", "kiosk", ""),
		open.key(t, "stops", "stops", ""),
		open.key(t, "expired", "full", "expires_at = now() - interval '1 s'"),
		open.key(t, "revoked", "full", "revoked_at = now()"), open.key(t, "lost", "gone", "")
	wrong := full[:len(full)-1] + "a"
	if wrong == full {
		wrong = full[:len(full)-1] + "b"
	}
	granted := map[string]func(permission string) bool{
		full:  func(string) bool { return true },
		kiosk: func(p string) bool { return access.Group(p) == "realtime" || access.Group(p) == "display" },
		stops: func(p string) bool { return p == "static.stops" },
		lost:  func(string) bool { return false },
	}
	closed := open.with(t, `
  roles:
    full: [discovery, static, realtime, display]
    kiosk: [realtime, display]
    stops: [static.stops]
    anonymous: []`)
	addresses := everywhere(open)
	if len(addresses) != len(closed.srv.Table()) {
		t.Fatalf("%d addresses for %d endpoints", len(addresses), len(closed.srv.Table()))
	}
	for _, e := range closed.srv.Table() {
		path := basePath + addresses[e.ID]
		ask := func(method, key string, headers ...string) resttest.Answer {
			req := httptest.NewRequestWithContext(t.Context(), method, path, nil)
			req.Header.Set("Accept", "application/json")
			if key != "" {
				req.Header.Set("Authorization", "Bearer "+key)
			}
			for i := 0; i+1 < len(headers); i += 2 {
				req.Header.Set(headers[i], headers[i+1])
			}
			rec := httptest.NewRecorder()
			closed.srv.ServeHTTP(rec, req)
			return resttest.Answer{Status: rec.Code, Header: rec.Header(), Body: rec.Body.Bytes()}
		}
		refused := func(what string, got resttest.Answer, status int) {
			t.Helper()
			if got.Status != status || got.Header.Get("ETag")+got.Header.Get("Last-Modified") != "" ||
				got.Header.Get("Cache-Control") != "no-store" ||
				(got.Header.Get("WWW-Authenticate") == "") != (status == http.StatusForbidden) || len(got.Body) > 300 ||
				len(got.Body) > 0 && !strings.HasPrefix(string(got.Body), `{"message":"`) {
				t.Errorf("%s %s: %d %v %.200s", e.ID, what, got.Status, got.Header, got.Body)
			}
		}
		tag := ""
		for _, state := range []string{"uncached", "cached"} {
			for _, method := range []string{"GET", "HEAD"} {
				conditions := [][]string{nil, {"If-None-Match", "*"}, {"If-Modified-Since", "Fri, 31 Dec 2099 23:59:59 GMT"},
					{"Accept", "text/event-stream"}, {"Range", "bytes=0-1"}, {"Accept-Encoding", "gzip"}}
				if tag != "" {
					conditions = append(conditions, []string{"If-None-Match", tag})
				}
				for _, headers := range conditions {
					what := fmt.Sprint(state, method, headers)
					if len(headers) > 0 && headers[0] == "Accept" && (!strings.HasPrefix(e.ID, "realtime.") &&
						!strings.HasPrefix(e.ID, "display.") || strings.HasPrefix(e.ID, "realtime.performance")) {
						continue // this endpoint answers 406 to every client
					}
					refused("anonymous "+what, ask(method, "", headers...), http.StatusUnauthorized)
					refused("garbage "+what, ask(method, "tl_x", headers...), http.StatusUnauthorized)
					refused("wrong "+what, ask(method, wrong, headers...), http.StatusUnauthorized)
					refused("expired "+what, ask(method, expired, headers...), http.StatusUnauthorized)
					refused("revoked "+what, ask(method, revoked, headers...), http.StatusUnauthorized)
					for key, may := range granted {
						if !may(e.Permission) {
							refused("not granted "+what, ask(method, key, headers...), http.StatusForbidden)
						}
					}
				}
			}
			for key, may := range granted {
				if !may(e.Permission) {
					continue
				}
				got := ask("GET", key)
				if got.Status != http.StatusOK || got.Header.Get("Cache-Control") != "private, no-cache" {
					t.Errorf("%s with a grant: %d %v %.200s", e.ID, got.Status, got.Header, got.Body)
				}
				tag = got.Header.Get("ETag")
				if again := ask("HEAD", "", "X-Api-Key", key, "If-None-Match", tag); again.Status != http.StatusNotModified ||
					again.Header.Get("Cache-Control") != "private, no-cache" {
					t.Errorf("%s with a grant and a validator: %d %v", e.ID, again.Status, again.Header)
				}
			}
		}
	}
	// A refusal does not reveal whether a resource exists.
	for _, path := range []string{"/feeds/metro/stops/100", "/feeds/metro/stops/nowhere", "/feeds/nobody",
		"/rt/vehicles?feed=nobody", "/feeds/metro/stops?limit=x"} {
		if got := closed.get(t, path); got.Status != http.StatusUnauthorized {
			t.Errorf("%s: %d", path, got.Status)
		}
	}
	// Without access settings, clients can read nothing.
	bare := open.with(t, "  roles: {}")
	for id, path := range addresses {
		for _, key := range []string{"", full} {
			want := http.StatusUnauthorized
			headers := []string{"Accept", "application/json"}
			if key != "" {
				want, headers = http.StatusForbidden, append(headers, "X-Api-Key", key)
			}
			if got := bare.Get(t, basePath+path, headers...); got.Status != want {
				t.Errorf("%s without access: %d", id, got.Status)
			}
		}
	}
}

func TestGrants(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	kiosk := w.key(t, "kiosk", "kiosk", "")
	some := w.with(t, `
  roles:
    anonymous: [static.stops, realtime]
    kiosk: [display]`)
	for _, c := range []struct {
		path, key string
		status    int
		private   bool
	}{
		{"/feeds/metro/stops", "", 200, false},
		{"/feeds/metro/stops/100", "", 401, false},
		{"/rt/vehicles", "", 200, false},
		{"/rt/vehicles", kiosk, 200, false}, // grants to anonymous apply to all
		{"/display/annotations/stops/100", "", 401, false},
		{"/display/annotations/stops/100", kiosk, 200, true},
		{"/feeds", kiosk, 403, false},
		{"/rt/vehicles", "tl_no_such", 401, false}, // an invalid key is refused, not ignored
	} {
		got := some.Get(t, basePath+c.path, "Accept", "application/json", "X-Api-Key", c.key)
		if c.key == "" {
			got = some.get(t, c.path)
		}
		if got.Status != c.status || strings.HasPrefix(got.Header.Get("Cache-Control"), "private") != c.private {
			t.Errorf("%s as %q: %d %v", c.path, c.key, got.Status, got.Header)
		}
	}
	// All headers and parameters that can carry a key.
	for _, c := range []struct {
		headers []string
		status  int
	}{
		{[]string{"Authorization", "bearer " + kiosk}, 200},
		{[]string{"Authorization", "Bearer  " + kiosk + " "}, 200},
		{[]string{"Authorization", "Bearer " + kiosk, "X-Api-Key", kiosk}, 200},
		{[]string{"Authorization", "Basic eDp5", "X-Api-Key", kiosk}, 200},
		{[]string{"Authorization", "Basic eDp5"}, 401},
		{[]string{"Authorization", "Bearer"}, 401},
		{[]string{"Authorization", kiosk}, 401},
		{[]string{"Authorization", "Bearer " + kiosk, "X-Api-Key", "another"}, 401},
		{[]string{"X-Api-Key", kiosk, "X-Api-Key", "another"}, 401},
		{[]string{"X-Api-Key", strings.Repeat("x", 1000)}, 401},
		{[]string{"X-Api-Key", strings.ToUpper(kiosk)}, 401},
	} {
		if got := some.Get(t, basePath+"/display/annotations/stops/100", append([]string{"Accept", "application/json"},
			c.headers...)...); got.Status != c.status {
			t.Errorf("%q: %d, want %d", c.headers, got.Status, c.status)
		}
	}
	// A revoked key is refused after a refresh.
	w.exec(t, `UPDATE transit.api_key SET revoked_at = now(), changed = nextval('transit.operator_change')
		WHERE name = 'kiosk'`)
	some.refresh(t)
	if got := some.Get(t, basePath+"/display/annotations/stops/100", "Accept", "application/json", "X-Api-Key",
		kiosk); got.Status != 401 {
		t.Errorf("revoked: %d", got.Status)
	}
}

func TestPermissionsAreChecked(t *testing.T) {
	t.Parallel()
	file := configFile(t, "access:\n  roles:\n    anonymous: [static, realtim]\n    kiosk: [static.stop, "+
		"static.nothing, '']\n")
	err := CheckConfig(file, conf.Environ{})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{file + `:3: access.roles.anonymous[1]: unknown permission "realtim"`, file +
		`:4: access.roles.kiosk[1]: unknown permission "static.nothing"`, `access.roles.kiosk[2]`, "realtime.alerts"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not contain %s", err, want)
		}
	}
	if strings.Contains(err.Error(), `"static.stop"`) {
		t.Errorf("%v", err)
	}
}

func TestRates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	quick, slow := w.key(t, "quick", "all", ""), w.key(t, "slow", "all", "requests = 2, per_seconds = 3600")
	limited := w.with(t, `
  roles:
    anonymous: [discovery]
    all: [static]
  limits: {address: 3/1h, key: 5/1h}
  proxies: [192.0.2.0/24]`)
	for _, c := range []struct {
		name    string
		path    string
		headers []string
		allowed int
	}{
		{"one address", "/feeds", nil, 3}, // httptest sends requests from 192.0.2.1
		{"another address, behind the proxy", "/feeds", []string{"X-Forwarded-For", "203.0.113.9, 198.51.100.7"}, 3},
		{"one network", "/feeds", []string{"X-Forwarded-For", "2001:db8::1"}, 3},
		{"a key", "/feeds/metro/stops", []string{"X-Api-Key", quick}, 5},
		{"a key with its own rate", "/feeds/metro/stops", []string{"X-Api-Key", slow}, 2},
	} {
		for n := range c.allowed + 2 {
			got := limited.Get(t, basePath+c.path, append([]string{"Accept", "application/json"}, c.headers...)...)
			h := got.Header
			limit, left := fmt.Sprint(c.allowed), fmt.Sprint(max(c.allowed-1-n, 0))
			if h.Get("RateLimit-Limit") != limit || h.Get("RateLimit-Remaining") != left || h.Get("RateLimit-Reset") == "" {
				t.Errorf("%s, request %d: %v", c.name, n, h)
			}
			want := http.StatusOK
			if n >= c.allowed {
				want = http.StatusTooManyRequests
			}
			if got.Status != want || (h.Get("Retry-After") == "") != (want == 200) {
				t.Errorf("%s, request %d: %d %v", c.name, n, got.Status, h)
			}
		}
	}
	// Requests from another address of the same network, refusals and wrong keys also count.
	for _, headers := range [][]string{{"X-Forwarded-For", "2001:db8::ffff"}, {"X-Api-Key", "tl_wrong"}} {
		got := limited.Get(t, basePath+"/feeds", append([]string{"Accept", "application/json"}, headers...)...)
		if got.Status != http.StatusTooManyRequests {
			t.Errorf("%v: %d", headers, got.Status)
		}
	}
	// Without rate limits there are no such headers.
	if got := w.get(t, "/feeds"); got.Header.Get("RateLimit-Limit") != "" {
		t.Error(got.Header)
	}
}
