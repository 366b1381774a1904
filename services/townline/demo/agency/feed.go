package agency

import (
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// trip is one row of trips.txt with its calls and its shape.
type trip struct {
	id, service, route, direction, headsign string
	// start is in seconds after the service day's midnight; after midnight it exceeds 86400.
	start int
	calls []call
	line  []point
	// every and until are the headway and the end of a trip in frequencies.txt, in seconds; 0 for
	// other trips
	every, until int
	doomed       bool // cancelled; each service has one such trip per hour
	bus          int  // fleet number; of the first bus if several run the trip
}

// call is one stop of a trip. arrive and depart are seconds after the trip's start, along is
// kilometres from the start.
type call struct {
	stop           string
	arrive, depart int
	along          float64
	timed          bool
}

// point is a vertex of a shape; along is its distance from the start in kilometres.
type point struct{ lat, lon, along float64 }

// read reads the timetable from the embedded files. Tests check the files, so a malformed number is
// 0.
func (a *Agency) read() error {
	trips := map[string]*trip{}
	err := errors.Join(a.readCalendar(), a.readTrips(trips), readStopTimes(trips),
		rows("gtfs/frequencies.txt", func(row func(string) string) {
			t := trips[row("trip_id")]
			t.every, t.until = int(decimal(row("headway_secs"))), seconds(row("end_time"))
			t.bus = 1340 // these trips have no block: several buses run each trip
			if t.service != "LANTERN" {
				t.bus = 1380
			}
		}))
	hours := map[string]bool{}
	for _, t := range a.trips {
		t.fill()
		hour := fmt.Sprint(t.service, t.start/3600)
		if t.route == "20" && !hours[hour] {
			hours[hour], t.doomed = true, true
		}
	}
	return err
}

func (a *Agency) readCalendar() error {
	return errors.Join(
		rows("gtfs/calendar.txt", func(row func(string) string) {
			var week [7]bool
			for day := range week {
				week[day] = row(strings.ToLower(time.Weekday(day).String())) == "1"
			}
			a.week[row("service_id")] = week
		}),
		rows("gtfs/calendar_dates.txt", func(row func(string) string) {
			a.exceptions[row("service_id")+row("date")] = row("exception_type") == "1"
		}),
		rows("holidays.csv", func(row func(string) string) { a.holidays[row("date")] = row("name") }))
}

func (a *Agency) readTrips(byID map[string]*trip) error {
	shapes := map[string][]point{}
	return errors.Join(
		rows("gtfs/shapes.txt", func(row func(string) string) {
			id := row("shape_id")
			shapes[id] = append(shapes[id], point{decimal(row("shape_pt_lat")), decimal(row("shape_pt_lon")),
				decimal(row("shape_dist_traveled"))})
		}),
		rows("gtfs/trips.txt", func(row func(string) string) {
			t := &trip{id: row("trip_id"), service: row("service_id"), route: row("route_id"),
				direction: row("direction_id"), headsign: row("trip_headsign"), line: shapes[row("shape_id")]}
			_, number, _ := strings.Cut(row("block_id"), "-") // a block is one bus's day
			t.bus = 1200 + int(decimal(number))
			a.trips = append(a.trips, t)
			byID[t.id] = t
		}))
}

func readStopTimes(trips map[string]*trip) error {
	return rows("gtfs/stop_times.txt", func(row func(string) string) {
		t := trips[row("trip_id")]
		c := call{stop: row("stop_id"), along: decimal(row("shape_dist_traveled")), timed: row("arrival_time") != ""}
		if len(t.calls) == 0 {
			t.start = seconds(row("departure_time"))
		}
		if c.timed {
			c.arrive, c.depart = seconds(row("arrival_time"))-t.start, seconds(row("departure_time"))-t.start
		}
		t.calls = append(t.calls, c)
	})
}

// fill interpolates missing times of calls by distance.
func (t *trip) fill() {
	last := 0
	for i, c := range t.calls {
		if !c.timed {
			continue
		}
		from := t.calls[last]
		for k := last + 1; k < i; k++ {
			share := (t.calls[k].along - from.along) / (c.along - from.along)
			t.calls[k].arrive = from.depart + int(share*float64(c.arrive-from.depart))
			t.calls[k].depart = t.calls[k].arrive
		}
		last = i
	}
}

// rows reads an embedded file and calls each for every row; row returns the cell of a column.
func rows(name string, each func(row func(column string) string)) error {
	text, err := files.ReadFile(name)
	if err != nil {
		return err
	}
	lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	column := map[string]int{}
	for i, head := range lines[0] {
		column[head] = i
	}
	for _, line := range lines[1:] {
		each(func(name string) string { return line[column[name]] })
	}
	return nil
}

func decimal(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64)
	return v
}

func seconds(s string) int {
	total := 0
	for part := range strings.SplitSeq(s, ":") {
		total = total*60 + int(decimal(part))
	}
	return total
}

// clock formats a time of GTFS; after midnight, hours exceed 23.
func clock(seconds int) string {
	return fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}

func (a *Agency) runs(service string, day time.Time) bool {
	if runs, ok := a.exceptions[service+day8(day)]; ok {
		return runs
	}
	return a.week[service][day.Weekday()]
}
