package gtfs

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// A ColumnType says which values the cells of a column may have.
type ColumnType uint8

// If a cell's value is not allowed by the type, the import empties the cell, unless the type is
// Kept. If the table's key needs the cell, the import omits the row.
const (
	Text      ColumnType = iota // any text
	ID                          // any text of at most MaxID bytes
	Time                        // as for ParseTime
	Date                        // as for ParseDate
	Color                       // as for IsColor
	Latitude                    // as for IsLatitude
	Longitude                   // as for IsLongitude
	Distance                    // as for IsDistance
	Enum                        // as for ParseUint, and one of the column's Codes, if it has any
	Integer                     // as for ParseUint
	Count                       // as for ParseUint; not used by the import
	Positive                    // as for ParseUint, and greater than 0
	Signed                      // a whole number, possibly negative
	Float                       // a number that ParseFloat accepts
	Binary                      // 0 or 1
	Exception                   // 1 or 2, as in exception_type
	URL                         // as for IsURL
	Email                       // as for IsEmail
	Language                    // as for IsLanguage
	Currency                    // as for IsCurrency
)

type columnType struct {
	name   string                 // in the descriptions of tables
	allows func(cell []byte) bool // nil allows all
	code   Code                   // for a cell that is not allowed
	number Code                   // code for a number; it is whole unless code is "invalid_float"
	kept   bool
	form   form
}

