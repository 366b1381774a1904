// Package pg opens connection pools to Postgres, repeats transactions after conflicts, and
// classifies errors. Queries are in the packages that use them, tables in package schema.
package pg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/wait"
)

// Options configure the sessions of a pool. The zero value is suitable for a writer.
type Options struct {
	// Name is the application_name, shown in pg_stat_activity and in the server's log.
	Name string
	// StatementTimeout cancels any statement that runs longer. 0 means no timeout.
	StatementTimeout time.Duration
	// ReadOnly rejects writes outside of an explicit writing transaction. It prevents mistakes; only
	// the role limits the rights. Read-only sessions run short queries on indexes in memory, so their
	// plans use no parallel workers and assume cheap random access.
	ReadOnly bool
	// Plans selects how Postgres plans prepared statements. "" leaves the choice to Postgres.
	Plans Plans
	// MaxConns bounds the pool. 0 means pool_max_conns of the URL, or defaultMaxConns.
	MaxConns int32
}

// Plans is a plan_cache_mode of Postgres.
type Plans string

const (
	// CustomPlans plans each execution for its own parameters. It suits queries with optional filters,
	// and tables with a partition for each version.
	CustomPlans Plans = "force_custom_plan"
)

const (
	// connectTimeout bounds an attempt to connect to one host; the URL may override it. Attempts on
	// two hosts take less than the ten seconds of a request, so the request can still report that the
	// database is unreachable.
	connectTimeout = 3 * time.Second
	// pingTimeout bounds the check of an idle connection; the URL may override it. After a failover,
	// idle connections may be dead. Without a bound the next query would wait until its deadline.
	pingTimeout = 3 * time.Second
	// defaultMaxConns does not depend on the number of CPUs, unlike pgx's default, because the pools
	// of all replicas share max_connections.
	defaultMaxConns = 8
)

// Open returns a pool for the database at url. It does not connect, so services can start (but are
// not ready) while Postgres is unreachable. An error means an invalid URL.
func Open(_ context.Context, url string, o Options) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read database URL: %w", err) // pgx masks the password
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	if config.PingTimeout == 0 {
		config.PingTimeout = pingTimeout
	}
	config.ConnConfig.DialFunc = dialer().DialContext
	switch {
	case o.MaxConns > 0:
		config.MaxConns = o.MaxConns
	case !strings.Contains(url, "pool_max_conns"):
		config.MaxConns = defaultMaxConns
	}
	config.ConnConfig.Tracer = queries{}
	if strings.Contains(config.ConnConfig.RuntimeParams["options"], SingleOption) {
		config.ConnConfig.Tracer = &single{}
	}
	config.MaxConnLifetimeJitter = config.MaxConnLifetime / 10
	set := config.ConnConfig.RuntimeParams
	set["timezone"] = "UTC"
	set["jit"] = "off" // JIT compilation takes longer than our queries (up to 0.1 s)
	// The server releases the locks of an unreachable client after a minute instead of hours.
	set["tcp_keepalives_idle"] = "30"
	set["tcp_keepalives_interval"] = "10"
	set["tcp_keepalives_count"] = "3"
	if o.Name != "" {
		set["application_name"] = o.Name
	}
	if o.StatementTimeout > 0 {
		set["statement_timeout"] = strconv.FormatInt(o.StatementTimeout.Milliseconds(), 10)
	}
	if o.ReadOnly {
		set["default_transaction_read_only"] = "on"
		set["max_parallel_workers_per_gather"] = "0"
		set["random_page_cost"] = "1.1"
	}
	if o.Plans != "" {
		set["plan_cache_mode"] = string(o.Plans)
	}
	if o.Plans == CustomPlans {
		// Memoize allocates memory for all rows at the start, which takes as long as a page of a list.
		set["enable_memoize"] = "off"
		// Each scan that stops early would begin where the last one stopped, at pages that are not cached.
		set["synchronize_seqscans"] = "off"
	}
	// The pool owns its connections, so the caller's context must not end them.
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, fmt.Errorf("open database pool: %w", err)
	}
	return pool, nil
}

