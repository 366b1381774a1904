package static

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

type exportOf struct{ VersionID replica.Version }

var exportSize = rest.SQL[exportOf, int64](`
	SELECT at + bytes AS size
	FROM transit.export_piece
	WHERE version_id = @version_id
	ORDER BY at DESC
	LIMIT 1`)

type exportAt struct {
	VersionID replica.Version
	At        int64
}

type exportPiece struct {
	At    int64
	Bytes int64
	ZipAt *int64
}

var exportPieceAt = rest.SQL[exportAt, exportPiece](`
	SELECT at, bytes, zip_at
	FROM transit.export_piece
	WHERE version_id = @version_id AND at <= @at
	ORDER BY at DESC
	LIMIT 1`)

type piecePart struct {
	VersionID replica.Version
	At        int64 // of the piece
	From      int64
	Bytes     int64
}

var exportPart = rest.SQL[piecePart, []byte](`
	SELECT substr(data, @from::integer, @bytes::integer) AS data
	FROM transit.export_piece
	WHERE version_id = @version_id AND at = @at`)

type zipPart struct {
	VersionID replica.Version
	N         int64
	From      int64
	Bytes     int64
}

// partBytes is how much of the zip a request holds at a time: hundreds of slow clients fit into what an open stream is counted as.
const partBytes = 128 << 10

// keptZipChunk is the size of the pieces in which gtfs-import keeps zips.
const keptZipChunk = 1 << 20

// keptZip selects a part of one piece of the kept zip.
var keptZip = rest.SQL[zipPart, []byte](`
	SELECT substr(z.data, @from::integer, @bytes::integer) AS data
	FROM transit.feed_version v JOIN transit.feed_zip z ON z.feed_id = v.feed_id AND z.sha256 = v.sha256
	WHERE v.version_id = @version_id AND z.n = @n::integer`)

func (a *API) exportEndpoints() rest.Table {
	return rest.Table{
		rest.Stream(rest.Spec{ID: "static.gtfs_zip", Path: FeedPath + "/gtfs.zip", Summary: "The feed as a GTFS zip",
			Doc: "What is served, as one file for other programs: all files and columns of the agency's zip, with the operator's manual rows, and without the rows and " +
				"cells that the import left out. A file that nothing has changed is the agency's, byte for byte. The same version gives the same bytes.",
			Tag: tagStatic, Queries: rest.Queries(exportSize, exportPieceAt, exportPart, keptZip), NotFound: "unknown feed, or imported by a release that made no zip"},
			"application/zip", openExport),
	}
}

func openExport(ctx context.Context, c *rest.Call, p FeedParams) (rest.File, error) {
	f := FeedOf(c)
	if f.Edition == nil {
		return rest.File{}, f.Refusal
	}
	size, err := exportSize.One(ctx, c, exportOf{f.Version})
	if err != nil {
		return rest.File{}, err
	}
	return rest.File{Content: &export{ctx: ctx, db: c, version: f.Version, size: size}, Name: p.FeedAlias + ".gtfs.zip", Attachment: true}, nil
}

// export reads a zip in parts.
type export struct {
	ctx     context.Context // of the request
	db      rest.DB
	version replica.Version
	size    int64
	at      int64
	piece   exportPiece // that holds at, if any does
	part    []byte      // of the piece, or of the kept zip
	partAt  int64       // where it begins in the export
}

// Seek implements io.Seeker.
func (e *export) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += e.at
	case io.SeekEnd:
		offset += e.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning of the zip")
	}
	e.at = offset
	return offset, nil
}

// Read implements io.Reader.
func (e *export) Read(b []byte) (int, error) {
	if e.at >= e.size {
		return 0, io.EOF
	}
	if within := e.at - e.partAt; within < 0 || within >= int64(len(e.part)) {
		if err := e.readPart(); err != nil {
			return 0, err
		}
	}
	n := copy(b, e.part[e.at-e.partAt:])
	e.at += int64(n)
	return n, nil
}

// readPart reads what follows.
func (e *export) readPart() error {
	if within := e.at - e.piece.At; within < 0 || within >= e.piece.Bytes {
		var err error
		if e.piece, err = exportPieceAt.One(e.ctx, e.db, exportAt{e.version, e.at}); err != nil {
			return fmt.Errorf("piece of the zip at %d: %w", e.at, err)
		}
	}
	within := e.at - e.piece.At
	bytes := min(partBytes, e.piece.Bytes-within)
	var err error
	if e.piece.ZipAt == nil {
		e.part, err = exportPart.One(e.ctx, e.db, piecePart{e.version, e.piece.At, within + 1, bytes})
	} else {
		at := *e.piece.ZipAt + within
		e.part, err = keptZip.One(e.ctx, e.db, zipPart{e.version, at / keptZipChunk, at%keptZipChunk + 1, min(bytes, keptZipChunk-at%keptZipChunk)})
	}
	switch {
	case err != nil:
		return fmt.Errorf("part of the zip at %d: %w", e.at, err)
	case len(e.part) == 0:
		return fmt.Errorf("the zip ends at %d of %d: %w", e.at, e.size, io.ErrUnexpectedEOF)
	}
	e.partAt = e.at
	return nil
}
