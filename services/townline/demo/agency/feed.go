package agency

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Service ids. Lantern Night is only in calendar_dates.txt.
const (
	weekday = "WKDY"
	weekend = "WKND"
	lantern = "LANTERN"
)

// trip is one row of trips.txt with its calls and its shape.
type trip struct {
	id, service, route, direction, headsign string
	// seconds after the service day's midnight, beyond 86400 for the small hours
	start int
	calls []call
	line  []point
	// headway and end of a trip of frequencies.txt, in seconds; 0 for all others
	every, until int
	doomed       bool // cancelled: one in each hour of a service
	bus          int  // fleet number, of the first bus where several share the trip
}

// call is one stop of a trip. arrive and depart are seconds after the trip's start, along is
// kilometres from it.
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
	err := rows("stops.txt", func(row func(string) string) { a.stops[row("stop_id")] = row("stop_name") })
	if err != nil {
		return err
	}
	shapes := map[string][]point{}
	err = rows("shapes.txt", func(row func(string) string) {
		id := row("shape_id")
		shapes[id] = append(shapes[id], point{decimal(row("shape_pt_lat")), decimal(row("shape_pt_lon")),
			decimal(row("shape_dist_traveled"))})
	})
	if err != nil {
		return err
	}
	byID := map[string]*trip{}
	err = rows("trips.txt", func(row func(string) string) {
		t := &trip{id: row("trip_id"), service: row("service_id"), route: row("route_id"), direction: row("direction_id"),
			headsign: row("trip_headsign"), line: shapes[row("shape_id")]}
		_, number, _ := strings.Cut(row("block_id"), "-") // a block is one bus's day
		t.bus = 1200 + int(decimal(number))
		a.trips = append(a.trips, t)
		byID[t.id] = t
	})
	if err != nil {
		return err
	}
	err = rows("stop_times.txt", func(row func(string) string) {
		t := byID[row("trip_id")]
		c := call{stop: row("stop_id"), along: decimal(row("shape_dist_traveled")), timed: row("arrival_time") != ""}
		if len(t.calls) == 0 {
			t.start = seconds(row("departure_time"))
		}
		if c.timed {
			c.arrive, c.depart = seconds(row("arrival_time"))-t.start, seconds(row("departure_time"))-t.start
		}
		t.calls = append(t.calls, c)
	})
	if err != nil {
		return err
	}
	hours := map[string]bool{}
	for _, t := range a.trips {
		t.fill()
		hour := fmt.Sprint(t.service, t.start/3600)
		if t.route == "20" && !hours[hour] {
			hours[hour], t.doomed = true, true
		}
	}
	return rows("frequencies.txt", func(row func(string) string) {
		t := byID[row("trip_id")]
		t.every, t.until = int(decimal(row("headway_secs"))), seconds(row("end_time"))
		t.bus = 1340 // these have no block: several buses share the trip
		if t.service != lantern {
			t.bus = 1380
		}
	})
}

// fill interpolates the times of calls without one, by distance.
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

// rows reads an embedded file and calls each with a function that returns a cell by column.
func rows(name string, each func(row func(column string) string)) error {
	text, err := files.ReadFile("gtfs/" + name)
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

// seconds parses a time of GTFS.
func seconds(s string) int {
	total := 0
	for part := range strings.SplitSeq(s, ":") {
		total = total*60 + int(decimal(part))
	}
	return total
}

// clock formats a time of GTFS; hours exceed 23 after midnight.
func clock(seconds int) string {
	return fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}

// exceptions returns the rows of calendar_dates.txt: the weekend timetable on public holidays, and
// the shuttle of Lantern Night, the first Saturday of each month.
func exceptions(first, last time.Time) string {
	var out strings.Builder
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		if holiday(day) != "" && !free(day) {
			fmt.Fprintf(&out, "%s,%s,2\n%s,%s,1\n", weekday, day8(day), weekend, day8(day))
		}
		if lanternNight(day) {
			fmt.Fprintf(&out, "%s,%s,1\n", lantern, day8(day))
		}
	}
	return out.String()
}

func free(day time.Time) bool { return day.Weekday() == time.Saturday || day.Weekday() == time.Sunday }

func lanternNight(day time.Time) bool { return day.Weekday() == time.Saturday && day.Day() <= 7 }

// runs reports whether a service operates on a day.
func runs(service string, day time.Time) bool {
	if service == lantern {
		return lanternNight(day)
	}
	return (service == weekend) == (free(day) || holiday(day) != "")
}

// holiday returns the public holiday on a day, or "".
func holiday(day time.Time) string {
	m, d, wd := day.Month(), day.Day(), day.Weekday()
	switch {
	case m == time.January && d == 1:
		return "New Year's Day"
	case m == time.May && wd == time.Monday && d > 24:
		return "Memorial Day"
	case m == time.July && d == 4:
		return "Independence Day"
	case m == time.September && wd == time.Monday && d <= 7:
		return "Labor Day"
	case m == time.November && wd == time.Thursday && d > 21 && d <= 28:
		return "Thanksgiving Day"
	case m == time.December && d == 25:
		return "Christmas Day"
	}
	return ""
}
