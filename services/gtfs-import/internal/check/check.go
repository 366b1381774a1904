// Package check judges a feed while the import reads it: rules of the GTFS reference beyond what a row needs to be stored, as the
// canonical validator has them. It sees each row of the small files once, keeps a few numbers of each, and at the end judges each
// different course of a trip and each pair of a course and a shape once, however many trips share them. So it costs little beside
// the reading, and its memory is bounded.
//
// It is pure: rows in, findings out. internal/load calls it; pkg/gtfs explains the findings. It leaves nothing out of a feed and
// changes nothing. row.go has the rules about cells, one file a kind of row; days.go those about days, trips.go those about calls,
// shapes.go those about lines on the map.
package check

import (
	"time"

	"github.com/townline/townline/pkg/gtfs"
)

// Checks are those of one feed.
type Checks struct {
	note  func(gtfs.Finding)
	today int32 // days since 1970

	agencies agencies
	routes   routes
	stops    stops
	services services
	shapes   shapes
	partly   bool      // the feed is too large to judge all of it
	legs     []float64 // of the course that is judged
}

// New returns checks that report to note what they find, as of a day.
func New(today time.Time, note func(gtfs.Finding)) *Checks {
	return &Checks{note: note, today: dayOf(today), agencies: agencies{urls: map[string]bool{}, zones: map[string]bool{}}, routes: routes{names: map[uint64]bool{}}}
}

// A Row judges a row of a file by its cells, which are in the order of the file's columns in pkg/gtfs.
type Row func(line int, cells [][]byte)

// Table begins a file. has says of each column whether the file has it. The rows are then judged in the order of their numbers.
func (c *Checks) Table(def gtfs.Table, has []bool) Row {
	t := table{c: c, def: def, has: has}
	for _, name := range required(def.File) {
		if i := def.Column(name); i >= 0 && !has[i] {
			c.note(gtfs.Finding{Code: gtfs.ColumnMissing, File: def.File, Field: name})
		} else if i >= 0 {
			t.required = append(t.required, i)
		}
	}
	judge := t.judge()
	return func(line int, cells [][]byte) {
		for _, i := range t.required {
			if len(cells[i]) == 0 {
				t.report(gtfs.FieldMissing, line, i, nil)
			}
		}
		if judge != nil {
			judge(line, cells)
		}
	}
}

// required are the columns of a file that each row fills in, besides those without which a row is left out.
func required(file string) []string {
	switch file {
	case "agency.txt":
		return []string{"agency_name", "agency_url", "agency_timezone"}
	case "routes.txt":
		return []string{"route_type"}
	case "calendar.txt":
		return []string{"start_date", "end_date"}
	case "feed_info.txt":
		return []string{"feed_publisher_name", "feed_publisher_url", "feed_lang"}
	}
	return nil
}

// table is a file that is being read.
type table struct {
	c        *Checks
	def      gtfs.Table
	has      []bool
	required []int
}

// report notes a finding; column -1 is the row as a whole.
func (t *table) report(code gtfs.Code, line, column int, value []byte) {
	field := ""
	if column >= 0 {
		field = t.def.Columns[column].Name
	}
	t.c.note(gtfs.Finding{Code: code, File: t.def.File, Line: line, Field: field, Value: value})
}

func (t *table) judge() Row {
	switch t.def.File {
	case "agency.txt":
		return t.agency()
	case "stops.txt":
		return t.stop()
	case "routes.txt":
		return t.route()
	case "calendar.txt":
		return t.calendar()
	case "feed_info.txt":
		return t.feedInfo()
	case "frequencies.txt":
		return t.frequency()
	}
	return nil
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
	switch name {
	case "stop_access", "cars_allowed", "cemv_support", "safe_duration_factor", "safe_duration_offset", "mean_duration_factor", "mean_duration_offset", "location_id":
		return true
	}
	return false
}

func dayOf(t time.Time) int32 {
	y, m, d := t.Date()
	return int32(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

func dateOf(day int32) string { return time.Unix(int64(day)*86400, 0).UTC().Format("20060102") }
