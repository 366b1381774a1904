// Package interned keeps byte strings once each and numbers them in order of
// arrival: identifiers of a feed, and the patterns that its trips share. A
// hundred thousand strings cost little more than their bytes, and no
// work for the garbage collector, which a map of strings would.
package interned

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

// chunkSize of the arena. Strings do not cross chunks; larger ones get their own.
const chunkSize = 64 << 10

// A Table holds the strings. The zero value is empty.
type Table struct {
	seed   maphash.Seed
	slots  []uint64 // upper half of the hash, which also chooses the slot, then number + 1; 0 is free
	chunks [][]byte
	at     []ref
}

// ref says where a string is: its length precedes it as an uvarint.
type ref struct{ chunk, offset uint32 }

// Len returns how many strings there are.
func (t *Table) Len() int { return len(t.at) }

// Get returns string n. It must not be changed.
func (t *Table) Get(n int32) []byte {
	r := t.at[n]
	c := t.chunks[r.chunk][r.offset:]
	size, w := binary.Uvarint(c)
	return c[w : w+int(size) : w+int(size)]
}

// Find returns the number of s, -1 if it is not there.
func (t *Table) Find(s []byte) int32 {
	if len(t.at) == 0 {
		return -1
	}
	n, _ := t.find(s)
	return n
}

func (t *Table) find(s []byte) (n int32, slot int) {
	h := maphash.Bytes(t.seed, s)
	mask := len(t.slots) - 1
	for slot = int(h>>32) & mask; ; slot = (slot + 1) & mask {
		v := t.slots[slot]
		if v == 0 {
			return -1, slot
		}
		if uint32(v>>32) == uint32(h>>32) && bytes.Equal(t.Get(int32(uint32(v))-1), s) {
			return int32(uint32(v)) - 1, slot
		}
	}
}

// Add returns the number of s; added tells whether it is new.
func (t *Table) Add(s []byte) (n int32, added bool) {
	if 2*len(t.at) >= len(t.slots) {
		t.grow()
	}
	n, slot := t.find(s)
	if n >= 0 {
		return n, false
	}
	n = int32(len(t.at))
	t.slots[slot] = maphash.Bytes(t.seed, s)>>32<<32 | uint64(n+1)
	need := len(s) + binary.MaxVarintLen32
	if last := len(t.chunks) - 1; last < 0 || cap(t.chunks[last])-len(t.chunks[last]) < need {
		t.chunks = append(t.chunks, make([]byte, 0, max(chunkSize, need)))
	}
	last := len(t.chunks) - 1
	c := t.chunks[last]
	t.at = append(t.at, ref{uint32(last), uint32(len(c))})
	t.chunks[last] = append(binary.AppendUvarint(c, uint64(len(s))), s...)
	return n, true
}

func (t *Table) grow() {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
		t.slots = make([]uint64, 1<<10)
		return
	}
	old := t.slots
	t.slots = make([]uint64, 2*len(old))
	mask := len(t.slots) - 1
	for _, v := range old {
		if v == 0 {
			continue
		}
		slot := int(v>>32) & mask
		for t.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		t.slots[slot] = v
	}
}
