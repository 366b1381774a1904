package load

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
)

// A ManualRow is a row of transit.manual_row.
type ManualRow struct {
	ID    int
	File  string
	Op    string // "add", "patch" or "hide"
	Key   map[string]string
	Cells map[string]string
}

// rows reads a file of the feed and applies its manual rows: a patch replaces cells, a hidden row
// is skipped, and an added row replaces the feed's row with the same key, or comes last.
type rows struct {
	l      *input
	def    gtfs.Table
	r      *gtfs.Reader // empty if the feed lacks the file
	absent bool         // the feed lacks the file
	col    []int        // by column of def: the column of r, or -1
	reread bool         // the first pass has noted the problems of the text
	stats  *Stats
	n      int64            // number of rows so far
	ids    *compact.Strings // the id of each row is added, up to maxTable; may be nil
	err    error
	// findings counts the findings of all rows so far.
	findings int

	overrides map[string]*override // keyed by row key; nil without manual rows
	toAdd     []*override
	override  *override // manual row for the current row, or nil
	keyBuf    []byte
}

// An override is a manual row. used is set if the feed has a row with its key, or if it was added.
type override struct {
	ManualRow
	used bool
}

// open opens a file for one pass; a second pass opens it again.
func (l *input) open(file string) (*rows, error) {
	def, known := gtfs.TableOf(file)
	if !known {
		def.File = file
	}
	x := &rows{l: l, def: def, stats: l.stats[file]}
	x.reread = x.stats.noted != nil
	for _, m := range l.Manual {
		if m.File != file || len(def.Key) == 0 {
			continue
		}
		if x.overrides == nil {
			x.overrides = map[string]*override{}
		}
		o := &override{ManualRow: m}
		x.overrides[string(x.keyOf(func(column int) []byte { return []byte(m.Key[def.Columns[column].Name]) }))] = o
		if m.Op == "add" {
			x.toAdd = append(x.toAdd, o)
		}
	}
	read := l.feed.Open
	if x.reread {
		read = l.feed.Reopen
	}
	var err error
	x.r, err = read(file)
	if errors.Is(err, fs.ErrNotExist) {
		x.absent = true
		x.r, err = gtfs.NewReader(file, strings.NewReader(""), 0, gtfs.Options{})
		if def.Required && !x.reread {
			l.note("missing_required_file", file, 0, "", nil)
		}
	}
	if err != nil {
		return nil, err
	}
	for _, c := range def.Columns {
		x.col = append(x.col, x.r.Column(c.Name))
	}
	if !x.reread {
		x.stats.noted = make([]bool, len(def.Columns))
		x.stats.columns = x.columns()
		x.stats.recoded = x.r.Recoded()
		x.checkColumns()
	}
	return x, nil
}

func (x *rows) checkColumns() {
	if len(x.r.Header()) == 0 {
		return
	}
	for _, name := range x.r.Header() {
		// A file that GTFS does not define has no known columns to compare with.
		if name != "" && len(x.def.Columns) > 0 && x.def.Column(strings.ToLower(name)) < 0 && !check.KnownColumn(name) {
			x.l.note("unknown_column", x.def.File, 1, name, nil)
		}
	}
	x.l.check.Columns(x.def, func(column string) bool { return x.r.Column(column) >= 0 })
}

func (x *rows) next(ctx context.Context) bool {
	x.override = nil
	for x.r.Next() {
		if !x.counts(ctx) {
			return false
		}
		if x.overrides == nil || x.findOverride() {
			return true
		}
	}
	if x.err = x.r.Err(); x.err != nil {
		return false
	}
	for len(x.toAdd) > 0 {
		o := x.toAdd[0]
		x.toAdd = x.toAdd[1:]
		if !o.used {
			x.n++
			x.override = o
			o.used = true
			x.stats.manual = true
			return true
		}
	}
	x.finish()
	return false
}

// counts counts a row, and reports whether to go on.
func (x *rows) counts(ctx context.Context) bool {
	x.n++
	return x.n&(1<<14-1) != 0 || x.progress(ctx)
}

func (x *rows) progress(ctx context.Context) bool {
	if x.err = cmp.Or(ctx.Err(), tooLarge(x.ids, "rows in "+x.def.File)); x.err != nil {
		return false
	}
	if total := x.stats.Bytes; x.l.Progress != nil && !x.reread {
		x.l.Progress(x.def.File, min(x.r.Read(), total), total)
	}
	return true
}

// finish reports manual rows whose row is not in the feed.
func (x *rows) finish() {
	if x.reread {
		return
	}
	x.stats.Read = x.n
	if x.l.Progress != nil && !x.absent {
		x.l.Progress(x.def.File, x.stats.Bytes, x.stats.Bytes)
	}
	for _, o := range x.overrides {
		if !o.used {
			x.l.note("manual_target_missing", x.def.File, 0, "", []byte("#"+strconv.Itoa(o.ID)))
		}
	}
	x.overrides = nil
}

