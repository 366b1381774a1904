package groupby

import (
	"encoding/binary"
	"iter"
	"slices"
)

// lateRows are the rows whose groups have left the window. A row takes about a dozen bytes, so that
// the late rows of a large file fit in memory together. Their keys are spread over buckets, and only
// one bucket is put in order at a time.
type lateRows struct {
	buckets [256]bucket
	bytes   int
}

// A bucket has the rows of the keys with the same low byte, as uvarints and the text. A row does not
// cross chunks.
type bucket struct {
	chunks [][]byte
	line   int32 // of the last row
}

const (
	lateChunk = 4 << 10
	// maxHead bounds the seven numbers before the text of a late row.
	maxHead = 7 * binary.MaxVarintLen32
)

func (d *lateRows) add(key int32, row Row, text []byte) {
	b := &d.buckets[byte(key)]
	last := len(b.chunks) - 1
	if last < 0 || cap(b.chunks[last])-len(b.chunks[last]) < maxHead+len(text) {
		b.chunks = append(b.chunks, make([]byte, 0, max(lateChunk, maxHead+len(text))))
		last++
		d.bytes += cap(b.chunks[last])
	}
	c := b.chunks[last]
	for _, n := range [...]int32{key >> 8, row.Line - b.line, row.Seq, row.A, row.B - row.A, row.C, int32(len(text))} {
		c = binary.AppendUvarint(c, uint64(uint32(n<<1^n>>31)))
	}
	b.line = row.Line
	b.chunks[last] = append(c, text...)
}

// unpacked are the rows of buckets, those of each in the order of their addition. Their start and end
// refer to text.
type unpacked struct {
	rows []Row
	keys []int32
	text []byte
}

func (u *unpacked) unpack(b *bucket, low byte) {
	line := int32(0)
	for _, c := range b.chunks {
		for len(c) > 0 {
			var ns [7]int32
			for i := range ns {
				v, n := binary.Uvarint(c)
				ns[i] = int32(v>>1) ^ -int32(v&1)
				c = c[n:]
			}
			line += ns[1]
			start := uint32(len(u.text))
			u.text = append(u.text, c[:ns[6]]...)
			u.keys = append(u.keys, ns[0]<<8|int32(low))
			u.rows = append(u.rows, Row{Seq: ns[2], Line: line, A: ns[3], B: ns[3] + ns[4], C: ns[5], start: start,
				end: uint32(len(u.text))})
			c = c[ns[6]:]
		}
	}
}

// Restore calls add with the rows of a group as they were emitted. Their Line need not be set.
type Restore func(key int32, add func(row Row, text []byte))

// A Part has the late rows of some groups.
type Part struct {
	grouper *Grouper
	rows    unpacked
	order   []uint64 // numbers of the rows by group
}

// IsFull reports whether the memory for late rows is full.
func (g *Grouper) IsFull() bool { return g.late.bytes >= g.limits.LateBytes }

// Late yields the late rows in parts, and forgets them. A part ends when its rows, and what stored
// says about their groups, have more than so many bytes; stored may be nil. A part is valid until the
// next one.
func (g *Grouper) Late(bytes int, stored func(key int32) int) iter.Seq[*Part] {
	return func(yield func(*Part) bool) {
		late := g.late
		g.late = lateRows{}
		p := &Part{grouper: g}
		size := 0
		for low := range late.buckets {
			b := &late.buckets[low]
			if size == 0 {
				p.rows = unpacked{p.rows.rows[:0], p.rows.keys[:0], p.rows.text[:0]}
			}
			before := len(p.rows.keys)
			p.rows.unpack(b, byte(low))
			for _, c := range b.chunks {
				size += len(c)
			}
			b.chunks = nil
			if stored != nil {
				keys := slices.Clone(p.rows.keys[before:])
				slices.Sort(keys)
				for _, k := range slices.Compact(keys) {
					size += stored(k)
				}
			}
			if size > bytes || size > 0 && low == len(late.buckets)-1 {
				size = 0
				p.order = inOrder(p.order, len(p.rows.rows), func(i int) int32 { return p.rows.keys[i] })
				if !yield(p) {
					return
				}
			}
		}
	}
}

// Keys returns the keys of the groups.
func (p *Part) Keys() (keys []int32) {
	for _, n := range p.order {
		if k := p.rows.keys[n]; len(keys) == 0 || keys[len(keys)-1] != k {
			keys = append(keys, k)
		}
	}
	return keys
}

// Emit emits the groups again, with the rows that restore gives and the late ones.
func (p *Part) Emit(restore Restore) error {
	group := &Group{}
	for n := 0; n < len(p.order); {
		key := p.rows.keys[p.order[n]]
		*group = Group{Key: key, Rows: group.Rows[:0], text: group.text[:0], sorted: true}
		restore(key, group.add)
		for ; n < len(p.order) && p.rows.keys[p.order[n]] == key; n++ {
			row := p.rows.rows[p.order[n]]
			group.add(row, p.rows.text[row.start:row.end])
		}
		if err := p.grouper.emitGroup(group); err != nil {
			return err
		}
	}
	return nil
}

// inOrder returns the numbers below n in the order of their keys. Equal keys stay in the order of the
// numbers.
func inOrder(order []uint64, n int, key func(i int) int32) []uint64 {
	order = order[:0]
	for i := range n {
		order = append(order, uint64(uint32(key(i))^1<<31)<<32|uint64(i))
	}
	slices.Sort(order)
	for i := range order {
		order[i] &= 1<<32 - 1
	}
	return order
}
