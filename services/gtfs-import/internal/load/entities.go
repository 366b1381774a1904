package load

import (
	"context"
	"strings"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// entities has the ids of a referenced file, numbered in file order.
type entities struct {
	ids      compact.Strings
	accepted compact.Set // indexes of the accepted rows in the file
}

// readEntities reads the ids of a file. accept stores the other data of row n. If the row is
// unusable, accept adds a finding and returns false.
func (l *input) readEntities(ctx context.Context, file string, e *entities, accept func(x *rows, n int32) bool) error {
	x, err := l.open(file)
	if err != nil {
		return err
	}
	l.keys[file], x.ids = &e.ids, &e.ids
	id := x.def.Column(x.def.Key[0])
	for x.next(ctx) {
		key := x.raw(id)
		if len(key) == 0 && file == "agency.txt" {
			key = []byte(l.Alias)
		}
		if len(key) == 0 || !x.def.Columns[id].OK(key) {
			x.leaveOut(id, key)
			continue
		}
		if e.ids.Find(key) >= 0 {
			x.note("duplicate_key", id, key)
			continue
		}
		if accept(x, int32(e.ids.Len())) {
			e.ids.Add(key)
			e.accepted.Add(int(x.n))
			x.stats.Kept++
		}
	}
	return x.end()
}

// A rowFormat describes the table columns that an entity's file lacks.
type rowFormat struct {
	// The table has the columns before, the file's columns, then the columns after. head and tail
	// write them; tail may be nil.
	before, after string
	head          func(w *stage.Writer, n int32)
	tail          func(w *stage.Writer, x *rows) error
	cell          func(x *rows, i int, n int32) []byte
	// derived returns the cells of an entity that is not in the file.
	derived func(n int32) [][]byte
}

func (l *input) copyEntities(ctx context.Context, file string, e *entities, f rowFormat) error {
	x, err := l.open(file)
	if err != nil {
		return err
	}
	columns := f.before + ", " + strings.Join(x.def.Names(), ", ") + f.after
	err = l.fill(ctx, x.def.Name, columns, func(w *stage.Writer) error {
		n := int32(0)
		check, cells := x.checker(true), make([][]byte, len(x.def.Columns))
		for x.next(ctx) {
			if !e.accepted.Has(int(x.n)) {
				continue
			}
			f.head(w, n)
			for i := range cells {
				cells[i] = f.cell(x, i, n)
				w.Text(cells[i])
			}
			check(x.line(), cells)
			if f.tail != nil {
				if err := f.tail(w, x); err != nil {
					return err
				}
			}
			if err := w.End(); err != nil {
				return err
			}
			n++
		}
		for ; x.err == nil && int(n) < e.ids.Len(); n++ {
			f.head(w, n)
			for _, c := range f.derived(n) {
				w.Text(c)
			}
			if err := w.End(); err != nil {
				return err
			}
		}
		return x.err
	})
	_ = x.end()
	return err
}
