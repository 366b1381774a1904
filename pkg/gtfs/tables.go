package gtfs

// A Kind says what the cells of a column may hold.
type Kind uint8

// The kinds. A cell that its column's kind does not allow is emptied, and a row left
// out if the column is of the table's key; but see Kept.
const (
	Text      Kind = iota // anything
	ID                    // anything, at most MaxID bytes
	Time                  // ParseTime
	Date                  // ParseDate
	Color                 // IsColor
	Latitude              // IsLatitude
	Longitude             // IsLongitude
	Distance              // IsDistance
	Enum                  // ParseUint: a code, of a list that grows with the standard
	Integer               // ParseUint
	Positive              // ParseUint, greater than 0
	Binary                // 0 or 1
	Exception             // 1 or 2: exception_type
)

// OK tells whether the kind allows a cell that is not empty.
func (k Kind) OK(cell []byte) bool {
	switch k {
	case ID:
		return len(cell) <= MaxID
	case Time:
		_, ok := ParseTime(cell)
		return ok
	case Date:
		_, ok := ParseDate(cell)
		return ok
	case Color:
		return IsColor(cell)
	case Latitude:
		return IsLatitude(cell)
	case Longitude:
		return IsLongitude(cell)
	case Distance:
		return IsDistance(cell)
	case Enum, Integer:
		_, ok := ParseUint(cell)
		return ok
	case Positive:
		n, ok := ParseUint(cell)
		return ok && n > 0
	case Binary:
		return len(cell) == 1 && (cell[0] == '0' || cell[0] == '1')
	case Exception:
		return len(cell) == 1 && (cell[0] == '1' || cell[0] == '2')
	}
	return true
}

// Kept tells that cells which the kind does not allow are only noted: nothing
// rests on them, and whoever reads them may know what they mean.
func (k Kind) Kept() bool { return k == Enum || k == Distance }

// Code is the finding for a cell that the kind does not allow.
func (k Kind) Code() Code {
	switch k {
	case ID:
		return IDTooLong
	case Time:
		return BadTime
	case Date:
		return BadDate
	case Color:
		return BadColor
	case Latitude, Longitude:
		return BadPosition
	case Enum, Distance:
		return UnusualValue
	}
	return BadValue
}

// A Column of a file.
type Column struct {
	Name string
	Kind Kind
	// Ref is the file whose key the column refers to.
	Ref string
}

// A Table is a file of the standard that Townline reads.
type Table struct {
	File string
	// Required files are noted when they are missing. Whether the feed can be
	// used without them is decided by the import.
	Required bool
	// Key columns identify a row; of rows with the same key the first counts.
	Key []string
	// Columns that are read. Others are ignored, but for routes.txt.
	Columns []Column
}

