package transitapi

import (
	"encoding/json"
	"net/http/httptest"
	"testing"
)

// withApps serves the OneBusAway API.
func withApps(c *Config) { c.OneBusAway = "on" }

// An appAnswer is an answer of the OneBusAway API.
type appAnswer struct {
	Status int `json:"-"`
	Header map[string][]string
	Code   int
	Text   string
	Data   map[string]any
	Body   string `json:"-"`
}

// app requests an address below the base of a feed.
func (w *world) app(t *testing.T, path string, headers ...string) (a appAnswer) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/oba"+path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.srv.ServeHTTP(rec, r)
	if err := json.Unmarshal(rec.Body.Bytes(), &a); err != nil {
		t.Fatalf("%s: %d %s", path, rec.Code, rec.Body)
	}
	a.Status, a.Header, a.Body = rec.Code, rec.Header(), rec.Body.String()
	if a.Code != a.Status {
		t.Errorf("%s: code %d of an answer with status %d", path, a.Code, a.Status)
	}
	return a
}

func TestOneBusAwayEntities(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	for _, path := range []string{"/metro/api/where/stop/x.json", "/nowhere/api/where/config.json", "/metro/nothing"} {
		if a := w.app(t, path); a.Status != 404 {
			t.Errorf("%s: %s", path, a.Body)
		}
	}
}
