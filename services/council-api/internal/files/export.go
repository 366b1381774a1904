// Package files serves files for other programs: archived minutes, Atom feeds, the calendar, votes
// as CSV, and exports of the whole dataset.
//
// The votes come from internal/civic; internal/dump writes exports, exporter.go keeps the newest
// one.
package files

import (
	"context"
	"encoding/hex"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/council-api/internal/dump"
)

// An Export is the whole dataset as files of one generation.
type Export struct {
	AsOf       rest.Time    `json:"as_of" doc:"When the dataset that the files show was last changed."`
	Generation int64        `json:"generation" doc:"Generation of the dataset: rises with each change."`
	License    string       `json:"license" format:"uri" doc:"The data is in the public domain."`
	Files      []ExportFile `json:"files" doc:"The SQLite database first, then the tables and their description."`
}

// An ExportFile is one file of an export.
type ExportFile struct {
	Name        string `json:"name" doc:"File name." example:"council.sqlite"`
	URL         string `json:"url" format:"uri" doc:"Address of the file."`
	MediaType   string `json:"media_type" doc:"Content type." example:"application/vnd.sqlite3"`
	Size        int64  `json:"size" doc:"Bytes."`
	SHA256      string `json:"sha256" pattern:"^[0-9a-f]{64}$" doc:"SHA-256 of the bytes, in hexadecimal; also the file's ETag."`
	Rows        *int64 `json:"rows" doc:"Rows of the table, or of all tables."`
	Description string `json:"description" doc:"What the file contains."`
}

// An ExportTable is the name of a CSV file of an export.
type ExportTable string

func (ExportTable) Values() []string { return dump.CSVNames() }

type exportTableParams struct {
	File ExportTable `path:"file" doc:"The table." example:"votes.csv"`
}

type exportArgs struct {
	Name string
}

type exportRow struct {
	ExportID  int64
	SHA256    []byte `db:"sha256"`
	Size      int64
	ChunkSize int64 // size of each chunk except the last
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
	Skip   int64 // number of bytes to skip
	Length int64
}

var exportChunk = rest.SQL[chunkArgs, []byte](`
	SELECT substring(content FROM (@skip + 1)::integer FOR @length::integer) FROM council.export_chunk
	       WHERE export_id = @export AND seq = @seq`)

const formulaDoc = "A text that a spreadsheet would run as a formula, because it begins with =, +, -, @ (also in " +
	"full width), a tab or a line end, gets a single quote before it " +
	"(OWASP, CSV Injection); JSON and SQLite have the text as printed."

func ExportEndpoints(e *Exporter) rest.Table {
	const notYet = "not generated yet"
	set := exportSource[rest.None](e)
	exported := func(spec rest.Spec, media, name string) rest.Endpoint {
		spec.Stream = true
		return rest.BytesFrom(spec, media, set, func(_ context.Context, _ *rest.Call, _ rest.None,
			set *dump.Set) (rest.File, error) {
			return exportedFile(set, name)
		})
	}
	return rest.Table{
		rest.FuncFrom(rest.Spec{ID: "listExport", Path: "/export/", Tag: "Export", Summary: "The whole dataset as files, " +
			"with their hashes",
			Doc: "One SQLite database, and one CSV file per table with a description as in the W3C's CSV on the Web. All " +
				"files show the dataset at one time, as_of; " +
				"they are replaced together, some seconds after an ingest has ended."}, set, listExport),
		exported(rest.Spec{ID: "exportSQLite", Path: "/export/" + dump.SQLite, Tag: "Export",
			Summary: "The whole dataset as one SQLite database",
			Doc: "Tables named like the CSV files, with keys, indexes and comments; the table about gives the origin of the " +
				"file. Range requests are supported, so a download can be resumed."},
			"application/vnd.sqlite3", dump.SQLite),
		rest.BytesFrom(rest.Spec{ID: "exportTable", Path: "/export/tables/{file}", Tag: "Export", Stream: true,
			Summary:  "One table as CSV",
			Doc:      "UTF-8 with a header row, RFC 4180; null is an empty cell, an empty text is \"\". " + formulaDoc,
			NotFound: "no such table"}, "text/csv", exportSource[exportTableParams](e),
			func(_ context.Context, _ *rest.Call, p exportTableParams, set *dump.Set) (rest.File, error) {
				return exportedFile(set, string(p.File))
			}),
		exported(rest.Spec{ID: "exportMetadata", Path: "/export/tables/" + dump.Metadata, Tag: "Export",
			Summary: "Description of the tables' columns",
			Doc:     "Names, types, keys and references, at the address where CSV on the Web readers expect them."},
			"application/csvm+json", dump.Metadata),
		rest.Bytes(rest.Spec{ID: "exportVotes", Path: "/export/votes.csv", Tag: "Export", Stream: true,
			Summary: "Every vote as one flat CSV file",
			Doc: "UTF-8 with a header row, RFC 4180, a row for each vote, newest meeting first. Names of a roll are joined by " +
				"\"; \". " +
				"Each ingest that changes the dataset ends with a new file. " + formulaDoc,
			NotFound: notYet, Queries: rest.Queries(newestExport, exportChunk)}, "text/csv",
			func(ctx context.Context, c *rest.Call, _ rest.None) (rest.File, error) {
				e, err := newestExport.One(ctx, c, exportArgs{"votes.csv"})
				if errors.Is(err, pgx.ErrNoRows) {
					return rest.File{}, rest.NotFound("votes.csv has not been generated yet")
				}
				if err != nil {
					return rest.File{}, err
				}
				read := func(ctx context.Context, from, length int64) ([]byte, error) {
					return exportChunk.One(ctx, c, chunkArgs{e.ExportID, from / e.ChunkSize, from % e.ChunkSize, length})
				}
				return rest.File{Content: rest.Slices(ctx, e.Size, read), Name: "votes.csv", Attachment: true,
					Tag: hex.EncodeToString(e.SHA256), Modified: e.CreatedAt.Time}, nil
			}),
	}
}

func listExport(_ context.Context, c *rest.Call, _ rest.None, set *dump.Set) (Export, error) {
	list := Export{AsOf: rest.Time{Time: set.Time}, Generation: set.Generation, License: dump.License,
		Files: make([]ExportFile, len(set.Files))}
	for i, f := range set.Files {
		list.Files[i] = ExportFile{f.Name, exportAddress(c, f), f.MediaType, f.Size, f.SHA256, f.Rows, f.Doc}
	}
	return list, nil
}

func exportAddress(c *rest.Call, f *dump.File) string {
	if f.Name == dump.SQLite {
		return c.URL("/export/" + f.Name)
	}
	return c.URL("/export/tables/" + f.Name)
}

func exportedFile(set *dump.Set, name string) (rest.File, error) {
	f := set.File(name)
	if f == nil {
		return rest.File{}, rest.NotFound("there is no file %s", name)
	}
	return rest.File{Content: f.Open(), Name: f.Name, Attachment: true, Tag: f.SHA256, Modified: set.Time}, nil
}
