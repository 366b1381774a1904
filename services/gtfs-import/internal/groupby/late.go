package groupby

import (
	"encoding/binary"
	"slices"
)

// delayed are late rows. A row takes about a dozen bytes, so that the late rows of a large file fit in
// memory together. Their keys are spread over buckets, and only one bucket is put in order at a time.
type delayed struct {
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

func (d *delayed) add(key int32, row Row, text []byte) {
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

// unpacked are the rows of a bucket in the order of their addition. Their start and end refer to text.
type unpacked struct {
	rows []Row
	keys []int32
	text []byte
}

func (u *unpacked) unpack(b *bucket, low byte) {
	*u = unpacked{u.rows[:0], u.keys[:0], u.text[:0]}
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
