package mapfile

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"os"
)

// leafEntries is the number of entries of a directory below the root.
const leafEntries = 4096

// write writes the archive: header, root directory, metadata, other directories, tiles.
func (x *extract) write(ctx context.Context, path string, metadata []byte, box Box, zoom int) (int64, error) {
	spans, total := x.spans()
	entries := runs(x.tiles)
	root, leaves, err := directories(entries)
	if err != nil {
		return 0, err
	}
	meta, err := pack(metadata)
	if err != nil {
		return 0, err
	}
	h := *x.header
	h.Internal, h.Clustered = gzipped, 1
	h.RootOffset, h.RootLength = headerBytes, uint64(len(root))
	h.MetadataOffset, h.MetadataLength = h.RootOffset+h.RootLength, uint64(len(meta))
	h.LeavesOffset, h.LeavesLength = h.MetadataOffset+h.MetadataLength, uint64(len(leaves))
	h.TilesOffset, h.TilesLength = h.LeavesOffset+h.LeavesLength, total
	h.Addressed = uint64(len(x.tiles))
	h.Entries, h.Contents = uint64(len(entries)), 0
	for _, s := range spans {
		h.Contents += uint64(len(s.parts))
	}
	e7 := func(degrees float64) int32 { return int32(degrees * 1e7) }
	h.MaxZoom = uint8(zoom)
	h.MinLon, h.MinLat = e7(box.West), e7(box.South)
	h.MaxLon, h.MaxLat = e7(box.East), e7(box.North)
	h.CenterZoom = uint8(min(zoom, 12))
	h.CenterLon, h.CenterLat = e7((box.West+box.East)/2), e7((box.South+box.North)/2)
	var front bytes.Buffer
	front.WriteString(magic)
	front.WriteByte(version)
	if err := binary.Write(&front, binary.LittleEndian, &h); err != nil {
		return 0, fmt.Errorf("write the header: %w", err)
	}
	for _, part := range [][]byte{root, meta, leaves} {
		front.Write(part)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	err = x.copyTiles(ctx, f, front.Bytes(), spans)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", path, err)
	}
	return int64(h.TilesOffset + total), nil
}

func (x *extract) copyTiles(ctx context.Context, f *os.File, front []byte, spans []span) error {
	if _, err := f.Write(front); err != nil {
		return err
	}
	for _, s := range spans {
		body, err := x.read(ctx, x.header.TilesOffset+s.offset, s.length)
		if err != nil {
			return err
		}
		for _, part := range s.parts {
			at := part.Offset - s.offset
			if _, err := f.Write(body[at : at+part.Length]); err != nil {
				return err
			}
		}
	}
	return nil
}

// runs joins neighbouring tiles with the same content.
func runs(tiles []entry) (all []entry) {
	for _, t := range tiles {
		if n := len(all); n > 0 && all[n-1].Offset == t.Offset && all[n-1].ID+all[n-1].Run == t.ID {
			all[n-1].Run++
			continue
		}
		all = append(all, t)
	}
	return all
}

// directories returns the root directory, and the others if one is too large.
func directories(entries []entry) (root, leaves []byte, err error) {
	root, err = pack(serialize(entries))
	if err != nil || len(root) <= maxRoot-headerBytes {
		return root, nil, err
	}
	for size := leafEntries; ; size *= 2 {
		var top []entry
		leaves = nil
		for at := 0; at < len(entries); at += size {
			leaf, err := pack(serialize(entries[at:min(at+size, len(entries))]))
			if err != nil {
				return nil, nil, err
			}
			top = append(top, entry{ID: entries[at].ID, Offset: uint64(len(leaves)), Length: uint64(len(leaf))})
			leaves = append(leaves, leaf...)
		}
		root, err = pack(serialize(top))
		if err != nil || len(root) <= maxRoot-headerBytes {
			return root, leaves, err
		}
	}
}

func serialize(entries []entry) []byte {
	out := binary.AppendUvarint(nil, uint64(len(entries)))
	last := uint64(0)
	for _, e := range entries {
		out = binary.AppendUvarint(out, e.ID-last)
		last = e.ID
	}
	for _, e := range entries {
		out = binary.AppendUvarint(out, e.Run)
	}
	for _, e := range entries {
		out = binary.AppendUvarint(out, e.Length)
	}
	for i, e := range entries {
		if i > 0 && e.Offset == entries[i-1].Offset+entries[i-1].Length {
			out = append(out, 0)
			continue
		}
		out = binary.AppendUvarint(out, e.Offset+1)
	}
	return out
}

func pack(text []byte) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(text)
	if closed := z.Close(); err == nil {
		err = closed
	}
	return b.Bytes(), err
}
