// Package publish writes the files of a council's dataset to the database, where every replica of
// the API reads them: votes.csv, one SQLite database, and one CSV file per table with metadata (W3C,
// Model for Tabular Data and Metadata on the Web).
//
// All files come from one snapshot and are replaced in one transaction, so a publication that is
// interrupted leaves the files as they were. A file whose bytes are the same is not stored again.
// The database stores them, not the object store, because keys of object stores may lack the right
// to delete.
//
// Package dataset lists the tables. The caller decides when to publish.
package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/dataset"
	"github.com/townline/townline/pkg/pg"
)

// Options are the settings of a publication.
type Options struct {
	Dirs     []string // the first writable directory is used; it needs space for the SQLite file and one table
	MaxBytes int64    // largest total size of the files
	Base     string   // public base of the API, such as https://votes.example/v1
}

// ErrTooLarge means that the files would exceed Options.MaxBytes.
var ErrTooLarge = errors.New("the files of the dataset would be too large")

// A State is the generation of the dataset and the time of its commit.
type State struct {
	Generation int64
	UpdatedAt  time.Time
	Division   string // Open Civic Data division of the town; "" if unknown
	Several    bool   // the dataset has several bodies
}

func (s *State) asOf() string { return s.UpdatedAt.UTC().Format("2006-01-02T15:04:05Z") }

// ReadState returns the current state.
func ReadState(ctx context.Context, db pg.Querier) (State, error) {
	return pg.One[State](ctx, db, `
		SELECT generation, updated_at, coalesce(division, '') AS division,
		       (SELECT count(*) > 1 FROM council.body WHERE slug <> '') AS several
		FROM council.dataset`)
}

// Publish replaces the files by those of the current state, and returns that state. Only one
// process may publish at a time.
func Publish(ctx context.Context, db *pgxpool.Pool, o Options) (State, error) {
	dir, err := tempDir(o.Dirs)
	if err != nil {
		return State{}, err
	}
	defer os.RemoveAll(dir)
	p := publication{o: o, dir: dir, left: o.MaxBytes}
	err = pgx.BeginTxFunc(ctx, db, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) (err error) {
		// Large tables need more time than the timeout of other statements.
		if _, err := tx.Exec(ctx, `SET LOCAL statement_timeout = 0`); err != nil {
			return err
		}
		p.tx = tx
		p.state, err = ReadState(ctx, tx)
		if err != nil {
			return err
		}
		return p.write(ctx)
	})
	if err != nil {
		return State{}, fmt.Errorf("publish the files of the dataset: %w", err)
	}
	return p.state, nil
}

