package gtfs

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// A ColumnType is the type of a column's cells.
type ColumnType uint8

// The column types. The import empties a cell with a value that the type does not allow, unless the
// type is Kept. It omits the row if the table's key needs the value.
const (
	Text      ColumnType = iota // anything
	ID                          // anything, at most MaxID bytes
	Time                        // ParseTime
	Date                        // ParseDate
	Color                       // IsColor
	Latitude                    // IsLatitude
	Longitude                   // IsLongitude
	Distance                    // IsDistance
	Enum                        // ParseUint: one of the column's Codes, if it has any
	Integer                     // ParseUint
	Count                       // ParseUint; not used by the import
	Positive                    // ParseUint, greater than 0
	Signed                      // a whole number, also below 0
	Float                       // ParseFloat
	Binary                      // 0 or 1
	Exception                   // 1 or 2: exception_type
	URL                         // IsURL
	Email                       // IsEmail
	Language                    // IsLanguage
	Currency                    // IsCurrency
)

var columnTypes = [...]struct {
	allows func(cell []byte) bool // nil allows all
	code   Code                   // for a cell that is not allowed
	number Code                   // code for a number; it is whole unless code is "invalid_float"
	kept   bool
}{
	Text:      {},
	ID:        {allows: func(cell []byte) bool { return len(cell) <= MaxID }, code: "id_too_long"},
	Time:      {allows: parsed(ParseTime), code: "invalid_time"},
	Date:      {allows: parsed(ParseDate), code: "invalid_date"},
	Color:     {allows: IsColor, code: "invalid_color"},
	Latitude:  {allows: IsLatitude, code: "invalid_float", number: "number_out_of_range"},
	Longitude: {allows: IsLongitude, code: "invalid_float", number: "number_out_of_range"},
	Distance:  {allows: IsDistance, code: "invalid_float", number: "number_out_of_range", kept: true},
	Enum:      {allows: parsed(ParseUint), code: "invalid_integer", number: "unexpected_enum_value", kept: true},
	Integer:   {allows: parsed(ParseUint), code: "invalid_integer", number: "number_out_of_range"},
	Count:     {allows: parsed(ParseUint), code: "invalid_integer", number: "number_out_of_range", kept: true},
	Positive: {allows: func(cell []byte) bool {
		n, ok := ParseUint(cell)
		return ok && n > 0
	}, code: "invalid_integer", number: "number_out_of_range"},
	Signed: {allows: func(cell []byte) bool {
		_, err := strconv.ParseInt(string(cell), 10, 32)
		return err == nil
	}, code: "invalid_integer", kept: true},
	Float:     {allows: parsed(ParseFloat), code: "invalid_float", kept: true},
	Binary:    {allows: oneOf("0", "1"), code: "invalid_integer", number: "unexpected_enum_value"},
	Exception: {allows: oneOf("1", "2"), code: "invalid_integer", number: "unexpected_enum_value"},
	URL:       {allows: IsURL, code: "invalid_url", kept: true},
	Email:     {allows: IsEmail, code: "invalid_email", kept: true},
	Language:  {allows: IsLanguage, code: "invalid_language_code", kept: true},
	Currency:  {allows: IsCurrency, code: "invalid_currency", kept: true},
}

func parsed[T any](parse func([]byte) (T, bool)) func([]byte) bool {
	return func(cell []byte) bool {
		_, ok := parse(cell)
		return ok
	}
}

func oneOf(a, b string) func([]byte) bool {
	return func(cell []byte) bool { return string(cell) == a || string(cell) == b }
}

// OK reports whether the type allows a non-empty cell.
func (t ColumnType) OK(cell []byte) bool {
	return columnTypes[t].allows == nil || columnTypes[t].allows(cell)
}

// Kept reports whether values that the type does not allow are kept: the import does not use them,
// and clients may understand them.
func (t ColumnType) Kept() bool { return columnTypes[t].kept }

// Code returns the code for a cell that the type does not allow.
func (t ColumnType) Code(cell []byte) Code {
	n, isNumber := ParseFloat(cell)
	code, number := columnTypes[t].code, columnTypes[t].number
	if number != "" && isNumber && (code == "invalid_float" || n == math.Trunc(n)) {
		return number
	}
	return code
}