var columnTypes = [...]columnType{
	Text:  {},
	ID:    {name: "id", allows: func(cell []byte) bool { return len(cell) <= MaxID }, code: "id_too_long"},
	Time:  {name: "time", form: timeForm, allows: parsed(ParseTime), code: "invalid_time"},
	Date:  {name: "date", form: dateForm, allows: parsed(ParseDate), code: "invalid_date"},
	Color: {name: "color", form: colorForm, allows: IsColor, code: "invalid_color"},
	Latitude: {name: "latitude", form: degreeForm, allows: IsLatitude, code: "invalid_float",
		number: "number_out_of_range"},
	Longitude: {name: "longitude", form: degreeForm, allows: IsLongitude, code: "invalid_float",
		number: "number_out_of_range"},
	Distance: {name: "distance", form: decimalForm, allows: IsDistance, code: "invalid_float",
		number: "number_out_of_range", kept: true},
	Enum: {name: "enum", form: wholeForm, allows: parsed(ParseUint), code: "invalid_integer",
		number: "unexpected_enum_value", kept: true},
	Integer: {name: "integer", form: wholeForm, allows: parsed(ParseUint), code: "invalid_integer",
		number: "number_out_of_range"},
	Count: {name: "count", form: wholeForm, allows: parsed(ParseUint), code: "invalid_integer",
		number: "number_out_of_range", kept: true},
	Positive: {name: "positive", form: wholeForm, allows: func(cell []byte) bool {
		n, ok := ParseUint(cell)
		return ok && n > 0
	}, code: "invalid_integer", number: "number_out_of_range"},
	Signed: {name: "signed", form: wholeForm, allows: func(cell []byte) bool {
		_, err := strconv.ParseInt(string(cell), 10, 32)
		return err == nil
	}, code: "invalid_integer", kept: true},
	Float: {name: "float", form: decimalForm, allows: parsed(ParseFloat), code: "invalid_float", kept: true},
	Binary: {name: "binary", form: yesNoForm, allows: oneOf("0", "1"), code: "invalid_integer",
		number: "unexpected_enum_value"},
	Exception: {name: "exception", form: wholeForm, allows: oneOf("1", "2"), code: "invalid_integer",
		number: "unexpected_enum_value"},
	URL:      {name: "url", allows: IsURL, code: "invalid_url", kept: true},
	Email:    {name: "email", allows: IsEmail, code: "invalid_email", kept: true},
	Language: {name: "language", allows: IsLanguage, code: "invalid_language_code", kept: true},
	Currency: {name: "currency", allows: IsCurrency, code: "invalid_currency", kept: true},
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

// OK reports whether the type allows the value of a non-empty cell.
func (t ColumnType) OK(cell []byte) bool {
	return columnTypes[t].allows == nil || columnTypes[t].allows(cell)
}

// Kept reports whether the import stores values that the type does not allow. The import does not
// use them, but clients may understand them.
func (t ColumnType) Kept() bool { return columnTypes[t].kept }

// Code returns the code of the finding about a cell that the type does not allow.
func (t ColumnType) Code(cell []byte) Code {
	n, isNumber := ParseFloat(cell)
	code, number := columnTypes[t].code, columnTypes[t].number
	if number != "" && isNumber && (code == "invalid_float" || n == math.Trunc(n)) {
		return number
	}
	return code
}

// A Column is a column of a file and the values that it allows.
type Column struct {
	Name string
	Type ColumnType
	// Ref is the file that the column refers to by its key.
	Ref string
	// Within are columns, as file/name, of which one must have the value. Rows that break this are kept.
	Within []string
	// Codes are the digits that GTFS defines; "" allows any number.
	Codes string
}

// OK reports whether the column allows the value of a non-empty cell.
func (c Column) OK(cell []byte) bool {
	if c.Codes == "" {
		return c.Type.OK(cell)
	}
	n, ok := ParseUint(cell)
	return ok && (n < 10 && strings.IndexByte(c.Codes, byte('0'+n)) >= 0 || c.Codes == routeTypes &&
		extendedRouteType(n))
}

const routeTypes = "01234567"

// extendedRouteType reports whether a route_type is 11, 12 or one of the extended types. The GTFS
// reference lacks the extended types, but they are in wide use.
func extendedRouteType(n int) bool { return n == 11 || n == 12 || n >= 100 && n < 1800 }

// A Table describes a file of GTFS that Townline reads.
type Table struct {
	File string
	// Name is the version table in Postgres with the same columns, or "" if there is none.
	Name string
	// Plain files need no code of their own. The import copies each row into the table Name, with the
	// row's rank as ord and with times in seconds. If a plain file has no Name, its rows are stored
	// unchanged in transit.file_row, with all columns.
	Plain bool
	// Beyond marks files that are not in the GTFS reference.
	Beyond bool
	Title  string
	// Required files must exist in every feed.
	Required bool
	// Key columns identify a row. If several rows have the same key, the import uses the first.
	Key []string
	// Needed are the columns without which a row is omitted. Wanted are the others that GTFS requires;
	// rows without a value are kept.
	Needed, Wanted []string
	// Present are columns that GTFS requires, with cells that may be empty.
	Present []string
	// Columns that are read. Other columns are stored only for routes.txt and unchanged files.
	Columns []Column
}

// Column returns the index of a column, or -1 if there is none.
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

// Unchanged reports whether the rows of the file are stored unchanged, with all of its columns.
func (t Table) Unchanged() bool { return t.Plain && t.Name == "" }

// Resource returns the file's name in URLs: transfers for transfers.txt.
func (t Table) Resource() string { return strings.TrimSuffix(t.File, ".txt") }

// Tables returns all tables. A table comes after the tables it refers to.
func Tables() []Table { return slices.Clone(tables) }

var tables = []Table{
	table(Table{File: "agency.txt", Name: "agency", Required: true}, "agency_id", `
		agency_id:id agency_name* agency_url*:url agency_timezone* agency_lang:language agency_phone agency_fare_url:url
		agency_email:email`),
	table(Table{File: "stops.txt", Name: "stop", Required: true}, "stop_id", `
		stop_id!:id stop_code:id stop_name stop_desc stop_lat:latitude stop_lon:longitude zone_id stop_url:url
		location_type:01234 parent_station>stops.txt stop_timezone wheelchair_boarding:012 platform_code tts_stop_name
		level_id~levels.txt/level_id`),
	table(Table{File: "routes.txt", Name: "route", Required: true}, "route_id", `
		route_id!:id agency_id>agency.txt route_short_name route_long_name route_desc route_type*:01234567 route_url:url
		route_color:color route_text_color:color route_sort_order:count continuous_pickup:0123 continuous_drop_off:0123
		network_id`),
	table(Table{File: "calendar.txt", Name: "service"}, "service_id", `
		service_id!:id monday*:binary tuesday*:binary wednesday*:binary thursday*:binary friday*:binary saturday*:binary
		sunday*:binary start_date*:date end_date*:date`),
	table(Table{File: "calendar_dates.txt", Name: "service_date", Plain: true}, "service_id date", `
		service_id!:id date!:date exception_type!:exception`),
	table(Table{File: "shapes.txt"}, "shape_id shape_pt_sequence", `
		shape_id!:id shape_pt_lat!:latitude shape_pt_lon!:longitude shape_pt_sequence!:integer
		shape_dist_traveled:distance`),
	table(Table{File: "trips.txt", Name: "trip", Required: true}, "trip_id", `
		trip_id!:id route_id!>routes.txt service_id!>calendar.txt trip_headsign trip_short_name direction_id:binary
		block_id shape_id>shapes.txt wheelchair_accessible:012 bikes_allowed:012`),
	table(Table{File: "stop_times.txt", Required: true}, "trip_id stop_sequence", `
		trip_id!>trips.txt arrival_time:time departure_time:time stop_id>stops.txt stop_sequence!:integer stop_headsign
		pickup_type:0123 drop_off_type:0123 continuous_pickup:0123 continuous_drop_off:0123 shape_dist_traveled:distance
		timepoint:01 location_group_id~location_groups.txt/location_group_id start_pickup_drop_off_window:time
		end_pickup_drop_off_window:time pickup_booking_rule_id~booking_rules.txt/booking_rule_id
		drop_off_booking_rule_id~booking_rules.txt/booking_rule_id location_id~locations.geojson/id`),
	table(Table{File: "frequencies.txt", Name: "frequency", Title: "Trips that repeat", Plain: true},
		"trip_id start_time", `
		trip_id!>trips.txt start_time!:time end_time!:time headway_secs!:positive exact_times:binary`),
	table(Table{File: "directions.txt", Beyond: true}, "route_id direction_id", `
		route_id>routes.txt direction_id:binary direction direction_name`),
	table(Table{File: "direction_names.txt", Beyond: true}, "", `
		route_id>routes.txt direction_id:binary direction direction_name`),
	table(Table{File: "feed_info.txt", Name: "feed_info", Plain: true,
		Title: "Who publishes the feed, and for which days"}, "", `
		feed_publisher_name* feed_publisher_url*:url feed_lang*:language default_lang:language feed_start_date:date
		feed_end_date:date feed_version feed_contact_email:email feed_contact_url:url`),
	table(Table{File: "translations.txt", Name: "translation", Title: "Texts of the feed in other languages", Plain: true},
		"table_name field_name language record_id record_sub_id field_value", `
		table_name! field_name! language! translation! record_id:id record_sub_id:id field_value`),

	// The files that the import stores but does not use. Manual rows use the key, but the feed may have
	// several rows with the same key. Rows that refer to a missing row are omitted.
	table(Table{File: "transfers.txt", Title: "Transfers: where and how riders change", Plain: true},
		"from_stop_id to_stop_id from_route_id to_route_id from_trip_id to_trip_id", `
		from_stop_id>stops.txt to_stop_id>stops.txt from_route_id>routes.txt to_route_id>routes.txt from_trip_id>trips.txt
		to_trip_id>trips.txt transfer_type?:012345 min_transfer_time:count`),
	table(Table{File: "pathways.txt", Title: "Pathways: ways within stations", Plain: true}, "pathway_id", `
		pathway_id* from_stop_id*>stops.txt to_stop_id*>stops.txt pathway_mode*:1234567 is_bidirectional*:binary
		length:distance traversal_time:positive stair_count:signed max_slope:float min_width:distance signposted_as
		reversed_signposted_as`),
	table(Table{File: "levels.txt", Title: "Levels of stations", Plain: true}, "level_id", `
		level_id* level_index*:float level_name`),
	table(Table{File: "attributions.txt", Title: "Attributions: who produces and operates what", Plain: true},
		"attribution_id", `
		attribution_id agency_id~agency.txt/agency_id route_id>routes.txt trip_id>trips.txt organization_name*
		is_producer:binary is_operator:binary is_authority:binary attribution_url:url attribution_email:email
		attribution_phone`),
	table(Table{File: "fare_attributes.txt", Title: "Fares, version 1", Plain: true}, "fare_id", `
		fare_id* price*:distance currency_type*:currency payment_method*:01 transfers:012 agency_id~agency.txt/agency_id
		transfer_duration:count`),
	table(Table{File: "fare_rules.txt", Title: "Rules of fares, version 1", Plain: true},
		"fare_id route_id origin_id destination_id contains_id", `
		fare_id*~fare_attributes.txt/fare_id route_id>routes.txt origin_id~stops.txt/zone_id
		destination_id~stops.txt/zone_id contains_id~stops.txt/zone_id`),
	table(Table{File: "timeframes.txt", Title: "Timeframes of fares", Plain: true},
		"timeframe_group_id start_time end_time service_id", `
		timeframe_group_id start_time:time end_time:time service_id*>calendar.txt`),
	table(Table{File: "rider_categories.txt", Title: "Categories of riders", Plain: true}, "rider_category_id", `
		rider_category_id* rider_category_name* is_default_fare_category?:binary eligibility_url:url`),
	table(Table{File: "fare_media.txt", Title: "What fares are paid or proved with", Plain: true}, "fare_media_id", `
		fare_media_id* fare_media_name fare_media_type*:01234`),
	table(Table{File: "fare_products.txt", Title: "What riders can buy", Plain: true},
		"fare_product_id rider_category_id fare_media_id", `
		fare_product_id* fare_product_name rider_category_id~rider_categories.txt/rider_category_id
		fare_media_id~fare_media.txt/fare_media_id amount*:distance currency*:currency`),
	table(Table{File: "fare_leg_rules.txt", Title: "Rules of fares for a leg", Plain: true},
		"network_id from_area_id to_area_id from_timeframe_group_id to_timeframe_group_id fare_product_id", `
		leg_group_id network_id~networks.txt/network_id|routes.txt/network_id from_area_id~areas.txt/area_id
		to_area_id~areas.txt/area_id from_timeframe_group_id~timeframes.txt/timeframe_group_id
		to_timeframe_group_id~timeframes.txt/timeframe_group_id fare_product_id*~fare_products.txt/fare_product_id
		rule_priority:count`),
	table(Table{File: "fare_leg_join_rules.txt", Title: "Rules for legs that count as one", Plain: true},
		"from_network_id to_network_id from_stop_id to_stop_id", `
		from_network_id*~networks.txt/network_id|routes.txt/network_id
		to_network_id*~networks.txt/network_id|routes.txt/network_id from_stop_id>stops.txt to_stop_id>stops.txt`),
	table(Table{File: "fare_transfer_rules.txt", Title: "Rules of fares for transfers", Plain: true},
		"from_leg_group_id to_leg_group_id fare_product_id transfer_count duration_limit", `
		from_leg_group_id~fare_leg_rules.txt/leg_group_id to_leg_group_id~fare_leg_rules.txt/leg_group_id
		transfer_count:signed duration_limit:positive duration_limit_type:0123 fare_transfer_type*:012
		fare_product_id~fare_products.txt/fare_product_id`),
	table(Table{File: "areas.txt", Title: "Areas of fares", Plain: true}, "area_id", `area_id* area_name`),
	table(Table{File: "stop_areas.txt", Title: "Stops of areas", Plain: true}, "area_id stop_id", `
		area_id*~areas.txt/area_id stop_id*>stops.txt`),
	table(Table{File: "networks.txt", Title: "Networks of routes", Plain: true}, "network_id", `network_id* network_name`),
	table(Table{File: "route_networks.txt", Title: "Routes of networks", Plain: true}, "route_id", `
		network_id*~networks.txt/network_id route_id*>routes.txt`),
	table(Table{File: "location_groups.txt", Title: "Groups of stops that riders are collected at on demand", Plain: true},
		"location_group_id", `
		location_group_id* location_group_name`),
	table(Table{File: "location_group_stops.txt", Title: "Stops of location groups", Plain: true},
		"location_group_id stop_id", `
		location_group_id*~location_groups.txt/location_group_id stop_id*>stops.txt`),
	table(Table{File: "booking_rules.txt", Title: "How riders book", Plain: true}, "booking_rule_id", `
		booking_rule_id* booking_type*:012 prior_notice_duration_min:signed prior_notice_duration_max:signed
		prior_notice_last_day:signed prior_notice_last_time:time prior_notice_start_day:signed
		prior_notice_start_time:time prior_notice_service_id>calendar.txt message pickup_message drop_off_message
		phone_number info_url:url booking_url:url`),
}

// table adds a key and columns to a table. The name of a column is followed by ! if it is Needed, or *
// if it is Wanted, or ? if it is Present; by its type or its Codes after a colon, or its Ref after >;
// by its Within after ~, with | between them.
func table(t Table, key, columns string) Table {
	t.Key = strings.Fields(key)
	for text := range strings.FieldsSeq(columns) {
		text, within, _ := strings.Cut(text, "~")
		text, file, _ := strings.Cut(text, ">")
		text, kind, _ := strings.Cut(text, ":")
		c := Column{Name: strings.TrimRight(text, "!*?"), Ref: file}
		switch {
		case file != "":
			c.Type = ID
		case kind != "" && kind[0] <= '9':
			c.Type, c.Codes = Enum, kind
		default:
			c.Type = ColumnType(slices.IndexFunc(columnTypes[:], func(of columnType) bool { return of.name == kind }))
		}
		if within != "" {
			c.Within = strings.Split(within, "|")
		}
		switch text[len(c.Name):] {
		case "!":
			t.Needed = append(t.Needed, c.Name)
		case "*":
			t.Wanted = append(t.Wanted, c.Name)
		case "?":
			t.Present = append(t.Present, c.Name)
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

// TableOf returns the table of a file name in lower case.
func TableOf(file string) (Table, bool) {
	if i := slices.IndexFunc(tables, func(t Table) bool { return t.File == file }); i >= 0 {
		return tables[i], true
	}
	return Table{}, false
}
