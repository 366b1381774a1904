package static

import (
	"context"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/replica"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

var exportSize = rest.SQL[edition.VersionKey, int64](`
	SELECT at + bytes AS size
	FROM transit.export_piece
	WHERE version_id = @version_id
	ORDER BY at DESC
	LIMIT 1`)

type exportAt struct {
	VersionID replica.Begun
	At        int64
	Length    int64
	Chunk     int64
}

const keptZipChunk = 1 << 20

// exportSlice returns bytes of the export from a position. It stops at the end of the piece and, in
// a span, at the end of the archived zip's chunk.
var exportSlice = rest.SQL[exportAt, []byte](`
	SELECT CASE WHEN p.zip_at IS NULL
	       THEN substr(p.data, p.skip::integer + 1, least(@length, p.bytes - p.skip)::integer)
	       ELSE (SELECT substr(z.data, ((p.zip_at + p.skip) % @chunk)::integer + 1,
	         least(@length, p.bytes - p.skip)::integer)
	             FROM transit.feed_version v JOIN transit.feed_zip z ON z.feed_id = v.feed_id AND z.sha256 = v.sha256
	             WHERE v.version_id = @version_id AND z.n = ((p.zip_at + p.skip) / @chunk)::integer)
	       END AS data
	FROM (SELECT data, bytes, zip_at, @at - at AS skip
	      FROM transit.export_piece
	      WHERE version_id = @version_id AND at <= @at
	      ORDER BY at DESC
	      LIMIT 1) p`)

func (a *API) exportEndpoints() rest.Table {
	return rest.Table{
		rest.From(rest.Spec{ID: "static.gtfs_zip", Path: wire.FeedPath + "/gtfs.zip", Summary: "The feed as a GTFS zip",
			Stream: true,
			Doc: "What is served, as one file for other programs: all files and columns of the agency's zip, with the " +
				"operator's manual rows, and without the rows and " +
				"cells that the import left out. A file that nothing has changed is the agency's, byte for byte. The same " +
				"version gives the same bytes.",
			Tag: tagStatic, Queries: rest.Queries(exportSize, exportSlice),
			NotFound: "unknown feed, or imported by a release that made no zip", Media: "application/zip"},
			feed[wire.FeedParams](a), openExport),
	}
}

func openExport(ctx context.Context, c *rest.Call, p wire.FeedParams, f *edition.Feed) (rest.File, error) {
	size, err := exportSize.One(ctx, c, f.Key())
	if err != nil {
		return rest.File{}, err
	}
	slice := func(ctx context.Context, at, length int64) ([]byte, error) {
		return ExportBytes(ctx, c, f.Version, at, length)
	}
	return rest.File{Content: rest.Slices(ctx, size, slice), Name: p.FeedAlias + ".gtfs.zip", Attachment: true}, nil
}

// ExportBytes returns bytes of a version's zip from a position, fewer than length at the end of a
// piece. The version may have been replaced since the download began.
func ExportBytes(ctx context.Context, db rest.DB, v replica.Version, at, length int64) ([]byte, error) {
	return exportSlice.One(ctx, db, exportAt{replica.Begun(v), at, length, keptZipChunk})
}
