package agency

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"
)

// table is one file of the feed: its name, its columns, its rows.
type table struct {
	name string
	head []string
	rows [][]string
}

// add appends a row; cells are in the order of the head.
func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// pack writes the tables into a zip. Entries carry the given time, so equal tables make equal bytes.
func pack(tables []*table, stamp time.Time) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, t := range tables {
		f, err := z.CreateHeader(&zip.FileHeader{Name: t.name, Method: zip.Deflate, Modified: stamp})
		if err != nil {
			return nil, fmt.Errorf("add %s to the zip: %w", t.name, err)
		}
		if err := t.write(f); err != nil {
			return nil, fmt.Errorf("write %s: %w", t.name, err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("finish the zip: %w", err)
	}
	return out.Bytes(), nil
}

// write prints the table as CSV.
func (t *table) write(to io.Writer) error {
	w := csv.NewWriter(to)
	if err := w.Write(t.head); err != nil {
		return err
	}
	return w.WriteAll(t.rows)
}

// day8 is a date as GTFS writes it.
func day8(day time.Time) string { return day.Format("20060102") }

// clock is a time of day as GTFS writes it; hours go beyond 23 for service after midnight.
func clock(seconds int) string {
	return fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}

// decimal prints a coordinate or a distance with so many digits.
func decimal(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }

// tables are the files of the feed that is valid on a day. baseURL is the agency's own site.
func (t *timetable) tables(day time.Time, baseURL string) []*table {
	first, last := validity(day)
	return []*table{
		{name: "agency.txt", head: []string{"agency_id", "agency_name", "agency_url", "agency_timezone", "agency_lang", "agency_phone", "agency_fare_url", "agency_email"},
			rows: [][]string{{agencyID, "Alder Bay Transit", baseURL, zone, "en", "707-555-0142", baseURL + "/fares", "hello@transit.alderbay.example"}}},
		{name: "feed_info.txt", head: []string{"feed_publisher_name", "feed_publisher_url", "feed_lang", "feed_start_date", "feed_end_date", "feed_version"},
			rows: [][]string{{"Alder Bay Transit", baseURL, "en", day8(first), day8(last), day.Format("2006-01")}}},
		routesTable(baseURL), t.stopsTable(baseURL),
		{name: "calendar.txt", head: []string{"service_id", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "start_date", "end_date"},
			rows: [][]string{
				{weekday, "1", "1", "1", "1", "1", "0", "0", day8(first), day8(last)},
				{weekend, "0", "0", "0", "0", "0", "1", "1", day8(first), day8(last)},
			}},
		exceptionsTable(first, last), t.tripsTable(), t.stopTimesTable(), t.shapesTable(), t.frequenciesTable(),
		{name: "directions.txt", head: []string{"route_id", "direction_id", "direction"},
			rows: [][]string{{"10", "0", "Clockwise"}, {"10", "1", "Counterclockwise"}, {"20", "0", "Northbound"}, {"20", "1", "Southbound"}}},
	}
}

// routesTable is routes.txt; its last column is none of GTFS's, as agencies like to add them.
func routesTable(baseURL string) *table {
	return &table{
		name: "routes.txt",
		head: []string{"route_id", "agency_id", "route_short_name", "route_long_name", "route_desc", "route_type", "route_url", "route_color", "route_text_color", "route_sort_order", "brand"},
		rows: [][]string{
			{"10", agencyID, "10", "Harbor Loop", "Around the harbor and downtown, every 20 minutes", "3", baseURL + "/routes/10", "00788A", "FFFFFF", "1", "Loop"},
			{"20", agencyID, "20", "Coast Line", "Along the coast to Point Alder, or inland to the College", "3", baseURL + "/routes/20", "F2A900", "1A1A1A", "2", "Coast"},
		},
	}
}

func (t *timetable) stopsTable(baseURL string) *table {
	out := &table{name: "stops.txt", head: []string{"stop_id", "stop_code", "stop_name", "tts_stop_name", "stop_lat", "stop_lon", "zone_id", "stop_url", "location_type", "parent_station", "wheelchair_boarding", "platform_code"}}
	for _, s := range t.stops {
		url := ""
		if s.kind == "1" {
			url = baseURL + "/ferry-terminal"
		}
		boarding := "1"
		if s.id == "2103" { // a rock on a cliff
			boarding = "2"
		}
		out.add(s.id, s.code, s.name, s.spoken, decimal(lat(s.y), 6), decimal(lon(s.x), 6), s.zone, url, s.kind, s.parent, boarding, s.platform)
	}
	return out
}

func exceptionsTable(first, last time.Time) *table {
	out := &table{name: "calendar_dates.txt", head: []string{"service_id", "date", "exception_type"}}
	for _, e := range exceptions(first, last) {
		kind := "2"
		if e.added {
			kind = "1"
		}
		out.add(e.service, day8(e.day), kind)
	}
	return out
}

func (t *timetable) tripsTable() *table {
	out := &table{name: "trips.txt", head: []string{"route_id", "service_id", "trip_id", "trip_headsign", "direction_id", "block_id", "shape_id", "wheelchair_accessible", "bikes_allowed"}}
	for _, tr := range t.trips {
		out.add(tr.route, tr.service, tr.id, tr.pattern.headsign, tr.direction, tr.block, tr.shape, "1", "1")
	}
	return out
}

// stopTimesTable is stop_times.txt: calls that are no timepoint have no time, as riders' guides print only timepoints.
func (t *timetable) stopTimesTable() *table {
	out := &table{name: "stop_times.txt", head: []string{"trip_id", "arrival_time", "departure_time", "stop_id", "stop_sequence", "stop_headsign", "pickup_type", "drop_off_type", "shape_dist_traveled", "timepoint"}}
	for _, tr := range t.trips {
		for i, c := range tr.calls {
			arrive, depart, timepoint := "", "", "0"
			if c.timed {
				arrive, depart, timepoint = clock(tr.start+c.arrive), clock(tr.start+c.depart), "1"
			}
			pickup, dropOff := "0", "0"
			if i == 0 {
				dropOff = "1"
			}
			if i == len(tr.calls)-1 {
				pickup = "1"
			}
			out.add(tr.id, arrive, depart, c.stop, strconv.Itoa(i+1), c.headsign, pickup, dropOff, decimal(c.along, 3), timepoint)
		}
	}
	return out
}

func (t *timetable) shapesTable() *table {
	out := &table{name: "shapes.txt", head: []string{"shape_id", "shape_pt_lat", "shape_pt_lon", "shape_pt_sequence", "shape_dist_traveled"}}
	for _, p := range t.patterns {
		for i, v := range p.line {
			out.add(p.shape, decimal(lat(v.y), 6), decimal(lon(v.x), 6), strconv.Itoa(i+1), decimal(v.along, 3))
		}
	}
	return out
}

func (t *timetable) frequenciesTable() *table {
	out := &table{name: "frequencies.txt", head: []string{"trip_id", "start_time", "end_time", "headway_secs", "exact_times"}}
	for _, tr := range t.trips {
		if tr.every > 0 {
			exact := "0"
			if tr.exact {
				exact = "1"
			}
			out.add(tr.id, clock(tr.start), clock(tr.until), strconv.Itoa(tr.every), exact)
		}
	}
	return out
}
