package wire

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/rest"
)

type thing struct {
	Key
	ID int64 `json:"id"`
}

type thingsParams struct {
	Keyset
	From   *rest.Date `query:"from"`
	Colour *string    `query:"colour"`
	Owner  *int64     `query:"owner" min:"1" null:"true"`
}

var listThings = rest.SQL[thingsParams, thing](`
	SELECT id, jsonb_build_array(day, id) AS cursor
	FROM thing
	WHERE (@from::date IS NULL OR day >= @from)
	  AND (@colour::text IS NULL OR colour = @colour)
	  AND (@owner::bigint IS NULL OR owner = @owner)
	  AND (@after::jsonb IS NULL OR (day, id) < ((@after::jsonb->>0)::date, (@after::jsonb->>1)::bigint))
	ORDER BY day DESC, id DESC
	LIMIT @limit`)

// A fixture is an API with 57 rows.
type fixture struct {
	server *rest.Server
	db     *pgxpool.Pool
	gen    atomic.Int64
}

func open(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{db: pgtest.New(t)}
	if _, err := f.db.Exec(t.Context(), `
		CREATE TABLE thing (id bigint PRIMARY KEY, day date NOT NULL, colour text, owner bigint);
		INSERT INTO thing SELECT n, date '2026-01-01' + (n / 3)::int,
		  (ARRAY['red','green','blue',NULL])[n % 4 + 1], n % 5 FROM generate_series(1, 57) AS n`); err != nil {
		t.Fatal(err)
	}
	var err error
	f.server, err = rest.New(rest.Config{
		Name: "council", Dialect: Dialect(), Base: "/v1", PublicURL: "https://votes.example/v1", DB: f.db,
		Timeout: 5 * time.Second, AccessLog: rest.LogOff,
		Dataset: &rest.Dataset{Now: func(context.Context) (rest.Generation, error) {
			return rest.Generation{N: f.gen.Load()}, nil
		}},
	}, rest.Table{List(rest.Spec{ID: "listThings", Path: "/things", Summary: "Things, newest first"}, listThings)})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *fixture) get(t *testing.T, target string) (*httptest.ResponseRecorder, string) {
	t.Helper()
	rec := httptest.NewRecorder()
	f.server.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil))
	return rec, rec.Body.String()
}

type thingsPage struct {
	Data       []struct{ ID int64 }
	NextCursor *string `json:"next_cursor"`
	Count      int
}

func TestCursorIsBoundToPathAndFilters(t *testing.T) {
	t.Parallel()
	f := open(t)
	_, body := f.get(t, "/v1/things?limit=5&colour=red&from=2026-01-02")
	var page thingsPage
	if err := json.Unmarshal([]byte(body), &page); err != nil || page.NextCursor == nil {
		t.Fatal(err, body)
	}
	cursor := *page.NextCursor
	for query, want := range map[string]int{
		"colour=red&from=2026-01-02&limit=5":            200,
		"limit=200&from=2026-01-02&colour=red":          200, // the cursor does not depend on limit and order
		"colour=red&from=2026-01-02&owner=":             200, // an empty filter is no filter
		"colour=red&from=2026-01-02&owner=null&other=1": 200,
		"colour=red":                         400,
		"colour=blue&from=2026-01-02":        400,
		"colour=red&from=2026-01-03":         400,
		"colour=red&from=2026-01-02&owner=1": 400,
	} {
		res, body := f.get(t, "/v1/things?cursor="+cursor+"&"+query)
		if res.Code != want {
			t.Errorf("%s: %d %s", query, res.Code, body)
		}
	}
	for i := range cursor { // each character in turn is altered
		for _, c := range []byte("A_-9z") {
			if cursor[i] == c {
				continue
			}
			bad := cursor[:i] + string(c) + cursor[i+1:]
			if res, _ := f.get(t, "/v1/things?limit=5&colour=red&from=2026-01-02&cursor="+bad); res.Code != 400 {
				t.Errorf("cursor altered at %d: status %d", i, res.Code)
			}
		}
	}
	for _, bad := range []string{"", "null", "%0A" + cursor, cursor + "=", cursor[1:], strings.Repeat("A", 5000)} {
		if res, _ := f.get(t, "/v1/things?limit=5&colour=red&from=2026-01-02&cursor="+bad); res.Code != 400 {
			t.Errorf("cursor %.20q: %d", bad, res.Code)
		}
	}
}
