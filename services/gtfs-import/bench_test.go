package gtfsimport_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/embed/pgd"
	"github.com/townline/townline/pkg/gtfs/gtfstest"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/schema"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// BenchmarkImport compares the import of a feed, in a separate process, with COPY of its stop times.
// That table has text columns, a primary key and an index by stop. The server is durable, as
// townline up starts it. The benchmark also measures the import of a changed copy, of the same
// bytes, and of a feed of twice the size.
//
//	TOWNLINE_BENCH_FEED=some.zip go test -run - -bench Import -benchtime 3x ./services/gtfs-import
//
// Without a feed it writes a large one. The files must be in the root of the zip.
func BenchmarkImport(b *testing.B) {
	path := os.Getenv("TOWNLINE_BENCH_FEED")
	if path == "" {
		path = written(b, func(w io.Writer) error { return gtfstest.Write(w, gtfstest.Trips) })
	}
	changed := written(b, func(w io.Writer) error { return gtfstest.Changed(w, path) })
	url := benchServer(b)
	db, err := pg.Open(b.Context(), url, pg.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	times := extract(b, path)
	var floor, first, again, unchanged, fresh, peak []float64
	for i := range b.N {
		floor = append(floor, copyStopTimes(b, db, times))
		alias := fmt.Sprintf("bench%d", i)
		seconds, memory := importInChild(b, db, url, alias, path)
		first, fresh = append(first, seconds), append(fresh, memory)
		peak = append(peak, memory)
		seconds, memory = importInChild(b, db, url, alias, changed)
		again, peak = append(again, seconds), append(peak, memory)
		unchanged = append(unchanged, importUnchanged(b, db, alias, changed))
	}
	var flat, tables int64
	err = db.QueryRow(b.Context(), `
		SELECT pg_total_relation_size('stop_times'),
		       (SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
		        WHERE relnamespace = 'transit'::regnamespace
		          AND relname ~ ('_' || (SELECT version_id FROM transit.feed WHERE alias = 'bench0') || '$')
		            AND relkind = 'r')`,
	).Scan(&flat, &tables)
	if err != nil {
		b.Fatal(err)
	}
	report := func(name string, ours, theirs, goal float64, unit, than string) {
		b.Run(name, func(b *testing.B) {
			b.ReportMetric(ours, unit)
			if theirs > 0 {
				b.ReportMetric(theirs, than)
				b.ReportMetric(ours/theirs, "ratio")
			}
			b.ReportMetric(goal, "at-most")
			b.ReportMetric(0, "ns/op") // the time per operation says nothing here
		})
	}
	report("import", median(first), median(floor), 0.5, "s", "s-copy")
	report("import-changed", median(again), median(floor), 0.5, "s", "s-copy")
	report("unchanged", median(unchanged), hashed(b, changed), 1.5, "ms", "ms-sha256")
	report("peak", slices.Max(peak), 0, 96, "MB", "")
	for _, o := range orders {
		seconds, memory := importInChild(b, db, url, o.name, reordered(b, path, o.reorder))
		report("import-"+o.name, seconds, median(floor), o.goal, "s", "s-copy")
		report("peak-"+o.name, memory, 0, o.peak, "MB", "")
	}
	if os.Getenv("TOWNLINE_BENCH_FEED") == "" {
		twice := written(b, func(w io.Writer) error { return gtfstest.Write(w, 2*gtfstest.Trips) })
		seconds, memory := importInChild(b, db, url, "twice", twice)
		report("peak-of-twice-the-feed", memory, median(fresh), 1.3, "MB", "MB-once")
		report("import-of-twice-the-feed", seconds, median(first), 2.2, "s", "s-once")
	}
	report("tables", float64(tables)/1e6, float64(flat)/1e6, 0.2, "MB", "MB-flat-stop-times")
}

// orders are orders of the rows of stop_times.txt in which the trips are not together.
var orders = []struct {
	name    string
	goal    float64
	peak    float64
	reorder func(rows [][]byte)
}{
	{"interleaved", 0.25, 96, interleave},
	{"shuffled-in-windows", 0.4, 128, func(rows [][]byte) {
		const window = 50_000
		for len(rows) > 0 {
			n := min(window, len(rows))
			shuffle(rows[:n])
			rows = rows[n:]
		}
	}},
	{"shuffled", 0.4, 192, shuffle},
}

func shuffle(rows [][]byte) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same order each time
	random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
}

// interleave takes rows in turn from twelve parts, as if as many agencies wrote one file.
func interleave(rows [][]byte) {
	const agencies = 12
	part := (len(rows) + agencies - 1) / agencies
	all := make([][]byte, 0, len(rows))
	for i := range part {
		for at := i; at < len(rows); at += part {
			all = append(all, rows[at])
		}
	}
	copy(rows, all)
}

