package check

import (
	"cmp"
	"maps"
	"slices"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/lang"
)

// A Severity is the importance of a finding.
type Severity string

// The severities of the canonical validator.
const (
	// Error means that the GTFS reference forbids it.
	Error Severity = "error"
	// Warning means that it is likely to harm riders.
	Warning Severity = "warning"
	// Info means that it may be intended.
	Info Severity = "info"
)

// Rank orders severities; the worst is lowest.
func (s Severity) Rank() int { return slices.Index([]Severity{Error, Warning, Info}, s) }

// A Rule describes the findings with one code. Its sentences are in pkg/gtfs/notice.
type Rule struct {
	Code     gtfs.Code
	Severity Severity
	Effect   gtfs.Effect // of findings that do not name theirs
}

// Message returns what is wrong.
func (r Rule) Message(say lang.Words) string { return say.Text("feed." + string(r.Code)) }

// Advice returns what the people who make the feed can do.
func (r Rule) Advice(say lang.Words) string { return say.Text("feed." + string(r.Code) + ".do") }

// RuleOf returns the rule of a code. Stored reports of older releases may have unknown codes, which
// have no sentences.
func RuleOf(code gtfs.Code) (rule Rule, known bool) {
	rule, known = rulesByCode[code]
	if !known {
		rule = Rule{Code: code, Severity: Warning, Effect: gtfs.Noted}
	}
	return rule, known
}

// Rules returns all rules, by code.
func Rules() []Rule {
	return slices.SortedFunc(maps.Values(rulesByCode), func(a, b Rule) int { return cmp.Compare(a.Code, b.Code) })
}

var rulesByCode = func() map[gtfs.Code]Rule {
	all := map[gtfs.Code]Rule{}
	for severity, codes := range severities {
		for _, code := range codes {
			all[code] = Rule{Code: code, Severity: severity, Effect: gtfs.Noted}
		}
	}
	for effect, codes := range effects {
		for _, code := range codes {
			r := all[code]
			r.Effect = effect
			all[code] = r
		}
	}
	return all
}()