func tempDir(dirs []string) (string, error) {
	var errs []error
	for _, d := range dirs {
		dir, err := os.MkdirTemp(d, "townline-files-")
		if err == nil {
			return dir, nil
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("make a directory for the files of the dataset: %w", errors.Join(errs...))
}

// A publication is one run of Publish.
type publication struct {
	o     Options
	dir   string
	tx    pgx.Tx
	state State
	left  int64    // how many bytes the remaining files may have
	names []string // of the stored files
}

func (p *publication) write(ctx context.Context) error {
	lite, err := createSQLite(ctx, filepath.Join(p.dir, "dataset"), p.o.MaxBytes)
	if err != nil {
		return err
	}
	defer lite.discard()
	tables := dataset.Tables(p.state.Several)
	votes := dataset.Votes(p.state.Several)
	if _, err := p.table(ctx, &votes, nil); err != nil {
		return err
	}
	var total int64
	for i := range tables {
		rows, err := p.table(ctx, &tables[i], lite)
		if err != nil {
			return err
		}
		total += rows
	}
	text, err := describe(tables, &p.state, p.o.Base)
	if err != nil {
		return err
	}
	if err := p.store(ctx, textFile(dataset.Metadata, "application/csvm+json", text)); err != nil {
		return err
	}
	f, err := lite.finish(&p.state, p.o.Base)
	if err != nil {
		return err
	}
	f.rows = &total
	if err := p.store(ctx, f); err != nil {
		return err
	}
	return p.clean(ctx)
}

// table stores a table as CSV, and adds it to the SQLite database if lite is not nil.
func (p *publication) table(ctx context.Context, t *dataset.Table, lite *sqliteFile) (rows int64, err error) {
	fail := func(err error) (int64, error) { return 0, fmt.Errorf("table %s: %w", t.Name, err) }
	csv, err := createCSV(filepath.Join(p.dir, "table"), t, p.left)
	if err != nil {
		return fail(err)
	}
	defer csv.close()
	if lite != nil {
		if err := lite.begin(t); err != nil {
			return fail(err)
		}
		defer lite.end()
	}
	err = copyRows(ctx, p.tx, t.Query(p.o.Base), len(t.Columns), func(cells [][]byte) error {
		for i, c := range t.Columns {
			cells[i] = format(c.Kind, cells[i])
		}
		rows++
		if err := csv.row(cells); err != nil || lite == nil {
			return err
		}
		return lite.row(t, cells)
	})
	if err != nil {
		return fail(err)
	}
	f, err := csv.finish()
	if err != nil {
		return fail(err)
	}
	f.rows = &rows
	return rows, p.store(ctx, f)
}

// format returns a cell as it is published.
func format(k dataset.Kind, cell []byte) []byte {
	switch {
	case cell == nil:
	case k == dataset.Boolean && string(cell) == "t":
		return []byte("true")
	case k == dataset.Boolean:
		return []byte("false")
	case k == dataset.Time && len(cell) > 18: // for example 2026-01-31 18:00:00.123+00, because sessions are in UTC
		out := append(make([]byte, 0, 20), cell[:19]...)
		out[10] = 'T'
		return append(out, 'Z')
	}
	return cell
}

// A file is a complete file that is about to be stored.
type file struct {
	name      string
	mediaType string
	rows      *int64
	size      int64
	sum       []byte // SHA-256
	content   io.ReaderAt
}

const (
	chunkSize = 1 << 20
	// keep is the number of versions of a file that are kept. A download that began before a
	// replacement needs the version with which it began.
	keep = 4
)

// store stores a file. If its bytes are those of the newest version, it only sets the state.
func (p *publication) store(ctx context.Context, f *file) error {
	p.left -= f.size
	if p.left < 0 {
		return ErrTooLarge
	}
	p.names = append(p.names, f.name)
	fail := func(err error) error { return fmt.Errorf("store %s: %w", f.name, err) }
	tag, err := p.tx.Exec(ctx, `
		UPDATE council.export SET generation = $2, as_of = $3, rows = $4
		WHERE export_id = (SELECT max(export_id) FROM council.export WHERE name = $1) AND sha256 = $5`,
		f.name, p.state.Generation, p.state.UpdatedAt, f.rows, f.sum)
	if err != nil {
		return fail(err)
	}
	if tag.RowsAffected() == 1 {
		return nil
	}
	id, err := pg.Value[int64](ctx, p.tx, `
		INSERT INTO council.export (name, media_type, sha256, size, rows, generation, as_of, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, date_trunc('second', now())) RETURNING export_id`,
		f.name, f.mediaType, f.sum, f.size, f.rows, p.state.Generation, p.state.UpdatedAt)
	if err != nil {
		return fail(err)
	}
	chunk := make([]byte, min(chunkSize, f.size))
	for seq, at := 0, int64(0); seq == 0 || at < f.size; seq++ {
		n := min(chunkSize, f.size-at)
		if _, err := f.content.ReadAt(chunk[:n], at); err != nil && !errors.Is(err, io.EOF) {
			return fail(err)
		}
		if _, err := p.tx.Exec(ctx, `INSERT INTO council.export_chunk (export_id, seq, content)
			VALUES ($1, $2, $3)`, id, seq, chunk[:n]); err != nil {
			return fail(err)
		}
		at += n
	}
	return nil
}

// clean deletes old versions, and files that the dataset has no longer.
func (p *publication) clean(ctx context.Context) error {
	_, err := p.tx.Exec(ctx, `
		DELETE FROM council.export e WHERE e.name <> ALL ($1)
			OR (SELECT count(*) FROM council.export n WHERE n.name = e.name AND n.export_id > e.export_id) >= $2`,
		p.names, keep)
	if err != nil {
		return fmt.Errorf("delete old files: %w", err)
	}
	return nil
}
