package rest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/rest"
)

// A test API of things in a real table, with cursors.

type colour string

func (colour) Values() []colour { return []colour{"red", "green", "blue"} }

type thing struct {
	ID     int64     `json:"id" doc:"The thing's id."`
	Day    rest.Date `json:"day"`
	At     rest.Time `json:"at"`
	Colour *colour   `json:"colour"`
	Note   string    `json:"note,omitempty"`
}

type thingsParams struct {
	Keyset
	From   *rest.Date `query:"from" doc:"First day."`
	Colour *colour    `query:"colour"`
	Owner  *int64     `query:"owner" min:"1" null:"true"`
	Bright *bool      `query:"bright"`
	Margin *string    `query:"margin" arg:"-" pattern:"^[0-9]-[0-9]$"`
	Q      *string    `query:"q" arg:"-" minlen:"1" maxlen:"20" pattern:"\\S"`
	Shade  *string    `query:"shade" arg:"-" enum:"light,dark" needs:"colour"`
}

var listThings = rest.SQL[thingsParams, thing](`
	SELECT id, day, at, colour, note
	FROM thing
	WHERE (@from::date IS NULL OR day >= @from)
	  AND (@colour::text IS NULL OR colour = @colour)
	  AND (@owner::bigint IS NULL OR owner = @owner)
	  AND (@bright::bool IS NULL OR (colour = 'green') = @bright)
	  AND (@after::bigint IS NULL OR id < @after)
	ORDER BY id DESC
	LIMIT @limit`)

type thingParams struct {
	ID int64 `path:"id" min:"1" doc:"The thing's id."`
}

var oneThing = rest.SQL[thingParams, thing](`
	SELECT id, day, at, colour, note FROM thing WHERE id = @id`)

type things struct {
	*rest.Server
	db      *pgxpool.Pool
	gen     atomic.Int64 // generation, as this process knows it
	builds  atomic.Int64
	closed  atomic.Int64  // number of closed streams
	breaks  atomic.Bool   // streams break off
	during  func(n int64) // runs during the n-th build of /counted
	log     *safeBuffer
	metrics *prometheus.Registry
}

// safeBuffer is a log that tests can read while requests run.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

type counted struct {
	Generation int64  `json:"generation"`
	Row        int64  `json:"row"` // the row as the handler's query reads it
	Padding    string `json:"padding"`
}

// content is a stream that counts itself while it is open. It breaks off if breaks is set.
type content struct {
	io.ReadSeeker
	f    *things
	once sync.Once
}

func (c *content) Read(b []byte) (int, error) {
	if c.f.breaks.Load() {
		return 0, errors.New("SELECT secret FROM vault")
	}
	return c.ReadSeeker.Read(b)
}

func (c *content) Close() error {
	c.once.Do(func() { c.f.closed.Add(1) })
	return nil
}

