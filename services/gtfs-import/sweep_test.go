package gtfsimport_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

// mortal is a connection whose process dies before it sends its nth message to the server.
type mortal struct {
	mu   sync.Mutex
	left int
	dead bool
}

var errDead = errors.New("the process is dead")

func (m *mortal) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if m.send(0) {
		return nil, errDead
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return mortalConn{conn, m}, nil
}

func (m *mortal) send(n int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left -= n
	m.dead = m.dead || m.left < 0
	return m.dead
}

type mortalConn struct {
	net.Conn
	m *mortal
}

func (c mortalConn) Write(b []byte) (int, error) {
	if c.m.send(1) {
		_ = c.Close()
		return 0, errDead
	}
	return c.Conn.Write(b)
}

// until runs fn in a process that dies before its nth message, and reports whether it died.
func until(t *testing.T, url string, n int, fn func(run.Deps)) (died bool) {
	t.Helper()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	m := &mortal{left: n}
	config.ConnConfig.DialFunc = m.dial
	db, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	fn(run.Deps{DB: db, Log: run.Logger(t.Output(), "error", "text")})
	return m.send(0)
}

// A process dies at some message of an import or a sweep. Then a concurrent import and sweep must
// succeed. TOWNLINE_EVERYTHING tests every message.
func TestDeathBetweenStatements(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		step int
		fn   func(*troubled) func(run.Deps)
	}{
		"import": {23, func(x *troubled) func(run.Deps) {
			return func(d run.Deps) {
				_, _ = gtfsimport.Import(t.Context(), d, gtfsimport.Request{Alias: "metro", Source: x.paths[1-x.live], Force: true,
					Wait: true})
			}
		}},
		"sweep": {17, func(x *troubled) func(run.Deps) {
			if _, err := gtfsimport.Import(t.Context(), deps(t, x.db),
				gtfsimport.Request{Alias: "metro", Source: x.paths[1-x.live], Force: true, Wait: true}); err != nil {
				t.Fatal(err)
			}
			x.compareLive(t, "the import before")
			return func(d run.Deps) { _ = gtfsimport.Sweep(t.Context(), d, 0) }
		}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			if os.Getenv("TOWNLINE_EVERYTHING") != "" {
				c.step = 1
			}
			x := newTroubled(t)
			deaths := 0
			for n := 1; ; n += c.step {
				died := until(t, x.url, n, c.fn(x))
				execSQL(t, x.db, `DELETE FROM transit.feed_work`) // the test does not wait until the lease expires
				x.compareLive(t, fmt.Sprintf("death before message %d", n))
				if !died {
					break
				}
				deaths++
				x.recover(t)
			}
			if deaths < 5 {
				t.Errorf("the process died only %d times", deaths)
			}
			t.Logf("%d deaths", deaths)
		})
	}
}

// A sweep that died while it waited for a reader leaves a partition half detached. The next sweep
// drops it during an import, and the sweep and the import do not wait for each other.
func TestSweepAfterACrashDuringAnImport(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	d := deps(t, db)
	load(t, db, "metro", small())
	load(t, db, "metro", small().with("stops.txt", "Dock", "Pier"))

	reading, done := make(chan struct{}), make(chan struct{})
	read := make(chan error, 1)
	go func() {
		tx, err := db.Begin(t.Context())
		if err == nil {
			_, err = tx.Exec(t.Context(), `SELECT FROM transit.agency LIMIT 1`)
		}
		close(reading)
		<-done
		read <- errors.Join(err, tx.Rollback(t.Context()))
	}()
	<-reading
	swept := make(chan error, 1)
	go func() { swept <- gtfsimport.Sweep(t.Context(), d, 0) }()
	await(t, db, `SELECT EXISTS (SELECT FROM pg_inherits WHERE inhdetachpending)`)
	execSQL(t, db, `
		SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND query LIKE 'ALTER TABLE%DETACH%' AND pid <> pg_backend_pid()`)
	if err := <-swept; err == nil {
		t.Fatal("the sweep did not die")
	}
	close(done)
	if err := <-read; err != nil {
		t.Fatal(err)
	}

	inside, leave := make(chan struct{}), make(chan struct{})
	landed := make(chan error, 1)
	var once sync.Once
	path := small().with("stops.txt", "Dock", "Quay").pack(t)
	go func() {
		_, err := gtfsimport.Import(t.Context(), d, gtfsimport.Request{Alias: "metro", Source: path, Wait: true,
			Progress: func(file string, _, _ int64) {
				if file == "stop_times.txt" {
					once.Do(func() { close(inside); <-leave })
				}
			}})
		landed <- err
	}()
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := gtfsimport.Sweep(ctx, d, 0); err != nil {
		t.Errorf("the sweep during the import: %v", err)
	}
	close(leave)
	if err := <-landed; err != nil {
		t.Errorf("the import during the sweep: %v", err)
	}
	if err := gtfsimport.Sweep(ctx, d, 0); err != nil {
		t.Error(err)
	}
	got := query(t, db, `SELECT c.relname::text FROM pg_class c WHERE relnamespace = 'transit'::regnamespace
		AND relname ~ '^(trip|agency)_[0-9]+$' ORDER BY 1`)
	if want := []string{"agency_3", "trip_3"}; !slices.Equal(got, want) {
		t.Errorf("tables %v, want %v", got, want)
	}
}

