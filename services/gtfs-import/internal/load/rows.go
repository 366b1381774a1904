package load

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/check"
	"github.com/townline/townline/services/gtfs-import/internal/interned"
)

// A Manual is a row of transit.manual_row.
type Manual struct {
	ID    int
	File  string
	Op    string // add, patch or hide
	Key   map[string]string
	Cells map[string]string
}

// rows reads a file of the feed with the manual rows laid over it. Patched rows have the patch,
// hidden ones are skipped, added ones come last or replace the feed's row with the same key.
type rows struct {
	l     *input
	def   gtfs.Table
	r     *gtfs.Reader // empty when the feed does not have the file
	none  bool         // the feed does not have it
	col   []int        // column of def → column of r
	again bool         // a second reading: the first one noted what is wrong with the text
	stats *Stats
	n     int64           // rows so far
	ids   *interned.Table // what the rows fill; nil for nothing that grows
	err   error

	manual map[string]*overlay // by key; nil when there are none
	adding []*overlay          // those to be added at the end
	now    *overlay            // what lies over the current row
	keyBuf []byte
}

// overlay is a manual row, and whether a row of the feed has its key.
type overlay struct {
	Manual
	used bool
}

// open starts reading a file, for the first time or again. A file that the feed lacks has only
// manual rows.
func (l *input) open(file string) (*rows, error) {
	def, known := gtfs.TableOf(file)
	if !known {
		def.File = file
	}
	x := &rows{l: l, def: def, stats: l.stats[file]}
	x.again = x.stats.noted != nil
	for _, m := range l.Manual {
		if m.File != file || len(def.Key) == 0 {
			continue
		}
		if x.manual == nil {
			x.manual = map[string]*overlay{}
		}
		o := &overlay{Manual: m}
		x.keyBuf = x.keyBuf[:0]
		for k, name := range def.Key {
			x.appendKey(k, []byte(m.Key[name]))
		}
		x.manual[string(x.keyBuf)] = o
		if m.Op == "add" {
			x.adding = append(x.adding, o)
		}
	}
	read := l.feed.Open
	if x.again {
		read = l.feed.Reopen
	}
	var err error
	x.r, err = read(file)
	if errors.Is(err, fs.ErrNotExist) {
		x.none = true
		x.r, err = gtfs.NewReader(file, strings.NewReader(""), 0, gtfs.Options{})
		if def.Required && !x.again {
			l.note(gtfs.FileMissing, file, 0, "", nil)
		}
	}
	if err != nil {
		return nil, err
	}
	for _, c := range def.Columns {
		x.col = append(x.col, x.r.Column(c.Name))
	}
	if !x.again {
		x.stats.noted = make([]bool, len(def.Columns))
		x.stats.columns = x.columnsOf()
		x.stats.recoded = x.r.Recoded()
		x.checkColumns()
	}
	return x, nil
}

// checkColumns notes columns that the standard does not have, and missing key columns, except those
// that may be empty, as agency_id.
func (x *rows) checkColumns() {
	if len(x.r.Header()) == 0 {
		return
	}
	for _, name := range x.r.Header() {
		// Of files that the standard does not have no columns are known.
		if name != "" && len(x.def.Columns) > 0 && x.def.Column(strings.ToLower(name)) < 0 && !check.KnownColumn(name) {
			x.l.note(gtfs.ColumnUnknown, x.def.File, 1, name, nil)
		}
	}
	for _, k := range x.def.Key {
		i := x.def.Column(k)
		if x.col[i] < 0 && k != "agency_id" && (!x.def.Plain || slices.Contains(x.def.Needed, k)) {
			x.note(gtfs.ColumnMissing, i, nil)
		}
	}
}

// next moves to the next row.
func (x *rows) next(ctx context.Context) bool {
	x.now = nil
	for x.r.Next() {
		if x.n++; x.n&(1<<14-1) == 0 && !x.report(ctx) {
			return false
		}
		if x.manual == nil || x.findOverlay() {
			return true
		}
	}
	if x.err = x.r.Err(); x.err != nil {
		return false
	}
	for len(x.adding) > 0 {
		o := x.adding[0]
		x.adding = x.adding[1:]
		if !o.used {
			x.n++
			x.now, o.used, x.stats.manual = o, true, true
			return true
		}
	}
	x.finish()
	return false
}

func (x *rows) report(ctx context.Context) bool {
	if x.err = cmp.Or(ctx.Err(), tooLarge(x.ids, "rows in "+x.def.File)); x.err != nil {
		return false
	}
	if total := x.stats.Bytes; x.l.Progress != nil && !x.again {
		x.l.Progress(x.def.File, min(x.r.Read(), total), total)
	}
	return true
}

// finish notes manual rows whose row is not in the feed.
func (x *rows) finish() {
	if x.again {
		return
	}
	x.stats.Read = x.n
	if x.l.Progress != nil && !x.none {
		x.l.Progress(x.def.File, x.stats.Bytes, x.stats.Bytes)
	}
	for _, o := range x.manual {
		if !o.used {
			x.l.note(gtfs.ManualTargetMissing, x.def.File, 0, "", []byte("manual row "+strconv.Itoa(o.ID)))
		}
	}
	x.manual = nil
}

