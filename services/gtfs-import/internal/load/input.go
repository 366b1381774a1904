package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/audit"
	"github.com/townline/townline/services/gtfs-import/internal/check"
	"github.com/townline/townline/services/gtfs-import/internal/copier"
	"github.com/townline/townline/services/gtfs-import/internal/interned"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// Options of a load.
type Options struct {
	// Alias replaces a missing agency_id.
	Alias string
	// Name replaces a missing agency_name.
	Name string
	// Manual rows of the feed.
	Manual []Manual
	// Today is the day as of which the feed is judged.
	Today time.Time
	// Audit gets all findings. Required.
	Audit *audit.Log
	// Meanwhile is called once when the connection would be idle.
	Meanwhile func(context.Context) error
	// Progress is called now and then with the bytes of a file that have been read, from several
	// goroutines. May be nil.
	Progress func(file string, done, total int64)
}

// A Refusal is why a feed cannot be used at all.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return "the feed is refused: " + r.Reason }

// Stats of one file.
type Stats struct {
	File string
	// Bytes after expansion.
	Bytes int64
	// Read counts the rows of the file and manual ones, Kept those in the tables, Hidden those that a
	// manual row hides.
	Read, Kept, Hidden int64
	// Known is false for files of which rows are only counted.
	Known bool

	columns []string // of the file, and those that manual rows add
	stored  stored
	rows    int64  // of file_row
	skipped bool   // it cannot be read
	recoded bool   // it is in an encoding that other programs may not know
	manual  bool   // a manual row changes one of the file, or is added
	noted   []bool // by column: a first reading has checked the cells of all rows that are used; nil before it
}

// input is the feed that is read and the tables that are filled.
type input struct {
	Options
	feed  *gtfs.Feed
	stage *stage.Stage
	stats map[string]*Stats
	keys  map[string]*interned.Table // by file: the keys that other files refer to
	rows  map[string]int64           // by table: how many were copied
	check *check.Checks
}

func newInput(feed *gtfs.Feed, st *stage.Stage, opts Options) *input {
	l := &input{Options: opts, feed: feed, stage: st, stats: map[string]*Stats{}, keys: map[string]*interned.Table{},
		rows: map[string]int64{}}
	l.check = check.New(opts.Today, opts.Audit.Add)
	l.check.Files(feed.Has)
	for _, t := range gtfs.Tables() {
		l.stats[t.File] = &Stats{File: t.File, Known: true}
	}
	for _, f := range feed.Files() {
		_, known := gtfs.TableOf(f.Name)
		l.stats[f.Name] = &Stats{File: f.Name, Bytes: f.Bytes, Known: known}
		if !known && f.Name != locations {
			l.note(gtfs.FileUnknown, f.Name, 0, "", nil)
		}
	}
	return l
}

func (l *input) copy(ctx context.Context, table, columns string, write func(*copier.Writer) error) error {
	n, err := l.stage.Copy(ctx, table, columns, write)
	l.rows[table] = n
	return err
}

// count counts the rows of a file that is not otherwise read. One that has none is read as well:
// damage is not to be served in the zip.
func (l *input) count(ctx context.Context, s *Stats) error {
	read := l.countRows
	if !strings.HasSuffix(s.File, ".txt") {
		read = l.skim
	}
	err := read(ctx, s)
	if errors.Is(err, gtfs.ErrUnreadable) {
		l.unreadable(s)
		return nil
	}
	return err
}

func (l *input) countRows(ctx context.Context, s *Stats) error {
	r, err := l.feed.Reopen(s.File)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	for r.Next() {
		if s.Read++; s.Read%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return r.Err()
}

// skim reads a file for nothing but its checksum.
func (l *input) skim(ctx context.Context, s *Stats) error {
	src, err := l.feed.Raw(s.File)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	for err == nil && ctx.Err() == nil {
		_, err = io.CopyN(io.Discard, src, 1<<20)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return cmp.Or(err, ctx.Err())
}

func (l *input) note(code gtfs.Code, file string, line int, field string, value []byte) {
	l.Audit.Add(gtfs.Finding{Code: code, File: file, Line: line, Field: field, Value: value})
}

// maxTable bounds the memory of the ids of one kind, and of patterns and profiles. The feed of a
// country stays below half of it.
const maxTable = 256 << 20

// tooLarge refuses a feed with more of something than any feed can have.
func tooLarge(t *interned.Table, what string) error {
	if t == nil || t.Bytes() <= maxTable {
		return nil
	}
	return &Refusal{fmt.Sprintf("it has too many different %s: %d, and more to come", what, t.Len())}
}

// refuse returns why the feed cannot be used, if it has no ids.
func (l *input) refuse(ids *interned.Table, what, file string) error {
	switch {
	case ids.Len() > 0:
		return nil
	case !l.feed.Has(file):
		return &Refusal{fmt.Sprintf("it has no usable %s: there is no %s", what, file)}
	case l.stats[file].Read == 0:
		return &Refusal{fmt.Sprintf("it has no usable %s: %s has no rows", what, file)}
	}
	return &Refusal{fmt.Sprintf("it has no usable %s: none of the %d rows of %s can be used; the audit says why", what,
		l.stats[file].Read, file)}
}

// cellEnd ends cells in texts of several; no cell holds it.
const cellEnd = 0x1f

// bucket sorts what each adds into n lists by key. It calls each twice.
func bucket[T any](n int, each func(add func(key int32, v T))) [][]T {
	counts, total := make([]int32, n), 0
	each(func(key int32, _ T) { counts[key]++; total++ })
	lists, all := make([][]T, n), make([]T, total)
	for key, c := range counts {
		lists[key], all = all[:0:c], all[c:]
	}
	each(func(key int32, v T) { lists[key] = append(lists[key], v) })
	return lists
}
