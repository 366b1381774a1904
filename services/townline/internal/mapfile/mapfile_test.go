package mapfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The numbers of tiles are those of the PMTiles specification.
func TestTileNumbers(t *testing.T) {
	t.Parallel()
	for at, want := range map[[3]uint64]uint64{{0, 0, 0}: 0, {1, 0, 0}: 1, {1, 0, 1}: 2, {1, 1, 1}: 3, {1, 1, 0}: 4,
		{2, 0, 0}: 5, {12, 3423, 1763}: 19078479} {
		if id := tileID(int(at[0]), at[1], at[2]); id != want {
			t.Errorf("%v: %d, want %d", at, id, want)
		}
	}
	if x, y := tileAt(10, -122.4194, 37.7749); x != 163 || y != 395 {
		t.Errorf("San Francisco is on tile %d, %d", x, y)
	}
}

// content is that of a tile in the archive of the tests: the sea, west of Greenwich, is one tile.
func content(zoom int, x, y uint64) string {
	if zoom > 1 && x < 1<<zoom/2 {
		return "the sea"
	}
	return fmt.Sprintf("%d/%d/%d", zoom, x, y)
}

// world writes an archive of the whole world, with directories below the root.
func world(t *testing.T, zoom int) string {
	t.Helper()
	type tile struct {
		id   uint64
		text string
	}
	var all []tile
	for z := range zoom + 1 {
		for x := range uint64(1) << z {
			for y := range uint64(1) << z {
				all = append(all, tile{tileID(z, x, y), content(z, x, y)})
			}
		}
	}
	slices.SortFunc(all, func(a, b tile) int { return int(a.id) - int(b.id) })
	var entries []entry
	var data bytes.Buffer
	at := map[string]uint64{}
	for _, one := range all {
		if _, known := at[one.text]; !known {
			at[one.text] = uint64(data.Len())
			data.WriteString(one.text)
		}
		entries = append(entries, entry{ID: one.id, Offset: at[one.text], Length: uint64(len(one.text)), Run: 1})
	}
	entries = runs(entries)
	var leaves []byte
	var top []entry
	for part := range slices.Chunk(entries, 100) {
		leaf, err := pack(serialize(part))
		if err != nil {
			t.Fatal(err)
		}
		top = append(top, entry{ID: part[0].ID, Offset: uint64(len(leaves)), Length: uint64(len(leaf))})
		leaves = append(leaves, leaf...)
	}
	root, err := pack(serialize(top))
	if err != nil {
		t.Fatal(err)
	}
	meta, err := pack([]byte(`{"name":"world"}`))
	if err != nil {
		t.Fatal(err)
	}
	h := header{RootOffset: headerBytes, RootLength: uint64(len(root)), Internal: gzipped, Tile: notCompressed, Type: 1,
		MaxZoom: uint8(zoom)}
	h.MetadataOffset, h.MetadataLength = h.RootOffset+h.RootLength, uint64(len(meta))
	h.LeavesOffset, h.LeavesLength = h.MetadataOffset+h.MetadataLength, uint64(len(leaves))
	h.TilesOffset, h.TilesLength = h.LeavesOffset+h.LeavesLength, uint64(data.Len())
	var out bytes.Buffer
	out.WriteString(magic)
	out.WriteByte(version)
	if err := binary.Write(&out, binary.LittleEndian, &h); err != nil {
		t.Fatal(err)
	}
	for _, part := range [][]byte{root, meta, leaves, data.Bytes()} {
		out.Write(part)
	}
	file := filepath.Join(t.TempDir(), "world.pmtiles")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// tilesIn reads all tiles of an archive.
func tilesIn(t *testing.T, file string) (*header, map[uint64]string) {
	t.Helper()
	src, err := open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer src.close()
	h, err := src.header(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	every := make([]uint64, 1<<16)
	for i := range every {
		every[i] = uint64(i)
	}
	x := &extract{source: src, header: h}
	if err := x.find(t.Context(), h.RootOffset, h.RootLength, every, 0); err != nil {
		t.Fatal(err)
	}
	all := map[uint64]string{}
	for _, tile := range x.tiles {
		body, err := src.read(t.Context(), h.TilesOffset+tile.Offset, tile.Length)
		if err != nil {
			t.Fatal(err)
		}
		all[tile.ID] = string(body)
	}
	return h, all
}

// The new file has exactly the tiles of the box, from a file as from a server, and can be cut again.
func TestExtract(t *testing.T) {
	t.Parallel()
	file := world(t, 7)
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(file))))
	t.Cleanup(server.Close)
	box := Box{West: -20, South: 40, East: 12, North: 55}
	for _, from := range []string{file, server.URL + "/world.pmtiles"} {
		to := filepath.Join(t.TempDir(), "town.pmtiles")
		size, err := Extract(t.Context(), from, to, box, 6)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(to); err != nil || info.Size() != size {
			t.Errorf("%v, want %d bytes: %v", info, size, err)
		}
		h, got := tilesIn(t, to)
		want := map[uint64]string{}
		for z := range 7 {
			west, north := tileAt(z, box.West, box.North)
			east, south := tileAt(z, box.East, box.South)
			for x := west; x <= east; x++ {
				for y := north; y <= south; y++ {
					want[tileID(z, x, y)] = content(z, x, y)
				}
			}
		}
		if len(got) != len(want) || h.Addressed != uint64(len(want)) || h.MaxZoom != 6 || h.Contents >= h.Addressed {
			t.Errorf("%d tiles, want %d: %+v", len(got), len(want), h)
		}
		for id, text := range want {
			if got[id] != text {
				t.Fatalf("tile %d is %q, want %q", id, got[id], text)
			}
		}
		again := filepath.Join(t.TempDir(), "again.pmtiles")
		if _, err := Extract(t.Context(), to, again, box, 6); err != nil {
			t.Fatal(err)
		}
		one, _ := os.ReadFile(to)
		two, _ := os.ReadFile(again)
		if !bytes.Equal(one, two) {
			t.Error("the same box of the new file is another file")
		}
	}
}

