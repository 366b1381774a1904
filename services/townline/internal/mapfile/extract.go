package mapfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sort"
)

// Extract writes the tiles of a box, up to a zoom, to a new file. It returns the file's size.
func Extract(ctx context.Context, from, to string, box Box, zoom int) (size int64, err error) {
	if !box.Valid() {
		return 0, errors.New("the box must be west, south, east, north in degrees")
	}
	src, err := open(from)
	if err != nil {
		return 0, err
	}
	defer src.close()
	h, err := src.header(ctx)
	if err != nil {
		return 0, err
	}
	zoom = min(zoom, int(h.MaxZoom))
	ids, err := tilesOf(box, int(h.MinZoom), zoom)
	if err != nil {
		return 0, err
	}
	x := &extract{source: src, header: h}
	if err := x.find(ctx, h.RootOffset, h.RootLength, ids, 0); err != nil {
		return 0, err
	}
	if len(x.tiles) == 0 {
		return 0, fmt.Errorf("%s has no tile in this box", from)
	}
	metadata, err := src.unpack(ctx, h, h.MetadataOffset, h.MetadataLength)
	if err != nil {
		return 0, err
	}
	part := to + ".part" // a reader never sees half a file
	size, err = x.write(ctx, part, metadata, box, zoom)
	if err == nil {
		err = os.Rename(part, to)
	}
	if err != nil {
		_ = os.Remove(part)
		return 0, err
	}
	return size, nil
}

// tilesOf returns the numbers of the tiles of a box, in ascending order.
func tilesOf(box Box, from, to int) ([]uint64, error) {
	var ids []uint64
	for z := from; z <= to; z++ {
		west, north := tileAt(z, box.West, box.North)
		east, south := tileAt(z, box.East, box.South)
		if (east-west+1)*(south-north+1) > maxTiles-uint64(len(ids)) {
			return nil, errors.New("the box has too many tiles: choose a smaller box, or a smaller zoom")
		}
		for x := west; x <= east; x++ {
			for y := north; y <= south; y++ {
				ids = append(ids, tileID(z, x, y))
			}
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// tileAt returns the tile of a place in the Web Mercator projection.
func tileAt(zoom int, lon, lat float64) (x, y uint64) {
	n := float64(uint64(1) << zoom)
	phi := lat * math.Pi / 180
	fx := (lon + 180) / 360 * n
	fy := (1 - math.Log(math.Tan(phi)+1/math.Cos(phi))/math.Pi) / 2 * n
	clamp := func(v float64) uint64 { return uint64(max(0, min(v, n-1))) }
	return clamp(fx), clamp(fy)
}

// An extract has the tiles that were found.
type extract struct {
	*source
	header *header
	tiles  []entry // with the offsets in the source; Run is 1
}

// find adds the wanted tiles of a directory and of the directories below it. ids are in order.
func (x *extract) find(ctx context.Context, offset, length uint64, ids []uint64, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s: directories are nested too deeply", x.name)
	}
	text, err := x.unpack(ctx, x.header, offset, length)
	if err != nil {
		return err
	}
	all, err := parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", x.name, err)
	}
	for i, e := range all {
		end := e.ID + e.Run
		if e.Run == 0 {
			end = math.MaxUint64
			if i+1 < len(all) {
				end = all[i+1].ID
			}
		}
		first := sort.Search(len(ids), func(n int) bool { return ids[n] >= e.ID })
		last := first + sort.Search(len(ids)-first, func(n int) bool { return ids[first+n] >= end })
		if first == last {
			continue
		}
		if e.Run == 0 {
			if err := x.find(ctx, x.header.LeavesOffset+e.Offset, e.Length, ids[first:last], depth+1); err != nil {
				return err
			}
			continue
		}
		for _, id := range ids[first:last] {
			x.tiles = append(x.tiles, entry{ID: id, Offset: e.Offset, Length: e.Length, Run: 1})
		}
	}
	return nil
}

// A span is a range of the source that is read at once.
type span struct {
	offset, length uint64
	parts          []entry
}

const (
	maxGap  = 64 << 10 // bytes that are read and not needed, rather than asked for separately
	maxSpan = 8 << 20
)

// spans returns each content once, in the order of its first tile, and the ranges that have them.
// It sets the offsets of the tiles to those in the new file.
func (x *extract) spans() (all []span, total uint64) {
	slices.SortFunc(x.tiles, func(a, b entry) int { return cmp.Compare(a.ID, b.ID) })
	placed := map[uint64]uint64{}
	for i := range x.tiles {
		t := &x.tiles[i]
		at, known := placed[t.Offset]
		if !known {
			at = total
			placed[t.Offset] = at
			total += t.Length
			all = addSpan(all, *t)
		}
		t.Offset = at
	}
	return all, total
}

func addSpan(all []span, t entry) []span {
	if n := len(all); n > 0 {
		last := &all[n-1]
		if end := last.offset + last.length; t.Offset >= end && t.Offset-end <= maxGap &&
			t.Offset+t.Length-last.offset <= maxSpan {
			last.length = t.Offset + t.Length - last.offset
			last.parts = append(last.parts, t)
			return all
		}
	}
	return append(all, span{offset: t.Offset, length: t.Length, parts: []entry{t}})
}
