// Package mapfile cuts the tiles of a box out of a PMTiles archive: `townline map`.
//
// The source is a file or an address whose server answers range requests; of a large archive only the
// directories and the tiles of the box are read. The format is version 3 of PMTiles. extract.go reads
// the source, write.go writes the new archive.
package mapfile

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strings"
	"time"
)

// A Box is an area in degrees.
type Box struct{ West, South, East, North float64 }

// Valid reports whether the box has an area on the map.
func (b Box) Valid() bool {
	return b.West < b.East && b.South < b.North && b.West >= -180 && b.East <= 180 && b.South >= -85 && b.North <= 85
}

const (
	headerBytes   = 127
	magic         = "PMTiles"
	version       = 3
	gzipped       = 2        // a compression in the header
	notCompressed = 1        // another
	maxDirectory  = 16 << 20 // of a directory or the metadata, unpacked
	maxRoot       = 16 << 10 // header and root directory together, as readers fetch them at once
	maxTiles      = 4_000_000
	maxDepth      = 4
)

// A header has the fields of an archive's header in their order.
type header struct {
	RootOffset, RootLength         uint64
	MetadataOffset, MetadataLength uint64
	LeavesOffset, LeavesLength     uint64
	TilesOffset, TilesLength       uint64
	Addressed, Entries, Contents   uint64
	Clustered, Internal, Tile      uint8
	Type, MinZoom, MaxZoom         uint8
	MinLon, MinLat, MaxLon, MaxLat int32 // in 1e-7 degrees
	CenterZoom                     uint8
	CenterLon, CenterLat           int32
}

// An entry of a directory names a tile, a run of equal tiles, or a directory (Run is 0).
type entry struct {
	ID, Offset, Length uint64
	Run                uint64
}

// ErrNotFound means that the source does not exist.
var ErrNotFound = errors.New("there is no such file")

// A source is a file or an address.
type source struct {
	name   string
	client *http.Client
	file   *os.File
}

func open(name string) (*source, error) {
	if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		return &source{name: name, client: &http.Client{Timeout: 2 * time.Minute}}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return &source{name: name, file: f}, nil
}

func (s *source) close() {
	if s.file != nil {
		_ = s.file.Close()
	}
}

// read returns a range of bytes.
func (s *source) read(ctx context.Context, offset, length uint64) ([]byte, error) {
	if length > math.MaxInt32 || offset > math.MaxInt64-length {
		return nil, fmt.Errorf("%s: a part of %d bytes is too large", s.name, length)
	}
	if s.file != nil {
		body := make([]byte, length)
		if _, err := s.file.ReadAt(body, int64(offset)); err != nil {
			return nil, fmt.Errorf("read %s: %w", s.name, err)
		}
		return body, nil
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.name, nil)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.name, err)
	}
	r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", offset, offset+length-1))
	res, err := s.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.name, err)
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusPartialContent:
	case http.StatusNotFound, http.StatusForbidden: // object stores answer 403 for a missing file
		return nil, fmt.Errorf("read %s: status %d: %w", s.name, res.StatusCode, ErrNotFound)
	default:
		return nil, fmt.Errorf("read %s: status %d instead of 206: the server does not answer range requests", s.name,
			res.StatusCode)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(res.Body, body); err != nil {
		return nil, fmt.Errorf("read %s: %w", s.name, err)
	}
	return body, nil
}

func (s *source) header(ctx context.Context) (*header, error) {
	text, err := s.read(ctx, 0, headerBytes)
	if err != nil {
		return nil, err
	}
	if string(text[:len(magic)]) != magic || text[len(magic)] != version {
		return nil, fmt.Errorf("%s is not a PMTiles archive of version %d", s.name, version)
	}
	h := &header{}
	if err := binary.Read(bytes.NewReader(text[len(magic)+1:]), binary.LittleEndian, h); err != nil {
		return nil, fmt.Errorf("read the header of %s: %w", s.name, err)
	}
	if h.Internal != gzipped && h.Internal != notCompressed {
		return nil, fmt.Errorf("%s: compression %d of directories is not supported", s.name, h.Internal)
	}
	return h, nil
}

// unpack reads a directory or the metadata.
func (s *source) unpack(ctx context.Context, h *header, offset, length uint64) ([]byte, error) {
	if length > maxDirectory {
		return nil, fmt.Errorf("%s: a directory of %d bytes is too large", s.name, length)
	}
	text, err := s.read(ctx, offset, length)
	if err != nil || h.Internal == notCompressed {
		return text, err
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("unpack a directory of %s: %w", s.name, err)
	}
	text, err = io.ReadAll(io.LimitReader(z, maxDirectory+1))
	if err == nil && len(text) > maxDirectory {
		err = fmt.Errorf("larger than %d bytes", maxDirectory)
	}
	if err != nil {
		return nil, fmt.Errorf("unpack a directory of %s: %w", s.name, err)
	}
	return text, nil
}

var errDirectory = errors.New("a directory cannot be read")

// parse reads the entries of a directory.
func parse(text []byte) ([]entry, error) {
	next := func() uint64 {
		v, n := binary.Uvarint(text)
		if n <= 0 {
			text = nil
			return math.MaxUint64
		}
		text = text[n:]
		return v
	}
	count := next()
	if count > uint64(len(text)) {
		return nil, errDirectory
	}
	all := make([]entry, count)
	id := uint64(0)
	for i := range all {
		id += next()
		all[i].ID = id
	}
	for i := range all {
		all[i].Run = next()
	}
	for i := range all {
		all[i].Length = next()
	}
	for i := range all {
		offset := next()
		switch {
		case text == nil:
			return nil, errDirectory
		case offset > 0:
			all[i].Offset = offset - 1
		case i > 0:
			all[i].Offset = all[i-1].Offset + all[i-1].Length
		}
	}
	return all, nil
}

// tileID returns the number of a tile: zoom by zoom, along a Hilbert curve.
func tileID(zoom int, x, y uint64) uint64 {
	id := uint64(0)
	for z := range zoom {
		id += 1 << (2 * z)
	}
	for s := uint64(1) << zoom / 2; s > 0; s /= 2 {
		rx, ry := uint64(0), uint64(0)
		if x&s > 0 {
			rx = 1
		}
		if y&s > 0 {
			ry = 1
		}
		id += s * s * ((3 * rx) ^ ry)
		if ry == 0 {
			if rx == 1 {
				x, y = s-1-x, s-1-y
			}
			x, y = y, x
		}
	}
	return id
}
