package gtfsimport_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
	gtfsimport "github.com/townline/townline/services/gtfs-import"
)

func rulesOfFeeds() []ruleCase {
	const (
		transfers    = "from_stop_id,to_stop_id,from_route_id,to_route_id,from_trip_id,to_trip_id,transfer_type\n"
		translations = "table_name,field_name,language,translation,record_id,record_sub_id,field_value\n"
		media        = "fare_media_id,fare_media_name,fare_media_type\n"
		products     = "fare_product_id,rider_category_id,amount,currency\n"
		riders       = "rider_category_id,rider_category_name,is_default_fare_category\na,Adult,1\ns,Senior" +
			",1\ny,Youth,0\n"
	)
	transfer := func(row string) []change { return []change{whole("transfers.txt", transfers+row+"\n")} }
	translation := func(row string) []change { return []change{whole("translations.txt", translations+row+"\n")} }
	pathways := func(rows string) []change {
		return []change{whole("pathways.txt",
			"pathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional\n"+rows)}
	}
	return []ruleCase{
		{code: "block_trips_with_overlapping_stop_times", broken: []change{in("trips.txt", "Birch,Y", "Birch,X")},
			// One interval begins when the other ends; a third is on a different day.
			near: []change{in("trips.txt", "Birch,Z", "Birch,X"), in("trips.txt", "W,R,WE,Birch,",
				"W,R,WE,Birch,X")}},
		{code: "inconsistent_route_type_for_block_id", broken: []change{in("trips.txt", "Birch,Z", "Birch,X"),
			in("routes.txt", "20,Hill,3", "20,Hill,0")}, near: []change{in("routes.txt", "20,Hill,3", "20,Hill,0")}},
		{code: "transfer_with_invalid_stop_location_type", broken: transfer("E,A,,,,,0"),
			near: transfer("S,P,,,,,0")},
		{code: "transfer_with_invalid_stop_location_type", broken: transfer("S,P,,,T,V,4"),
			near: transfer("P,P,,,T,V,4")},
		{code: "transfer_with_invalid_trip_and_route", broken: transfer("B,P,Q,,T,V,0"),
			near: transfer("B,P,R,Q,T,V,0")},
		{code: "transfer_with_invalid_trip_and_stop", broken: transfer("P,A,,,T,V,0"), near: transfer("S,B,,,T,V,0")},
		{code: "transfer_distance_too_large", broken: append(transfer("A,B,,,,,0"), in("stops.txt", "45.02", "45.11"),
			in("routes.txt", "10,Loop,3", "10,Loop,2"), in("routes.txt", "20,Hill,3", "20,Hill,2")),
			near: append(transfer("A,B,,,,,0"), in("stops.txt", "45.02", "45.09"))},
		{code: "translation_unknown_table_name", broken: translation("stations,stop_name,es,Aliso,A,,"),
			near: translation("stops,stop_name,es,Aliso,A,,")},
		{code: "translation_foreign_key_violation", broken: translation("stops,stop_name,es,Aliso,Z,,"),
			near: translation("stops,stop_name,es,Aliso,A,,")},
		{code: "translation_foreign_key_violation", broken: translation("stop_times,stop_headsign,es,Aliso,T,9,"),
			near: translation("stop_times,stop_headsign,es,Aliso,T,3,")},
		{code: "translation_foreign_key_violation", broken: translation("levels,level_name,es,Calle,M,,"),
			near: translation("levels,level_name,es,Calle,L,,")},
		{code: "translation_unexpected_value", broken: translation("stops,stop_name,es,Aliso,A,,Alder"),
			near: translation("stops,stop_name,es,Aliso,,,Alder")},
		{code: "translation_unexpected_value", broken: translation("feed_info,feed_publisher_name,es,Metro,1,,"),
			near: translation("feed_info,feed_publisher_name,es,Metro,,,")},
		{code: "fare_product_with_multiple_default_rider_categories",
			broken: []change{whole("rider_categories.txt", riders),
				whole("fare_products.txt",
					products+"p,a,2.00,USD\np,s,1.00,USD\n")}, near: []change{whole("rider_categories.txt", riders),
				whole("fare_products.txt", products+"p,a,2.00,USD\np,y,1.00,USD\nq,s,1.00,USD\n")}},
		{code: "duplicate_fare_media", broken: []change{whole("fare_media.txt", media+"1,Card,2\n2,Card,2\n")},
			near: []change{whole("fare_media.txt", media+"1,Card,2\n2,Card,3\n")}},
		{code: "route_networks_specified_in_more_than_one_file", broken: []change{whole("networks.txt",
			"network_id\nn\n"),
			in("routes.txt", "route_type\nR,M,10,Loop,3\nQ,M,20,Hill,3",
				"route_type,network_id\nR,M,10,Loop,3,n\nQ,M,20,Hill,3,n")},
			near: []change{whole("networks.txt", "network_id\nn\n")}},
		{code: "missing_level_id", broken: []change{in("pathways.txt", "2,N,P,1,1", "2,N,P,5,1"),
			in("stops.txt", "P,Platform,45.0,-122.0,0,S,L", "P,Platform,45.0,-122.0,0,S,")}, near: []change{
			in("stops.txt", "P,Platform,45.0,-122.0,0,S,L", "P,Platform,45.0,-122.0,0,S,")}},
		{code: "pathway_dangling_generic_node", broken: pathways("1,E,N,1,1\n2,N,E,1,1\n3,E,P,1,1\n"),
			near: pathways("1,E,N,1,1\n3,N,P,1,1\n")},
		{code: "pathway_to_platform_with_boarding_areas", also: []gtfs.Code{"pathway_unreachable_location"},
			broken: []change{in("stops.txt", "A,Alder", "G,Gate,45.0,-122.0,4,P,L\nA,Alder")},
			near: append(pathways("1,E,N,1,1\n2,N,G,1,1\n"), in("stops.txt", "A,Alder",
				"G,Gate,45.0,-122.0,4,P,L\nA,Alder"))},
		{code: "pathway_to_wrong_location_type", broken: pathways("1,E,N,1,1\n2,N,P,1,1\n3,N,S,1,1\n"),
			near: pathways("1,E,N,1,1\n2,N,P,1,1\n")},
		{code: "pathway_unreachable_location", broken: pathways("1,E,N,1,1\n2,N,P,1,0\n"),
			near: pathways("1,E,N,1,1\n2,N,P,1,0\n3,P,E,1,0\n")},
		{code: "leading_or_trailing_whitespaces", broken: []change{in("stops.txt", "Alder", " Alder")},
			near: []change{in("stops.txt", "Alder", "Al der"), in("agency.txt", "\n", "\r\n")}},
		{code: "stops_match_shape_out_of_order", broken: shaped("45.02", "45.01", "45.0"), near: shaped("45.0",
			"45.01", "45.02")},
	}
}