// A Column of a file.
type Column struct {
	Name string
	Type ColumnType
	// Ref is the file whose key the column refers to.
	Ref string
	// Codes are the digits that GTFS defines; "" allows any number.
	Codes string
}

// OK reports whether the column allows a non-empty cell.
func (c Column) OK(cell []byte) bool {
	if c.Codes == "" {
		return c.Type.OK(cell)
	}
	n, ok := ParseUint(cell)
	return ok && (n < 10 && strings.IndexByte(c.Codes, byte('0'+n)) >= 0 || c.Codes == routeTypes &&
		extendedRouteType(n))
}

// routeTypes are the codes of route_type below 10.
const routeTypes = "01234567"

// extendedRouteType reports whether a route_type is 11 or 12, or an extended one. The GTFS
// reference lacks these, but they are in wide use.
func extendedRouteType(n int) bool { return n == 11 || n == 12 || n >= 100 && n < 1800 }

// A Table is a file of GTFS that Townline reads.
type Table struct {
	File string
	// Name of the version table with the same columns; "" if there is none.
	Name string
	// Plain files need no code of their own: the import copies each row into the table Name, with its
	// rank as ord and times as seconds. Rows of a plain file without a Name are stored unchanged, with
	// all columns, in transit.file_row.
	Plain bool
	// Beyond marks files outside of the GTFS reference.
	Beyond bool
	// Title of the resource in the API.
	Title string
	// Required files are reported if missing.
	Required bool
	// Key columns identify a row. The first of several rows with the same key is used.
	Key []string
	// Needed are required columns of a plain file; rows without a value are omitted.
	Needed []string
	// Columns that are read. Other columns are stored only for routes.txt and unchanged files.
	Columns []Column
}

