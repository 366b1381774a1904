package reviewsite_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline/internal/gate"
	"github.com/townline/townline/services/townline/internal/reviewsite"
)

const minutes = `                 City Council Regular Meeting Minutes
                      Tuesday, March 10, 2026 – 6:00 PM

I.    Call to Order
      The meeting was called to order at 6:04 PM by Mayor Ann Archer
  Attendee Name             Title                 Status       Arrived
  Ann Archer                Mayor                 Present
  Ben Baker                 Councilmember         Present
  Cy De Witt                Councilmember         Present
  Dee O'Dell                Councilmember         Present

II.   Resolutions

      1. 2026-101  Awards the Contract <b>
          RESULT:       ADOPTED [2 TO 1]
          MOVER:        Ann Archer, Mayor
          SECONDER:     Ben Baker, Councilmember
          AYES:         Ann Archer, Ben Baker, Cy De Witt
          NAYS:         Dee O'Dell
` + "\f" + `
      2. 2026-102  Accepts the Report
          RESULT:       ADOPTED [UNANIMOUS]
          MOVER:        Cy De Witt, Councilmember
          SECONDER:     Dee O'Dell, Councilmember
          AYES:         Ann Archer, Ben Baker, Cy De Witt, Dee O'Dell
`

// A world is a town with one meeting, and the review pages with the rights of the clerk's role.
type world struct {
	db        *pgxpool.Pool // with the rights of council-ingest
	ingest    run.Deps
	server    *gate.Server
	base      string
	transport *http.Transport
	anomaly   int64
	contract  int64 // ids of votes
	report    int64
}

func open(t *testing.T, cfg gate.Config) *world {
	t.Helper()
	db := pgtest.New(t)
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	w := &world{db: db, ingest: run.Deps{DB: db, Log: log}}
	set, err := councilingest.ReadSettings("", conf.Environ{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := councilingest.Load(t.Context(), w.ingest, set, councilingest.Minutes{MeetingID: 7, Date: "2026-03-10",
		Bytes: []byte(minutes)}); err != nil {
		t.Fatal(err)
	}
	err = db.QueryRow(t.Context(), `SELECT (SELECT id FROM council.anomaly
		WHERE code = 'tally-mismatch'), (SELECT min(id) FROM council.vote),
		  (SELECT max(id) FROM council.vote)`).Scan(&w.anomaly, &w.contract, &w.report)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Addr, cfg.Town = "127.0.0.1:0", "Alder"
	cfg.TimeZone = "America/New_York"
	if cfg.Header != "" {
		cfg.Addr = "unix:" + t.TempDir() + "/s"
	}
	ln, err := gate.Listen(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.base, w.transport = "http://"+ln.Addr().String(), &http.Transport{}
	if cfg.Header != "" {
		w.base = "http://" + cfg.Hosts[0]
		w.transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", ln.Addr().String())
		}
	}
	t.Cleanup(w.transport.CloseIdleConnections)
	w.server, err = gate.Open(cfg, log, ln, reviewsite.Half(run.Deps{DB: asClerk(t, db), Log: log}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.server.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return w
}

// asClerk returns a pool with the rights of the clerk's role.
func asClerk(t *testing.T, db *pgxpool.Pool) *pgxpool.Pool {
	t.Helper()
	pool, err := pg.Open(t.Context(), pgtest.WriterURL(t, db, "clerk"), pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// settle applies corrections, as council-ingest does every few seconds.
func (w *world) settle(t *testing.T) {
	t.Helper()
	if _, err := councilingest.Apply(t.Context(), w.ingest); err != nil {
		t.Fatal(err)
	}
}

// count returns a number from the database.
func (w *world) count(t *testing.T, sql string) (n int) {
	t.Helper()
	if err := w.db.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A clerk is a browser with a session.
type clerk struct {
	t      *testing.T
	base   string
	client *http.Client
	header http.Header
}

func (w *world) clerk(t *testing.T, names ...string) *clerk {
	t.Helper()
	c := w.visitor(t)
	if links := w.server.Links(names); len(links) > 0 {
		if status, body := c.get(strings.TrimPrefix(links[0], w.base)); status != http.StatusOK {
			t.Fatalf("link: %d %s", status, body)
		}
	}
	return c
}

// visitor returns a browser without a session.
func (w *world) visitor(t *testing.T) *clerk {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &clerk{t: t, base: w.base, client: &http.Client{Jar: jar, Transport: w.transport}, header: http.Header{}}
}

func (c *clerk) send(r *http.Request) (int, string) {
	c.t.Helper()
	for name, values := range c.header {
		r.Header[name] = values
	}
	res, err := c.client.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func (c *clerk) get(path string) (int, string) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.base+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.send(r)
}

func (c *clerk) post(path string, form url.Values) (int, string) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return c.send(r)
}

var (
	forms   = regexp.MustCompile(`(?s)<form method="post".*?</form>`)
	inputs  = regexp.MustCompile(`<input[^>]* name="([^"]+)"[^>]* value="([^"]*)"`)
	selects = regexp.MustCompile(`(?s)<select[^>]* name="([^"]+)">(.*?)</select>`)
	chosen  = regexp.MustCompile(`<option value="([^"]*)" selected`)
	areas   = regexp.MustCompile(`(?s)<textarea[^>]* name="([^"]+)"[^>]*>(.*?)</textarea>`)
)

// form returns the form of a page that has a field or a button with this name and value, filled in
// as a browser does.
func form(t *testing.T, page, mark string) url.Values {
	t.Helper()
	for _, text := range forms.FindAllString(page, -1) {
		if !strings.Contains(text, mark) {
			continue
		}
		v := url.Values{}
		for _, m := range inputs.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(m[0], `type="checkbox"`) {
				v.Set(m[1], unescape(m[2]))
			}
		}
		for _, m := range selects.FindAllStringSubmatch(text, -1) {
			if c := chosen.FindStringSubmatch(m[2]); c != nil {
				v.Set(m[1], unescape(c[1]))
			}
		}
		for _, m := range areas.FindAllStringSubmatch(text, -1) {
			v.Set(m[1], unescape(m[2]))
		}
		return v
	}
	t.Fatalf("no form with %s in\n%s", mark, page)
	return nil
}

func unescape(s string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#39;", "'", "&#34;", `"`, "&amp;", "&").Replace(s)
}

func with(v url.Values, pairs ...string) url.Values {
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}

func must(t *testing.T, status int, body string, want int, texts ...string) {
	t.Helper()
	if status != want {
		t.Fatalf("status %d, want %d:\n%s", status, want, body)
	}
	for _, text := range texts {
		if !strings.Contains(body, text) {
			t.Errorf("lacks %q:\n%s", text, body)
		}
	}
}
