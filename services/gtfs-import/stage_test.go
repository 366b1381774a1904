package gtfsimport_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// row has one column for each method of Writer.
type row struct {
	N     int
	Text  string
	Texts []string
	Ints  []int32
	Bytes []byte
	Bool  bool
}

func TestCopy(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), `CREATE TABLE x (n int, txt text, txts text[], ints int[],
		nullints int[], bytes bytea, b boolean)`); err != nil {
		t.Fatal(err)
	}
	const none = -7
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.OneOf(rapid.StringMatching(`[a-z0-9 \\"{},\t\n\r']{0,12}`),
			rapid.SampledFrom([]string{"", "NULL", "null", `\N`, `\.`, "ł€", "{}", `a\`, " ", strings.Repeat("x", 70_000)}))
		want := []row{}
		for i := range rapid.IntRange(0, 20).Draw(t, "rows") {
			want = append(want, row{
				N: i, Text: cell.Draw(t, "text"), Texts: rapid.SliceOfN(cell, 0, 5).Draw(t, "texts"),
				Ints:  rapid.SliceOfN(rapid.Int32Range(-9, 1<<30), 0, 5).Draw(t, "ints"),
				Bytes: rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "bytes"), Bool: rapid.Bool().Draw(t, "bool"),
			})
		}
		if _, err := conn.Exec(t.Context(), `TRUNCATE x`); err != nil {
			t.Fatal(err)
		}
		n, err := stage.Copy(t.Context(), conn.PgConn(), `COPY x FROM STDIN`, func(w *stage.Writer) error {
			for _, r := range want {
				w.Int(r.N)
				w.Text([]byte(r.Text))
				var cells [][]byte
				for _, c := range r.Texts {
					cells = append(cells, []byte(c))
				}
				w.Texts(cells)
				w.Ints(r.Ints)
				w.NullInts(r.Ints, none)
				w.Bytes(r.Bytes)
				w.Bool(r.Bool)
				if err := w.End(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || int(n) != len(want) {
			t.Fatalf("%d rows, %v", n, err)
		}
		rows, err := conn.Query(t.Context(), `
			SELECT n, coalesce(txt, ''), ARRAY(SELECT coalesce(c, '') FROM unnest(txts) WITH ORDINALITY AS u (c, i) ORDER BY i),
			       ints, bytes, b
			FROM x WHERE ints IS NOT DISTINCT FROM array_replace(nullints, NULL, -7) ORDER BY n`)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
		if err != nil {
			t.Fatal(err)
		}
		for i := range want { // empty and nil are the same here
			if len(want[i].Texts) == 0 {
				want[i].Texts = []string{}
			}
			if len(want[i].Ints) == 0 {
				want[i].Ints = []int32{}
			}
			if len(want[i].Bytes) == 0 {
				want[i].Bytes = []byte{}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("rows (-want +got):\n%s", diff)
		}
	})
}

func TestCopyFails(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.EmptyURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), `CREATE TABLE x (n int)`); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	_, err = stage.Copy(t.Context(), conn.PgConn(), `COPY x FROM STDIN`, func(w *stage.Writer) error {
		w.Int(1)
		panic("hostile cell")
	})
	if err == nil || !strings.Contains(err.Error(), "hostile cell") {
		t.Errorf("a panic of the writer returned %v, want an error", err)
	}
	for name, write := range map[string]func(*stage.Writer) error{
		"the writer": func(w *stage.Writer) error {
			w.Int(1)
			return errors.Join(w.End(), stop)
		},
		"the server": func(w *stage.Writer) error { // the server's error must arrive long before the writer ends
			for range 1_000_000 {
				w.Text([]byte("not a number"))
				if err := w.End(); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		if _, err := stage.Copy(t.Context(), conn.PgConn(), `COPY x FROM STDIN`, write); err == nil {
			t.Errorf("no error although %s failed", name)
		} else if (name == "the writer") != errors.Is(err, stop) {
			t.Errorf("%s: %v", name, err)
		}
		var n int
		if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM x`).Scan(&n); err != nil || n != 0 {
			t.Errorf("after %s failed: %d rows, %v", name, n, err)
		}
	}
}
