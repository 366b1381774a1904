package site_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/site"
)

type hello struct {
	site.Head
	Name string
}

func part() fstest.MapFS {
	words := func(greeting string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("hello.title = " + greeting + ", {0}\nhello.js = 1\n")}
	}
	return fstest.MapFS{
		"hello.html": {
			Data: []byte(
				`{{define "main"}}<h1>{{t "hello.title" .Name}}</h1><p data-words="{{words "hello."}}"><a href="{{.To "/hello/{name}" .Name}}">x</a>{{end}}`)},
		"words/en.txt": words("Hello"), "words/es.txt": words("Hola"), "words/fr.txt": words("Bonjour"),
		"assets/hello.js": {Data: []byte("// " + strings.Repeat("hello ", 200))},
	}
}

// server returns an API with one page.
func server(t *testing.T, alter func(*rest.Config)) *rest.Server {
	t.Helper()
	s, err := site.New(part())
	if err != nil {
		t.Fatal(err)
	}
	type params struct {
		Name string `path:"name" maxlen:"30"`
	}
	pages := rest.Table{
		rest.Func(rest.Spec{ID: "page.hello", Path: "/hello/{name}", Summary: "Hello"}, func(_ context.Context, c *rest.Call,
			p params) (rest.HTML, error) {
			v := &hello{Head: s.Head(c), Name: p.Name}
			v.Title, v.Scripts = "Hello", []string{"hello.js"}
			v.Others = []site.Other{{Type: "application/json", Title: "JSON", Address: c.URL("/hello")}}
			return s.Render("hello.html", v)
		}),
		rest.From(rest.Spec{ID: "page.picture", Path: "/hello/{name}.txt", Summary: "Hello in another form",
			Kind: rest.Realtime, Media: "image/x-hello", Picture: true}, rest.Fixed[params](0), func(_ context.Context,
			c *rest.Call, p params, _ rest.None) (rest.File, error) {
			lang, _ := c.Language()
			return rest.File{Body: []byte(lang + " " + p.Name), Refresh: 90 * time.Second}, nil
		}),
		s.File("site.file", "/hello.js", "hello.js"),
	}
	cfg := rest.Config{Name: "test", Base: "/v1", PublicURL: "https://town.example/bus/v1", Site: s.Serve(pages),
		AccessLog: rest.LogOff,
		Dialect: rest.Dialect{ErrorMedia: "application/json", ErrorBody: func(e *rest.Error, _ string) any {
			return e.Detail
		}},
	}
	if alter != nil {
		alter(&cfg)
	}
	srv, err := rest.New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

func get(t *testing.T, srv http.Handler, target string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	srv.ServeHTTP(rec, req)
	return rec
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	srv := server(t, nil)
	for _, c := range []struct{ target, accept, want, link string }{
		{"/hello/Ann", "", `<html lang="en">`, `href="/bus/hello/Ann"`},
		{"/hello/Ann", "de, fr-CA;q=0.8, en;q=0.5", "Bonjour, Ann", `href="/bus/hello/Ann"`},
		{"/hello/Ann?lang=es", "fr", "Hola, Ann", `href="/bus/hello/Ann?lang=es"`},
		{"/hello/Ann?lang=xx", "fr", "Bonjour, Ann", `href="/bus/hello/Ann"`},
		{"/hello/%3Cb%3E?lang=fr", "", "Bonjour, &lt;b&gt;", `href="/bus/hello/%3Cb%3E?lang=fr"`},
	} {
		rec := get(t, srv, c.target, "Accept-Language", c.accept)
		if body := rec.Body.String(); rec.Code != 200 || !strings.Contains(body, c.want) || !strings.Contains(body, c.link) ||
			strings.Contains(body, "<b>") && strings.Contains(c.target, "%3C") && strings.Contains(body, "<h1>Bonjour, <b>") {
			t.Errorf("%s (%s): %d\n%s", c.target, c.accept, rec.Code, body)
		}
		if vary := rec.Header().Get("Vary"); vary != "Accept-Language, Accept-Encoding" {
			t.Errorf("%s: Vary: %s", c.target, vary)
		}
	}
}

// A page in another form has the same language and validators as the HTML.
func TestOtherFormsOfPages(t *testing.T) {
	t.Parallel()
	srv := server(t, nil)
	rec := get(t, srv, "/hello/Ann.txt", "Accept-Language", "fr")
	tag := rec.Header().Get("Etag")
	if body := rec.Body.String(); rec.Code != 200 || body != "fr Ann" ||
		rec.Header().Get("Content-Type") != "image/x-hello" || rec.Header().Get("Refresh") != "90" || tag == "" {
		t.Errorf("%d %q %v", rec.Code, body, rec.Header())
	}
	if again := get(t, srv, "/hello/Ann.txt?lang=fr", "If-None-Match", tag); again.Code != http.StatusNotModified ||
		again.Header().Get("Refresh") != "90" {
		t.Errorf("second request: %d %v", again.Code, again.Header())
	}
	if other := get(t, srv, "/hello/Ann.txt?lang=es", "If-None-Match", tag); other.Code != 200 {
		t.Errorf("the page in another language: %d", other.Code)
	}
	for target, want := range map[string]string{"/hello/Ann.txt.txt": "en Ann.txt", "/hello/Ann.tx": "Ann.tx",
		"/hello/Ann%2Etxt": "en Ann"} {
		if rec := get(t, srv, target); rec.Code != 200 || !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s: %d %s", target, rec.Code, rec.Body)
		}
	}
	if rec := get(t, srv, "/hello/.txt"); rec.Code != http.StatusNotFound {
		t.Errorf("a missing page in another form: %d", rec.Code)
	}
	long := get(t, srv, "/hello/"+strings.Repeat("n", 40)+".txt", "Accept", "image/png")
	if long.Code != http.StatusNotFound || !strings.HasPrefix(long.Header().Get("Content-Type"), "application/json") {
		t.Errorf("an error for a device: %d %s", long.Code, long.Header().Get("Content-Type"))
	}
}

