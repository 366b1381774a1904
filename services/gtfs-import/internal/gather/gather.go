// Package gather groups the rows of each trip or shape, which a file may hold in any order, in
// bounded memory.
//
// Files are nearly always sorted, or nearly so: then a window of open groups is enough. A row for a
// group that has left the window is late. Late rows wait in memory, beyond a bound in a temporary
// file, and are emitted at the end.
package gather

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/townline/townline/services/gtfs-import/internal/bitset"
)

// A Row of a group. A, B, C and the text added with it are the caller's.
type Row struct {
	// Seq orders the rows of a group, and identifies them.
	Seq int32
	// Line of the file, for the audit.
	Line    int32
	A, B, C int32
	start   uint32
	end     uint32
}

const rowBytes = 28

// Rows are those of one group in order of Seq; equal ones in the order in which they were added.
type Rows struct {
	Group int32
	// Late reports that rows of this group have been emitted before.
	Late bool
	Rows []Row
	// Surplus counts rows beyond MaxRows, which were dropped.
	Surplus int

	text   []byte
	sorted bool
}

// Text returns what was added with a row.
func (r *Rows) Text(row *Row) []byte { return r.text[row.start:row.end] }

// Add adds a row and a copy of its text, up to MaxRows.
func (r *Rows) Add(row Row, text []byte) {
	if len(r.Rows) >= MaxRows || len(r.text) >= maxText {
		r.Surplus++
		return
	}
	if n := len(r.Rows); n > 0 && r.Rows[n-1].Seq >= row.Seq {
		r.sorted = false
	}
	row.start = uint32(len(r.text))
	r.text = append(r.text, text...)
	row.end = uint32(len(r.text))
	r.Rows = append(r.Rows, row)
}

func (r *Rows) bytes() int { return len(r.text) + rowBytes*len(r.Rows) }

// Sort orders rows that were added by Add.
func (r *Rows) Sort() {
	if !r.sorted {
		slices.SortStableFunc(r.Rows, func(a, b Row) int { return int(a.Seq) - int(b.Seq) })
		r.sorted = true
	}
}

// MaxRows of one group are kept. The longest real shapes have some ten thousand points.
const MaxRows = 200_000

// maxText is how many bytes of text of one group are kept, but for the last row.
const maxText = 16 << 20

// Limits bound the memory of a Gatherer. A zero field means the default.
type Limits struct {
	// Groups open at the same time. Default 64.
	Groups int
	// Bytes of the open groups. Default 2 MiB.
	Bytes int
	// LateBytes of late rows that are kept in memory. Default 4 MiB.
	LateBytes int
}

// A Gatherer takes rows and emits groups, which the caller numbers from 0.
type Gatherer struct {
	emit    func(*Rows) error
	limits  Limits
	open    []*Rows         // the window, oldest first
	of      map[int32]*Rows // the same by group
	free    []*Rows
	size    int        // bytes in the window
	emitted bitset.Set // groups
	group   int32      // opened last
	cur     *Rows      // its rows; nil: it is late
	late    late
}

// New returns a Gatherer that calls emit with each group. The argument is valid only during the
// call.
func New(limits Limits, emit func(*Rows) error) *Gatherer {
	limits = Limits{cmp.Or(limits.Groups, 64), cmp.Or(limits.Bytes, 2<<20), cmp.Or(limits.LateBytes, 4<<20)}
	return &Gatherer{emit: emit, limits: limits, of: map[int32]*Rows{}}
}

// Close drops what has not been emitted, and the temporary file.
func (g *Gatherer) Close() { g.late.close() }

// Open selects the group that Add adds to.
func (g *Gatherer) Open(group int32) error {
	g.group = group
	if g.emitted.Has(int(group)) {
		g.cur = nil
		return nil
	}
	g.cur = g.of[group]
	if g.cur != nil {
		return nil
	}
	for len(g.open) > 0 && (len(g.open) >= g.limits.Groups || g.size > g.limits.Bytes) {
		if err := g.emitOldest(); err != nil {
			return err
		}
	}
	var r *Rows
	if n := len(g.free); n > 0 {
		r = g.free[n-1]
		g.free = g.free[:n-1]
	} else {
		r = &Rows{}
	}
	*r = Rows{Group: group, Rows: r.Rows[:0], text: r.text[:0], sorted: true}
	g.open = append(g.open, r)
	g.of[group] = r
	g.cur = r
	return nil
}

// Add adds a row to the group that was opened last. The text is copied.
func (g *Gatherer) Add(row Row, text []byte) error {
	if g.cur == nil {
		return g.late.add(g.group, row, text, g.limits.LateBytes)
	}
	before := g.cur.bytes()
	g.cur.Add(row, text)
	g.size += g.cur.bytes() - before
	return nil
}

func (g *Gatherer) emitOldest() error {
	r := g.open[0]
	g.open = append(g.open[:0], g.open[1:]...)
	delete(g.of, r.Group)
	g.size -= r.bytes()
	g.emitted.Add(int(r.Group))
	r.Sort()
	if err := g.emit(r); err != nil {
		return err
	}
	if cap(r.text) < 256<<10 {
		g.free = append(g.free, r)
	}
	return nil
}

// Flush emits the open groups. No more rows may be added; late ones stay.
func (g *Gatherer) Flush() error {
	for len(g.open) > 0 {
		if err := g.emitOldest(); err != nil {
			return err
		}
	}
	g.free, g.of = nil, nil
	return nil
}

// HasLate reports whether there are late rows.
func (g *Gatherer) HasLate() bool { return len(g.late.rows) > 0 || len(g.late.runs) > 0 }

// Late emits the late rows by group, in order of the groups.
func (g *Gatherer) Late() error {
	if err := g.late.each(g.emit); err != nil {
		return fmt.Errorf("gather late rows: %w", err)
	}
	return nil
}
