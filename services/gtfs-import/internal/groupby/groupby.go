// Package groupby groups the rows of each trip or shape in bounded memory; a file may have them in
// any order.
//
// Files are nearly always sorted, or nearly so; then a window of open groups is enough. A row whose
// group has left the window is late: its group is emitted again, complete. If the emitted rows can
// be restored, late rows are collected, and added to their groups when the memory for them is full.
// Otherwise the rows come from another read of the file, which completes as many groups as fit in
// memory.
package groupby

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/townline/townline/pkg/compact"
)

// A Row is one row of a group. The caller defines the meaning of A, B, C and the text.
type Row struct {
	// Seq orders and identifies the rows of a group.
	Seq     int32
	Line    int32 // of the file; 0 for a row after all of its rows
	A, B, C int32
	start   uint32
	end     uint32
}

const rowBytes = 28

// A Group has the rows of a key, ordered by Seq; rows with equal Seq stay in the order of addition.
type Group struct {
	Key  int32
	Rows []Row
	// Dropped counts rows beyond MaxRows.
	Dropped int

	lateFrom int32 // in another read: the line of the first row that the first read did not have here
	text     []byte
	sorted   bool
}

// Text returns the text of a row.
func (g *Group) Text(row *Row) []byte { return g.text[row.start:row.end] }

// IsNew reports whether the key was not emitted with this row before.
func (g *Group) IsNew(row *Row) bool { return row.Line >= g.lateFrom }

