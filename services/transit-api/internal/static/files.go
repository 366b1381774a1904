package static

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/pkg/rest/openapi"
	"github.com/townline/townline/services/transit-api/internal/edition"
	"github.com/townline/townline/services/transit-api/internal/replica"
	"github.com/townline/townline/services/transit-api/internal/wire"
)

// A File is one file of a feed.
type File struct {
	Label    string     `json:"label" doc:"Name of the file."`
	File     string     `json:"file" doc:"Name of the file in lower case, without its folder."`
	Bytes    int64      `json:"bytes" doc:"Size in the zip, after expansion; 0 if manual rows of the operator alone make up the file."`
	Standard bool       `json:"standard" doc:"True for the files of the GTFS Schedule reference."`
	Columns  []string   `json:"columns" doc:"Columns of the file, in its order; empty if it is no table."`
	Further  []string   `json:"further_columns" db:"-" doc:"Those of the columns that are not of the GTFS Schedule reference."`
	Rows     *int64     `json:"rows" db:"row_count" doc:"Rows that links.rows leads to; null if other resources have the rows, or only the zip."`
	Links    wire.Links `json:"links" db:"-" doc:"rows."`
}

type filesOf struct{ VersionID replica.Version }

var filesByRank = rest.SQL[filesOf, File](`
	SELECT file AS label, file, bytes, coalesce(columns, '{}') AS columns, row_count, false AS standard
	FROM transit.file
	WHERE version_id = @version_id
	ORDER BY ord`)

type fileKey struct {
	VersionID replica.Version
	File      string
}

type storedFile struct {
	Ord      int
	Columns  []string
	RowCount int
}

var fileByName = rest.SQL[fileKey, storedFile](`
	SELECT ord, coalesce(columns, '{}') AS columns, row_count
	FROM transit.file
	WHERE version_id = @version_id AND file = @file AND row_count IS NOT NULL`)

type rowsOf struct {
	edition.Ranks
	File int
}

type storedRow struct{ Cells []*string }

var rowsOfFile = rest.SQL[rowsOf, storedRow](`
	SELECT cells
	FROM transit.file_row
	WHERE version_id = @version_id AND file = @file AND ord >= @low AND ord < @high
	ORDER BY ord`)

// A FileRow is a row of a file: its cells by column. It writes its own JSON.
type FileRow struct {
	label string
	form  *rowForm
	cells []*string
	n     int // on its page
}

// MarshalJSON writes the label, then a key for each column.
func (r FileRow) MarshalJSON() ([]byte, error) {
	b := rest.AppendString([]byte(`{"label":`), r.label)
	for i, key := range r.form.keys {
		if key == labelKey {
			continue
		}
		b = append(rest.AppendString(append(b, ','), key), ':')
		if cell := r.cells[i]; cell == nil {
			b = append(b, "null"...)
		} else {
			b = rest.AppendString(b, *cell)
		}
	}
	return append(b, '}'), nil
}

// Schema describes the row of a file that nothing is known of.
func (FileRow) Schema() openapi.Schema { return rowSchema(gtfs.Table{}) }

const labelKey = "label"

// rowSchema describes the rows of a file.
func rowSchema(t gtfs.Table) openapi.Schema {
	s := openapi.Schema{Type: "object", Required: append([]string{labelKey}, t.Names()...), Additional: &openapi.Schema{Type: []string{"string", "null"}}}
	s.Properties.Add(labelKey, openapi.Schema{Type: "string", Description: "What identifies the row: its key, else its number."})
	for _, c := range t.Columns {
		s.Properties.Add(c.Name, openapi.Schema{Type: []string{"string", "null"}})
	}
	return s
}

// rowForm turns stored cells into rows.
type rowForm struct {
	table  string // as translations name it
	keys   []string
	at     []int  // of the cell of each key, -1 for a column that the file lacks
	texts  []bool // of each key: whether its cells can be translated
	naming []int  // keys that name the row
	keyed  []int  // those of them that are the key of the table
	first  int
}

