// Package groupby groups the rows of each trip or shape in bounded memory; a file may have them in
// any order.
//
// Files are nearly always sorted, or nearly so; then a window of open groups is enough. A row whose
// group has left the window is late. Late rows are collected, and the caller adds them to their groups,
// which it has stored, when the memory for them is full.
package groupby

import (
	"cmp"

	"github.com/townline/townline/pkg/compact"
)

// A Row is one row of a group. The caller defines the meaning of A, B, C and the text.
type Row struct {
	// Seq orders and identifies the rows of a group.
	Seq     int32
	Line    int32 // of the file; 0 for a row after all of its rows, and for a stored one
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

	text   []byte
	sorted bool
}

// Text returns the text of a row.
func (g *Group) Text(row *Row) []byte { return g.text[row.start:row.end] }

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
	// LateBytes bounds the late rows. Default 32 MiB.
	LateBytes int
}

// growth is how many times larger the window may become than its limits, by late rows: then rows are
// mixed with those of more groups than usual.
const growth = 8

// A Grouper accepts rows and emits groups. Keys are small numbers from 0.
type Grouper struct {
	emit     func(*Group) error
	limits   Limits
	grown    int      // by how many times the window is larger than its limits
	window   []*Group // oldest first
	byKey    []*Group // nil if the key is not in the window
	free     []*Group
	size     int // bytes in the window
	late     lateRows
	order    []uint64
	unsorted []Row       // the rows of a group while it is sorted
	closed   compact.Set // keys that have left the window
	key      int32       // last opened key
	current  *Group      // group of that key; nil if its rows are late
}

// New returns a Grouper that calls emit with each group. The group is valid only during the call.
func New(limits Limits, emit func(*Group) error) *Grouper {
	limits = Limits{cmp.Or(limits.Groups, 512), cmp.Or(limits.Bytes, 2<<20), cmp.Or(limits.LateBytes, 32<<20)}
	return &Grouper{emit: emit, limits: limits, grown: 1}
}

// Open selects the group to which Add adds rows.
func (g *Grouper) Open(key int32) error {
	if int(key) >= len(g.byKey) {
		g.byKey = append(g.byKey, make([]*Group, max(int(key)+1-len(g.byKey), len(g.byKey)))...)
	}
	g.key, g.current = key, g.byKey[key]
	if g.current != nil || g.closed.Has(int(key)) {
		return nil
	}
	for len(g.window) > 0 && (len(g.window) >= g.grown*g.limits.Groups || g.size > g.grown*g.limits.Bytes) {
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

// Last returns the last row of the opened group; nil if it has none, or has left the window.
func (g *Grouper) Last() *Row {
	if g.current == nil || len(g.current.Rows) == 0 {
		return nil
	}
	return &g.current.Rows[len(g.current.Rows)-1]
}

// Add adds a row to the last opened group. It copies the text.
func (g *Grouper) Add(row Row, text []byte) {
	if g.current == nil {
		g.late.add(g.key, row, text)
		g.grown = min(2*g.grown, growth)
		return
	}
	before := g.current.bytes()
	g.current.add(row, text)
	g.size += g.current.bytes() - before
}

// reuse keeps the memory of a group, up to eight times a group's share.
func (g *Grouper) reuse(group *Group) {
	if cap(group.text)+rowBytes*cap(group.Rows) < 8*g.limits.Bytes/g.limits.Groups {
		g.free = append(g.free, group)
	}
}

func (g *Grouper) emitOldest() error {
	group := g.window[0]
	g.window = g.window[1:]
	g.byKey[group.Key] = nil
	g.size -= group.bytes()
	g.closed.Add(int(group.Key))
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

// Flush emits the open groups. Do not add rows afterwards. Late rows remain for [Grouper.Late].
func (g *Grouper) Flush() error {
	for len(g.window) > 0 {
		if err := g.emitOldest(); err != nil {
			return err
		}
	}
	g.window = nil
	g.free = nil
	g.byKey = nil
	return nil
}