// shaped gives trip T a shape through three latitudes.
func shaped(latitudes ...string) []change {
	var rows strings.Builder
	rows.WriteString("shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence\n")
	for i, latitude := range latitudes {
		fmt.Fprintf(&rows, "H,%s,-122.0,%d\n", latitude, i)
	}
	return []change{whole("shapes.txt", rows.String()), in("trips.txt", "block_id\nT,R,WK,Birch,X",
		"block_id,shape_id\nT,R,WK,Birch,X,H")}
}

// square returns a square feature with sides of a tenth of a degree, from its lower left corner.
func square(id string, lon, lat float64) string {
	return fmt.Sprintf(`{"type":"Feature","id":%q,"properties":{},"geometry":{"type":"Polygon","coordinates":`+
		`[[[%[2]g,%[3]g],[%[4]g,%[3]g],[%[4]g,%[5]g],[%[2]g,%[5]g],[%[2]g,%[3]g]]]}}`, id, lon, lat, lon+0.1, lat+0.1)
}

// digits returns n characters, which a zip does not compress as much as it does equal ones.
func digits(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprint(&b, i)
	}
	return b.String()
}

func zones(features ...string) change {
	return whole("locations.geojson", `{"type":"FeatureCollection","features":[`+strings.Join(features, ",")+"]}")
}

