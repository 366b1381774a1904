package load

import (
	"fmt"
	"slices"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/audit"
)

// A tally counts cells, or rows, and those that cannot be read.
type tally struct {
	all, bad int64
	example  string // the first that cannot be read
}

func (t *tally) add(ok bool, cell []byte) {
	t.all++
	if ok {
		return
	}
	if t.bad == 0 {
		t.example = fmt.Sprintf(", such as %.40q", cell)
	}
	t.bad++
}

// count counts arrival and departure, of which noTime is no cell, and an equal departure none of its own.
func (t *tally) count(arrival, departure int32) {
	if arrival != noTime {
		t.all++
	}
	if departure != noTime && departure != arrival {
		t.all++
	}
}

// mostly returns a sentence if more than half cannot be read; otherwise "".
func (t *tally) mostly(what string) string {
	if 2*t.bad <= t.all {
		return ""
	}
	return fmt.Sprintf("most %s cannot be read: %d of %d%s", what, t.bad, t.all, t.example)
}

// unreadable returns why departures cannot be computed from the feed: most cells or rows of a kind
// cannot be read. It returns "" if they can. Empty cells, and rows that are left out although they
// can be read, do not count.
func (l *loader) unreadable() string {
	for _, reason := range []string{
		l.trips.times.mostly("times of stop_times.txt"),
		l.services.weekdays.mostly("weekdays of calendar.txt"),
		l.services.dates.mostly("dates of calendar.txt"),
	} {
		if reason != "" {
			return reason
		}
	}
	readable := map[string]int64{} // rows that are left out for another reason
	for _, t := range l.Audit.Totals() {
		if t.Effect == gtfs.RowLeftOut && isReadable(t.Code) {
			readable[t.File] += int64(t.Count)
		}
	}
	for _, file := range []string{"stops.txt", "routes.txt", "calendar.txt", "calendar_dates.txt", "trips.txt", callsFile,
		"frequencies.txt"} {
		s := l.stats[file]
		rows := tally{all: s.Read - s.Hidden - readable[file]}
		rows.bad = rows.all - s.Kept
		if reason := rows.mostly("rows of " + file); reason != "" {
			return reason + l.firstLeftOut(file)
		}
	}
	return ""
}

// isReadable reports whether a row that is left out with this code can be read. A reference to a
// missing row can: if departures are lost by it, a comparison with the live version tells.
func isReadable(code gtfs.Code) bool {
	return slices.Contains([]gtfs.Code{"duplicate_key", "foreign_key_violation", "number_out_of_range",
		"headway_too_long"},
		code)
}

// firstLeftOut returns the first finding that left out a row of a file.
func (l *loader) firstLeftOut(file string) string {
	for _, f := range l.Audit.Lines() {
		if f.File == file && f.Effect == gtfs.RowLeftOut && !isReadable(f.Code) {
			return describe(f)
		}
	}
	return ""
}

func describe(f audit.Line) string {
	return fmt.Sprintf("; line %d: %s %.40q (%s)", f.Line, f.Field, f.Value, f.Code)
}