func (f *things) table() rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "listThings", Path: "/things", Summary: "Things, newest first", Tag: "Things",
			Queries: rest.Queries(listThings)}, pageOfThings),
		rest.Func(rest.Spec{ID: "getThing", Path: "/things/{id}", Summary: "One thing", Tag: "Things",
			NotFound: "unknown thing", Queries: rest.Queries(oneThing)},
			func(ctx context.Context, c *rest.Call, p thingParams) (thing, error) { return oneThing.One(ctx, c, p) }),
		rest.Func(rest.Spec{ID: "undeclared", Path: "/undeclared", Summary: "A query that its entry does not name"},
			func(ctx context.Context, c *rest.Call, _ rest.None) (thing, error) {
				return oneThing.One(ctx, c, thingParams{1})
			}),
		rest.Func(rest.Spec{ID: "counted", Path: "/counted", Summary: "Counts its builds", Queries: rest.Queries(generation)},
			func(ctx context.Context, c *rest.Call, _ rest.None) (counted, error) {
				n := f.builds.Add(1)
				if f.during != nil {
					f.during(n)
				}
				if c.Generation().N < 0 {
					return counted{}, rest.NotFound("not in generation %d", c.Generation().N)
				}
				row, err := generation.One(ctx, c, rest.None{})
				return counted{c.Generation().N, row, strings.Repeat("Padding. ", 100)}, err
			}),
		rest.Func(rest.Spec{ID: "pdf", Path: "/things/{id}/thing.pdf", Summary: "A file", Media: "application/pdf"},
			func(_ context.Context, _ *rest.Call, p thingParams) (rest.File, error) {
				if p.ID != 1 {
					return rest.File{}, nil
				}
				return rest.File{Body: []byte("%PDF-0123456789"), Name: "Thing 1 é.pdf", Tag: "content-hash"}, nil
			}),
		rest.Func(rest.Spec{ID: "text", Path: "/things/{id}/thing.txt", Summary: "A text", Media: "text/plain"},
			func(context.Context, *rest.Call, thingParams) (rest.File, error) {
				return rest.File{Body: bytes.Repeat([]byte("line\f"), 300)}, nil
			}),
		rest.Func(rest.Spec{ID: "csv", Path: "/export.csv", Summary: "A stream", Stream: true, Media: "text/csv"},
			func(context.Context, *rest.Call, rest.None) (rest.File, error) {
				n := f.builds.Add(1)
				if f.during != nil {
					f.during(n)
				}
				return rest.File{Content: &content{ReadSeeker: strings.NewReader("a,b\r\n1,2\r\n"), f: f}, Name: "export.csv",
					Attachment: true}, nil
			}),
		rest.Func(rest.Spec{ID: "panics", Path: "/panics", Summary: "Panics"},
			func(context.Context, *rest.Call, rest.None) (string, error) { panic("SELECT secret FROM vault") }),
		rest.Func(rest.Spec{ID: "fails", Path: "/fails", Summary: "Fails"},
			func(context.Context, *rest.Call, rest.None) (string, error) {
				return "", errors.New("SELECT secret FROM vault")
			}),
		rest.Func(rest.Spec{ID: "slow", Path: "/slow", Summary: "Takes too long"},
			func(ctx context.Context, _ *rest.Call, _ rest.None) (string, error) {
				<-ctx.Done()
				return "", fmt.Errorf("asked: %w", ctx.Err())
			}),
		rest.Func(rest.Spec{ID: "sleeps", Path: "/sleeps", Summary: "A query that takes too long",
			Queries: rest.Queries(sleep)},
			func(ctx context.Context, c *rest.Call, _ rest.None) (bool, error) {
				return sleep.One(ctx, c, rest.None{})
			}),
		rest.From(rest.Spec{ID: "secret", Path: "/secret", Summary: "Needs a key", Permission: "secret"},
			rest.Fixed[rest.None](0),
			func(context.Context, *rest.Call, rest.None, rest.None) (string, error) { return "s", nil }),
		rest.Func(rest.Spec{ID: "live", Path: "/live", Summary: "Realtime", Kind: rest.Realtime},
			func(context.Context, *rest.Call, rest.None) (string, error) { return "now", nil }),
	}
}

var sleep = rest.SQL[rest.None, bool](`SELECT pg_sleep(60) IS NULL`)

var generation = rest.SQL[rest.None, int64](`SELECT generation FROM state`)

// commit changes the data without an announcement.
func (f *things) commit(generation int64) {
	if _, err := f.db.Exec(context.Background(), `UPDATE state SET generation = $1`, generation); err != nil {
		panic(err)
	}
}

var committed = time.Date(2026, 3, 4, 5, 6, 7, 890, time.UTC)

