package load

import (
	"context"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/copier"
	"github.com/townline/townline/services/gtfs-import/internal/interned"
)

// maxHeadway is a day. A time of day plus a longer one may not fit into an integer.
const maxHeadway = 24 * 60 * 60

// copyPlain fills the tables of plain files that have one.
func (l *loader) copyPlain(ctx context.Context) error {
	// Further conditions for a row.
	accept := map[string]func(*plainRows) bool{
		"calendar_dates.txt": l.acceptServiceDate, "frequencies.txt": acceptFrequency,
	}
	for _, t := range gtfs.Tables() {
		if !t.Plain || t.Unchanged() {
			continue
		}
		x, err := l.openPlain(t.File)
		if err != nil {
			return err
		}
		if len(t.Key) == 1 {
			l.keys[t.File] = &x.keys
		}
		err = l.copy(ctx, t.Name, "ord, "+strings.Join(t.Names(), ", "), func(w *copier.Writer) error {
			return x.copy(ctx, w, accept[t.File])
		})
		_ = x.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// plainRows are the rows of a plain file.
type plainRows struct {
	*rows
	needed, inKey []bool   // by column
	cells         [][]byte // of the current row, by column
	keys          interned.Table
}

func (l *input) openPlain(file string) (*plainRows, error) {
	r, err := l.open(file)
	if err != nil {
		return nil, err
	}
	x := &plainRows{rows: r, cells: make([][]byte, len(r.def.Columns))}
	for _, c := range r.def.Columns {
		x.needed = append(x.needed, slices.Contains(r.def.Needed, c.Name))
		x.inKey = append(x.inKey, slices.Contains(r.def.Key, c.Name))
	}
	return x, nil
}

func (x *plainRows) copy(ctx context.Context, w *copier.Writer, accept func(*plainRows) bool) error {
	judge := x.judge()
	for x.next(ctx) {
		if !x.complete() || !x.fresh() || accept != nil && !accept(x) {
			continue
		}
		w.Int(int(x.stats.Kept))
		x.stats.Kept++
		for i, c := range x.def.Columns {
			if !x.needed[i] && !x.inKey[i] {
				x.cells[i] = x.linked(i)
			}
			if seconds, ok := gtfs.ParseTime(x.cells[i]); ok && c.Kind == gtfs.Time {
				w.Int(seconds)
			} else {
				w.Text(x.cells[i])
			}
		}
		if judge != nil {
			judge(x.line(), x.cells)
		}
		if err := w.End(); err != nil {
			return err
		}
	}
	return x.err
}

// complete reads the cells that a row needs and those of its key. It reports false for a row
// without one of them, or that refers to a row that is not there.
func (x *plainRows) complete() bool {
	complete := true
	for i, c := range x.def.Columns {
		if !x.needed[i] && !x.inKey[i] {
			continue
		}
		if ids := x.l.keys[c.Ref]; ids != nil && (x.needed[i] || len(x.raw(i)) > 0) {
			if x.refer(i, ids) < 0 {
				return false
			}
			x.cells[i] = x.raw(i)
			continue
		}
		x.cells[i] = x.cell(i)
		complete = complete && (len(x.cells[i]) > 0 || !x.needed[i])
	}
	if !complete && !x.again {
		x.unkeyed(-1, nil)
	}
	return complete
}

// fresh reports false for a row whose key came before.
func (x *plainRows) fresh() bool {
	if len(x.def.Key) == 0 {
		return true
	}
	x.keyBuf = x.keyBuf[:0]
	for k, name := range x.def.Key {
		x.appendKey(k, x.cells[x.def.Column(name)])
	}
	key := x.keyBuf
	if len(x.def.Key) == 1 {
		key = key[:len(key)-1]
	}
	_, added := x.keys.Add(key)
	if !added {
		first := x.def.Column(x.def.Key[0])
		field := first
		if len(x.def.Key) > 1 && x.def.Columns[first].Ref == "" {
			field = -1 // the row as a whole
		}
		x.note(gtfs.KeyDuplicate, field, x.cells[first])
	}
	return added
}

// acceptFrequency reports false for a headway that is too long.
func acceptFrequency(x *plainRows) bool {
	i := x.def.Column("headway_secs")
	every, _ := gtfs.ParseUint(x.cells[i])
	if every > maxHeadway {
		x.note(gtfs.HeadwayTooLong, i, x.cells[i])
	}
	return every <= maxHeadway
}
