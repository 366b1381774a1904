package councilapi

import (
	"context"
	"encoding/hex"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/rest"
)

type exportArgs struct {
	Name string
}

type exportRow struct {
	ExportID  int64
	SHA256    []byte `db:"sha256"`
	Size      int64
	ChunkSize int64 // of all chunks but the last
	CreatedAt rest.Time
}

var newestExport = rest.SQL[exportArgs, exportRow](`
	SELECT e.export_id, e.sha256, e.size, octet_length(c.content)::bigint AS chunk_size, e.created_at
	FROM council.export e
	JOIN council.export_chunk c ON c.export_id = e.export_id AND c.seq = 0
	WHERE e.name = @name
	ORDER BY e.export_id DESC
	LIMIT 1`)

type chunkArgs struct {
	Export int64
	Seq    int64
	Skip   int64 // bytes of the chunk to leave out
}

var exportChunk = rest.SQL[chunkArgs, []byte](`
	SELECT substring(content FROM (@skip + 1)::integer) FROM council.export_chunk WHERE export_id = @export AND seq = @seq`)

func exportEndpoints() rest.Table {
	return rest.Table{
		rest.Stream(rest.Spec{ID: "exportVotes", Path: "/export/votes.csv", Tag: "Dataset", Summary: "Every vote as one CSV file",
			Doc: "UTF-8 with a header row, RFC 4180, a row for each vote, newest meeting first. Names of a roll are joined by \"; \". " +
				"Written anew as a whole at the end of each ingest that changed anything.",
			NotFound: "not generated yet", Queries: rest.Queries(newestExport, exportChunk)}, "text/csv",
			func(ctx context.Context, c *rest.Call, _ rest.None) (rest.File, error) {
				e, err := newestExport.One(ctx, c, exportArgs{"votes.csv"})
				if errors.Is(err, pgx.ErrNoRows) {
					return rest.File{}, rest.NotFound("votes.csv has not been generated yet")
				}
				if err != nil {
					return rest.File{}, err
				}
				read := func(ctx context.Context, from, _ int64) ([]byte, error) {
					return exportChunk.One(ctx, c, chunkArgs{e.ExportID, from / e.ChunkSize, from % e.ChunkSize})
				}
				return rest.File{Content: newPieces(ctx, e.Size, read), Name: "votes.csv", Attachment: true,
					Tag: hex.EncodeToString(e.SHA256), Modified: e.CreatedAt.Time}, nil
			}),
	}
}
