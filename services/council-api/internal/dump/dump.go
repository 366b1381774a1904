// Package dump writes the whole dataset to files: one SQLite database, and one CSV file per table
// with metadata (W3C, Model for Tabular Data and Metadata on the Web).
//
// All files of a set come from one snapshot of the database. They are unlinked at once. So a crash
// leaves no file, and the disk space of a replaced set is freed with its last reader. The same
// dataset gives the same bytes on every replica.
//
// The package knows the tables of pkg/schema/council, but not HTTP. internal/files decides when to
// write a set, and serves it.
package dump

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pg"
)

const (
	SQLite   = "council.sqlite"
	Metadata = "csv-metadata.json"
)

// CSVNames lists the CSV files of a dataset with several bodies, one for each table.
func CSVNames() []string {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.name + ".csv"
	}
	return names
}

type Options struct {
	Dirs     []string // the first writable directory is used
	MaxBytes int64    // largest total size of the files of a set
	Base     string
}

// A Set has the files of one generation of the dataset.
type Set struct {
	Generation int64
	Time       time.Time // when the generation was committed
	Files      []*File

	tables   []table
	division string // Open Civic Data division of the town; "" if unknown
}

// File returns the file with the given name, or nil if there is none.
func (s *Set) File(name string) *File {
	for _, f := range s.Files {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// A File is one file of a set. It stays readable while it is referenced.
type File struct {
	Name      string
	MediaType string
	Doc       string
	Rows      *int64 // number of rows, if the file is a table
	Size      int64
	SHA256    string

	content io.ReaderAt // bytes, or an unlinked file that is closed when it becomes garbage
}

func (f *File) Open() io.ReadSeeker { return io.NewSectionReader(f.content, 0, f.Size) }

// ErrTooLarge means that a set would exceed Options.MaxBytes.
var ErrTooLarge = errors.New("the export would be too large")

// A State is the generation of the dataset and the time of its commit.
type State struct {
	Generation int64
	UpdatedAt  time.Time
	Division   string // Open Civic Data division of the town; "" if unknown
	Several    bool   // the dataset has several bodies
}

func ReadState(ctx context.Context, db pg.Querier) (State, error) {
	return pg.One[State](ctx, db, `
		SELECT generation, updated_at, coalesce(division, '') AS division,
		       (SELECT count(*) > 1 FROM council.body WHERE slug <> '') AS several
		FROM council.dataset`)
}

// Write makes a set from the current generation.
func Write(ctx context.Context, db *pgxpool.Pool, o Options) (*Set, error) {
	dir, err := tempDir(o.Dirs)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	set := &Set{}
	err = pgx.BeginTxFunc(ctx, db, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(tx pgx.Tx) error {
			// Large tables need more time than the statement timeout of answers.
			if _, err := tx.Exec(ctx, `SET LOCAL statement_timeout = 0`); err != nil {
				return err
			}
			state, err := ReadState(ctx, tx)
			if err != nil {
				return err
			}
			set.Generation, set.Time, set.division = state.Generation, state.UpdatedAt, state.Division
			set.tables = tablesOf(state.Several)
			return set.write(ctx, tx, dir, o)
		})
	if err != nil {
		return nil, fmt.Errorf("export the dataset: %w", err)
	}
	return set, nil
}

func tempDir(dirs []string) (string, error) {
	var errs []error
	for _, d := range dirs {
		dir, err := os.MkdirTemp(d, "townline-export-")
		if err == nil {
			return dir, nil
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("make a directory for the export: %w", errors.Join(errs...))
}

func (s *Set) write(ctx context.Context, tx pgx.Tx, dir string, o Options) error {
	lite, err := createSQLite(ctx, filepath.Join(dir, SQLite), o.MaxBytes)
	if err != nil {
		return err
	}
	defer lite.discard()
	left := o.MaxBytes
	var total int64
	for i := range s.tables {
		t := &s.tables[i]
		csv, err := createCSV(filepath.Join(dir, t.name+".csv"), t, left)
		if err != nil {
			return err
		}
		n, err := t.export(ctx, tx, o.Base, csv, lite)
		if err != nil {
			csv.discard()
			return fmt.Errorf("table %s: %w", t.name, err)
		}
		f, err := csv.finish()
		if err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
		f.Rows = &n
		left -= f.Size
		total += n
		s.Files = append(s.Files, f)
	}
	text, err := s.metadata(o.Base)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	s.Files = append(s.Files, &File{Name: Metadata, MediaType: "application/csvm+json", Doc: "What the columns of the " +
		"CSV files mean (W3C CSV on the Web).",
		Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:]), content: bytes.NewReader(text)})
	f, err := lite.finish(s, o.Base)
	if err != nil {
		return err
	}
	if f.Size > left {
		return ErrTooLarge
	}
	f.Rows = &total
	s.Files = append([]*File{f}, s.Files...)
	return nil
}

func (t *table) export(ctx context.Context, tx pgx.Tx, base string, csv *csvFile,
	lite *sqliteFile) (rows int64, err error) {
	if err := lite.begin(t); err != nil {
		return 0, err
	}
	defer lite.end()
	// CSV needs the text format, and SQLite accepts it too.
	found, err := tx.Query(ctx, t.query(), pgx.QueryResultFormats{pgx.TextFormatCode}, base)
	if err != nil {
		return 0, err
	}
	defer found.Close()
	for found.Next() {
		cells := found.RawValues()
		for i, c := range t.columns {
			cells[i] = c.kind.text(cells[i])
		}
		if err := csv.row(cells); err != nil {
			return rows, err
		}
		if err := lite.row(t, cells); err != nil {
			return rows, err
		}
		rows++
	}
	return rows, found.Err()
}

func (k kind) text(cell []byte) []byte {
	switch {
	case cell == nil:
	case k == kindBoolean && string(cell) == "t":
		return []byte("true")
	case k == kindBoolean:
		return []byte("false")
	case k == kindTime && len(cell) > 18: // for example 2026-01-31 18:00:00.123+00, because sessions are in UTC
		out := append(make([]byte, 0, 20), cell[:19]...)
		out[10] = 'T'
		return append(out, 'Z')
	}
	return cell
}
