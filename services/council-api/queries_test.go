package councilapi

import (
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/resttest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-api/internal/files"
)

// Arguments, columns and types of every query match the database.
func TestQueriesFitTheSchema(t *testing.T) {
	t.Parallel()
	resttest.CheckQueries(t, pgtest.New(t), append(endpoints(nil, &files.Exporter{}, files.Place{}).Queries(),
		selectGeneration)...)
}

// testServer serves a database as the service does, but reads the generation for every request.
func testServer(t testing.TB, db *pgxpool.Pool, change ...func(*Config)) *rest.Server {
	t.Helper()
	srv, _ := testService(t, db, change...)
	return srv
}

// documented checks answers against the API description. It reads the description once for all
// servers.
var documented = resttest.Once()

// testService is like testServer, and also returns the exporter, which runs only on request.
func testService(t testing.TB, db *pgxpool.Pool, change ...func(*Config)) (*rest.Server, *files.Exporter) {
	t.Helper()
	deps := run.Deps{DB: db, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry()}
	data := newDataset(deps)
	cfg := Config{PublicURL: "https://votes.example", AccessLog: "off", ExportDir: t.TempDir(), ExportBytes: 64 << 20}
	for _, c := range change {
		c(&cfg)
	}
	exports := files.NewExporter(deps, cfg.export())
	srv, err := open(cfg, deps, data, exports)
	if err != nil {
		t.Fatal(err)
	}
	return srv, exports
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
