package load

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// Bounds for the stored rows of unknown files. The remaining rows are only in the zip, and the
// audit reports that.
const (
	maxOtherFiles = 100
	maxOtherBytes = 64 << 20  // of one file
	maxOtherTotal = 256 << 20 // of all files
	maxFeature    = 4 << 20   // of one feature of locations.geojson
)

// locations is the only GTFS file that is not a table.
const locations = "locations.geojson"

// stored selects which cells of a file are stored row by row, in file_row.
type stored int

const (
	storeNothing stored = iota
	storeAll            // for files that the import does not use
	storeOther          // the key, and the columns that the file's table lacks
)

// chooseStored selects the files that are stored row by row. It excludes the two largest files, and
// routes.txt, whose table has all columns.
func (l *input) chooseStored() {
	var files int
	var total int64
	for _, s := range l.order() {
		t, known := gtfs.TableOf(s.File)
		lacks := func(column string) bool { return t.Column(column) < 0 }
		switch {
		case t.Unchanged():
			s.stored = storeAll
		case known && t.Name != "" && s.File != "routes.txt" && slices.ContainsFunc(s.columns, lacks):
			s.stored = storeOther
		case !known && (s.File == locations || strings.HasSuffix(s.File, ".txt")):
			files++
			total += s.Bytes
			if files <= maxOtherFiles && s.Bytes <= maxOtherBytes && total <= maxOtherTotal {
				s.stored = storeAll
			} else {
				total -= s.Bytes
				l.note("file_not_served", s.File, 0, "", nil)
			}
		}
	}
}

// order lists the feed's files in their order, then the files that exist only in manual rows.
func (l *input) order() []*Stats {
	var all []*Stats
	for _, f := range l.feed.Files() {
		all = append(all, l.stats[f.Name])
	}
	for _, t := range gtfs.Tables() {
		if s := l.stats[t.File]; !slices.Contains(all, s) && slices.ContainsFunc(l.Manual, func(m ManualRow) bool {
			return m.File == t.File && m.Op == "add"
		}) {
			all = append(all, s)
		}
	}
	return all
}

func (l *input) copyFiles(ctx context.Context) error {
	l.chooseStored()
	return l.fill(ctx, "file_row", "file, ord, cells", func(w *stage.Writer) error {
		for ord, s := range l.order() {
			if s.stored == storeNothing {
				continue
			}
			read := l.copyRows
			if s.File == locations {
				read = l.copyFeatures
			}
			err := read(ctx, w, s, ord)
			if _, known := gtfs.TableOf(s.File); !known && ctx.Err() == nil && errors.Is(err, gtfs.ErrUnreadable) {
				l.skip(s)
				err = nil
			}
			if err != nil {
				return err
			}
			s.Known = s.Known || s.stored == storeAll
		}
		return nil
	})
}

// skip omits an unreadable file that the import does not use.
func (l *input) skip(s *Stats) {
	l.note("unreadable_file", s.File, 0, "", nil)
	s.skipped = true
}

func (l *input) copyRows(ctx context.Context, w *stage.Writer, s *Stats, ord int) error {
	x, err := l.open(s.File)
	if err != nil {
		return err
	}
	edits := l.Audit.Edits(s.File)
	cells := x.allCells(x.cell)
	check := x.checker(s.stored == storeAll)
	ofGTFS := make([][]byte, len(x.def.Columns))
	at := make([]int,
		len(s.columns))
	for i, name := range s.columns {
		at[i] = x.def.Column(name)
	}
	if s.stored == storeOther {
		cells = x.allCells(func(i int) []byte {
			if slices.Contains(x.def.Key, x.def.Columns[i].Name) {
				return x.raw(i)
			}
			return nil
		})
	}
	for x.next(ctx) {
		if s.stored == storeOther && edits.LeavesOut(x.line()) || s.stored == storeAll && !x.hasTargets() {
			continue
		}
		w.Nums(int32(ord), int32(s.rows))
		row := cells()
		w.Texts(row)
		s.rows++
		if s.stored == storeAll {
			s.Kept++
		}
		for i, cell := range row {
			if at[i] >= 0 {
				ofGTFS[at[i]] = cell
			}
		}
		check(x.line(), ofGTFS)
		if err := w.End(); err != nil {
			return err
		}
	}
	return x.end()
}

func (x *rows) hasTargets() bool {
	for i, c := range x.def.Columns {
		if ids := x.l.keys[c.Ref]; ids != nil && len(x.raw(i)) > 0 && x.resolve(i, ids) < 0 {
			return false
		}
	}
	return true
}

// allCells returns a function that reads all cells of a row. It calls gtfsCell for the columns of
// GTFS, with their index in def.Columns.
func (x *rows) allCells(gtfsCell func(column int) []byte) func() [][]byte {
	names := x.stats.columns
	cells := make([][]byte, len(names))
	inDef := make([]int, len(names))
	inFile := make([]int, len(names))
	for i, name := range names {
		inDef[i], inFile[i] = x.def.Column(name), x.r.Column(name)
	}
	return func() [][]byte {
		for i, name := range names {
			if inDef[i] >= 0 {
				cells[i] = gtfsCell(inDef[i])
			} else {
				cells[i] = x.named(name, inFile[i])
			}
		}
		return cells
	}
}