// Postgres detaches one partition of a table at a time. While a reader uses one version, a sweep
// skips the others; afterwards a sweep drops them all.
func TestSweepDuringADetachThatWaits(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, name := range []string{"Dock", "Pier", "Quay"} {
		load(t, db, "metro", small().with("stops.txt", "Dock", name))
	}
	// The test's pool allows one connection per context; these connections must end before the
	// database does.
	connect := func() *pgx.Conn {
		conn, err := pgx.Connect(context.Background(), db.Config().ConnString())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(context.Background()) })
		return conn
	}
	reader, detacher := connect(), connect()
	read, err := reader.Begin(t.Context())
	if err == nil {
		_, err = read.Exec(t.Context(), `SELECT FROM transit.agency LIMIT 1`)
	}
	if err != nil {
		t.Fatal(err)
	}
	detached := make(chan error, 1)
	go func() {
		_, err := detacher.Exec(context.Background(),
			`ALTER TABLE transit.agency DETACH PARTITION transit.agency_1 CONCURRENTLY`, pgx.QueryExecModeSimpleProtocol)
		detached <- err
	}()
	await(t, db, `SELECT EXISTS (SELECT FROM pg_inherits WHERE inhdetachpending)`)
	execSQL(t, db, `SELECT pg_cancel_backend($1)`, int32(detacher.PgConn().PID()))
	if err := <-detached; err == nil {
		t.Fatal("the detach did not wait for the reader")
	}

	retired := func() []string {
		return query(t, db, `SELECT version_id::text FROM transit.feed_version WHERE state = 'retired' ORDER BY 1`)
	}
	if err := gtfsimport.Sweep(t.Context(), deps(t, db), 0); err != nil {
		t.Errorf("the sweep during the read: %v", err)
	}
	if got := retired(); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("versions %v remain during the read, want both", got)
	}
	if err := read.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := gtfsimport.Sweep(t.Context(), deps(t, db), 0); err != nil {
		t.Errorf("the sweep after the read: %v", err)
	}
	if got := retired(); len(got) > 0 {
		t.Errorf("versions %v remain after the read", got)
	}
}

// The zip of a replaced version stays for slow downloads longer than its tables.
func TestTheZipOutlastsItsVersion(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	d := deps(t, db)
	load(t, db, "metro", small())
	load(t, db, "metro", small().with("stops.txt", "Dock", "Pier"))
	tables := func() []string {
		return query(t, db, `SELECT c.relname::text FROM pg_class c WHERE relnamespace = 'transit'::regnamespace
			AND relkind = 'r' AND relname ~ '_1$' ORDER BY 1`)
	}
	sweep := func(age string) []string {
		t.Helper()
		execSQL(t, db, `UPDATE transit.feed_version SET retired_at = now() - $1::interval WHERE version_id = 1`, age)
		if err := gtfsimport.Sweep(t.Context(), d, 5*time.Minute); err != nil {
			t.Fatal(err)
		}
		return tables()
	}
	if got := sweep("4 minutes"); len(got) < 10 {
		t.Errorf("after 4 minutes: %v", got)
	}
	if got := sweep("10 minutes"); !slices.Equal(got, []string{"export_piece_1"}) {
		t.Errorf("after 10 minutes: %v", got)
	}
	if got := sweep("2 hours"); len(got) > 0 {
		t.Errorf("after 2 hours: %v", got)
	}
}