func TestHeadersOfPages(t *testing.T) {
	t.Parallel()
	srv := server(t, nil)
	page := get(t, srv, "/hello/Ann")
	for name, want := range map[string]string{
		"Content-Type":                "text/html; charset=utf-8",
		"Cache-Control":               "public, max-age=60, stale-while-revalidate=600, stale-if-error=86400",
		"X-Content-Type-Options":      "nosniff",
		"Cross-Origin-Opener-Policy":  "same-origin",
		"Access-Control-Allow-Origin": "",
	} {
		if got := page.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if csp := page.Header().Get("Content-Security-Policy"); !strings.Contains(csp,
		"default-src 'none'; script-src 'self'; style-src 'self';") || !strings.Contains(csp, "frame-ancestors 'none'") {
		t.Error(csp)
	}
	tag := page.Header().Get("Etag")
	if again := get(t, srv, "/hello/Ann", "If-None-Match", tag); again.Code != 304 || again.Body.Len() > 0 {
		t.Errorf("status of an unchanged page: %d", again.Code)
	}
	if french := get(t, srv, "/hello/Ann", "If-None-Match", tag, "Accept-Language", "fr"); french.Code != 200 {
		t.Errorf("status in another language: %d", french.Code)
	}
	// The page has no inline code and no inline styles.
	if body := page.Body.String(); regexp.MustCompile(`<style|style=|\son[a-z]+=|<script(?:>| [^s])`).MatchString(body) {
		t.Errorf("the page has inline code or styles: %s", body)
	}
}

var addresses = regexp.MustCompile(`(?:src|href)="/bus(/assets/[^"]+)"`)

func TestAssets(t *testing.T) {
	t.Parallel()
	srv := server(t, nil)
	found := addresses.FindAllStringSubmatch(get(t, srv, "/hello/Ann").Body.String(), -1)
	if len(found) != 2 {
		t.Fatalf("assets: %v", found)
	}
	for _, f := range found {
		rec := get(t, srv, f[1], "Accept-Encoding", "gzip")
		if rec.Code != 200 || rec.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			rec.Header().Get("Content-Encoding") != "gzip" ||
			strings.HasSuffix(f[1], ".js") != strings.HasPrefix(rec.Header().Get("Content-Type"), "text/javascript") {
			t.Errorf("%s: %d %v", f[1], rec.Code, rec.Header())
		}
	}
	// If the address has the hash of another version, the file is served, but cached only briefly.
	rec := get(t, srv, "/assets/hello.0000000000.js")
	if age := rec.Header().Get("Cache-Control"); rec.Code != 200 || strings.Contains(age, "immutable") ||
		!strings.HasPrefix(age, "public, max-age=") {
		t.Errorf("%d %s", rec.Code, age)
	}
	if rec := get(t, srv, "/assets/nothing.0000000000.js", "Accept", "text/html"); rec.Code != 404 {
		t.Errorf("%d", rec.Code)
	}
	if rec := get(t, srv, "/hello.js"); rec.Code != 200 || strings.Contains(rec.Header().Get("Cache-Control"),
		"immutable") {
		t.Errorf("%d %v", rec.Code, rec.Header())
	}
}

func TestErrorPages(t *testing.T) {
	t.Parallel()
	srv := server(t, func(c *rest.Config) {
		c.Access = func(r *http.Request, s *rest.Spec) (rest.Grant, error) {
			if r.Header.Get("X-Api-Key") == "wrong" {
				return rest.Grant{}, rest.Forbidden("not <you>")
			}
			return rest.Grant{}, nil
		}
	})
	browser := []string{"Accept", "text/html,application/xhtml+xml", "Accept-Language", "es"}
	for _, c := range []struct {
		target string
		header []string
		status int
		want   string
	}{
		{"/nowhere", browser, 404, "Esta página no existe"},
		{"/hello/" + strings.Repeat("x", 31), nil, 404, "There is no such page"},
		{"/hello/x", append([]string{"X-Api-Key", "wrong"}, browser...), 403, "<h1>Esta clave no da acceso a esta página</h1>\n<p><a"},
		{"/hello/x", append([]string{"X-Api-Key", "wrong"}, browser[:2]...), 403, "<p>Not &lt;you&gt;.</p>"},
		{"/nowhere", nil, 404, `"no such address"`},
		{"/v1/nowhere", browser, 404, `"no such address"`},
	} {
		rec := get(t, srv, c.target, c.header...)
		if rec.Code != c.status || !strings.Contains(rec.Body.String(), c.want) ||
			rec.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v\n%s", c.target, rec.Code, rec.Header(), rec.Body)
		}
		page := strings.HasPrefix(rec.Header().Get("Content-Type"), "text/html")
		if page != (rec.Header().Get("Content-Security-Policy") != "") {
			t.Errorf("%s: %v", c.target, rec.Header())
		}
	}
}