// formOf is the form of a file with those columns: first those of the standard, then the file's own.
func formOf(t gtfs.Table, file string, columns []string, first int) *rowForm {
	f := &rowForm{table: strings.TrimSuffix(file, ".txt"), first: first}
	for _, c := range t.Columns {
		inKey := slices.Contains(t.Key, c.Name)
		if inKey {
			f.naming = append(f.naming, len(f.keys))
		}
		f.keys, f.at = append(f.keys, c.Name), append(f.at, slices.Index(columns, c.Name))
		f.texts = append(f.texts, !inKey && isText(c.Name) && f.table != "translations" && (c.Kind == gtfs.Text || c.Kind == gtfs.URL || c.Kind == gtfs.Email))
	}
	for _, name := range t.Key {
		f.keyed = append(f.keyed, slices.Index(f.keys, name))
	}
	for i, name := range columns {
		if name == labelKey {
			f.naming = []int{len(f.keys)} // the file's own
		}
		if name != "" && !slices.Contains(f.keys, name) {
			f.keys, f.at, f.texts = append(f.keys, name), append(f.at, i), append(f.texts, isText(name))
		}
	}
	return f
}

// furtherOf leaves of a file what its own resources do not have: the key, and the columns that the standard does not know.
func furtherOf(def gtfs.Table, columns []string) (gtfs.Table, []string) {
	further := slices.Clone(columns)
	for i, name := range further {
		if def.Column(name) >= 0 && !slices.Contains(def.Key, name) {
			further[i] = ""
		}
	}
	def.Columns = slices.DeleteFunc(slices.Clone(def.Columns), func(c gtfs.Column) bool { return !slices.Contains(def.Key, c.Name) })
	return def, further
}

func (f *rowForm) row(n int, cells []*string) FileRow {
	r := FileRow{form: f, cells: make([]*string, len(f.keys)), n: n}
	for i, at := range f.at {
		if at >= 0 && at < len(cells) {
			r.cells[i] = cells[at]
		}
	}
	r.name()
	return r
}

// name labels the row.
func (r *FileRow) name() {
	var names []string
	for _, i := range r.form.naming {
		if r.cells[i] != nil {
			names = append(names, *r.cells[i])
		}
	}
	r.label = strings.Join(names, " ")
	if names == nil {
		r.label = strconv.Itoa(r.form.first + r.n)
	}
}

type fileParams struct {
	FeedParams
	File string `path:"file" doc:"Name of the file, from /files: transfers.txt."`
	wire.Window
}

// FilesPath lists the files of a feed.
const FilesPath = FeedPath + "/files"

func (a *API) fileEndpoints() rest.Table {
	t := rest.Table{
		pages(a, rest.Spec{ID: "static.files", Path: FilesPath, Summary: "Files of the feed",
			Doc:     "All files of the zip with their columns, and those that the operator has added. links.rows leads to the rows of a file that is served as it is.",
			Queries: rest.Queries(filesByRank), NotFound: "unknown feed"}, listFiles),
		pages(a, rest.Spec{ID: "static.file", Path: FilesPath + "/{file}", Summary: "Rows of a file as they are",
			Doc: "Files that the GTFS Schedule reference does not know, and those of its files that nothing is computed from. " +
				"Of stops.txt, trips.txt and others that have resources of their own: the key and the columns that those resources do not have. " +
				"Further columns of stop_times.txt and shapes.txt are in gtfs.zip alone.",
			Queries: rest.Queries(fileByName, rowsOfFile), NotFound: "unknown feed, or no such file with rows of its own"},
			func(ctx context.Context, c *rest.Call, f *edition.Feed, p fileParams) ([]FileRow, int, error) {
				stored, err := fileByName.One(ctx, c, fileKey{f.Version, p.File})
				if err != nil {
					return nil, 0, err
				}
				def, known := gtfs.TableOf(p.File)
				if known && !def.Unchanged() {
					def, stored.Columns = furtherOf(def, stored.Columns)
				}
				rows, err := readRows(ctx, c, f, def, p.File, stored, p.Window)
				return rows, stored.RowCount, err
			}),
	}
	for _, def := range gtfs.Tables() {
		switch {
		case def.Unchanged():
			t = append(t, a.keptFile(def))
		case def.Plain && def.Title != "":
			t = append(t, a.plainFile(def))
		}
	}
	return append(t, a.locationsEndpoint())
}

func listFiles(ctx context.Context, c *rest.Call, f *edition.Feed, p feedPage) ([]File, int, error) {
	all, err := filesByRank.List(ctx, c, filesOf{f.Version})
	for i := range all {
		x := &all[i]
		def, known := gtfs.TableOf(x.File)
		x.Standard, x.Further = known && !def.Beyond || x.File == locationsFile, []string{}
		if x.File == locationsFile {
			x.Columns = x.Further
		}
		for _, name := range x.Columns {
			if !known || def.Column(name) < 0 {
				x.Further = append(x.Further, name)
			}
		}
		if x.Rows != nil {
			x.Links = wire.Links{{Rel: "rows", Href: rowsAddress(c, f, def, x.File)}}
		}
	}
	from, to := p.Part(len(all))
	return all[from:to], len(all), err
}

