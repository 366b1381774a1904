package check

import (
	"bytes"
	"hash/fnv"
	"slices"

	"github.com/townline/townline/pkg/gtfs"
)

// checks are the functions that check the rows of files.
var checks = map[string]func(*row){
	"agency.txt":       (*row).agency,
	"stops.txt":        (*row).location,
	"routes.txt":       (*row).route,
	"calendar.txt":     (*row).calendar,
	"feed_info.txt":    (*row).feedInfo,
	"frequencies.txt":  (*row).frequency,
	"translations.txt": (*row).translation,
	"timeframes.txt":   (*row).timeframe,
}

type row struct {
	c     *Checker
	table gtfs.Table
	n     int // row number, from 1
	line  int
	cells [][]byte
	raw   func(column string) []byte
	short bool            // the row has fewer cells than the header
	seen  map[uint64]bool // hashes of rows, for again
}

func (r *row) cell(column string) []byte { return r.cells[r.table.Column(column)] }

// reportIf reports a cell, or the whole row if column is "".
func (r *row) reportIf(broken bool, code gtfs.Code, column string) {
	switch {
	case broken && column == "":
		r.report(code, "", nil)
	case broken:
		r.report(code, column, r.cell(column))
	}
}

// report skips short rows, which have a finding of their own.
func (r *row) report(code gtfs.Code, column string, value []byte) {
	if r.short {
		return
	}
	f := gtfs.Finding{Code: code, File: r.table.File, Line: r.line, Field: column, Value: value}
	if len(r.table.Key) > 0 {
		f.RowID = r.cell(r.table.Key[0])
	}
	r.c.note(f)
}

// has reports whether any of the columns has a value, valid or not.
func (r *row) has(columns ...string) bool {
	return slices.ContainsFunc(columns, func(column string) bool { return len(r.raw(column)) > 0 })
}

func (r *row) is(column, value string) bool { return string(r.raw(column)) == value }

func (r *row) number(column string) (n int, ok bool) {
	f, ok := gtfs.ParseFloat(r.cell(column))
	return int(f), ok && f == float64(int(f))
}

// seconds returns a time; None if it is missing or invalid.
func (r *row) seconds(column string) int {
	if s, ok := gtfs.ParseTime(r.cell(column)); ok {
		return s
	}
	return None
}

// stop returns the number of the stop that a column names; -1 if there is none.
func (r *row) stop(column string) int32 { return r.c.find("stops.txt", r.cell(column)) }

func (r *row) kind() int {
	kind, ok := gtfs.ParseUint(r.cell("location_type"))
	if !ok || kind > boardingArea {
		kind = platform
	}
	return kind
}

// maxHashes bounds the number of rows per file that again compares.
const maxHashes = 1e6

// again reports whether an earlier row has the same cells in the columns.
func (r *row) again(columns ...string) bool {
	h := fnv.New64a()
	for _, column := range columns {
		_, _ = h.Write([]byte(column))
		_, _ = h.Write(r.cell(column))
		_, _ = h.Write([]byte{0})
	}
	again := r.seen[h.Sum64()]
	if len(r.seen) < maxHashes {
		r.seen[h.Sum64()] = true
	}
	return again
}

const maxRemembered = 1000

// inOrder reports a start date after the end date. Dates compare as strings.
func (r *row) inOrder(start, end string) {
	from, to := r.cell(start), r.cell(end)
	r.reportIf(len(from) > 0 && len(to) > 0 && bytes.Compare(from, to) > 0, "start_and_end_range_out_of_order", end)
}

func (r *row) timeRange(from, to int) {
	r.reportIf(from != None && to != None && to < from, "start_and_end_range_out_of_order", "end_time")
	r.reportIf(from != None && to == from, "start_and_end_range_equal", "end_time")
}

func (r *row) timeframe() {
	from, to := r.seconds("start_time"), r.seconds("end_time")
	r.timeRange(from, to)
	if !r.has("start_time") {
		from = 0
	}
	if !r.has("end_time") {
		to = 24 * 60 * 60
	}
	r.keepInterval(from, to, "timeframe_group_id", "service_id")
}

func (r *row) frequency() {
	from, to := r.seconds("start_time"), r.seconds("end_time")
	r.timeRange(from, to)
	r.keepInterval(from, to, "trip_id")
}

type interval struct {
	group          string // cells, each ended by a zero byte: intervals of the same group must not overlap
	from, to, line int
}

func (r *row) keepInterval(from, to int, group ...string) {
	file := r.table.File
	switch {
	case from == None || to == None:
		return
	case len(r.c.intervals[file]) >= maxKept:
		r.c.Partly(file)
		return
	}
	i := interval{from: from, to: to, line: r.line}
	for _, column := range group {
		i.group += string(r.cell(column)) + "\x00"
	}
	r.c.intervals[file] = append(r.c.intervals[file], i)
}
