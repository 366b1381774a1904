// Package export stores the served zip of a version in pieces. A large unchanged file is a span of
// the archived zip, so its bytes are not copied. A version stores only the list of entries, small
// files and changed files.
//
// The same feed, manual rows and program give the same bytes. services/transit-api joins the
// pieces.
package export

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/klauspost/compress/flate"

	"github.com/townline/townline/services/gtfs-import/internal/load"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// pieceBytes is the piece size for changed files.
const pieceBytes = 1 << 20

// spanBytes is the minimum size of a span. Readers execute several statements per span, so a zip of
// thousands of small spans would be slow.
const spanBytes = 16 << 10

// Store fills export_piece with the zip of files. kept is the archived zip of the feed.
func Store(ctx context.Context, st *stage.Stage, files []load.ServedFile, kept io.ReaderAt) error {
	_, err := st.Copy(ctx, "export_piece", "at, bytes, zip_at, data", func(w *stage.Writer) error {
		p := &pieces{w: w, zipAt: -1}
		z := zip.NewWriter(p)
		z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 5) })
		for _, f := range files {
			if err := add(ctx, z, p, f, kept); err != nil {
				return fmt.Errorf("write %s of the zip: %w", f.File, err)
			}
		}
		if err := z.Close(); err != nil {
			return fmt.Errorf("write the list of the zip: %w", err)
		}
		return p.flush()
	})
	if err == nil {
		err = st.Index(ctx)
	}
	return err
}

func add(ctx context.Context, z *zip.Writer, p *pieces, f load.ServedFile, kept io.ReaderAt) error {
	h := &zip.FileHeader{Name: f.File, Method: zip.Deflate,
		ModifiedDate: 1<<5 | 1} //nolint:staticcheck // the earliest date in a zip; raw entries use only this field
	if f.Write != nil {
		w, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		return f.Write(ctx, w)
	}
	h.Method = f.Packed.Method
	h.CRC32 = f.Packed.CRC32
	h.CompressedSize64 = uint64(f.Packed.Bytes)
	h.UncompressedSize64 = uint64(f.Bytes)
	if utf8.ValidString(h.Name) {
		h.Flags |= 0x800
	}
	w, err := z.CreateRaw(h)
	if err == nil && f.Packed.Bytes < spanBytes {
		_, err = io.CopyN(w, io.NewSectionReader(kept, f.Packed.Offset, f.Packed.Bytes), f.Packed.Bytes)
		return err
	}
	if err == nil {
		err = z.Flush()
	}
	if err != nil {
		return err
	}
	// The zip writer only counts the zeros; the piece has the position of the real bytes.
	if err := p.start(f.Packed.Offset); err != nil {
		return err
	}
	if _, err := io.CopyN(w, zeros{}, f.Packed.Bytes); err != nil {
		return err
	}
	if err := z.Flush(); err != nil {
		return err
	}
	return p.start(-1)
}

// zeros stands for the bytes of a span.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// pieces are rows of export_piece.
type pieces struct {
	w     *stage.Writer
	at    int64 // offset of the current piece in the new zip
	data  []byte
	zipAt int64 // offset of the current piece in the archived zip if it is a span; otherwise -1
	bytes int64 // length of the span
}

func (p *pieces) Write(b []byte) (int, error) {
	if p.zipAt >= 0 {
		p.bytes += int64(len(b))
		return len(b), nil
	}
	n := len(b)
	for len(b) > 0 {
		part := min(len(b), pieceBytes-len(p.data))
		p.data = append(p.data, b[:part]...)
		b = b[part:]
		if len(p.data) == pieceBytes {
			if err := p.flush(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

// start starts a piece. zipAt is the offset of a span in the archived zip; -1 for new bytes.
func (p *pieces) start(zipAt int64) error {
	err := p.flush()
	p.zipAt = zipAt
	return err
}

func (p *pieces) flush() error {
	bytes := p.bytes + int64(len(p.data))
	if bytes == 0 {
		return nil
	}
	p.w.Int(int(p.at))
	p.w.Int(int(bytes))
	if p.zipAt >= 0 {
		p.w.Int(int(p.zipAt))
		p.w.Null()
	} else {
		p.w.Null()
		p.w.Bytes(p.data)
	}
	p.at += bytes
	p.data, p.bytes = p.data[:0], 0
	return p.w.End()
}