// onDemand has a trip with two stop times in zones.
func onDemand(first, second string, more ...change) []change {
	return append([]change{
		in("stop_times.txt", "V,06:10:00,06:10:00,P,1\nV,06:20:00,06:20:00,B,2\n",
			"V,,,,1,"+first+"\nV,,,,2,"+second+"\n"),
		in("stop_times.txt", "stop_sequence\n", "stop_sequence,location_id,start_pickup_drop_off_window,"+
			"end_pickup_drop_off_window,pickup_type,drop_off_type\n"),
		zones(square("z", -122, 45), square("y", -121.9, 45), square("x", -121.95, 45.05)),
	}, more...)
}

func rulesOfZones() []ruleCase {
	const booked = "z,08:00:00,18:00:00,2,2"
	near := onDemand(booked, booked)
	return []ruleCase{
		{code: "forbidden_pickup_type", broken: onDemand(booked, "z,08:00:00,18:00:00,,2"), near: near},
		{code: "forbidden_pickup_type", broken: onDemand(booked, "z,08:00:00,18:00:00,3,2"),
			near: onDemand(booked, "z,08:00:00,18:00:00,1,2")},
		{code: "forbidden_drop_off_type", broken: onDemand(booked, "z,08:00:00,18:00:00,2,0"),
			near: onDemand(booked, "z,08:00:00,18:00:00,2,3")},
		{code: "forbidden_continuous_pickup_drop_off", broken: onDemand(booked, booked, continuous("0")),
			near: onDemand(booked, booked,
				continuous("1"))},
		{code: "missing_stop_times_record", broken: onDemand(booked, booked, in("stop_times.txt",
			"V,,,,2,"+booked+"\n", "")), near: near},
		{code: "overlapping_zone_and_pickup_drop_off_window", broken: onDemand(booked, "x,17:00:00,19:00:00,2,2"),
			near: onDemand(booked, "x,18:00:00,19:00:00,2,2")},
		{code: "overlapping_zone_and_pickup_drop_off_window", broken: onDemand(booked, "x,08:00:00,18:00:00,1,2"),
			near: onDemand(booked, "y,08:00:00,18:00:00,2,2")}, // y touches the border of z
		{code: "duplicate_geography_id", broken: []change{zones(square("A", -122, 45))},
			near: []change{zones(square("Z", -122, 45))}},
		{code: "duplicate_geography_id", broken: []change{whole("location_groups.txt", "location_group_id\nA\n")},
			near: []change{whole("location_groups.txt", "location_group_id\nG\n")}},
		{code: "duplicate_geo_json_key", broken: []change{zones(square("z", -122, 45), square("z", -121, 45))},
			near: []change{zones(square("z", -122, 45), square("y", -121, 45))}},
		{code: "invalid_geometry", broken: []change{zones(strings.Replace(square("z", -122, 45),
			"[-121.9,45],[-121.9,45.1]",
			"[-121.9,45.1],[-121.9,45]", 1))}, near: []change{zones(square("z", -122, 45))}},
		{code: "unsupported_geometry_type", broken: []change{zones(strings.Replace(square("z", -122, 45), `"Polygon"`,
			`"Point"`, 1))}, near: []change{zones(square("z", -122, 45))}},
		{code: "unsupported_feature_type", broken: []change{zones(strings.Replace(square("z", -122, 45), `"Feature"`,
			`"Zone"`, 1))}, near: []change{zones(square("z", -122, 45))}},
		{code: "unsupported_geo_json_type", broken: []change{whole("locations.geojson", square("z", -122, 45))},
			near: []change{zones()}},
		{code: "missing_required_element", broken: []change{zones(strings.Replace(square("z", -122, 45), `"properties":{},`,
			"", 1))},
			near: []change{zones(square("z", -122, 45))}},
		{code: "geo_json_duplicated_element", broken: []change{zones(strings.Replace(square("z", -122, 45), `{}`,
			`{"a":1,"a":2}`, 1))}},
		{code: "geojson_feature_too_long", broken: []change{zones(strings.Replace(square("z", -122, 45), `{}`,
			`{"a":"`+digits(4<<20)+`"}`, 1))},
			near: []change{zones(strings.Replace(square("z", -122, 45), `{}`, `{"a":1,"b":{"a":2}}`, 1))}},
	}
}

