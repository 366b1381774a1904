package files

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/townline/townline/pkg/objects"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/civic"
)

type archivedRow struct {
	DocumentID int64
	SHA256     []byte `db:"sha256"`
	Size       int64
	FetchedAt  rest.Time
}

var archivedPDF = rest.SQL[civic.IDParams, archivedRow](`
	SELECT d.document_id, d.sha256, d.size, n.fetched_at
	FROM council.meeting m
	JOIN council.minutes n ON n.minutes_id = m.minutes_id
	JOIN council.document d ON d.document_id = n.document_id
	WHERE m.iqm2_id = @id AND d.media_type = 'application/pdf'`)

type sliceArgs struct {
	Document int64
	From     int64
	Length   int64
}

// The column is uncompressed, so that a slice reads only its own pages. It is null if the bytes are
// in the object store.
var documentSlice = rest.SQL[sliceArgs, []byte](`SELECT substring(content FROM @from::integer FOR @length::integer)
	FROM council.document WHERE document_id = @document`)

func MinutesEndpoints(store *objects.Store) rest.Table {
	return rest.Table{
		rest.Func(rest.Spec{ID: "getMinutesPDF", Path: "/meetings/{id}/minutes.pdf", Tag: "Meetings", Stream: true,
			Summary:  "The archived minutes, exactly as fetched",
			NotFound: "unknown meeting, or no archived minutes", Queries: rest.Queries(archivedPDF, documentSlice),
			Media: "application/pdf"},
			func(ctx context.Context, c *rest.Call, p civic.IDParams) (rest.File, error) {
				row, err := archivedPDF.One(ctx, c, p)
				if err != nil {
					return rest.File{}, civic.Missing(err, "archived minutes PDF of meeting", p.ID)
				}
				read := func(ctx context.Context, from, length int64) ([]byte, error) {
					b, err := documentSlice.One(ctx, c, sliceArgs{row.DocumentID, from + 1, length}) // SQL counts bytes from 1
					if err == nil && b == nil {
						return store.Slice(ctx, row.SHA256, from, length)
					}
					return b, err
				}
				return rest.File{Content: rest.Slices(ctx, row.Size, read), Name: fmt.Sprintf("minutes-%d.pdf", p.ID),
					Tag: hex.EncodeToString(row.SHA256), Modified: row.FetchedAt.Time}, nil
			}),
		rest.Func(rest.Spec{ID: "getMinutesText", Path: "/meetings/{id}/minutes.txt", Tag: "Meetings",
			Summary:  "The text that the votes were read from",
			Doc:      "UTF-8 with a form feed between pages: exactly the bytes that the parser read.",
			NotFound: "unknown meeting, or no archived minutes",
			Queries:  rest.Queries(civic.ArchivedText), Media: "text/plain"},
			func(ctx context.Context, c *rest.Call, p civic.IDParams) (rest.File, error) {
				text, err := civic.ArchivedText.One(ctx, c, p)
				if err != nil {
					return rest.File{}, civic.Missing(err, "archived minutes text of meeting", p.ID)
				}
				return rest.File{Body: []byte(text), Name: fmt.Sprintf("minutes-%d.txt", p.ID)}, nil
			}),
	}
}
