package static

import (
	"context"
	"fmt"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
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

// keptZipChunk is the size of the pieces in which gtfs-import keeps zips.
const keptZipChunk = 1 << 20

// keptZip selects a part of one piece of the kept zip.
var keptZip = rest.SQL[zipPart, []byte](`
	SELECT substr(z.data, @from::integer, @bytes::integer) AS data
	FROM transit.feed_version v JOIN transit.feed_zip z ON z.feed_id = v.feed_id AND z.sha256 = v.sha256
	WHERE v.version_id = @version_id AND z.n = @n::integer`)

func (a *API) exportEndpoints() rest.Table {
	return rest.Table{
		rest.StreamFrom(rest.Spec{ID: "static.gtfs_zip", Path: FeedPath + "/gtfs.zip", Summary: "The feed as a GTFS zip",
			Doc: "What is served, as one file for other programs: all files and columns of the agency's zip, with the operator's manual rows, and without the rows and " +
				"cells that the import left out. A file that nothing has changed is the agency's, byte for byte. The same version gives the same bytes.",
			Tag: tagStatic, Queries: rest.Queries(exportSize, exportPieceAt, exportPart, keptZip), NotFound: "unknown feed, or imported by a release that made no zip"},
			"application/zip", feed[FeedParams](a), openExport),
	}
}

func openExport(ctx context.Context, c *rest.Call, p FeedParams, f *edition.Feed) (rest.File, error) {
	if f.Edition == nil {
		return rest.File{}, f.Refusal
	}
	size, err := exportSize.One(ctx, c, exportOf{f.Version})
	if err != nil {
		return rest.File{}, err
	}
	e := &export{db: c, version: f.Version}
	return rest.File{Content: rest.Slices(ctx, size, e.slice), Name: p.FeedAlias + ".gtfs.zip", Attachment: true}, nil
}

// export reads slices of a zip.
type export struct {
	db      rest.DB
	version replica.Version
	piece   exportPiece // of which the last slice was
}

// slice returns what follows a position, as far as one piece of the export and one of the kept zip have it.
func (e *export) slice(ctx context.Context, at, length int64) ([]byte, error) {
	if within := at - e.piece.At; within < 0 || within >= e.piece.Bytes {
		var err error
		e.piece, err = exportPieceAt.One(ctx, e.db, exportAt{e.version, at})
		if err != nil {
			return nil, fmt.Errorf("piece of the zip: %w", err)
		}
	}
	within := at - e.piece.At
	length = min(length, e.piece.Bytes-within)
	if e.piece.ZipAt == nil {
		return exportPart.One(ctx, e.db, piecePart{e.version, e.piece.At, within + 1, length})
	}
	at = *e.piece.ZipAt + within
	within = at % keptZipChunk
	return keptZip.One(ctx, e.db, zipPart{e.version, at / keptZipChunk, within + 1, min(length, keptZipChunk-within)})
}
