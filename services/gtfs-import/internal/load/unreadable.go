package load

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/pkg/lang"
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
		t.example = fmt.Sprintf("%.40q", cell)
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

// mostly returns the hold if more than half cannot be read; otherwise nil.
func (t *tally) mostly(code notice.HoldCode) *notice.Hold {
	if 2*t.bad <= t.all {
		return nil
	}
	return &notice.Hold{Code: code, Fields: lang.Fields{"bad": strconv.FormatInt(t.bad, 10),
		"all": strconv.FormatInt(t.all, 10), "example": t.example}}
}

// unreadable returns why departures cannot be computed from the feed: most cells or rows of a kind
// cannot be read. It returns nil if they can. Empty cells, and rows that are left out although they
// can be read, do not count.
func (l *loader) unreadable() *notice.Hold {
	hold := cmp.Or(l.trips.times.mostly("times"), l.services.weekdays.mostly("weekdays"), l.services.dates.mostly("dates"))
	if hold != nil {
		return hold
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
		if hold := rows.mostly("rows"); hold != nil {
			hold.Fields["file"] = file
			l.addFirst(hold, file)
			return hold
		}
	}
	return nil
}

// isReadable reports whether a row that is left out with this code can be read. A reference to a
// missing row can: if departures are lost by it, a comparison with the live version tells.
func isReadable(code gtfs.Code) bool {
	return slices.Contains([]gtfs.Code{"duplicate_key", "foreign_key_violation", "number_out_of_range",
		"headway_too_long"},
		code)
}

// addFirst adds the first finding that left out a row of a file, if there is one.
func (l *loader) addFirst(hold *notice.Hold, file string) {
	for _, f := range l.Audit.Lines() {
		if f.File != file || f.Effect != gtfs.RowLeftOut || isReadable(f.Code) {
			continue
		}
		hold.Code = "firstrow"
		hold.Fields["line"] = strconv.Itoa(f.Line)
		hold.Fields["field"] = f.Field
		hold.Fields["example"] = fmt.Sprintf("%.40q", f.Value)
		hold.Fields["code"] = string(f.Code)
		return
	}
}
