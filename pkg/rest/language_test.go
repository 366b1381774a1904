package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest"
)

// speaker makes an API with data in some languages. The body of an answer has the answer's
// language, its address, and the number of builds.
func speaker(t testing.TB, languages *lang.Choice) *rest.Server {
	t.Helper()
	built := 0
	say := func(_ context.Context, c *rest.Call, p window) (string, error) {
		built++
		return fmt.Sprintf("%s %s %d", c.Translated(), c.SelfQuery(), built), nil
	}
	s, err := rest.New(rest.Config{Name: "x", Dialect: messages(), Base: "/v1", PublicURL: "https://x.example/v1",
		AccessLog: rest.LogOff,
		Dataset: &rest.Dataset{Now: func(context.Context) (rest.Generation, error) {
			return rest.Generation{N: 7, Languages: languages}, nil
		}}}, rest.Table{
		rest.Func(rest.Spec{ID: "said", Path: "/said", Summary: "said", Translated: true}, say),
		rest.Func(rest.Spec{ID: "plain", Path: "/plain", Summary: "plain"}, say),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// If the data has the language that a client prefers, the answer has it too. All clients with the
// same language share one cached body.
func TestLanguages(t *testing.T) {
	t.Parallel()
	const self, plain, varied = "https://x.example/v1/said", "Accept, Accept-Encoding",
		"Accept, Accept-Encoding, Accept-Language"
	s := speaker(t, lang.New("en", []string{"fr", "fr-CA", "de"}))
	tags := map[string]string{}
	for _, c := range []struct{ query, header, body, vary, content string }{
		{"", "", " " + self + " 1", varied, ""},
		{"", "fr", "fr " + self + " 2", varied, "fr"},
		{"", "it, fr-CH;q=0.9, de;q=0.8", "fr " + self + " 2", varied, "fr"},
		{"", "fr;q=0, de;q=0.1", "de " + self + " 3", varied, "de"},
		{"", "en-US,en;q=0.9,fr;q=0.8", " " + self + " 1", varied, ""}, // the original language has the highest weight
		{"", "it, *", " " + self + " 1", varied, ""},
		{"", "\xff;;,,q=", " " + self + " 1", varied, ""},
		{"lang=fr", "de", "fr " + self + "?lang=fr 4", plain, "fr"},
		{"lang=FR-ch", "", "fr " + self + "?lang=fr 4", plain, "fr"},
		{"l%61ng=fr_CA", "", "fr-CA " + self + "?lang=fr-CA 5", plain, "fr-CA"},
		{"lang=en", "de", "en " + self + "?lang=en 6", plain, "en"},
		{"lang=it", "", " " + self + " 1", varied, ""}, // the data lacks this language, so the parameter is ignored
		{"lang=it", "de", "de " + self + " 3", varied, "de"},
		{"lang=xq", "", " " + self + " 1", varied, ""},
		{"lang=fr&limit=3", "", "fr " + self + "?lang=fr&limit=3 7", plain, "fr"},
	} {
		rec := answer(s, "/v1/said?"+c.query, c.header, "")
		if rec.Code != 200 || rec.Body.String() != fmt.Sprintf("%q", c.body) || rec.Header().Get("Vary") != c.vary ||
			rec.Header().Get("Content-Language") != c.content {
			t.Errorf("%q %q: %d %s, Vary %q, language %q", c.query, c.header, rec.Code, rec.Body, rec.Header().Get("Vary"),
				rec.Header().Get("Content-Language"))
		}
		tag := rec.Header().Get("Etag")
		if other, met := tags[tag]; met && other != c.body || tag == "" {
			t.Errorf("%q and %q have the same ETag", other, c.body)
		}
		tags[tag] = c.body
		if again := answer(s, "/v1/said?"+c.query, c.header, tag); again.Code != http.StatusNotModified ||
			again.Header().Get("Vary") != c.vary {
			t.Errorf("%q %q: %d with its ETag, Vary %q", c.query, c.header, again.Code, again.Header().Get("Vary"))
		}
	}
	for _, query := range []string{"lang=", "lang=f", "lang=fr%00", "lang=../x", "lang=fr&lang=de", "lang=%zz"} {
		if rec := answer(s, "/v1/said?"+query, "", ""); rec.Code != 400 {
			t.Errorf("%s: %d %s", query, rec.Code, rec.Body)
		}
		if rec := answer(s, "/v1/plain?"+query, "fr", ""); rec.Code != 200 || rec.Header().Get("Vary") != plain {
			t.Errorf("%s of an endpoint without languages: %d %s", query, rec.Code, rec.Body)
		}
	}
	none := speaker(t, nil)
	for _, header := range []string{"", "fr", "de"} {
		if rec := answer(none, "/v1/said?lang=fr", header, ""); rec.Body.String() != `" `+self+` 1"` ||
			rec.Header().Get("Vary") != plain {
			t.Errorf("data without translations, %q: %s, Vary %q", header, rec.Body, rec.Header().Get("Vary"))
		}
	}
}

func answer(s http.Handler, target, header, match string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, target, nil)
	r.Header.Set("Accept", "application/json")
	if header != "" {
		r.Header.Set("Accept-Language", header)
	}
	if match != "" {
		r.Header.Set("If-None-Match", match)
	}
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, r)
	return rec
}
