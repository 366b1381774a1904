// Package compact has collections that use little memory and, unlike maps, cost the garbage
// collector nothing.
package compact

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

// A Set holds numbers from 0, with one bit each. The zero value is empty.
type Set []uint64

func (s *Set) Add(n int) {
	for len(*s) <= n>>6 {
		*s = append(*s, 0)
	}
	(*s)[n>>6] |= 1 << (n & 63)
}

func (s Set) Remove(n int) { s[n>>6] &^= 1 << (n & 63) }

func (s Set) Has(n int) bool { return n>>6 < len(s) && s[n>>6]>>(n&63)&1 != 0 }

const (
	// chunkSize is the size of the arena's chunks. Strings do not cross chunks; a longer string
	// gets its own chunk.
	chunkSize = 64 << 10
	// block is the number of references allocated at once. Blocks never move.
	block = 4096
)

// Strings stores each byte string once and numbers the strings in order of insertion. The overhead
// per string is ten bytes. The zero value is empty.
type Strings struct {
	seed maphash.Seed
	// slots and tags are a hash table with linear probing. A slot has the number of a string + 1,
	// or 0 if free. A tag has eight bits of the string's hash, so that few strings must be
	// compared.
	slots  []uint32
	tags   []uint8
	chunks [][]byte
	refs   [][]uint32 // by string: chunk, then offset in 16 bits
	count  int
	bytes  int64
}

func (t *Strings) Len() int { return t.count }

// Bytes returns the approximate memory use.
func (t *Strings) Bytes() int64 { return t.bytes + int64(4*t.count+5*len(t.slots)) }

// Get returns string n. The caller must not change it.
func (t *Strings) Get(n int32) []byte {
	ref := t.refs[n/block][n%block]
	c := t.chunks[ref>>16][ref&0xffff:]
	size, w := binary.Uvarint(c)
	return c[w : w+int(size) : w+int(size)]
}

// Find returns the number of s; -1 if s is not stored.
func (t *Strings) Find(s []byte) int32 {
	if t.count == 0 {
		return -1
	}
	n, _, _ := t.find(s)
	return n
}

func (t *Strings) find(s []byte) (n int32, slot int, tag uint8) {
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

// Freeze releases the hash table. Find and Add must not be called afterwards.
func (t *Strings) Freeze() { t.slots, t.tags = nil, nil }

// Add returns the number of s. added is set if s is new.
func (t *Strings) Add(s []byte) (n int32, added bool) {
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
		t.refs = append(t.refs, make([]uint32, 0, block))
	}
	b := &t.refs[n/block]
	*b = append(*b, uint32(last)<<16|uint32(len(c)))
	t.chunks[last] = append(binary.AppendUvarint(c, uint64(len(s))), s...)
	return n, true
}

func (t *Strings) grow() {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	size := max(256, 2*len(t.slots))
	t.slots, t.tags = make([]uint32, size), make([]uint8, size)
	for n := range t.count {
		_, slot, tag := t.find(t.Get(int32(n)))
		t.slots[slot], t.tags[slot] = uint32(n+1), tag
	}
}