// Column returns the index of a column; -1 if there is none.
func (t Table) Column(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

func (t Table) Names() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

func of(t ColumnType, names ...string) []Column {
	columns := make([]Column, len(names))
	for i, name := range names {
		columns[i] = Column{Name: name, Type: t}
	}
	return columns
}

func ref(name, file string) []Column { return []Column{{Name: name, Type: ID, Ref: file}} }

func enum(codes string, names ...string) []Column {
	columns := of(Enum, names...)
	for i := range columns {
		columns[i].Codes = codes
	}
	return columns
}

// Unchanged reports whether the rows of the file are stored unchanged, with all of its columns.
func (t Table) Unchanged() bool { return t.Plain && t.Name == "" }

// Resource returns the file's name in URLs: transfers for transfers.txt.
func (t Table) Resource() string { return strings.TrimSuffix(t.File, ".txt") }

// Tables returns all tables. A table comes after the tables it refers to.
func Tables() []Table {
	// From GTFS+.
	directions := slices.Concat(ref("route_id", "routes.txt"), of(Binary, "direction_id"),
		of(Text, "direction", "direction_name"))
	return append([]Table{
		{
			File: "agency.txt", Name: "agency", Required: true, Key: []string{"agency_id"},
			Columns: slices.Concat(of(ID, "agency_id"), of(Text, "agency_name"), of(URL, "agency_url"),
				of(Text, "agency_timezone"), of(Language, "agency_lang"), of(Text, "agency_phone"),
				of(URL, "agency_fare_url"), of(Email, "agency_email")),
		},
		{
			File: "stops.txt", Name: "stop", Required: true, Key: []string{"stop_id"},
			Columns: slices.Concat(of(ID, "stop_id", "stop_code"), of(Text, "stop_name", "stop_desc"),
				of(Latitude, "stop_lat"), of(Longitude, "stop_lon"), of(Text, "zone_id"), of(URL, "stop_url"),
				enum("01234", "location_type"), ref("parent_station", "stops.txt"), of(Text, "stop_timezone"),
				enum("012", "wheelchair_boarding"), of(Text, "platform_code", "tts_stop_name", "level_id")),
		},
		{
			File: "routes.txt", Name: "route", Required: true, Key: []string{"route_id"},
			Columns: slices.Concat(of(ID, "route_id"), ref("agency_id", "agency.txt"),
				of(Text, "route_short_name", "route_long_name", "route_desc"), enum(routeTypes,
					"route_type"), of(URL, "route_url"),
				of(Color, "route_color", "route_text_color"),
				of(Count, "route_sort_order"),
				enum("0123", "continuous_pickup", "continuous_drop_off"), of(Text, "network_id")),
		},
		{
			File: "calendar.txt", Name: "service", Key: []string{"service_id"},
			Columns: slices.Concat(of(ID, "service_id"),
				of(Binary, "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
				of(Date, "start_date", "end_date")),
		},
		{
			File: "calendar_dates.txt", Name: "service_date", Plain: true, Key: []string{"service_id", "date"},
			Needed:  []string{"service_id", "date", "exception_type"},
			Columns: slices.Concat(of(ID, "service_id"), of(Date, "date"), of(Exception, "exception_type")),
		},
		{
			File: "shapes.txt", Key: []string{"shape_id", "shape_pt_sequence"},
			Columns: slices.Concat(of(ID, "shape_id"), of(Latitude, "shape_pt_lat"), of(Longitude, "shape_pt_lon"),
				of(Integer, "shape_pt_sequence"), of(Distance, "shape_dist_traveled")),
		},
		{
			File: "trips.txt", Name: "trip", Required: true, Key: []string{"trip_id"},
			Columns: slices.Concat(of(ID, "trip_id"), ref("route_id", "routes.txt"), ref("service_id", "calendar.txt"),
				of(Text, "trip_headsign", "trip_short_name"), of(Binary, "direction_id"), of(Text, "block_id"),
				ref("shape_id", "shapes.txt"), enum("012", "wheelchair_accessible", "bikes_allowed")),
		},
		{
			File: "stop_times.txt", Required: true, Key: []string{"trip_id", "stop_sequence"},
			Columns: slices.Concat(ref("trip_id", "trips.txt"), of(Time, "arrival_time", "departure_time"),
				ref("stop_id", "stops.txt"), of(Integer, "stop_sequence"), of(Text, "stop_headsign"),
				enum("0123", "pickup_type", "drop_off_type", "continuous_pickup", "continuous_drop_off"),
				of(Distance, "shape_dist_traveled"), enum("01", "timepoint"), of(Text, "location_group_id"),
				of(Time, "start_pickup_drop_off_window", "end_pickup_drop_off_window"),
				of(Text, "pickup_booking_rule_id", "drop_off_booking_rule_id"),
				of(Text, "location_id")), // a zone of locations.geojson
		},
		{
			File: "frequencies.txt", Name: "frequency", Title: "Trips that repeat", Plain: true,
			Key:    []string{"trip_id", "start_time"},
			Needed: []string{"trip_id", "start_time", "end_time", "headway_secs"},
			Columns: slices.Concat(ref("trip_id", "trips.txt"), of(Time, "start_time", "end_time"),
				of(Positive, "headway_secs"), of(Binary, "exact_times")),
		},
		{File: "directions.txt", Beyond: true, Key: []string{"route_id", "direction_id"}, Columns: directions},
		{File: "direction_names.txt", Beyond: true, Columns: directions},
		{
			File: "feed_info.txt", Name: "feed_info", Title: "Who publishes the feed, and for which days", Plain: true,
			Columns: slices.Concat(of(Text, "feed_publisher_name"), of(URL, "feed_publisher_url"),
				of(Language, "feed_lang", "default_lang"), of(Date, "feed_start_date", "feed_end_date"),
				of(Text, "feed_version"), of(Email, "feed_contact_email"), of(URL, "feed_contact_url")),
		},
		{
			File: "translations.txt", Name: "translation", Title: "Texts of the feed in other languages", Plain: true,
			Key:    []string{"table_name", "field_name", "language", "record_id", "record_sub_id", "field_value"},
			Needed: []string{"table_name", "field_name", "language", "translation"},
			Columns: slices.Concat(of(Text, "table_name", "field_name", "language", "translation"),
				of(ID, "record_id", "record_sub_id"), of(Text, "field_value")),
		},
	}, unchanged()...)
}

// TableOf returns the table of a file name in lower case.
func TableOf(file string) (Table, bool) {
	tables := Tables()
	if i := slices.IndexFunc(tables, func(t Table) bool { return t.File == file }); i >= 0 {
		return tables[i], true
	}
	return Table{}, false
}
