package transitapi

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/services/transit-api/internal/access"
)

// page asks for a page as a browser does.
func (w *world) page(t *testing.T, target string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	req.Header.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.srv.ServeHTTP(rec, req)
	return rec
}

func TestHomePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	rec := w.page(t, "/", "Accept-Language", "fr")
	for _, want := range []string{`<html lang="fr">`, "<h1>Départs</h1>", `href="https://transit.example/gtfs/api/v2/docs"`, `href="https://transit.example/gtfs/api/v2/feeds/metro?_format=json"`,
		`href="/?lang=es"`, `rel="alternate" type="application/json" title="JSON" href="https://transit.example/gtfs/api/v2/feeds?_format=json"`} {
		if !strings.Contains(rec.Body.String(), want) {
			t.Errorf("the start page lacks %s:\n%s", want, rec.Body)
		}
	}
	if rec.Code != 200 || rec.Header().Get("Etag") == "" {
		t.Errorf("%d %v", rec.Code, rec.Header())
	}
	if again := w.page(t, "/", "Accept-Language", "fr", "If-None-Match", rec.Header().Get("Etag")); again.Code != 304 {
		t.Errorf("again: %d", again.Code)
	}
}

// PAGES=off leaves out the pages, and only them.
func TestPagesOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Pages = "off" })
	if rec := w.page(t, "/"); rec.Code != http.StatusSeeOther || rec.Header().Get("Location") != basePath+"/docs" {
		t.Errorf("/ is %d, to %q", rec.Code, rec.Header().Get("Location"))
	}
	if rec := w.page(t, "/nowhere"); rec.Code != 404 || rec.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%d %v", rec.Code, rec.Header())
	}
	w.ask(t, "/feeds")
	if _, _, err := open(Config{PublicURL: public, Pages: "perhaps"}, testDeps(w.db)); err == nil {
		t.Error("a setting that is none is taken")
	}
}

// A page is refused where the answers that it shows are.
func TestPagesTakePermissions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).with(t, "  roles: {anonymous: [static], desk: [discovery]}")
	rec := w.page(t, "/")
	if rec.Code != 401 || !strings.Contains(rec.Body.String(), "<h1>A key is needed</h1>") {
		t.Errorf("%d\n%s", rec.Code, rec.Body)
	}
	if rec := w.page(t, "/nowhere"); rec.Code != 404 {
		t.Errorf("an unknown address is %d", rec.Code)
	}
}

// Pages show what the API has: each permission is that of an endpoint, and each statement is declared by one.
func TestPagesHaveNoWayOfTheirOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	known := []string{access.Description}
	for _, e := range w.api.table {
		known = append(known, e.ID)
	}
	declared := w.api.table.Queries()
	for _, e := range w.srv.Pages() {
		for _, p := range slices.Concat(e.Shows, e.MayShow) {
			if !slices.Contains(known, p) {
				t.Errorf("page %s shows %s, which is no endpoint", e.ID, p)
			}
		}
		for _, q := range e.Queries {
			if !slices.Contains(declared, q) {
				t.Errorf("page %s runs a statement that no endpoint declares: %s", e.ID, q.Text())
			}
		}
		if strings.HasPrefix(e.ID, "page.") && len(e.Shows) == 0 {
			t.Errorf("page %s shows no endpoint's answer", e.ID)
		}
	}
}
