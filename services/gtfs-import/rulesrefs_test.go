package gtfsimport_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/gtfs"
)

const missingID = "foreign_key_violation"

// rulesOfReferences returns feeds in which one value refers to a missing row.
func rulesOfReferences() (all []ruleCase) {
	const (
		media    = "fare_media_id,fare_media_name,fare_media_type\nm,Card,2\n"
		riders   = "rider_category_id,rider_category_name,is_default_fare_category\nc,Adult,\n"
		areas    = "area_id\na\n"
		frames   = "timeframe_group_id,start_time,end_time,service_id\nt,,,WK\n"
		price    = "fare_id,price,currency_type,payment_method,transfers,agency_id\nf,1,USD,0,0,"
		groups   = "location_group_id\ng\n"
		bookings = "booking_rule_id,booking_type\nk,0\n"
	)
	reference := func(file, broken, near string, more ...change) {
		all = append(all, ruleCase{code: missingID, broken: append([]change{whole(file, broken)}, more...),
			near: append([]change{whole(file, near)}, more...)})
	}
	zoned := []change{in("stops.txt", "level_id\n", "level_id,zone_id\n"),
		in("stops.txt", "A,Alder,45.01,-122.0,,,", "A,Alder,45.01,-122.0,,,,z"),
		whole("fare_attributes.txt", price+"M\n")}
	reference("fare_attributes.txt", price+"X\n", price+"M\n")
	reference("attributions.txt", "organization_name,is_producer,agency_id\nAnn,1,X\n",
		"organization_name,is_producer,agency_id\nAnn,1,M\n")
	reference("fare_rules.txt", "fare_id,origin_id\ng,z\n", "fare_id,origin_id\nf,z\n", zoned...)
	for _, column := range []string{"origin_id", "destination_id", "contains_id"} {
		reference("fare_rules.txt", "fare_id,"+column+"\nf,y\n", "fare_id,"+column+"\nf,z\n", zoned...)
	}
	reference("fare_products.txt", "fare_product_id,fare_media_id,amount,currency\np,x,2.00,USD\n",
		"fare_product_id,fare_media_id,amount,currency\np,m,2.00,USD\n", whole("fare_media.txt", media))
	reference("fare_products.txt", "fare_product_id,rider_category_id,amount,currency\np,x,2.00,USD\n",
		"fare_product_id,rider_category_id,amount,currency\np,c,2.00,USD\n", whole("rider_categories.txt", riders))
	for column, value := range map[string]string{"network_id": "n", "from_area_id": "a", "to_area_id": "a",
		"from_timeframe_group_id": "t", "to_timeframe_group_id": "t"} {
		reference("fare_leg_rules.txt", "fare_product_id,"+column+"\np,x\n", "fare_product_id,"+column+"\np,"+value+"\n",
			append(legs()[:2], whole("areas.txt", areas), whole("timeframes.txt", frames))...)
	}
	reference("fare_leg_rules.txt", "fare_product_id\nx\n", "fare_product_id\np\n", legs()[:2]...)
	for _, column := range []string{"from_leg_group_id", "to_leg_group_id", "fare_product_id"} {
		value := map[string]string{"fare_product_id": "p"}[column]
		reference("fare_transfer_rules.txt", "fare_transfer_type,"+column+"\n0,x\n",
			"fare_transfer_type,"+column+"\n0,"+value+"\n", legs()...)
	}
	reference("fare_leg_join_rules.txt", "from_network_id,to_network_id\nn,x\n",
		"from_network_id,to_network_id\nn,n\n", whole("networks.txt", "network_id\nn\n"))
	reference("stop_areas.txt", "area_id,stop_id\nx,A\n", "area_id,stop_id\na,A\n", whole("areas.txt", areas))
	reference("route_networks.txt", "network_id,route_id\nx,R\n", "network_id,route_id\nn,R\n",
		whole("networks.txt", "network_id\nn\n"))
	reference("location_group_stops.txt", "location_group_id,stop_id\nx,A\n", "location_group_id,stop_id\ng,A\n",
		whole("location_groups.txt", groups))
	const booked = "z,08:00:00,18:00:00,2,2"
	call := func(header, cell string) []change {
		return append(onDemand(booked, booked), in("stop_times.txt", "drop_off_type\n", "drop_off_type,"+header+"\n"),
			in("stop_times.txt", "V,,,,2,"+booked+",", "V,,,,2,"+booked+","+cell),
			whole("booking_rules.txt", bookings), whole("location_groups.txt", groups))
	}
	for _, column := range []string{"pickup_booking_rule_id", "drop_off_booking_rule_id"} {
		all = append(all, ruleCase{code: missingID, broken: call(column, "x"), near: call(column, "k")})
	}
	return append(all,
		ruleCase{code: missingID, broken: onDemand(booked, "q,08:00:00,18:00:00,2,2"), near: onDemand(booked, booked)},
		ruleCase{code: missingID, broken: []change{in("stops.txt", "0,S,L", "0,S,K")}},
		ruleCase{code: missingID, broken: []change{in("stops.txt", "3,S,L", "3,Z,L")}})
}

