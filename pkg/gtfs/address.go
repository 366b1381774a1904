package gtfs

import "strings"

// Reference returns the address of a file in the GTFS reference; "" if GTFS has no such file.
func Reference(file string) string {
	_, known := TableOf(file)
	if !known && file != "locations.geojson" || file == "directions.txt" { // which is GTFS+
		return ""
	}
	return "https://gtfs.org/documentation/schedule/reference/#" + strings.ReplaceAll(file, ".", "")
}

// Address returns the address of the canonical validator's rule; "" if it has none of this name.
func (c Code) Address() string {
	switch c {
	case "duplicate_file", "file_outside_feed", "file_beside_feed", "hidden_file",
		"unusable_file_name", "unreadable_file_name", "unreadable_file", "file_not_served",
		"invalid_geojson_feature", "geojson_feature_too_long", "row_too_long", "unclosed_quote",
		"cell_too_long", "control_character", "id_too_long", "trip_too_long", "shape_too_long",
		"headway_too_long", "partly_checked", "manual_over_feed", "manual_target_missing", "unused_route",
		"parent_station_loop", "unused_service", "feed_service_gap", "service_ends_within_30_days",
		"trip_without_headsign":
		return ""
	}
	if _, known := RuleOf(c); !known {
		return ""
	}
	return "https://gtfs-validator.mobilitydata.org/rules.html#" + string(c) + "-rule"
}
