// Package files serves files for other programs: archived minutes, Atom feeds, the calendar, votes
// as CSV, and exports of the whole dataset.
//
// The votes come from internal/civic. council-ingest writes the exports; they are in the database.
package files

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"path"
	"time"

	"github.com/townline/townline/pkg/dataset"
	"github.com/townline/townline/pkg/rest"
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

func (ExportTable) Values() []string { return dataset.CSVNames() }

type exportTableParams struct {
	File ExportTable `path:"file" doc:"The table." example:"votes.csv"`
}

// An exportFile is the newest version of a file.
type exportFile struct {
	ExportID   int64
	Name       string
	SHA256     []byte `db:"sha256"`
	Size       int64
	Rows       *int64
	Generation int64
	AsOf       rest.Time // not known of a file that an older version has written
	CreatedAt  rest.Time
	ChunkSize  int64 // size of each chunk except the last
}

var newestExports = rest.SQL[rest.None, exportFile](`
	SELECT DISTINCT ON (e.name) e.export_id, e.name, e.sha256, e.size, e.rows, e.generation,
	       coalesce(e.as_of, 'epoch') AS as_of, e.created_at, octet_length(c.content)::bigint AS chunk_size
	FROM council.export e
	JOIN council.export_chunk c ON c.export_id = e.export_id AND c.seq = 0
	ORDER BY e.name, e.export_id DESC`)

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

// ExportEndpoints returns the endpoints of the files of the whole dataset.
func ExportEndpoints() rest.Table {
	exported := func(spec rest.Spec, media, name string) rest.Endpoint {
		spec.Stream, spec.Queries = true, exportQueries
		spec.Media = media
		return rest.From(spec, exportSource[rest.None](), func(ctx context.Context, c *rest.Call, _ rest.None,
			set exportSet) (rest.File, error) {
			return set.file(ctx, c, name)
		})
	}
	return rest.Table{
		rest.From(rest.Spec{ID: "listExport", Path: "/export/", Tag: "Export", Summary: "The whole dataset as files, " +
			"with their hashes",
			Doc: "One SQLite database, and one CSV file per table with a description as in the W3C's CSV on the Web. All " +
				"files show the dataset at one time, as_of; " +
				"they are replaced together, some seconds after an ingest has ended.",
			Queries: exportQueries}, exportSource[rest.None](), listExport),
		exported(rest.Spec{ID: "exportSQLite", Path: "/export/" + dataset.SQLite, Tag: "Export",
			Summary: "The whole dataset as one SQLite database",
			Doc: "Tables named like the CSV files, with keys, indexes and comments; the table about gives the origin of the " +
				"file. Range requests are supported, so a download can be resumed."},
			"application/vnd.sqlite3", dataset.SQLite),
		rest.From(rest.Spec{ID: "exportTable", Path: "/export/tables/{file}", Tag: "Export", Stream: true,
			Summary:  "One table as CSV",
			Doc:      "UTF-8 with a header row, RFC 4180; null is an empty cell, an empty text is \"\". " + formulaDoc,
			NotFound: "no such table", Queries: exportQueries, Media: "text/csv"}, exportSource[exportTableParams](),
			func(ctx context.Context, c *rest.Call, p exportTableParams, set exportSet) (rest.File, error) {
				return set.file(ctx, c, "tables/"+string(p.File))
			}),
		exported(rest.Spec{ID: "exportMetadata", Path: "/export/" + dataset.Metadata, Tag: "Export",
			Summary: "Description of the tables' columns",
			Doc:     "Names, types, keys and references, at the address where CSV on the Web readers expect them."},
			"application/csvm+json", dataset.Metadata),
		rest.Func(rest.Spec{ID: "exportVotes", Path: "/export/" + dataset.VotesCSV, Tag: "Export", Stream: true,
			Summary: "Every vote as one flat CSV file",
			Doc: "UTF-8 with a header row, RFC 4180, a row for each vote, newest meeting first. Names of a roll are joined by " +
				"\"; \". " +
				"Each ingest that changes the dataset ends with a new file. " + formulaDoc,
			NotFound: "not generated yet", Queries: exportQueries, Media: "text/csv"},
			func(ctx context.Context, c *rest.Call, _ rest.None) (rest.File, error) {
				set, err := readExports(ctx, c)
				if err != nil {
					return rest.File{}, err
				}
				f := set[dataset.VotesCSV]
				if f == nil {
					return rest.File{}, rest.NotFound("votes.csv has not been generated yet")
				}
				return f.open(ctx, c, f.CreatedAt), nil
			}),
	}
}

// An exportSet has the newest files by name.
type exportSet map[string]*exportFile

var exportQueries = rest.Queries(newestExports, exportChunk)

func readExports(ctx context.Context, c *rest.Call) (exportSet, error) {
	list, err := newestExports.List(ctx, c, rest.None{})
	if err != nil {
		return nil, err
	}
	set := exportSet{}
	for i := range list {
		set[list[i].Name] = &list[i]
	}
	return set, nil
}

// exportSource returns the source that answers with the newest files. Their generation may be older
// than that of the dataset.
func exportSource[P any]() rest.Source[P, exportSet] {
	return rest.Source[P, exportSet]{Now: func(ctx context.Context, c *rest.Call, _ P) (exportSet, rest.Generation,
		error) {
		set, err := readExports(ctx, c)
		if err != nil {
			return nil, rest.Generation{}, err
		}
		newest := set[dataset.SQLite]
		if newest == nil {
			return nil, rest.Generation{}, rest.Unavailable(30*time.Second, "the export is being made; try again soon")
		}
		// The hash identifies the data also after a restore of the database, when generations repeat.
		return set, rest.Generation{N: int64(binary.BigEndian.Uint64(newest.SHA256)), Time: newest.AsOf.Time}, nil
	}}
}

// list returns the files of the whole dataset with their descriptions.
func (s exportSet) list(c *rest.Call) []ExportFile {
	list := []ExportFile{}
	for _, d := range dataset.Files() {
		if f := s[d.File]; f != nil {
			list = append(list, ExportFile{Name: path.Base(f.Name), URL: c.URL("/export/" + f.Name), MediaType: d.MediaType,
				Size: f.Size, SHA256: hex.EncodeToString(f.SHA256), Rows: f.Rows, Description: d.Doc})
		}
	}
	return list
}

func (s exportSet) file(ctx context.Context, c *rest.Call, name string) (rest.File, error) {
	f := s[name]
	if f == nil {
		return rest.File{}, rest.NotFound("there is no file %s", path.Base(name))
	}
	return f.open(ctx, c, f.AsOf), nil
}

func (f *exportFile) open(ctx context.Context, c *rest.Call, modified rest.Time) rest.File {
	read := func(ctx context.Context, from, length int64) ([]byte, error) {
		return exportChunk.One(ctx, c, chunkArgs{f.ExportID, from / f.ChunkSize, from % f.ChunkSize, length})
	}
	return rest.File{Content: rest.Slices(ctx, f.Size, read), Name: path.Base(f.Name), Attachment: true,
		Tag: hex.EncodeToString(f.SHA256), Modified: modified.Time}
}

func listExport(_ context.Context, c *rest.Call, _ rest.None, set exportSet) (Export, error) {
	newest := set[dataset.SQLite]
	return Export{AsOf: newest.AsOf, Generation: newest.Generation, License: dataset.License, Files: set.list(c)}, nil
}
