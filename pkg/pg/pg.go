// Package pg opens connection pools to Postgres and runs transactions that try
// again when the database asks for it. It holds no SQL of the project: queries
// stand beside the structs they fill, tables in package schema.
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
)

// Options shape the sessions of a pool. The zero value is good for a writer.
type Options struct {
	// Name is the application_name: who this is in pg_stat_activity and in the
	// server's log.
	Name string
	// StatementTimeout cancels any statement that runs longer; 0 means none.
	StatementTimeout time.Duration
	// ReadOnly refuses every write that does not ask for a writing transaction
	// explicitly. It guards against mistakes; rights are a matter of the role. Such sessions
	// give short answers out of indexes that are in memory, so their plans are made
	// without parallel workers, and for random access that costs little more
	// than sequential: each of them makes a short answer late.
	ReadOnly bool
	// CustomPlans plans each execution for its own parameters. Right for queries
	// with optional filters, where one plan for all is bad for most.
	CustomPlans bool
	// GenericPlans plans each statement once for all parameters. Right for queries that go by keys: planning takes
	// longer than most of them.
	GenericPlans bool
	// MaxConns bounds the pool; 0 means what the URL says (pool_max_conns), else
	// pgx's default.
	MaxConns int32
}

// connectTimeout bounds one attempt to connect when the URL does not.
const connectTimeout = 5 * time.Second

// Open returns a pool for the database at url. It does not connect: a service
// starts, and reports itself not ready, while Postgres is away. The error is
// about the URL alone.
func Open(_ context.Context, url string, o Options) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read database URL: %w", err) // pgx masks the password
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	if o.MaxConns > 0 {
		config.MaxConns = o.MaxConns
	}
	config.ConnConfig.Tracer = queries{}
	if wantsSingle(config.ConnConfig.RuntimeParams["options"]) {
		config.ConnConfig.Tracer = &single{holds: map[*pgx.Conn]string{}}
	}
	config.MaxConnLifetimeJitter = config.MaxConnLifetime / 10
	set := config.ConnConfig.RuntimeParams
	set["timezone"] = "UTC"
	set["jit"] = "off" // compiling takes longer (0.1 s was seen) than any query of ours
	// A session whose client vanished with its network gives its locks up after a minute, not after hours.
	set["tcp_keepalives_idle"], set["tcp_keepalives_interval"], set["tcp_keepalives_count"] = "30", "10", "3"
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
	if o.CustomPlans {
		set["plan_cache_mode"] = "force_custom_plan"
	}
	if o.GenericPlans {
		set["plan_cache_mode"] = "force_generic_plan"
	}
	// Connections are made when they are needed. Their lives are the pool's own,
	// so the caller's context must not end them.
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, fmt.Errorf("open database pool: %w", err)
	}
	return pool, nil
}

// lookFor is how long Look waits for a connection of the pool.
const lookFor = 200 * time.Millisecond

// Look runs fn on a connection of the pool or, when none is free, on one of its own: who asks whether the
// database is there must not hear that it is not because others are busy with it.
func Look(ctx context.Context, pool *pgxpool.Pool, fn func(context.Context, *pgx.Conn) error) error {
	soon, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	if pooled, err := pool.Acquire(soon); err == nil {
		defer pooled.Release()
		return fn(ctx, pooled.Conn())
	}
	conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("connect to look: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return fn(ctx, conn)
}

// How often and after which pauses Tx tries again. The pauses double, and each
// is drawn at random up to its bound so that rivals part.
const (
	maxTries   = 6
	firstPause = 20 * time.Millisecond
)

// Tx runs fn in a transaction and commits it when fn returns nil. When Postgres
// breaks the transaction off in favour of another (serialization failure or
// deadlock), fn runs again in a new one, a few times. So fn must do nothing that
// a rollback does not undo, and must begin with what it found at the start.
func Tx(ctx context.Context, pool *pgxpool.Pool, fn func(pgx.Tx) error) error {
	for try, pause := 1, firstPause; ; try, pause = try+1, 2*pause {
		err := pgx.BeginFunc(ctx, pool, fn)
		if try == maxTries || !conflict(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(rand.N(pause)):
		}
	}
}

// conflict tells whether the transaction was the victim of another one and may
// succeed if it is repeated. SQLSTATE 40001 and 40P01.
func conflict(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}

// Unavailable tells whether err means that there is no database to ask for the
// moment: not reachable, starting, stopping, crashed, or out of connections. An
// API answers 503 to that. Refused passwords, statement timeouts, the caller's
// own cancellation and every other error are not of this kind.
func Unavailable(err error) bool {
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
	// An attempt to connect that failed without a word from the server.
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

// Loggable is the text of an error as a log line may show it: without the host,
// socket, user and database that an attempt to connect was made with.
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
