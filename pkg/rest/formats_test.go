package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/resttest"
)

const v2 = "/gtfs/api/v2"

func TestFormatRule(t *testing.T) {
	t.Parallel()
	s := newStops(t)
	api := resttest.Open(t, s)
	for _, c := range []struct {
		query, accept string
		want          int
	}{
		{"", "", 406}, {"", "*/*", 406}, {"", "text/html, */*;q=0.8", 406}, {"", "application/xml", 406},
		{"", "application/json", 200}, {"", "application/*", 200}, {"", "text/html, application/json;q=0.1", 200},
		{"", "application/json;q=0", 406}, {"", "APPLICATION/JSON; charset=utf-8", 200}, {"", "application/geo+json", 406},
		{"?_format=json", "", 200}, {"?_format=json", "text/html", 200}, {"?%5fformat=json", "", 200},
		{"?_format=json&_format=json", "", 200},
		{"?_format=xml", "application/json", 406}, {"?_format=JSON", "", 406}, {"?_format=", "application/json", 400},
		{"?_format", "", 400}, {"?_format=json&_format=xml", "", 400}, {"?format=json", "", 406},
	} {
		for path, want := range map[string]int{"/feeds/metro/stops": c.want, "/openapi.json": 200, "/docs": 200} {
			res := api.Get(t, v2+path+c.query, "Accept", c.accept)
			if res.Status != want {
				t.Errorf("%s%s with Accept %q: %d, want %d", path, c.query, c.accept, res.Status, want)
			}
			if got := res.Header.Get("Vary"); got != "Accept, Accept-Encoding" {
				t.Errorf("%s: Vary %q", path, got)
			}
			if res.Status == 406 && !strings.HasPrefix(string(res.Body), `{"message":"`) {
				t.Errorf("%s: %s", path, res.Body)
			}
		}
	}
}

