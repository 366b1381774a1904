package dump

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

type sqliteFile struct {
	path   string
	conn   *sqlite.Conn
	insert *sqlite.Stmt
}

const pageSize = 4096

// createSQLite makes a database of at most the given number of bytes. The database needs no journal
// and no syncs, because it is discarded after an error. Its cache is small, so that memory does not
// grow with the dataset.
func createSQLite(ctx context.Context, path string, most int64) (*sqliteFile, error) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, fmt.Errorf("create SQLite file: %w", err)
	}
	conn.SetInterrupt(ctx.Done())
	s := &sqliteFile{path: path, conn: conn}
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

// ddl returns the statement that creates a table. It contains comments, which SQLite keeps and
// `.schema` shows.
func (t *table) ddl() string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s ( -- %s\n", t.name, t.doc)
	for _, c := range t.columns {
		fmt.Fprintf(&b, "  %s %s", c.name, c.kind.sqlite())
		if c.required {
			b.WriteString(" NOT NULL")
		}
		if len(t.key) == 1 && t.key[0] == c.name {
			b.WriteString(" PRIMARY KEY")
		}
		if other, key, ok := strings.Cut(c.ref, "."); ok {
			fmt.Fprintf(&b, " REFERENCES %s (%s)", other, key)
		}
		b.WriteString(", -- " + c.doc + "\n")
	}
	text := strings.TrimSpace(b.String())
	if len(t.key) > 1 {
		return text + "\n  PRIMARY KEY (" + strings.Join(t.key, ", ") + ")\n) WITHOUT ROWID"
	}
	// The last column has no comma.
	at := strings.LastIndex(text, ", -- ")
	return text[:at] + strings.TrimPrefix(text[at:], ",") + "\n)"
}

// begin creates a table and its indexes. The indexes exist from the start, because sorting all rows
// at the end would need memory.
func (s *sqliteFile) begin(t *table) error {
	statements := []string{t.ddl()}
	for _, c := range t.indexes {
		statements = append(statements, fmt.Sprintf("CREATE INDEX %s_%s ON %s (%s)", t.name, c, t.name, c))
	}
	for _, sql := range statements {
		if err := sqlitex.ExecuteTransient(s.conn, sql, nil); err != nil {
			return fmt.Errorf("SQLite table %s: %w", t.name, asTooLarge(err))
		}
	}
	var err error
	s.insert, _, err = s.conn.PrepareTransient("INSERT INTO " + t.name + " VALUES (?" +
		strings.Repeat(", ?", len(t.columns)-1) + ")")
	if err != nil {
		return fmt.Errorf("SQLite table %s: %w", t.name, asTooLarge(err))
	}
	return nil
}

func (s *sqliteFile) row(t *table, cells [][]byte) error {
	for i, cell := range cells {
		k := t.columns[i].kind
		switch {
		case cell == nil:
			s.insert.BindNull(i + 1)
		case k == kindBoolean:
			s.insert.BindBool(i+1, string(cell) == "true")
		case k == kindInteger:
			n, err := strconv.ParseInt(string(cell), 10, 64)
			if err != nil {
				return fmt.Errorf("%s: %w", t.columns[i].name, err)
			}
			s.insert.BindInt64(i+1, n)
		case k == kindNumber:
			n, err := strconv.ParseFloat(string(cell), 64)
			if err != nil {
				return fmt.Errorf("%s: %w", t.columns[i].name, err)
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

// finish adds the table about, closes the file, and opens it for reading.
func (s *sqliteFile) finish(set *Set, base string) (*File, error) {
	const doc = "The whole dataset as one SQLite database, with keys and indexes."
	about := [][2]string{{"title", "Council votes"}, {"source", base}, {"documentation", base + "/docs"},
		{"license", License},
		{"as_of", set.asOf()}, {"generation", strconv.FormatInt(set.Generation, 10)}}
	if set.division != "" {
		about = append(about, [2]string{"division", set.division})
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
	file, err := os.Open(s.path)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err != nil {
		_ = file.Close() // the other error is returned
		return nil, fmt.Errorf("read SQLite file: %w", err)
	}
	return &File{Name: SQLite, MediaType: "application/vnd.sqlite3", Doc: doc, Size: size,
		SHA256: hex.EncodeToString(sum.Sum(nil)), content: file}, nil
}

// discard closes an unfinished file. The caller removes the directory.
func (s *sqliteFile) discard() {
	s.end()
	if s.conn != nil {
		_ = s.conn.Close() // the file is discarded
		s.conn = nil
	}
}