// rowsAddress is where the rows of a file are.
func rowsAddress(c *rest.Call, f *edition.Feed, def gtfs.Table, file string) string {
	switch {
	case def.Unchanged():
		return c.URL(FeedPath+"/"+def.Resource(), f.Alias)
	case file == locationsFile:
		return c.URL(locationsPath, f.Alias)
	}
	return c.URL(FilesPath+"/{file}", f.Alias, file)
}

// describeRows describes a list of a file's rows.
func describeRows(def gtfs.Table) func(*openapi.Schemas) openapi.Schema {
	return func(ss *openapi.Schemas) openapi.Schema {
		name := ""
		for word := range strings.SplitSeq(def.Resource(), "_") {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
		row := ss.Named(name+"Row", rowSchema(def))
		return wire.ListOf(ss, row)
	}
}

// rowsSpec is what the resources of files have in common.
func rowsSpec(def gtfs.Table, doc string, queries ...rest.Statement) rest.Spec {
	return rest.Spec{ID: "static." + def.Resource(), Path: FeedPath + "/" + def.Resource(), Summary: def.Title, Doc: "Rows of " + def.File + ". " + doc,
		Queries: queries, NotFound: "unknown feed", Describe: describeRows(def)}
}

// keptFile makes the endpoint of a file that is stored as it is. A feed without it has no rows.
func (a *API) keptFile(def gtfs.Table) rest.Endpoint {
	return pages(a, rowsSpec(def, "Further columns of the feed are further keys.", fileByName, rowsOfFile),
		func(ctx context.Context, c *rest.Call, f *edition.Feed, p feedPage) ([]FileRow, int, error) {
			stored, err := fileByName.List(ctx, c, fileKey{f.Version, def.File})
			if err != nil || len(stored) == 0 {
				return nil, 0, err
			}
			rows, err := readRows(ctx, c, f, def, def.File, stored[0], p.Window)
			return rows, stored[0].RowCount, err
		})
}

func readRows(ctx context.Context, c *rest.Call, f *edition.Feed, def gtfs.Table, file string, stored storedFile, w wire.Window) ([]FileRow, error) {
	from, to := w.Part(stored.RowCount)
	form := formOf(def, file, stored.Columns, from)
	var rows []FileRow
	err := rowsOfFile.Each(ctx, c, rowsOf{edition.Ranks{VersionID: f.Version, Low: from, High: to}, stored.Ord}, func(r storedRow) error {
		rows = append(rows, form.row(len(rows), r.Cells))
		return nil
	})
	return rows, err
}

// plainFile makes the endpoint of a file that has a table of its own.
func (a *API) plainFile(def gtfs.Table) rest.Endpoint {
	cells := make([]string, len(def.Columns))
	for i, col := range def.Columns {
		switch col.Kind {
		case gtfs.Time:
			cells[i] = "transit.hms(" + col.Name + ")"
		case gtfs.Date:
			cells[i] = "to_char(" + col.Name + ", 'YYYYMMDD')"
		default:
			cells[i] = col.Name + "::text"
		}
	}
	query := rest.SQL[edition.Ranks, storedRow](`
	SELECT ARRAY[` + strings.Join(cells, ", ") + `] AS cells
	FROM transit.` + def.Name + `
	WHERE version_id = @version_id AND ord >= @low AND ord < @high
	ORDER BY ord`)
	e := pages(a, rowsSpec(def, "Times are HH:MM:SS.", query),
		func(ctx context.Context, c *rest.Call, f *edition.Feed, p feedPage) (rows []FileRow, count int, err error) {
			count = f.Counts[def.Name]
			from, to := p.Part(count)
			form := formOf(def, def.File, def.Names(), from)
			err = query.Each(ctx, c, edition.Ranks{VersionID: f.Version, Low: from, High: to}, func(r storedRow) error {
				rows = append(rows, form.row(len(rows), r.Cells))
				return nil
			})
			return rows, count, err
		})
	e.Translated = slices.Contains(formOf(def, def.File, nil, 0).texts, true)
	return e
}