// If a browser requests the root of the host or of the API, it is redirected to the documentation.
// Programs are not redirected.
func TestBrowsersFindTheDocumentation(t *testing.T) {
	t.Parallel()
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	things := newThings(t)
	for _, c := range []struct {
		h              http.Handler
		method, target string
		accept, leads  string
		status         int
	}{
		{newStops(t), "GET", "/", browser, v2 + "/docs", 303},
		{newStops(t), "HEAD", v2, browser, v2 + "/docs", 303},
		{newStops(t), "GET", v2 + "/", browser, v2 + "/docs", 303},
		{newStops(t), "GET", v2 + "/?_format=json", browser, "", 200},
		{newStops(t), "GET", v2 + "/", "application/json, text/html;q=0.5", "", 200},
		{newStops(t), "GET", v2 + "/", "*/*", "", 406},
		{newStops(t), "GET", "/", "application/json", "", 404},
		{newStops(t), "GET", v2 + "/feeds/metro/stops", browser, "", 406},
		{newStops(t), "POST", "/", browser, "", 404},
		{things, "GET", "/", browser, "/v1/docs", 303},
		{things, "GET", "/v1", browser, "/v1/docs", 303},
		{things, "GET", "/v1/", "", "", 404},
		{things, "GET", "/v1/things", browser, "", 200},
		{newStops(t, func(c *rest.Config) {
			c.PublicURL = "https://town.example/bus" + v2
		}), "GET", "/", browser, "/bus" + v2 + "/docs", 303},
	} {
		res := do(t, c.h, c.method, c.target, "Accept", c.accept)
		if res.StatusCode != c.status || res.Header.Get("Location") != c.leads ||
			!strings.Contains(res.Header.Get("Vary"), "Accept") {
			t.Errorf("%s %s with %q: %d to %q", c.method, c.target, c.accept, res.StatusCode, res.Header.Get("Location"))
		}
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	api := resttest.Open(t, newStops(t))
	for query, want := range map[string]int{
		"limit=1": 200, "limit=10000": 200, "limit=10001": 200, "limit=9223372036854775807": 200,
		"limit=9223372036854775808": 400,
		"limit=0":                   400, "limit=-1": 400, "limit=": 400, "limit=x": 400, "offset=-1": 400, "offset=": 400,
		"offset=0":        200,
		"limit=5&limit=5": 200, "limit=5&limit=6": 400, "limit=%00": 400, "offset=99999999999999999999": 400,
	} {
		res := api.Get(t, v2+"/feeds/metro/stops?_format=json&"+query)
		if res.Status != want {
			t.Errorf("%s: %d %s", query, res.Status, res.Body)
		}
	}
	res := api.Get(t, v2+"/feeds/metro/stops?_format=json&limit=0&offset=x", "X-Request-Id", "request-1")
	if want :=
		`{"message":"invalid parameters; limit must be an integer of at least 1; offset must be an integer of at least 0 (request request-1)"}`; string(res.Body) != want {
		t.Errorf("%s", res.Body)
	}
}

// Ids are decoded exactly once, and links that contain them lead back to the same ids.
func TestIdsInPaths(t *testing.T) {
	t.Parallel()
	s := newStops(t)
	api := resttest.Open(t, s)
	for _, id := range []string{"a/b", "a b", "50%", "%25", "%2F", "a%20b", "a+b", "é日本", "a?b", "a#b", "a;b,c", "x:y@z",
		"*", ":p0", "{id}", "fixed/", "a\\b",
		"a&b=c", `"quoted"`, "'", "a/b+c%2B", " ", "~", "|", "[", "^`", "\u200b"} {
		target := rest.URL("", v2+"/feeds/{feed_alias}/stops/{stop_id}", "metro", id)
		res := api.Get(t, target+"?_format=json")
		var got struct {
			Meta struct{ Self string }
			Data struct {
				ID string `json:"stop_id"`
			}
		}
		if res.Status != http.StatusOK {
			t.Errorf("%q at %s: %d %s", id, target, res.Status, res.Body)
			continue
		}
		res.JSON(t, &got)
		if got.Data.ID != id || got.Meta.Self != "https://transit.example"+target {
			t.Errorf("%q at %s: got id %q and link %s", id, target, got.Data.ID, got.Meta.Self)
		}
	}
	for target, want := range map[string]string{ // these are other spellings of the same addresses
		"/feeds/metro/stops/a%2fb":         "a/b",
		"/feeds/metro/stops/a+b%2Fc":       "a+b/c",
		"/feeds/metro/stops/%61%62":        "ab",
		"/feeds/%6detro/stops/%2525":       "%25",
		"/%66eeds/metro/%73tops/c%c3%a9":   "cé",
		"/feeds/metro/stops/%66ixed":       "",
		"/feeds/metro/stops/fixed%2F":      "fixed/",
		"/feeds/metro/stops/a%2Fb%2F..%2F": "a/b/../",
	} {
		res := api.Get(t, v2+target+"?_format=json")
		var got struct{ Data any }
		res.JSON(t, &got)
		if data, ok := got.Data.(map[string]any); want != "" && (!ok || data["stop_id"] != want) || want == "" &&
			got.Data != "fixed" {
			t.Errorf("%s: %d %s", target, res.Status, res.Body)
		}
	}
	for _, target := range []string{"/feeds/other/stops", "/feeds/metro/stops/", "/feeds//stops",
		"/feeds/metro/stops/none", "/feeds/metro/stops/%00", "/feeds/metro/stops/%ff",
		"/feeds/metro/stops/a/b", "/feeds%2Fmetro/stops", "/nothing", "/feeds/metro/stops/x/"} {
		if res := api.Get(t, v2+target+"?_format=json"); res.Status != 404 ||
			!strings.HasPrefix(string(res.Body), `{"message":"`) {
			t.Errorf("%s: %d %s", target, res.Status, res.Body)
		}
	}
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	s := newStops(t)
	got := map[string]string{}
	for _, e := range s.Table() {
		if e.Tag != "Description" {
			got[e.ID] = e.Template("https://h/v2", messages())
		}
	}
	want := map[string]string{
		"root": "https://h/v2/{?_format}", "stops": "https://h/v2/feeds/{feed_alias}/stops{?limit,offset,_format}",
		"stop":  "https://h/v2/feeds/{feed_alias}/stops/{stop_id}{?_format}",
		"fixed": "https://h/v2/feeds/{feed_alias}/stops/fixed{?_format}",
		"live":  "https://h/v2/rt/{stop_id}{?_format}",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