// severities has every code.
var severities = map[Severity][]gtfs.Code{
	Error: {
		"backslash_quote", "bidirectional_exit_gate", "block_trips_with_overlapping_stop_times", "cell_too_long",
		"decreasing_or_equal_stop_time_distance", "decreasing_shape_distance", "duplicate_file",
		"duplicate_geo_json_key", "duplicate_geography_id", "duplicate_key", "duplicated_column", "empty_column_name",
		"empty_file",
		"equal_shape_distance_diff_coordinates", "fare_product_with_multiple_default_rider_categories",
		"fare_transfer_rule_duration_limit_type_without_duration_limit",
		"fare_transfer_rule_duration_limit_without_type", "fare_transfer_rule_invalid_transfer_count",
		"fare_transfer_rule_with_forbidden_transfer_count", "fare_transfer_rule_without_transfer_count",
		"file_outside_feed", "forbidden_arrival_or_departure_time", "forbidden_continuous_pickup_drop_off",
		"forbidden_drop_off_type", "forbidden_geography_id", "forbidden_pickup_type",
		"forbidden_prior_day_booking_field_value", "forbidden_prior_notice_start_day",
		"forbidden_prior_notice_start_time", "forbidden_real_time_booking_field_value",
		"forbidden_same_day_booking_field_value", "forbidden_shape_dist_traveled", "foreign_key_violation",
		"geo_json_duplicated_element", "geojson_feature_too_long", "headway_too_long", "id_too_long",
		"inconsistent_agency_timezone",
		"invalid_character", "invalid_color", "invalid_currency", "invalid_currency_amount", "invalid_date",
		"invalid_email", "invalid_float", "invalid_geometry", "invalid_input_files_in_subfolder",
		"invalid_integer", "invalid_language_code", "invalid_pickup_drop_off_window",
		"invalid_prior_notice_duration_min", "invalid_row_length", "invalid_time", "invalid_timezone", "invalid_url",
		"line_before_header", "location_with_unexpected_stop_time", "location_without_parent_station",
		"missing_calendar_and_calendar_date_files", "missing_level_id", "missing_pickup_or_drop_off_window",
		"missing_prior_notice_duration_min", "missing_prior_notice_last_day", "missing_prior_notice_last_time",
		"missing_prior_notice_start_time", "missing_required_agency_id", "missing_required_column",
		"missing_required_element",
		"missing_required_field", "missing_required_file", "missing_stop_name", "missing_stop_times_record",
		"missing_trip_edge", "new_line_in_value", "number_out_of_range", "overlapping_frequency",
		"overlapping_zone_and_pickup_drop_off_window", "parent_station_loop",
		"pathway_to_platform_with_boarding_areas", "pathway_to_stop_with_access_outside_of_station_pathways",
		"pathway_to_wrong_location_type", "pathway_unreachable_location", "point_near_origin", "point_near_pole",
		"prior_notice_last_day_after_start_day", "route_both_short_and_long_name_missing",
		"route_networks_specified_in_more_than_one_file", "row_too_long", "shape_too_long",
		"start_and_end_range_equal", "start_and_end_range_out_of_order", "station_with_parent_station",
		"stop_access_specified_for_incorrect_location", "stop_access_specified_for_stop_with_no_parent_station",
		"stop_time_timepoint_without_times", "stop_time_with_arrival_before_previous_departure_time",
		"stop_time_with_only_arrival_or_departure_time", "stop_without_location",
		"timeframe_only_start_or_end_time_specified", "timeframe_overlap",
		"timeframe_start_or_end_time_greater_than_twenty_four_hours", "transfer_with_invalid_stop_location_type",
		"transfer_with_invalid_trip_and_route", "transfer_with_invalid_trip_and_stop",
		"translation_foreign_key_violation", "translation_unexpected_value", "trip_distance_exceeds_shape_distance",
		"trip_too_long", "unclosed_quote", "unreadable_file",
		"unsupported_feature_type", "unsupported_geo_json_type", "unsupported_geometry_type", "unusable_file_name",
		"wrong_parent_location_type",
		"wrong_separator",
	},
	Warning: {
		"attribution_without_role", "control_character", "duplicate_fare_media", "duplicate_route_name",
		"equal_shape_distance_same_coordinates", "expired_calendar", "fast_travel_between_consecutive_stops",
		"fast_travel_between_far_stops", "feed_expiration_date30_days", "feed_expiration_date7_days",
		"feed_info_lang_and_agency_lang_mismatch", "feed_service_gap", "inconsistent_agency_lang",
		"inconsistent_route_type_for_block_id", "leading_or_trailing_whitespaces", "manual_target_missing",
		"missing_feed_contact_email_and_url", "missing_feed_info_date", "missing_recommended_field",
		"missing_recommended_file", "more_than_one_entity", "pathway_dangling_generic_node", "route_color_contrast",
		"route_long_name_contains_short_name", "route_short_name_too_long", "same_name_and_description_for_route",
		"same_name_and_description_for_stop", "same_route_and_agency_url", "same_stop_and_agency_url",
		"service_ends_within_30_days", "service_has_no_active_day_of_the_week", "single_shape_point",
		"stop_too_far_from_shape", "stop_without_stop_time", "stops_match_shape_out_of_order",
		"transfer_distance_too_large", "translation_unknown_table_name", "trip_coverage_not_active_for_next7_days",
		"unexpected_enum_value", "unreadable_file_name", "unusable_trip", "unused_route", "unused_service",
		"unused_shape", "unused_trip",
	},
	Info: {
		"file_beside_feed", "file_not_served", "future_calendar", "future_feed", "hidden_file", "manual_over_feed",
		"partly_checked", "platform_without_parent_station", "service_extends_far_in_the_future",
		"trip_without_headsign", "unknown_column", "unknown_file", "unsorted_stop_times", "unused_station",
	},
}

// effects has the codes of findings after which the import changes the feed. They are those that
// pkg/gtfs and gtfs-import find while they read it.
var effects = map[gtfs.Effect][]gtfs.Code{
	gtfs.FileSkipped: {
		"duplicate_file", "file_beside_feed", "file_outside_feed", "hidden_file", "invalid_input_files_in_subfolder",
		"unreadable_file", "unusable_file_name",
	},
	gtfs.RowLeftOut: {
		"duplicate_key", "foreign_key_violation", "geojson_feature_too_long", "headway_too_long",
		"row_too_long", "shape_too_long", "trip_too_long", "unsupported_feature_type",
	},
	gtfs.CellEmptied: {
		"cell_too_long", "id_too_long", "invalid_color", "invalid_date", "invalid_float", "invalid_integer",
		"invalid_time", "number_out_of_range", "parent_station_loop",
	},
	gtfs.CellChanged: {
		"backslash_quote", "control_character", "invalid_character", "manual_over_feed",
		"missing_required_agency_id",
	},
}
