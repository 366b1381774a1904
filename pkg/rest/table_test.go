package rest_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/resttest"
)

var update = flag.Bool("update", false, "rewrite golden files")

func entry(id, path string) rest.Endpoint {
	return rest.Func(rest.Spec{ID: id, Path: path, Summary: id},
		func(context.Context, *rest.Call, rest.None) (string, error) { return id, nil })
}

func TestWrongTables(t *testing.T) {
	t.Parallel()
	fn := func(context.Context, *rest.Call, thingParams) (string, error) { return "", nil }
	badQuery := rest.SQL[thingParams, int64](`SELECT @nobody`)
	for name, c := range map[string]struct {
		table rest.Table
		want  string
	}{
		"two ids":   {rest.Table{entry("a", "/a"), entry("a", "/b")}, "endpoint a is in the table twice"},
		"two paths": {rest.Table{entry("a", "/a"), entry("b", "/a")}, "share the path"},
		"two shapes": {rest.Table{rest.Func(rest.Spec{ID: "a", Path: "/a/{id}", Summary: "a"}, fn),
			rest.Func(rest.Spec{ID: "b", Path: "/a/{name}", Summary: "b"}, func(context.Context, *rest.Call, struct {
				Name string `path:"name"`
			}) (string, error) {
				return "", nil
			})}, "share the path"},
		"slash at the end": {rest.Table{entry("a", "/a/"), entry("b", "/a")}, "share the path"},
		"no summary": {rest.Table{rest.Func(rest.Spec{ID: "a", Path: "/a"},
			func(context.Context, *rest.Call, rest.None) (string, error) { return "", nil })}, "summary"},
		"no path value": {rest.Table{rest.Func(rest.Spec{ID: "a", Path: "/a", Summary: "a"}, fn)},
			`path:"id" is not in it`},
		"a query": {rest.Table{rest.Func(rest.Spec{ID: "a", Path: "/a/{id}", Summary: "a",
			Queries: rest.Queries(badQuery)}, fn)}, "nobody"},
		"description": {rest.Table{entry("getDocumentation", "/other")}, "is in the table twice"},
		"no schema": {rest.Table{rest.Func(rest.Spec{ID: "a", Path: "/a", Summary: "a"},
			func(context.Context, *rest.Call, rest.None) (chan int, error) { return nil, nil })}, "no schema for chan int"},
	} {
		_, err := rest.New(rest.Config{Name: "x", Dialect: problems(), Base: "/v1", PublicURL: "https://x.example/v1"},
			c.table)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := rest.New(rest.Config{Name: "x", Dialect: problems(), PublicURL: "/v1"},
		rest.Table{entry("a", "/a")}); err == nil {
		t.Error("a relative public URL is accepted")
	}
	read := &rest.Dataset{
		Now:  func(context.Context) (rest.Generation, error) { return rest.Generation{}, nil },
		Read: func(context.Context, rest.DB) (rest.Generation, error) { return rest.Generation{}, nil },
	}
	if _, err := rest.New(rest.Config{Name: "x", Dialect: problems(), PublicURL: "https://x", Dataset: read},
		rest.Table{entry("a", "/a")}); err == nil || !strings.Contains(err.Error(), "transactions") {
		t.Errorf("a dataset with Read without a database: %v", err)
	}
}

func TestQueries(t *testing.T) {
	t.Parallel()
	f := newThings(t)
	if n := len(f.Table().Queries()); n != 4 {
		t.Errorf("%d queries", n)
	}
	resttest.CheckQueries(t, f.db, f.Table().Queries()...)
}

// recorder records the failures of a check.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func TestCheckQueriesFinds(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	type row struct {
		ID   int64
		Name string
	}
	type args struct{ ID int64 }
	for want, s := range map[string]rest.Statement{
		"column other has no field": rest.SQL[args, row](`SELECT @id::bigint AS id, 'x' AS name,
			1 AS other`),
		"field name has no column": rest.SQL[args, row](`SELECT @id::bigint AS id`),
		"column id is selected twice": rest.SQL[args, row](`SELECT @id::bigint AS id, 1::bigint AS id,
			'x' AS name`),
		"name is date, which does not fit into string": rest.SQL[args, row](`SELECT @id::bigint AS id, now()::date AS name`),
		"$1 is date, which no int64 can be": rest.SQL[args, row](`SELECT 1::bigint AS id, 'x' AS name
			WHERE @id > date '2026-01-01'`),
		"relation \"nowhere\" does not exist": rest.SQL[args, row](`SELECT id, name FROM nowhere WHERE id = @id`),
		"argument":                            rest.SQL[args, row](`SELECT 1::bigint AS id, 'x' AS name`),
		"the column is text":                  rest.SQL[args, int64](`SELECT 'x' WHERE @id > 0`),
	} {
		r := &recorder{TB: t}
		resttest.CheckQueries(r, pool, s)
		if len(r.said) != 1 || !strings.Contains(r.said[0], want) {
			t.Errorf("%s: got %q", want, r.said)
		}
	}
	good := &recorder{TB: t}
	resttest.CheckQueries(good, pool,
		rest.SQL[struct{ Days []string }, rest.Date](`SELECT unnest(@days::text[])::date`),
		rest.SQL[struct {
			At   *rest.Time
			Day  rest.Date
			Kind *colour
		}, struct {
			At   rest.Time
			When *rest.Time `db:"later"`
			Day  *rest.Date
			Kind colour
			Raw  json.RawMessage
		}](`SELECT coalesce(@at::timestamptz, now()) AS at, now() AS later, @day::date AS day, @kind::text AS kind,
			'{}'::jsonb AS raw`))
	if len(good.said) != 0 {
		t.Errorf("refused: %q", good.said)
	}
}

// The generated description is in the repository, so that reviews show its changes.
func TestDescription(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]*rest.Server{"things": newThings(t).Server, "stops": newStops(t)} {
		resttest.Open(t, h)
		for _, file := range []string{"openapi.json", "docs"} {
			_, body := get(t, h, h.Base()+"/"+file)
			golden := filepath.Join("testdata", name+"."+strings.Replace(file, "docs", "docs.html", 1))
			if *update {
				if err := os.WriteFile(golden, []byte(body), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), body); diff != "" {
				t.Errorf("%s (run with -update to accept it):\n%s", golden, diff)
			}
			for _, outside := range []string{"<style", "style=", "onclick", "//cdn", "@import", "url("} {
				if strings.Contains(body, outside) {
					t.Errorf("%s refers to another host: %s", golden, outside)
				}
			}
		}
	}
}
