package pg_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/townline/townline/pkg/embed/pgd"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
)

func TestOpenSetsTheSession(t *testing.T) {
	t.Parallel()
	pool, err := pg.Open(t.Context(), pgtest.URL(t), pg.Options{
		Name:             "council-api",
		StatementTimeout: 1500 * time.Millisecond,
		ReadOnly:         true,
		Plans:            pg.CustomPlans,
		MaxConns:         3,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for setting, want := range map[string]string{
		"application_name":              "council-api",
		"statement_timeout":             "1500ms",
		"default_transaction_read_only": "on",
		"plan_cache_mode":               "force_custom_plan",
		"enable_memoize":                "off",
		"synchronize_seqscans":          "off",
		"timezone":                      "UTC",
	} {
		var got string
		if err := pool.QueryRow(t.Context(), "SELECT current_setting($1)", setting).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %q, %v; want %q", setting, got, err, want)
		}
	}
	if n := pool.Config().MaxConns; n != 3 {
		t.Errorf("MaxConns = %d, want 3", n)
	}
	if _, err := pool.Exec(t.Context(), "CREATE TABLE a ()"); code(err) != "25006" {
		t.Errorf("write in a read-only pool: %v, want read_only_sql_transaction", err)
	}
	if _, err := pool.Exec(t.Context(), "SELECT pg_sleep(60)"); code(err) != "57014" || pg.Unavailable(err) {
		t.Errorf("slow statement: %v, want query_canceled, which is not Unavailable", err)
	}
}

// Close does not wait for a connection that is never released, for example after a query without an
// answer.
func TestCloseLeavesStuckConnections(t *testing.T) {
	t.Parallel()
	pool, err := pg.Open(t.Context(), pgtest.URL(t), pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	pg.Close(pool, time.Millisecond)
	later := make(chan error)
	go func() { later <- pool.Ping(t.Context()) }() // in a goroutine that holds no connection
	if <-later == nil {
		t.Error("the pool is still open")
	}
}

// After a failover, idle connections may be dead. They are replaced soon.
func TestIdleConnectionsAreTriedBriefly(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]time.Duration{
		"postgres://user@127.0.0.1:1/db":                         3 * time.Second,
		"postgres://user@127.0.0.1:1/db?pool_ping_timeout=500ms": 500 * time.Millisecond,
	} {
		pool, err := pg.Open(t.Context(), url, pg.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		if got := pool.Config().PingTimeout; got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

func code(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestOpenRefusesABadURL(t *testing.T) {
	t.Parallel()
	_, err := pg.Open(t.Context(), "postgres://user:hush@host:port/db", pg.Options{})
	if err == nil || strings.Contains(err.Error(), "hush") {
		t.Fatalf("%v; want an error without the password", err)
	}
}

// A pool can be opened before Postgres starts.
func TestOpenBeforeTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // if root runs the test, the server runs as another user
		t.Fatal(err)
	}
	o := pgd.Options{DataDir: dir, Disposable: true}
	s, err := pgd.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	url := s.URL()
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	pool, err := pg.Open(t.Context(), url, pg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if err := pool.Ping(t.Context()); !pg.Unavailable(err) {
		t.Fatalf("ping without a server: %v; want Unavailable", err)
	}
	s, err = pgd.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := pool.Ping(t.Context()); err != nil {
		t.Fatalf("ping with a server: %v", err)
	}
}

func TestTxCommitsOrRollsBack(t *testing.T) {
	t.Parallel()
	ctx, pool := t.Context(), pgtest.New(t)
	if _, err := pool.Exec(ctx, "CREATE TABLE counter AS SELECT 0 AS n"); err != nil {
		t.Fatal(err)
	}
	add := func(fail error) error {
		return pg.Tx(ctx, pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "UPDATE counter SET n = n + 1"); err != nil {
				return err
			}
			return fail
		})
	}
	if err := add(nil); err != nil {
		t.Fatal(err)
	}
	wrong := errors.New("wrong")
	if err := add(wrong); err != wrong {
		t.Fatalf("%v; want the error of the function", err)
	}
	var n int
	if err := pool.QueryRow(ctx, "SELECT n FROM counter").Scan(&n); err != nil || n != 1 {
		t.Fatalf("n = %d, %v; want 1", n, err)
	}
}

// Two transactions lock two rows in opposite orders. Postgres aborts one of them, and Tx repeats
// that.
func TestTxSurvivesADeadlock(t *testing.T) {
	t.Parallel()
	ctx, pool := t.Context(), pgtest.New(t)
	if _, err := pool.Exec(ctx, "CREATE TABLE counter AS SELECT id, 0 AS n FROM generate_series(1, 2) id"); err != nil {
		t.Fatal(err)
	}
	var (
		met   sync.WaitGroup // done when both have locked their first row
		done  sync.WaitGroup
		tries [2]int
		errs  [2]error
	)
	met.Add(2)
	for i := range 2 {
		done.Go(func() {
			errs[i] = pg.Tx(ctx, pool, func(tx pgx.Tx) error {
				tries[i]++
				for step := range 2 {
					if _, err := tx.Exec(ctx, "UPDATE counter SET n = n + 1 WHERE id = $1", 1+(i+step)%2); err != nil {
						return err
					}
					if step == 0 && tries[i] == 1 {
						met.Done()
						met.Wait()
					}
				}
				return nil
			})
		})
	}
	done.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	if tries[0]+tries[1] < 3 { // on a busy machine the repeated one can meet the other again
		t.Errorf("tries %v; want one transaction to run again", tries)
	}
	var sum int
	if err := pool.QueryRow(ctx, "SELECT sum(n) FROM counter").Scan(&sum); err != nil || sum != 4 {
		t.Errorf("sum = %d, %v; want 4", sum, err)
	}
}

func TestTxGivesUp(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	for _, test := range []struct {
		code  string
		tries int
	}{
		{"40001", 6}, // serialization_failure
		{"40P01", 6}, // deadlock_detected
		{"23505", 1}, // unique_violation
	} {
		tries := 0
		err := pg.Tx(t.Context(), pool, func(pgx.Tx) error {
			tries++
			return &pgconn.PgError{Code: test.code}
		})
		if code(err) != test.code || tries != test.tries {
			t.Errorf("%s: %v after %d tries; want %d", test.code, err, tries, test.tries)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	tries := 0
	err := pg.Tx(ctx, pool, func(pgx.Tx) error {
		tries++
		cancel()
		return &pgconn.PgError{Code: "40001"}
	})
	if !errors.Is(err, context.Canceled) || tries != 1 {
		t.Errorf("canceled: %v after %d tries", err, tries)
	}
}

func TestUnavailable(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("other"), false},
		{pgx.ErrNoRows, false},
		{context.Canceled, false},
		{context.DeadlineExceeded, false},
		{&pgconn.PgError{Code: "53300"}, true},
		{&pgconn.PgError{Code: "57P01"}, true},
		{&pgconn.PgError{Code: "57P03"}, true},
		{&pgconn.PgError{Code: "08006"}, true},
		{&pgconn.PgError{Code: "28P01"}, false}, // wrong password
		{&pgconn.PgError{Code: "42P01"}, false}, // no such table
		{&pgconn.PgError{Code: "57014"}, false}, // statement timeout
		{&net.OpError{Op: "read", Err: syscall.ECONNRESET}, true},
		{io.ErrUnexpectedEOF, true},
	} {
		if got := pg.Unavailable(test.err); got != test.want {
			t.Errorf("Unavailable(%v) = %v, want %v", test.err, got, test.want)
		}
	}
}

// The errors are real failures, as pgx returns them.
func TestUnavailableForReal(t *testing.T) {
	t.Parallel()
	ctx, pool := t.Context(), pgtest.New(t)
	conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	pid := conn.PgConn().PID()
	if _, err := pool.Exec(ctx, "SELECT pg_terminate_backend($1, 10000)", pid); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(ctx, "SELECT 1"); !pg.Unavailable(err) {
		t.Errorf("session ended by the server: %v", err)
	}
	for url, want := range map[string]bool{
		"postgres://127.0.0.1:1/none":                                         true, // no server listens
		"postgres:///none?host=/nowhere":                                      true, // no such socket
		strings.Replace(pgtest.URL(t), "townline_test_", "townline_none_", 1): false,
	} {
		p, err := pg.Open(ctx, url, pg.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Ping(ctx); err == nil || pg.Unavailable(err) != want {
			t.Errorf("ping %s: %v; want Unavailable %v", url, err, want)
		}
		p.Close()
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if err := pool.Ping(canceled); err == nil || pg.Unavailable(err) {
		t.Errorf("canceled by the caller: %v", err)
	}
}

// If a query waits for a connection until its deadline, the database counts as unavailable. If the
// query was already sent, it does not.
func TestNoConnectionInTime(t *testing.T) {
	t.Parallel()
	pool, err := pg.Open(t.Context(), pgtest.URL(t), pg.Options{MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	query := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		_, err := pool.Exec(ctx, "SELECT pg_sleep(60)")
		return pg.Connecting(err)
	}
	if err := query(); err == nil || pg.Unavailable(err) {
		t.Errorf("a query that was sent: %v, want a timeout that is not Unavailable", err)
	}
	held, release := make(chan error), make(chan struct{})
	defer close(release)
	go func() { // in another goroutine, because a test's pool panics at a second connection
		conn, err := pool.Acquire(t.Context())
		held <- err
		<-release
		conn.Release()
	}()
	if err := <-held; err != nil {
		t.Fatal(err)
	}
	if err := query(); !pg.Unavailable(err) || !errors.Is(err, pg.ErrNoConnection) {
		t.Errorf("a query that waits for a connection: %v, want ErrNoConnection", err)
	}
}
