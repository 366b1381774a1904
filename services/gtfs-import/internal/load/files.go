package load

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/copier"
)

// Bounds of what is kept row by row of files that the standard does not know. What is beyond them
// stays in the kept zip and in the exported one, and the audit says so.
const (
	maxOtherFiles = 100
	maxOtherBytes = 64 << 20  // of one file
	maxOtherTotal = 256 << 20 // of all
	maxFeature    = 4 << 20   // of locations.geojson
)

// locations is the file of the standard that is no table.
const locations = "locations.geojson"

// stored says which cells of a file are kept row by row, in file_row.
type stored int

const (
	storeNothing stored = iota
	storeWhole          // all: nothing is computed from the file
	storeFurther        // the key, and the columns that the file's table does not have
)

// chooseFiles decides what is kept row by row. Of the two largest files it is nothing, and of
// routes.txt, whose table has all columns.
func (l *input) chooseFiles() {
	var files int
	var total int64
	for _, s := range l.order() {
		t, known := gtfs.TableOf(s.File)
		lacks := func(column string) bool { return t.Column(column) < 0 }
		switch {
		case t.Unchanged():
			s.stored = storeWhole
		case known && t.Name != "" && s.File != "routes.txt" && slices.ContainsFunc(s.columns, lacks):
			s.stored = storeFurther
		case !known && (s.File == locations || strings.HasSuffix(s.File, ".txt")):
			files++
			total += s.Bytes
			if files <= maxOtherFiles && s.Bytes <= maxOtherBytes && total <= maxOtherTotal {
				s.stored = storeWhole
			} else {
				total -= s.Bytes
				l.note(gtfs.FileNotServed, s.File, 0, "", nil)
			}
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
		if s := l.stats[t.File]; !slices.Contains(all, s) && slices.ContainsFunc(l.Manual, func(m Manual) bool {
			return m.File == t.File && m.Op == "add"
		}) {
			all = append(all, s)
		}
	}
	return all
}

// copyFiles fills file_row.
func (l *input) copyFiles(ctx context.Context) error {
	l.chooseFiles()
	return l.copy(ctx, "file_row", "file, ord, cells", func(w *copier.Writer) error {
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
				l.unreadable(s)
				err = nil
			}
			if err != nil {
				return err
			}
			s.Known = s.Known || s.stored == storeWhole
		}
		return nil
	})
}

// unreadable leaves out a file that nothing is computed from.
func (l *input) unreadable(s *Stats) {
	l.note(gtfs.FileUnreadable, s.File, 0, "", nil)
	s.skipped = true
}

// copyRows stores the rows of a file.
func (l *input) copyRows(ctx context.Context, w *copier.Writer, s *Stats, ord int) error {
	x, err := l.open(s.File)
	if err != nil {
		return err
	}
	edits := l.Audit.Edits(s.File)
	cells := x.wide(x.cell)
	if s.stored == storeFurther {
		cells = x.wide(func(i int) []byte {
			if slices.Contains(x.def.Key, x.def.Columns[i].Name) {
				return x.raw(i)
			}
			return nil
		})
	}
	for x.next(ctx) {
		if s.stored == storeFurther && edits.Out(x.line()) || s.stored == storeWhole && !x.resolves() {
			continue
		}
		w.Nums(int32(ord), int32(s.rows))
		w.Texts(cells())
		s.rows++
		if s.stored == storeWhole {
			s.Kept++
		}
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

// wide returns a function that reads all cells of a row, those of columns that the standard does
// not have included. known reads the others.
func (x *rows) wide(known func(column int) []byte) func() [][]byte {
	names := x.stats.columns
	cells, of, at := make([][]byte, len(names)), make([]int, len(names)), make([]int, len(names))
	for i, name := range names {
		of[i], at[i] = x.def.Column(name), x.r.Column(name)
	}
	return func() [][]byte {
		for i, name := range names {
			if of[i] >= 0 {
				cells[i] = known(of[i])
			} else {
				cells[i] = x.merged(name, at[i])
			}
		}
		return cells
	}
}

// columnsOf are the columns of a file, and after them those that manual rows add.
func (x *rows) columnsOf() []string {
	var all, added []string
	for _, name := range x.r.Header() {
		if i := slices.IndexFunc(x.def.Columns, func(c gtfs.Column) bool { return strings.EqualFold(c.Name, name) }); i >= 0 {
			name = x.def.Columns[i].Name
		}
		if name != "" {
			all = append(all, name)
		}
	}
	for _, o := range x.manual {
		for name := range o.Cells {
			added = append(added, name)
		}
		for name, v := range o.Key {
			if o.Op == "add" && v != "" {
				added = append(added, name)
			}
		}
	}
	added = slices.DeleteFunc(added, func(name string) bool {
		return slices.ContainsFunc(all, func(have string) bool { return strings.EqualFold(have, name) })
	})
	slices.Sort(added)
	added = slices.Compact(added)
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
	for feature, err := range features(src) {
		if err != nil {
			return fmt.Errorf("%w: %s: %w", gtfs.ErrUnreadable, locations, err)
		}
		s.Read++
		var head struct{ Type string }
		switch {
		case len(feature) > maxFeature:
			l.note(gtfs.FeatureTooLong, s.File, 0, "feature", feature[:64])
			continue
		case json.Unmarshal(feature, &head) != nil || head.Type != "Feature":
			l.note(gtfs.BadFeature, s.File, 0, "feature", feature)
			continue
		}
		w.Nums(int32(ord), int32(s.Kept))
		w.Texts([][]byte{feature})
		s.Kept++
		s.rows++
		if err := cmp.Or(w.End(), ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// features yields the members of "features" of a feature collection, without blanks between tokens.
// Only a file that is no such collection is an error, which comes last.
func features(src io.Reader) iter.Seq2[[]byte, error] {
	d := json.NewDecoder(src)
	expect := func(want json.Delim) error {
		t, err := d.Token()
		if err == nil && t != want {
			err = fmt.Errorf("%v, want %v", t, want)
		}
		return err
	}
	errEnough := errors.New("no more features are wanted")
	members := func(yield func([]byte, error) bool) error {
		err := expect('[')
		for err == nil && d.More() {
			var raw json.RawMessage
			var b bytes.Buffer
			err = d.Decode(&raw)
			if err == nil {
				err = json.Compact(&b, raw)
			}
			if err == nil && !yield(bytes.ToValidUTF8(b.Bytes(), []byte("\uFFFD")), nil) {
				return errEnough
			}
		}
		if err == nil {
			err = expect(']')
		}
		return err
	}
	return func(yield func([]byte, error) bool) {
		err := expect('{')
		for err == nil && d.More() {
			var name json.Token
			var skipped json.RawMessage
			name, err = d.Token()
			switch {
			case err != nil:
			case name == "features":
				err = members(yield)
			default:
				err = d.Decode(&skipped)
			}
		}
		if err == nil {
			err = expect('}')
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// copyList stores the list of all files. It is the last to be stored, for it counts what the others
// have read.
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