// What cannot be read is an error, and leaves no file.
func TestExtractRefuses(t *testing.T) {
	t.Parallel()
	file := world(t, 3)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	looping := bytes.Clone(whole) // the directories below the root are the root
	root := binary.LittleEndian.Uint64(looping[8:])
	length := binary.LittleEndian.Uint64(looping[16:])
	leaf, err := pack(serialize([]entry{{ID: 0, Offset: 0, Length: 40}}))
	if err != nil {
		t.Fatal(err)
	}
	if uint64(len(leaf)) <= length {
		copy(looping[root:], leaf)
		binary.LittleEndian.PutUint64(looping[16:], uint64(len(leaf)))
		binary.LittleEndian.PutUint64(looping[40:], root)
	}
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(whole) }))
	t.Cleanup(plain.Close)
	good := Box{West: -1, South: -1, East: 1, North: 1}
	for name, bad := range map[string]struct {
		from string
		box  Box
		says string
	}{
		"no box":      {file, Box{West: 1, South: 1, East: 1, North: 2}, "west, south, east, north"},
		"no archive":  {put("text", bytes.Repeat([]byte("x"), 500)), good, "is not a PMTiles archive"},
		"cut":         {put("cut", whole[:len(whole)/4]), good, ""},
		"looping":     {put("looping", looping), good, ""},
		"no ranges":   {plain.URL, good, "does not answer range requests"},
		"no such":     {filepath.Join(dir, "none"), good, "no such file"},
		"whole earth": {world(t, 3), Box{West: -180, South: -85, East: 180, North: 85}, "unused"},
	} {
		to := filepath.Join(dir, "out-"+strings.ReplaceAll(name, " ", "-"))
		_, err := Extract(t.Context(), bad.from, to, bad.box, 15)
		if name == "whole earth" { // a small archive may be cut whole
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), bad.says) {
			t.Errorf("%s: %v", name, err)
		}
		for _, left := range []string{to, to + ".part"} {
			if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s leaves %s: %v", name, left, err)
			}
		}
	}
	if _, err := tilesOf(Box{West: -180, South: -85, East: 180, North: 85}, 0, 15); err == nil {
		t.Error("the whole earth in streets is no error")
	}
}