// Column returns the index of a column, -1 if there is none of that name.
func (t Table) Column(name string) int {
	for i, c := range t.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// Tables returns the files that are read, in the order in which their references
// resolve.
func Tables() []Table {
	return []Table{
		{File: "agency.txt", Required: true, Key: []string{"agency_id"}, Columns: []Column{
			{"agency_id", ID, ""},
			{"agency_name", Text, ""},
			{"agency_url", Text, ""},
			{"agency_timezone", Text, ""},
			{"agency_lang", Text, ""},
			{"agency_phone", Text, ""},
			{"agency_fare_url", Text, ""},
			{"agency_email", Text, ""},
		}},
		{File: "stops.txt", Required: true, Key: []string{"stop_id"}, Columns: []Column{
			{"stop_id", ID, ""},
			{"stop_code", ID, ""},
			{"stop_name", Text, ""},
			{"stop_desc", Text, ""},
			{"stop_lat", Latitude, ""},
			{"stop_lon", Longitude, ""},
			{"zone_id", Text, ""},
			{"stop_url", Text, ""},
			{"location_type", Enum, ""},
			{"parent_station", ID, "stops.txt"},
			{"stop_timezone", Text, ""},
			{"wheelchair_boarding", Enum, ""},
			{"platform_code", Text, ""},
			{"tts_stop_name", Text, ""},
			{"level_id", Text, ""},
		}},
		{File: "routes.txt", Required: true, Key: []string{"route_id"}, Columns: []Column{
			{"route_id", ID, ""},
			{"agency_id", ID, "agency.txt"},
			{"route_short_name", Text, ""},
			{"route_long_name", Text, ""},
			{"route_desc", Text, ""},
			{"route_type", Enum, ""},
			{"route_url", Text, ""},
			{"route_color", Color, ""},
			{"route_text_color", Color, ""},
			{"route_sort_order", Enum, ""},
			{"continuous_pickup", Enum, ""},
			{"continuous_drop_off", Enum, ""},
			{"network_id", Text, ""},
		}},
		{File: "calendar.txt", Key: []string{"service_id"}, Columns: []Column{
			{"service_id", ID, ""},
			{"monday", Binary, ""},
			{"tuesday", Binary, ""},
			{"wednesday", Binary, ""},
			{"thursday", Binary, ""},
			{"friday", Binary, ""},
			{"saturday", Binary, ""},
			{"sunday", Binary, ""},
			{"start_date", Date, ""},
			{"end_date", Date, ""},
		}},
		{File: "calendar_dates.txt", Key: []string{"service_id", "date"}, Columns: []Column{
			{"service_id", ID, ""},
			{"date", Date, ""},
			{"exception_type", Exception, ""},
		}},
		{File: "shapes.txt", Key: []string{"shape_id", "shape_pt_sequence"}, Columns: []Column{
			{"shape_id", ID, ""},
			{"shape_pt_lat", Latitude, ""},
			{"shape_pt_lon", Longitude, ""},
			{"shape_pt_sequence", Integer, ""},
			{"shape_dist_traveled", Distance, ""},
		}},
		{File: "trips.txt", Required: true, Key: []string{"trip_id"}, Columns: []Column{
			{"trip_id", ID, ""},
			{"route_id", ID, "routes.txt"},
			{"service_id", ID, "calendar.txt"},
			{"trip_headsign", Text, ""},
			{"trip_short_name", Text, ""},
			{"direction_id", Binary, ""},
			{"block_id", Text, ""},
			{"shape_id", ID, "shapes.txt"},
			{"wheelchair_accessible", Enum, ""},
			{"bikes_allowed", Enum, ""},
		}},
		{File: "stop_times.txt", Required: true, Key: []string{"trip_id", "stop_sequence"}, Columns: []Column{
			{"trip_id", ID, "trips.txt"},
			{"arrival_time", Time, ""},
			{"departure_time", Time, ""},
			{"stop_id", ID, "stops.txt"},
			{"stop_sequence", Integer, ""},
			{"stop_headsign", Text, ""},
			{"pickup_type", Enum, ""},
			{"drop_off_type", Enum, ""},
			{"continuous_pickup", Enum, ""},
			{"continuous_drop_off", Enum, ""},
			{"shape_dist_traveled", Distance, ""},
			{"timepoint", Enum, ""},
			{"location_group_id", Text, ""},
			{"start_pickup_drop_off_window", Time, ""},
			{"end_pickup_drop_off_window", Time, ""},
			{"pickup_booking_rule_id", Text, ""},
			{"drop_off_booking_rule_id", Text, ""},
			// A zone of locations.geojson, in place of a stop.
			{"location_id", Text, ""},
		}},
		{File: "frequencies.txt", Key: []string{"trip_id", "start_time"}, Columns: []Column{
			{"trip_id", ID, "trips.txt"},
			{"start_time", Time, ""},
			{"end_time", Time, ""},
			{"headway_secs", Positive, ""},
			{"exact_times", Binary, ""},
		}},
		{File: "directions.txt", Key: []string{"route_id", "direction_id"}, Columns: directionColumns()},
		{File: "direction_names.txt", Columns: directionColumns()},
		{File: "feed_info.txt", Columns: []Column{
			{"feed_publisher_name", Text, ""},
			{"feed_publisher_url", Text, ""},
			{"feed_lang", Text, ""},
			{"default_lang", Text, ""},
			{"feed_start_date", Date, ""},
			{"feed_end_date", Date, ""},
			{"feed_version", Text, ""},
			{"feed_contact_email", Text, ""},
			{"feed_contact_url", Text, ""},
		}},
	}
}

// directionColumns are those of the GTFS+ file directions.txt.
func directionColumns() []Column {
	return []Column{
		{"route_id", ID, "routes.txt"},
		{"direction_id", Binary, ""},
		{"direction", Text, ""},
		{"direction_name", Text, ""},
	}
}

// TableOf returns the table of a file name in lower case.
func TableOf(file string) (Table, bool) {
	for _, t := range Tables() {
		if t.File == file {
			return t, true
		}
	}
	return Table{}, false
}
