package townline_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/services/townline"
)

// A dispatcher is a browser that is signed in at `townline review`.
type dispatcher struct {
	t      *testing.T
	base   string
	client *http.Client
	token  string
}

// dispatcher starts the pages with the rights of townline's role, and signs in.
func (o *operator) dispatcher(t *testing.T) *dispatcher {
	t.Helper()
	db := open(t, o.url, pg.Options{})
	address := pgtest.WriterURL(t, db, "townline")
	council := write(t, "council.yaml", "portal: {url: 'https://town.example'}\nsite: {name: Town of Elmswick}\n")
	out, in := io.Pipe()
	runUntilEnd(t, func(ctx context.Context) error {
		env := conf.Environ{"TRANSIT_PUBLIC_URL": strings.TrimSuffix(o.base, "/gtfs/api/v2")}
		status := townline.Main(ctx, []string{"review", "--addr", "127.0.0.1:0", "--by", "Bo Example, dispatcher",
			"--council-config", council, "--database-url", address}, env, in, t.Output())
		_ = in.Close()
		if status != 0 {
			return fmt.Errorf("townline review: status %d", status)
		}
		return nil
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`^open once for Bo Example, dispatcher: ((http://[^/]+)/open\?key=\w+)\n$`).
		FindStringSubmatch(line)
	if link == nil {
		t.Fatalf("townline review prints %q", line)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	d := &dispatcher{t: t, base: link[2], client: &http.Client{Jar: jar, Transport: &http.Transport{}}}
	t.Cleanup(d.client.CloseIdleConnections)
	if status, _ := d.get("/notices"); status != http.StatusForbidden {
		t.Errorf("a visitor without a session gets %d", status)
	}
	status, page := d.get(strings.TrimPrefix(link[1], d.base))
	if status != http.StatusOK || !strings.Contains(page, "Notices for riders") ||
		!strings.Contains(page, "Town of Elmswick") || strings.Contains(page, ">Votes<") {
		t.Fatalf("first page: %d\n%s", status, page)
	}
	return d
}

func (d *dispatcher) send(method, path string, form url.Values, headers ...string) (int, string) {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), method, d.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := d.client.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func (d *dispatcher) get(path string) (int, string) { return d.send(http.MethodGet, path, nil) }

// form opens the form of a notice about the first result of a search with these words.
func (d *dispatcher) form(q, kind string) (address string) {
	d.t.Helper()
	_, page := d.get("/notices/about?q=" + url.QueryEscape(q))
	found := regexp.MustCompile(`<a href="(/notices/new\?[^"]*type=` + kind + `[^"]*)"`).FindStringSubmatch(page)
	if found == nil {
		d.t.Fatalf("no %s for %q:\n%s", kind, q, page)
	}
	address = strings.ReplaceAll(found[1], "&amp;", "&")
	status, page := d.get(address)
	token := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(page)
	if status != http.StatusOK || token == nil {
		d.t.Fatalf("%s: %d\n%s", address, status, page)
	}
	d.token = token[1]
	return address
}

// An operator previews, publishes and ends a notice in a browser. It stands on the page that the
// preview names, and the command lists it.
func TestNoticesInABrowser(t *testing.T) {
	t.Parallel()
	o := newOperator(t, "access: {roles: {anonymous: [discovery, static, realtime, display]}}")
	d := o.dispatcher(t)
	root := strings.TrimSuffix(o.base, "/gtfs/api/v2")
	for _, of := range []struct{ q, kind string }{{"Fish Market", "stops"}, {"10", "routes"}} {
		address := d.form(of.q, of.kind)
		form := url.Values{"token": {d.token}, "by": {"Bo Example, dispatcher"},
			"text":  {"Use **Main Street** for " + of.kind},
			"until": {time.Now().AddDate(0, 0, 9).Format(time.DateOnly)}}
		form.Set("then", "look")
		status, page := d.send(http.MethodPost, address, form)
		stands := regexp.MustCompile(`href="(` + root + `/f/demo/[^"]+)"`).FindStringSubmatch(page)
		if status != http.StatusOK || !strings.Contains(page, "<strong>Main Street</strong>") || stands == nil {
			t.Fatalf("preview: %d\n%s", status, page)
		}
		if all := o.listed(t); strings.Contains(all, "Main Street") && of.kind == "stops" {
			t.Errorf("the preview is stored: %s", all)
		}
		form.Set("then", "store")
		status, page = d.send(http.MethodPost, address, form)
		number := regexp.MustCompile(`Published: notice (\d+)\.`).FindStringSubmatch(page)
		if status != http.StatusOK || number == nil || !strings.Contains(page, "Shown now") {
			t.Fatalf("publish: %d\n%s", status, page)
		}
		shown := func() error {
			res, err := http.Get(stands[1])
			if err != nil {
				return err
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			if err == nil && !strings.Contains(string(body), "Main Street") {
				err = fmt.Errorf("%s lacks the notice: %d", stands[1], res.StatusCode)
			}
			return err
		}
		eventually(t, shown)
		if all := o.listed(t); !strings.Contains(all, "for "+of.kind) {
			t.Errorf("the command does not list it: %s", all)
		}
		status, page = d.send(http.MethodPost, "/notices/"+number[1]+"/end", url.Values{"token": {d.token}})
		if status != http.StatusOK || !strings.Contains(page, "Ended: notice "+number[1]) {
			t.Fatalf("end: %d\n%s", status, page)
		}
		eventually(t, func() error {
			if shown() == nil {
				return fmt.Errorf("%s still has the notice", stands[1])
			}
			return nil
		})
	}
}

func (o *operator) listed(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	if status := townline.Main(t.Context(), []string{"annotation", "list", "--database-url", o.url}, conf.Environ{}, &out,
		&out); status != 0 {
		t.Fatal(out.String())
	}
	return out.String()
}

// A form with a mistake stores nothing, keeps what was written, and says what is wrong in the
// reader's language; neither does one from another site.
func TestNoticesRefuseForms(t *testing.T) {
	t.Parallel()
	o := newOperator(t, "access: {roles: {anonymous: [discovery, static, realtime, display]}}")
	d := o.dispatcher(t)
	address := d.form("Fish Market", "stops")
	good := func(pairs ...string) url.Values {
		v := url.Values{"token": {d.token}, "by": {"Bo"}, "text": {"Closed <b>."}, "then": {"store"}}
		for i := 0; i < len(pairs); i += 2 {
			v.Set(pairs[i], pairs[i+1])
		}
		return v
	}
	for _, bad := range []struct {
		form    url.Values
		headers []string
		status  int
		says    string
	}{
		{good("text", " "), nil, 400, "Write a text"},
		{good("text", "<script>x</script>"), nil, 400, "write a text"},
		{good("text", strings.Repeat("x", 17<<10)), nil, 400, "too long"},
		{good("by", "\t"), nil, 400, "enter your name"},
		{good("until", "2020-01-01"), nil, 400, "is over already"},
		{good("from", "2099-02-01", "until", "2099-01-01"), nil, 400, "not after the beginning"},
		{good("from", "1st of May"), nil, 400, "cannot be read"},
		{good("fromtime", "06:00"), nil, 400, "a time needs a day"},
		{good("Mo", "yes", "starts", "late"), nil, 400, "hours cannot be read"},
		{good("token", "wrong"), nil, 403, "Nothing was stored"},
		{good(), []string{"Sec-Fetch-Site", "cross-site"}, 403, "Nothing was stored"},
		{good(), []string{"Origin", "http://evil.example"}, 403, "Nothing was stored"},
	} {
		status, page := d.send(http.MethodPost, address, bad.form, bad.headers...)
		if status != bad.status || !strings.Contains(strings.ToLower(page), strings.ToLower(bad.says)) {
			t.Errorf("%v: %d, want %d and %q\n%s", bad.form, status, bad.status, bad.says, page)
		}
	}
	if all := o.listed(t); !strings.HasPrefix(all, "no annotations") {
		t.Errorf("stored: %s", all)
	}
	for _, path := range []string{"/notices/new?feed=demo&type=stops&id=none", "/notices/new?feed=demo&type=x&id=1",
		"/notices/new?like=99", "/notices/trips?feed=none&id=10", "/anomalies/1"} {
		if status, _ := d.get(path); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
	for lang, title := range map[string]string{"es": "Avisos para los pasajeros", "fr": "Avis aux voyageurs"} {
		if _, page := d.get("/notices?lang=" + lang); !strings.Contains(page, title) {
			t.Errorf("%s: %s", lang, page)
		}
	}
	_, page := d.get("/notices/trips?feed=demo&id=" + url.QueryEscape("10") + "&day=2026-03-03")
	if !strings.Contains(page, "type=trips") {
		t.Errorf("no trips of line 10:\n%s", page)
	}
}
