package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/services/gtfs-import/internal/audit"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// Options configure a load.
type Options struct {
	// Alias replaces a missing agency_id, and Name a missing agency_name.
	Alias, Name string
	Manual      []ManualRow
	Today       time.Time
	Audit       *audit.Log
	// Meanwhile is called once while the connection is idle.
	Meanwhile func(context.Context) error
	// Progress is called repeatedly, from several goroutines, with the number of bytes read from a
	// file. It may be nil.
	Progress func(file string, done, total int64)
}

// A Refusal is the error for an unusable feed.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return "the feed is refused: " + r.Reason }

// Stats counts the rows of one file.
type Stats struct {
	File  string
	Bytes int64
	// Read counts the rows of the file and its manual rows, Kept the rows in the tables, and Hidden
	// the rows that a manual row hides.
	Read, Kept, Hidden int64
	// Known is false for files that GTFS does not define. Their rows are only counted.
	Known bool

	columns []string // columns of the file and of manual rows
	stored  stored
	rows    int64  // number of rows in file_row
	skipped bool   // the file is unreadable
	recoded bool   // its encoding was not UTF-8, so other programs may not be able to read it
	manual  bool   // manual rows change or add rows
	noted   []bool // by column: all cells were checked in the first pass; nil before it
}

type input struct {
	Options
	feed  *gtfs.Feed
	stage *stage.Stage
	stats map[string]*Stats           // keyed by file
	keys  map[string]*compact.Strings // keyed by file, if other files refer to its keys
	rows  map[string]int64            // number of copied rows by table
	check *check.Checker
}

func newInput(feed *gtfs.Feed, st *stage.Stage, opts Options) *input {
	l := &input{Options: opts, feed: feed, stage: st, stats: map[string]*Stats{}, keys: map[string]*compact.Strings{},
		rows: map[string]int64{}}
	for _, t := range gtfs.Tables() {
		l.stats[t.File] = &Stats{File: t.File, Known: true}
	}
	for _, f := range feed.Files() {
		_, known := gtfs.TableOf(f.Name)
		l.stats[f.Name] = &Stats{File: f.Name, Bytes: f.Bytes, Known: known}
		if !known && f.Name != locations {
			l.note("unknown_file", f.Name, 0, "", nil)
		}
	}
	return l
}

func (l *input) fill(ctx context.Context, table, columns string, write func(*stage.Writer) error) error {
	n, err := l.stage.Copy(ctx, table, columns, write)
	l.rows[table] = n
	return err
}

// count counts the rows of a file that no other step reads. It also reads a file without rows, so
// that a damaged file is not served in the zip.
func (l *input) count(ctx context.Context, s *Stats) error {
	read := l.countRows
	if !strings.HasSuffix(s.File, ".txt") {
		read = l.verify
	}
	err := read(ctx, s)
	if errors.Is(err, gtfs.ErrUnreadable) {
		l.skip(s)
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

// verify reads a file only to check its checksum.
func (l *input) verify(ctx context.Context, s *Stats) error {
	src, err := l.feed.Raw(s.File)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	for ctx.Err() == nil {
		_, err = io.CopyN(io.Discard, src, 1<<20)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (l *input) note(code gtfs.Code, file string, line int, field string, value []byte) {
	l.Audit.Add(gtfs.Finding{Code: code, File: file, Line: line, Field: field, Value: value})
}

// maxTable bounds the memory in bytes for the ids of one file, and for patterns and profiles. The
// feed of a country needs less than half of it.
const maxTable = 256 << 20

// tooLarge returns a Refusal if the strings exceed maxTable.
func tooLarge(t *compact.Strings, what string) error {
	if t == nil || t.Bytes() <= maxTable {
		return nil
	}
	return &Refusal{fmt.Sprintf("it has too many different %s: %d, and more to come", what, t.Len())}
}

func (l *input) requireIDs(ids *compact.Strings, what, file string) error {
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

// cellEnd ends each cell in a text of several cells. Cells never contain it.
const cellEnd = 0x1f

// groupByKey groups the values of each by keys below n, in one allocation. It calls each twice.
func groupByKey[T any](n int, each func(add func(key int32, v T))) [][]T {
	counts, total := make([]int32, n), 0
	each(func(key int32, _ T) { counts[key]++; total++ })
	lists, all := make([][]T, n), make([]T, total)
	for key, c := range counts {
		lists[key], all = all[:0:c], all[c:]
	}
	each(func(key int32, v T) { lists[key] = append(lists[key], v) })
	return lists
}