// columns returns the columns of a file, followed by the columns that only manual rows have.
func (x *rows) columns() []string {
	var all, added []string
	for _, name := range x.r.Header() {
		if i := slices.IndexFunc(x.def.Columns, func(c gtfs.Column) bool { return strings.EqualFold(c.Name, name) }); i >= 0 {
			name = x.def.Columns[i].Name
		}
		if name != "" {
			all = append(all, name)
		}
	}
	add := func(name string) {
		if !slices.ContainsFunc(append(all, added...), func(have string) bool { return strings.EqualFold(have, name) }) {
			added = append(added, name)
		}
	}
	for _, o := range x.overrides {
		for name := range o.Cells {
			add(name)
		}
		for name, v := range o.Key {
			if o.Op == "add" && v != "" {
				add(name)
			}
		}
	}
	slices.SortFunc(added, func(a, b string) int {
		if i, k := x.def.Column(a), x.def.Column(b); i >= 0 && k >= 0 {
			return i - k
		}
		return strings.Compare(a, b)
	})
	return append(all, added...)
}

// copyFeatures stores each feature of locations.geojson as a row with one cell.
func (l *input) copyFeatures(ctx context.Context, w *stage.Writer, s *Stats, ord int) error {
	src, err := l.feed.Raw(s.File)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	s.columns = []string{"feature"}
	var stop error // an error of the database, not of the file
	found, err := eachFeature(src, func(feature []byte) error {
		s.Read++
		var head struct{ Type string }
		switch {
		case len(feature) > maxFeature:
			l.note("geojson_feature_too_long", s.File, 0, "feature", feature[:64])
			return nil
		case json.Unmarshal(feature, &head) != nil || head.Type != "Feature":
			l.note("unsupported_feature_type", s.File, 0, "type", []byte(head.Type))
			return nil
		}
		l.check.Feature(feature)
		w.Nums(int32(ord), int32(s.Kept))
		w.Texts([][]byte{feature})
		s.Kept++
		s.rows++
		stop = cmp.Or(w.End(), ctx.Err())
		return stop
	})
	if err != nil && stop == nil {
		return fmt.Errorf("%w: %s: %w", gtfs.ErrUnreadable, locations, err)
	}
	if found.Code != "" {
		found.File = s.File
		l.Audit.Add(found)
	}
	return stop
}

// eachFeature yields the members of "features" of a feature collection, without white space between
// tokens. found is what is wrong with the collection; its Code is "" if nothing is.
func eachFeature(src io.Reader, yield func(feature []byte) error) (found gtfs.Finding, err error) {
	d := json.NewDecoder(src)
	expect := func(want json.Delim) error {
		t, err := d.Token()
		if err == nil && t != want {
			err = fmt.Errorf("%v, want %v", t, want)
		}
		return err
	}
	members := func() error {
		err := expect('[')
		for err == nil && d.More() {
			var raw json.RawMessage
			var b bytes.Buffer
			err = d.Decode(&raw)
			if err == nil {
				err = json.Compact(&b, raw)
			}
			if err == nil {
				err = yield(bytes.ToValidUTF8(b.Bytes(), []byte("\uFFFD")))
			}
		}
		return cmp.Or(err, expect(']'))
	}
	seen, kind := map[json.Token]bool{}, ""
	err = expect('{')
	for err == nil && d.More() {
		var name json.Token
		name, err = d.Token()
		if seen[name] {
			found = gtfs.Finding{Code: "geo_json_duplicated_element", Value: fmt.Append(nil, name)}
		}
		seen[name] = true
		switch {
		case err != nil:
		case name == "features":
			err = members()
		case name == "type":
			var text json.RawMessage
			err = d.Decode(&text)
			kind = strings.Trim(string(text), `"`)
		default:
			var skipped json.RawMessage
			err = d.Decode(&skipped)
		}
	}
	switch {
	case kind != "FeatureCollection":
		found = gtfs.Finding{Code: "unsupported_geo_json_type", Field: "type", Value: []byte(kind)}
	case !seen["features"]:
		found = gtfs.Finding{Code: "missing_required_element", Field: "features"}
	}
	return found, cmp.Or(err, expect('}'))
}

// copyList fills the table file. It runs last, because it needs the row counts of all other files.
func (l *input) copyList(ctx context.Context) error {
	return l.fill(ctx, "file", "ord, file, bytes, columns, row_count", func(w *stage.Writer) error {
		for ord, s := range l.order() {
			w.Int(ord)
			w.Text([]byte(s.File))
			w.Int(int(s.Bytes))
			if s.columns == nil {
				w.Null()
			} else {
				names := make([][]byte, len(s.columns))
				for i, name := range s.columns {
					names[i] = []byte(name)
				}
				w.Texts(names)
			}
			if s.stored == storeNothing {
				w.Null()
			} else {
				w.Int(int(s.rows))
			}
			if err := w.End(); err != nil {
				return err
			}
		}
		return nil
	})
}