// A missing word or file is an error when the program starts, not when the page is shown.
func TestFaultyParts(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][2]string{
		"a block that the layout has":     {"hello.html", `{{define "layout"}}x{{end}}`},
		"a function that there is not":    {"hello.html", `{{define "main"}}{{say "x"}}{{end}}`},
		"a template that is none":         {"hello.html", "{{if}}"},
		"a file with an unknown ending":   {"assets/x.exe", "x"},
		"a file with the name of another": {"assets/site.css", "x"},
	} {
		p := part()
		p[file[0]] = &fstest.MapFile{Data: []byte(file[1])}
		if _, err := site.New(p); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := site.New(part()); err != nil {
		t.Error(err)
	}
}

// The files of third parties are unmodified.
func TestVendoredFiles(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("vendored/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		if sum, name, ok := strings.Cut(line, "  "); ok {
			listed[name] = sum
		}
	}
	files, err := filepath.Glob("vendored/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if name == "SHA256SUMS" {
			continue
		}
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(body)
		if listed[name] != hex.EncodeToString(sum[:]) {
			t.Errorf("%s has another digest than in vendored/SHA256SUMS", name)
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf("%s is listed but missing", name)
	}
}

func TestStyleIsSmall(t *testing.T) {
	t.Parallel()
	css, err := os.ReadFile("style/site.css")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if _, err := io.Copy(w, bytes.NewReader(css)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	if b.Len() > 3000 {
		t.Errorf("site.css has %d bytes", b.Len())
	}
}