func (g *Group) add(row Row, text []byte) {
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

// MaxRows bounds a group. The longest real shapes have about ten thousand points.
const MaxRows = 200_000

const maxText = 16 << 20

// Limits bound the memory of a Grouper. A zero field means the default.
type Limits struct {
	// Groups is the number of open groups. The default, 512, is more than the trips of a route:
	// feeds that were merged have the rest of a trip after the others of its route.
	Groups int
	// Bytes bounds the open groups. Default 2 MiB.
	Bytes int
	// AgainBytes of late rows, or of the groups of another read. Default 32 MiB.
	AgainBytes int
}

// Restore calls add with the rows of a group as they were emitted. Their Line need not be set.
type Restore func(key int32, add func(row Row, text []byte))

// A Grouper accepts the rows of one read and emits groups. Keys are small numbers from 0.
type Grouper struct {
	emit     func(*Group) error
	limits   Limits
	only     map[int32]int32 // keys of another read, and lateFrom of their groups; nil in the first read
	late     map[int32]int32 // those of the next read
	restore  Restore
	window   []*Group // oldest first
	byKey    []*Group // nil if the key is not in the window
	free     []*Group
	size     int     // bytes in the window
	delayed  delayed // late rows, if groups can be restored
	order    []uint64
	unsorted []Row       // the rows of a group while it is sorted
	closed   compact.Set // keys that have left the window
	key      int32       // last opened key
	current  *Group      // group of that key; nil if its rows are not wanted
}

// New returns a Grouper that calls emit with each group. The group is valid only during the call.
// Without restore, late rows need another read.
func New(limits Limits, restore Restore, emit func(*Group) error) *Grouper {
	limits = Limits{cmp.Or(limits.Groups, 512), cmp.Or(limits.Bytes, 2<<20), cmp.Or(limits.AgainBytes, 32<<20)}
	return &Grouper{emit: emit, restore: restore, limits: limits, late: map[int32]int32{}}
}

// Again returns a Grouper for another read of the same rows; nil if no more is needed.
func (g *Grouper) Again() *Grouper {
	if len(g.late) == 0 {
		return nil
	}
	next := New(g.limits, nil, g.emit)
	next.only = g.late
	return next
}

// Keys returns the keys that another read emits again.
func (g *Grouper) Keys() iter.Seq[int32] { return maps.Keys(g.only) }

// Open selects the group to which Add adds rows.
func (g *Grouper) Open(key int32) error {
	if g.only != nil {
		g.postpone()
	}
	if int(key) >= len(g.byKey) {
		g.byKey = append(g.byKey, make([]*Group, max(int(key)+1-len(g.byKey), len(g.byKey)))...)
	}
	g.key, g.current = key, g.byKey[key]
	lateFrom, wanted := g.only[key]
	if g.current != nil || g.closed.Has(int(key)) || g.only != nil && !wanted {
		return nil
	}
	for g.only == nil && len(g.window) > 0 && (len(g.window) >= g.limits.Groups || g.size > g.limits.Bytes) {
		if err := g.emitOldest(); err != nil {
			return err
		}
	}
	group := &Group{}
	if n := len(g.free); n > 0 {
		group, g.free = g.free[n-1], g.free[:n-1]
	}
	*group = Group{Key: key, Rows: group.Rows[:0], lateFrom: lateFrom, text: group.text[:0], sorted: true}
	g.window = append(g.window, group)
	g.byKey[key] = group
	g.current = group
	return nil
}

// Wants reports whether this read needs the rows of the opened group.
func (g *Grouper) Wants() bool { return g.only == nil || g.current != nil }

// postpone leaves the newest groups to the next read while all do not fit in memory.
func (g *Grouper) postpone() {
	for g.size > g.limits.AgainBytes && len(g.window) > 1 {
		group := g.remove(len(g.window) - 1)
		g.late[group.Key] = group.lateFrom
		g.reuse(group)
	}
}

// Last returns the last row of the opened group; nil if it has none, or has left the window.
func (g *Grouper) Last() *Row {
	if g.current == nil || len(g.current.Rows) == 0 {
		return nil
	}
	return &g.current.Rows[len(g.current.Rows)-1]
}

// Add adds a row to the last opened group. It copies the text.
func (g *Grouper) Add(row Row, text []byte) error {
	switch {
	case g.current != nil:
		before := g.current.bytes()
		g.current.add(row, text)
		g.size += g.current.bytes() - before
	case g.restore != nil:
		return g.delay(row, text)
	case g.only == nil:
		if _, known := g.late[g.key]; !known {
			g.late[g.key] = cmp.Or(row.Line, math.MaxInt32)
		}
	}
	return nil
}

func (g *Grouper) delay(row Row, text []byte) error {
	g.delayed.add(g.key, row, text)
	if g.delayed.bytes < g.limits.AgainBytes {
		return nil
	}
	return g.addDelayed()
}

// addDelayed emits the groups of the late rows again.
func (g *Grouper) addDelayed() error {
	var late unpacked
	var order []uint64
	group := &Group{}
	for low := range g.delayed.buckets {
		late.unpack(&g.delayed.buckets[low], byte(low))
		order = inOrder(order, len(late.rows), func(i int) int32 { return late.keys[i] })
		for n := 0; n < len(order); {
			key := late.keys[order[n]]
			*group = Group{Key: key, Rows: group.Rows[:0], text: group.text[:0], sorted: true}
			g.restore(key, group.add)
			for ; n < len(order) && late.keys[order[n]] == key; n++ {
				row := late.rows[order[n]]
				group.add(row, late.text[row.start:row.end])
			}
			if err := g.emitGroup(group); err != nil {
				return err
			}
		}
	}
	g.delayed = delayed{}
	return nil
}

// remove removes a group from the window. Open does not open its key again.
func (g *Grouper) remove(i int) *Group {
	group := g.window[i]
	g.window = slices.Delete(g.window, i, i+1)
	g.byKey[group.Key] = nil
	g.size -= group.bytes()
	g.closed.Add(int(group.Key))
	return group
}

// reuse keeps the memory of a group, up to eight times a group's share.
func (g *Grouper) reuse(group *Group) {
	if cap(group.text)+rowBytes*cap(group.Rows) < 8*g.limits.Bytes/g.limits.Groups {
		g.free = append(g.free, group)
	}
}

func (g *Grouper) emitOldest() error {
	group := g.remove(0)
	if err := g.emitGroup(group); err != nil {
		return err
	}
	g.reuse(group)
	return nil
}

func (g *Grouper) emitGroup(group *Group) error {
	if !group.sorted {
		g.order = inOrder(g.order, len(group.Rows), func(i int) int32 { return group.Rows[i].Seq })
		g.unsorted = append(g.unsorted[:0], group.Rows...)
		for to, from := range g.order {
			group.Rows[to] = g.unsorted[from]
		}
	}
	return g.emit(group)
}

// Flush emits the open groups. Do not add rows afterwards.
func (g *Grouper) Flush() error {
	for len(g.window) > 0 {
		if err := g.emitOldest(); err != nil {
			return err
		}
	}
	g.free = nil
	err := g.addDelayed()
	g.byKey = nil
	return err
}
