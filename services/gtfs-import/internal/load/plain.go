package load

import (
	"context"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// maxHeadway is one day. The sum of a time of day and a longer headway may overflow an integer.
const maxHeadway = 24 * 60 * 60

// copyPlain fills the tables of the files that only need their entry in pkg/gtfs.
func (l *loader) copyPlain(ctx context.Context) error {
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
		err = l.fill(ctx, t.Name, "ord, "+strings.Join(t.Names(), ", "), func(w *stage.Writer) error {
			return x.fill(ctx, w, accept[t.File])
		})
		_ = x.end()
		if err != nil {
			return err
		}
	}
	return nil
}

type plainRows struct {
	*rows
	needed, inKey []bool   // by column
	cells         [][]byte // of the current row, by column
	keys          compact.Strings
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

func (x *plainRows) fill(ctx context.Context, w *stage.Writer, accept func(*plainRows) bool) error {
	check := x.checker(true)
	for x.next(ctx) {
		if !x.hasNeeded() || !x.hasNewKey() || accept != nil && !accept(x) {
			continue
		}
		w.Int(int(x.stats.Kept))
		x.stats.Kept++
		for i, c := range x.def.Columns {
			if !x.needed[i] && !x.inKey[i] {
				x.cells[i] = x.reference(i)
			}
			if seconds, ok := gtfs.ParseTime(x.cells[i]); ok && c.Type == gtfs.Time {
				w.Int(seconds)
			} else {
				w.Text(x.cells[i])
			}
		}
		check(x.line(), x.cells)
		if err := w.End(); err != nil {
			return err
		}
	}
	return x.err
}

// hasNeeded reads the cells of required and key columns. If a required cell is empty or refers to a
// missing row, hasNeeded adds a finding and returns false.
func (x *plainRows) hasNeeded() bool {
	for i, c := range x.def.Columns {
		if !x.needed[i] && !x.inKey[i] {
			continue
		}
		if ids := x.l.keys[c.Ref]; ids != nil && (x.needed[i] || len(x.raw(i)) > 0) {
			if x.resolve(i, ids) < 0 {
				return false
			}
			x.cells[i] = x.raw(i)
			continue
		}
		raw := x.raw(i)
		if !x.needed[i] || len(raw) > 0 && c.OK(raw) {
			x.cells[i] = x.cell(i)
			continue
		}
		if !x.reread {
			x.leaveOut(i, raw)
		}
		return false
	}
	return true
}

// hasNewKey adds a finding and returns false if an earlier row has the same key.
func (x *plainRows) hasNewKey() bool {
	if len(x.def.Key) == 0 {
		return true
	}
	key := x.keyOf(func(column int) []byte { return x.cells[column] })
	if len(x.def.Key) == 1 {
		key = key[:len(key)-1] // without its end, as other files refer to it
	}
	_, added := x.keys.Add(key)
	if !added {
		first := x.def.Column(x.def.Key[0])
		field := first
		if len(x.def.Key) > 1 && x.def.Columns[first].Ref == "" {
			field = -1
		}
		x.note("duplicate_key", field, x.cells[first])
	}
	return added
}

func acceptFrequency(x *plainRows) bool {
	i := x.def.Column("headway_secs")
	seconds, _ := gtfs.ParseUint(x.cells[i])
	if seconds > maxHeadway {
		x.note("headway_too_long", i, x.cells[i])
	}
	return seconds <= maxHeadway
}