func continuous(code string) change {
	return in("routes.txt", "route_type\nR,M,10,Loop,3\nQ,M,20,Hill,3",
		"route_type,continuous_pickup\nR,M,10,Loop,3,\nQ,M,20,Hill,3,"+code)
}

// claims returns cases of rules that once missed a finding or reported a false one.
func claims() []ruleCase {
	return []ruleCase{
		{code: "unexpected_enum_value", broken: []change{in("stops.txt", "level_id\n",
			"level_id,wheelchair_boarding\n"),
			in("stops.txt", "45.01,-122.0,,,", "45.01,-122.0,,,,5")}, near: []change{in("stops.txt",
			"level_id\n", "level_id,wheelchair_boarding\n"),
			in("stops.txt", "45.01,-122.0,,,", "45.01,-122.0,,,,2")}},
		{code: "unexpected_enum_value", broken: []change{in("routes.txt", "20,Hill,3", "20,Hill,8")},
			near: []change{in("routes.txt", "20,Hill,3", "20,Hill,714")}},
		{code: "fast_travel_between_far_stops", also: []gtfs.Code{"fast_travel_between_consecutive_stops"},
			broken: []change{in("stops.txt", "B,Birch,45.02", "B,Birch,46.02")}, near: []change{in("stops.txt",
				"B,Birch,45.02", "B,Birch,45.05")}},
		{code: "missing_recommended_field", broken: []change{in("agency.txt", "M,Metro", ",Metro"),
			in("routes.txt", "R,M", "R,"),
			in("routes.txt", "Q,M", "Q,")}, near: nil},
		{code: "missing_recommended_field", broken: []change{in("routes.txt", "R,M", "R,")}, near: nil},
		{code: "missing_required_agency_id", broken: []change{in("agency.txt", "M,Metro",
			"N,Night,https://night.example,America/Los_Angeles\n,Metro"),
			in("routes.txt", "R,M", "R,N"), in("routes.txt", "Q,M", "Q,N")},
			near: []change{in("agency.txt", "M,Metro", "N,Night,https://night.example,America/Los_Angeles\nM,Metro")}},
		{code: "expired_calendar", also: []gtfs.Code{"trip_coverage_not_active_for_next7_days"},
			broken: []change{in("calendar.txt", "1,1,1,1,1,0,0,20260101,20261231", "1,1,1,1,1,0,0,20250101,20251231"),
				in("calendar.txt", "0,0,0,0,0,1,1,20260101,20261231", "0,0,0,0,0,1,1,20250101,20251231")}, near: nil},
		// A bad cell is reported once.
		{code: "invalid_date", broken: []change{in("calendar.txt", "20260101,20261231\nWE",
			"2026-01-01,20261231\nWE")},
			near: nil},
		{code: "number_out_of_range", broken: []change{in("stops.txt", "45.01", "145.01")}, near: nil},
		{code: "invalid_time", broken: []change{in("stop_times.txt", "T,06:00:00", "T,6 am")}, near: nil},
		{code: "invalid_time", broken: onDemand("z,8,18:00:00,2,2", "z,08:00:00,18:00:00,2,2"), near: nil},
		{code: "invalid_integer", broken: []change{in("stop_times.txt", "B,3", "B,x")}, near: nil},
		{code: "invalid_float", broken: append(shaped("45.0", "45.02", "north"), in("trips.txt", "Birch,X",
			"Birch,X")), near: nil},
	}
}

