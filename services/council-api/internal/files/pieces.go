// Package files answers with files for other programs: archived minutes, Atom feeds, the calendar, found votes as a table, and exports of the
// whole dataset. pieces.go reads large values from the database a part at a time; exporter.go keeps the newest export.
//
// The votes are those of internal/record; internal/dump writes the tables of an export.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// pieces reads a large value from the database, a slice at a time, as fast as the
// client accepts it. It is an io.ReadSeeker.
type pieces struct {
	ctx  context.Context
	size int64
	read func(ctx context.Context, from, length int64) ([]byte, error)

	at     int64
	buf    []byte // read ahead
	bufEnd int64  // end of buf
}

const (
	// sliceSize is how much is read ahead. It is less than pkg/rest reserves for an open download.
	sliceSize = 192 << 10
	// sliceTimeout bounds one slice. The whole text may take as long as the client needs.
	sliceTimeout = 10 * time.Second
)

func newPieces(ctx context.Context, size int64, read func(ctx context.Context, from, length int64) ([]byte, error)) *pieces {
	return &pieces{ctx: context.WithoutCancel(ctx), size: size, read: read}
}

func (s *pieces) Read(p []byte) (int, error) {
	if s.at >= s.size {
		return 0, io.EOF
	}
	start := s.bufEnd - int64(len(s.buf))
	if s.at < start || s.at >= s.bufEnd {
		ctx, cancel := context.WithTimeout(s.ctx, sliceTimeout)
		defer cancel()
		b, err := s.read(ctx, s.at, min(sliceSize, s.size-s.at))
		if err != nil {
			return 0, fmt.Errorf("read archived bytes: %w", err)
		}
		if len(b) == 0 {
			return 0, io.ErrUnexpectedEOF
		}
		s.buf, s.bufEnd, start = b, s.at+int64(len(b)), s.at
	}
	n := copy(p, s.buf[s.at-start:])
	s.at += int64(n)
	return n, nil
}

func (s *pieces) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += s.at
	case io.SeekEnd:
		offset += s.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the start")
	}
	s.at = offset
	return offset, nil
}
