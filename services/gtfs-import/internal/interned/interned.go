// Package interned stores each byte string once and numbers them in order of arrival: identifiers
// of a feed, and patterns that its trips share. A string costs ten bytes besides its own, and no
// work for the garbage collector, unlike in a map.
package interned

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

const (
	// chunkSize of the arena. Strings do not cross chunks; larger ones get their own.
	chunkSize = 64 << 10
	// block is how many references are allocated at a time; blocks never move.
	block = 4096
)

// A Table holds the strings. The zero value is empty.
type Table struct {
	seed maphash.Seed
	// A hash table with linear probing: the number of a string + 1, 0 for a free
	// slot, and beside it eight bits of the hash, so that few others are compared.
	slots  []uint32
	tags   []uint8
	chunks [][]byte
	at     [][]uint32 // where each string is: chunk and offset, 16 bits each
	count  int
	bytes  int64
}

// Len returns how many strings there are.
func (t *Table) Len() int { return t.count }

// Bytes returns about how much memory they take.
func (t *Table) Bytes() int64 { return t.bytes + int64(4*t.count+5*len(t.slots)) }

// Get returns string n. It must not be changed.
func (t *Table) Get(n int32) []byte {
	at := t.at[n/block][n%block]
	c := t.chunks[at>>16][at&0xffff:]
	size, w := binary.Uvarint(c)
	return c[w : w+int(size) : w+int(size)]
}

// Find returns the number of s, -1 if it is not there.
func (t *Table) Find(s []byte) int32 {
	if t.count == 0 {
		return -1
	}
	n, _, _ := t.find(s)
	return n
}

func (t *Table) find(s []byte) (n int32, slot int, tag uint8) {
	h := maphash.Bytes(t.seed, s)
	tag = uint8(h >> 56)
	mask := len(t.slots) - 1
	for slot = int(h) & mask; ; slot = (slot + 1) & mask {
		v := t.slots[slot]
		if v == 0 {
			return -1, slot, tag
		}
		if t.tags[slot] == tag && bytes.Equal(t.Get(int32(v-1)), s) {
			return int32(v - 1), slot, tag
		}
	}
}

// Seal gives up what Find and Add need. From then on there is only Get.
func (t *Table) Seal() { t.slots, t.tags = nil, nil }

// Add returns the number of s; added reports whether it is new.
func (t *Table) Add(s []byte) (n int32, added bool) {
	if t.count >= len(t.slots)/16*13 {
		t.grow()
	}
	n, slot, tag := t.find(s)
	if n >= 0 {
		return n, false
	}
	n = int32(t.count)
	t.count++
	t.slots[slot], t.tags[slot] = uint32(t.count), tag
	need := len(s) + binary.MaxVarintLen32
	last := len(t.chunks) - 1
	if last < 0 || chunkSize-len(t.chunks[last]) < need {
		t.chunks = append(t.chunks, make([]byte, 0, max(chunkSize, need)))
		last++
		t.bytes += int64(cap(t.chunks[last]))
	}
	c := t.chunks[last]
	if n%block == 0 {
		t.at = append(t.at, make([]uint32, 0, block))
	}
	b := &t.at[n/block]
	*b = append(*b, uint32(last)<<16|uint32(len(c)))
	t.chunks[last] = append(binary.AppendUvarint(c, uint64(len(s))), s...)
	return n, true
}

// grow doubles the hash table.
func (t *Table) grow() {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	size := max(256, 2*len(t.slots))
	t.slots, t.tags = make([]uint32, size), make([]uint8, size)
	for n := range t.count {
		h := maphash.Bytes(t.seed, t.Get(int32(n)))
		slot := int(h) & (size - 1)
		for t.slots[slot] != 0 {
			slot = (slot + 1) & (size - 1)
		}
		t.slots[slot], t.tags[slot] = uint32(n+1), uint8(h>>56)
	}
}