// A feed in a folder of the zip has one finding. Text files outside GTFS and geometries of areas
// have none.
func TestFilesOfOtherKinds(t *testing.T) {
	t.Parallel()
	folder := files{}
	for name, text := range sound() {
		folder["feed/"+name] = text
	}
	if found := codesOf(t, folder); len(found) != 1 || found[0] != "invalid_input_files_in_subfolder" {
		t.Errorf("in a folder: %v", found)
	}
	f := sound()
	f["README.txt"] = "This feed, made by us,\nhas a \"note\n\nand \"more\", here: a,b,c\n"
	f["areas.txt"] = "area_id,wkt\na,\"POLYGON((" + strings.Repeat("1 2,", 60_000) + "1 2))\"\n"
	if found := codesOf(t, f); len(found) > 0 {
		t.Errorf("text file and geometry: %v", found)
	}
	for i := range 101 {
		f[fmt.Sprintf("other%d.txt", i)] = "a,b\n1,2\n"
	}
	r, err := checked(t, f)
	if err != nil || !slices.ContainsFunc(r.Findings, func(found gtfsimport.Finding) bool {
		return found.Code == "file_not_served"
	}) {
		t.Errorf("102 files outside GTFS: %v, %v", r, err)
	}
}

// A row that is too short and a cell beyond the header each have one finding.
func TestOneMistakeHasOneFinding(t *testing.T) {
	t.Parallel()
	for want, f := range map[gtfs.Code]files{
		"invalid_row_length": sound().with("stops.txt", "A,Alder,45.01,-122.0,,,\n", "A,Alder\n"),
		"empty_file":         sound().with("agency.txt", sound()["agency.txt"], "").with("routes.txt", ",M,", ",,"),
		"invalid_timezone":   sound().with("agency.txt", "America/Los_Angeles", "America/Nowhere"),
	} {
		var found []gtfs.Code
		for _, code := range codesOf(t, f) {
			if rule, _ := check.RuleOf(code); rule.Severity == check.Error {
				found = append(found, code)
			}
		}
		if len(found) != 1 || found[0] != want {
			t.Errorf("%v, want %s", found, want)
		}
	}
}

// A note, not an error, is reported for values that may be intended.
func TestNotes(t *testing.T) {
	t.Parallel()
	street := sound().change(whole("pathways.txt", ""), whole("stops.txt",
		"stop_id,stop_name,stop_lat,stop_lon,platform_code\n"+
			"P,Pine,45.0,-122.0,\nA,Alder,45.01,-122.0,\nB,Birch,45.02,-122.0,\n"))
	for _, c := range []struct {
		code         gtfs.Code
		near, broken files
	}{
		{"platform_without_parent_station", street, street.with("stops.txt", "45.01,-122.0,", "45.01,-122.0,2")},
		{"unsorted_stop_times", sound(), sound().with("stop_times.txt", "A,2\nT", "A,4\nT")},
		{"unsorted_stop_times", sound(), sound().with("stop_times.txt", "T,06:10:00,06:10:00,B,3\n", "").
			with("stop_times.txt", "V,06:10:00", "T,06:10:00,06:10:00,B,3\nV,06:10:00")},
	} {
		for want, f := range map[bool]files{true: c.broken, false: c.near} {
			r, err := checked(t, f)
			if err != nil {
				t.Fatal(err)
			}
			has := slices.ContainsFunc(r.Findings, func(f gtfsimport.Finding) bool { return f.Code == c.code })
			if has != want {
				t.Errorf("%s: %v, want %v", c.code, has, want)
			}
		}
	}
}
