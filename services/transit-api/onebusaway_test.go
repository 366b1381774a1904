package transitapi

import (
	"encoding/base64"
	"encoding/json"
	"image/png"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func withApps(c *Config) { c.OneBusAway = "on" }

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
		t.Errorf("%s: code %d in an answer with status %d", path, a.Code, a.Status)
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

var inlinePNG = regexp.MustCompile(`<img [^>]*src="data:image/png;base64,([^"]+)"`)

// The page for apps has the address of the feed, also as a code with a white margin.
func TestAddressForApps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withApps)
	body := w.page(t, "/f/metro/app").Body.String()
	found := inlinePNG.FindStringSubmatch(strings.ReplaceAll(body, "&#43;", "+"))
	if found == nil || !strings.Contains(body, "/oba/metro</code>") {
		t.Fatal(body)
	}
	code, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(found[1])))
	if err != nil {
		t.Fatal(err)
	}
	const module = 8
	white, _, _, _ := code.At(3*module, 3*module).RGBA()
	black, _, _, _ := code.At(4*module, 4*module).RGBA()
	if white != 0xffff || black != 0 || code.Bounds().Dx() != code.Bounds().Dy() {
		t.Errorf("%v: the margin is %x, the first module %x", code.Bounds(), white, black)
	}
}