// rulesOfCells returns feeds with a missing, repeated or strange row or cell.
func rulesOfCells() []ruleCase {
	const (
		transfers    = "from_stop_id,to_stop_id,from_trip_id,to_trip_id,transfer_type\n"
		translations = "table_name,field_name,language,translation,record_id\nstops,stop_name,es,Aliso,A\n"
		repeats      = "trip_id,start_time,end_time,headway_secs\nT,08:00:00,10:00:00,600\nU,08:00:00,10:00:00,600\n"
		steps        = "pathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional,stair_count,min_width\n1,E,N,1,1,,\n"
		required     = "missing_required_field"
	)
	both := []gtfs.Code{"stop_time_with_only_arrival_or_departure_time"}
	timepoint := in("stop_times.txt", "stop_sequence\n", "stop_sequence,timepoint\n")
	return []ruleCase{
		{code: "missing_required_file", broken: []change{whole("translations.txt", translations), whole("feed_info.txt", "")},
			near: []change{whole("translations.txt", translations)}},
		{code: "duplicate_key", broken: []change{whole("levels.txt", "level_id,level_index\nL,0\nL,1\n")},
			near: []change{whole("levels.txt", "level_id,level_index\nL,0\nK,0\n")}},
		{code: "duplicate_key", broken: []change{whole("transfers.txt", transfers+"A,B,,,0\nA,B,,,1\n")},
			near: []change{whole("transfers.txt", transfers+"A,B,,,0\nB,A,,,1\n")}},
		{code: required, broken: []change{whole("transfers.txt", transfers+"A,,,,0\n")},
			near: []change{whole("transfers.txt", transfers+",,T,V,4\n")}},
		{code: required, broken: []change{whole("transfers.txt", transfers+"B,P,T,,5\n")},
			near: []change{whole("transfers.txt", transfers+"B,P,T,,1\n")}},
		{code: required, broken: []change{in("calendar.txt", "WK,1,1", "WK,,1")}},
		{code: "missing_required_column", broken: []change{in("calendar.txt", ",monday", ",first")}},
		{code: "missing_required_column", broken: []change{whole("transfers.txt", "from_stop_id,to_stop_id\nA,B\n")},
			near: []change{whole("transfers.txt", "from_stop_id,to_stop_id,transfer_type\nA,B,\n")}},
		{code: "missing_required_column",
			broken: []change{whole("rider_categories.txt", "rider_category_id,rider_category_name\n1,Adult\n")},
			near: []change{whole("rider_categories.txt",
				"rider_category_id,rider_category_name,is_default_fare_category\n1,Adult,\n")}},
		{code: "missing_trip_edge", also: both, broken: []change{in("stop_times.txt", "T,06:00:00,", "T,,")},
			near: []change{in("stop_times.txt", "T,06:05:00,06:05:00", "T,,")}},
		{code: "stop_time_timepoint_without_times", also: both, broken: []change{timepoint,
			in("stop_times.txt", "T,06:05:00,06:05:00,A,2,", "T,06:05:00,,A,2,1")},
			near: []change{timepoint, in("stop_times.txt", "T,06:05:00,06:05:00,A,2,", "T,,,A,2,0")}},
		{code: "overlapping_frequency", broken: []change{whole("frequencies.txt", repeats+"T,06:00:00,09:00:00,600\n")},
			near: []change{whole("frequencies.txt", repeats+"T,06:00:00,08:00:00,600\n")}},
		{code: "invalid_character", broken: []change{in("stops.txt", "Alder", "Al\ufffdder")},
			near: []change{in("stops.txt", "Alder", "Aldér")}},
		{code: "number_out_of_range", broken: []change{whole("pathways.txt", steps+"2,N,P,2,1,0,\n")},
			near: []change{whole("pathways.txt", steps+"2,N,P,2,1,-5,0.5\n")}},
		{code: "number_out_of_range", broken: []change{whole("pathways.txt", steps+"2,N,P,2,1,,0.0\n")}},
		{code: "point_near_origin", broken: append(shaped("45.0", "0.5", "45.02"),
			in("shapes.txt", "0.5,-122.0", "0.5,0.5")), also: []gtfs.Code{"stop_too_far_from_shape"}},
		{code: "point_near_pole", broken: shaped("45.0", "-89.5", "45.02")},
		{code: "invalid_url", broken: []change{in("agency.txt", "https://metro", "metro")}},
		{code: "invalid_email", broken: agency("agency_email", "metro.example"), near: agency("agency_email", "a@b.example")},
		{code: "invalid_language_code", broken: agency("agency_lang", "english"), near: agency("agency_lang", "en-US"),
			also: []gtfs.Code{"feed_info_lang_and_agency_lang_mismatch"}},
		{code: "empty_column_name", broken: agency("", ""), near: agency("agency_phone", "")},
		{code: "missing_calendar_and_calendar_date_files", broken: []change{whole("calendar.txt", "")},
			near: []change{whole("calendar.txt", ""),
				whole("calendar_dates.txt", "service_id,date,exception_type\nWK,20260105,1\nWE,20260110,1\n")}},
		{code: "trip_too_long", broken: []change{in("stop_times.txt", "W,06:20:00,06:20:00,B,2\n", calls(200_001))},
			near: []change{in("stop_times.txt", "W,06:20:00,06:20:00,B,2\n", calls(3))}},
		{code: "shape_too_long", broken: shaped(slices.Repeat([]string{"45.0"}, 200_001)...),
			also: []gtfs.Code{"stop_too_far_from_shape"}},
	}
}

// agency adds a column to agency.txt.
func agency(column, cell string) []change {
	return []change{in("agency.txt", "agency_timezone\n", "agency_timezone,"+column+"\n"),
		in("agency.txt", "Los_Angeles", "Los_Angeles,"+cell)}
}

// calls has n stop times of trip W at its last stop.
func calls(n int) string {
	var rows strings.Builder
	for i := range n {
		fmt.Fprintf(&rows, "W,06:20:00,06:20:00,B,%d\n", i+2)
	}
	return rows.String()
}
