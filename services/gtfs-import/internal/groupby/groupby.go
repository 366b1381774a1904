// Package groupby groups the rows of each trip or shape in bounded memory; a file may have them in
// any order.
//
// Files are nearly always sorted, or nearly so; then a window of open groups is enough. A row whose
// group has left the window is late. Late rows wait in memory, above a limit in a temporary file,
// and are emitted at the end.
package groupby

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/townline/townline/services/gtfs-import/internal/compact"
)

// A Row of a group. The caller defines A, B, C and the text.
type Row struct {
	// Seq orders the rows of a group, and identifies them.
	Seq     int32
	Line    int32
	A, B, C int32
	start   uint32
	end     uint32
}

const rowBytes = 28

// A Group has the rows of a key in order of Seq, equal ones in the order of addition.
type Group struct {
	Key int32
	// Late means that rows of this key have been emitted before.
	Late bool
	Rows []Row
	// Dropped counts rows above MaxRows.
	Dropped int

	text   []byte
	sorted bool
}

// Text returns the text of a row.
func (g *Group) Text(row *Row) []byte { return g.text[row.start:row.end] }

// Add adds a row and a copy of its text, up to MaxRows.
func (g *Group) Add(row Row, text []byte) {
	if len(g.Rows) >= MaxRows || len(g.text) >= maxText {
		g.Dropped++
		return
	}
	if n := len(g.Rows); n > 0 && g.Rows[n-1].Seq >= row.Seq {
		g.sorted = false
	}
	row.start = uint32(len(g.text))
	g.text = append(g.text, text...)
	row.end = uint32(len(g.text))
	g.Rows = append(g.Rows, row)
}

func (g *Group) bytes() int { return len(g.text) + rowBytes*len(g.Rows) }

// Sort sorts rows that were added by Add.
func (g *Group) Sort() {
	if !g.sorted {
		slices.SortStableFunc(g.Rows, func(a, b Row) int { return int(a.Seq) - int(b.Seq) })
		g.sorted = true
	}
}

// MaxRows bounds a group. The longest real shapes have about ten thousand points.
const MaxRows = 200_000

const maxText = 16 << 20

// Limits bound the memory of a Grouper. A zero field means the default.
type Limits struct {
	// Groups is the number of open groups. Default 64.
	Groups int
	// Bytes of the open groups. Default 2 MiB.
	Bytes int
	// LateBytes of late rows in memory. Default 4 MiB.
	LateBytes int
}

// A Grouper accepts rows and emits groups. Keys are small numbers from 0.
type Grouper struct {
	emit    func(*Group) error
	limits  Limits
	window  []*Group // oldest first
	byKey   map[int32]*Group
	free    []*Group
	size    int         // bytes in the window
	emitted compact.Set // keys
	key     int32       // last opened key
	current *Group      // group of that key; nil if its rows are late
	late    late
}

// New returns a Grouper that calls emit with each group. The argument is valid only during the
// call.
func New(limits Limits, emit func(*Group) error) *Grouper {
	limits = Limits{cmp.Or(limits.Groups, 64), cmp.Or(limits.Bytes, 2<<20), cmp.Or(limits.LateBytes, 4<<20)}
	return &Grouper{emit: emit, limits: limits, byKey: map[int32]*Group{}}
}

// Close drops the remaining rows and the temporary file.
func (g *Grouper) Close() { g.late.discard() }

// Open selects the group for Add.
func (g *Grouper) Open(key int32) error {
	g.key = key
	if g.emitted.Has(int(key)) {
		g.current = nil
		return nil
	}
	g.current = g.byKey[key]
	if g.current != nil {
		return nil
	}
	for len(g.window) > 0 && (len(g.window) >= g.limits.Groups || g.size > g.limits.Bytes) {
		if err := g.emitOldest(); err != nil {
			return err
		}
	}
	group := &Group{}
	if n := len(g.free); n > 0 {
		group, g.free = g.free[n-1], g.free[:n-1]
	}
	*group = Group{Key: key, Rows: group.Rows[:0], text: group.text[:0], sorted: true}
	g.window = append(g.window, group)
	g.byKey[key] = group
	g.current = group
	return nil
}

// Add adds a row to the last opened group. It copies the text.
func (g *Grouper) Add(row Row, text []byte) error {
	if g.current == nil {
		return g.late.add(g.key, row, text, g.limits.LateBytes)
	}
	before := g.current.bytes()
	g.current.Add(row, text)
	g.size += g.current.bytes() - before
	return nil
}

func (g *Grouper) emitOldest() error {
	group := g.window[0]
	g.window = slices.Delete(g.window, 0, 1)
	delete(g.byKey, group.Key)
	g.size -= group.bytes()
	g.emitted.Add(int(group.Key))
	group.Sort()
	if err := g.emit(group); err != nil {
		return err
	}
	if cap(group.text) < 256<<10 {
		g.free = append(g.free, group)
	}
	return nil
}

// Flush emits the open groups. Do not add rows afterwards; late ones stay.
func (g *Grouper) Flush() error {
	for len(g.window) > 0 {
		if err := g.emitOldest(); err != nil {
			return err
		}
	}
	g.free, g.byKey = nil, nil
	return nil
}

// HasLate reports whether there are late rows.
func (g *Grouper) HasLate() bool { return len(g.late.rows) > 0 || len(g.late.runs) > 0 }

// EmitLate emits the late rows in order of their keys.
func (g *Grouper) EmitLate() error {
	if err := g.late.each(g.emit); err != nil {
		return fmt.Errorf("group late rows: %w", err)
	}
	return nil
}
