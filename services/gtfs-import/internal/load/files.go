package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/copier"
)

// Bounds of what is kept row by row of files that the standard does not know. What is beyond them stays in the kept zip and in the
// exported one, and the audit says so.
const (
	maxOtherFiles = 100
	maxOtherBytes = 64 << 20  // of one file
	maxOtherTotal = 256 << 20 // of all
	maxFeature    = 4 << 20   // of locations.geojson
)

// locations is the file of the standard that is no table.
const locations = "locations.geojson"

// chooseFiles decides of which files the rows are kept as they are.
func (l *input) chooseFiles() {
	var files int
	var total int64
	for _, f := range l.feed.Files() {
		s := l.stats[f.Name]
		t, known := gtfs.TableOf(f.Name)
		switch {
		case known:
			s.asIs = t.Unchanged()
		case f.Name == locations, strings.HasSuffix(f.Name, ".txt"):
			files++
			total += f.Bytes
			s.asIs = files <= maxOtherFiles && f.Bytes <= maxOtherBytes && total <= maxOtherTotal
			if !s.asIs {
				total -= f.Bytes
				l.note(gtfs.FileNotServed, f.Name, 0, "", nil)
			}
		}
	}
	for i := range l.Manual { // files that manual rows alone make up
		if t, known := gtfs.TableOf(l.Manual[i].File); known && t.Unchanged() {
			l.stats[t.File].asIs = true
		}
	}
}

// order lists the files: those of the feed in its order, then those that manual rows alone make up.
func (l *input) order() []*Stats {
	var all []*Stats
	for _, f := range l.feed.Files() {
		all = append(all, l.stats[f.Name])
	}
	for _, t := range gtfs.Tables() {
		if s := l.stats[t.File]; !slices.Contains(all, s) && slices.ContainsFunc(l.Manual, func(m Manual) bool { return m.File == t.File && m.Op == "add" }) {
			all = append(all, s)
		}
	}
	return all
}

// copyFiles stores the rows of files that are kept as they are.
func (l *input) copyFiles(ctx context.Context) error {
	l.chooseFiles()
	return l.copy(ctx, "file_row", "file, ord, cells", func(w *copier.Writer) error {
		for ord, s := range l.order() {
			s.further = l.hasFurther(s)
			if s.further {
				if err := l.copyFurther(ctx, w, s, ord); err != nil {
					return err
				}
			}
			if !s.asIs {
				continue
			}
			read := l.copyRows
			if s.File == locations {
				read = l.copyFeatures
			}
			err := read(ctx, w, s, ord)
			_, known := gtfs.TableOf(s.File)
			switch {
			case err == nil:
			case !known && ctx.Err() == nil && errors.Is(err, gtfs.ErrUnreadable):
				l.unreadable(s)
			default:
				return err
			}
			s.Known = true
		}
		return nil
	})
}

// unreadable leaves out a file that nothing is computed from.
func (l *input) unreadable(s *Stats) {
	l.note(gtfs.FileUnreadable, s.File, 0, "", nil)
	s.skipped = true
}

// copyRows stores the rows of a file with all columns that it has.
func (l *input) copyRows(ctx context.Context, w *copier.Writer, s *Stats, ord int) error {
	x, err := l.open(s.File)
	if err != nil {
		return err
	}
	def, at := make([]int, len(s.columns)), make([]int, len(s.columns))
	for i, name := range s.columns {
		def[i], at[i] = x.def.Column(name), -1
		if x.r != nil {
			at[i] = x.r.Column(name)
		}
	}
	cells := make([][]byte, len(s.columns))
	for x.next(ctx) {
		if !x.resolves() {
			continue
		}
		for i := range cells {
			if def[i] >= 0 {
				cells[i] = x.cell(def[i])
			} else {
				cells[i] = x.other(s.columns[i], at[i])
			}
		}
		w.Nums(int32(ord), int32(s.Kept))
		w.Texts(cells)
		s.Kept++
		if err := w.End(); err != nil {
			return err
		}
	}
	return x.close()
}

// hasFurther reports whether a file has a table of its own that does not have all of its columns. Those of the two largest files, and of
// routes.txt, whose table has them, are not kept row by row.
func (l *input) hasFurther(s *Stats) bool {
	t, known := gtfs.TableOf(s.File)
	return known && t.Name != "" && s.File != "routes.txt" && slices.ContainsFunc(s.columns, func(name string) bool { return t.Column(name) < 0 })
}

