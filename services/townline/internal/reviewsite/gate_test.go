package reviewsite_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/townline/townline/services/townline/internal/gate"
)

// An answer is a response with its body.
type answer struct {
	status int
	header http.Header
	body   string
}

// Only visitors with a session get pages, and a form is accepted only with the visitor's token.
func TestGateAuthenticatesVisitors(t *testing.T) {
	t.Parallel()
	w := open(t, gate.Config{})
	link := w.server.Links([]string{"Ann Example"})[0]
	plain := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ask := func(method, address, body string, headers ...string) answer {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for i := 0; i+1 < len(headers); i += 2 {
			if headers[i] == "Host" {
				r.Host = headers[i+1]
			}
			r.Header.Set(headers[i], headers[i+1])
		}
		res, err := plain.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer{res.StatusCode, res.Header, string(text)}
	}
	page := fmt.Sprintf("%s/anomalies/%d", w.base, w.anomaly)
	for _, path := range []string{w.base + "/", page, w.base + "/find?vote=1", w.base + "/open?key=", w.base +
		"/open?key=wrong"} {
		if res := ask("GET", path, ""); res.status != http.StatusForbidden {
			t.Errorf("a visitor without a session gets %s: %d", path, res.status)
		}
	}
	if res := ask("GET", link, "", "Host", "evil.example:80"); res.status != http.StatusMisdirectedRequest {
		t.Errorf("request for another host: %d", res.status)
	}
	if res := ask("HEAD", link, ""); res.status != http.StatusOK || res.header.Get("Set-Cookie") != "" {
		t.Errorf("HEAD of the link: %d %v", res.status, res.header)
	}
	in := ask("GET", link, "")
	cookie := in.header.Get("Set-Cookie")
	if in.status != http.StatusSeeOther || !strings.Contains(cookie, "; HttpOnly; SameSite=Strict") ||
		in.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", in.status, in.header)
	}
	cookie, _, _ = strings.Cut(cookie, ";")
	if res := ask("GET", link, ""); res.status != http.StatusForbidden || res.header.Get("Set-Cookie") != "" {
		t.Errorf("the link works twice: %d", res.status)
	}
	res := ask("GET", page, "", "Cookie", cookie)
	body := res.body
	if csp := res.header.Get("Content-Security-Policy"); res.status != 200 ||
		!strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "form-action 'self'") ||
		!strings.Contains(csp, "frame-ancestors 'none'") {
		t.Fatalf("%d %v", res.status, res.header)
	}
	f := with(form(t, body, `value="accepted"`), "do", "accepted")
	if f.Get("by") != "Ann Example" {
		t.Errorf("the link's session has the name %q", f.Get("by"))
	}
	other := w.clerk(t)
	_, othersPage := other.get(strings.TrimPrefix(page, w.base))
	stolen := form(t, othersPage, `value="accepted"`).Get("token")
	for what, bad := range map[string]struct {
		form    url.Values
		headers []string
		status  int
	}{
		"no session": {f, nil, 403},
		"no token": {url.Values{"do": {"accepted"}, "by": {"x"}, "seen": f["seen"]}, []string{"Cookie", cookie},
			403},
		"another's token": {with(url.Values{"do": {"accepted"}, "by": {"x"}, "seen": f["seen"]}, "token", stolen),
			[]string{"Cookie", cookie}, 403},
		"from another site":  {f, []string{"Cookie", cookie, "Sec-Fetch-Site", "cross-site"}, 403},
		"from another port":  {f, []string{"Cookie", cookie, "Sec-Fetch-Site", "same-site"}, 403},
		"from another place": {f, []string{"Cookie", cookie, "Origin", "http://evil.example"}, 403},
		"too large":          {with(url.Values{}, "text", strings.Repeat("x", 300<<10)), []string{"Cookie", cookie}, 413},
	} {
		if res := ask("POST", page, bad.form.Encode(), bad.headers...); res.status != bad.status {
			t.Errorf("%s: %d, want %d", what, res.status, bad.status)
		}
	}
	for _, method := range []string{"PUT", "DELETE", "PATCH"} {
		if res := ask(method, page, f.Encode(), "Cookie", cookie); res.status < 400 {
			t.Errorf("%s: %d", method, res.status)
		}
	}
	if n := w.count(t, `SELECT count(*) FROM council.review`); n != 0 {
		t.Errorf("%d acts are stored", n)
	}
	if res := ask("POST", page, f.Encode(), "Cookie", cookie, "Sec-Fetch-Site", "same-origin"); res.status != http.
		StatusSeeOther {
		t.Errorf("valid form: %d", res.status)
	}
	style := regexp.MustCompile(`/assets/review\.[0-9a-f]+\.css`).FindString(body)
	if res := ask("GET", w.base+style, ""); res.status != 200 || !strings.HasPrefix(res.header.Get("Content-Type"),
		"text/css") {
		t.Errorf("%q: %d", style, res.status)
	}
	for _, path := range []string{"/anomalies/999", "/votes/x", "/meetings/7", "/assets/none.css"} {
		if res := ask("GET", w.base+path, "", "Cookie", cookie); res.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, res.status)
		}
	}
}

// Behind a proxy only its header authenticates visitors.
func TestProxyHeaderNamesTheClerk(t *testing.T) {
	t.Parallel()
	w := open(t, gate.Config{Header: "Townline-Clerk", Hosts: []string{"review.town.example"}})
	if links := w.server.Links([]string{"Ann"}); links != nil {
		t.Errorf("links behind a proxy: %v", links)
	}
	c := w.clerk(t)
	path := fmt.Sprintf("/anomalies/%d", w.anomaly)
	status, body := c.get(path)
	must(t, status, body, http.StatusForbidden, "The proxy did not send your name.")
	c.header["Townline-Clerk"] = []string{"Ann", "Bo"}
	if status, _ := c.get(path); status != http.StatusForbidden {
		t.Errorf("header with two names: %d", status)
	}
	c.header.Set("Townline-Clerk", "Ann Example, City Clerk")
	_, page := c.get(path)
	f := with(form(t, page, `value="accepted"`), "do", "accepted", "by", "Somebody Else")
	c.header.Set("Townline-Clerk", "Bo Deputy")
	if status, _ := c.post(path, f); status != http.StatusForbidden {
		t.Errorf("form with another visitor's token: %d", status)
	}
	c.header.Set("Townline-Clerk", "Ann Example, City Clerk")
	status, body = c.post(path, f)
	must(t, status, body, 200, "Stored, number 1.")
	if n := w.count(t, `SELECT count(*) FROM council.review WHERE author = 'Ann Example, City Clerk'`); n != 1 {
		t.Errorf("%d acts by the name in the proxy's header", n)
	}
}
