package pg

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// SingleOption in the "options" of the database URL makes pools panic if a goroutine acquires a
// second connection. Such code deadlocks when each connection is held by a goroutine that waits for
// another one. The URLs of pgtest set the option, so all tests run with it.
const SingleOption = "-ctownline.single_connection=on"

// single panics in goroutines that acquire a second connection.
type single struct {
	queries
	holds sync.Map // the goroutine that acquired a *pgx.Conn
}

func (s *single) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.
	Context {
	me := goroutine()
	for _, other := range s.holds.Range {
		if other == me {
			panic(fmt.Sprintf("pg: goroutine %s acquires a second connection while it holds one of the same pool", me))
		}
	}
	return ctx
}

func (s *single) TraceAcquireEnd(_ context.Context, _ *pgxpool.Pool, data pgxpool.TraceAcquireEndData) {
	if data.Err == nil {
		s.holds.Store(data.Conn, goroutine())
	}
}

func (s *single) TraceRelease(_ *pgxpool.Pool, data pgxpool.TraceReleaseData) {
	s.holds.Delete(data.Conn)
}

func hijack(pooled *pgxpool.Conn) *pgx.Conn {
	conn := pooled.Hijack()
	if s, ok := conn.Config().Tracer.(*single); ok {
		s.holds.Delete(conn)
	}
	return conn
}

func goroutine() string {
	var stack [64]byte
	fields := bytes.Fields(stack[:runtime.Stack(stack[:], false)]) // begins with "goroutine 42 [running]:"
	return string(fields[1])
}
