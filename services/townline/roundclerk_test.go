package townline_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// act opens a clerk's session and sends a form. when is the moment of a kill: 0 during the request,
// 1 after it was sent, 2 after the answer; a negative number means never.
func (r *round) act(path, mark string, when int, pairs ...string) {
	r.t.Helper()
	if r.left == 0 && when >= 0 {
		return
	}
	cmd := r.command("review", "--addr", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	kill := func() {
		_ = cmd.Process.Kill()
	}
	defer func() {
		kill()
		_ = cmd.Wait()
		if when >= 0 {
			r.left--
		}
		r.check()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	link := opened.FindStringSubmatch(line)
	if err != nil || link == nil {
		r.t.Fatalf("townline review prints %q, %v", line, err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		r.t.Fatal(err)
	}
	client := &http.Client{Jar: jar, CheckRedirect: func(req *http.Request, _ []*http.Request) error {
		if req.URL.Query().Has("done") {
			return http.ErrUseLastResponse
		}
		return nil
	}, Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	ask := func(method, address string, form url.Values, trace *httptrace.ClientTrace) (int, string, error) {
		ctx := r.t.Context()
		if trace != nil {
			ctx = httptrace.WithClientTrace(ctx, trace)
		}
		req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
		if err != nil {
			r.t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := client.Do(req)
		if err != nil {
			return 0, "", err
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		return res.StatusCode, string(body), err
	}
	base := link[1][:strings.Index(link[1], "/open")]
	if status, body, err := ask(http.MethodGet, link[1], nil, nil); err != nil || status != http.StatusOK {
		r.t.Fatalf("link: %d %v\n%s", status, err, body)
	}
	_, page, err := ask(http.MethodGet, base+path, nil, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	form := formWith(r.t, page, mark)
	form.Set("by", "Ann Example, City Clerk")
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	said := "text"
	if form.Get("reason") != "" {
		said = "reason"
	}
	var trace *httptrace.ClientTrace
	switch when {
	case 0:
		trace = &httptrace.ClientTrace{WroteHeaders: kill}
	case 1:
		trace = &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { kill() }}
	}
	status, body, err := ask(http.MethodPost, base+path, form, trace)
	times := func() int64 {
		return r.number(`SELECT (SELECT count(*) FROM council.review WHERE body = $1) + (SELECT count(*)
			FROM council.correction WHERE reason = $1)`, form.Get(said))
	}
	switch {
	case err == nil && status == http.StatusSeeOther:
		r.answered++
		if n := times(); n != 1 {
			r.t.Errorf("%v: acknowledged, but stored %d times", pairs, n)
		}
	case err == nil:
		r.t.Fatalf("%v: %d\n%s", pairs, status, body)
	default:
		if n := times(); n > 1 {
			r.t.Errorf("%v: not acknowledged, but stored %d times", pairs, n)
		}
	}
}

// check verifies that no statement is lost.
func (r *round) check() {
	r.t.Helper()
	rows, err := r.h.db.Query(r.t.Context(), `
		SELECT line FROM (
			SELECT made_at, 'review ' || review_id || ' ' || act || ' ' || body || ' ' || author AS line FROM council.review
			UNION ALL SELECT made_at, 'correction ' || correction_id || ' ' || kind || ' ' || coalesce(becomes,
			  '') || ' ' || reason FROM council.correction) x ORDER BY line`)
	if err != nil {
		r.t.Fatal(err)
	}
	now, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		r.t.Fatal(err)
	}
	for _, line := range r.stored {
		if !slices.Contains(now, line) {
			r.t.Errorf("lost: %s", line)
		}
	}
	r.stored = now
}

var (
	formsOf  = regexp.MustCompile(`(?s)<form method="post".*?</form>`)
	inputsOf = regexp.MustCompile(
		`<input[^>]* name="([^"]+)"[^>]* value="([^"]*)"|<select[^>]* name="([^"]+)">.*?<option value="([^"]*)" selected`)
)

// formWith returns the form of a page that contains mark, with the values that a browser would
// send.
func formWith(t *testing.T, page, mark string) url.Values {
	t.Helper()
	for _, text := range formsOf.FindAllString(page, -1) {
		if !strings.Contains(text, mark) {
			continue
		}
		v := url.Values{}
		for _, m := range inputsOf.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(m[0], `type="checkbox"`) {
				v.Set(m[1]+m[3], strings.NewReplacer("&#39;", "'", "&#34;", `"`, "&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(
					m[2]+m[4]))
			}
		}
		return v
	}
	t.Fatalf("no form with %s in\n%s", mark, page)
	return nil
}
