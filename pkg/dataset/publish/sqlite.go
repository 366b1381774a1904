package publish

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/townline/townline/pkg/dataset"
)

type sqliteFile struct {
	file   *os.File
	conn   *sqlite.Conn
	insert *sqlite.Stmt
}

const pageSize = 4096

// createSQLite makes a database of at most the given number of bytes, in a file that has no name,
// so that a crash leaves none. The database needs no journal and no syncs, because it is discarded
// after an error. Its cache is small, so that memory does not grow with the dataset.
func createSQLite(ctx context.Context, path string, most int64) (*sqliteFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create SQLite file: %w", err)
	}
	s := &sqliteFile{file: f}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err == nil {
		s.conn = conn
		err = os.Remove(path)
	}
	if err != nil {
		s.discard()
		return nil, fmt.Errorf("create SQLite file: %w", err)
	}
	conn.SetInterrupt(ctx.Done())
	for _, sql := range []string{
		fmt.Sprintf("PRAGMA page_size = %d", pageSize), fmt.Sprintf("PRAGMA max_page_count = %d", max(most/pageSize, 1)),
		"PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA locking_mode = EXCLUSIVE",
		"PRAGMA temp_store = MEMORY", "PRAGMA cache_size = -16000", "BEGIN",
	} {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			s.discard()
			return nil, fmt.Errorf("create SQLite file: %s: %w", sql, err)
		}
	}
	return s, nil
}

// sqliteType returns the type of a column in SQLite, which has neither booleans nor times.
func sqliteType(k dataset.Kind) string {
	switch k {
	case dataset.Integer, dataset.Boolean:
		return "INTEGER"
	case dataset.Number:
		return "REAL"
	}
	return "TEXT"
}

// ddl returns the statement that creates a table. It contains comments, which SQLite keeps and
// `.schema` shows.
func ddl(t *dataset.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s ( -- %s\n", t.Name, t.Doc)
	for _, c := range t.Columns {
		fmt.Fprintf(&b, "  %s %s", c.Name, sqliteType(c.Kind))
		if c.Required {
			b.WriteString(" NOT NULL")
		}
		if len(t.Key) == 1 && t.Key[0] == c.Name {
			b.WriteString(" PRIMARY KEY")
		}
		if other, key, ok := strings.Cut(c.Ref, "."); ok {
			fmt.Fprintf(&b, " REFERENCES %s (%s)", other, key)
		}
		b.WriteString(", -- " + c.Doc + "\n")
	}
	text := strings.TrimSpace(b.String())
	if len(t.Key) > 1 {
		return text + "\n  PRIMARY KEY (" + strings.Join(t.Key, ", ") + ")\n) WITHOUT ROWID"
	}
	// The last column has no comma.
	at := strings.LastIndex(text, ", -- ")
	return text[:at] + strings.TrimPrefix(text[at:], ",") + "\n)"
}

// begin creates a table and its indexes. The indexes exist from the start, because sorting all rows
// at the end would need memory.
func (s *sqliteFile) begin(t *dataset.Table) error {
	statements := []string{ddl(t)}
	for _, c := range t.Indexes {
		statements = append(statements, fmt.Sprintf("CREATE INDEX %s_%s ON %s (%s)", t.Name, c, t.Name, c))
	}
	for _, sql := range statements {
		if err := sqlitex.ExecuteTransient(s.conn, sql, nil); err != nil {
			return fmt.Errorf("SQLite table %s: %w", t.Name, asTooLarge(err))
		}
	}
	var err error
	s.insert, _, err = s.conn.PrepareTransient("INSERT INTO " + t.Name + " VALUES (?" +
		strings.Repeat(", ?", len(t.Columns)-1) + ")")
	if err != nil {
		return fmt.Errorf("SQLite table %s: %w", t.Name, asTooLarge(err))
	}
	return nil
}

func (s *sqliteFile) row(t *dataset.Table, cells [][]byte) error {
	for i, cell := range cells {
		k := t.Columns[i].Kind
		switch {
		case cell == nil:
			s.insert.BindNull(i + 1)
		case k == dataset.Boolean:
			s.insert.BindBool(i+1, string(cell) == "true")
		case k == dataset.Integer:
			n, err := strconv.ParseInt(string(cell), 10, 64)
			if err != nil {
				return fmt.Errorf("%s: %w", t.Columns[i].Name, err)
			}
			s.insert.BindInt64(i+1, n)
		case k == dataset.Number:
			n, err := strconv.ParseFloat(string(cell), 64)
			if err != nil {
				return fmt.Errorf("%s: %w", t.Columns[i].Name, err)
			}
			s.insert.BindFloat(i+1, n)
		default:
			s.insert.BindText(i+1, string(cell))
		}
	}
	if _, err := s.insert.Step(); err != nil {
		return asTooLarge(err)
	}
	return s.insert.Reset()
}

// asTooLarge wraps SQLite's error about a full database in ErrTooLarge.
func asTooLarge(err error) error {
	if sqlite.ErrCode(err) == sqlite.ResultFull {
		return errors.Join(ErrTooLarge, err)
	}
	return err
}

func (s *sqliteFile) end() {
	if s.insert != nil {
		_ = s.insert.Finalize() // Step has already returned the error
		s.insert = nil
	}
}

// finish adds the table about and completes the file.
func (s *sqliteFile) finish(state *State, base string) (*file, error) {
	about := [][2]string{{"title", "Council votes"}, {"source", base}, {"documentation", base + "/docs"},
		{"license", dataset.License},
		{"as_of", state.asOf()}, {"generation", strconv.FormatInt(state.Generation, 10)}}
	if state.Division != "" {
		about = append(about, [2]string{"division", state.Division})
	}
	err := sqlitex.ExecuteTransient(s.conn, "CREATE TABLE about ( -- Where this file comes from.\n  key TEXT NOT NULL "+
		"PRIMARY KEY,\n  value TEXT NOT NULL\n) WITHOUT ROWID", nil)
	for i := 0; i < len(about) && err == nil; i++ {
		err = sqlitex.ExecuteTransient(s.conn, "INSERT INTO about VALUES (?, ?)",
			&sqlitex.ExecOptions{Args: []any{about[i][0], about[i][1]}})
	}
	if err == nil {
		err = sqlitex.ExecuteTransient(s.conn, "COMMIT", nil)
	}
	if closed := s.conn.Close(); err == nil {
		err = closed
	}
	s.conn = nil
	if err != nil {
		return nil, fmt.Errorf("write SQLite file: %w", asTooLarge(err))
	}
	sum := sha256.New()
	size, err := io.Copy(sum, s.file)
	if err != nil {
		return nil, fmt.Errorf("read SQLite file: %w", err)
	}
	return &file{name: dataset.SQLite, mediaType: "application/vnd.sqlite3", size: size, sum: sum.Sum(nil),
		content: s.file}, nil
}

// discard closes the file, which then no longer exists.
func (s *sqliteFile) discard() {
	s.end()
	if s.conn != nil {
		_ = s.conn.Close() // the file is discarded
		s.conn = nil
	}
	_ = s.file.Close()
}