func newThings(t testing.TB, change ...func(*rest.Config)) *things {
	t.Helper()
	f := &things{db: pgtest.New(t), log: &safeBuffer{}, metrics: prometheus.NewRegistry()}
	if _, err := f.db.Exec(t.Context(), `
		CREATE TABLE state (generation bigint);
		INSERT INTO state VALUES (1);
		CREATE TABLE thing (id bigint PRIMARY KEY, day date NOT NULL, at timestamptz NOT NULL, colour text, owner bigint,
		  note text NOT NULL);
		INSERT INTO thing SELECT n, date '2026-01-01' + (n / 3)::int,
		  timestamptz '2026-01-01 08:30:00.75-08' + n * interval '1 hour',
			(ARRAY['red','green','blue',NULL])[n % 4 + 1], n % 5, 'note <' || n || '> & more'
		FROM generate_series(1, 57) AS n`); err != nil {
		t.Fatal(err)
	}
	f.gen.Store(1)
	cfg := rest.Config{
		Name: "council", Dialect: problems(), Base: "/v1", PublicURL: "https://votes.example/v1",
		Title: "Things", Version: "1.0.0", Description: "Things of a test.\n\nA second paragraph.", License: "MIT",
		DB: f.db, Timeout: time.Minute, AccessLog: rest.LogAll, Log: slog.New(slog.NewJSONHandler(f.log, nil)),
		Metrics: f.metrics,
		Dataset: &rest.Dataset{
			Now: func(context.Context) (rest.Generation, error) {
				return rest.Generation{N: f.gen.Load(), Time: committed}, nil
			},
			Read: func(ctx context.Context, db rest.DB) (rest.Generation, error) {
				n, err := generation.One(ctx, db, rest.None{})
				return rest.Generation{N: n, Time: committed}, err
			},
		},
		Access: func(r *http.Request, s *rest.Spec) (rest.Grant, error) {
			left := http.Header{"Ratelimit-Remaining": {"3"}}
			switch {
			case s.Permission == "":
				return rest.Grant{}, nil
			case r.Header.Get("X-Api-Key") == "":
				return rest.Grant{}, rest.Unauthorized(`Bearer realm="things"`, "a key is needed")
			case r.Header.Get("X-Api-Key") != "good":
				return rest.Grant{Header: left}, rest.Forbidden("this key may not")
			}
			return rest.Grant{Private: true, Header: left}, nil
		},
	}
	for _, c := range change {
		c(&cfg)
	}
	var err error
	f.Server, err = rest.New(cfg, f.table())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The second test API answers from memory, with windows.

type stop struct {
	ID   string  `json:"stop_id"`
	Lat  *string `json:"stop_lat"`
	Self string  `json:"self"`
}

type feedParams struct {
	Alias string `path:"feed_alias"`
}

func (p feedParams) alias() string { return p.Alias }

// feed is the source of answers about the only feed.
func feed[P interface{ alias() string }]() rest.Source[P, string] {
	return rest.Source[P, string]{Now: func(_ context.Context, _ *rest.Call, p P) (string, rest.Generation, error) {
		if p.alias() != "metro" {
			return "", rest.Generation{}, rest.NotFound("no feed %q", p.alias())
		}
		return p.alias(), rest.Generation{N: 3, Time: committed}, nil
	}}
}

type stopsParams struct {
	feedParams
	window
}

type stopParams struct {
	feedParams
	ID string `path:"stop_id"`
}

func newStops(t testing.TB, change ...func(*rest.Config)) *rest.Server {
	t.Helper()
	const stops = 1203
	ids := make([]stop, stops)
	list := func(c *rest.Call, alias string) []stop {
		for i := range ids {
			id := fmt.Sprintf("s/%d", i)
			ids[i] = stop{ID: id, Self: c.URL("/feeds/{feed_alias}/stops/{stop_id}", alias, id)}
		}
		return ids
	}
	table := rest.Table{
		rest.Func(rest.Spec{ID: "root", Path: "/", Summary: "Resources"},
			func(_ context.Context, c *rest.Call, _ rest.None) (Envelope[[]string], error) {
				return item(c, []string{"feeds"}), nil
			}),
		rest.From(rest.Spec{ID: "stops", Path: "/feeds/{feed_alias}/stops", Summary: "Stops"}, feed[stopsParams](),
			func(_ context.Context, c *rest.Call, p stopsParams, alias string) (Envelope[[]stop], error) {
				return cut(c, p.window, list(c, alias)), nil
			}),
		rest.From(rest.Spec{ID: "stop", Path: "/feeds/{feed_alias}/stops/{stop_id}", Summary: "One stop"},
			feed[stopParams](),
			func(_ context.Context, c *rest.Call, p stopParams, _ string) (Envelope[stop], error) {
				if p.ID == "none" {
					return Envelope[stop]{}, rest.NotFound("no stop %q", p.ID)
				}
				return item(c, stop{ID: p.ID}), nil
			}),
		rest.From(rest.Spec{ID: "fixed", Path: "/feeds/{feed_alias}/stops/fixed", Summary: "A literal beside a " +
			"parameter"}, feed[feedParams](),
			func(_ context.Context, c *rest.Call, _ feedParams, _ string) (Envelope[string], error) {
				return item(c, "fixed"), nil
			}),
		rest.Func(rest.Spec{ID: "live", Path: "/rt/{stop_id}", Summary: "Realtime", Kind: rest.Realtime},
			func(_ context.Context, c *rest.Call, _ struct {
				ID string `path:"stop_id"`
			}) (Envelope[[]stop], error) {
				return item(c, []stop{}), nil
			}),
	}
	cfg := rest.Config{Name: "transit", Dialect: messages(), Base: "/gtfs/api/v2",
		PublicURL: "https://transit.example/gtfs/api/v2/",
		AccessLog: rest.LogOff,
	}
	for _, c := range change {
		c(&cfg)
	}
	s, err := rest.New(cfg, table)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type got struct {
	StatusCode    int
	Header        http.Header
	ContentLength int64
	Body          string
}

// do sends one request to a handler. headers are pairs of name and value.
func do(t testing.TB, h http.Handler, method, target string, headers ...string) got {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), method, target, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	res := rec.Result()
	defer res.Body.Close()
	return got{rec.Code, res.Header, res.ContentLength, rec.Body.String()}
}

func get(t testing.TB, h http.Handler, target string, headers ...string) (got, string) {
	t.Helper()
	res := do(t, h, http.MethodGet, target, headers...)
	return res, res.Body
}

// openPool opens a pool whose address has no server.
func openPool(t testing.TB, address string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}
