package observe

import (
	"slices"
	"time"

	"github.com/townline/townline/pkg/gtfsrt/assign"
)

// None is the value of a time that is unknown.
const None int32 = -1 << 31

// A Trip is a trip of the timetable. Times are seconds from its start.
type Trip struct {
	ID, Route string
	Direction string // "0", "1" or ""
	Service   *Service
	Start     int32 // seconds of the service day
	*Pattern
	Arrivals, Departures []int32 // None if the cell is empty
	Expected             []int32 // arrivals, interpolated where the cell is empty
	Headways             []Headway

	assigned *assign.Timetable // of table
}

// table returns the trip for package assign, which decides for boards too which run an update is
// about.
func (t *Trip) table() *assign.Timetable {
	if t.assigned == nil {
		t.assigned = t.newTable()
	}
	return t.assigned
}

func (t *Trip) newTable() *assign.Timetable {
	return &assign.Timetable{Sequences: t.Sequences, StopIDs: t.StopIDs, Arrivals: t.Expected,
		Departure: func(i int) int64 {
			if t.Departures[i] != None {
				return int64(t.Departures[i])
			}
			return int64(t.Expected[i])
		},
		Code: func(stop string) string { return t.Codes[stop] }}
}

// A Pattern has the calls of one or more trips.
type Pattern struct {
	Sequences  []int32
	Stops      []string // "" for a call at a zone
	StopIDs    []*string
	Codes      map[string]string // stop_code by stop_id
	Timepoints []bool            // nil if all calls are timepoints
	distances  []float64         // nil if the feed does not give them for each call
}

// A Headway is a row of frequencies.txt.
type Headway struct {
	From, To, Every int32
	Exact           bool
}

// keepsHeadway reports whether a run that starts at a second of the day keeps a headway only: then it
// has no planned times.
func (t *Trip) keepsHeadway(start int32) bool {
	return slices.ContainsFunc(t.Headways, func(h Headway) bool { return !h.Exact && start >= h.From && start < h.To }) ||
		len(t.Headways) > 0 && !slices.ContainsFunc(t.Headways, func(h Headway) bool { return h.Exact })
}

// A Service has the days on which trips run. Days are numbered from 1 January 1970.
type Service struct {
	Weekdays       string // '0' or '1' for each weekday, from Sunday
	First, Last    int32
	Added, Removed []int32 // ascending
}

// Runs reports whether the service runs on a day.
func (s *Service) Runs(day int32) bool {
	if s == nil {
		return false
	}
	if _, ok := slices.BinarySearch(s.Added, day); ok {
		return true
	}
	if _, ok := slices.BinarySearch(s.Removed, day); ok {
		return false
	}
	weekday := int((day+4)%7+7) % 7 // 1 January 1970 was a Thursday
	return day >= s.First && day <= s.Last && weekday < len(s.Weekdays) && s.Weekdays[weekday] == '1'
}

// A Timetable finds the trips of one version of a feed.
type Timetable interface {
	// Trip returns nil if the timetable does not have the trip.
	Trip(id string) *Trip
}

// A Zone counts service days.
type Zone struct{ *time.Location }

// Start returns the Unix time from which the seconds of a service day are counted: noon minus
// twelve hours, which is not midnight when the clock changes.
func (z Zone) Start(day int32) int64 {
	d := time.Unix(int64(day)*86400, 0).UTC()
	return time.Date(d.Year(), d.Month(), d.Day(), 12, 0, 0, 0, z.Location).Unix() - 12*3600
}

// Day returns the local day of an instant.
func (z Zone) Day(at int64) int32 {
	y, m, d := time.Unix(at, 0).In(z.Location).Date()
	return int32(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// Date returns a day as a date.
func Date(day int32) time.Time { return time.Unix(int64(day)*86400, 0).UTC() }

// DayOf returns the number of a date.
func DayOf(date time.Time) int32 { return int32(date.Unix() / 86400) }

// parseDay parses YYYYMMDD.
func parseDay(text []byte) (int32, bool) {
	date, err := time.Parse("20060102", string(text))
	return DayOf(date), err == nil
}

// parseClock parses HH:MM:SS.
func parseClock(text []byte) (int32, bool) {
	var part, digits int
	var parts [3]int32
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9' && digits < 3:
			parts[part] = parts[part]*10 + int32(c-'0')
			digits++
		case c == ':' && part < 2 && digits > 0:
			part, digits = part+1, 0
		default:
			return 0, false
		}
	}
	return parts[0]*3600 + parts[1]*60 + parts[2], part == 2 && digits > 0 && parts[1] < 60 && parts[2] < 60
}

// length returns the seconds from the start of the trip to its last call.
func (t *Trip) length() int32 {
	if len(t.Expected) == 0 {
		return 0
	}
	return t.Expected[len(t.Expected)-1]
}
