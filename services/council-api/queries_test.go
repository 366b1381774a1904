package councilapi

import (
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/dataset/publish"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/resttest"
	"github.com/townline/townline/pkg/run"
)

// Arguments, columns and types of every query match the database.
func TestQueriesFitTheSchema(t *testing.T) {
	t.Parallel()
	resttest.CheckQueries(t, pgtest.New(t), rest.Made()...)
}

// documented checks answers against the API description. It reads the description once for all
// servers.
var documented = resttest.Once()

// testServer serves a database as the service does, but reads the generation for every request.
func testServer(t testing.TB, db *pgxpool.Pool, change ...func(*Config)) *rest.Server {
	t.Helper()
	deps := run.Deps{DB: db, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry()}
	cfg := Config{PublicURL: "https://votes.example", AccessLog: "off"}
	for _, c := range change {
		c(&cfg)
	}
	srv, err := open(cfg, deps, newDataset(deps))
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// publishFiles writes the files of the dataset, as council-ingest does.
func publishFiles(t testing.TB, writer *pgxpool.Pool) {
	t.Helper()
	if _, err := publish.Publish(t.Context(), writer, publish.Options{Dirs: []string{t.TempDir()}, MaxBytes: 64 << 20,
		Base: "https://votes.example/v1"}); err != nil {
		t.Fatal(err)
	}
}

// testDB returns two pools of a new database: one like the service's pool, and one that can write.
func testDB(t testing.TB) (reader, writer *pgxpool.Pool) {
	t.Helper()
	url := pgtest.URL(t)
	open := func(o pg.Options) *pgxpool.Pool {
		pool, err := pg.Open(t.Context(), url, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		return pool
	}
	return open(pg.Options{ReadOnly: true, Plans: pg.CustomPlans}), open(pg.Options{})
}