// findOverlay finds the manual row for the current one. It reports false if that hides it.
func (x *rows) findOverlay() bool {
	x.keyBuf = x.keyBuf[:0]
	for k, name := range x.def.Key {
		x.appendKey(k, x.r.Cell(x.col[x.def.Column(name)]))
	}
	o := x.manual[string(x.keyBuf)]
	if o == nil {
		return true
	}
	if o.Op == "add" && !x.again && !o.used {
		x.note(gtfs.ManualOverFeed, -1, []byte("manual row "+strconv.Itoa(o.ID)))
	}
	o.used, x.stats.manual = true, true
	if o.Op == "hide" {
		if !x.again {
			x.stats.Hidden++
		}
		return false
	}
	x.now = o
	return true
}

// appendKey adds a cell to the key in keyBuf in normal form, so that equal keys are equal bytes.
func (x *rows) appendKey(k int, cell []byte) {
	c := x.def.Columns[x.def.Column(x.def.Key[k])]
	n, ok := gtfs.ParseUint(cell)
	switch {
	case len(cell) == 0 && c.Name == "agency_id":
		cell = []byte(x.l.Alias)
	case c.Kind == gtfs.Integer && ok:
		x.keyBuf = append(strconv.AppendInt(x.keyBuf, int64(n), 10), 0)
		return
	case c.Kind == gtfs.Time:
		if s, ok := gtfs.ParseTime(cell); ok {
			x.keyBuf = append(gtfs.AppendTime(x.keyBuf, s), 0)
			return
		}
	}
	x.keyBuf = append(append(x.keyBuf, bytes.TrimSpace(cell)...), 0)
}

// raw returns a cell, by its index in def.Columns, as the feed or a manual row has it.
func (x *rows) raw(i int) []byte {
	if x.now == nil {
		return x.r.Cell(x.col[i])
	}
	return x.merged(x.def.Columns[i].Name, x.col[i])
}

// merged returns the cell of a column, by its name and its index in the file, of a row that a
// manual row may change.
func (x *rows) merged(name string, at int) []byte {
	if x.now != nil {
		if v, ok := x.now.Cells[name]; ok {
			return []byte(v)
		}
		if x.now.Op == "add" {
			return []byte(x.now.Key[name])
		}
	}
	return x.r.Cell(at)
}

// cell is raw, but a value that the column's kind does not allow is noted, and emptied unless the
// kind keeps it.
func (x *rows) cell(i int) []byte {
	c := x.raw(i)
	if !x.again {
		x.stats.noted[i] = true
	}
	if k := x.def.Columns[i].Kind; len(c) > 0 && !k.OK(c) {
		if !x.again || !x.stats.noted[i] {
			effect := gtfs.CellEmptied
			if k.Kept() {
				effect = gtfs.Noted
			}
			x.noteAs(k.Code(c), effect, i, c)
		}
		if !k.Kept() {
			return nil
		}
	}
	return c
}

// linked is cell, noted and emptied if it refers to a row that is not there.
func (x *rows) linked(i int) []byte {
	c := x.cell(i)
	if ids := x.l.keys[x.def.Columns[i].Ref]; ids != nil && len(c) > 0 && ids.Find(c) < 0 {
		x.noteAs(gtfs.ForeignKey, gtfs.CellEmptied, i, c)
		return nil
	}
	return c
}

// refer resolves a cell that must refer to something in ids; -1 if it does not, which
// is noted.
func (x *rows) refer(i int, ids *interned.Table) int32 {
	c := x.cell(i)
	if len(c) == 0 {
		x.noteAs(gtfs.FieldMissing, gtfs.RowLeftOut, i, nil)
		return -1
	}
	n := ids.Find(c)
	if n < 0 {
		x.note(gtfs.ForeignKey, i, c)
	}
	return n
}

// line of the current row; 0 for a manual one.
func (x *rows) line() int {
	if x.now != nil && x.now.Op == "add" {
		return 0
	}
	return x.r.Line()
}

// note notes a finding at the current row; column -1 means the row as a whole.
func (x *rows) note(code gtfs.Code, column int, value []byte) { x.noteAs(code, "", column, value) }

// noteAs is note with an effect that is not the rule's.
func (x *rows) noteAs(code gtfs.Code, effect gtfs.Effect, column int, value []byte) {
	field := ""
	if column >= 0 {
		field = x.def.Columns[column].Name
	}
	x.l.Audit.Add(gtfs.Finding{Code: code, Effect: effect, File: x.def.File, Line: x.line(), Field: field, Value: value})
}

// unkeyed notes that the current row is left out, because it has no usable value in a column that
// it needs.
func (x *rows) unkeyed(column int, value []byte) {
	x.noteAs(gtfs.FieldMissing, gtfs.RowLeftOut, column, value)
}

// close ends the reading and returns what stopped it, if anything did.
func (x *rows) close() error {
	_ = x.r.Close()
	return x.err
}