// findOverride finds the manual row for the current row. It returns false if the current row is
// hidden.
func (x *rows) findOverride() bool {
	o := x.overrides[string(x.keyOf(func(column int) []byte { return x.r.Cell(x.col[column]) }))]
	if o == nil {
		return true
	}
	if o.Op == "add" && !x.reread && !o.used {
		x.note("manual_over_feed", -1, []byte("#"+strconv.Itoa(o.ID)))
	}
	o.used, x.stats.manual = true, true
	if o.Op == "hide" {
		if !x.reread {
			x.stats.Hidden++
		}
		return false
	}
	x.override = o
	return true
}

// keyOf joins the key cells of a row. Each cell is normalized and ended by a zero byte, so that
// equal keys have equal bytes. The result is valid until the next call.
func (x *rows) keyOf(cell func(column int) []byte) []byte {
	key := x.keyBuf[:0]
	for _, name := range x.def.Key {
		i := x.def.Column(name)
		c := cell(i)
		n, isInteger := gtfs.ParseUint(c)
		seconds, isTime := gtfs.ParseTime(c)
		kind := x.def.Columns[i].Type
		switch {
		case len(c) == 0 && name == "agency_id":
			key = append(key, x.l.Alias...)
		case kind == gtfs.Integer && isInteger:
			key = strconv.AppendInt(key, int64(n), 10)
		case kind == gtfs.Time && isTime:
			key = gtfs.AppendTime(key, seconds)
		default:
			key = append(key, bytes.TrimSpace(c)...)
		}
		key = append(key, 0)
	}
	x.keyBuf = key
	return key
}

// raw returns a cell of the feed or of a manual row, by its index in def.Columns.
func (x *rows) raw(i int) []byte {
	if x.override == nil {
		return x.r.Cell(x.col[i])
	}
	return x.named(x.def.Columns[i].Name, x.col[i])
}

// named returns the cell of a column, of the feed or a manual row, by its name and its index in the
// file.
func (x *rows) named(name string, i int) []byte {
	if x.override != nil {
		if v, ok := x.override.Cells[name]; ok {
			return []byte(v)
		}
		if x.override.Op == "add" {
			return []byte(x.override.Key[name])
		}
	}
	return x.r.Cell(i)
}

// cell is raw, but reports a value that the column's type does not allow, and empties it unless the
// type keeps such values.
func (x *rows) cell(i int) []byte {
	c := x.raw(i)
	if !x.reread {
		x.stats.noted[i] = true
	}
	column := &x.def.Columns[i]
	if len(c) == 0 || column.OK(c) {
		return c
	}
	kept := column.Type.Kept() || x.def.Unchanged()
	effect := gtfs.CellEmptied
	if kept {
		effect = gtfs.Noted
	}
	if !x.reread || !x.stats.noted[i] {
		x.noteAs(column.Type.Code(c), effect, i, c)
	}
	if !kept {
		return nil
	}
	return c
}

// reference is cell, but reports a reference to a missing row, and empties it.
func (x *rows) reference(i int) []byte {
	c := x.cell(i)
	if ids := x.l.keys[x.def.Columns[i].Ref]; ids != nil && len(c) > 0 && ids.Find(c) < 0 {
		x.noteAs("foreign_key_violation", gtfs.CellEmptied, i, c)
		return nil
	}
	return c
}

// resolve returns the number of the row to which a required cell refers. If the row is missing,
// resolve adds a finding and returns -1.
func (x *rows) resolve(i int, ids *compact.Strings) int32 {
	c := x.raw(i)
	if len(c) == 0 || !x.def.Columns[i].OK(c) {
		x.leaveOut(i, c)
		return -1
	}
	n := ids.Find(c)
	if n < 0 {
		x.note("foreign_key_violation", i, c)
	}
	return n
}

// line returns the line of the current row; 0 if a manual row added it.
func (x *rows) line() int {
	if x.override != nil && x.override.Op == "add" {
		return 0
	}
	return x.r.Line()
}

// note adds a finding about the current row to the audit; column -1 means the whole row.
func (x *rows) note(code gtfs.Code, column int, value []byte) { x.noteAs(code, "", column, value) }

func (x *rows) noteAs(code gtfs.Code, effect gtfs.Effect, column int, value []byte) {
	x.findings++
	field := ""
	if column >= 0 {
		field = x.def.Columns[column].Name
	}
	f := gtfs.Finding{Code: code, Effect: effect, File: x.def.File, Line: x.line(), Field: field, Value: value}
	if x.n > 0 && len(x.def.Key) > 0 { // otherwise the finding is about the header
		f.RowID = x.raw(x.def.Column(x.def.Key[0]))
	}
	x.l.Audit.Add(f)
}

// leaveOut reports that the current row is omitted because a required column has no valid value.
func (x *rows) leaveOut(column int, value []byte) {
	code := gtfs.Code("missing_required_field")
	if c := x.def.Columns[column]; len(value) > 0 && !c.OK(value) {
		code = c.Type.Code(value)
	}
	x.noteAs(code, gtfs.RowLeftOut, column, value)
}

// hasAll reports whether the cells of required columns are valid. If one is not, it adds a finding.
func (x *rows) hasAll(columns ...int) bool {
	for _, i := range columns {
		if c := x.raw(i); len(c) == 0 || !x.def.Columns[i].OK(c) {
			x.leaveOut(i, c)
			return false
		}
	}
	return true
}

// end closes the file and returns the read error.
func (x *rows) end() error {
	_ = x.r.Close()
	return x.err
}
