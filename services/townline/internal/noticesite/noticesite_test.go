package noticesite_test

import (
	"context"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/operator"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/townline/internal/gate"
	"github.com/townline/townline/services/townline/internal/noticesite"
)

// A statements tracer counts the statements of a pool.
type statements struct{ atomic.Int64 }

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	s.Add(1)
	return ctx
}

func (*statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// An operatorBrowser has signed in to the pages.
type operatorBrowser struct {
	t      *testing.T
	db     *pgxpool.Pool
	asked  *statements
	base   string
	client *http.Client
}

// feeds are two agencies with the same stop id, in different zones, and one with everything else.
const feeds = `
	CREATE TABLE transit.agency_test PARTITION OF transit.agency DEFAULT;
	CREATE TABLE transit.route_test PARTITION OF transit.route DEFAULT;
	CREATE TABLE transit.stop_test PARTITION OF transit.stop DEFAULT;
	CREATE TABLE transit.trip_test PARTITION OF transit.trip DEFAULT;
	INSERT INTO transit.feed (alias, name) VALUES ('bay', 'Bay Transit'), ('hill', 'Hill Transit');
	INSERT INTO transit.feed_version (feed_id, state, sha256, bytes, source, time_zone)
	SELECT feed_id, 'live', '', 0, '', CASE alias WHEN 'bay' THEN 'America/Los_Angeles' ELSE 'America/Halifax' END
	FROM transit.feed;
	UPDATE transit.feed f SET version_id = v.version_id FROM transit.feed_version v WHERE v.feed_id = f.feed_id;
	INSERT INTO transit.stop (version_id, ord, stop_id, stop_name, num)
	SELECT version_id, 0, '1', 'Pier ' || alias, 1 FROM transit.feed;
	INSERT INTO transit.agency (version_id, ord, agency_id, agency_name, first_route, route_count)
	SELECT version_id, 0, 'A', 'Bay Agency', 0, 1 FROM transit.feed WHERE alias = 'bay';
	INSERT INTO transit.route (version_id, ord, route_id, agency_id, route_short_name, first_trip, trip_count,
	  first_direction, direction_count)
	SELECT version_id, 0, '7', 'A', '7', 0, 1, 0, 0 FROM transit.feed WHERE alias = 'bay';
	INSERT INTO transit.trip (version_id, ord, trip_id, route_id, service_id, trip_headsign, start_time)
	SELECT version_id, 0, '7-1', '7', 'WK', 'Harbour', 27000 FROM transit.feed WHERE alias = 'bay'`

func open(t *testing.T) *operatorBrowser {
	t.Helper()
	db := pgtest.New(t)
	if _, err := db.Exec(t.Context(), feeds); err != nil {
		t.Fatal(err)
	}
	o := &operatorBrowser{t: t, db: db, asked: &statements{}}
	cfg := db.Config()
	cfg.ConnConfig.Tracer = o.asked
	traced, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(traced.Close)
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	settings := gate.Config{Addr: "127.0.0.1:0", Council: conf.Council{TimeZone: "UTC"}}
	ln, err := gate.Listen(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	server, err := gate.Open(settings, log, ln, noticesite.Half(noticesite.Config{PublicURL: "https://bus.example"},
		run.Deps{DB: traced, Log: log}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	o.base, o.client = "http://"+ln.Addr().String(), &http.Client{Jar: jar, Transport: transport}
	if status, body := o.get(strings.TrimPrefix(server.Links([]string{"Ann"})[0], o.base)); status != http.StatusOK {
		t.Fatalf("link: %d %s", status, body)
	}
	return o
}

func (o *operatorBrowser) send(r *http.Request, err error) (int, string) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
	res, err := o.client.Do(r)
	if err != nil {
		o.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	return res.StatusCode, html.UnescapeString(string(body))
}

func (o *operatorBrowser) get(path string) (int, string) {
	o.t.Helper()
	return o.send(http.NewRequestWithContext(o.t.Context(), http.MethodGet, o.base+path, nil))
}

var token = regexp.MustCompile(`name="token" value="([^"]+)"`)

// post sends a form, with the token of the page at its path.
func (o *operatorBrowser) post(page, path string, form url.Values) (int, string) {
	o.t.Helper()
	_, body := o.get(page)
	m := token.FindStringSubmatch(body)
	if m == nil {
		o.t.Fatalf("%s has no form: %s", page, body)
	}
	form.Set("token", m[1])
	r, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, o.base+path, strings.NewReader(form.Encode()))
	if err == nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", o.base)
	}
	return o.send(r, err)
}

// The list needs as many statements for a hundred notices as for one, and shows each with what it is
// about.
func TestTheListReadsItsSubjectsAtOnce(t *testing.T) {
	t.Parallel()
	o := open(t)
	add := func(feed *string, kind, id string) {
		t.Helper()
		if _, err := operator.AddAnnotation(t.Context(), o.db, operator.Annotation{AnnotationType: "comment", Feed: feed,
			EntityType: kind, EntityID: id, SecondaryEntityType: new(""), SecondaryEntityID: new(""), Source: "About " + id,
			Format: "markdown", OverrideEntityID: new(""), TimeZone: "UTC", Author: new("Ann")}, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	add(new("bay"), "stops", "1")
	before := o.asked.Load()
	o.get("/notices")
	one := o.asked.Load() - before
	for range 25 {
		add(nil, "stops", "1")
		add(new("bay"), "routes", "7")
		add(new("bay"), "trips", "7-1")
		add(new("bay"), "agency", "A")
		add(new("hill"), "routes", "7") // not in the feed
	}
	before = o.asked.Load()
	_, page := o.get("/notices")
	if many := o.asked.Load() - before; many != one {
		t.Errorf("%d statements for one notice, %d for 126", one, many)
	}
	for text, want := range map[string]int{"https://bus.example/f/bay/stops/1\"": 26,
		"https://bus.example/f/hill/stops/1\"": 25, "https://bus.example/f/bay/routes/A/7\"": 25,
		"https://bus.example/f/bay/routes/A/7/trips/7-1\"": 25,
		"https://bus.example/f/bay\"":                      25, "No feed has it now.": 25, "Use again": 101} {
		if n := strings.Count(page, text); n != want {
			t.Errorf("%d times %q, want %d", n, text, want)
		}
	}
}

// An operator previews, publishes, ends and reuses a notice about each kind of thing, in each language.
func TestAnOperatorPublishesNotices(t *testing.T) {
	t.Parallel()
	o := open(t)
	n := 0
	for kind, id := range map[string]string{"stops": "1", "routes": "7", "trips": "7-1", "agency": "A"} {
		for lang, words := range map[string][4]string{
			"en": {"Preview: nothing is published yet", "Published: notice %d.", "Ended: notice %d.",
				"until further notice"},
			"es": {"Vista previa: todavía no se ha publicado nada", "Publicado: aviso %d.", "Terminado: aviso %d.",
				"hasta nuevo aviso"},
			"fr": {"Aperçu\u202f: rien n’est encore publié", "Publié\u202f: avis %d.", "Terminé\u202f: avis %d.",
				"jusqu’à nouvel ordre"},
		} {
			form := func(then string) url.Values {
				return url.Values{"text": {"Use **the other** side."}, "by": {"Ann, dispatch"}, "then": {then}}
			}
			path := "/notices/new?feed=bay&type=" + kind + "&id=" + id + "&lang=" + lang
			status, page := o.post(path, path, form("look"))
			if status != http.StatusOK || !containsAll(page, words[0], "<strong>the other</strong>", words[3]) {
				t.Fatalf("preview of %s in %s: %d %s", kind, lang, status, page)
			}
			n++
			status, page = o.post(path, path, form("store"))
			if status != http.StatusOK || !strings.Contains(page, fmt.Sprintf(words[1], n)) {
				t.Fatalf("publish %s in %s: %d %s", kind, lang, status, page)
			}
			status, page = o.post("/notices", fmt.Sprintf("/notices/%d/end?lang=%s", n, lang), url.Values{})
			if status != http.StatusOK || !strings.Contains(page, fmt.Sprintf(words[2], n)) {
				t.Errorf("end %s in %s: %d %s", kind, lang, status, page)
			}
			status, page = o.get(fmt.Sprintf("/notices/new?like=%d&lang=%s", n, lang))
			if status != http.StatusOK || !containsAll(page, ">Use **the other** side.</textarea>", "/f/bay") {
				t.Errorf("use %s again in %s: %d %s", kind, lang, status, page)
			}
		}
	}
}

func containsAll(page string, texts ...string) bool {
	for _, text := range texts {
		if !strings.Contains(page, text) {
			return false
		}
	}
	return true
}

// What cannot be published is refused with a sentence, keeps what was typed, and stores nothing.
func TestNoticesThatCannotBePublished(t *testing.T) {
	t.Parallel()
	o := open(t)
	const path = "/notices/new?feed=bay&type=stops&id=1"
	for name, c := range map[string]struct {
		form url.Values
		want string
	}{
		"no text":         {url.Values{"text": {" "}}, "write a text"},
		"no name":         {url.Values{"by": {""}}, "enter your name"},
		"no such date":    {url.Values{"from": {"2027-02-30"}}, "cannot be read"},
		"a time alone":    {url.Values{"untiltime": {"06:00"}}, "cannot be read"},
		"end before":      {url.Values{"from": {"2099-03-02"}, "until": {"2099-03-01"}}, "not after"},
		"over already":    {url.Values{"until": {"2020-01-01"}}, "over already"},
		"no such hours":   {url.Values{"starts": {"25:00"}}, "hours cannot be read"},
		"much too long":   {url.Values{"text": {strings.Repeat("long ", 10_000)}}, "too long"},
		"control letters": {url.Values{"by": {"A\x01nn"}}, "enter your name"},
	} {
		form := url.Values{"text": {"Kept text"}, "by": {"Ann"}, "then": {"store"}}
		for key, values := range c.form {
			form[key] = values
		}
		status, page := o.post(path, path, form)
		if status != http.StatusBadRequest || !containsAll(page, `role="alert"`, c.want, form.Get("text")) {
			t.Errorf("%s: %d %s", name, status, page)
		}
	}
	for _, path := range []string{"/notices/new?feed=bay&type=stops&id=none", "/notices/new?feed=none&type=stops&id=1",
		"/notices/new?feed=bay&type=ships&id=1", "/notices/new?like=99", "/notices/trips?feed=bay&id=none",
		"/notices/new?feed=bay&type=stops&id=%00"} {
		if status, _ := o.get(path); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
	stored, err := operator.ListAnnotations(t.Context(), o.db, nil)
	if err != nil || len(stored) > 0 {
		t.Errorf("stored: %v, %v", stored, err)
	}
}
