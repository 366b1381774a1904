// Package check judges a feed while the import reads it: rules of the GTFS reference beyond what a
// row needs to be stored, as the canonical validator has them. It sees each row of the small files
// once, keeps a few numbers of each, and at the end judges each different course of a trip and each
// pair of a course and a shape once, however many trips share them. So it costs little beside the
// reading, and its memory is bounded.
//
// It is pure: rows in, findings out. internal/load calls it; pkg/gtfs explains the findings. It
// leaves nothing out of a feed and changes nothing. rows.go has the rules about cells, days.go
// those about days, trips.go those about calls, shapes.go those about lines on the map.
package check

import (
	"slices"
	"time"

	"github.com/townline/townline/pkg/gtfs"
)

// Checks are those of one feed. Agencies, stops, routes, services and shapes are numbered as the
// import numbers them.
type Checks struct {
	note  func(gtfs.Finding)
	today int32 // days since 1970

	agencies struct {
		urls       map[string]bool // of the first ones
		zones      map[string]bool // whether a zone is known
		zone, lang []byte          // of the first
	}
	routes struct {
		line  []int32
		speed []uint16 // that is too fast for such a vehicle, in km/h
		names map[uint64]bool
	}
	services struct {
		line []int32 // of those in calendar.txt, which come first
	}
	frequency struct { // the row before
		trip  []byte
		until int
	}
	stops  stops
	shapes shapes
	partly bool      // the feed is too large to judge all of it
	legs   []float64 // of the course that is judged
}

// New returns checks that report to note what they find, as of a day.
func New(today time.Time, note func(gtfs.Finding)) *Checks {
	c := &Checks{note: note, today: dayOf(today)}
	c.agencies.urls, c.agencies.zones, c.routes.names = map[string]bool{}, map[string]bool{}, map[uint64]bool{}
	return c
}

// A RowFunc judges a row of a file by its cells, which are in the order of the file's columns in
// pkg/gtfs.
type RowFunc func(line int, cells [][]byte)

// Table begins a file; nil if its rows are not judged. has says of each column whether the file has
// it. The rows are then judged in the order of their numbers.
func (c *Checks) Table(def gtfs.Table, has []bool) RowFunc {
	f, judged := files[def.File]
	if !judged {
		return nil
	}
	r := &row{c: c, table: def}
	var required []string
	for _, name := range f.required {
		if has[def.Column(name)] {
			required = append(required, name)
		} else {
			r.report(gtfs.ColumnMissing, name, nil)
		}
	}
	return func(line int, cells [][]byte) {
		r.n, r.line, r.cells = r.n+1, line, cells
		for _, name := range required {
			if len(r.cell(name)) == 0 {
				r.report(gtfs.FieldMissing, name, nil)
			}
		}
		f.judge(r)
	}
}

// Files judges which files a feed has.
func (c *Checks) Files(has func(string) bool) {
	if !has("feed_info.txt") {
		c.note(gtfs.Finding{Code: gtfs.FileWanted, File: "feed_info.txt"})
	}
}

// Partly reports that there is more than can be judged.
func (c *Checks) Partly(file string) {
	if !c.partly {
		c.partly = true
		c.note(gtfs.Finding{Code: gtfs.PartlyChecked, File: file})
	}
}

// KnownColumn reports whether a column that the import does not read is one of GTFS.
func KnownColumn(name string) bool {
	return slices.Contains([]string{"stop_access", "cars_allowed", "cemv_support", "safe_duration_factor",
		"safe_duration_offset",
		"mean_duration_factor", "mean_duration_offset", "location_id"}, name)
}

func dayOf(t time.Time) int32 {
	y, m, d := t.Date()
	return int32(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

func dateOf(day int32) string { return time.Unix(int64(day)*86400, 0).UTC().Format("20060102") }