// reordered returns a copy of a feed with another order of its stop times.
func reordered(b *testing.B, path string, reorder func(rows [][]byte)) string {
	b.Helper()
	return written(b, func(w io.Writer) error {
		z, err := zip.OpenReader(path)
		if err != nil {
			return err
		}
		defer func() { _ = z.Close() }()
		text, err := os.ReadFile(extract(b, path))
		if err != nil {
			return err
		}
		rows := bytes.SplitAfter(bytes.TrimRight(text, "\n"), []byte("\n"))
		rows[len(rows)-1] = append(rows[len(rows)-1], '\n')
		reorder(rows[1:])
		out := zip.NewWriter(w)
		for _, f := range z.File {
			if f.Name == "stop_times.txt" {
				to, err := out.Create(f.Name)
				if err != nil {
					return err
				}
				for _, row := range rows {
					if _, err := to.Write(row); err != nil {
						return err
					}
				}
			} else if err := out.Copy(f); err != nil {
				return err
			}
		}
		return out.Close()
	})
}

func written(b *testing.B, write func(w io.Writer) error) string {
	b.Helper()
	f, err := os.CreateTemp(b.TempDir(), "*.zip")
	if err == nil {
		err = errors.Join(write(f), f.Close())
	}
	if err != nil {
		b.Fatal(err)
	}
	return f.Name()
}

// hashed returns the milliseconds for the SHA-256 of a file.
func hashed(b *testing.B, path string) float64 {
	b.Helper()
	var took []float64
	for range 3 {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		_, err = io.Copy(sha256.New(), f)
		took = append(took, time.Since(start).Seconds()*1000)
		if err = errors.Join(err, f.Close()); err != nil {
			b.Fatal(err)
		}
	}
	return median(took)
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// benchServer starts a server with a migrated database.
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

// extract unpacks stop_times.txt, so that the time of COPY excludes it.
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

// copyStopTimes measures COPY, the key and the index.
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
		h = strings.TrimPrefix(h, "\ufeff")
		if h == "stop_sequence" {
			kind = " integer"
		}
		columns = append(columns, `"`+h+`"`+kind)
	}
	for _, sql := range []string{`DROP TABLE IF EXISTS stop_times`, `CREATE TABLE stop_times (` +
		strings.Join(columns, ", ") + `)`, `CHECKPOINT`} {
		if _, err := db.Exec(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
	}
	start := time.Now()
	conn, err := db.Acquire(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Conn().PgConn().CopyFrom(b.Context(), f, `COPY stop_times FROM STDIN (FORMAT csv,
		HEADER)`); err != nil {
		b.Fatal(err)
	}
	for _, sql := range []string{
		`ALTER TABLE stop_times ADD PRIMARY KEY (trip_id, stop_sequence)`, `CREATE INDEX ON stop_times (stop_id)`,
	} {
		if _, err := conn.Exec(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start).Seconds()
}

// importInChild imports in a new process. It returns its seconds, including start and connection,
// and its peak memory in MB.
func importInChild(b *testing.B, db *pgxpool.Pool, url, alias, path string) (seconds, memory float64) {
	b.Helper()
	arg, err := json.Marshal(childImport{url, alias, path, false})
	if err == nil {
		_, err = db.Exec(b.Context(), `CHECKPOINT`)
	}
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+string(arg), "GOGC=") // CollectEarly sets it
	cmd.Stderr = os.Stderr
	start := time.Now()
	status, err := cmd.Output()
	seconds = time.Since(start).Seconds()
	if err != nil {
		b.Fatalf("import %s: %v", alias, err)
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(peak, &memory); err != nil {
		b.Fatalf("the peak memory of a process: %v", err)
	}
	return seconds, memory / 1e3
}

// importUnchanged returns the milliseconds of an import of the zip that is live. It runs in this
// process, as in the service: the start of a process would cost as much as the hash of the zip.
func importUnchanged(b *testing.B, db *pgxpool.Pool, alias, path string) float64 {
	b.Helper()
	start := time.Now()
	r, err := gtfsimport.Import(b.Context(), run.Deps{DB: db, Log: run.Logger(os.Stderr, "warn", "text")},
		gtfsimport.Request{Alias: alias, Source: path})
	if err != nil || r.Outcome != gtfsimport.Unchanged {
		b.Fatalf("import %s again: %+v, %v", alias, r, err)
	}
	return time.Since(start).Seconds() * 1000
}

// childVariable is an environment variable that makes the test binary import a feed; its value is a
// childImport.
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
	gtfsimport.CollectEarly() // as in the service's program
	var c childImport
	err := json.Unmarshal([]byte(arg), &c)
	var db *pgxpool.Pool
	if err == nil {
		db, err = pg.Open(context.Background(), c.URL, pg.Options{})
	}
	if err == nil {
		_, err = gtfsimport.Import(context.Background(), run.Deps{DB: db, Log: run.Logger(os.Stderr, "warn", "text")},
			gtfsimport.Request{Alias: c.Alias, Source: c.Path, Force: c.Force, Wait: true, AllowPrivate: true})
	}
	// The parent sees its own peak instead if that is larger.
	if status, statusErr := os.ReadFile("/proc/self/status"); statusErr == nil {
		_, _ = os.Stdout.Write(status)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
