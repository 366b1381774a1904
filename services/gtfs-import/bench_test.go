package gtfsimport_test

import (
	"archive/zip"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/embed/pgd"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// benchZip is the environment variable that names the feed to measure with; without
// it the largest of the shared folder is taken. The feed must be a zip with its
// files in the root.
const benchZip = "TOWNLINE_BENCH_ZIP"

// BenchmarkImport measures the import of a feed, each time in a process of its own, against
// what Postgres alone needs for its stop times: COPY of the file as it is into a
// table of text columns, primary key, index by stop. Both take turns in one run, on a server
// of the kind that townline up starts, durable.
//
//	go test -run - -bench Import -benchtime 3x ./services/gtfs-import
func BenchmarkImport(b *testing.B) {
	path := os.Getenv(benchZip)
	if path == "" {
		found, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "data", "gtfs", "composite*.zip"))
		if len(found) == 0 {
			b.Skip("name a feed with " + benchZip)
		}
		path = found[0]
	}
	url := benchServer(b)
	db, err := pg.Open(b.Context(), url, pg.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	times := extract(b, path)
	first, again, unchanged, peak, floor := []float64{}, []float64{}, []float64{}, []float64{}, []float64{}
	for i := range b.N {
		floor = append(floor, copyStopTimes(b, db, times))
		alias := fmt.Sprintf("bench%d", i)
		seconds, memory := importInChild(b, url, alias, path, false)
		first, peak = append(first, seconds), append(peak, memory)
		seconds, _ = importInChild(b, url, alias, path, true)
		again = append(again, seconds)
		seconds, _ = importInChild(b, url, alias, path, false)
		unchanged = append(unchanged, seconds)
	}
	var flat, tables int64
	err = db.QueryRow(b.Context(), `
		SELECT pg_total_relation_size('stop_times'),
		       (SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
		        WHERE relnamespace = 'transit'::regnamespace AND relname ~ ('_' || (SELECT version_id FROM transit.feed WHERE alias = 'bench0') || '$') AND relkind = 'r')`,
	).Scan(&flat, &tables)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(median(floor), "floor-s")
	b.ReportMetric(median(first), "import-s")
	b.ReportMetric(median(first)/median(floor), "import/floor")
	b.ReportMetric(median(again)/median(floor), "reimport/floor")
	b.ReportMetric(median(unchanged)*1000, "unchanged-ms")
	b.ReportMetric(slices.Max(peak), "peak-MB")
	b.ReportMetric(float64(tables)/1e6, "tables-MB")
	b.ReportMetric(float64(tables)/float64(flat), "tables/flat")
	b.ReportMetric(0, "ns/op") // says nothing here
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// benchServer starts a server with a migrated database, for the time of a benchmark.
func benchServer(b *testing.B) string {
	b.Helper()
	if url := os.Getenv("DATABASE_URL"); url != "" {
		return url
	}
	server, err := pgd.Start(b.Context(), pgd.Options{DataDir: b.TempDir(), Log: run.Logger(io.Discard, "error", "text")})
	if err == nil {
		b.Cleanup(func() { _ = server.Stop(context.Background()) })
		err = schema.Migrate(b.Context(), server.URL(), schema.Transit)
	}
	if err != nil {
		b.Fatal(err)
	}
	return server.URL()
}

// extract unpacks stop_times.txt, so that the floor does not pay for inflating.
func extract(b *testing.B, path string) string {
	b.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	in, err := z.Open("stop_times.txt")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	name := filepath.Join(b.TempDir(), "stop_times.txt")
	out, err := os.Create(name)
	if err == nil {
		_, err = io.Copy(out, in)
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	return name
}

// copyStopTimes is the floor: what psql's \copy, the key and the index take.
func copyStopTimes(b *testing.B, db *pgxpool.Pool, path string) float64 {
	b.Helper()
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	header, err := csv.NewReader(io.LimitReader(f, 1<<12)).Read()
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		b.Fatal(err)
	}
	var columns []string
	for _, h := range header {
		kind := " text"
		if h = strings.TrimPrefix(h, "\ufeff"); h == "stop_sequence" {
			kind = " integer"
		}
		columns = append(columns, `"`+h+`"`+kind)
	}
	for _, sql := range []string{`DROP TABLE IF EXISTS stop_times`, `CHECKPOINT`} {
		if _, err := db.Exec(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
	}
	conn, err := db.Acquire(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Release()
	start := time.Now()
	if _, err := conn.Exec(b.Context(), `CREATE TABLE stop_times (`+strings.Join(columns, ", ")+`)`); err != nil {
		b.Fatal(err)
	}
	if _, err := conn.Conn().PgConn().CopyFrom(b.Context(), f, `COPY stop_times FROM STDIN (FORMAT csv, HEADER)`); err != nil {
		b.Fatal(err)
	}
	for _, sql := range []string{`ALTER TABLE stop_times ADD PRIMARY KEY (trip_id, stop_sequence)`, `CREATE INDEX ON stop_times (stop_id)`} {
		if _, err := conn.Exec(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start).Seconds()
}

// importInChild imports in a new process and returns its seconds, start of the process and
// connecting included, and its peak memory in MB.
func importInChild(b *testing.B, url, alias, path string, force bool) (seconds, memory float64) {
	b.Helper()
	arg, err := json.Marshal(childImport{url, alias, path, force})
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+string(arg))
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("import %s: %v", alias, err)
	}
	seconds = time.Since(start).Seconds()
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		b.Fatal("this system does not tell the peak memory of a process")
	}
	return seconds, float64(usage.Maxrss) / 1e3
}

// childVariable is the environment variable that makes the test binary an importer;
// it holds a childImport.
const childVariable = "TOWNLINE_TEST_IMPORT"

type childImport struct {
	URL, Alias, Path string
	Force            bool
}

func TestMain(m *testing.M) {
	arg := os.Getenv(childVariable)
	if arg == "" {
		os.Exit(m.Run())
	}
	debug.SetGCPercent(50) // as the commands do
	var c childImport
	err := json.Unmarshal([]byte(arg), &c)
	var db *pgxpool.Pool
	if err == nil {
		db, err = pg.Open(context.Background(), c.URL, pg.Options{})
	}
	if err == nil {
		_, err = gtfsimport.Import(context.Background(), run.Deps{DB: db, Log: run.Logger(os.Stderr, "warn", "text")},
			gtfsimport.Request{Alias: c.Alias, Source: c.Path, Force: c.Force})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