// copyFurther stores the key and the further columns of the rows of a file that are used.
func (l *input) copyFurther(ctx context.Context, w *copier.Writer, s *Stats, ord int) error {
	x, err := l.open(s.File)
	if err != nil {
		return err
	}
	edits := l.Audit.Edits(s.File)
	at := make([]int, len(s.columns))
	for i, name := range s.columns {
		at[i] = -1
		if x.r != nil {
			at[i] = x.r.Column(name)
		}
	}
	cells := make([][]byte, len(s.columns))
	for x.next(ctx) {
		if line := x.line(); line > 0 && edits.Out(line) {
			continue
		}
		for i, name := range s.columns {
			cells[i] = nil
			if k := x.def.Column(name); k < 0 {
				cells[i] = x.other(name, at[i])
			} else if slices.Contains(x.def.Key, name) {
				cells[i] = x.raw(k)
			}
		}
		w.Nums(int32(ord), int32(s.furtherRows))
		w.Texts(cells)
		s.furtherRows++
		if err := w.End(); err != nil {
			return err
		}
	}
	return x.close()
}

// resolves reports whether everything is in the feed that the row refers to.
func (x *rows) resolves() bool {
	for i, c := range x.def.Columns {
		if ids := x.l.keys[c.Ref]; ids != nil && len(x.raw(i)) > 0 && x.refer(i, ids) < 0 {
			return false
		}
	}
	return true
}

// other returns a cell of a column that the standard does not know, by its name and its index in the file.
func (x *rows) other(name string, at int) []byte {
	if x.now != nil {
		if v, ok := x.now.Cells[name]; ok {
			return []byte(v)
		}
		if x.now.Op == "add" {
			return nil
		}
	}
	return x.r.Cell(at)
}

// columnsOf are the columns of a file, and after them those that manual rows add.
func (x *rows) columnsOf() []string {
	var all []string
	if x.r != nil {
		for _, name := range x.r.Header() {
			if name == "" {
				continue
			}
			if i := slices.IndexFunc(x.def.Columns, func(c gtfs.Column) bool { return strings.EqualFold(c.Name, name) }); i >= 0 {
				name = x.def.Columns[i].Name
			}
			all = append(all, name)
		}
	}
	manual := map[string]bool{}
	for _, o := range x.manual {
		for name := range o.Cells {
			manual[name] = true
		}
		if o.Op == "add" {
			for name, v := range o.Key {
				manual[name] = v != ""
			}
		}
	}
	var added []string
	for name, used := range manual {
		if used && !slices.ContainsFunc(all, func(have string) bool { return strings.EqualFold(have, name) }) {
			added = append(added, name)
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

// copyFeatures stores the features of locations.geojson, each as a row of one cell.
func (l *input) copyFeatures(ctx context.Context, w *copier.Writer, s *Stats, ord int) error {
	src, err := l.feed.Raw(s.File)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	s.columns = []string{"feature"}
	return eachFeature(src, func(feature []byte) error {
		s.Read++
		if len(feature) > maxFeature {
			l.note(gtfs.FeatureTooLong, s.File, 0, "feature", feature[:64])
			return nil
		}
		var head struct{ Type string }
		if err := json.Unmarshal(feature, &head); err != nil || head.Type != "Feature" {
			l.note(gtfs.BadFeature, s.File, 0, "feature", feature)
			return nil
		}
		w.Nums(int32(ord), int32(s.Kept))
		w.Texts([][]byte{feature})
		s.Kept++
		if s.Read&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return w.End()
	})
}

// eachFeature yields the members of "features" of a feature collection, without blanks between tokens. Only a file that is no such
// collection is an error.
func eachFeature(src io.Reader, yield func([]byte) error) error {
	d := json.NewDecoder(src)
	bad := func(err error) error {
		return fmt.Errorf("%w: %s: %w", gtfs.ErrUnreadable, locations, err)
	}
	expect := func(want json.Delim) error {
		t, err := d.Token()
		if err == nil && t != want {
			err = fmt.Errorf("%v, want %v", t, want)
		}
		return err
	}
	if err := expect('{'); err != nil {
		return bad(err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return bad(err)
		}
		if name != "features" {
			var skipped json.RawMessage
			if err := d.Decode(&skipped); err != nil {
				return bad(err)
			}
			continue
		}
		if err := expect('['); err != nil {
			return bad(err)
		}
		for d.More() {
			var raw json.RawMessage
			if err := d.Decode(&raw); err != nil {
				return bad(err)
			}
			var b bytes.Buffer
			if err := json.Compact(&b, raw); err != nil {
				return bad(err)
			}
			if err := yield(bytes.ToValidUTF8(b.Bytes(), []byte("\uFFFD"))); err != nil {
				return err
			}
		}
		if err := expect(']'); err != nil {
			return bad(err)
		}
	}
	if err := expect('}'); err != nil {
		return bad(err)
	}
	return nil
}

// copyList stores the list of all files. It is the last to be stored, for it counts what the others have read.
func (l *input) copyList(ctx context.Context) error {
	return l.copy(ctx, "file", "ord, file, bytes, columns, row_count", func(w *copier.Writer) error {
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
			switch {
			case s.asIs:
				w.Int(int(s.Kept))
			case s.further:
				w.Int(int(s.furtherRows))
			default:
				w.Null()
			}
			if err := w.End(); err != nil {
				return err
			}
		}
		return nil
	})
}
