package pg_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
)

// The errors come from real statements.
func TestFaultOf(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	if _, err := db.Exec(t.Context(), `CREATE TABLE one (name text UNIQUE, n smallint CHECK (n > 0))`); err != nil {
		t.Fatal(err)
	}
	long := make([]string, 4000)
	for i := range long {
		long[i] = fmt.Sprintf("%x", i*7919) // does not compress, so that it exceeds the limit of an index row
	}
	for _, test := range []struct {
		sql  string
		args []any
		want pg.Fault
	}{
		{`INSERT INTO one (name) VALUES ($1)`, []any{strings.Join(long, "")}, pg.FaultData},
		{`INSERT INTO one (name) VALUES ($1)`, []any{"a\x00b"}, pg.FaultData},
		{`INSERT INTO one (name) VALUES ($1)`, []any{"a\xffb"}, pg.FaultData},
		{`INSERT INTO one (n) VALUES (0)`, nil, pg.FaultData},
		{`INSERT INTO one (name) VALUES ('x'), ('x')`, nil, pg.FaultData},
		{`SELECT 40000::smallint`, nil, pg.FaultData},
		{`SELECT * FROM nowhere`, nil, pg.FaultDatabase},
		{`SELECT pg_terminate_backend(pg_backend_pid())`, nil, pg.FaultDatabase},
		{`SELECT nonsense(`, nil, pg.FaultOther},
		{`SELECT 1`, nil, ""},
	} {
		if _, err := db.Exec(t.Context(), test.sql, test.args...); pg.FaultOf(err) != test.want {
			t.Errorf("%.60s: %q, want %q: %v", test.sql, pg.FaultOf(err), test.want, err)
		}
	}
	err := pgx.BeginTxFunc(t.Context(), db, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO one (n) VALUES (1)`)
		return err
	})
	if pg.FaultOf(err) != pg.FaultDatabase {
		t.Errorf("standby: %q: %v", pg.FaultOf(err), err)
	}
	for err, want := range map[error]pg.Fault{io.ErrUnexpectedEOF: pg.FaultDatabase, context.Canceled: pg.FaultOther,
		errors.New("x"): pg.FaultOther} {
		if pg.FaultOf(fmt.Errorf("store: %w", err)) != want {
			t.Errorf("%v: %q, want %q", err, pg.FaultOf(err), want)
		}
	}
}
