package load

import (
	"context"
	"strings"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/bitset"
	"github.com/townline/townline/services/gtfs-import/internal/copier"
	"github.com/townline/townline/services/gtfs-import/internal/interned"
)

// entities are the rows of a file that other rows refer to, numbered in file order.
type entities struct {
	ids      interned.Table
	accepted bitset.Set // rows of the file
}

// readEntities reads the ids of a file. take keeps what else is needed of the row that would get
// number n, or notes why it cannot be used, and reports false.
func (l *input) readEntities(ctx context.Context, file string, e *entities, take func(x *rows, n int32) bool) error {
	x, err := l.open(file)
	if err != nil {
		return err
	}
	l.keys[file], x.ids = &e.ids, &e.ids
	id := x.def.Column(x.def.Key[0])
	for x.next(ctx) {
		key := x.cell(id)
		if len(key) == 0 && file == "agency.txt" && len(x.raw(id)) == 0 {
			key = []byte(l.Alias)
		}
		if len(key) == 0 {
			x.unkeyed(id, nil)
			continue
		}
		if e.ids.Find(key) >= 0 {
			x.note(gtfs.KeyDuplicate, id, key)
			continue
		}
		if take(x, int32(e.ids.Len())) {
			e.ids.Add(key)
			e.accepted.Add(int(x.n))
			x.stats.Kept++
		}
	}
	return x.close()
}

// A form says what the row of an entity has besides the cells of its file.
type form struct {
	// Columns before and after those of the file.
	before, after string
	// head and tail write them. tail may be nil.
	head func(w *copier.Writer, n int32)
	tail func(w *copier.Writer, x *rows) error
	// cell returns a cell of the row.
	cell func(x *rows, i int, n int32) []byte
	// further returns the cells of an entity that is not in the file.
	further func(n int32) [][]byte
}

// copyEntities fills the table of a file that readEntities has read.
func (l *input) copyEntities(ctx context.Context, file string, e *entities, f form) error {
	x, err := l.open(file)
	if err != nil {
		return err
	}
	columns := f.before + ", " + strings.Join(x.def.Names(), ", ") + f.after
	err = l.copy(ctx, x.def.Name, columns, func(w *copier.Writer) error {
		n := int32(0)
		judge, cells := x.judge(), make([][]byte, len(x.def.Columns))
		for x.next(ctx) {
			if !e.accepted.Has(int(x.n)) {
				continue
			}
			f.head(w, n)
			for i := range x.def.Columns {
				cells[i] = f.cell(x, i, n)
				w.Text(cells[i])
			}
			if judge != nil {
				judge(x.line(), cells)
			}
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
			for _, c := range f.further(n) {
				w.Text(c)
			}
			if err := w.End(); err != nil {
				return err
			}
		}
		return x.err
	})
	_ = x.close()
	return err
}