// A connection ends after a minute without an answer. The kernel's default is a quarter of an hour.
const (
	aliveIdle     = 30 * time.Second
	aliveEvery    = 10 * time.Second
	aliveCount    = 3
	unansweredFor = aliveIdle + aliveCount*aliveEvery
)

func dialer() *net.Dialer {
	return &net.Dialer{Control: giveUpUnanswered,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: aliveIdle, Interval: aliveEvery, Count: aliveCount}}
}

// Close closes a pool. It waits for the connections at most the time within, because a dead
// connection takes 15 seconds.
func Close(pool *pgxpool.Pool, within time.Duration) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		pool.Close()
	}()
	select {
	case <-closed:
	case <-time.After(within):
	}
}

// lookFor is the time that Look waits for a connection from the pool.
const lookFor = 200 * time.Millisecond

// Look runs fn on a connection of the pool, or on a new connection if none is free. It is for
// health checks, which must not fail because the pool is busy.
func Look(ctx context.Context, pool *pgxpool.Pool, fn func(context.Context, *pgx.Conn) error) error {
	soon, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	if pooled, err := pool.Acquire(soon); err == nil {
		defer pooled.Release()
		return fn(ctx, pooled.Conn())
	}
	conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return fn(ctx, conn)
}

// Attempts of Tx, and the pauses between them. Each pause is random up to a bound that doubles, so
// that competing transactions do not repeat in step.
const (
	maxTries   = 6
	firstPause = 20 * time.Millisecond
)

// Tx runs fn in a transaction and commits it if fn returns nil. After a serialization failure or a
// deadlock, Tx runs fn again in a new transaction, up to a limit. So fn must not keep state between
// runs, or have effects that a rollback does not undo.
func Tx(ctx context.Context, pool *pgxpool.Pool, fn func(pgx.Tx) error) error {
	for try, pause := 1, firstPause; ; try, pause = try+1, 2*pause {
		err := pgx.BeginFunc(ctx, pool, fn)
		if try == maxTries || !isConflict(err) {
			return err
		}
		if !wait.For(ctx, rand.N(pause)) {
			return errors.Join(ctx.Err(), err)
		}
	}
}

func isConflict(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01") // serialization_failure, deadlock_detected
}

// Unavailable reports whether the database is unreachable, starting, stopping, crashed or out of
// connections. An API then answers 503. Wrong passwords, statement timeouts and the caller's own
// cancellation do not count.
func Unavailable(err error) bool {
	if errors.Is(err, ErrNoConnection) {
		return true
	}
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		switch e.Code {
		case "53300", // too_many_connections
			"57P01", // admin_shutdown
			"57P02", // crash_shutdown
			"57P03", // cannot_connect_now: starting up, recovering
			"57P05": // idle_session_timeout
			return true
		}
		return len(e.Code) == 5 && e.Code[:2] == "08" // connection_exception
	}
	if errors.Is(err, context.Canceled) {
		return false
	}
	// The attempt to connect failed without an answer from the server.
	if e := (*pgconn.ConnectError)(nil); errors.As(err, &e) {
		return true
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if e := (*net.OpError)(nil); errors.As(err, &e) {
		return true
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// ErrNoConnection means that no connection became free before the deadline of a query.
var ErrNoConnection = errors.New("no connection to the database in time")

// Connecting wraps err with ErrNoConnection if the query's deadline passed while it waited for a
// connection. If the deadline passes later, pgconn already marks the error.
func Connecting(err error) error {
	if errors.Is(err, context.DeadlineExceeded) && !pgconn.Timeout(err) && !errors.As(err, new(*pgconn.ConnectError)) {
		return fmt.Errorf("%w: %w", ErrNoConnection, err)
	}
	return err
}

// Loggable returns the text of an error. It omits the host, socket, user and database of a
// connection attempt.
func Loggable(err error) string {
	text := err.Error()
	var connect *pgconn.ConnectError
	if !errors.As(err, &connect) {
		return text
	}
	clean := "cannot connect to the database"
	var server *pgconn.PgError
	if errors.As(connect, &server) {
		clean += fmt.Sprintf(": %s (SQLSTATE %s)", server.Message, server.Code)
	}
	return strings.Replace(text, connect.Error(), clean, 1)
}
