package static

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

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

var filesByRank = rest.SQL[edition.VersionKey, File](`
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

var rowsOfFile = rest.SQL[rowsOf, []*string](`
	SELECT cells
	FROM transit.file_row
	WHERE version_id = @version_id AND file = @file AND ord >= @low AND ord < @high
	ORDER BY ord`)

// A FileRow is a row of a file: its cells by column.
type FileRow struct {
	form  *rowForm
	cells []*string
	rank  int
}

// MarshalJSON writes the label, then a key for each column.
func (r FileRow) MarshalJSON() ([]byte, error) {
	b := rest.AppendString([]byte(`{"label":`), r.label())
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

// label returns the cells that name the row or, if there are none, its number.
func (r *FileRow) label() string {
	var names []string
	for _, i := range r.form.naming {
		if r.cells[i] != nil {
			names = append(names, *r.cells[i])
		}
	}
	if names == nil {
		return strconv.Itoa(r.rank)
	}
	return strings.Join(names, " ")
}

// Schema describes a row of an unknown file.
func (FileRow) Schema() openapi.Schema { return rowSchema(gtfs.Table{}) }

const labelKey = "label"

func rowSchema(t gtfs.Table) openapi.Schema {
	cell := openapi.Schema{Type: []string{"string", "null"}}
	s := openapi.Schema{Type: "object", Required: append([]string{labelKey}, t.Names()...), Additional: &cell}
	s.Properties.Add(labelKey, openapi.Schema{Type: "string", Description: "What identifies the row: its key, else its " +
		"number."})
	for _, name := range t.Names() {
		s.Properties.Add(name, cell)
	}
	return s
}

type rowForm struct {
	table  string // table name in translations.txt
	keys   []string
	at     []int  // by key: index of the cell; -1 if the file lacks the column
	texts  []bool // by key: whether its cells can be translated
	naming []int  // indexes of the keys that name the row
	keyed  []int  // indexes of the keys that form the table's key
}

// newForm orders the columns of a file: standard columns, then other columns.
func newForm(t gtfs.Table, file string, columns []string) *rowForm {
	f := &rowForm{table: strings.TrimSuffix(file, ".txt")}
	for _, c := range t.Columns {
		inKey := slices.Contains(t.Key, c.Name)
		if inKey {
			f.naming = append(f.naming, len(f.keys))
		}
		written := c.Type == gtfs.Text || c.Type == gtfs.URL || c.Type == gtfs.Email
		f.keys, f.at = append(f.keys, c.Name), append(f.at, slices.Index(columns, c.Name))
		f.texts = append(f.texts, written && !inKey && edition.IsText(c.Name) && f.table != "translations")
	}
	for _, name := range t.Key {
		f.keyed = append(f.keyed, slices.Index(f.keys, name))
	}
	for i, name := range columns {
		if name == labelKey {
			f.naming = []int{len(f.keys)} // the file's own label column
		}
		if name != "" && !slices.Contains(f.keys, name) {
			f.keys = append(f.keys, name)
			f.at = append(f.at, i)
			f.texts = append(f.texts, edition.IsText(name))
		}
	}
	return f
}

func (f *rowForm) row(rank int, cells []*string) FileRow {
	r := FileRow{f, make([]*string, len(f.keys)), rank}
	for i, at := range f.at {
		if at >= 0 && at < len(cells) {
			r.cells[i] = cells[at]
		}
	}
	return r
}

// furtherColumns reduces a table to its key and the columns that are not in the standard; other
// resources have the standard columns.
func furtherColumns(def gtfs.Table, columns []string) (gtfs.Table, []string) {
	further := slices.Clone(columns)
	for i, name := range further {
		if def.Column(name) >= 0 && !slices.Contains(def.Key, name) {
			further[i] = ""
		}
	}
	inKey := func(c gtfs.Column) bool { return slices.Contains(def.Key, c.Name) }
	def.Columns = slices.DeleteFunc(slices.Clone(def.Columns), func(c gtfs.Column) bool { return !inKey(c) })
	return def, further
}

type fileParams struct {
	wire.FeedParams
	File string `path:"file" doc:"Name of the file, from /files: transfers.txt."`
	wire.Window
}

const (
	filesPath     = wire.FeedPath + "/files"
	locationsFile = "locations.geojson"
	locationsPath = wire.FeedPath + "/locations"
)

func (a *API) fileEndpoints() rest.Table {
	t := rest.Table{
		list(a, rest.Spec{ID: "static.files", Path: filesPath, Summary: "Files of the feed",
			Doc: "All files of the zip with their columns, and those that the operator has added. " +
				"links.rows leads to the rows of a file that is served as it is.",
			Queries: rest.Queries(filesByRank), NotFound: "unknown feed"}, listFiles),
		list(a, rest.Spec{ID: "static.file", Path: filesPath + "/{file}", Summary: "Rows of a file as they are",
			Doc: "Files that the GTFS Schedule reference does not know, and those of its files that nothing is computed from. " +
				"Of stops.txt, trips.txt and others that have resources of their own: the key and the columns that those " +
				"resources do not have. " +
				"Further columns of stop_times.txt and shapes.txt are in gtfs.zip alone.",
			Queries: rest.Queries(fileByName, rowsOfFile), NotFound: "unknown feed, or no such file with rows of its own"},
			func(ctx context.Context, c *rest.Call, f *edition.Feed, p fileParams) ([]FileRow, int, error) {
				return unchangedRows(ctx, c, f, p.File, p.Window)
			}),
	}
	for _, def := range gtfs.Tables() {
		switch {
		case def.Unchanged():
			t = append(t, a.unchangedFile(def))
		case def.Plain && def.Title != "":
			t = append(t, a.plainFile(def))
		}
	}
	return append(t, list(a, rest.Spec{ID: "static.locations", Path: locationsPath,
		Summary: "Zones in which riders are collected on demand", Doc: "Features of locations.geojson.",
		Queries: rest.Queries(fileByName, rowsOfFile), NotFound: "unknown feed"}, listLocations))
}

func listFiles(ctx context.Context, c *rest.Call, f *edition.Feed, p feedPage) ([]File, int, error) {
	all, err := filesByRank.List(ctx, c, f.Key())
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

func rowsAddress(c *rest.Call, f *edition.Feed, def gtfs.Table, file string) string {
	switch {
	case def.Unchanged():
		return c.URL(wire.FeedPath+"/"+def.Resource(), f.Alias)
	case file == locationsFile:
		return c.URL(locationsPath, f.Alias)
	}
	return c.URL(filesPath+"/{file}", f.Alias, file)
}

func rowsSpec(def gtfs.Table, doc string, queries ...rest.Statement) rest.Spec {
	name := ""
	for word := range strings.SplitSeq(def.Resource(), "_") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return rest.Spec{ID: "static." + def.Resource(), Path: wire.FeedPath + "/" + def.Resource(), Summary: def.Title,
		Doc: "Rows of " + def.File + ". " + doc, Queries: queries, NotFound: "unknown feed",
		Describe: func(ss *openapi.Schemas) openapi.Schema { return wire.ListOf(ss, ss.Named(name+"Row", rowSchema(def))) }}
}

func (a *API) unchangedFile(def gtfs.Table) rest.Endpoint {
	return list(a, rowsSpec(def, "Further columns of the feed are further keys.", fileByName, rowsOfFile),
		func(ctx context.Context, c *rest.Call, f *edition.Feed, p feedPage) ([]FileRow, int, error) {
			rows, count, err := unchangedRows(ctx, c, f, def.File, p.Window)
			return rows, count, ignoreNoRows(err)
		})
}

func ignoreNoRows(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}

// unchangedRows reads a page of a file that is served as stored. The error is [pgx.ErrNoRows] if
// the feed has no such file.
func unchangedRows(ctx context.Context, c *rest.Call, f *edition.Feed, file string, w wire.Window) ([]FileRow, int,
	error) {
	def, known := gtfs.TableOf(file)
	var form *rowForm
	return storedPage(ctx, c, f, file, w, func(columns []string, rank int, cells []*string) FileRow {
		if form == nil {
			if known && !def.Unchanged() {
				def, columns = furtherColumns(def, columns)
			}
			form = newForm(def, file, columns)
		}
		return form.row(rank, cells)
	})
}

func storedPage[R any](
	ctx context.Context, c *rest.Call, f *edition.Feed, file string, w wire.Window,
	row func(columns []string, rank int, cells []*string) R,
) (rows []R, count int, err error) {
	stored, err := fileByName.One(ctx, c, fileKey{f.Version, file})
	if err != nil {
		return nil, 0, err
	}
	from, to := w.Part(stored.RowCount)
	args := rowsOf{edition.Ranks{VersionID: f.Version, Low: from, High: to}, stored.Ord}
	err = rowsOfFile.Each(ctx, c, args, func(cells []*string) error {
		rows = append(rows, row(stored.Columns, from+len(rows), cells))
		return nil
	})
	return rows, stored.RowCount, err
}

func (a *API) plainFile(def gtfs.Table) rest.Endpoint {
	cells := make([]string, len(def.Columns))
	for i, col := range def.Columns {
		switch col.Type {
		case gtfs.Time:
			cells[i] = "transit.hms(" + col.Name + ")"
		case gtfs.Date:
			cells[i] = "to_char(" + col.Name + ", 'YYYYMMDD')"
		default:
			cells[i] = col.Name + "::text"
		}
	}
	query := rest.SQL[edition.Ranks, []*string](`
	SELECT ARRAY[` + strings.Join(cells, ", ") + `] AS cells
	FROM transit.` + def.Name + `
	WHERE version_id = @version_id AND ord >= @low AND ord < @high
	ORDER BY ord`)
	form := newForm(def, def.File, def.Names())
	e := list(a, rowsSpec(def, "Times are HH:MM:SS.", query),
		func(ctx context.Context, c *rest.Call, f *edition.Feed, p feedPage) (rows []FileRow, count int, err error) {
			count = f.Counts[def.Name]
			from, to := p.Part(count)
			args := edition.Ranks{VersionID: f.Version, Low: from, High: to}
			err = query.Each(ctx, c, args, func(cells []*string) error {
				rows = append(rows, form.row(from+len(rows), cells))
				return nil
			})
			return rows, count, err
		})
	e.Translated = slices.Contains(form.texts, true)
	return e
}

// A Location is a feature of locations.geojson, unchanged.
type Location json.RawMessage

// MarshalJSON returns the stored feature.
func (l Location) MarshalJSON() ([]byte, error) { return l, nil }

// Schema describes a feature.
func (Location) Schema() openapi.Schema {
	s := openapi.Schema{Type: "object", Required: []string{"type"},
		Description: "A GeoJSON feature (RFC 7946). Its id is the location_id of stop_times.txt."}
	s.Properties.Add("type", openapi.Schema{Type: "string", Enum: []any{"Feature"}})
	s.Properties.Add("id", openapi.Schema{Type: []string{"string", "number"}})
	s.Properties.Add("properties", openapi.Schema{Type: []string{"object", "null"}})
	s.Properties.Add("geometry", openapi.Schema{Type: []string{"object", "null"}})
	return s
}

func listLocations(ctx context.Context, c *rest.Call, f *edition.Feed, p feedPage) ([]Location, int, error) {
	zones, count, err := storedPage(ctx, c, f, locationsFile, p.Window, func(_ []string, _ int, cells []*string) Location {
		if len(cells) != 1 || cells[0] == nil {
			return nil
		}
		return Location(*cells[0])
	})
	zones = slices.DeleteFunc(zones, func(z Location) bool { return z == nil })
	return zones, count, ignoreNoRows(err)
}
